#![no_main]

libfuzzer_sys::fuzz_target!(|content: &[u8]| rigor_scene_fuzz::mesh("fuzz.off", content));
