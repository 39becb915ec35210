//! Actuators that pull without a command.

use std::collections::{BTreeMap, BTreeSet};

use super::super::account::{NO_COMMAND, RULE};
use super::super::xml::Element;
use super::default::Defaults;
use super::pose::Compiler;
use crate::error::SceneError;

/// What the actuators of a joint do without a command.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Servo {
    /// Force per coordinate towards 0 (N/m or N m/rad).
    pub stiffness: f64,
    /// Force per velocity (N s/m or N m s/rad).
    pub damping: f64,
    /// Force (N or N m) at the coordinate 0.
    pub bias: f64,
}

impl Servo {
    /// Both together.
    pub fn and(self, other: &Self) -> Self {
        Self {
            stiffness: self.stiffness + other.stiffness,
            damping: self.damping + other.damping,
            bias: self.bias + other.bias,
        }
    }
}

/// What one actuator does to its joint.
#[derive(Debug, Clone, Copy)]
pub struct Pull {
    pub pull: Servo,
    /// Ratio of its damping, stiffness and gear, if it has one.
    pub ratio: Option<[f64; 3]>,
}

/// The actuators of each joint.
pub type Actuators = BTreeMap<String, Vec<Pull>>;

/// Which actuators act, and with which controls.
#[derive(Debug, Clone, Default)]
pub struct Control {
    pub is_off: bool,
    pub groups_off: BTreeSet<i64>,
    /// Controls of the first actuators; the others have 0, or the nearest that they may have.
    pub given: Vec<f64>,
}

/// Returns the servos, by joint. With the transmission ratio g of `gear`, an actuator of length g q and force f acts on the joint
/// with g f. With the control c, which is 0 or the nearest that `ctrlrange` allows:
///
/// | element | force on the joint |
/// | --- | --- |
/// | `position` | g kp c − g² (kp q + kv q̇) |
/// | `intvelocity` | −g² (kp q + kv q̇) |
/// | `velocity` | g kv c − g² kv q̇ |
/// | `general` of gain k and affine bias b | g (k c + b₀) + g² (b₁ q + b₂ q̇) |
///
/// A default of `general` is one of the others too, and their `gear` and ranges are those of each other.
///
/// Source: MuJoCo, XML reference, `actuator`.
///
/// # Errors
/// A number is invalid.
pub fn of_joints<'a>(
    root: &Element<'a>,
    compiler: &Compiler,
    defaults: &Defaults<'a>,
    controls: &Control,
) -> Result<Actuators, SceneError> {
    let mut servos = Actuators::new();
    let all = root.all("actuator").flat_map(|actuators| actuators.children()).enumerate();
    for (i, element) in all.filter(|(_, element)| KINDS.contains(&element.name())) {
        let actuator = Actuator { element: element.read(), defaults };
        let what = format!("<{}>", element.name());
        let group =
            actuator.numbers(actuator.any("group"), "group")?.first().map_or(0, |group| *group as i64);
        if controls.is_off || controls.groups_off.contains(&group) {
            element.drop(what, format!("{RULE}the file switches it off"));
            continue;
        }
        let control = actuator.control(compiler, controls.given.get(i).copied().unwrap_or(0.0))?;
        let (gain, own, ratio) = actuator.law()?;
        let pull = Servo { bias: own.bias + gain * control, ..own };
        let Some(joint) = element.text("joint").or_else(|| element.text("jointinparent")) else {
            if pull != Servo::default() {
                element.drop(what, "its pull without a command is simulated on joints only");
            }
            continue;
        };
        if pull == Servo::default() {
            element.drop(what, NO_COMMAND);
            continue;
        }
        if own.stiffness < 0.0 || own.damping < 0.0 {
            element.drop(what, "it pushes away from its goal: it is left out");
            continue;
        }
        if let Some(limit) = actuator.any("forcerange") {
            let what = format!("<{} forcerange=\"{limit}\">", element.name());
            element.drop(what, "the pull of the spring that stands for it is not bounded");
        }
        let held = match (control == 0.0, controls.given.is_empty()) {
            (true, _) => "0".to_owned(),
            (false, true) => format!("{control}, the nearest to 0"),
            (false, false) => format!("{control} of the key"),
        };
        element.drop(what, format!("{RULE}a spring and a damper that hold the control {held}"));
        let gear = actuator.numbers(actuator.any("gear"), "gear")?.first().copied().unwrap_or(1.0);
        let pull = Servo {
            stiffness: gear * gear * own.stiffness,
            damping: gear * gear * own.damping,
            bias: gear * pull.bias,
        };
        let ratio = ratio.map(|zeta| [zeta, own.stiffness, gear]);
        servos.entry(joint.to_owned()).or_default().push(Pull { pull, ratio });
    }
    Ok(servos)
}

