//! The columns of the summary: content of a cell, its unit and its mark.

use rigor_audit::{Finding, Verdict};

use crate::comparison::{Ending, MethodRow, SceneSection};
use crate::mark::Mark;
use crate::number::{count, quantity, significant};

/// Penetration up to this fraction of the smallest moving body's size is slight.
pub const SLIGHT_DEPTH: f64 = 1e-3;
/// Energy gain up to this fraction of the energy scale counts as rounding.
pub const NO_GAIN: f64 = 1e-6;
/// Energy gain up to this fraction of the energy scale is slight.
pub const SLIGHT_GAIN: f64 = 1e-2;

/// The complaint about a run that stopped.
const UNFINISHED: &str = "did not finish";

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The number or word, without its unit.
    pub text: String,
    /// The mark.
    pub mark: Mark,
    /// Details, such as time and bodies.
    pub detail: String,
    /// Sort key of the column.
    pub order: f64,
}

/// A column of the summary.
#[derive(Clone, Copy)]
pub struct Column {
    /// The heading.
    pub heading: &'static str,
    /// Unit of the numbers; empty if they have none.
    pub unit: &'static str,
    /// The meaning, and how it is judged.
    pub meaning: &'static str,
    /// The mistake that a bad mark stands for, in a word; empty if the column is never bad.
    pub complaint: &'static str,
    /// Computes the cell of a row.
    pub cell: fn(&SceneSection, &MethodRow) -> Cell,
}

/// All columns.
pub const COLUMNS: [Column; 10] = [
    Column {
        heading: "Outcome",
        unit: "",
        meaning: "whether every step was taken, or why not; ≈ if bodies left the scene",
        complaint: UNFINISHED,
        cell: |_, row| outcome(row),
    },
    Column {
        heading: "Frames with intersections",
        unit: "",
        meaning: "examined frames in which surfaces cross or one body is inside another, by an exact test; ≈ if the penetration \
                  is slight",
        complaint: "intersections",
        cell: intersections,
    },
    Column {
        heading: "Deepest penetration",
        unit: "mm",
        meaning: "greatest depth found of one body inside another; ≈ up to a thousandth of the smallest moving body, ✗ above",
        complaint: "penetration",
        cell: penetration,
    },
    Column {
        heading: "Tunnelled",
        unit: "",
        meaning: "how often a body passed through another between frames, and in how many of these cases that is proven",
        complaint: "tunnelling",
        cell: |_, row| tunnelling(row),
    },
    Column {
        heading: "Energy gain",
        unit: "%",
        meaning: "energy.rise_relative: largest rise of the total energy above an earlier frame, relative to energy.scale; ✓ up to 10⁻⁴ %, ≈ up to 1 %, ✗ \
                  above; not judged where moving bodies, torques or drives do work",
        complaint: "energy gain",
        cell: energy_gain,
    },
    Column {
        heading: "Energy at the end",
        unit: "%",
        meaning: "change of the total energy from start to end, relative to energy.scale; friction and impacts decrease it",
        complaint: "",
        cell: |_, row| energy_change(row),
    },
    Column {
        heading: "Time per step",
        unit: "ms",
        meaning: "mean wall time of a step",
        complaint: "",
        cell: |_, row| time_per_step(row),
    },
    Column {
        heading: "Contacts per step",
        unit: "",
        meaning: "mean number of contacts that the method reports",
        complaint: "",
        cell: |_, row| contacts(row),
    },
    Column {
        heading: "Flawed steps",
        unit: "",
        meaning: "steps that did not fail, but whose result the method reports as worse than it guarantees",
        complaint: "flawed steps",
        cell: |_, row| flawed_steps(row),
    },
    Column {
        heading: "Expectations held",
        unit: "",
        meaning: "how many of the scene's expectations of this method are met",
        complaint: "expectations",
        cell: |_, row| expectations(row),
    },
];

