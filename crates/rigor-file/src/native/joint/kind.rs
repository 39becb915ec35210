//! Translation of the kinds of joints.

use std::sync::Arc;

use super::super::super::at::At;
use super::super::super::document::{JointEntry, JointName, LengthEntry, SlideEntry, SwingEntry, TurnEntry};
use super::super::super::error::SceneError;
use rigor_scene::joint::{Drive, ForceLaw, ForceTable, Freedom, Goal, JointKind, MAX_TERMS, Range};

/// Returns the kind of the joint `entry`, written at `at`.
///
/// # Errors
/// Keys of another kind, a missing key, bounds in the wrong order, or numbers out of range.
pub(super) fn of(entry: &JointEntry, at: &At<'_>) -> Result<JointKind, SceneError> {
    refuse_foreign_keys(entry, at)?;
    let turn = || turn(entry.turn.as_ref(), &at.join("turn"));
    let slide = || slide(entry.slide.as_ref(), &at.join("slide"));
    Ok(match entry.kind {
        JointName::Fixed => JointKind::Fixed,
        JointName::Ball => JointKind::Ball {
            swing: swing(entry.swing.as_ref(), &at.join("swing"))?,
            twist: undriven(&turn()?, &at.join("turn"))?,
        },
        JointName::Hinge => JointKind::Hinge { turn: turn()? },
        JointName::Universal => JointKind::Universal,
        JointName::Prismatic => JointKind::Prismatic { slide: slide()? },
        JointName::Cylindrical => JointKind::Cylindrical { slide: slide()?, turn: turn()? },
        JointName::Distance => distance(entry, at)?,
        JointName::Gear => gear(entry, at)?,
    })
}

/// Rejects keys that the kind of the joint does not have.
fn refuse_foreign_keys(entry: &JointEntry, at: &At<'_>) -> Result<(), SceneError> {
    use JointName::{Ball, Cylindrical, Distance, Gear, Hinge, Prismatic, Universal};
    let distance: &[JointName] = &[Distance];
    let keys = [
        ("min", entry.min.is_some(), distance, "distance joints have"),
        ("max", entry.max.is_some(), distance, "distance joints have"),
        ("to", entry.to.is_some(), distance, "distance joints have"),
        ("length", entry.length.is_some(), distance, "distance joints have"),
        (
            "turn",
            entry.turn.is_some(),
            &[Hinge, Cylindrical, Ball],
            "hinge, cylindrical and ball joints have",
        ),
        ("slide", entry.slide.is_some(), &[Prismatic, Cylindrical], "prismatic and cylindrical joints have"),
        ("swing", entry.swing.is_some(), &[Ball], "ball joints have"),
        ("second_axis", entry.second_axis.is_some(), &[Universal, Ball], "universal and ball joints have"),
        ("ratio", entry.ratio.is_some(), &[Gear], "gears have"),
    ];
    for (key, given, kinds, who) in keys {
        if given && !kinds.contains(&entry.kind) {
            return Err(at.join(key).error(format!("only {who} `{key}`")));
        }
    }
    Ok(())
}

fn distance(entry: &JointEntry, at: &At<'_>) -> Result<JointKind, SceneError> {
    let drive = entry.length.as_ref().map(|length| length_drive(length, &at.join("length"))).transpose()?;
    let max = match entry.max {
        Some(max) => at.join("max").non_negative(max)?,
        None if drive.is_some() => f64::INFINITY,
        None => return Err(at.error("a distance joint needs `max`, or a drive in `length`")),
    };
    let min = at.join("min").non_negative(entry.min.unwrap_or(0.0))?;
    in_order(min, max, "min", at)?;
    if drive.is_some() && min == max && (max == 0.0 || entry.compliance == 0.0) {
        let message =
            "a drive moves nothing where `min` = `max` holds the distance: leave `min` and `max` out";
        return Err(at.join("length").error(message));
    }
    Ok(JointKind::Distance { min, max, drive })
}

