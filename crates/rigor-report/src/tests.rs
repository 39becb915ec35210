use rigor_audit::{Figure, Finding, Series, Verdict};
use rigor_run::notice::{FlawCount, NoticeRecord};
use rigor_scene::{BodyId, Bound, Expectation, Notice, Source};

use crate::render::Png;
use crate::*;

fn found(name: &str, value: f64) -> Finding {
    Finding::of_scene(Figure::named(name).unwrap(), value)
}

fn series(name: &'static str, unit: &'static str, points: &[(f64, f64)]) -> Series {
    Series { points: points.to_vec(), ..Series::new(name, unit) }
}

/// Two time steps of one method, one of which stopped, and a method that was skipped.
fn comparison() -> Comparison {
    let expectation = Expectation {
        figure: "penetration.deepest".into(),
        body: Some(BodyId(1)),
        bound: Bound::AtMost(1e-3),
        methods: vec![],
        methods_because: String::new(),
        because: "so says <the paper>".into(),
    };
    let verdict = Verdict::Failed(found("penetration.deepest", 0.0125));
    let good = MethodRow {
        steps: 200,
        notices: Notice::of_all("restitution", "1", [("body \"box\"".into(), 0.5)], "not used")
            .into_iter()
            .map(|notice| NoticeRecord::from(&notice))
            .collect(),
        flaws: vec![FlawCount {
            name: "late".into(),
            what: "it was <late>".into(),
            steps: 3,
            of: 200,
            worst: None,
        }],
        flawed_steps: 3,
        seconds_per_step: Some(0.0123),
        contacts_mean: Some(3.5),
        settings: "substeps = 20".into(),
        findings: vec![found("penetration.deepest", 0.0125), found("intersection.frames", 7.0)],
        expectations: vec![(expectation, verdict)],
        series: vec![
            series("energy.total", "J", &[(0.0, 5.0), (1.0, 4.0)]),
            series("penetration.deepest", "m", &[(0.0, 0.0), (1.0, 0.0125)]),
            series("distance.smallest", "m", &[(0.0, 0.0), (1.0, 0.0)]),
            series("kappa", "J s²/m⁴", &[(0.0, 1e6), (1.0, 2e6)]),
        ],
        phases: vec![
            series("contacts", "s", &[(0.0, 0.1), (1.0, 0.2)]),
            series("line <search>", "s", &[(0.0, 0.1), (1.0, 0.3)]),
            series("idle phase", "s", &[(0.0, 0.0), (1.0, 0.0)]),
        ],
        end_picture: Some(Png(vec![1, 2, 3])),
        ..MethodRow::new("xpbd", 0.01, Ending::Completed)
    };
    let why = "velocity of \"box\" is not a finite number".to_owned();
    let stopped = MethodRow { steps: 17, ..MethodRow::new("xpbd", 0.1, Ending::Stopped { why }) };
    let skipped = MethodRow::new("other & co", 0.01, Ending::Skipped { why: "no joints".into() });
    let section = SceneSection {
        name: "stacks/<1>".into(),
        description: "A & B".into(),
        source: Some(Source { key: "Mueller2020".into(), place: "fig. 3".into(), note: "smaller".into() }),
        bodies: vec!["floor".into(), "box".into()],
        size: 1.0,
        rows: vec![good, stopped, skipped],
        ..SceneSection::default()
    };
    Comparison {
        title: "Title".into(),
        command_line: "rigor compare 'a' > b".into(),
        machine: vec![("processor".into(), "fast".into())],
        scenes: vec![section],
        ..Comparison::default()
    }
}

#[test]
fn the_page_needs_nothing_from_outside() {
    let page = html(&comparison());
    for outside in ["http:", "https:", "src=\"/", "@import", "url(", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("data:image/png;base64,AQID"));
}

#[test]
fn text_of_scenes_is_never_markup() {
    let page = html(&comparison());
    assert!(page.contains("stacks/&lt;1&gt;") && !page.contains("stacks/<1>"));
    assert!(page.contains("so says &lt;the paper&gt;") && page.contains("rigor compare 'a' &gt; b"));
}

#[test]
fn every_link_within_the_page_has_its_target() {
    let page = html(&comparison());
    let mut n_links = 0;
    for link in page.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
        n_links += 1;
    }
    assert_eq!(n_links, 1 + 3 + 1, "once at a glance, once for each row, and back from the scene");
}

