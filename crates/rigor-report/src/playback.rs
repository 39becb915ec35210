//! The player of a scene, with the films of its rows, and links to their moments.

use maud::{Markup, PreEscaped, html};
use rigor_math::Vec3;
use serde_json::{Value, json};

use crate::comparison::{MethodRow, SceneSection};
use crate::curves::line_class;
use crate::figure::COLUMNS;
use crate::moment::{Moment, moments, worst};
use crate::naming::{anchor, row_name};
use crate::number::quantity;
use crate::player::{Film, PlayerScene, script_text};

/// Renders the player of a scene; nothing if no row has a film.
pub fn playback(section: &SceneSection, methods: &[&str]) -> Markup {
    let Some(stage) = &section.stage else { return html! {} };
    let films = section.rows.iter().filter_map(|row| row.film.as_ref());
    html! {
        @if films.clone().next().is_some() {
            div.player role="group" aria-label=(format!("Playback of {}", section.name)) {
                script type="application/json" { (PreEscaped(script_text(&data(section, stage, methods)))) }
                noscript { p { "Playback needs JavaScript." } }
                p.source { (told(section, stage)) }
            }
        }
    }
}

fn data(section: &SceneSection, stage: &PlayerScene, methods: &[&str]) -> Value {
    let mut runs = Vec::new();
    let mut others = Vec::new();
    for (k, row) in section.rows.iter().enumerate() {
        let outcome = (COLUMNS[0].cell)(section, row);
        match &row.film {
            Some(film) => runs.push(json!({
                "row": k, "name": row_name(section, row), "key": line_class(section, row, methods),
                "text": outcome.text, "mark": outcome.mark.class(), "sign": outcome.mark.sign(),
                "dt": film.dt, "frames": film.frames, "film": film.text, "forces": film.forces, "contacts": film.contacts,
                "moments": moments(section, row).iter().map(|moment| of_moment(moment, row, stage)).collect::<Vec<_>>(),
            })),
            None => others.push(json!({
                "name": row_name(section, row), "text": format!("{}: {}", outcome.text, outcome.detail),
            })),
        }
    }
    json!({
        "scene": section.name, "file": anchor(section), "stage": stage.data, "runs": runs, "others": others,
    })
}

fn of_moment(moment: &Moment, row: &MethodRow, stage: &PlayerScene) -> Value {
    let closeup = row.closeup(moment.time);
    let numbers = |points: &[Vec3]| points.iter().flatten().map(|c| *c as f32).collect::<Vec<_>>();
    let triangles: Vec<_> =
        closeup.iter().flat_map(|look| &look.triangles).map(|corners| numbers(corners)).collect();
    let gap = closeup.and_then(|look| look.gap).map(|ends| numbers(&ends));
    let body = |name: &String| {
        let index = stage.moving.iter().position(|other| other == name).map_or(-1, |index| index as i64);
        json!({ "name": name, "index": index })
    };
    json!({
        "what": moment.what, "time": moment.time, "at": format!("at {}", quantity(moment.time, "s")),
        "mark": moment.mark.class(), "sign": moment.mark.sign(),
        "bodies": moment.bodies.iter().map(body).collect::<Vec<_>>(), "triangles": triangles, "gap": gap,
    })
}

/// Says which states are shown, and how exactly.
fn told(section: &SceneSection, stage: &PlayerScene) -> String {
    let films = || section.rows.iter().filter_map(|row| Some((row_name(section, row), row.film.as_ref()?)));
    let error = films().map(|(_, film)| film.error).fold(0.0, f64::max);
    let of = |film: &Film| match film.every {
        1 => "every step".to_owned(),
        n => format!("one step in {n}, and the last"),
    };
    let mut kept: Vec<String> = films().map(|(_, film)| of(film)).collect();
    kept.dedup();
    let kept = match &kept[..] {
        [same] => same.clone(),
        _ => films().map(|(name, film)| format!("{name} {}", of(film))).collect::<Vec<_>>().join("; "),
    };
    let why = if films().all(|(_, film)| film.every == 1) {
        ""
    } else {
        " (all of them would make the page too large)"
    };
    let meshes =
        if stage.is_simplified { " Large meshes have fewer triangles here than in the runs." } else { "" };
    format!(
        "Playback shows states of the runs and none between them: {kept}{why}. Positions are off by at most {}, rotations by at most \
         0.15 mrad.{meshes}",
        quantity(error, "m"),
    )
}

/// Links to the first violation of a row, if the page plays it.
pub fn jump(section: &SceneSection, row: &MethodRow) -> Markup {
    let all = moments(section, row);
    let first = worst(&all);
    let index = section.rows.iter().position(|other| other == row);
    let plays = section.stage.is_some() && row.film.is_some();
    html! {
        @if let (Some(first), Some(index), true) = (first, index, plays) {
            " "
            a href=(format!("#{}", anchor(section))) data-moment=(format!("{index} {first}"))
                title=(format!("{}: show it", all[first].what)) { "at " (quantity(all[first].time, "s")) }
        }
    }
}
