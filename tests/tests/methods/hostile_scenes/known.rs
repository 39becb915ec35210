//! Typical mistakes, one by one: the key that the error names, or that the scene runs nevertheless.

/// Two boxes of 1 m above a floor; the text appended to it may be invalid.
pub const BOXES: &str = r#"
format = 1
[[body]]
name = "floor"
role = "static"
position = [0, -3, 0]
[[body.shape]]
box = { size = [20, 1, 20] }
[[body]]
name = "a"
[[body.shape]]
box = { size = [1, 1, 1] }
[[body]]
name = "b"
position = [2, 0, 0]
[[body.shape]]
box = { size = [1, 1, 1] }
"#;

/// Invalid scenes, and the key that the error names.
pub const REFUSED: [(&str, &str); 20] = [
    (
        "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbody_a = \"a\"\nposition = [1, 0, 0]\naxis = [0, 0, 0]",
        "joint[0].axis",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbody_a = \"a\"\nposition = [1, 0, 0]\nturn = { min_deg = 20, max_deg = -20 }",
        "joint[0].turn.min_deg",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"hinge\"\nbody_a = \"a\"\nposition = [1, 0, 0]\nturn = { angle_deg = nan }",
        "joint[0].turn.angle_deg",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"prismatic\"\nbody_a = \"a\"\nposition = [1, 0, 0]\nslide = { velocity = inf }",
        "joint[0].slide.velocity",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"prismatic\"\nbody_a = \"a\"\nposition = [1, 0, 0]\nslide = { min = 1, max = 0 }",
        "joint[0].slide.min",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"a\"\nposition = [1, 0, 0]\ncompliance = inf",
        "joint[0].compliance",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"a\"\nposition = [1, 0, 0]\ncompliance = -1",
        "joint[0].compliance",
    ),
    (
        "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"a\"\nposition = [1, nan, 0]",
        "joint[0].position",
    ),
    ("[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"aa\"\nposition = [1, 0, 0]", "joint[0].body_a"),
    (
        "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"a\"\nbody_b = \"a\"\nposition = [1, 0, 0]",
        "joint[0].body_b",
    ),
    ("[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbody_a = \"floor\"\nposition = [1, 0, 0]", "joint[0]"),
    (
        "[[joint]]\nname = \"j\"\nkind = \"gear\"\nbody_a = \"a\"\nbody_b = \"b\"\nposition = [1, 0, 0]\nratio = 0",
        "joint[0].ratio",
    ),
    ("[[rope]]\nname = \"r\"\nfrom = [0, 5, 0]\nto = [0, 5, 0]\nsegments = 3\nmass = 1", "rope[0]"),
    (
        "[[rope]]\nname = \"r\"\nfrom = [0, 5, 0]\nto = [0, 6, 0]\nsegments = 4000000000\nmass = 1",
        "rope[0].segments",
    ),
    ("[[rope]]\nname = \"r\"\nfrom = [0, 5, 0]\nto = [0, 6, 0]\nsegments = 3\nmass = 0", "rope[0].mass"),
    (
        "[[cloth]]\nname = \"c\"\ncorner = [0, 5, 0]\nu = [1, 0, 0]\nv = [2, 0, 0]\nvertices = [3, 3]\ndensity = 1",
        "cloth[0].v",
    ),
    ("[[soft]]\nname = \"s\"\nsize = [1, 1, 1]\ncells = [1000, 1, 1]", "soft[0].cells[0]"),
    ("[[soft]]\nname = \"s\"\nsize = [1, 1, 1]\ncells = [1, 1, 1]\npoisson = 0.5", "soft[0].poisson"),
    ("[[bond]]\nparticles = [\"ghost\", \"p\"]", "bond[0].particles[0]"),
    (
        "[[particle]]\nname = \"p\"\npinned = true\n[[attachment]]\nparticles = \"p\"\nbody = \"a\"",
        "attachment[0].particles",
    ),
];

/// Contradictory or ineffective scenes: they run, and every state is finite.
pub const TAKEN: [&str; 8] = [
    // Three welds between the same two bodies, with incompatible frames.
    r#"
[[joint]]
name = "one"
kind = "fixed"
body_a = "a"
body_b = "b"
frame_a = { position = [0.5, 0, 0] }
frame_b = { position = [-0.5, 0, 0] }
[[joint]]
name = "two"
kind = "fixed"
body_a = "a"
body_b = "b"
frame_a = { position = [0, 1, 0], rotation_deg = [90, 0, 0] }
frame_b = { position = [0, -1, 0] }
[[joint]]
name = "three"
kind = "fixed"
body_a = "a"
body_b = "b"
frame_a = { position = [0, 0, 0], rotation_deg = [0, 180, 0] }
frame_b = { position = [0, 0, 3], rotation_deg = [0, 0, 179] }
"#,
    // A gear between bodies whose axes are not held, and a hinge against it.
    r#"
[[joint]]
name = "gear"
kind = "gear"
body_a = "a"
body_b = "b"
position = [1, 0, 0]
ratio = -1e6
[[joint]]
name = "hinge"
kind = "hinge"
body_a = "a"
body_b = "b"
position = [1, 0, 0]
axis = [0, 1, 0]
turn = { velocity_deg = 1e6 }
"#,
    // Every particle pinned.
    r#"
[[cloth]]
name = "cloth"
corner = [0, 5, 0]
u = [1, 0, 0]
v = [0, 0, 1]
vertices = [2, 2]
density = 1.0
stretch_compliance = 0.0
pinned = ["u_min", "u_max"]
"#,
    // Two pinned particles and a bond of another length.
    r#"
[[particle]]
name = "p"
pinned = true
[[particle]]
name = "q"
pinned = true
position = [0, 9, 0]
[[bond]]
particles = ["p", "q"]
rest = 1.0
"#,
    // Two particles at one point, with a bond of positive length.
    r#"
[[particle]]
name = "p"
position = [0, 9, 0]
[[particle]]
name = "q"
position = [0, 9, 0]
radius = 0.1
[[particle]]
name = "o"
position = [0, 9, 0.01]
radius = 0.1
[[bond]]
particles = ["p", "o"]
rest = 2.0
[[bond]]
particles = ["q", "o"]
rest = 0.0
"#,
    // A particle of almost no mass tied to both boxes.
    r#"
[[particle]]
name = "p"
mass = 1e-12
position = [1, 0, 0]
[[attachment]]
particles = "p"
body = "a"
[[attachment]]
particles = "p"
body = "b"
"#,
    // A block turned inside out by its attachments.
    r#"
[[soft]]
name = "block"
size = [0.5, 0.5, 0.5]
cells = [1, 1, 1]
position = [0, 3, 0]
velocity = [0, -300, 0]
young = 1e9
[[attachment]]
particles = "block.y_max"
body = "a"
[[attachment]]
particles = "block.y_min"
body = "b"
"#,
    // A nearly rigid drive to a distant goal, against bounds without play.
    r#"
[[joint]]
name = "rail"
kind = "prismatic"
body_a = "a"
body_b = "b"
position = [1, 0, 0]
slide = { min = 0, max = 0, position = 1e9, drive_compliance = 1e-300 }
"#,
];

/// Beyond the range of floating-point numbers: the step fails with a message and changes nothing.
pub const BEYOND: [&str; 1] = [r#"
[[joint]]
name = "far"
kind = "fixed"
body_a = "a"
frame_a = { position = [-1, -1, -1] }
frame_b = { position = [-1, 1e300, -1] }
"#];
