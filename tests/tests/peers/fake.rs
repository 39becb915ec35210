//! An engine that speaks the protocol and can fail in every way; it lets bodies fall and knows no contact.

use std::io::{BufRead, Write};
use std::time::Duration;

use rigor_peers::process::Capabilities;
use rigor_peers::process::capabilities::{Decomposition, OpenSurface, Precision, Surface};
use rigor_peers::process::coefficient::Rule;
use serde_json::{Value, json};

/// The argument that makes this program a fake engine; the next one is its fault.
pub const FLAG: &str = "--fake-engine";

/// The lines of noise.
const NOISE: usize = 1_000_000;

/// Replies to requests on standard input, with this `fault`.
pub fn run(fault: &str) {
    let mut engine = Fake { fault: fault.to_owned(), ..Fake::default() };
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if request["do"] == "bye" {
            return;
        }
        let reply = engine.reply(&request);
        say(&format!("{reply}\n"));
        if fault == "deaf" {
            // It never reads its input again.
            sleep();
        }
    }
}

#[allow(clippy::print_stdout, reason = "standard output is the protocol's")]
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).unwrap();
    out.flush().unwrap();
}

#[allow(clippy::print_stderr, reason = "standard error is for words")]
fn mutter(text: &str) {
    eprintln!("{text}");
}

fn sleep() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[derive(Default)]
struct Fake {
    fault: String,
    gravity: Vec<f64>,
    dt: f64,
    rows: Vec<Vec<f64>>,
    /// Steps taken.
    steps: u64,
    /// CPU time (s) that it says its process has needed.
    process: f64,
}

/// CPU time (s) of a step of the engine.
const STEP: f64 = 1e-6;

/// CPU time (s) that a message takes beside its steps, as the fault `timed` tells.
pub const MESSAGE: f64 = 5e-6;

/// The step at which the faults that come late come, amid the steps of a message.
pub const LATE: u64 = 10;

impl Fake {
    fn reply(&mut self, request: &Value) -> Value {
        match request["do"].as_str().unwrap() {
            "hello" => self.hello(),
            "load" => self.load(request),
            "advance" => self.advance(request),
            _ => json!({ "bodies": self.rows }),
        }
    }

    fn hello(&self) -> Value {
        if self.fault == "stillborn" {
            mutter("no licence");
            std::process::exit(3);
        }
        let capabilities = Capabilities {
            static_concave: Surface::Exact,
            dynamic_concave: Surface::Exact,
            decomposition: Decomposition::Coacd,
            convex_edges: None,
            round: Vec::new(),
            static_open: OpenSurface::Exact,
            restitution: None,
            friction: Rule::Average,
            static_friction: false,
            kinematic: false,
            fixed_axes: false,
            loads: false,
            joints: Vec::new(),
            pair_filter: true,
            contact_forces: true,
            gyroscopic: self.fault != "lacking",
            precision: Precision::Double,
            deterministic: true,
            threads: 1,
        };
        let protocol = if self.fault == "version" { 99 } else { rigor_peers::process::PROTOCOL };
        json!({ "protocol": protocol, "engine": "fake", "version": "1", "capabilities": capabilities })
    }

    fn load(&mut self, request: &Value) -> Value {
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
        };
        self.gravity = numbers(&request["gravity"]);
        self.dt = request["dt"].as_f64().unwrap();
        let bodies = request["bodies"].as_array().unwrap();
        let dynamic = bodies.iter().filter(|body| body["role"] == "dynamic");
        self.rows = dynamic.map(|body| numbers(&body["state"])).collect();
        let factor = if self.fault == "mass" { 1.01 } else { 1.0 };
        let used: Vec<Value> = bodies
            .iter()
            .map(|body| {
                let i = numbers(&body["inertia"]);
                json!({
                    "mass": factor * body["mass"].as_f64().unwrap(),
                    "com": body["com"],
                    // The bodies of these tests are cubes: their inertia has the same numbers in all axes.
                    "inertia": [i[0], i[1], i[2], 0, 0, 0],
                    "friction": body["friction"],
                })
            })
            .collect();
        self.process = 1.0;
        json!({ "gravity": self.gravity, "dt": self.dt, "bodies": used, "process": self.told() })
    }

    /// The CPU time of its process, if it tells.
    fn told(&self) -> Option<f64> {
        (self.fault == "timed").then_some(self.process)
    }

    fn advance(&mut self, request: &Value) -> Value {
        let n = request["n"].as_u64().unwrap();
        let mut rows = Vec::new();
        for _ in 0..n {
            if self.steps == LATE {
                match self.fault.as_str() {
                    "dies_late" => {
                        mutter("assertion failed: step < 10");
                        std::process::exit(7);
                    }
                    "refuses_late" => return json!({ "error": "the solver gave up", "bodies": [1] }),
                    "nan_late" => self.rows[0][8] = f64::NAN,
                    _ => {}
                }
            }
            self.steps += 1;
            for row in &mut self.rows {
                for axis in 0..3 {
                    row[7 + axis] += self.dt * self.gravity[axis];
                    row[axis] += self.dt * row[7 + axis];
                }
            }
            rows.extend(self.rows.clone());
        }
        match self.fault.as_str() {
            "dies" => {
                mutter("first words");
                mutter("assertion failed: penetration < 1");
                std::process::exit(7);
            }
            "hangs" => sleep(),
            "half" => {
                say("{\"cpu\":[0.0],\"bod");
                std::process::exit(0);
            }
            "babbles" => say("Hello from the engine!\n"),
            "noise" => (0..NOISE).for_each(say_all),
            "muttering" => (0..NOISE).for_each(|i| mutter(&format!("warning {i}"))),
            "nan" => rows[0][8] = f64::NAN,
            "literal_nan" => say("{\"cpu\":[0.0],\"bodies\":[[NaN]]}\n"),
            "short" => drop(rows[0].pop()),
            "count" => rows.push(vec![0.0; 13]),
            "drifts" => rows.iter_mut().for_each(|row| row[0] += f64::from(std::process::id()) * 1e-6),
            "refuses" => return json!({ "error": "the solver gave up", "bodies": [1] }),
            "refuses_all" => return json!({ "error": "the solver gave up", "bodies": [] }),
            _ => {}
        }
        let contacts = match self.fault.as_str() {
            "stranger" if request["contacts"] == true => {
                json!([[1, 5, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.5]])
            }
            _ => json!([]),
        };
        let mut counts = vec![0; n as usize];
        counts[0] = contacts.as_array().unwrap().len();
        if self.fault == "miscounts" {
            counts = vec![3; n as usize];
        }
        self.process += n as f64 * STEP + MESSAGE;
        let cpu = vec![STEP; if self.fault == "timeless" { 0 } else { n as usize }];
        json!({ "cpu": cpu, "bodies": rows, "contacts": contacts, "contact_counts": counts, "process": self.told() })
    }
}

fn say_all(i: usize) {
    // Whoever listens may stop listening.
    let _ = writeln!(std::io::stdout(), "noise {i}");
}
