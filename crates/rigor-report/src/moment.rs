//! The moments of a run at which one should look.

use rigor_audit::Finding;

use crate::comparison::{MethodRow, SceneSection};
use crate::figure::{NO_GAIN, SLIGHT_DEPTH, SLIGHT_GAIN};
use crate::mark::Mark;
use crate::number::quantity;

/// A moment of a run, with what happens then.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// What happens, in a few words.
    pub what: String,
    /// When (s).
    pub time: f64,
    /// Names of the bodies that it happens to.
    pub bodies: Vec<String>,
    /// How bad it is.
    pub mark: Mark,
}

/// Between the names of two bodies in the detail of a finding.
const BETWEEN: &str = " – ";

/// Returns the moments of a row: violations in the order of time, then the smallest distance.
pub fn moments(section: &SceneSection, row: &MethodRow) -> Vec<Moment> {
    let slight = SLIGHT_DEPTH * section.size;
    let scale = row.value("energy.scale").unwrap_or(f64::INFINITY);
    let depth = row.value("penetration.deepest").unwrap_or(f64::INFINITY);
    let by_depth = if depth > slight { Mark::Bad } else { Mark::Slight };
    let gain_mark = |gain: f64| match gain / scale {
        part if section.is_driven || part <= NO_GAIN => None,
        part if part <= SLIGHT_GAIN => Some(Mark::Slight),
        _ => Some(Mark::Bad),
    };
    let positive = |mark: Mark| move |value: f64| (value > 0.0).then_some(mark);
    let told = |name: &str, what: &str, mark: &dyn Fn(f64) -> Option<Mark>| {
        let finding = row.finding(name)?;
        moment(section, finding, what, mark(finding.value)?)
    };
    let mut all: Vec<Moment> = [
        told("intersection.first_time", "first intersection", &|_| Some(by_depth)),
        told("penetration.deepest", "deepest penetration", &positive(by_depth)),
        told("tunnelling.centre_crossings", "first tunnelling", &positive(Mark::Bad)),
        told("tunnelling.passes", "first passage", &positive(Mark::Bad)),
        told("energy.gain_max", "highest energy", &gain_mark),
    ]
    .into_iter()
    .flatten()
    .collect();
    all.extend(row.departure.as_ref().map(|gone| Moment {
        what: gone.to_string(),
        time: gone.time,
        bodies: vec![gone.first.clone()],
        mark: Mark::Slight,
    }));
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    all.extend(told("distance.smallest", "smallest distance", &|_| Some(Mark::Plain)));
    all
}

/// The first of the worst moments; `None` if nothing is wrong.
pub fn worst(all: &[Moment]) -> Option<usize> {
    let worst = all.iter().map(|moment| moment.mark).max().filter(|mark| *mark >= Mark::Slight)?;
    all.iter().position(|moment| moment.mark == worst)
}

fn moment(section: &SceneSection, finding: &Finding, what: &str, mark: Mark) -> Option<Moment> {
    let at = finding.at?;
    let names = finding.detail.split(BETWEEN).filter(|name| section.bodies.iter().any(|body| body == name));
    let value = match finding.unit {
        "1" | "s" => String::new(),
        unit => format!(", {}", quantity(finding.value, unit)),
    };
    let bodies = names.map(str::to_owned).collect();
    Some(Moment { what: format!("{what}{value}"), time: at.time, bodies, mark })
}
