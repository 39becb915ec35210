//! Every element and attribute of MJCF and URDF, as their authors list them, is used or listed with a reason.
//!
//! `benchmarks/corpus/vocabulary.py` writes the lists. What is used changes the scene in one of [`MJCF_USES`] and [`URDF_USES`].
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use rigor_file::robot::{Imported, Options, import};
use rigor_file::{Files, SceneError};

struct Model(String);

impl Files for Model {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = match path.to_str().unwrap() {
            "m.xml" | "m.urdf" => self.0.clone(),
            "sub.xml" | "other/sub.xml" => SUB.into(),
            "part.xml" => r#"<mujoco><worldbody><geom size="3"/></worldbody></mujoco>"#.into(),
            "h.bin" => "\u{2}\0\0\0\u{2}\0\0\0".to_owned() + &"\0".repeat(16),
            "a/tet.obj" | "tet.obj" | "b/tet.obj" | "c/tet.obj" => TETRAHEDRON.into(),
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(text.into_bytes())
    }
}

const SUB: &str = r#"<mujoco model="sub"><worldbody><frame name="f" pos="1 0 0"><body name="x"><freejoint/><geom size="0.1"/></body></frame>
<body name="y"><freejoint/><geom size="0.2"/></body></worldbody></mujoco>"#;
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn read(name: &str, text: String) -> Result<Imported, SceneError> {
    import(Path::new(name), &Model(text), Options::default())
}

/// Where the elements of a format are, with a place `@` for attributes and a place `%` for what is in them.
type Places = &'static [(&'static str, &'static str)];

