#![no_main]

// The reader distinguishes GLB from JSON by the content.
libfuzzer_sys::fuzz_target!(|content: &[u8]| rigor_scene_fuzz::mesh("fuzz.gltf", content));
