//! Whole runs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_audit::energy;
use rigor_file::Loaded;
use rigor_file::setting::to_json;
use rigor_run::Folder;
use rigor_run::adopt::adopt;
use rigor_run::execute::{KeptFiles, Plan, execute, judge_every};
use rigor_run::folder::frames;
use rigor_run::folder::record::Ending;
use rigor_run::foreign::Foreign;
use rigor_run::timed::Timed;
use rigor_scene::{BodyId, Settings, State, StepReport, TimeSpan, roll_out};
use serde_json::json;

use crate::array::{Matrix, cube, matrix};
use crate::error;
use crate::finished_run::FinishedRun;
use crate::method::{Chosen, RaisedError, choose, settings};
use crate::recorder::Recorder;
use crate::report::{CONTACT, JOINT, STEP, contact_row, joint_row, particle_row, step_row};
use crate::scene::Scene;
use crate::state;
use crate::trajectory;
use crate::verdict::Judgement;

/// A run: what happened, as arrays. The package gives it its shape.
#[pyclass(frozen, module = "rigor._rigor")]
pub struct Run {
    pub(crate) finished: Arc<FinishedRun>,
    pub(crate) judged: Mutex<Option<Arc<Judgement>>>,
}

/// Returns `loaded` with these settings of a method, as if the scene file gave them.
pub fn with_settings(loaded: &Arc<Loaded>, method: &str, own: &Settings) -> Arc<Loaded> {
    if own.is_empty() {
        return Arc::clone(loaded);
    }
    let mut loaded = (**loaded).clone();
    let all = loaded.scene.methods.entry(method.to_owned()).or_default();
    all.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
    let all = to_json(all);
    loaded.document.method.insert(method.to_owned(), all);
    Arc::new(loaded)
}

/// Checks Δt and the number of steps.
///
/// # Errors
/// `ValueError`.
pub fn check_time(dt: f64, duration: f64) -> PyResult<()> {
    for (what, value) in [("dt", dt), ("duration", duration)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(PyValueError::new_err(format!(
                "{what} is {value} s: it must be positive and finite"
            )));
        }
    }
    Ok(())
}

impl Run {
    /// A run that was not judged yet.
    pub fn new(finished: FinishedRun) -> Self {
        Self { finished: Arc::new(finished), judged: Mutex::new(None) }
    }

    /// What the judges found, if they were asked.
    pub fn judgement(&self) -> Option<Arc<Judgement>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn rows(&self, of: impl Fn(&StepReport) -> Vec<f64>) -> Vec<f64> {
        self.finished.reports.iter().flat_map(of).collect()
    }

    /// Rows that begin with the index of their step among those kept.
    fn numbered<T, const N: usize>(
        &self,
        of: impl Fn(&StepReport) -> &Vec<T>,
        row: impl Fn(&T) -> [f64; N],
    ) -> Vec<f64> {
        let mut numbers = Vec::new();
        for (i, report) in self.finished.reports.iter().enumerate() {
            for item in of(report) {
                numbers.push(i as f64);
                numbers.extend(row(item));
            }
        }
        numbers
    }
}

#[pymethods]
impl Run {
    /// Simulates a scene.
    #[new]
    #[pyo3(signature = (scene, method, settings, dt, duration, every = 1, out = None))]
    #[allow(clippy::too_many_arguments, reason = "the package passes them by name")]
    fn simulate(
        py: Python<'_>,
        scene: &Bound<'_, Scene>,
        method: &Bound<'_, PyAny>,
        settings: &str,
        dt: f64,
        duration: f64,
        every: u64,
        out: Option<PathBuf>,
    ) -> PyResult<Self> {
        check_time(dt, duration)?;
        if every == 0 {
            return Err(PyValueError::new_err("every is 0: it must be at least 1 step"));
        }
        let own = self::settings(settings)?;
        let name: String = method.extract().or_else(|_| method.getattr("name")?.extract())?;
        let loaded = with_settings(&scene.borrow().loaded, &name, &own);
        let own = loaded.scene.methods.get(&name).cloned().unwrap_or_default();
        let time = TimeSpan { dt, duration };
        let chosen = choose(py, method, scene.as_any(), &loaded.scene, &own, dt)?;
        let is_written = !method.is_instance_of::<pyo3::types::PyString>();
        let frames = Frames { loaded, time, every };
        let (finished, raised) = match out {
            Some(folder) if !is_written => py.detach(|| frames.recorded(&name, folder))?,
            Some(folder) => {
                let made = py.detach(|| frames.finished(chosen))?;
                save(py, &made.0, folder)?;
                made
            }
            None => py.detach(|| frames.finished(chosen))?,
        };
        let run = Self::new(finished);
        match raised {
            None => Ok(run),
            // The steps that were taken go with the exception.
            Some(error) => {
                error.value(py).setattr("run", Bound::new(py, run)?)?;
                Err(error)
            }
        }
    }

