//! Calls that are forbidden in library code.

mod code;

use crate::workspace::{Text, texts};
use code::{library_code, line_of, test_files};

/// A forbidden effect, and the calls that reveal it.
struct Rule {
    why: &'static str,
    calls: &'static [&'static str],
}

/// Functions whose last bit depends on the platform, and those of nalgebra that call them.
const PLATFORM: Rule = Rule {
    why: "its bits differ between platforms: see docs/decisions/elementary-functions.md",
    calls: &[
        ".sin(",
        ".cos(",
        ".tan(",
        ".sin_cos(",
        ".asin(",
        ".acos(",
        ".atan(",
        ".atan2(",
        ".sinh(",
        ".cosh(",
        ".tanh(",
        ".exp(",
        ".exp2(",
        ".exp_m1(",
        ".ln(",
        ".ln_1p(",
        ".log(",
        ".log2(",
        ".log10(",
        ".powf(",
        ".powi(",
        ".cbrt(",
        ".hypot(",
        ".angle(",
        ".angle_to(",
        ".axis_angle(",
        ".scaled_axis(",
        ".euler_angles(",
        ".slerp(",
        ".try_slerp(",
        ".rotation_to(",
        ".rotation_between(",
        "f64::sin",
        "f64::cos",
        "f64::tan",
        "f64::exp",
        "f64::ln",
        "f64::log",
        "f64::pow",
        "f64::atan",
        "f64::acos",
        "f64::asin",
        "f64::cbrt",
        "f64::hypot",
        "UnitQuaternion::new(",
        "UnitQuaternion::from_axis_angle",
        "UnitQuaternion::from_euler_angles",
        "UnitQuaternion::from_scaled_axis",
        "UnitQuaternion::face_towards",
        "UnitQuaternion::look_at",
        "UnitQuaternion::rotation_between",
        "UnitQuaternion::scaled_rotation_between",
        "Rotation3::new(",
        "Rotation3::from_axis_angle",
        "Rotation3::from_euler_angles",
        "Rotation3::from_scaled_axis",
        "Rotation3::rotation_between",
    ],
};

/// Clock, disk, environment, processes.
const SURROUNDINGS: Rule = Rule {
    why: "only rigor-run, rigor-study, rigor-bench, tests and benchmarks read the clock, the disk or the environment, \
          and only rigor-peers starts processes below them",
    calls: &[
        "std::time",
        "Instant::now",
        "SystemTime",
        "std::fs",
        "fs::",
        "File::open",
        "std::env",
        "env::var",
        "std::process",
        "process::exit",
        "std::net",
        "thread::sleep",
        "thread::spawn",
    ],
};

/// Output.
const PRINTING: Rule = Rule {
    why: "printing belongs to the program alone",
    calls: &["println!", "print!", "eprintln!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
};

/// Returns the complaints about library code at `path`.
fn check(path: &str, code: &str, rule: &Rule) -> Vec<String> {
    let mut complaints = Vec::new();
    for call in rule.calls {
        for (at, _) in code.match_indices(call) {
            let before = code[..at].chars().next_back();
            let longer = call.starts_with(char::is_alphabetic)
                && before.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if !longer {
                complaints.push(format!("{path}:{}: {call}: {}", line_of(code, at), rule.why));
            }
        }
    }
    complaints
}

/// Returns the sources of the crates without modules compiled only for tests.
fn libraries() -> Vec<Text> {
    let sources = texts("crates", "rs");
    let test_files = test_files(&sources);
    let in_library = |t: &Text| {
        let src = t.path.split('/').nth(2) == Some("src");
        src && !test_files
            .iter()
            .any(|file| t.path == format!("{file}.rs") || t.path.starts_with(&format!("{file}/")))
    };
    let code = |t: Text| Text { text: library_code(&t.text), path: t.path };
    sources.into_iter().filter(in_library).map(code).collect()
}

fn complaints(rule: &Rule, of: impl Fn(&str) -> bool) -> Vec<String> {
    libraries().iter().filter(|t| of(&t.path)).flat_map(|t| check(&t.path, &t.text, rule)).collect()
}

fn below_the_program(path: &str) -> bool {
    !path.starts_with("crates/rigor-bench/")
}

fn below_the_clock(path: &str) -> bool {
    let may_see = ["rigor-run", "rigor-study", "rigor-bench", "rigor-python"];
    // An engine outside is a process, and it is waited for: these two files hold all of that.
    let processes = ["crates/rigor-peers/src/process/channel.rs", "crates/rigor-peers/src/process/stream.rs"];
    !may_see.iter().any(|name| path.starts_with(&format!("crates/{name}/"))) && !processes.contains(&path)
}

#[test]
fn elementary_functions_come_from_one_place() {
    crate::assert_none(&complaints(&PLATFORM, |_| true));
}

#[test]
fn libraries_do_not_see_their_surroundings() {
    crate::assert_none(&complaints(&SURROUNDINGS, below_the_clock));
}

#[test]
fn libraries_do_not_print() {
    crate::assert_none(&complaints(&PRINTING, below_the_program));
}

#[test]
fn forbidden_calls_are_found() {
    let found = |source: &str, rule| check("a.rs", &library_code(source), rule).len();
    for bad in [
        "let y = x.sin();",
        "xs.map(f64::exp)",
        "x.powf(1.5)",
        "a.angle_to(&b)",
        "UnitQuaternion::from_axis_angle(&axis, a)",
        "nalgebra::Rotation3::from_euler_angles(a, b, c)",
        "let c = '\"'; x.cos()",
        "let s = r#\"\"\"#; x.cos()",
        "fn f<'a>(x: &'a f64) { x.cos(); }",
    ] {
        assert_eq!(found(bad, &PLATFORM), 1, "{bad}");
    }
    for good in [
        "elementary::sin(x) + x.sqrt()",
        "rotation_vector::exp(&theta)",
        "quaternion::from_axis_angle(&axis, a)",
        "/// `x.sin()`\n// x.cos()\n/* x.tan() /* x.tan() */ x.tan() */ f(\"x.exp()\")",
        "fn f() {}\n#[cfg(test)]\nmod tests {\n x.sin()\n}\n",
    ] {
        assert_eq!(found(good, &PLATFORM), 0, "{good}");
    }
    assert_eq!(found("use std::fs;\nlet t = Instant::now();", &SURROUNDINGS), 2);
    assert_eq!(found("defs::x(); option_env!(\"A\")", &SURROUNDINGS), 0);
    assert_eq!(found("println!(\"{x}\"); dbg!(x)", &PRINTING), 2);
    assert_eq!(check("a.rs", &library_code("// …\n\nx.sin()"), &PLATFORM)[0][..7], *"a.rs:3:");
}
