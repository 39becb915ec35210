//! The newest frames of a run that goes on, for a page that follows it.

use rigor_report::player::{Budget, Film, PlayerScene, Recorder};
use rigor_report::render::Camera;
use rigor_report::{Comparison, MethodRow, SceneSection};
use rigor_run::Folder;
use rigor_run::folder::frames;
use rigor_run::folder::record::Record;
use rigor_run::kept::KeptRun;
use rigor_scene::{Scene, State};

use crate::error::StudyError;
use crate::row::ending;

/// Maximum number of frames that are handed over at once: a page that asks every second shows so many in it.
const FRAMES: u64 = 25;
/// Maximum number of past frames with which a page begins.
const PAST: u64 = 100;
/// Maximum number of bytes of frames that are read at once. Scenes of many bodies then cost the run no more than others.
const BYTES: u64 = 2 << 20;

/// Reads the frames of one run, and of these only the ones that are asked for.
#[derive(Debug)]
pub struct FrameReader {
    folder: Folder,
    scene: Scene,
    reader: frames::Reader,
    dt: f64,
    every: u64,
}

impl FrameReader {
    /// Opens the frames of a run.
    ///
    /// # Errors
    /// The folder holds no run, or a damaged one.
    pub fn open(folder: &Folder) -> Result<Self, StudyError> {
        let KeptRun { record, loaded, .. } = KeptRun::open(folder)?;
        let (scene, reader) = (loaded.scene, frames::Reader::open(&folder.frames())?);
        let (dt, every) = (record.dt, record.every.max(1));
        Ok(Self { folder: folder.clone(), scene, reader, dt, every })
    }

    /// Returns frames after `step`, evenly apart up to the newest, without contacts; `None` if there is no newer one.
    ///
    /// # Errors
    /// The frames cannot be read.
    pub fn after(&mut self, step: u64) -> Result<Option<Film>, StudyError> {
        let first = (step / self.every).saturating_add(1);
        Ok(self.film(first, FRAMES)?.map(|(film, _)| film))
    }

    /// Returns a page with some frames of the past, and neither pictures nor plots, which would cost the run more than its motion.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn page(&mut self, frame: &Comparison) -> Result<Comparison, StudyError> {
        let record = Record::read(&self.folder.record())?;
        let (film, last) = self.film(0, PAST)?.unzip();
        let start = State::initial(&self.scene);
        let camera = Camera::framing(&self.scene, &[&start, last.as_ref().unwrap_or(&start)]);
        let steps = record.steps_done;
        let row = MethodRow { film, steps, ..MethodRow::new(&record.method, record.dt, ending(&record)) };
        let stage = Some(PlayerScene::new(&self.scene, &camera));
        let section = SceneSection { stage, rows: vec![row], ..SceneSection::of(&self.scene) };
        Ok(Comparison { title: section.name.clone(), scenes: vec![section], ..frame.clone() })
    }

    /// At most `most` frames from `first` on, with the newest, and its state.
    fn film(&mut self, first: u64, most: u64) -> Result<Option<(Film, State)>, StudyError> {
        let end = self.reader.count()?;
        let most = (BYTES / self.reader.frame_bytes().max(1)).clamp(1, most);
        let stride = end.saturating_sub(first).div_ceil(most).max(1);
        let mut recorder = Recorder::new(&self.scene, self.dt, 0, Budget::VIEW);
        let mut last: Option<State> = None;
        let mut wanted: Vec<u64> = (first..end).rev().step_by(stride as usize).collect();
        wanted.reverse();
        for frame in wanted {
            self.reader.seek(frame)?;
            let Some(frame) = self.reader.read()? else { break };
            recorder.observe(&frame.state, &frame.forces, &[]);
            last = Some(frame.state);
        }
        Ok(last.map(|last| (Film { every: stride * self.every, ..recorder.finish(&last) }, last)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use rigor_run::disk::load_scene;
    use rigor_run::execute::{KeptFiles, Plan, execute};

    use super::*;

    /// Makes a run of 61 frames, each second of 121 steps.
    fn run(root: &Path) -> Folder {
        let folder = Folder::new(root.join("run"));
        let mut loaded = load_scene("bouncing/ball", &[]).expect("a case");
        loaded.scene.time.duration = 120.0 * loaded.scene.time.dt;
        let keeps = KeptFiles { every: 2, products: false, ..KeptFiles::default() };
        let plan = Plan { keeps, ..Plan::new(loaded, "xpbd", folder.clone()) };
        execute(&plan, false, &AtomicBool::new(false), &mut |_| {}).expect("a run");
        folder
    }

    #[test]
    fn only_frames_that_are_new_are_handed_over_and_the_newest_is_among_them() {
        let root = tempfile::tempdir().expect("a folder");
        let mut feed = FrameReader::open(&run(root.path())).expect("a run");
        // 60 frames are newer than the first: every third, 20 of them.
        let film = feed.after(0).expect("frames").expect("there are some");
        assert_eq!((film.frames, film.every), (20, 6));
        let film = feed.after(110).expect("frames").expect("there are some");
        assert_eq!((film.frames, film.every), (5, 2));
        assert_eq!(feed.after(120).expect("frames"), None);
        assert_eq!(feed.after(u64::MAX).expect("frames"), None);
        let page = feed.page(&Comparison::default()).expect("a page");
        let row = &page.scenes[0].rows[0];
        assert_eq!(row.film.as_ref().map(|film| (film.frames, film.every)), Some((61, 2)));
    }
}