    /// A trajectory from elsewhere, from an `.npz` or a `.csv` file.
    #[staticmethod]
    #[pyo3(signature = (scene, path, label, names, order, origin))]
    fn adopted(
        py: Python<'_>,
        scene: &Scene,
        path: PathBuf,
        label: String,
        names: Vec<(String, String)>,
        order: &str,
        origin: Option<&str>,
    ) -> PyResult<Self> {
        trajectory::adopted(py, &scene.loaded, &path, label, &names, order, origin).map(Self::new)
    }

    /// The run in a folder.
    #[staticmethod]
    fn read(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let (finished, judged) = py.detach(|| trajectory::read(folder))?;
        let run = Self::new(finished);
        *run.judged.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(judged));
        Ok(run)
    }

    /// The run of these parts, as a pickle keeps them.
    #[staticmethod]
    fn of_parts(
        py: Python<'_>,
        scene: &Scene,
        head: &str,
        arrays: Vec<Bound<'_, numpy::PyArrayDyn<f64>>>,
        last: &state::State,
    ) -> PyResult<Self> {
        trajectory::of_parts(py, &scene.loaded, head, &arrays, last).map(Self::new)
    }

    /// All that is not an array, as JSON.
    fn head(&self) -> String {
        let finished = &self.finished;
        let quantities = finished.reports.first().map(|report| {
            report.quantities.iter().map(|quantity| [quantity.name, quantity.unit]).collect::<Vec<_>>()
        });
        json!({
            "method": finished.method,
            "settings": finished.settings,
            "dt": finished.dt,
            "steps": finished.steps,
            "every": finished.every,
            "ending": finished.ending,
            "seconds": finished.seconds,
            "notices": finished.notices,
            "flaws": finished.flaws,
            "flawed_steps": finished.flawed_steps,
            "quantities": quantities.unwrap_or_default(),
            "is_whole": finished.is_whole(),
            "outcome": finished.outcome(),
        })
        .to_string()
    }

    /// Steps of the frames.
    fn step<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.finished.frames.iter().map(|state| state.step as f64))
    }

    /// Times of the frames (s).
    fn time<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.finished.frames.iter().map(|state| state.time))
    }

    /// Positions, quaternions, velocities and angular velocities: n × b × 13.
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let frames = &self.finished.frames;
        let numbers = frames.iter().flat_map(|state| &state.bodies).flat_map(frames::body_numbers).collect();
        cube(py, numbers, [frames.len(), self.finished.loaded.scene.bodies.len(), 13])
    }

    /// Positions and velocities of particles: n × p × 6.
    fn particles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let frames = &self.finished.frames;
        let numbers =
            frames.iter().flat_map(|state| &state.particles).flat_map(frames::particle_numbers).collect();
        cube(py, numbers, [frames.len(), self.finished.loaded.scene.particles.len(), 6])
    }

    /// Strains E row by row: n × b × 9, zero for rigid bodies; 0 × b × 9 if no frame has any.
    fn strains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (frames, b) = (&self.finished.frames, self.finished.loaded.scene.bodies.len());
        let is_rigid = frames.iter().all(|state| state.strains.is_empty());
        let frames = if is_rigid { &[] } else { &frames[..] };
        let of_frame = |state: &State| (0..b).map(|body| state.strain(BodyId(body))).collect::<Vec<_>>();
        let numbers = frames.iter().flat_map(of_frame).flat_map(|e| e.iter().copied().collect::<Vec<_>>());
        cube(py, numbers.collect(), [frames.len(), b, 9])
    }

    /// Kinetic and potential energy (J) of the frames: n × 2.
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let finished = &self.finished;
        let numbers = py.detach(|| {
            let report = |i: usize| i.checked_sub(1).and_then(|i| finished.reports.get(i));
            let of = |(i, state): (usize, &State)| energy::of_step(&finished.loaded.scene, state, report(i));
            finished.frames.iter().enumerate().map(of).flat_map(|(t, v)| [t, v]).collect()
        });
        matrix(py, numbers, 2)
    }

    /// Rows of contacts; each begins with the index of its step.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.numbered(|report| &report.contacts, contact_row), 1 + CONTACT)
    }

    /// Rows of joints.
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.numbered(|report| &report.joints, joint_row), 1 + JOINT)
    }

    /// Rows of contacts of particles.
    fn particle_contacts<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.numbered(|report| &report.particle_contacts, particle_row), 1 + CONTACT)
    }

    /// Iterations, residual, smallest distance and queries of each step.
    fn reports<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.rows(|report| step_row(report).to_vec()), STEP)
    }

    /// The quantities of the method, one row per step.
    fn quantities<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let columns = self.finished.reports.first().map_or(0, |report| report.quantities.len());
        let row = |report: &StepReport| report.quantities.iter().map(|quantity| quantity.value).collect();
        matrix(py, self.rows(row), columns)
    }

    /// The last state, with the memory of the method.
    fn last(&self, py: Python<'_>) -> PyResult<state::State> {
        state::State::of(py, &self.finished.last)
    }

    /// Hash of the bits of the last state, as in `run.json`.
    fn state_hash(&self) -> String {
        state::hash(&self.finished.last)
    }

    /// The scene with the settings of the run.
    fn scene(&self) -> Scene {
        Scene { loaded: Arc::clone(&self.finished.loaded) }
    }

    /// Asks the judges; `written` are those written in Python. Returns findings and verdicts as JSON.
    #[pyo3(signature = (every, scene, written))]
    fn judge(
        &self,
        py: Python<'_>,
        every: Option<u64>,
        scene: &Bound<'_, PyAny>,
        written: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        if every == Some(0) {
            return Err(PyValueError::new_err("judge_every is 0: it must be at least 1 step"));
        }
        let raised = RaisedError::default();
        let judges = written
            .iter()
            .map(|judge| crate::judge::Written::new(judge, scene, raised.clone()))
            .collect::<PyResult<Vec<_>>>()?;
        let finished = Arc::clone(&self.finished);
        let every = every.unwrap_or_else(|| judge_every(finished.dt));
        let judged = py.detach(|| Judgement::of(&finished, every, judges, &raised))?;
        let text = judged.json(&finished);
        *self.judged.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(judged));
        Ok(text)
    }

    /// Writes the run to a folder, as a trajectory: without reports.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        save(py, &self.finished, folder)
    }
}

