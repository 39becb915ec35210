//! Invalid joints.

use super::*;

#[test]
fn joints_must_make_sense() {
    let joint = |rest: &str| format!("{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\n{rest}\n", cube(""));
    let refused = |text: &str, line, column, key: &str, message: &str| {
        is_refused(&joint(text), line, column, &format!("joint[0]{key}"), message);
    };
    refused("kind = \"ball\"", 6, 1, "", "expected either `position`, or `frame_a` and `frame_b`");
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\nbody_b = \"cube\"",
        11,
        10,
        ".body_b",
        "expected a body other than `body_a`",
    );
    refused(
        "kind = \"hinge\"\nposition = [0, 0, 0]\naxis = [0, 0, 0]",
        11,
        8,
        ".axis",
        "expected a direction, found [0, 0, 0]",
    );
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\nmax = 1",
        11,
        7,
        ".max",
        "only distance joints have `max`",
    );
    refused(
        "kind = \"distance\"\nposition = [0, 0, 0]",
        6,
        1,
        "",
        "a distance joint needs `max`, or a drive in `length`",
    );
    refused(
        "kind = \"distance\"\nposition = [0, 0, 0]\nmax = -1",
        11,
        7,
        ".max",
        "expected 0 or a positive number, found -1.0",
    );
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\ncompliance = -1",
        11,
        14,
        ".compliance",
        "expected 0 or a positive number, found -1.0",
    );
    refused(
        "kind = \"ball\"\nframe_a = {}\nframe_b = {}\naxis = [1, 0, 0]",
        12,
        8,
        ".axis",
        "`axis` requires `position` and cannot be combined with `frame_a` and `frame_b`",
    );
    refused("kind = \"bal\"", 9, 8, ".kind", "unknown choice `bal` (did you mean `ball`?)");
    let one = "[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nkind = \"ball\"\nposition = [0, 0, 0]\n";
    is_refused(
        &format!("{}{one}{one}", cube("")),
        12,
        8,
        "joint[1].name",
        "the joint `j` already exists, at a/scene.toml:7",
    );
}

#[test]
fn joints_are_told_which_of_their_numbers_make_no_sense() {
    let refused = |rest: &str, column, key: &str, message: &str| {
        let text =
            format!("{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nposition = [0, 0, 0]\n{rest}\n", cube(""));
        is_refused(&text, 10, column, &format!("joint[0].{key}"), message);
    };
    let hinge = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("turn = {{ {rest} }}\nkind = \"hinge\""), column, key, message);
    };
    let rail = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("slide = {{ {rest} }}\nkind = \"prismatic\""), column, key, message);
    };
    let ball = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("{rest}\nkind = \"ball\""), column, key, message);
    };
    let order = "expected at most the upper bound 10.0, found 20.0";
    hinge("min_deg = 20, max_deg = 10", 20, "turn.min_deg", order);
    hinge(
        "min_deg = 190, max_deg = -720",
        20,
        "turn.min_deg",
        "expected at most the upper bound -720.0, found 190.0",
    );
    hinge("max_deg = inf", 20, "turn.max_deg", "inf is not a finite number");
    hinge("angle_deg = nan", 22, "turn.angle_deg", "NaN is not a finite number");
    hinge("velocity_deg = inf", 25, "turn.velocity_deg", "inf is not a finite number");
    hinge("compliance = inf", 23, "turn.compliance", "inf is not a finite number");
    hinge(
        "velocity_deg = 1, angle_deg = 1",
        25,
        "turn.velocity_deg",
        "expected either `angle_deg` or `velocity_deg`",
    );
    hinge(
        "max_torque = 1",
        23,
        "turn.max_torque",
        "`max_torque` requires a drive: give `angle_deg` or `velocity_deg`",
    );
    rail("min = 20, max = 10", 17, "slide.min", order);
    rail(
        "position = 0, drive_damping = -1",
        41,
        "slide.drive_damping",
        "expected 0 or a positive number, found -1.0",
    );
    ball("swing = { min_deg = 20, max_deg = 10 }", 21, "swing.min_deg", order);
    ball("turn = { angle_deg = 20 }", 8, "turn", "a ball joint has no drive");
    ball("slide = {}", 9, "slide", "only prismatic and cylindrical joints have `slide`");
    ball("break_force = 0", 15, "break_force", "expected a positive number, found 0.0");
    ball("angular_damping = -1", 19, "angular_damping", "expected 0 or a positive number, found -1.0");
    refused("ratio = 0\nkind = \"gear\"", 9, "ratio", "expected a number other than 0");
    refused("min = 20\nmax = 10\nkind = \"distance\"", 7, "min", order);
    refused(
        "second_axis = [-2, 0, 0]\nkind = \"universal\"",
        15,
        "second_axis",
        "expected a direction that is not parallel to `axis`",
    );
}

