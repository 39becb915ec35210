//! Overrides: `--set KEY=VALUE`.

use rigor_math::Vec3;
use rigor_scene::Setting;

use super::{cube, load, load_with};

fn scene() -> String {
    format!("gravity = [0, -9.81, 0]\n{}{}", cube("friction = 0.1"), cube("").replace("cube", "b.c"))
}

#[test]
fn overrides_reach_tables_arrays_and_what_is_not_there() {
    let lines = [
        "body.cube.friction=0.5",
        "body.\"b.c\".position = [0, 4, 0]",
        "body.1.shape.0.box.size=[2, 2, 2]",
        "method.xpbd.substeps=40",
        "method.xpbd.more = { x = 1 }",
        "time.dt=1e-3",
        "gravity.1=-1.62",
        "name=moon/two-cubes",
        "friction_rule=min",
    ];
    let scene = load_with(&scene(), &lines).unwrap().scene;
    assert_eq!(scene.bodies[0].friction.static_, 0.5);
    assert_eq!(scene.bodies[1].initial.pose.position, Vec3::new(0.0, 4.0, 0.0));
    assert!((scene.bodies[1].mass - 8000.0).abs() < 1e-11);
    assert_eq!(
        (&scene.methods["xpbd"]["substeps"], &scene.methods["xpbd"]["more"]),
        (&Setting::Integer(40), &Setting::Table([("x".into(), Setting::Integer(1))].into()))
    );
    assert_eq!((scene.time.dt, scene.gravity.y, scene.name.as_str()), (1e-3, -1.62, "moon/two-cubes"));
}

#[test]
fn an_override_is_as_good_as_an_edit() {
    let edited = scene().replace("friction = 0.1", "friction = 0.7");
    let overridden = load_with(&scene(), &["body.cube.friction=0.7"]).unwrap();
    assert_eq!(overridden.scene, load(&edited).unwrap().scene);
    assert_eq!(overridden.document, load(&edited).unwrap().document);
}

#[track_caller]
fn refused(line: &str, expected: &str) {
    assert_eq!(load_with(&scene(), &[line]).expect_err(line).to_string(), expected);
}

#[test]
fn wrong_overrides_name_their_place() {
    refused(
        "body.cubes.friction=0.5",
        "--set body.cubes.friction=0.5:1:6: body: there is no item `cubes` (did you mean `cube`?)",
    );
    refused(
        "body.7.friction=0.5",
        "--set body.7.friction=0.5:1:6: body: there is no item `7` (select an item by its name or by an index from 0 to 1)",
    );
    refused("time.dt=-1", "--set time.dt=-1:1:9: time.dt: expected a positive number, found -1.0");
    refused(
        "body.cube.frction=1",
        "--set body.cube.frction=1:1:11: body[0].frction: unknown key `frction` (did you mean `friction`?)",
    );
    refused(
        "body.cube.friction=low",
        "--set body.cube.friction=\"low\":1:20: body[0].friction: expected a number or { static = …, dynamic = … }, found the string \"low\"",
    );
    refused(
        "body.cube.friction.x.y=1",
        "--set body.cube.friction.x.y=1:1:20: body.cube.friction: a number has no key `x`",
    );
    refused(
        "gravity",
        "--set gravity: expected `=` (write KEY=VALUE, as `time.dt=0.001` or `body.box.friction=0.5`)",
    );
    refused("=1", "--set =1:1:1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`");
    refused("gravity=[0,", "--set gravity=[0,:1:12: unclosed array, expected `]`");
}