/// Returns the drive of a distance joint.
fn length_drive(entry: &LengthEntry, at: &At<'_>) -> Result<Drive, SceneError> {
    let keys = ("distance", "velocity");
    let distance = entry.distance.map(|x| at.join("distance").non_negative(x)).transpose()?;
    let goal = goal(distance, entry.velocity, keys, at)?;
    let effort = DriveStrength {
        compliance: entry.drive_compliance,
        stiffness: entry.drive_stiffness.as_deref(),
        table: ("drive_table", entry.drive_table.as_deref(), 1.0),
        damping: entry.drive_damping,
        max: ("max_force", entry.max_force),
        goals: keys,
    };
    let Some(drive) = effort.drive(goal, at)? else {
        return Err(at.error("a drive of a distance needs `distance` or `velocity`"));
    };
    if drive.law.is_rigid() && drive.damping > 0.0 {
        let message = "a rigid drive has no damping: give `drive_compliance`, `drive_stiffness` or `drive_table`, or `drive_stiffness = [0]` for a damper alone";
        return Err(at.join("drive_damping").error(message));
    }
    if drive.is_certain() && distance.is_some() {
        return Err(at.error("a rigid distance is `min` = `max`; a spring needs `drive_compliance`, `drive_stiffness` or `drive_table`"));
    }
    Ok(drive)
}

fn gear(entry: &JointEntry, at: &At<'_>) -> Result<JointKind, SceneError> {
    match entry.ratio {
        None => Err(at.error("a gear needs `ratio`")),
        Some(0.0) => Err(at.join("ratio").error("expected a number other than 0")),
        Some(ratio) => Ok(JointKind::Gear { ratio: at.join("ratio").within(ratio, -1e6, 1e6)? }),
    }
}

fn swing(entry: Option<&SwingEntry>, at: &At<'_>) -> Result<Range, SceneError> {
    let Some(entry) = entry else { return Ok(Range::UNBOUNDED) };
    let degrees = |key: &str, value| at.join(key).within(value, 0.0, 180.0);
    let min = degrees("min_deg", entry.min_deg)?;
    let max = entry.max_deg.map(|max| degrees("max_deg", max)).transpose()?;
    in_order(min, max.unwrap_or(180.0), "min_deg", at)?;
    Ok(Range {
        min: if min == 0.0 { f64::NEG_INFINITY } else { min.to_radians() },
        max: max.map_or(f64::INFINITY, f64::to_radians),
        compliance: at.join("compliance").non_negative(entry.compliance)?,
    })
}

fn turn(entry: Option<&TurnEntry>, at: &At<'_>) -> Result<Freedom, SceneError> {
    let Some(entry) = entry else { return Ok(Freedom::FREE) };
    let (min, max) = (entry.min_deg, entry.max_deg);
    in_order(min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY), "min_deg", at)?;
    let goal = goal(
        entry.angle_deg.map(f64::to_radians),
        entry.velocity_deg.map(f64::to_radians),
        ("angle_deg", "velocity_deg"),
        at,
    )?;
    let effort = DriveStrength {
        compliance: entry.drive_compliance,
        stiffness: entry.drive_stiffness.as_deref(),
        table: ("drive_table_deg", entry.drive_table_deg.as_deref(), 1.0_f64.to_radians()),
        damping: entry.drive_damping,
        max: ("max_torque", entry.max_torque),
        goals: ("angle_deg", "velocity_deg"),
    };
    Ok(Freedom {
        range: Range {
            min: min.map_or(f64::NEG_INFINITY, f64::to_radians),
            max: max.map_or(f64::INFINITY, f64::to_radians),
            compliance: at.join("compliance").non_negative(entry.compliance)?,
        },
        drive: effort.drive(goal, at)?,
    })
}

fn slide(entry: Option<&SlideEntry>, at: &At<'_>) -> Result<Freedom, SceneError> {
    let Some(entry) = entry else { return Ok(Freedom::FREE) };
    let (min, max) = (entry.min.unwrap_or(f64::NEG_INFINITY), entry.max.unwrap_or(f64::INFINITY));
    in_order(min, max, "min", at)?;
    let goal = goal(entry.position, entry.velocity, ("position", "velocity"), at)?;
    let effort = DriveStrength {
        compliance: entry.drive_compliance,
        stiffness: entry.drive_stiffness.as_deref(),
        table: ("drive_table", entry.drive_table.as_deref(), 1.0),
        damping: entry.drive_damping,
        max: ("max_force", entry.max_force),
        goals: ("position", "velocity"),
    };
    Ok(Freedom {
        range: Range { min, max, compliance: at.join("compliance").non_negative(entry.compliance)? },
        drive: effort.drive(goal, at)?,
    })
}

fn undriven(turn: &Freedom, at: &At<'_>) -> Result<Range, SceneError> {
    match &turn.drive {
        None => Ok(turn.range),
        Some(_) => Err(at.error("a ball joint has no drive")),
    }
}

