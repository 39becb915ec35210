//! The case library: scenes that come with the program, each with a unique name.
//!
//! | group | what it tests |
//! | --- | --- |
//! | `unit-tests` | each kind of contact alone; stacks and mass ratios of the reference program |
//! | `erleben` | degenerate contact: tip on tip, edge on edge, contact in cracks and holes \[Erleben2018\] |
//! | `friction` | the angle at which a box starts to slide; its stopping distance |
//! | `tunnelling` | fast bodies against thin ones |
//! | `free` | free rotation: conservation of energy and angular momentum |
//! | `xpbd` | scenes like those of \[Mueller2020\], with its time step of 1/60 s |
//! | `joints` | each kind of joint alone, compared with statics and dynamics |
//! | `mechanisms` | a car, an arm, a trebuchet, a ragdoll, a lock: joints, drives and contact at once |
//! | `rolling`, `bouncing`, `newtons-cradle` | rolling, restitution, and restitution along a row of bodies |
//! | `soft` | ropes, cloths, soft blocks and marbles, alone and with bodies; scenes like those of \[Macklin2016\] |
//! | `links` | linked rings, which must stay linked |
//! | `stacks` | stacks that must remain standing |
//! | `ferguson2021` | the figures of \[Ferguson2021\] by number, with our own shapes |
//! | `mueller2020`, `macklin2016`, `mueller2007` | the examples of \[Mueller2020\], \[Macklin2016\] and \[Mueller2007\] |
//! | `harada2007` | falling tori and chess pieces, after \[Harada2007\] |
//! | `fluid` | water in a tank: a dam break, a floating box, a sinking ball |
//! | `grains` | a heap and a hopper of single particles |
//!
//! Every case states what judges must find in it, and why.

use std::io;
use std::path::Path;

use crate::Files;

/// A scene file by its path in the library.
struct Case {
    path: &'static str,
    text: &'static str,
}

macro_rules! case {
    ($name:literal) => {
        Case { path: concat!($name, ".toml"), text: include_str!(concat!("../cases/", $name, ".toml")) }
    };
}

