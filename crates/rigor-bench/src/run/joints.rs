//! `joints.csv`: what every joint did in every frame that is kept, one line each.
//!
//! | column | what |
//! | --- | --- |
//! | `step`, `time_s` | the step that ended, and when (s) |
//! | `joint` | the joint, numbered from 0 in the order of the scene |
//! | `force_x_n`, … | force on body a at the origin of its frame A (N, world) |
//! | `torque_x_n_m`, … | torque on body a besides that of the force (N m, world) |
//! | `position_error_m` | how far the joint is apart at the end, or beyond a bound (m) |
//! | `angle_error_rad` | how far it is twisted at the end, or beyond a bound (rad) |
//! | `broken` | 1 if it is broken at the end, else 0 |
//!
//! Forces and torques are means over the step; numbers are those of the [`JointReport`], bit for bit. The table is empty
//! where the method has no joints.

use std::path::Path;

use rigor_math::Vec3;
use rigor_scene::{JointReport, State};

use super::RunError;
use super::table::{self, number};

const HEADER: &str = "step,time_s,joint,force_x_n,force_y_n,force_z_n,torque_x_n_m,torque_y_n_m,torque_z_n_m,position_error_m,angle_error_rad,broken";

/// Appends lines.
#[derive(Debug)]
pub struct Writer {
    table: table::Writer,
}

impl Writer {
    /// A new file.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        Ok(Self { table: table::Writer::create(path, HEADER)? })
    }

    /// Goes on after the lines of `step`; later ones are dropped. `None` if there is no file.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or written.
    pub fn resume(path: &Path, step: u64) -> Result<Option<Self>, RunError> {
        Ok(table::Writer::resume(path, step)?.map(|(table, _)| Self { table }))
    }

    /// Appends the joints of the step that ended in `state`.
    ///
    /// # Errors
    /// [`RunError`] when the disk is full, for one.
    pub fn push(&mut self, state: &State, joints: &[JointReport]) -> Result<(), RunError> {
        joints.iter().try_for_each(|joint| self.table.push(&line(state, joint)))
    }

    /// Sees to it that all lines are on disk.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.table.flush()
    }
}

fn line(state: &State, joint: &JointReport) -> String {
    let vector = |v: &Vec3| format!("{},{},{}", number(v.x), number(v.y), number(v.z));
    [
        state.step.to_string(),
        state.time.to_string(),
        joint.joint.to_string(),
        vector(&joint.force_world),
        vector(&joint.torque_world),
        number(joint.position_error),
        number(joint.angle_error),
        u8::from(joint.broken).to_string(),
    ]
    .join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_column() {
        let joint = JointReport {
            joint: 3,
            force_world: Vec3::new(1.0, 2.0, -3.0),
            torque_world: Vec3::new(0.0, 0.5, 4.0),
            position_error: 0.001,
            angle_error: 0.0,
            broken: true,
        };
        let line = line(&State { step: 7, time: 0.5, ..State::default() }, &joint);
        assert_eq!(line, "7,0.5,3,1,2,-3,0,5e-1,4,1e-3,0,1");
        assert_eq!(line.split(',').count(), HEADER.split(',').count());
    }
}