fn in_order(min: f64, max: f64, key: &str, at: &At<'_>) -> Result<(), SceneError> {
    if min <= max {
        return Ok(());
    }
    Err(at.join(key).error(format!("expected at most the upper bound {max:?}, found {min:?}")))
}

/// Returns the goal of a drive from a position or a velocity, written under `keys`.
fn goal(
    position: Option<f64>,
    velocity: Option<f64>,
    keys: (&str, &str),
    at: &At<'_>,
) -> Result<Option<Goal>, SceneError> {
    match (position, velocity) {
        (Some(_), Some(_)) => {
            Err(at.join(keys.1).error(format!("expected either `{}` or `{}`", keys.0, keys.1)))
        }
        (position, velocity) => Ok(position.map(Goal::Position).or(velocity.map(Goal::Velocity))),
    }
}

/// The strength of a drive, as written.
struct DriveStrength<'a> {
    compliance: f64,
    stiffness: Option<&'a [f64]>,
    /// Its key, its points, and the unit of their deviations (m or rad).
    table: (&'a str, Option<&'a [[f64; 2]]>, f64),
    damping: f64,
    max: (&'a str, Option<f64>),
    /// The keys of its goals.
    goals: (&'a str, &'a str),
}

impl DriveStrength<'_> {
    fn drive(&self, goal: Option<Goal>, at: &At<'_>) -> Result<Option<Drive>, SceneError> {
        let (key, max) = self.max;
        let Some(goal) = goal else {
            let idle = [
                ("drive_compliance", self.compliance != 0.0),
                ("drive_stiffness", self.stiffness.is_some()),
                (self.table.0, self.table.1.is_some()),
                ("drive_damping", self.damping != 0.0),
                (key, max.is_some()),
            ];
            return match idle.iter().find(|(_, given)| *given) {
                Some((key, _)) => {
                    let (fixed, moving) = self.goals;
                    Err(at
                        .join(*key)
                        .error(format!("`{key}` requires a drive: give `{fixed}` or `{moving}`")))
                }
                None => Ok(None),
            };
        };
        Ok(Some(Drive {
            goal,
            law: self.law(at)?,
            damping: at.join("drive_damping").non_negative(self.damping)?,
            max_effort: max.map_or(Ok(f64::INFINITY), |max| at.join(key).non_negative(max))?,
        }))
    }

    /// The force law, of which at most one way to say it may be given.
    fn law(&self, at: &At<'_>) -> Result<ForceLaw, SceneError> {
        let (key, table, unit) = self.table;
        let given = [
            ("drive_compliance", self.compliance != 0.0),
            ("drive_stiffness", self.stiffness.is_some()),
            (key, table.is_some()),
        ];
        let mut given = given.iter().filter(|(_, given)| *given);
        if let (Some((first, _)), Some((second, _))) = (given.next(), given.next()) {
            return Err(at.join(*second).error(format!("expected either `{first}` or `{second}`")));
        }
        match (self.stiffness, table) {
            (Some(coefficients), _) => polynomial(coefficients, &at.join("drive_stiffness")),
            (None, Some(points)) => force_table(points, unit, &at.join(key)),
            (None, None) => {
                let compliance = at.join("drive_compliance").non_negative(self.compliance)?;
                Ok(ForceLaw::Linear { compliance })
            }
        }
    }
}

fn polynomial(coefficients: &[f64], at: &At<'_>) -> Result<ForceLaw, SceneError> {
    if !(1..=MAX_TERMS).contains(&coefficients.len()) {
        let n_terms = coefficients.len();
        return Err(at.error(format!("expected 1 to {MAX_TERMS} coefficients, found {n_terms}")));
    }
    for (i, k) in coefficients.iter().enumerate() {
        if *k < 0.0 {
            let message = format!(
                "expected 0 or a positive number, found {k:?}: a negative stiffness pushes away from the target; a spring that softens is a table"
            );
            return Err(at.join(i).error(message));
        }
        at.join(i).non_negative(*k)?;
    }
    Ok(ForceLaw::polynomial(coefficients))
}

fn force_table(points: &[[f64; 2]], unit: f64, at: &At<'_>) -> Result<ForceLaw, SceneError> {
    let points = points.iter().map(|[c, force]| [c * unit, *force]).collect();
    match ForceTable::new(points) {
        Ok(table) => Ok(ForceLaw::Table(Arc::new(table))),
        Err(error) => {
            let at = error.index().map_or_else(|| at.clone(), |index| at.join(index));
            Err(at.error(error.to_string()))
        }
    }
}
