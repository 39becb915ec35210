//! Runs every method on every scene at every time step, with the same judges.
//!
//! Runs happen in memory, watched by a panel of judges. A run that fails or panics gets a row like any other.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rigor_audit::{Panel, Verdict};
use rigor_file::Loaded;
use rigor_report::departure::Border;
use rigor_report::player::{Budget, Recorder, Stage};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::{Ending, MethodRow, SceneSection};
use rigor_run::clock::{Timed, clock};
use rigor_run::registry;
use rigor_scene::{Expectation, Observer, Outcome, Scene, State, StepReport, TimeSpan, roll_out};

use crate::told::Told;

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];

/// The runs to compare.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenes.
    pub scenes: Vec<Loaded>,
    /// Names of methods.
    pub methods: Vec<String>,
    /// Time steps (s); empty for each scene's own.
    pub dts: Vec<f64>,
    /// Simulated time (s); `None` for each scene's own duration.
    pub duration: Option<f64>,
    /// Interval of simulated time (s) at which judges of surfaces see a frame.
    pub judge_every: f64,
    /// Number of concurrent runs; 1 for comparable timings.
    pub jobs: usize,
    /// Maximum wall time of a run, which then ends after its current step; `None` for no limit.
    pub limit: Option<Duration>,
}

/// One run of a plan.
#[derive(Debug, Clone)]
struct Job<'a> {
    scene: &'a Scene,
    section: usize,
    method: &'a str,
    time: TimeSpan,
    /// How much of the run the page holds.
    film: Budget,
}

/// Executes all runs and calls `done` with each row. Once `stop` is set, runs end early and no others start.
pub fn compare(
    plan: &Plan,
    stop: &AtomicBool,
    done: &(dyn Fn(&str, &MethodRow) + Sync),
) -> Vec<SceneSection> {
    let jobs = jobs(plan);
    let run = |job: &Job| -> (MethodRow, Option<State>) {
        let (row, last) = guarded(job, plan, stop);
        done(&job.scene.name, &row);
        (row, last)
    };
    let results: Vec<(MethodRow, Option<State>)> = if plan.jobs <= 1 {
        jobs.iter().map(run).collect()
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs.min(jobs.len())).build();
        match pool {
            Ok(pool) => pool.install(|| jobs.par_iter().with_max_len(1).map(run).collect()),
            Err(_) => jobs.iter().map(run).collect(),
        }
    };
    sections(plan, &jobs, results)
}

/// Returns the number of runs of a plan.
pub fn count(plan: &Plan) -> usize {
    jobs(plan).len()
}

fn jobs(plan: &Plan) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    let film = Budget::of_page(plan.scenes.len() * plan.methods.len() * plan.dts.len().max(1));
    for (section, loaded) in plan.scenes.iter().enumerate() {
        let scene = &loaded.scene;
        let own = [scene.time.dt];
        let dts: &[f64] = if plan.dts.is_empty() { &own } else { &plan.dts };
        for method in &plan.methods {
            for &dt in dts {
                let duration = plan.duration.unwrap_or(scene.time.duration);
                jobs.push(Job { scene, section, method, time: TimeSpan { dt, duration }, film });
            }
        }
    }
    jobs
}

/// Executes a job and turns a panic into a row.
fn guarded(job: &Job, plan: &Plan, stop: &AtomicBool) -> (MethodRow, Option<State>) {
    let attempt = AssertUnwindSafe(|| run(job, plan, stop));
    catch_unwind(attempt).unwrap_or_else(|panic| {
        let why = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "a panic without a message".into());
        (MethodRow::new(job.method, job.time.dt, Ending::Failed { why }), None)
    })
}

