//! Sightings: the relative poses at which contacts were searched. Contacts are kept while the bodies stay
//! near them.
//!
//! Meanwhile the contact points stay fixed on both bodies; separations, normals and levers are recomputed
//! from the poses of each solve. The allowed motion is so small that a contact missed by now is far shallower
//! than the overlap that stays uncorrected.

use rigor_math::{Mat3, Vec3};

use crate::found::Found;
use crate::frame::Frame;
use crate::window::Window;

/// Numbers in a sighting: two frames, each a matrix column by column and an origin, then depth and reach.
pub const N_NUMBERS: usize = 26;

/// Everything that determines which contacts of two meshes are found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DetectionInput {
    /// a's frame in b's, and b's in a's.
    pub frames: [Frame; 2],
    /// a's frame in b's at the start of the step.
    pub start: Frame,
    pub window: Window,
}

impl DetectionInput {
    pub fn new(a_in_b: Frame, start: Frame, window: Window) -> Self {
        Self { frames: [a_in_b, a_in_b.inverse()], start, window }
    }

    /// Appends the form that is stored in the state's memory: [`N_NUMBERS`] numbers.
    fn write(&self, numbers: &mut Vec<f64>) {
        for frame in [&self.frames[0], &self.start] {
            let [matrix, origin] = frame.slices();
            numbers.extend_from_slice(matrix);
            numbers.extend_from_slice(origin);
        }
        numbers.extend_from_slice(&[self.window.depth, self.window.reach]);
    }

    /// Returns whether this is its stored form.
    fn is(&self, numbers: &[f64]) -> bool {
        let [a_in_b, start] = [&self.frames[0], &self.start].map(Frame::slices);
        numbers[..9] == *a_in_b[0]
            && numbers[9..12] == *a_in_b[1]
            && numbers[12..21] == *start[0]
            && numbers[21..24] == *start[1]
            && numbers[24..] == [self.window.depth, self.window.reach]
    }

    /// Returns whether the contacts found in it are valid for `window` with a's frame at `a_in_b` in b's: no
    /// point of the smaller body, which has this `radius` (m), has moved by more than `still` (m) against the
    /// other.
    fn holds(&self, a_in_b: &Frame, a_is_larger: bool, radius: f64, window: &Window, still: f64) -> bool {
        let is_within =
            window.depth + still <= self.window.depth && window.reach + still <= self.window.reach;
        let turned = self.frames[0].chord(a_in_b);
        let reach = radius + self.window.far();
        if !is_within || turned * reach > still {
            return false;
        }
        // Work in the frame of the larger body, whose points may be far away.
        let moved = if a_is_larger {
            self.frames[1].origin() - a_in_b.inverse().origin()
        } else {
            self.frames[0].origin() - a_in_b.origin()
        };
        moved.norm() + turned * reach <= still
    }

    fn of_numbers(numbers: &[f64]) -> Self {
        let frame = |at: usize| {
            let (rotation, origin) = (&numbers[at..at + 9], &numbers[at + 9..at + 12]);
            Frame::new(Mat3::from_column_slice(rotation), Vec3::from_column_slice(origin))
        };
        Self::new(frame(0), frame(12), Window { depth: numbers[24], reach: numbers[25] })
    }
}

/// Contacts of two bodies, as found at the last sighting.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    sighting: Option<DetectionInput>,
    /// Whether `found` belongs to that sighting.
    is_known: bool,
    pub found: Vec<Found>,
}

impl Findings {
    /// Restores the sighting with these `numbers` from the state, or none. Known contacts stay known if the
    /// sighting is the same.
    pub fn restore(&mut self, numbers: Option<&[f64]>) {
        match numbers {
            None => self.forget(),
            Some(numbers) if self.sighting.as_ref().is_some_and(|s| s.is(numbers)) => {}
            Some(numbers) => {
                self.forget();
                self.sighting = Some(DetectionInput::of_numbers(numbers));
            }
        }
    }

    /// Appends the sighting, if there is one, in the form of the state's memory after the numbers `of`.
    pub fn write(&self, of: &[f64], numbers: &mut Vec<f64>) {
        if let Some(sighting) = &self.sighting {
            numbers.extend_from_slice(of);
            sighting.write(numbers);
        }
    }

    /// Returns whether nothing was found at the last search.
    pub fn are_none(&self) -> bool {
        self.sighting.is_none()
    }

    fn forget(&mut self) {
        *self = Self { sighting: None, is_known: false, found: std::mem::take(&mut self.found) };
    }

    /// Returns the sighting in which contacts must be searched: a still valid one whose contacts are unknown,
    /// or a new one with a margin. Returns `None` if the contacts in `found` are valid.
    pub fn missing(
        &mut self,
        a_in_b: &Frame,
        start: &Frame,
        (radius_a, radius_b): (f64, f64),
        window: &Window,
        still: f64,
    ) -> Option<DetectionInput> {
        let (a_is_larger, radius) = (radius_a > radius_b, radius_a.min(radius_b));
        let holds = |s: &DetectionInput| s.holds(a_in_b, a_is_larger, radius, window, still);
        if !self.sighting.as_ref().is_some_and(holds) {
            self.sighting = Some(DetectionInput::new(*a_in_b, *start, window.grown(2.0 * still)));
            self.is_known = false;
        }
        if self.is_known { None } else { self.sighting }
    }

    /// Ends a search. An empty result is not kept, so that pairs that are merely near need no memory.
    pub fn settle(&mut self) {
        self.is_known = !self.found.is_empty();
        if !self.is_known {
            self.sighting = None;
        }
    }
}
