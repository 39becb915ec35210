//! The states of all runs of a scene, as pictures from one camera show them.

use rigor_report::render::Camera;
use rigor_run::Folder;
use rigor_run::folder::frames::{Frame, Reader};
use rigor_scene::{BodyForce, Scene, State};

use crate::error::StudyError;
use crate::report::scene_of;
use crate::row::Row;

/// The runs of a scene.
#[derive(Debug)]
pub struct Album {
    /// The scene.
    pub scene: Scene,
    /// The camera that frames all runs at the start and at the end.
    pub camera: Camera,
    /// The folder of each run that has frames, in the order of the rows, with the index of its row.
    pub runs: Vec<(usize, Folder)>,
    /// The last frame of each of them.
    pub last: Vec<Frame>,
}

impl Album {
    /// Reads the ends of the runs, all of one scene.
    ///
    /// # Errors
    /// [`StudyError`] when a run cannot be read.
    pub fn of(rows: &[&Row]) -> Result<Self, StudyError> {
        let scene = scene_of(rows)?;
        let start = State::initial(&scene);
        let has_frames = |(_, row): &(usize, &&Row)| row.folder.frames().is_file();
        let runs: Vec<(usize, Folder)> =
            rows.iter().enumerate().filter(has_frames).map(|(k, row)| (k, row.folder.clone())).collect();
        let mut last = Vec::new();
        for (_, folder) in &runs {
            last.push(FrameSequence::open(&scene, folder)?.at(f64::INFINITY)?.clone());
        }
        let states: Vec<&State> =
            std::iter::once(&start).chain(last.iter().map(|frame| &frame.state)).collect();
        let camera = Camera::framing(&scene, &states);
        Ok(Self { scene, camera, runs, last })
    }
}

/// The frames of a run, one after another.
pub struct FrameSequence {
    reader: Reader,
    now: Frame,
    next: Option<Frame>,
}

impl FrameSequence {
    /// Starts at the first frame.
    ///
    /// # Errors
    /// [`StudyError`] when the frames cannot be read.
    pub fn open(scene: &Scene, folder: &Folder) -> Result<Self, StudyError> {
        let mut reader = Reader::open(&folder.frames())?;
        let none = Frame { state: State::initial(scene), forces: vec![BodyForce::ZERO; scene.bodies.len()] };
        let now = reader.read()?.unwrap_or(none);
        let next = reader.read()?;
        Ok(Self { reader, now, next })
    }

    /// Winds on to the last frame that is not later than `time` (s), and returns it.
    ///
    /// # Errors
    /// [`StudyError`] when the frames cannot be read.
    pub fn at(&mut self, time: f64) -> Result<&Frame, StudyError> {
        while let Some(next) = self.next.take_if(|next| next.state.time <= time + 1e-9) {
            self.now = next;
            self.next = self.reader.read()?;
        }
        Ok(&self.now)
    }

    /// Returns the frame that is shown and winds on by one; `None` behind the last.
    ///
    /// # Errors
    /// [`StudyError`] when the frames cannot be read.
    pub fn forward(&mut self) -> Result<Option<&Frame>, StudyError> {
        let Some(next) = self.next.take() else { return Ok(None) };
        self.now = next;
        self.next = self.reader.read()?;
        Ok(Some(&self.now))
    }

    /// The frame that is shown.
    pub fn now(&self) -> &Frame {
        &self.now
    }
}