fn run(job: &Job, plan: &Plan, stop: &AtomicBool) -> (MethodRow, Option<State>) {
    let fail = |ending| (MethodRow::new(job.method, job.time.dt, ending), None);
    let settings = job.scene.methods.get(job.method).cloned().unwrap_or_default();
    let chosen = match registry::find(job.method).and_then(|entry| entry.make(&settings, clock())) {
        Ok(chosen) => chosen,
        Err(error) => return fail(Ending::Failed { why: error.to_string() }),
    };
    if let Err(why) = chosen.method.supports(job.scene) {
        return fail(Ending::Skipped { why: why.what.to_string() });
    }
    let notices = chosen.method.notices(job.scene, job.time.dt);
    let mut method = Timed::new(chosen.method);
    let every = (plan.judge_every / job.time.dt).round().max(1.0) as u64;
    let deadline = plan.limit.and_then(|limit| Instant::now().checked_add(limit));
    let film = Recorder::new(job.scene, job.time.dt, job.time.steps(), job.film);
    let mut watcher = Watcher {
        panel: Panel::full(every),
        contacts: 0,
        told: Told::new(),
        film,
        border: Border::new(job.scene),
        stop,
        deadline,
    };
    let mut state = State::initial(job.scene);
    let outcome = roll_out(job.scene, &mut method, &mut state, job.time.dt, job.time.steps(), &mut watcher);
    let Watcher { panel, told, contacts, film, border, .. } = watcher;
    let ending = ending(&outcome, plan, stop);
    // Expectations apply to complete runs only.
    let is_cut = matches!(ending, Ending::Interrupted { .. });
    let judged = |(e, v): (&Expectation, Verdict)| (e.clone(), if is_cut { Verdict::NotMeasured } else { v });
    let expectations = panel.verdicts(job.scene, job.method).into_iter().map(judged).collect();
    let (told, phases) = told.into_series();
    let row = MethodRow {
        settings: serde_json::to_string_pretty(&chosen.settings).unwrap_or_default(),
        ending,
        steps: state.step,
        seconds_per_step: method.seconds_per_step(),
        contacts_mean: (method.steps > 0).then(|| contacts as f64 / method.steps as f64),
        notices,
        flaws: method.flaws.counts(),
        flawed_steps: method.flaws.flawed_steps(),
        findings: panel.findings(job.scene),
        expectations,
        series: panel.series().into_iter().cloned().chain(told).collect(),
        phases,
        film: Some(film.finish(&state)),
        departure: border.departure(job.scene),
        ..MethodRow::new(job.method, job.time.dt, Ending::Completed)
    };
    (row, Some(state))
}

fn ending(outcome: &Outcome, plan: &Plan, stop: &AtomicBool) -> Ending {
    match (outcome, plan.limit) {
        (Outcome::Completed, _) => Ending::Completed,
        (Outcome::Stopped { error, .. }, _) => Ending::Stopped { why: error.to_string() },
        (Outcome::Interrupted { step }, Some(limit)) if !stop.load(Ordering::Relaxed) => {
            Ending::Interrupted {
                why: format!("time limit of {} s reached after {step} steps", limit.as_secs_f64()),
            }
        }
        (Outcome::Interrupted { .. }, _) => Ending::Interrupted { why: "Ctrl-C".into() },
    }
}

struct Watcher<'a> {
    panel: Panel,
    contacts: u64,
    told: Told,
    film: Recorder,
    border: Border,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
}

impl Observer for Watcher<'_> {
    fn start(&mut self, scene: &Scene, state: &State) -> ControlFlow<()> {
        self.panel.observe(scene, state, None);
        self.film.observe(state);
        ControlFlow::Continue(())
    }

    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.contacts += report.contacts.len() as u64;
        self.told.step(state, report);
        self.panel.observe(scene, state, Some(report));
        self.film.observe(state);
        self.border.observe(state);
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        if is_late || self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Groups the rows by scene and adds pictures with the same camera for all methods.
fn sections(plan: &Plan, jobs: &[Job], results: Vec<(MethodRow, Option<State>)>) -> Vec<SceneSection> {
    let mut of_section: BTreeMap<usize, Vec<(MethodRow, Option<State>)>> = BTreeMap::new();
    for (job, result) in jobs.iter().zip(results) {
        of_section.entry(job.section).or_default().push(result);
    }
    let section = |(i, loaded): (usize, &Loaded)| {
        let scene = &loaded.scene;
        let results = of_section.get(&i).cloned().unwrap_or_default();
        let start = State::initial(scene);
        let ends = results.iter().filter_map(|(_, last)| last.as_ref());
        let shown: Vec<&State> = std::iter::once(&start).chain(ends).collect();
        let camera = Camera::framing(scene, &shown);
        let picture = |state: &State| -> Png { Image::of(scene, state, &camera, PICTURE).png() };
        let rows = results
            .into_iter()
            .map(|(row, last)| MethodRow { end_picture: last.as_ref().map(&picture), ..row })
            .collect();
        let stage = Some(Stage::new(scene, &camera));
        SceneSection { start_picture: Some(picture(&start)), stage, rows, ..SceneSection::of(scene) }
    };
    plan.scenes.iter().enumerate().map(section).collect()
}

#[cfg(test)]
mod tests {
    use rigor_run::disk;

    use super::*;

    #[test]
    fn a_run_past_its_limit_is_a_row_with_figures_and_without_verdicts() {
        let plan = Plan {
            scenes: vec![disk::load_scene("bouncing/ball", &[]).unwrap()],
            methods: vec!["xpbd".into()],
            dts: vec![],
            duration: None,
            judge_every: 0.01,
            jobs: 1,
            limit: Some(Duration::ZERO),
        };
        let sections = compare(&plan, &AtomicBool::new(false), &|_, _| {});
        let row = &sections[0].rows[0];
        let why = "time limit of 0 s reached after 1 steps".to_owned();
        assert_eq!((&row.ending, row.steps), (&Ending::Interrupted { why }, 1));
        assert!(row.value("energy.end").is_some());
        assert!(row.expectations.iter().all(|(_, verdict)| *verdict == Verdict::NotMeasured));
    }
}
