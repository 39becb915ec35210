//! Settings that are refused.

use rigor_avbd::{Avbd, Config};
use rigor_scene::Clock;

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let default = Config::default;
    for (config, told) in [
        (Config { substeps: 0, ..default() }, "substeps is 0"),
        (Config { iterations: 0, ..default() }, "iterations is 0"),
        (Config { alpha: 1.5, ..default() }, "alpha is 1.5"),
        (Config { gamma: -0.1, ..default() }, "gamma is -0.1"),
        (Config { beta: f64::NAN, ..default() }, "beta is NaN"),
        (Config { stiffness_start: 0.0, ..default() }, "stiffness_start is 0"),
        (Config { stiffness_max: 0.5, ..default() }, "stiffness_max is 0.5"),
        (Config { tolerance: 0.0, ..default() }, "tolerance is 0"),
        (Config { safety: 0.5, ..default() }, "safety is 0.5"),
        (Config { overlap: 2.0, ..default() }, "overlap is 2"),
        (Config { max_motion: 0.0, ..default() }, "max_motion is 0"),
    ] {
        let error = Avbd::new(config, Clock::default()).unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
    }
}