const CASES: &[Case] = &[
    case!("unit-tests/5-cubes"),
    case!("unit-tests/edge-edge"),
    case!("unit-tests/edge-edge-parallel"),
    case!("unit-tests/face-vertex"),
    case!("unit-tests/large-mass-ratio"),
    case!("unit-tests/tet-corner"),
    case!("unit-tests/vertex-face"),
    case!("unit-tests/vertex-vertex"),
    case!("erleben/cliff-edges"),
    case!("erleben/internal-edges"),
    case!("erleben/sliding-spike"),
    case!("erleben/sliding-wedge"),
    case!("erleben/spike-and-wedge"),
    case!("erleben/spike-in-crack"),
    case!("erleben/spike-in-hole"),
    case!("erleben/spikes"),
    case!("erleben/wedge-in-crack"),
    case!("erleben/wedges"),
    case!("friction/incline-mu-0.49"),
    case!("friction/incline-mu-0.5"),
    case!("friction/stopping-distance"),
    case!("tunnelling/high-speed"),
    case!("free/dzhanibekov"),
    case!("free/symmetric-top"),
    case!("xpbd/boxes"),
    case!("xpbd/three-link-pendulum"),
    case!("joints/ball-swing"),
    case!("joints/breaking"),
    case!("joints/cylindrical"),
    case!("joints/damped-wheel"),
    case!("joints/fixed"),
    case!("joints/force-laws"),
    case!("joints/gear"),
    case!("joints/hinge-drive"),
    case!("joints/hinge-limit"),
    case!("joints/hinge-motor"),
    case!("joints/prismatic-drive"),
    case!("joints/rope"),
    case!("joints/springs"),
    case!("joints/universal"),
    case!("mechanisms/arm-grip"),
    case!("mechanisms/car-rough"),
    case!("mechanisms/door-lock"),
    case!("mechanisms/ragdoll-stairs"),
    case!("mechanisms/trebuchet"),
    case!("rolling/ball"),
    case!("rolling/bowl"),
    case!("bouncing/ball"),
    case!("newtons-cradle"),
    case!("soft/hanging-rope"),
    case!("soft/hanging-cloth"),
    case!("soft/oscillator"),
    case!("soft/chain"),
    case!("soft/cantilever"),
    case!("soft/block-on-floor"),
    case!("soft/box-on-rope"),
    case!("soft/cloth-on-sphere"),
    case!("soft/box-on-block"),
    case!("soft/marbles"),
    case!("stacks/01"),
    case!("stacks/02"),
    case!("stacks/05"),
    case!("stacks/10"),
    case!("stacks/20"),
    case!("stacks/50"),
    case!("stacks/pyramid"),
    case!("stacks/round"),
    case!("stacks/wall"),
    case!("ferguson2021/01-lock-box"),
    case!("ferguson2021/02-bike-chain"),
    case!("ferguson2021/02-geneva-wheel"),
    case!("ferguson2021/02-piston"),
    case!("ferguson2021/04-bolt"),
    case!("ferguson2021/05-punching-press-loose"),
    case!("ferguson2021/05-punching-press-tight"),
    case!("ferguson2021/06-chain-net"),
    case!("ferguson2021/06-chain-net-4x4"),
    case!("ferguson2021/06-codimensional-spheres"),
    case!("ferguson2021/07-coin"),
    case!("ferguson2021/08-wrecking-ball"),
    case!("ferguson2021/09-anchor"),
    case!("ferguson2021/10-card-house"),
    case!("ferguson2021/10-card-house-blocks"),
    case!("ferguson2021/11-arch-101"),
    case!("ferguson2021/11-arch-25"),
    case!("ferguson2021/12-lewis"),
    case!("ferguson2021/13-turntable-mu-0.0"),
    case!("ferguson2021/13-turntable-mu-0.1"),
    case!("ferguson2021/13-turntable-mu-0.5"),
    case!("ferguson2021/13-turntable-mu-1.0"),
    case!("ferguson2021/14-packing"),
    case!("ferguson2021/18-slope-mu-0.49"),
    case!("ferguson2021/18-slope-mu-0.5"),
    case!("ferguson2021/tunnel-four-walls"),
    case!("mueller2020/06-mass-ratio"),
    case!("mueller2020/13-overlap"),
    case!("mueller2020/14-track"),
    case!("mueller2020/15-coin"),
    case!("mueller2020/16-car"),
    case!("mueller2020/17-inverse-kinematics"),
    case!("mueller2020/18-rope-twist"),
    case!("mueller2020/boxes-3"),
    case!("mueller2020/boxes-7"),
    case!("mueller2020/chain-100"),
    case!("mueller2020/pendulum-balls"),
    case!("mueller2020/pendulum-hinges"),
    case!("mueller2020/pendulum-long"),
    case!("mueller2020/robot"),
    case!("mueller2020/rolling-balls"),
    case!("mueller2020/rope-100"),
    case!("links/chain-10"),
    case!("links/two-rings"),
    case!("macklin2016/chain"),
    case!("macklin2016/cloth-64"),
    case!("macklin2016/sagging-cloth"),
    case!("mueller2007/bodies-and-cloths"),
    case!("mueller2007/cloth-1364"),
    case!("mueller2007/cloth-4264"),
    case!("mueller2007/flying-cloth"),
    case!("mueller2007/free-fall"),
    case!("mueller2007/spring"),
    case!("harada2007/ball"),
    case!("harada2007/chess"),
    case!("harada2007/tori"),
    case!("fluid/dam-break"),
    case!("fluid/floating-box"),
    case!("fluid/sinking-sphere"),
    case!("grains/column"),
    case!("grains/hopper"),
];

/// Returns the names of all cases, group by group.
///
/// ```
/// assert!(rigor_file::cases::names().any(|name| name == "erleben/wedges"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(Case::name)
}

/// Returns the path of the case called `name` in [`files`].
///
/// ```
/// use std::path::Path;
/// use rigor_file::cases;
/// use rigor_file::{LoadOptions, load};
/// let path = cases::find("friction/stopping-distance").unwrap();
/// let scene = load(Path::new(path), &cases::files(), &LoadOptions::default())?.scene;
/// assert_eq!(scene.bodies.len(), 3);
/// assert!(cases::find("friction/starting-distance").is_none());
/// # Ok::<(), rigor_file::SceneError>(())
/// ```
pub fn find(name: &str) -> Option<&'static str> {
    CASES.iter().find(|case| case.name() == name).map(|case| case.path)
}

/// Returns the files of the library. A case may include another by its relative path.
pub fn files() -> Library {
    Library
}

/// The [`Files`] that come with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Library;

impl Files for Library {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let case = CASES.iter().find(|case| path == Path::new(case.path));
        case.map(|case| case.text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Case {
    fn name(&self) -> &'static str {
        self.path.trim_end_matches(".toml")
    }
}
