//! A trajectory of another program, judged and kept like a run.

use rigor_audit::Panel;
use rigor_file::{Loaded, export};
use rigor_scene::{BodyForce, TimeSpan};
use serde_json::json;

use crate::account::Account;
use crate::error::{Fault, RunError};
use crate::execute::{ExecuteError, Plan, blank, check_free, judge, write_scene};
use crate::folder::checkpoint::{self, Marks};
use crate::folder::lock::Lock;
use crate::folder::record::{self, Ending, Record};
use crate::folder::series::{self, AllSeries};
use crate::folder::{Folder, frames, seal};
use crate::foreign::Foreign;

/// The judges that a trajectory without reports faces: all but those of contact forces.
fn panel() -> Panel {
    Panel::full(1).retain(|name| name != "contact" && name != "friction")
}

/// Writes `foreign`, a trajectory of the scene, to `folder` as a run of the method `label`, with what the judges find.
///
/// Δt is the mean interval of the frames. Contact forces are unknown: their judges are left out, and forces are zero.
///
/// # Errors
/// [`ExecuteError`] when the folder holds a run already, or its files cannot be written.
pub fn adopt(
    foreign: &Foreign,
    loaded: &Loaded,
    label: &str,
    folder: &Folder,
) -> Result<Record, ExecuteError> {
    let scene = &loaded.scene;
    let (first, last) = match (foreign.states.first(), foreign.states.last()) {
        (Some(first), Some(last)) => (first, last),
        _ => return Err(RunError::new(&folder.frames(), Fault::NoFrame).into()),
    };
    let dt = if last.step > 0 { (last.time - first.time) / last.step as f64 } else { scene.time.dt };
    let time = TimeSpan { dt, duration: dt * last.step as f64 };
    let plan = Plan { time, judge_every: 1, ..Plan::new(loaded.clone(), label, folder.clone()) };
    let exported = export(loaded)?;
    check_free(folder)?;
    let _lock = Lock::take(folder)?;
    check_free(folder)?;
    write_scene(folder, &exported)?;
    let velocities = if foreign.has_differences { "differences of positions" } else { "those of the file" };
    let mut record = Record {
        scene_hash: record::hash(&exported),
        settings: json!({ "trajectory": "from another program", "velocities": velocities }),
        steps: last.step,
        files: seal::seal_scene(folder)?,
        ..blank(&plan)
    };
    record.warnings.extend(foreign.warnings(scene));
    record.write(&folder.record())?;
    let mut panel = panel();
    let mut writer = frames::Writer::create(&folder.frames(), scene.bodies.len(), scene.particles.len())?;
    let forces = vec![BodyForce::ZERO; scene.bodies.len()];
    for state in &foreign.states {
        writer.push(state, &forces)?;
        panel.observe(scene, state, None);
    }
    let marks = Marks::from([("frames.bin".to_owned(), writer.flush()?)]);
    checkpoint::write(&folder.checkpoint(), last, &marks, &[], &Account::default())?;
    let quantities = panel.series().into_iter().cloned().collect();
    series::write(&folder.series(), &AllSeries { quantities, phases: Vec::new() })?;
    record.outcome = Ending::Completed;
    record.steps_done = last.step;
    record.state_hash = frames::hash(last);
    judge(&mut record, &panel, &plan);
    record.files = seal::seal(folder)?;
    // The trajectory is not computed here: its bits are its identity.
    record.identity = record.files.get("frames.bin").map(|hash| hash[..32].to_owned()).unwrap_or_default();
    record.write(&folder.record())?;
    Ok(record)
}
