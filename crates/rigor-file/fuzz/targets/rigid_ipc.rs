#![no_main]

use libfuzzer_sys::fuzz_target;

// The input is tried as the content of the problem, which makes it a scene of the reference program, and as a
// whole file.
fuzz_target!(|content: &str| {
    rigor_scene_fuzz::scene("fuzz.json", format!("{{\"rigid_body_problem\": {content}}}").as_bytes());
    rigor_scene_fuzz::scene("fuzz.json", content.as_bytes());
});