/// Returns the worst mark of a row and the complaints of its columns.
pub fn overall(section: &SceneSection, row: &MethodRow) -> (Mark, Vec<&'static str>) {
    if matches!(row.ending, Ending::Skipped { .. }) {
        return (Mark::Plain, vec!["skipped"]);
    }
    let cells = COLUMNS.iter().map(|column| (column, (column.cell)(section, row).mark));
    let judged: Vec<_> = cells.filter(|(column, _)| !column.complaint.is_empty()).collect();
    let worst = judged.iter().map(|(_, mark)| *mark).max().unwrap_or(Mark::Plain);
    let is_gone = row.ending == Ending::Completed && row.departure.is_some();
    // That bodies left is said even if something else is worse.
    let is_told = |column: &Column, mark: Mark| mark == worst || (is_gone && column.complaint == UNFINISHED);
    let complaints = judged.iter().filter(|(column, mark)| *mark >= Mark::Slight && is_told(column, *mark));
    let complaint = |column: &Column| match column.complaint {
        UNFINISHED if is_gone => "bodies left the scene",
        complaint => complaint,
    };
    (worst, complaints.map(|(column, _)| complaint(column)).collect())
}

fn cell(text: impl Into<String>, mark: Mark, order: f64) -> Cell {
    Cell { text: text.into(), mark, detail: String::new(), order }
}

fn missing(row: &MethodRow) -> Cell {
    let detail = if matches!(row.ending, Ending::Skipped { .. }) { "did not run" } else { "not measured" };
    Cell { detail: detail.into(), ..cell("–", Mark::Plain, f64::NEG_INFINITY) }
}

fn outcome(row: &MethodRow) -> Cell {
    let at = format!("after {} steps, at {}", count(row.steps), quantity(row.steps as f64 * row.dt, "s"));
    let (text, mark, detail) = match &row.ending {
        Ending::Completed => match &row.departure {
            None => ("completed".into(), Mark::Good, format!("{} steps", count(row.steps))),
            Some(gone) => {
                (format!("completed, but {gone}"), Mark::Slight, format!("{} steps", count(row.steps)))
            }
        },
        Ending::Stopped { why } => (format!("stopped {at}"), Mark::Bad, why.clone()),
        Ending::Skipped { why } => ("skipped".into(), Mark::Plain, why.clone()),
        Ending::Running => ("still running, or killed".into(), Mark::Slight, String::new()),
        Ending::Interrupted { why } => (format!("interrupted {at}"), Mark::Slight, why.clone()),
        Ending::Refused { why } => ("refused".into(), Mark::Plain, why.clone()),
        Ending::Failed { why } => ("failed".into(), Mark::Bad, why.clone()),
    };
    Cell { detail, ..cell(text, mark, f64::from(mark as u8)) }
}

/// Returns the mark of a depth (m).
fn depth_mark(section: &SceneSection, depth: f64) -> Mark {
    match depth {
        0.0 => Mark::Good,
        d if d <= SLIGHT_DEPTH * section.size => Mark::Slight,
        _ => Mark::Bad,
    }
}

fn intersections(section: &SceneSection, row: &MethodRow) -> Cell {
    let Some(frames) = row.finding("intersection.frames") else { return missing(row) };
    let depth = row.value("penetration.deepest").unwrap_or(f64::INFINITY);
    let mark = if frames.value == 0.0 { Mark::Good } else { depth_mark(section, depth).max(Mark::Slight) };
    let of = row.value("intersection.observed").map(|n| format!(" of {}", count(n as u64)));
    let text = format!("{}{}", count(frames.value as u64), of.unwrap_or_default());
    let pairs = row.value("intersection.pairs").filter(|n| *n > 0.0).map(|n| format!("{n} pairs of bodies"));
    let first = row.value("intersection.first_time").map(|t| format!("first at {}", quantity(t, "s")));
    let detail = pairs.into_iter().chain(first).collect::<Vec<_>>().join(", ");
    Cell { detail, ..cell(text, mark, frames.value) }
}

fn penetration(section: &SceneSection, row: &MethodRow) -> Cell {
    let Some(depth) = row.finding("penetration.deepest") else { return missing(row) };
    let mark = depth_mark(section, depth.value);
    let text = if depth.value == 0.0 { "none".into() } else { significant(1e3 * depth.value) };
    Cell { detail: place(depth), ..cell(text, mark, depth.value) }
}