#[test]
fn a_joint_needs_a_body_that_moves() {
    let text = format!(
        "{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nkind = \"ball\"\nposition = [0, 0, 0]\n",
        cube("role = \"static\"")
    );
    is_refused(&text, 6, 1, "joint[0]", "expected at least one of the two bodies to be dynamic");
}

#[test]
fn force_laws_of_drives_are_told_what_makes_no_sense() {
    // `at` is what the line has at the place of the error.
    let refused = |kind: &str, table: &str, at: &str, key: &str, message: &str| {
        let text = format!(
            "{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nposition = [0, 0, 0]\n{table}\nkind = \"{kind}\"\n",
            cube("")
        );
        let column = table.lines().next().unwrap().rfind(at).unwrap() + 1;
        is_refused(&text, 10, column, &format!("joint[0].{key}"), message);
    };
    let rail = |rest: &str, at: &str, key: &str, message: &str| {
        refused("prismatic", &format!("slide = {{ {rest} }}"), at, &format!("slide.{key}"), message);
    };
    let rod = |rest: &str, at: &str, key: &str, message: &str| {
        refused("distance", &format!("length = {{ {rest} }}"), at, &format!("length{key}"), message);
    };
    let hinge = |rest: &str, at: &str, key: &str, message: &str| {
        refused("hinge", &format!("turn = {{ {rest} }}"), at, &format!("turn.{key}"), message);
    };
    let away = "expected 0 or a positive number, found -1.0: a negative stiffness pushes away from the target; a spring that softens is a table";
    rail("position = 0, drive_stiffness = [5, -1]", "-1", "drive_stiffness[1]", away);
    rail(
        "position = 0, drive_stiffness = []",
        "[]",
        "drive_stiffness",
        "expected 1 to 5 coefficients, found 0",
    );
    hinge(
        "angle_deg = 0, drive_stiffness = [1, 2, 3, 4, 5, 6]",
        "[1, 2",
        "drive_stiffness",
        "expected 1 to 5 coefficients, found 6",
    );
    rail(
        "drive_stiffness = [5]",
        "[5]",
        "drive_stiffness",
        "`drive_stiffness` requires a drive: give `position` or `velocity`",
    );
    rail(
        "position = 0, drive_compliance = 1, drive_stiffness = [5]",
        "[5]",
        "drive_stiffness",
        "expected either `drive_compliance` or `drive_stiffness`",
    );
    rail(
        "position = 0, drive_stiffness = [5], drive_table = [[0, 0], [1, 1]]",
        "[[0",
        "drive_table",
        "expected either `drive_stiffness` or `drive_table`",
    );
    rail("position = 0, drive_table = [[0, 0]]", "[[0", "drive_table", "expected at least two points");
    hinge(
        "angle_deg = 0, drive_table_deg = [[0, 0], [90, 2], [90, 3]]",
        "[90, 3",
        "drive_table_deg[2]",
        "expected a deviation above that of the point before",
    );
    rod(
        "distance = 1, drive_table = [[0, 0], [1, 1], [2, 0.5]]",
        "[2, 0.5",
        ".drive_table[2]",
        "expected at least the force of the point before: where a force falls, it pushes away from the goal",
    );
    rod("max_force = 1", "1 }", ".max_force", "`max_force` requires a drive: give `distance` or `velocity`");
    rod("", "{", "", "a drive of a distance needs `distance` or `velocity`");
    rod(
        "distance = -1, drive_stiffness = [1]",
        "-1,",
        ".distance",
        "expected 0 or a positive number, found -1.0",
    );
    rod(
        "distance = 1",
        "{",
        "",
        "a rigid distance is `min` = `max`; a spring needs `drive_compliance`, `drive_stiffness` or `drive_table`",
    );
    rod(
        "velocity = 1, drive_damping = 2",
        "2 }",
        ".drive_damping",
        "a rigid drive has no damping: give `drive_compliance`, `drive_stiffness` or `drive_table`, or `drive_stiffness = [0]` for a damper alone",
    );
    refused("ball", "length = { velocity = 1 }", "{", "length", "only distance joints have `length`");
    refused(
        "distance",
        "length = { velocity = 1 }\nmin = 1\nmax = 1",
        "{",
        "length",
        "a drive moves nothing where `min` = `max` holds the distance: leave `min` and `max` out",
    );
}
