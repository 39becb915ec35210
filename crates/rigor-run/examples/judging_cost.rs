//! Compares the CPU time that judging takes with that of the run. `CASE:METHOD` or `CASE:METHOD:STEPS` names a run:
//! `cargo run --release -p rigor-run --example judging_cost newtons-cradle:xpbd stacks/10:ipc:100`.
//!
//! Each run is made once and its frames are judged three times, of which the fastest counts. A run stops after three
//! seconds. The last columns are the time (ms) of the frame that took longest and the number of triangles of all bodies. With the variable `JUDGES`, each judge is measured alone as well; with `FINDINGS=FILE`, all findings are
//! written to that file, to be compared with those of another version.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fmt::Write;
use std::ops::ControlFlow;

use rigor_audit::Panel;
use rigor_run::disk::load_scene;
use rigor_run::execute::judge_every;
use rigor_run::{clock, cpu, registry};
use rigor_scene::{Observer, Scene, State, StepReport, roll_out};

const SECONDS: f64 = 3.0;
const REPEATS: usize = 3;

/// The frames of a run, with the CPU time (s) of its steps.
struct Kept {
    frames: Vec<(State, StepReport)>,
    began: f64,
    step_began: f64,
    seconds: f64,
}

impl Observer for Kept {
    fn step(&mut self, _scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.seconds += cpu::seconds() - self.step_began;
        self.frames.push((state.clone(), report.clone()));
        let is_late = cpu::seconds() - self.began > SECONDS;
        self.step_began = cpu::seconds();
        if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut findings = String::new();
    println!(
        "{:44} {:>6} {:>9} {:>9} {:>7} {:>9} {:>9}",
        "run", "steps", "ms/step", "judging", "ratio", "slowest", "triangles"
    );
    for argument in std::env::args().skip(1) {
        if let Err(error) = measure(&argument, &mut findings) {
            println!("{argument:44} {error}");
        }
    }
    if let Some(path) = std::env::var_os("FINDINGS") {
        std::fs::write(path, findings)?;
    }
    Ok(())
}

fn measure(argument: &str, findings: &mut String) -> Result<(), Box<dyn Error>> {
    let mut parts = argument.split(':');
    let (case, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or("ipc"));
    let most = parts.next().map_or(Ok(u64::MAX), str::parse)?;
    let scene = load_scene(case, &[])?.scene;
    let settings = scene.methods.get(name).cloned().unwrap_or_default();
    let mut method = registry::find(name)?.make(&settings, clock::clock())?.method;
    method.supports(&scene)?;
    let start = State::initial(&scene);
    let (dt, now) = (scene.time.dt, cpu::seconds());
    let steps = ((scene.time.duration / dt).round() as u64).min(most);
    let mut kept = Kept { frames: Vec::new(), began: now, step_began: now, seconds: 0.0 };
    roll_out(&scene, method.as_mut(), &mut start.clone(), dt, steps, &mut kept);
    let every = judge_every(dt);
    let (seconds, slowest, panel) = judged(&scene, &start, &kept.frames, || Panel::full(every));
    let triangles: usize = scene.bodies.iter().map(|body| body.mesh.triangles().len()).sum();
    let n = kept.frames.len().max(1) as f64;
    let mut line = format!(
        "{:44} {:6} {:9.4} {:9.4} {:7.2} {:9.2} {:9}",
        format!("{case}:{name}"),
        kept.frames.len(),
        1e3 * kept.seconds / n,
        1e3 * seconds / n,
        seconds / kept.seconds,
        1e3 * slowest,
        triangles
    );
    if std::env::var_os("JUDGES").is_some() {
        for judge in Panel::full(every).names() {
            let alone = || Panel::full(every).retain(|other| other == judge);
            let (of_judge, _, _) = judged(&scene, &start, &kept.frames, alone);
            write!(line, "\n{judge:>50} {:20.4} {:7.2}", 1e3 * of_judge / n, of_judge / kept.seconds)?;
        }
    }
    println!("{line}");
    for found in panel.findings(&scene) {
        writeln!(
            findings,
            "{argument} {} {:?} {:?} {:?} {}",
            found.figure, found.body, found.value, found.at, found.detail
        )?;
    }
    for series in panel.series() {
        writeln!(findings, "{argument} {} {:?}", series.name, series.points)?;
    }
    Ok(())
}

/// Returns the least CPU time (s) in which a panel judges the frames, the longest time (s) of one of them in that turn, and the panel.
fn judged(
    scene: &Scene,
    start: &State,
    frames: &[(State, StepReport)],
    make: impl Fn() -> Panel,
) -> (f64, f64, Panel) {
    let (mut least, mut slowest) = (f64::INFINITY, 0.0);
    let mut last = make();
    for _ in 0..REPEATS {
        let (mut panel, began) = (make(), cpu::seconds());
        panel.observe(scene, start, None);
        let (mut longest, mut last_frame): (f64, f64) = (0.0, cpu::seconds());
        for (state, report) in frames {
            panel.observe(scene, state, Some(report));
            let now = cpu::seconds();
            longest = longest.max(now - last_frame);
            last_frame = now;
        }
        let took = cpu::seconds() - began;
        if took < least {
            (least, slowest) = (took, longest);
        }
        last = panel;
    }
    (least, slowest, last)
}