fn tunnelling(row: &MethodRow) -> Cell {
    let (Some(crossings), Some(passes)) =
        (row.finding("tunnelling.centre_crossings"), row.finding("tunnelling.passes"))
    else {
        return missing(row);
    };
    let times = row.passes().unwrap_or(0);
    let unknown = row.finding("tunnelling.unknown_turns").filter(|finding| finding.value > 0.0);
    let undecided = row.finding("tunnelling.undecided").filter(|finding| finding.value > 0.0);
    let (text, mark) = match (unknown, undecided) {
        _ if times > 0 => (format!("yes, {times} ×"), Mark::Bad),
        (None, None) => ("no".to_owned(), Mark::Good),
        (turns, pairs) => {
            let turns = turns.map(|turns| format!(", {} turns unknown", turns.value));
            let pairs = pairs.map(|pairs| format!(", {} undecided", pairs.value));
            let told = turns.into_iter().chain(pairs).collect::<String>();
            (format!("none seen{told}"), Mark::Slight)
        }
    };
    let first = [crossings, passes].into_iter().find(|finding| finding.value > 0.0).map(place);
    let unlinked = row.value("tunnelling.unlinked").filter(|n| *n > 0.0).map(|n| format!("{n} proven"));
    let turns = unknown.map(|finding| format!("turn unknown: {}", place(finding)));
    let pairs = undecided.map(|finding| format!("undecided: {}", place(finding)));
    let told = first.into_iter().chain(unlinked).chain(turns).chain(pairs).filter(|part| !part.is_empty());
    let detail = told.collect::<Vec<_>>().join(", ");
    Cell { detail, ..cell(text, mark, times as f64) }
}

fn energy_gain(section: &SceneSection, row: &MethodRow) -> Cell {
    let (Some(gain), Some(scale)) = (row.finding("energy.rise_max"), row.value("energy.scale")) else {
        return missing(row);
    };
    let part = row.value("energy.rise_relative").unwrap_or(0.0);
    let mark = match part {
        _ if section.is_driven => Mark::Plain,
        p if p <= NO_GAIN => Mark::Good,
        p if p <= SLIGHT_GAIN => Mark::Slight,
        _ => Mark::Bad,
    };
    let text = if part <= 0.0 { "none".into() } else { significant(100.0 * part) };
    let detail = format!("{} of {}, {}", quantity(gain.value, "J"), quantity(scale, "J"), place(gain));
    Cell { detail, ..cell(text, mark, part) }
}

fn energy_change(row: &MethodRow) -> Cell {
    let Some(change) = row.value("energy.change_end") else { return missing(row) };
    let sign = if change > 0.0 { "+" } else { "" };
    let absolute = row.value("energy.end").zip(row.value("energy.start")).map(|(end, start)| end - start);
    let detail = absolute.map_or_else(String::new, |joule| quantity(joule, "J"));
    Cell { detail, ..cell(format!("{sign}{}", significant(100.0 * change)), Mark::Plain, change) }
}

fn time_per_step(row: &MethodRow) -> Cell {
    let Some(seconds) = row.seconds_per_step else { return missing(row) };
    let detail = format!("{} s of computing per simulated second", significant(seconds / row.dt));
    Cell { detail, ..cell(significant(1e3 * seconds), Mark::Plain, seconds) }
}

fn contacts(row: &MethodRow) -> Cell {
    let Some(mean) = row.contacts_mean else { return missing(row) };
    let most = row.value("contact.count_max").map(|most| format!("at most {}", count(most as u64)));
    Cell { detail: most.unwrap_or_default(), ..cell(significant(mean), Mark::Plain, mean) }
}

fn flawed_steps(row: &MethodRow) -> Cell {
    if row.steps == 0 {
        return missing(row);
    }
    let mark = if row.flawed_steps > 0 { Mark::Slight } else { Mark::Plain };
    let detail = row.flaws.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let text = if row.flawed_steps > 0 { count(row.flawed_steps) } else { "none".into() };
    Cell { detail, ..cell(text, mark, row.flawed_steps as f64) }
}