/// The elements that pull without a command, or may.
const KINDS: [&str; 5] = ["general", "position", "velocity", "intvelocity", "motor"];

/// An element of `actuator`, and its defaults.
struct Actuator<'a, 'd> {
    element: Element<'a>,
    defaults: &'d Defaults<'a>,
}

impl<'a> Actuator<'a, '_> {
    /// The text of an attribute that all kinds share.
    fn any(&self, name: &'static str) -> Option<&'a str> {
        self.text(name, &KINDS.map(|kind| (kind, name)))
    }

    /// The text of the attribute `name`, else of the first of these attributes of defaults, each with its kind.
    fn text(&self, name: &str, defaults: &[(&str, &str)]) -> Option<&'a str> {
        self.element.text(name).or_else(|| self.defaults.first_of(&self.element, defaults))
    }

    fn numbers(&self, text: Option<&str>, name: &str) -> Result<Vec<f64>, SceneError> {
        text.map_or(Ok(Vec::new()), |text| self.element.numbers_in(name, text))
    }

    /// Returns the control that is nearest to the wanted one.
    fn control(&self, compiler: &Compiler, wanted: f64) -> Result<f64, SceneError> {
        let range = self.numbers(self.any("ctrlrange"), "ctrlrange")?;
        let is_limited = match self.any("ctrllimited") {
            Some("true") => true,
            Some("false") => false,
            _ => compiler.auto_limits,
        };
        Ok(match range.as_slice() {
            [lower, upper] if is_limited && lower <= upper => wanted.clamp(*lower, *upper),
            _ => wanted,
        })
    }

    /// Returns the force per control, the pull at the control 0 of an actuator with the gear 1, and the ratio of its damping.
    fn law(&self) -> Result<(f64, Servo, Option<f64>), SceneError> {
        let kind = self.element.name();
        // Only `general` asks for it: the others have the bias of their law.
        let biastype = self.text("biastype", &[("general", "biastype")]);
        let first = |name: &'static str, or: f64| -> Result<f64, SceneError> {
            let text = self.text(name, &[(kind, name), ("general", "gainprm")]);
            Ok(self.numbers(text, name)?.first().copied().unwrap_or(or))
        };
        if matches!(kind, "position" | "intvelocity") {
            let ratio = self.numbers(self.text("dampratio", &[(kind, "dampratio")]), "dampratio")?;
            let ratio = ratio.first().copied().filter(|ratio| *ratio > 0.0);
            let stiffness = first("kp", 1.0)?;
            let own = self.numbers(self.text("kv", &[(kind, "kv")]), "kv")?.first().copied();
            let damping = match own {
                Some(damping) => damping,
                None => -self.part(self.defaults.first_of(&self.element, &[("general", "biasprm")]), 2)?,
            };
            let gain = if kind == "position" { stiffness } else { 0.0 };
            return Ok((gain, Servo { stiffness, damping, bias: 0.0 }, ratio));
        }
        if kind == "velocity" {
            let damping = first("kv", 1.0)?;
            return Ok((damping, Servo { damping, ..Servo::default() }, None));
        }
        if kind == "motor" {
            return Ok((1.0, Servo::default(), None));
        }
        let gain = self.text("gainprm", &[("general", "gainprm"), ("position", "kp"), ("velocity", "kv")]);
        let gain = self.numbers(gain, "gainprm")?.first().copied().unwrap_or(1.0);
        let bias = self.text("biasprm", &[("general", "biasprm")]).filter(|_| biastype == Some("affine"));
        let part = |i: usize| self.part(bias, i);
        Ok((gain, Servo { bias: part(0)?, stiffness: -part(1)?, damping: -part(2)? }, None))
    }

    fn part(&self, numbers: Option<&str>, i: usize) -> Result<f64, SceneError> {
        Ok(self.numbers(numbers, "biasprm")?.get(i).copied().unwrap_or(0.0))
    }
}
