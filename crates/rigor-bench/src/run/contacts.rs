//! `contacts.csv`: every contact of every frame that is kept, one line each.
//!
//! | column | what |
//! | --- | --- |
//! | `step`, `time_s` | the step that ended, and when (s) |
//! | `body_a`, `body_b` | the bodies, numbered from 0 as in `trajectory.npz` |
//! | `point_x_m`, … | where (m, world) |
//! | `normal_x`, … | unit normal from b towards a (world) |
//! | `distance_m` | gap along the normal (m), negative: penetration |
//! | `normal_force_n` | normal force on a, along the normal (N) |
//! | `friction_force_x_n`, … | friction force on a (N, world) |
//! | `slip_velocity_x_m_s`, … | velocity of a against b, along the surfaces (m/s, world) |
//!
//! Forces are means over the step; numbers are those of the [`ContactReport`], bit for bit.

use std::path::Path;

use rigor_math::Vec3;
use rigor_scene::{ContactReport, State};

use super::RunError;
use super::table::{self, number};

const HEADER: &str = "step,time_s,body_a,body_b,point_x_m,point_y_m,point_z_m,normal_x,normal_y,normal_z,distance_m,normal_force_n,friction_force_x_n,friction_force_y_n,friction_force_z_n,slip_velocity_x_m_s,slip_velocity_y_m_s,slip_velocity_z_m_s";

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

    /// Appends the contacts of the step that ended in `state`.
    ///
    /// # Errors
    /// [`RunError`] when the disk is full, for one.
    pub fn push(&mut self, state: &State, contacts: &[ContactReport]) -> Result<(), RunError> {
        contacts.iter().try_for_each(|contact| self.table.push(&line(state, contact)))
    }

    /// Sees to it that all lines are on disk.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.table.flush()
    }
}

fn line(state: &State, contact: &ContactReport) -> String {
    let vector = |v: &Vec3| format!("{},{},{}", number(v.x), number(v.y), number(v.z));
    [
        state.step.to_string(),
        state.time.to_string(),
        contact.body_a.0.to_string(),
        contact.body_b.0.to_string(),
        vector(&contact.point_world),
        vector(&contact.normal_world),
        number(contact.distance),
        number(contact.normal_force),
        vector(&contact.friction_force_world),
        vector(&contact.slip_velocity_world),
    ]
    .join(",")
}

#[cfg(test)]
mod tests {
    use rigor_scene::BodyId;

    use super::*;

    #[test]
    fn every_number_has_its_column() {
        let contact = ContactReport {
            body_a: BodyId(2),
            body_b: BodyId(0),
            point_world: Vec3::new(1.0, 2.0, 3.0),
            normal_world: Vec3::y(),
            distance: 0.001,
            normal_force: 80.0,
            friction_force_world: Vec3::new(-3.0, 0.0, 0.5),
            slip_velocity_world: Vec3::x(),
            friction: (0.5, 0.5),
        };
        let line = line(&State { step: 7, time: 0.5, ..State::default() }, &contact);
        assert_eq!(line, "7,0.5,2,0,1,2,3,0,1,0,1e-3,80,-3,0,5e-1,1,0,0");
        assert_eq!(line.split(',').count(), HEADER.split(',').count());
    }
}