fn expectations(row: &MethodRow) -> Cell {
    let all = row.claims().count();
    let others = row.expectations.len() - all;
    if all + others == 0 {
        return cell("–", Mark::Plain, f64::NEG_INFINITY);
    }
    let number = |of: fn(&Verdict) -> bool| row.claims().filter(|(_, v)| of(v)).count();
    let held = number(|verdict| matches!(verdict, Verdict::Held(_)));
    let failed = number(|verdict| matches!(verdict, Verdict::Failed(_)));
    let others_held = row.expectations.iter().filter(|(_, v)| matches!(v, Verdict::Held(_))).count() - held;
    let mark = match (failed, held) {
        // A run that was cut, or is shorter than its scene, is not judged.
        (0, 0) => Mark::Plain,
        (0, held) if held == all => Mark::Good,
        (0, _) => Mark::Slight,
        _ => Mark::Bad,
    };
    let mut detail = format!("{held} held, {failed} failed, {} not measured", all - held - failed);
    if others > 0 {
        detail += &format!("; of {others} that the method does not claim to meet, {others_held} held");
    }
    let text = match (held + failed, all) {
        (_, 0) => format!("{others_held} of {others}, no claim"),
        (0, _) => "not judged".to_owned(),
        _ => format!("{held} of {all}"),
    };
    Cell { detail, ..cell(text, mark, held as f64 / all.max(1) as f64) }
}

