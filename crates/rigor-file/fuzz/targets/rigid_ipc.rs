#![no_main]

use libfuzzer_sys::fuzz_target;

// The content of the problem, so that every input is a scene of the reference program.
fuzz_target!(|content: &str| {
    rigor_scene_fuzz::scene("fuzz.json", format!("{{\"rigid_body_problem\": {content}}}").as_bytes());
    rigor_scene_fuzz::scene("fuzz.json", content.as_bytes());
});