#[test]
fn no_row_is_lost_whatever_became_of_it() {
    let page = html(&comparison());
    let expected = [
        "stopped after 17 steps, at 1.7 s",
        "velocity of &quot;box&quot; is not a finite number",
        "no joints",
        "substeps = 20",
        "[Mueller2020], fig. 3. smaller",
        "0 in every frame",
    ];
    for text in expected {
        assert!(page.contains(text), "{text}");
    }
    let keys = 1 + 2;
    assert_eq!(page.matches("<svg").count(), 3 + 1 + keys, "curves, phases, and what their lines stand for");
    assert!(
        page.contains("Stiffness κ") && page.contains("line &lt;search&gt;") && !page.contains("idle phase")
    );
}

#[test]
fn numbers_have_the_unit_of_their_heading() {
    let page = html(&comparison());
    let row = page.split("<tbody>").nth(2).unwrap().split("</tr>").next().unwrap();
    let cells: Vec<String> = row.split("<td").skip(1).map(text).collect();
    // Method, Δt in ms, outcome, frames, depth in mm, tunnelled, gain, change, ms per step, contacts, flawed
    // steps, expectations.
    assert_eq!(
        cells,
        ["xpbd", "10", "✓completed", "✗7", "✗12.5", "–", "–", "–", "12.3", "3.5", "≈3", "✗0 of 1"]
    );
    assert!(page.contains("<b>xpbd</b>: restitution 0.5 of body &quot;box&quot;: not used"));
    assert!(page.contains(": it was &lt;late&gt; in 3 of 200 steps"));
    assert!(page.contains("of box") && page.contains("≤ 1 mm") && page.contains("12.5 mm"));
}

/// Returns the text of markup, from after the start of a tag.
fn text(markup: &str) -> String {
    markup.split('>').skip(1).map(|part| part.split('<').next().unwrap()).collect()
}

#[test]
fn a_page_that_follows_a_run_has_no_figures_yet() {
    let table = "<table class=\"figures\">";
    let followed = html(&Comparison { live: Some("one".into()), ..comparison() });
    assert!(
        followed.contains("The run goes on.")
            && followed.contains("data-live=\"one\"")
            && !followed.contains(table)
    );
    let whole = html(&comparison());
    assert!(!whole.contains("The run goes on.") && whole.contains(table));
    assert!(whole.contains("data-table=\"figures\" data-form=\"tex\""));
}

#[test]
fn nothing_compared_is_a_page_too() {
    assert!(html(&Comparison::default()).contains("</html>"));
}

/// Relative luminance and contrast of colours \[WCAG 2.2, 1.4.3\].
fn contrast(a: &str, b: &str) -> f64 {
    let light = |hex: &str| {
        let channel = |k: usize| {
            let v = f64::from(u8::from_str_radix(&hex[1 + 2 * k..3 + 2 * k], 16).expect("a colour")) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
    };
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn texts_and_lines_stand_out_in_both_schemes() {
    let schemes: Vec<&str> =
        STYLE.split(":root {").skip(1).take(2).map(|part| part.split('}').next().expect("an end")).collect();
    assert_eq!(schemes.len(), 2);
    for scheme in schemes {
        let color = |name: &str| {
            let start =
                scheme.find(&format!("--{name}: #")).unwrap_or_else(|| panic!("no {name}")) + name.len() + 4;
            &scheme[start..start + 7]
        };
        let texts = [
            ("ink", "paper"),
            ("faint", "paper"),
            ("link", "paper"),
            ("ink", "shade"),
            ("faint", "shade"),
            ("good-ink", "good"),
            ("slight-ink", "slight"),
            ("bad-ink", "bad"),
            ("good-ink", "paper"),
            ("slight-ink", "paper"),
            ("bad-ink", "paper"),
        ];
        for (text, ground) in texts {
            let found = contrast(color(text), color(ground));
            assert!(found >= 4.5, "{text} on {ground}: {found:.2}");
        }
        for line in 0..7 {
            let found = contrast(color(&format!("c{line}")), color("paper"));
            assert!(found >= 3.0, "line {line}: {found:.2}");
        }
    }
}