/// Returns the body or other detail, and the time, of a finding, as far as known.
pub fn place(finding: &Finding) -> String {
    let when = finding.at.map(|moment| format!("at {}", quantity(moment.time, "s")));
    let what = Some(finding.detail.clone()).filter(|detail| !detail.is_empty());
    what.into_iter().chain(when).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use rigor_audit::Figure;
    use rigor_scene::{Bound, Expectation};

    use super::*;
    use crate::departure::Departure;

    fn found(name: &str, value: f64) -> Finding {
        Finding::of_scene(Figure::named(name).unwrap(), value)
    }

    fn section() -> SceneSection {
        SceneSection { size: 0.5, ..SceneSection::default() }
    }

    fn row(findings: Vec<Finding>) -> MethodRow {
        MethodRow { steps: 100, findings, ..MethodRow::new("m", 0.01, Ending::Completed) }
    }

    #[test]
    fn penetration_is_judged_against_the_smallest_body() {
        let mark = |depth| penetration(&section(), &row(vec![found("penetration.deepest", depth)]));
        assert_eq!(mark(0.0).mark, Mark::Good);
        assert_eq!((mark(0.0005).mark, mark(0.0005).text.as_str()), (Mark::Slight, "0.5"));
        assert_eq!(mark(0.000_51).mark, Mark::Bad);
        assert_eq!(mark(f64::NAN).mark, Mark::Bad);
    }

    #[test]
    fn intersections_are_as_bad_as_they_are_deep_and_what_went_through_is_bad() {
        let with = |depth| {
            row(vec![
                found("intersection.frames", 3.0),
                found("penetration.deepest", depth),
                found("tunnelling.centre_crossings", 1.0),
                found("tunnelling.passes", 2.0),
                found("tunnelling.unlinked", 1.0),
            ])
        };
        let mark = |depth| intersections(&section(), &with(depth)).mark;
        assert_eq!((mark(1e-6), mark(1e-2)), (Mark::Slight, Mark::Bad));
        // An intersection so shallow that no depth was found is still not clean.
        assert_eq!(mark(0.0), Mark::Slight);
        let through = tunnelling(&with(0.0));
        assert_eq!(
            (through.mark, through.text.as_str(), through.detail.as_str()),
            (Mark::Bad, "yes, 2 ×", "1 proven")
        );
    }

    #[test]
    fn energy_gain_is_not_judged_where_bodies_are_driven() {
        let figures = [("energy.rise_max", 5.0), ("energy.rise_relative", 0.05), ("energy.scale", 100.0)];
        let row = row(figures.map(|(name, value)| found(name, value)).to_vec());
        assert_eq!(
            (energy_gain(&section(), &row).mark, energy_gain(&section(), &row).text.as_str()),
            (Mark::Bad, "5")
        );
        let driven = SceneSection { is_driven: true, ..section() };
        assert_eq!(energy_gain(&driven, &row).mark, Mark::Plain);
    }

    #[test]
    fn one_bad_column_makes_the_row_bad_and_is_named() {
        let clean = vec![
            found("intersection.frames", 0.0),
            found("tunnelling.centre_crossings", 0.0),
            found("tunnelling.passes", 0.0),
        ];
        assert_eq!(overall(&section(), &row(clean.clone())), (Mark::Good, vec![]));
        let unknown = clean.iter().cloned().chain([found("tunnelling.unknown_turns", 3.0)]).collect();
        let unknown = row(unknown);
        assert_eq!(tunnelling(&unknown).text, "none seen, 3 turns unknown");
        assert_eq!(overall(&section(), &unknown).0, Mark::Slight, "not clean");
        let given_up = clean.iter().cloned().chain([found("tunnelling.undecided", 2.0)]).collect();
        let given_up = row(given_up);
        assert_eq!(tunnelling(&given_up).text, "none seen, 2 undecided");
        assert_eq!(overall(&section(), &given_up).0, Mark::Slight, "not clean");
        let dirty: Vec<_> = clean.into_iter().chain([found("penetration.deepest", 0.1)]).collect();
        assert_eq!(overall(&section(), &row(dirty)), (Mark::Bad, vec!["penetration"]));
        let flawed = MethodRow { flawed_steps: 2, ..row(vec![found("intersection.frames", 0.0)]) };
        assert_eq!(overall(&section(), &flawed), (Mark::Slight, vec!["flawed steps"]));
        let stopped = MethodRow::new("m", 0.01, Ending::Stopped { why: "NaN".into() });
        assert_eq!(overall(&section(), &stopped), (Mark::Bad, vec!["did not finish"]));
        let skipped = MethodRow::new("m", 0.01, Ending::Skipped { why: "joints".into() });
        assert_eq!(overall(&section(), &skipped).0, Mark::Plain);
    }

    #[test]
    fn bodies_that_left_are_told_even_beside_worse() {
        let gone = Departure { bodies: 2, of: 3, first: "box".into(), time: 0.5 };
        let left = MethodRow { departure: Some(gone), ..row(vec![found("intersection.frames", 0.0)]) };
        assert_eq!(outcome(&left).text, "completed, but 2 of 3 bodies left the scene, box first, at 500 ms");
        assert_eq!(overall(&section(), &left), (Mark::Slight, vec!["bodies left the scene"]));
        let deep = MethodRow { findings: vec![found("penetration.deepest", 0.1)], ..left };
        assert_eq!(overall(&section(), &deep), (Mark::Bad, vec!["bodies left the scene", "penetration"]));
    }

    #[test]
    fn expectations_that_were_not_measured_are_not_held() {
        let expectation = Expectation {
            figure: "energy.drift".into(),
            body: None,
            bound: Bound::AtMost(1.0),
            methods: vec![],
            methods_because: String::new(),
            because: String::new(),
        };
        let with = |verdicts: Vec<Verdict>| {
            let expectations = verdicts.into_iter().map(|v| (expectation.clone(), v)).collect();
            super::expectations(&MethodRow { expectations, ..row(vec![]) })
        };
        let held = || Verdict::Held(found("energy.drift", 0.5));
        assert_eq!((with(vec![held()]).mark, with(vec![]).mark), (Mark::Good, Mark::Plain));
        let partly = with(vec![held(), Verdict::NotMeasured]);
        assert_eq!((partly.mark, partly.text.as_str()), (Mark::Slight, "1 of 2"));
        assert_eq!(with(vec![held(), Verdict::Failed(found("energy.drift", 2.0))]).mark, Mark::Bad);
    }

    #[test]
    fn every_figure_named_here_is_reported_by_a_judge() {
        let source = include_str!("figure.rs");
        let named = source.split("row.").filter_map(|part| {
            let call = part.strip_prefix("finding(\"").or_else(|| part.strip_prefix("value(\""))?;
            call.split('"').next()
        });
        let named: Vec<_> = named.collect();
        assert!(named.len() >= 10, "{named:?}");
        for name in named {
            assert!(Figure::named(name).is_some(), "{name}");
        }
    }
}
