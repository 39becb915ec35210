//! Height fields of MJCF are read as MuJoCo reads them.

use super::*;

#[test]
fn height_fields_are_solids_with_the_mass_of_a_box() {
    // MuJoCo 4.0: 16000 kg, and moments of 80000/3, 80000/3 and 32000/3 kg m².
    let text = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="1 2 3 .5" elevation="0 1 2 4 8 2"/></asset>
      <worldbody><body name="a"><freejoint/><geom type="hfield" hfield="h"/></body></worldbody></mujoco>"#;
    let (loaded, dropped) = robot("m.xml", text);
    let body = body(&loaded, "a");
    assert!((body.mass - 16000.0).abs() < 1e-9, "{dropped:?}");
    assert!(dropped.iter().any(|entry| entry.why.contains("its mass is that of a box")), "{dropped:?}");
    for wrong in ["0 1 2", "1 2 3 0"] {
        assert!(read(&[("m.xml", text.replace("1 2 3 .5", wrong).leak())]).is_err());
    }
    assert!(read(&[("m.xml", text.replace("4 8 2", "4 8").leak())]).is_err());
}

/// The heights (m) of a field of these sizes, from −y on, and what is told.
fn heights(file: &str, attributes: &str, bytes: &[u8]) -> (Vec<f64>, Vec<Dropped>) {
    let text = format!(
        r#"<mujoco><asset><hfield name="h" file="{file}" {attributes} size="1 2 255 1"/></asset><worldbody><geom type="hfield" hfield="h"/>
        <body pos="0 0 999"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#
    );
    let files =
        Bytes(BTreeMap::from([("m.xml".into(), text.into_bytes()), (file.to_owned(), bytes.to_vec())]));
    let (loaded, dropped) =
        load_robot(Path::new("m.xml"), &files, &LoadOptions::default(), Options::default()).unwrap();
    let Some(id) = loaded.scene.find_body("world") else { return (Vec::new(), dropped) };
    let body = &loaded.scene.bodies[id.0];
    let mut above: Vec<Vec3> = body.mesh.vertices().iter().map(|v| body.frame.point(v)).collect();
    above.retain(|v| v.z > -0.5);
    above.sort_by_key(|v| ((v.y * 1e3).round() as i64, (v.x * 1e3).round() as i64));
    (above.iter().map(|v| v.z).collect(), dropped)
}

/// The numbers of MuJoCo 4.0 for the same files: `hfield_data`, times 255.
#[test]
fn images_have_the_heights_that_mujoco_gives_them() {
    let gray = include_bytes!("../../../fuzz/seeds/png/gray.png");
    for (name, bytes, known) in [
        ("a.png", &gray[..], &[40.0, 80.0, 255.0, 0.0, 10.0, 20.0][..]),
        ("a.png", include_bytes!("../../../fuzz/seeds/png/deep.png"), &[0.0, 255.0, 0.0, 1.0]),
        ("a.png", include_bytes!("../../../fuzz/seeds/png/colour.png"), &[255.0, 44.625, 0.0, 6.375]),
        (
            "A.PNG",
            include_bytes!("../../../fuzz/seeds/png/palette.png"),
            &[255.0, 100.0, 0.0, 0.0, 100.0, 255.0],
        ),
    ] {
        let (found, dropped) = heights(name, "", bytes);
        let is_same =
            found.len() == known.len() && found.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(is_same, "{name}: {found:?}, {dropped:?}");
    }
    // What the file is called matters less than what it is said to be.
    assert_eq!(heights("a.bin", "content_type=\"image/png\"", gray).0.len(), 6);
    let binary = include_bytes!("../../../fuzz/seeds/field/small.bin");
    assert_eq!(heights("a.png", "content_type=\"image/vnd.mujoco.hfield\"", binary).0.len(), 12);
}

#[test]
fn fields_that_are_too_large_or_broken_are_told_before_they_take_memory() {
    // A head of 4000 by 4000 pixels, with its checksum.
    let mut image = include_bytes!("../../../fuzz/seeds/png/gray.png").to_vec();
    image[16..20].copy_from_slice(&4000_u32.to_be_bytes());
    image[20..24].copy_from_slice(&4000_u32.to_be_bytes());
    image[29..33].copy_from_slice(&0xcb14bcde_u32.to_be_bytes());
    let binary = [&4000_i32.to_le_bytes()[..], &4000_i32.to_le_bytes(), &vec![0; 64_000_000]].concat();
    for (name, bytes, why) in [
        ("a.png", &image[..], "4000 rows of 4000 heights, and at most"),
        ("a.bin", &binary, "4000 rows of 4000 heights, and at most"),
        ("a.png", b"\x89PNG", "is not a readable image in PNG"),
        ("a.bin", &[1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], "less than two rows"),
        ("a.bin", &[9; 12], "it announces"),
    ] {
        let (found, dropped) = heights(name, "", bytes);
        let is_told = dropped.iter().any(|entry| entry.what == "<hfield h>" && entry.why.contains(why));
        assert!(found.is_empty() && is_told, "{name}: {dropped:?}");
    }
}
