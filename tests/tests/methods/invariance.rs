//! What our methods make of scenes that are written down in another way: nothing beyond the bounds below.

use rigor_bench::invariance::{CASES, Case, VARIATIONS, Variation, deviation};

/// The bound of a difference that is rounding, also where contacts and iterations make it larger.
const ROUNDING: f64 = 1e-7;

/// Differences that are larger by construction, with a bound and the reason; docs/invariance.md has the numbers.
const LARGER: [(&str, Case, Variation, f64, &str); 19] = [
    ("ipc", Case::Slide, Variation::Far, 2e-2, EXTENT),
    ("ipc", Case::Slide, Variation::Rescaled, 1e-4, STOPS),
    ("ipc", Case::Slide, Variation::Moved, 1e-4, STOPS),
    ("ipc", Case::Slide, Variation::Turned, 1e-4, STOPS),
    ("ipc", Case::Slide, Variation::Split, 1e-3, PIECES),
    ("ipc", Case::Pendulum, Variation::Swapped, 1e-6, FRAME),
    ("ipc", Case::Stack, Variation::Tilted, 1e-2, ALIGNED),
    ("ipc", Case::Stack, Variation::Split, 1e-3, PIECES),
    ("ipc", Case::Stack, Variation::Far, 1e-3, EXTENT),
    ("xpbd", Case::Slide, Variation::Split, 1e-5, PIECES),
    ("xpbd", Case::Stack, Variation::Reordered, 1e-2, ORDER),
    ("xpbd", Case::Stack, Variation::Split, 5e-2, PIECES),
    ("xpbd", Case::Pendulum, Variation::Reordered, 1e-3, ORDER),
    ("pbd", Case::Slide, Variation::Split, 1e-5, PIECES),
    ("pbd", Case::Stack, Variation::Reordered, 1e-2, ORDER),
    ("pbd", Case::Stack, Variation::Split, 1e-2, PIECES),
    ("rapier", Case::Slide, Variation::Split, 5e-3, PIECES),
    ("rapier", Case::Stack, Variation::Reordered, 1e-2, ORDER),
    ("rapier", Case::Stack, Variation::Split, 5e-2, PIECES),
];

const EXTENT: &str =
    "the speed below which friction is a viscous force grows with the box around the moving bodies";
const STOPS: &str = "a minimization ends where its tolerance says, which rounding moves";
const PIECES: &str = "halves have other contact points than the whole";
const ALIGNED: &str =
    "faces that are parallel to the last bit, and edges that are not, have other contact points";
const FRAME: &str =
    "joints are projected along the axes of their second body, with an error of the order of the flight";
const ORDER: &str = "contacts and joints are solved one after the other";

/// A length of its own: Rapier's are metres.
fn has_lengths(method: &str, variation: Variation) -> bool {
    method == "rapier" && variation == Variation::Rescaled
}

#[test]
fn methods_make_the_same_of_a_scene_that_is_written_down_in_another_way() {
    let mut wrong = Vec::new();
    for (method, settings) in
        [("free", ""), ("ipc", ""), ("xpbd", ""), ("pbd", ""), ("rapier", "sleeping=false")]
    {
        let settings: Vec<String> =
            [settings].into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect();
        for case in CASES {
            let has_joints = case == Case::Pendulum;
            if has_joints && method == "free" {
                assert!(deviation(case, Variation::Renamed, method, &settings).is_err());
                continue;
            }
            for variation in VARIATIONS {
                if (variation == Variation::Swapped && !has_joints) || has_lengths(method, variation) {
                    continue;
                }
                let known =
                    LARGER.iter().find(|known| (known.0, known.1, known.2) == (method, case, variation));
                let bound = known.map_or(ROUNDING, |known| known.3);
                let found = deviation(case, variation, method, &settings)
                    .unwrap_or_else(|why| panic!("{method} {} {}: {why}", case.name(), variation.name()));
                if !found.is_below(bound) {
                    wrong.push(format!("{method} {} {}: {found:?}", case.name(), variation.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Particles fill a body along the axes of its author's frame, so that another frame is another body: docs/methods/particles.md.
#[test]
fn particles_know_the_axes_of_the_author_and_nothing_else_of_a_flight() {
    for variation in VARIATIONS.into_iter().filter(|one| *one != Variation::Swapped) {
        let found = deviation(Case::Flight, variation, "particles", &[]).expect("it runs");
        assert!(found.is_below(1e-7), "{}: {found:?}", variation.name());
    }
    let found = deviation(Case::Stack, Variation::Shifted, "particles", &[]).expect("it runs");
    assert!(found.is_below(1e-7), "{found:?}");
}
