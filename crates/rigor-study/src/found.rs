//! Runs that are there: those of folders, and of a study that was made before.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use rigor_run::Folder;
use rigor_run::kept::{KeptRun, within};
use toml::Value;

use crate::conduct::{Results, conduct};
use crate::driver::{Options, Shard};
use crate::error::StudyError;
use crate::naming::tell_scenes_apart;
use crate::plan::MAX_RUNS;
use crate::plan::Plan;
use crate::row::Row;
use crate::task::Task;

/// Letters of a run's identity that tell it from others.
const LETTERS: usize = 6;

/// Reads the runs of `roots`: each the folder of a run, of a study, or of a report; with the plan if there is one study and nothing
/// else. Runs of a study that another version of the program made are read without its plan. No run is made.
///
/// # Errors
/// [`StudyError`] about a plan or a run that cannot be read.
pub fn found(roots: &[PathBuf]) -> Result<(Option<Plan>, Results), StudyError> {
    if let [root] = roots
        && root.join("plan.toml").is_file()
        && !Folder::new(root).record().is_file()
    {
        let plan = Plan::read(&root.join("plan.toml"))?;
        // No run is of this part.
        let shard = Some(Shard { index: MAX_RUNS, of: MAX_RUNS + 1 });
        let options = Options { shard, ..Options::new(root) };
        let results = conduct(&plan, &options, &AtomicBool::new(false), &|_, _| {})?;
        // A run that the plan does not find may be of another version of the program, or damaged.
        let is_shown = |folder: &Folder| results.rows.iter().any(|row| row.folder == *folder);
        for folder in folders(roots).iter().filter(|folder| folder.record().is_file() && !is_shown(folder)) {
            KeptRun::open(folder)?;
        }
        let has_others = || folders(roots).iter().any(|folder| folder.record().is_file());
        if !results.rows.is_empty() || !has_others() {
            return Ok((Some(plan), results));
        }
    }
    let mut rows = Vec::new();
    for folder in folders(roots) {
        rows.push(row(&folder)?);
    }
    tell_scenes_apart(&mut rows);
    rows.sort_by(|a: &Row, b: &Row| a.scene.cmp(&b.scene));
    tell_apart(&mut rows);
    Ok((None, Results { rows, ..Results::default() }))
}

/// The folders of the runs of `roots`: each itself, or those in its folder `runs`.
pub fn folders(roots: &[PathBuf]) -> Vec<Folder> {
    roots.iter().flat_map(|root| within(root)).collect()
}

/// The run in a folder, which may still go on.
///
/// # Errors
/// [`StudyError`] when it cannot be read, or its files were changed.
pub fn row(folder: &Folder) -> Result<Row, StudyError> {
    let KeptRun { record, loaded, .. } = KeptRun::open(folder)?;
    let task = Task::of_loaded(loaded, record.method.clone(), record.steps as f64 * record.dt);
    Ok(Row::new(task, record, folder.clone()))
}

/// Adds letters of their identities to runs of one scene, method and Δt, which differ in their settings.
fn tell_apart(rows: &mut [Row]) {
    let key = |row: &Row| (row.scene.clone(), row.record.method.clone(), row.record.dt.to_bits());
    let keys: Vec<_> = rows.iter().map(key).collect();
    for (k, row) in rows.iter_mut().enumerate() {
        if keys.iter().filter(|other| **other == keys[k]).count() > 1 {
            let letters: String = row.record.identity.chars().take(LETTERS).collect();
            row.task.point.push(("run".to_owned(), Value::String(letters)));
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_run::disk::load_scene;
    use rigor_run::execute::{self, KeptFiles};

    use super::*;

    #[test]
    fn runs_that_the_plan_does_not_find_are_shown_without_it() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().to_owned();
        std::fs::write(
            path.join("plan.toml"),
            "[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"pbd\"\n",
        )
        .expect("it is written");
        let mut loaded = load_scene("bouncing/ball", &[]).expect("a case");
        loaded.scene.time.duration = 2.0 * loaded.scene.time.dt;
        let folder = Folder::new(path.join("runs/other"));
        let keeps = KeptFiles { products: false, ..KeptFiles::default() };
        let plan = execute::Plan { keeps, ..execute::Plan::new(loaded, "xpbd", folder) };
        execute::execute(&plan, false, &AtomicBool::new(false), &mut |_| {}).expect("a run");
        let (plan, results) = found(&[path]).expect("a run");
        assert!(plan.is_none());
        assert_eq!(results.rows.iter().map(|row| row.record.method.as_str()).collect::<Vec<_>>(), ["xpbd"]);
    }
}
