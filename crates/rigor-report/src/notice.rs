//! Requests of scenes that methods ignore, and flawed steps, as lines of text.

use std::collections::BTreeMap;

use crate::comparison::SceneSection;

/// Returns a line for each request of the scenes that a method ignores, and for each kind of flawed step.
/// Notices of several scenes that differ only in their numbers share one line.
pub fn lines(sections: &[SceneSection]) -> Vec<String> {
    let mut notices: BTreeMap<(&str, &str, &str), (String, Vec<&str>)> = BTreeMap::new();
    let mut flaws = Vec::new();
    for (section, row) in sections.iter().flat_map(|s| s.rows.iter().map(move |row| (s, row))) {
        for notice in &row.notices {
            let key = (row.label.as_str(), notice.quantity.as_str(), notice.instead.as_str());
            let (_, scenes) = notices.entry(key).or_insert_with(|| (notice.text.clone(), Vec::new()));
            if !scenes.contains(&section.name.as_str()) {
                scenes.push(&section.name);
            }
        }
        flaws.extend(row.flaws.iter().map(|flaw| format!("{} on {}: {flaw}", row.label, section.name)));
    }
    let line = |((method, ..), (text, scenes)): (&(&str, &str, &str), &(String, Vec<&str>))| {
        let more = match scenes.len() {
            0 | 1 => String::new(),
            2 => " and 1 more scene".to_owned(),
            n => format!(" and {} more scenes", n - 1),
        };
        format!("{method} on {}{more}: {text}", scenes.first().unwrap_or(&""))
    };
    notices.iter().map(line).chain(flaws).collect()
}

#[cfg(test)]
mod tests {
    use rigor_run::notice::{FlawCount, NoticeRecord};
    use rigor_scene::Notice;

    use super::*;
    use crate::comparison::{Ending, MethodRow};

    #[test]
    fn equal_notices_of_several_scenes_have_one_line() {
        let notice = |value| NoticeRecord::from(&Notice::of_scene("restitution", "1", value, "not used"));
        let row =
            |value| MethodRow { notices: vec![notice(value)], ..MethodRow::new("m", 0.1, Ending::Completed) };
        let scene = |name: &str, rows| SceneSection { name: name.into(), rows, ..SceneSection::default() };
        let flaw =
            FlawCount { name: "late".into(), what: "it was late".into(), steps: 1, of: 5, worst: None };
        let sections = [
            scene("a", vec![row(0.5), row(0.5)]),
            scene("b", vec![row(0.2)]),
            scene("c", vec![MethodRow { flaws: vec![flaw], ..row(0.1) }]),
        ];
        let expected =
            ["m on a and 2 more scenes: restitution 0.5: not used", "m on c: it was late in 1 of 5 steps"];
        assert_eq!(lines(&sections), expected);
        assert_eq!(lines(&sections[..1]), ["m on a: restitution 0.5: not used"]);
    }
}
