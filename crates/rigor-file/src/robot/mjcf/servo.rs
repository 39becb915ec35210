//! Actuators that pull without a command.

use std::collections::BTreeMap;

use super::super::account::RULE;
use super::super::xml::Element;
use super::default::Defaults;
use crate::error::SceneError;

/// What the actuators of a joint do at the control 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Servo {
    /// Force per coordinate towards 0 (N/m or N m/rad).
    pub stiffness: f64,
    /// Force per velocity (N s/m or N m s/rad).
    pub damping: f64,
    /// Force (N or N m) at the coordinate 0.
    pub bias: f64,
}

/// Returns the servos, by joint. With the transmission ratio g of `gear`, an actuator of length g q and force f acts on the joint
/// with g f:
///
/// | element | force on the joint at the control 0 |
/// | --- | --- |
/// | `position` | −g² (kp q + kv q̇) |
/// | `velocity`, `intvelocity` | −g² kv q̇, and −g² kp q |
/// | `general` with an affine bias b | g b₀ + g² (b₁ q + b₂ q̇) |
///
/// Source: MuJoCo, XML reference, `actuator`.
///
/// # Errors
/// A number is invalid.
pub fn of_joints<'a>(
    root: &Element<'a>,
    defaults: &Defaults<'a>,
) -> Result<BTreeMap<String, Servo>, SceneError> {
    let mut servos = BTreeMap::<String, Servo>::new();
    let known = ["position", "velocity", "intvelocity", "general"];
    let all = root.all("actuator").flat_map(|actuators| actuators.children());
    for actuator in all.filter(|actuator| known.contains(&actuator.name())) {
        let Some(joint) = actuator.text("joint").or_else(|| actuator.text("jointinparent")) else { continue };
        let actuator = actuator.read();
        let number = |name: &str, or: f64| defaults.number(&actuator, "main", name, or);
        let own = match actuator.name() {
            "position" | "intvelocity" => {
                if defaults.text(&actuator, "main", "dampratio").is_some() {
                    let what = format!("<{} dampratio>", actuator.name());
                    actuator.drop(what, "damping by a ratio is not supported: there is none");
                }
                Servo { stiffness: number("kp", 1.0)?, damping: number("kv", 0.0)?, bias: 0.0 }
            }
            "velocity" => Servo { damping: number("kv", 1.0)?, ..Servo::default() },
            _ if defaults.text(&actuator, "main", "biastype") == Some("affine") => {
                let bias = defaults.numbers(&actuator, "main", "biasprm")?.unwrap_or_default();
                let part = |i: usize| bias.get(i).copied().unwrap_or(0.0);
                Servo { bias: part(0), stiffness: -part(1), damping: -part(2) }
            }
            _ => {
                actuator.drop(format!("<{}>", actuator.name()), super::super::account::NO_COMMAND);
                continue;
            }
        };
        let gear = defaults.numbers(&actuator, "main", "gear")?.and_then(|gear| gear.first().copied());
        let gear = gear.unwrap_or(1.0);
        if own.stiffness < 0.0 || own.damping < 0.0 {
            actuator.drop(format!("<{}>", actuator.name()), "it pushes away from its goal: it is left out");
            continue;
        }
        if let Some(limit) = defaults.text(&actuator, "main", "forcerange") {
            let what = format!("<{} forcerange=\"{limit}\">", actuator.name());
            actuator.drop(what, "the pull of the spring that stands for it is not bounded");
        }
        actuator.drop(
            format!("<{}>", actuator.name()),
            format!("{RULE}a spring and a damper that hold the control 0"),
        );
        let sum = servos.entry(joint.to_owned()).or_default();
        sum.stiffness += gear * gear * own.stiffness;
        sum.damping += gear * gear * own.damping;
        sum.bias += gear * own.bias;
    }
    Ok(servos)
}