const MJCF_PLACES: Places = &[
    (
        "mujoco",
        r#"<mujoco @>%<worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody></mujoco>"#,
    ),
    ("mujoco/option", "<option @>%</option>"),
    ("mujoco/asset/mesh", r#"<asset><mesh vertex="0 0 0 1 0 0 0 1 0 0 0 1" @>%</mesh></asset>"#),
    ("mujoco/asset/hfield", r#"<asset><hfield size="1 1 1 1" @/></asset>"#),
    ("mujoco/(world)body", r#"<worldbody><body @>%</body></worldbody>"#),
    ("mujoco/(world)body/geom", r#"<worldbody><body name="c"><geom size="1" @>%</geom></body></worldbody>"#),
    (
        "mujoco/(world)body/joint",
        r#"<worldbody><body name="c"><joint @>%</joint><geom size="1"/></body></worldbody>"#,
    ),
    (
        "mujoco/(world)body/freejoint",
        r#"<worldbody><body name="c"><freejoint @/><geom size="1"/></body></worldbody>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<worldbody><body name="c"><geom size="1"/>
        <flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0" element="0 1 2" @>%</flexcomp></body></worldbody>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<worldbody><composite type="cable" count="4" curve="s" size="1" @><geom type="capsule" size="1"/>%</composite></worldbody>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<worldbody><composite type="particle" count="2 2 2"><geom size="1" @>%</geom></composite></worldbody>"#,
    ),
    ("mujoco/actuator/general", r#"<actuator><general joint="j" @/></actuator>"#),
    ("mujoco/actuator/motor", r#"<actuator><motor joint="j" @/></actuator>"#),
    ("mujoco/actuator/position", r#"<actuator><position joint="j" @/></actuator>"#),
    ("mujoco/actuator/velocity", r#"<actuator><velocity joint="j" @/></actuator>"#),
    ("mujoco/actuator/intvelocity", r#"<actuator><intvelocity joint="j" @/></actuator>"#),
];

/// Attributes that change the scene, each in a model: without and with the part in square brackets.
const MJCF_USES: &[(&str, &str)] = &[
    ("mujoco", r#"<mujoco [model="n"]>BODY</mujoco>"#),
    ("mujoco/option", r#"<mujoco><option [timestep="0.01"]/>BODY</mujoco>"#),
    ("mujoco/option", r#"<mujoco><option [gravity="1 2 3"]/>BODY</mujoco>"#),
    (
        "mujoco/option",
        r#"<mujoco><option [actuatorgroupdisable="3"]/>BODY<actuator><position joint="j" group="3" kp="2"/></actuator></mujoco>"#,
    ),
    ("mujoco/option/flag", r#"<mujoco><option><flag [constraint="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [limit="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [contact="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [spring="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [damper="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [gravity="disable"]/></option>BODY</mujoco>"#),
    ("mujoco/option/flag", r#"<mujoco><option><flag [filterparent="disable"]/></option>BODY</mujoco>"#),
    (
        "mujoco/option/flag",
        r#"<mujoco><option><flag [actuation="disable"]/></option>BODY<actuator><position joint="j"/></actuator></mujoco>"#,
    ),
    ("mujoco/compiler", r#"<mujoco><compiler [autolimits="false"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [boundmass="900"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [boundinertia="900"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [settotalmass="3"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [balanceinertia="true"]/>BODY</mujoco>"#),
    (
        "mujoco/compiler",
        r#"<mujoco><compiler [strippath="true"]/><asset><mesh name="m" file="no/tet.obj"/></asset>MESH</mujoco>"#,
    ),
    ("mujoco/compiler", r#"<mujoco><compiler [angle="radian"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [eulerseq="zyx"]/>BODY</mujoco>"#),
    (
        "mujoco/compiler",
        r#"<mujoco><compiler [meshdir="b"]/><asset><mesh name="m" file="tet.obj"/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/compiler",
        r#"<mujoco><compiler [assetdir="c"]/><asset><mesh name="m" file="tet.obj"/></asset>MESH</mujoco>"#,
    ),
    ("mujoco/compiler", r#"<mujoco><compiler [inertiafromgeom="true"]/>BODY</mujoco>"#),
    ("mujoco/compiler", r#"<mujoco><compiler [inertiagrouprange="0 1"]/>BODY</mujoco>"#),
    ("mujoco/include", r#"<mujoco><include [file="part.xml"]/>BODY</mujoco>"#),
    ("mujoco/asset/mesh", r#"<mujoco><asset><mesh name="m" [file="tet.obj"]/></asset>MESH</mujoco>"#),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" [vertex="0 0 0 1 0 0 0 1 0 0 0 1"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" [face="0 2 1 0 1 3 0 3 2"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" file="tet.obj" [refpos="1 2 3"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" file="tet.obj" [refquat="1 2 3 4"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" file="tet.obj" [scale="1 2 3"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/mesh",
        r#"<mujoco><asset><mesh name="m" file="tet.obj" [inertia="shell"]/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" [file="h.bin"] size="1 1 1 1"/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" [size="1 1 1 1"]/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" [nrow="3"] ncol="2" size="1 1 1 1"/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" nrow="3" [ncol="2"] size="1 1 1 1"/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" [elevation="0 1 2 3"]/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody><geom type="hfield" [hfield="h"]/><body><freejoint/><geom size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/asset/hfield",
        r#"<mujoco><asset><hfield name="h" file="h.bin" [content_type="image/png"] size="1 1 1 1"/></asset>FIELD</mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp [rigid="true"] type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" [type="direct"] point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" [point="0 0 0 1 0 0 0 1 0 0 0 1"] element="0 1 2 3" dim="3"></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" [element="0 1 2 3"] dim="3"></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" [dim="3"]></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3" [scale="1 2 3"]></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3" [radius="1"]></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="mesh" [file="tet.obj"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp/contact",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"><contact [contype="2"]/></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp/contact",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"><contact [conaffinity="2"]/></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp/contact",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"><contact [condim="1"]/></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp/contact",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"><contact [friction="3"]/></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp/contact",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3"><contact [priority="2"]/></flexcomp></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/asset/model",
        r#"<mujoco><asset><model name="s" file="[other/]sub.xml"/></asset><worldbody><attach model="s" prefix="p"/><attach model="s" prefix="q" body="x"/></worldbody>SAME</mujoco>"#,
    ),
    (
        "mujoco/(world)body",
        r#"<mujoco>CLASS<worldbody><body [childclass="k"]><geom/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/inertial",
        r#"<mujoco><worldbody><body><freejoint/><inertial [mass="1"] diaginertia="2 3 4"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/inertial",
        r#"<mujoco><worldbody><body><freejoint/><inertial mass="1" [diaginertia="2 3 4"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/inertial",
        r#"<mujoco><worldbody><body><freejoint/><inertial mass="1" [fullinertia="2 3 4 0 0 .1"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [type="slide"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [pos="1 2 3"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [axis="1 2 3"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [springdamper="1 2"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint range="-1 2" [limited="false"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [range="-1 2"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [stiffness="3"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint [damping="3"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint range="-1 2" [ref="1"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco><worldbody><body><geom size="1"/><joint stiffness="3" [springref="5"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/joint",
        r#"<mujoco>CLASS<worldbody><body><geom size="1"/><joint [class="k"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco>CLASS<worldbody><body><freejoint/><geom [class="k"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [type="box"] size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [contype="0"] conaffinity="0" size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom contype="0" [conaffinity="0"] size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [condim="1"] size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [priority="1"] size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><compiler inertiagrouprange="2 3"/><worldbody><body><freejoint/><geom [group="2"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><default><geom size="2"/></default><worldbody><body><freejoint/><geom [size="1"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [friction="0.3"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [mass="3"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [density="3"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [shellinertia="true"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom type="capsule" [fromto="0 0 0 1 2 3"] size="1 2"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom [pos="1 2 3"] size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><asset><mesh name="m" file="tet.obj"/></asset><worldbody><body><freejoint/><geom [mesh="m"] type="sphere" size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><asset><mesh name="m" file="tet.obj"/></asset><worldbody><body><freejoint/><geom mesh="m" type="sphere" [fitscale="2"]/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/attach",
        r#"<mujoco><asset><model name="sub" file="sub.xml"/></asset><worldbody><body name="y"><geom size="1"/></body><attach [model="sub"] body="y" prefix="p"/></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/attach",
        r#"<mujoco><asset><model name="sub" file="sub.xml"/></asset><worldbody><attach model="sub" [body="y"] prefix="p"/></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/attach",
        r#"<mujoco><asset><model name="sub" file="sub.xml"/></asset><worldbody><attach model="sub" [frame="f"] prefix="p"/></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/attach",
        r#"<mujoco><asset><model name="sub" file="sub.xml"/></asset><worldbody><attach model="sub" body="y" [prefix="p"]/></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/frame",
        r#"<mujoco>CLASS<worldbody><frame [childclass="k"]><geom/></frame></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/replicate",
        r#"<mujoco><worldbody><replicate [count="2"]><geom size="1"/></replicate></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/replicate",
        r#"<mujoco><worldbody><replicate count="2" [sep="x"]><body name="b"><geom size="1"/></body></replicate></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/replicate",
        r#"<mujoco><worldbody><replicate count="2" [offset="1 2 3"]><geom size="1"/></replicate></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/replicate",
        r#"<mujoco><worldbody><replicate count="2" [euler="1 2 3"]><geom size="1"/></replicate></worldbody></mujoco>"#,
    ),
    ("mujoco/contact/exclude", r#"<mujoco>PAIR<contact><exclude [body1="p"] body2="q"/></contact></mujoco>"#),
    ("mujoco/contact/exclude", r#"<mujoco>PAIR<contact><exclude body1="p" [body2="q"]/></contact></mujoco>"#),
    ("mujoco/contact/pair", r#"<mujoco>MASKED<contact><pair [geom1="p"] geom2="q"/></contact></mujoco>"#),
    ("mujoco/contact/pair", r#"<mujoco>MASKED<contact><pair geom1="p" [geom2="q"]/></contact></mujoco>"#),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite [prefix="p"] type="cable" count="4" curve="s" size="1">ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco>BODY<worldbody><composite [type="cable"] count="4" curve="s" size="1">ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" [count="4"] curve="s" size="1">ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" count="4" [curve="s"] size="1">ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" count="4" curve="s" [size="1"]>ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" [vertex="0 0 0 1 0 0 2 3 0"]>ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" count="4" curve="s" size="1" [offset="1 2 3"]>ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="cable" count="4" curve="s" size="1" [initial="free"]>ROD</composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2" [spacing="3"]><geom size="1"/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/joint",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2" spacing="3"><geom size="1"/><joint kind="particle" [type="free"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1 1 1" [type="box"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom [size="1"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" [mass="1"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" [density="1"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" [condim="3"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" condim="3" [friction="2"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" [contype="2"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><worldbody><composite type="particle" count="2 2 2"><geom size="1" [conaffinity="2"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/composite/geom",
        r#"<mujoco><compiler inertiagrouprange="2 3"/><worldbody><composite type="particle" count="2 2 2"><geom size="1" [group="2"]/></composite></worldbody></mujoco>"#,
    ),
    (
        "mujoco/contact/pair",
        r#"<mujoco>MASKED<contact><pair geom1="p" geom2="q" [friction="0.5 0.5"]/></contact></mujoco>"#,
    ),
    (
        "mujoco/contact/pair",
        r#"<mujoco>MASKED<contact><pair geom1="p" geom2="q" [condim="1"]/></contact></mujoco>"#,
    ),
    ("mujoco/default/joint", r#"<mujoco><default><joint [damping="3"]/></default>BODY</mujoco>"#),
    (
        "mujoco/default/geom",
        r#"<mujoco><default><geom [density="3"]/></default><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/default/mesh",
        r#"<mujoco><default><mesh [scale="1 2 3"]/></default><asset><mesh name="m" file="tet.obj"/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/default/mesh",
        r#"<mujoco><default><mesh [inertia="shell"]/></default><asset><mesh name="m" file="tet.obj"/></asset>MESH</mujoco>"#,
    ),
    (
        "mujoco/default/position",
        r#"<mujoco><default><position [kp="7"]/></default>BODY<actuator><position joint="j"/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [kp="7"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [kv="7"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [dampratio="1"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [gear="2"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [ctrlrange="1 2"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" ctrlrange="1 2" [ctrllimited="false"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco>BODY<actuator><position joint="j" [forcerange="-1 2"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/position",
        r#"<mujoco><option actuatorgroupdisable="2"/>BODY<actuator><position joint="j" [group="2"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/velocity",
        r#"<mujoco>BODY<actuator><velocity joint="j" [kv="7"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/intvelocity",
        r#"<mujoco>BODY<actuator><intvelocity joint="j" [kp="7"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/intvelocity",
        r#"<mujoco>BODY<actuator><intvelocity joint="j" [kv="7"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/intvelocity",
        r#"<mujoco>BODY<actuator><intvelocity joint="j" [dampratio="1"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/general",
        r#"<mujoco>BODY<actuator><general joint="j" biasprm="0 -3 0" [biastype="affine"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/general",
        r#"<mujoco>BODY<actuator><general joint="j" biastype="affine" [biasprm="0 -3 0"]/></actuator></mujoco>"#,
    ),
    (
        "mujoco/actuator/general",
        r#"<mujoco>BODY<actuator><general joint="j" biastype="affine" biasprm="0 -3 0" ctrlrange="1 2" [gainprm="4"]/></actuator></mujoco>"#,
    ),
];

const URDF_PLACES: Places = &[
    (
        "robot",
        r#"<robot name="r" @>%<link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>"#,
    ),
    ("robot/link", r#"<link name="c" @>%</link>"#),
    ("robot/link/collision", r#"<link name="c"><collision @>%</collision></link>"#),
    ("robot/link/inertial", r#"<link name="c"><inertial @>%</inertial></link>"#),
    (
        "robot/joint",
        r#"<link name="c"/><joint name="k" type="revolute" @><parent link="a"/><child link="c"/>%</joint>"#,
    ),
];

const URDF_USES: &[(&str, &str)] = &[
    ("robot", r#"<robot [name="n"]><link name="a"/></robot>"#),
    ("robot/link", r#"<robot><link name="a[b]"/></robot>"#),
    (
        "robot/joint",
        r#"<robot>LINKS<joint [name="n"] type="revolute"><parent link="a"/><child link="b"/></joint></robot>"#,
    ),
    (
        "robot/joint",
        r#"<robot>LINKS<joint name="n" [type="revolute"]><parent link="a"/><child link="b"/></joint></robot>"#,
    ),
    (
        "robot/joint/origin",
        r#"<robot>LINKS<joint name="n" type="revolute"><origin [xyz="1 2 3"]/><parent link="a"/><child link="b"/></joint></robot>"#,
    ),
    (
        "robot/joint/origin",
        r#"<robot>LINKS<joint name="n" type="revolute"><origin [rpy="1 2 3"]/><parent link="a"/><child link="b"/></joint></robot>"#,
    ),
    (
        "robot/joint/parent",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent [link="a"]/><child link="b"/></joint></robot>"#,
    ),
    (
        "robot/joint/child",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent link="a"/><child [link="b"]/></joint></robot>"#,
    ),
    (
        "robot/joint/axis",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent link="a"/><child link="b"/><axis [xyz="1 2 3"]/></joint></robot>"#,
    ),
    (
        "robot/joint/dynamics",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent link="a"/><child link="b"/><dynamics [damping="3"]/></joint></robot>"#,
    ),
    (
        "robot/joint/limit",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent link="a"/><child link="b"/><limit [lower="-3"]/></joint></robot>"#,
    ),
    (
        "robot/joint/limit",
        r#"<robot>LINKS<joint name="n" type="revolute"><parent link="a"/><child link="b"/><limit [upper="3"]/></joint></robot>"#,
    ),
    (
        "robot/link/inertial/origin",
        r#"<robot><link name="a"><inertial><origin [xyz="1 2 3"]/><mass value="1"/><inertia ixx="2" iyy="3" izz="4"/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/origin",
        r#"<robot><link name="a"><inertial><origin [rpy="1 2 3"]/><mass value="1"/><inertia ixx="2" iyy="3" izz="4"/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/mass",
        r#"<robot><link name="a"><inertial><mass [value="1"]/><inertia ixx="2" iyy="3" izz="4"/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia [ixx="2"] iyy="3" izz="4"/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia ixx="2" [iyy="3"] izz="4"/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia ixx="2" iyy="3" [izz="4"]/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia ixx="2" iyy="3" izz="4" [ixy=".1"]/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia ixx="2" iyy="3" izz="4" [ixz=".1"]/></inertial></link></robot>"#,
    ),
    (
        "robot/link/inertial/inertia",
        r#"<robot><link name="a"><inertial><mass value="1"/><inertia ixx="2" iyy="3" izz="4" [iyz=".1"]/></inertial></link></robot>"#,
    ),
    (
        "robot/link/collision/origin",
        r#"<robot><link name="a"><collision><origin [xyz="1 2 3"]/><geometry><box size="1 2 3"/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/origin",
        r#"<robot><link name="a"><collision><origin [rpy="1 2 3"]/><geometry><box size="1 2 3"/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/box",
        r#"<robot><link name="a"><collision><geometry><box [size="1 2 3"]/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/cylinder",
        r#"<robot><link name="a"><collision><geometry><cylinder [radius="1"] length="2"/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/cylinder",
        r#"<robot><link name="a"><collision><geometry><cylinder radius="1" [length="2"]/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/sphere",
        r#"<robot><link name="a"><collision><geometry><sphere [radius="1"]/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/mesh",
        r#"<robot><link name="a"><collision><geometry><mesh [filename="tet.obj"]/></geometry></collision></link></robot>"#,
    ),
    (
        "robot/link/collision/geometry/mesh",
        r#"<robot><link name="a"><collision><geometry><mesh filename="tet.obj" [scale="1 2 3"]/></geometry></collision></link></robot>"#,
    ),
];

/// The attributes of a frame.
const FRAME: [&str; 6] = [
    r#"pos="1 2 3""#,
    r#"quat="1 2 3 4""#,
    r#"axisangle="1 2 3 4""#,
    r#"xyaxes="1 2 3 4 5 7""#,
    r#"zaxis="1 2 3""#,
    r#"euler="1 2 3""#,
];
/// What has a frame.
const FRAMED: &[(&str, &str)] = &[
    ("mujoco/(world)body", r#"<mujoco><worldbody><body FRAME><geom size="1"/></body></worldbody></mujoco>"#),
    (
        "mujoco/(world)body/inertial",
        r#"<mujoco><worldbody><body><freejoint/><inertial FRAME mass="1" diaginertia="2 3 4"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/frame",
        r#"<mujoco><worldbody><frame FRAME><geom size="1"/></frame></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/geom",
        r#"<mujoco><worldbody><body><freejoint/><geom FRAME type="box" size="1 2 3"/></body></worldbody></mujoco>"#,
    ),
    (
        "mujoco/(world)body/flexcomp",
        r#"<mujoco><worldbody><body><geom size="1"/><flexcomp rigid="true" type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" dim="3" FRAME></flexcomp></body></worldbody></mujoco>"#,
    ),
];

const PIECES: &[(&str, &str)] = &[
    (
        "BODY",
        r#"<worldbody><geom size="1"/><body name="a"><joint name="i"/><geom size="0.2" group="2"/><body name="b" euler="10 20 30">
        <joint name="j" range="-1 2" stiffness="2" damping="3"/><geom type="box" size="1 2 3"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body></body></worldbody>"#,
    ),
    ("MESH", r#"<worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>"#),
    (
        "CLASS",
        r#"<default><geom size="1"/><default class="k"><geom size="2"/><joint damping="7"/></default></default>"#,
    ),
    (
        "PAIR",
        r#"<worldbody><body name="p"><freejoint/><geom size="1"/></body><body name="q"><freejoint/><geom size="1"/></body></worldbody>"#,
    ),
    (
        "MASKED",
        r#"<worldbody><body name="p"><freejoint/><geom name="p" size="1" contype="0" conaffinity="0"/></body>
        <body name="q"><freejoint/><geom name="q" size="1" contype="0" conaffinity="0"/></body></worldbody>"#,
    ),
    (
        "FIELD",
        r#"<worldbody><geom type="hfield" hfield="h"/><body><freejoint/><geom size="1"/></body></worldbody>"#,
    ),
    ("ROD", r#"<geom type="capsule" size="1"/>"#),
    ("LINKS", r#"<link name="a"/><link name="b"/>"#),
    ("SAME", ""),
];

/// Identifiers, which other elements refer to, and content that the scene does not depend on while nothing refers to it.
fn is_a_name(path: &str, attribute: &str) -> bool {
    attribute == "name"
        || attribute == "class"
        || (attribute == "joint" || attribute == "jointinparent") && path.contains("/actuator/")
        || path == "mujoco/asset/model"
        // Another value than the default is refused.
        || path == "mujoco/compiler" && attribute == "coordinate"
}

fn uses(name: &str, cases: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut used = Vec::new();
    for (path, case) in cases {
        let mut case = (*case).to_owned();
        for (piece, text) in PIECES {
            case = case.replace(piece, text);
        }
        let (start, rest) = case.split_once('[').unwrap();
        let (part, end) = rest.split_once(']').unwrap();
        let with = read(name, format!("{start}{part}{end}")).map_err(|error| error.to_string());
        let without = read(name, format!("{start}{end}")).map_err(|error| error.to_string());
        let with = with.unwrap_or_else(|error| panic!("{case}: {error}"));
        let told = |why: &str| why.contains("not understood");
        assert!(!with.dropped.iter().any(|entry| told(&entry.why)), "{case}: {:?}", with.dropped);
        assert!(without != Ok(with), "{part} of {path} changes nothing: {case}");
        used.push(((*path).to_owned(), part.split('=').next().unwrap().to_owned()));
    }
    used
}

/// Returns the keys of a list that are neither used nor listed as left out.
fn strangers(name: &str, list: &str, places: Places, used: &[(String, String)]) -> String {
    let mut strange = String::new();
    for line in list.lines() {
        let mut words = line.split(' ');
        let path = words.next().unwrap();
        let attributes = words.filter(|attribute| !is_a_name(path, attribute));
        let keys = std::iter::once(None).chain(attributes.map(Some));
        for attribute in keys {
            let key = |attribute: &str| (path.to_owned(), attribute.to_owned());
            // Defaults are looked up like the attributes of the elements themselves.
            let stands_for = path.strip_prefix("mujoco/default").unwrap_or(path);
            let is_used = match attribute {
                Some(attribute) if stands_for != path => {
                    used.iter().any(|(path, used)| path.ends_with(stands_for) && used == attribute)
                }
                Some(attribute) => used.contains(&key(attribute)),
                None => used.iter().any(|(used, _)| used == path),
            };
            if is_used {
                continue;
            }
            let text = document(path, attribute, places);
            let told = match read(name, text.clone()) {
                Ok(imported) => imported.dropped,
                Err(error) => {
                    writeln!(strange, "{path} {attribute:?}: {error} in {text}").unwrap();
                    continue;
                }
            };
            let unknown = told.iter().find(|entry| entry.why.contains("not understood"));
            let element = path.rsplit('/').next().unwrap();
            let is_told = attribute.is_none_or(|attribute| {
                let parents = path.split('/').skip(1);
                let mut elements = parents.map(|element| format!("<{}>", element.replace("(world)", "")));
                told.iter()
                    .any(|entry| entry.what == format!("<{} {attribute}>", element.replace("(world)", "")))
                    || elements.any(|element| told.iter().any(|entry| entry.what.starts_with(&element)))
            });
            if let Some(unknown) = unknown {
                writeln!(strange, "{path} {attribute:?}: {unknown}").unwrap();
            } else if !is_told {
                writeln!(strange, "{path} {attribute:?}: neither used nor told in {text}").unwrap();
            }
        }
    }
    strange
}

/// A file with the element at `path`, with the attribute.
fn document(path: &str, attribute: Option<&str>, places: Places) -> String {
    let (base, root) = places[0];
    let attribute = attribute.map_or_else(String::new, |attribute| format!("{attribute}=\"1 2 3\""));
    if path == base {
        return root.replace('@', &attribute).replace('%', "");
    }
    let fixed =
        places[1..].iter().rev().find(|(place, _)| path == *place || path.starts_with(&format!("{place}/")));
    let (place, text) = fixed.copied().unwrap_or((base, "%"));
    let rest: Vec<&str> =
        path.strip_prefix(place).unwrap().split('/').filter(|name| !name.is_empty()).collect();
    let inner = rest.iter().rev().enumerate().fold(String::new(), |inner, (i, name)| {
        let name = if *name == "(world)body" { "body" } else { name };
        let own = if i == 0 { attribute.as_str() } else { "" };
        format!("<{name} {own}>{inner}</{name}>")
    });
    let own = if rest.is_empty() { attribute.as_str() } else { "" };
    let text = text.replace('@', own).replace('%', &inner);
    root.replace('@', "").replace('%', &text)
}

#[test]
fn every_key_of_mjcf_is_used_or_listed() {
    let framed = |(path, case): &(&'static str, &'static str)| {
        let (path, case) = (*path, *case);
        FRAME.map(|way| (path, case.replace("FRAME", &format!("[{way}]"))))
    };
    let framed: Vec<(&str, String)> = FRAMED.iter().flat_map(framed).collect();
    let framed: Vec<(&str, &str)> = framed.iter().map(|(path, case)| (*path, case.as_str())).collect();
    let used = uses("m.xml", &[MJCF_USES, &framed[..]].concat());
    let strange = strangers("m.xml", include_str!("../vocabulary/mjcf.txt"), MJCF_PLACES, &used);
    assert!(strange.is_empty(), "{} strangers:\n{strange}", strange.lines().count());
}

#[test]
fn every_key_of_urdf_is_used_or_listed() {
    let used = uses("m.urdf", URDF_USES);
    let strange = strangers("m.urdf", include_str!("../vocabulary/urdf.txt"), URDF_PLACES, &used);
    assert!(strange.is_empty(), "{} strangers:\n{strange}", strange.lines().count());
}

#[test]
fn a_key_in_no_list_is_found() {
    let text =
        r#"<mujoco><worldbody><body><geom size="1" colour="red"/><thing/></body></worldbody></mujoco>"#;
    let told = read("m.xml", text.into()).unwrap().dropped;
    assert_eq!(told.iter().filter(|entry| entry.why == "not understood").count(), 2, "{told:?}");
}
