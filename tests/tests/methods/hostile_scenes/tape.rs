//! Scene files from random numbers: mostly valid, sometimes out of range, contradictory or NaN.

use std::fmt::Write;

/// Invalid or extreme numbers.
const WILD: [&str; 14] = [
    "nan", "inf", "-inf", "0.0", "-0.0", "-1.0", "1e300", "-1e300", "1e-300", "1e30", "-1e30", "1e-30",
    "1e9", "5e-324",
];
const COUNTS: [&str; 6] = ["0", "1", "4294967295", "2000000", "-1", "1.5"];
const BODIES: [&str; 5] = ["a", "b", "c", "floor", "nobody"];
/// The second body of a joint; the last one, the wild choice, equals the first body.
const OTHERS: [&str; 4] = ["b", "c", "floor", "a"];
const JOINTS: [&str; 9] =
    ["fixed", "ball", "hinge", "universal", "prismatic", "cylindrical", "distance", "gear", "welded"];
const LAWS: [&str; 5] = ["neo_hookean", "st_venant_kirchhoff", "distance_and_volume", "shape", "jelly"];

/// Random numbers, taken one by one; after the last all are 0, which makes the simplest choice.
pub struct Tape<'a> {
    numbers: std::slice::Iter<'a, u16>,
    /// Percentage of numbers that are wild.
    wildness: u16,
    /// Names of single particles in the scene.
    singles: Vec<&'static str>,
    /// Names of groups of particles.
    groups: Vec<&'static str>,
}

impl<'a> Tape<'a> {
    pub fn new(numbers: &'a [u16], wildness: u16) -> Self {
        Self { numbers: numbers.iter(), wildness, singles: vec![], groups: vec![] }
    }

    fn next(&mut self) -> u16 {
        self.numbers.next().copied().unwrap_or(0)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::from(self.next()) % n
    }

    fn is_wild(&mut self) -> bool {
        self.next() % 100 >= 100 - self.wildness
    }

    fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[self.below(of.len())]
    }

    /// Returns one of `of`, whose last entry does not exist.
    fn name<'b>(&mut self, of: &[&'b str]) -> &'b str {
        if self.is_wild() { of[of.len() - 1] } else { self.one(&of[..of.len() - 1]) }
    }

    /// Returns a number from `low` to `high`.
    fn number(&mut self, low: f64, high: f64) -> String {
        if self.is_wild() {
            return self.one(&WILD).to_owned();
        }
        format!("{:?}", low + (high - low) * f64::from(self.next()) / 65535.0)
    }

    /// Returns a power of ten from 10^`low` to 10^`high`.
    fn size(&mut self, low: i32, high: i32) -> String {
        if self.is_wild() {
            return self.one(&WILD).to_owned();
        }
        format!("1e{}", low + self.below((high - low + 1) as usize) as i32)
    }

    /// Returns such a power of ten, or 0.
    fn scale(&mut self, low: i32, high: i32) -> String {
        if self.is_wild() {
            return self.one(&WILD).to_owned();
        }
        match self.below((high - low + 2) as usize) {
            0 => "0.0".to_owned(),
            k => format!("1e{}", low + k as i32 - 1),
        }
    }

    fn vector(&mut self, size: f64) -> String {
        let [x, y, z] = [(); 3].map(|()| self.number(-size, size));
        format!("[{x}, {y}, {z}]")
    }

    fn count(&mut self, low: usize, high: usize) -> String {
        if self.is_wild() {
            return self.one(&COUNTS).to_owned();
        }
        (low + self.below(high - low + 1)).to_string()
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Adds `line` in half of all cases.
    fn perhaps(&mut self, text: &mut String, line: impl FnOnce(&mut Self) -> String) {
        if self.flag() {
            let line = line(self);
            let _ = writeln!(text, "{line}");
        }
    }

    /// Returns the entire file.
    pub fn scene(&mut self) -> String {
        let mut text = "format = 1\n[time]\ndt = 0.01\nduration = 0.2\n".to_owned();
        text += "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -3, 0]\n";
        text += "[[body.shape]]\nbox = { size = [20, 1, 20] }\n";
        for (name, x) in [("a", -0.6), ("b", 0.6), ("c", 1.8)] {
            let _ = writeln!(text, "[[body]]\nname = \"{name}\"\nposition = [{x}, 0, 0]");
            self.perhaps(&mut text, |tape| format!("mass = {}", tape.size(-3, 3)));
            self.perhaps(&mut text, |tape| format!("linear_velocity = {}", tape.vector(2.0)));
            text += "[[body.shape]]\nbox = { size = [1, 1, 1] }\n";
        }
        for k in 0..self.below(4) {
            self.joint(k, &mut text);
        }
        for k in 0..self.below(3) {
            self.particle(k, &mut text);
        }
        if self.flag() {
            self.rope(&mut text);
        }
        if self.flag() {
            self.cloth(&mut text);
        }
        if self.flag() {
            self.block(&mut text);
        }
        if self.singles.len() >= 4 {
            (0..self.below(3)).for_each(|_| self.bond(&mut text));
        }
        if !self.groups.is_empty() {
            (0..self.below(3)).for_each(|_| self.attachment(&mut text));
        }
        text
    }

    /// Adds names that bonds and attachments may use.
    fn offer(&mut self, singles: &[&'static str], groups: &[&'static str]) {
        self.singles.extend(singles);
        self.groups.extend(groups);
    }

    /// Returns one of the names offered.
    fn offered(&mut self, names: &[&'static str]) -> &'static str {
        if self.is_wild() { "ghost" } else { names[self.below(names.len())] }
    }

    fn joint(&mut self, k: usize, text: &mut String) {
        let kind = self.name(&JOINTS);
        let name = if self.is_wild() { 0 } else { k };
        let _ = writeln!(text, "[[joint]]\nname = \"joint-{name}\"\nkind = \"{kind}\"");
        let _ = writeln!(text, "body_a = \"{}\"", self.name(&["a", "nobody"]));
        self.perhaps(text, |tape| format!("body_b = \"{}\"", tape.name(&OTHERS)));
        if self.flag() {
            // The frames need not meet: several joints between two bodies contradict each other.
            let [a, b] = [(); 2].map(|()| {
                format!("{{ position = {}, rotation_deg = {} }}", self.vector(1.0), self.vector(180.0))
            });
            let _ = writeln!(text, "frame_a = {a}\nframe_b = {b}");
        } else {
            let _ = writeln!(text, "position = {}", self.vector(1.0));
            self.perhaps(text, |tape| format!("axis = {}", tape.vector(1.0)));
        }
        self.perhaps(text, |tape| format!("compliance = {}", tape.scale(-9, 1)));
        self.perhaps(text, |tape| format!("angular_compliance = {}", tape.scale(-9, 1)));
        self.perhaps(text, |tape| format!("angular_damping = {}", tape.scale(-2, 4)));
        self.perhaps(text, |tape| format!("linear_damping = {}", tape.scale(-2, 4)));
        self.perhaps(text, |tape| format!("break_force = {}", tape.size(-1, 4)));
        let freedom = |tape: &mut Self, unit: &str, goals: [&str; 2], size: f64| {
            let (min, max) = (tape.number(-size, 0.0), tape.number(0.0, size));
            let (goal, aim) = (tape.one(&goals), tape.number(-size, size));
            let (law, damping) = (tape.law(unit, size), tape.scale(-2, 4));
            format!(
                "{{ min{unit} = {min}, max{unit} = {max}, {goal} = {aim}, {law}, drive_damping = {damping} }}"
            )
        };
        let turn = |tape: &mut Self| freedom(tape, "_deg", ["angle_deg", "velocity_deg"], 170.0);
        let slide = |tape: &mut Self| freedom(tape, "", ["position", "velocity"], 1.0);
        match kind {
            "ball" => {
                self.perhaps(text, |tape| format!("swing = {{ max_deg = {} }}", tape.number(0.0, 180.0)));
            }
            "hinge" => self.perhaps(text, |tape| format!("turn = {}", turn(tape))),
            "prismatic" => self.perhaps(text, |tape| format!("slide = {}", slide(tape))),
            "cylindrical" => {
                self.perhaps(text, |tape| format!("turn = {}", turn(tape)));
                self.perhaps(text, |tape| format!("slide = {}", slide(tape)));
            }
            "distance" => {
                if self.flag() {
                    let (goal, aim) = (self.one(&["distance", "velocity"]), self.number(0.0, 2.0));
                    let (law, damping) = (self.law("", 1.0), self.scale(-2, 4));
                    let _ = writeln!(text, "length = {{ {goal} = {aim}, {law}, drive_damping = {damping} }}");
                    self.perhaps(text, |tape| format!("max = {}", tape.number(0.5, 2.0)));
                } else {
                    let _ = writeln!(text, "max = {}", self.number(0.5, 2.0));
                }
                self.perhaps(text, |tape| format!("min = {}", tape.number(0.0, 0.5)));
            }
            "gear" => {
                let _ = writeln!(text, "ratio = {}", self.number(-3.0, 3.0));
            }
            _ => {}
        }
    }

    /// Returns a force law of a drive for deviations of about `size`.
    fn law(&mut self, unit: &str, size: f64) -> String {
        match self.one(&["compliance", "stiffness", "table"]) {
            "compliance" => format!("drive_compliance = {}", self.scale(-6, 0)),
            "stiffness" => {
                let terms = [(); 3].map(|()| self.scale(-2, 6));
                format!("drive_stiffness = {terms:?}")
            }
            _ => {
                let (from, to) = (self.number(-size, 0.0), self.number(0.0, size));
                let (least, most) = (self.number(-100.0, 10.0), self.scale(-2, 6));
                format!("drive_table{unit} = [[{from}, {least}], [0, {least}], [{to}, {most}]]")
            }
        }
    }

    fn particle(&mut self, k: usize, text: &mut String) {
        self.offer(&["p0", "p1"][k..=k], &[]);
        let _ = writeln!(text, "[[particle]]\nname = \"p{k}\"\nposition = {}", self.vector(3.0));
        self.perhaps(text, |tape| format!("mass = {}", tape.size(-3, 3)));
        self.perhaps(text, |tape| format!("radius = {}", tape.number(0.0, 0.3)));
        self.perhaps(text, |_| "pinned = true".to_owned());
        self.perhaps(text, |tape| format!("velocity = {}", tape.vector(20.0)));
    }

    fn matter(&mut self, pins: &[&str], text: &mut String) {
        self.perhaps(text, |tape| format!("radius = {}", tape.number(0.0, 0.1)));
        // A pinned particle cannot be attached.
        if self.below(4) == 0 {
            let _ = writeln!(text, "pinned = [\"{}\"]", self.name(pins));
        }
        self.perhaps(text, |tape| format!("velocity = {}", tape.vector(5.0)));
        self.perhaps(text, |tape| format!("friction = {}", tape.number(0.0, 1.0)));
        self.perhaps(text, |tape| format!("restitution = {}", tape.number(0.0, 1.0)));
        self.perhaps(text, |_| "self_contact = true".to_owned());
    }

    fn rope(&mut self, text: &mut String) {
        self.offer(&["rope.first", "rope.1"], &["rope"]);
        let (from, to) = (self.vector(2.0), self.vector(2.0));
        let _ = writeln!(text, "[[rope]]\nname = \"rope\"\nfrom = {from}\nto = {to}");
        let _ = writeln!(text, "segments = {}\nmass = {}", self.count(1, 12), self.size(-3, 2));
        let _ = writeln!(text, "stretch_compliance = {}", self.scale(-9, 0));
        self.perhaps(text, |tape| format!("bending_compliance = {}", tape.scale(-6, 2)));
        self.matter(&["first", "last", "0", "middle"], text);
    }

    fn cloth(&mut self, text: &mut String) {
        self.offer(&["cloth.corner", "cloth.3"], &["cloth.u_min"]);
        let (corner, u, v) = (self.vector(1.0), self.vector(2.0), self.vector(2.0));
        let _ = writeln!(text, "[[cloth]]\nname = \"cloth\"\ncorner = {corner}\nu = {u}\nv = {v}");
        let _ = writeln!(text, "vertices = [{}, {}]", self.count(2, 6), self.count(2, 6));
        let _ = writeln!(text, "density = {}", self.size(-2, 1));
        let _ = writeln!(text, "stretch_compliance = {}", self.scale(-9, 0));
        self.perhaps(text, |tape| format!("shear_compliance = {}", tape.scale(-6, 0)));
        self.perhaps(text, |tape| format!("bending_compliance = {}", tape.scale(-6, 2)));
        self.perhaps(text, |_| "bending = \"distance\"".to_owned());
        self.matter(&["corner", "u_max", "3", "cloth"], text);
    }

    fn block(&mut self, text: &mut String) {
        self.offer(&["block.0", "block.2"], &["block.x_max"]);
        let law = self.name(&LAWS);
        let size = [(); 3].map(|()| self.number(0.1, 1.0)).join(", ");
        let cells = [(); 3].map(|()| self.count(1, 3)).join(", ");
        let _ =
            writeln!(text, "[[soft]]\nname = \"block\"\nlaw = \"{law}\"\nsize = [{size}]\ncells = [{cells}]");
        let _ = writeln!(text, "position = {}", self.vector(2.0));
        match law {
            "neo_hookean" | "st_venant_kirchhoff" => {
                self.perhaps(text, |tape| format!("young = {}", tape.size(1, 11)));
                self.perhaps(text, |tape| format!("poisson = {}", tape.number(-0.99, 0.499)));
            }
            _ => self.perhaps(text, |tape| format!("compliance = {}", tape.scale(-9, 1))),
        }
        self.matter(&["x_min", "y_max", "block"], text);
    }

    fn bond(&mut self, text: &mut String) {
        let (kind, n) = [("distance", 2), ("bending", 4), ("volume", 4)][self.below(3)];
        // Consecutive particles: none is used twice unless there are too few.
        let (singles, start) = (self.singles.clone(), self.below(self.singles.len()));
        let mut among: Vec<_> = singles.iter().cycle().skip(start).take(n).copied().collect();
        if self.is_wild() {
            among[n - 1] = self.offered(&singles);
        }
        let among = among.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "[[bond]]\nkind = \"{kind}\"\nparticles = [{among}]");
        self.perhaps(text, |tape| format!("rest = {}", tape.number(0.0, 2.0)));
        self.perhaps(text, |tape| format!("compliance = {}", tape.scale(-9, 1)));
    }

    fn attachment(&mut self, text: &mut String) {
        let groups = self.groups.clone();
        let _ = writeln!(text, "[[attachment]]\nparticles = \"{}\"", self.offered(&groups));
        let _ = writeln!(text, "body = \"{}\"", self.name(&BODIES));
        self.perhaps(text, |tape| format!("compliance = {}", tape.scale(-9, 1)));
    }
}