fn save(py: Python<'_>, finished: &FinishedRun, folder: PathBuf) -> PyResult<()> {
    let foreign = Foreign { states: finished.frames.clone(), has_differences: false, left_out: Vec::new() };
    py.detach(|| adopt(&foreign, &finished.loaded, &finished.method, &Folder::new(folder)))
        .map_err(|why| error::execute(&why))?;
    Ok(())
}

/// A run to make.
struct Frames {
    loaded: Arc<Loaded>,
    time: TimeSpan,
    every: u64,
}

impl Frames {
    /// Simulates in memory. An exception of a signal, such as `KeyboardInterrupt`, comes with the run up to there.
    fn finished(self, chosen: Chosen) -> PyResult<(FinishedRun, Option<PyErr>)> {
        let Self { loaded, time, every } = self;
        let scene = &loaded.scene;
        let mut notices = chosen.notices;
        notices.extend(chosen.method.notices(scene, time.dt).iter().map(ToString::to_string));
        let mut method = Timed::new(chosen.method);
        let mut last = State::initial(scene);
        let mut recorder = Recorder::new(&last, every);
        let outcome = roll_out(scene, &mut method, &mut last, time.dt, time.steps(), &mut recorder);
        chosen.raised.check()?;
        rigor_scene::Method::save(&mut method, &mut last).map_err(error::step)?;
        let finished = FinishedRun {
            ending: Ending::of(&outcome, scene),
            method: chosen.name,
            settings: chosen.settings,
            dt: time.dt,
            steps: time.steps(),
            every,
            frames: recorder.frames,
            reports: recorder.reports,
            seconds: method.seconds,
            notices,
            flaws: recorder.flaws.counts(scene),
            flawed_steps: recorder.flaws.flawed_steps(),
            last,
            loaded,
        };
        Ok((finished, recorder.signals.take()))
    }

    /// Simulates and writes the folder of the run, as the program does; an exception comes as from [`Frames::finished`].
    fn recorded(self, method: &str, folder: PathBuf) -> PyResult<(FinishedRun, Option<PyErr>)> {
        let Self { loaded, time, every } = self;
        let first = State::initial(&loaded.scene);
        let mut last = first.clone();
        let mut recorder = Recorder::new(&first, every);
        let stop = AtomicBool::new(false);
        let keeps = KeptFiles { every, ..KeptFiles::default() };
        let plan = Plan {
            time,
            judge_every: judge_every(time.dt),
            keeps,
            ..Plan::new((*loaded).clone(), method, Folder::new(folder))
        };
        let made = execute(&plan, false, &stop, &mut |live| {
            recorder.keep(live.state, live.report);
            last.clone_from(live.state);
            if recorder.signals.is_raised() {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let record = made.map_err(|why| error::execute(&why))?;
        let finished = FinishedRun {
            ending: record.outcome,
            method: record.method,
            settings: record.settings,
            dt: time.dt,
            steps: record.steps,
            every,
            frames: recorder.frames,
            reports: recorder.reports,
            seconds: record.seconds,
            notices: record.notices.into_iter().map(|notice| notice.text).collect(),
            flaws: record.flaws,
            flawed_steps: record.flawed_steps,
            last,
            loaded,
        };
        Ok((finished, recorder.signals.take()))
    }
}
