//! Reports of steps as rows of numbers.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_math::Vec3;
use rigor_scene::{
    BodyId, ContactReport, JointReport, ParticleContactReport, ParticleId, Quantity, Scene, StepReport,
};

use crate::array::vec3;
use crate::word::word;

/// Numbers of a contact: the two bodies (or particle and body), point, normal, gap, normal force, friction force, slip, μ_s, μ_d.
pub const CONTACT: usize = 18;
/// Numbers of a joint: index, force, torque, errors of position and angle, turn (NaN if not counted), whether it is broken.
pub const JOINT: usize = 11;
/// Numbers of a step: iterations, residual, smallest distance (NaN where there is none), queries of collision detection.
pub const STEP: usize = 4;

/// What a contact has besides its partners.
struct ContactRow<'a> {
    ids: [usize; 2],
    vectors: [&'a Vec3; 4],
    numbers: [f64; 2],
    friction: (f64, f64),
}

impl ContactRow<'_> {
    fn row(&self) -> [f64; CONTACT] {
        let [point, normal, force, slip] = self.vectors;
        let [distance, normal_force] = self.numbers;
        let mut row = [0.0; CONTACT];
        row[..2].copy_from_slice(&self.ids.map(|id| id as f64));
        row[2..5].copy_from_slice(point.as_slice());
        row[5..8].copy_from_slice(normal.as_slice());
        row[8..10].copy_from_slice(&[distance, normal_force]);
        row[10..13].copy_from_slice(force.as_slice());
        row[13..16].copy_from_slice(slip.as_slice());
        row[16..].copy_from_slice(&[self.friction.0, self.friction.1]);
        row
    }
}

/// Returns the row of a contact.
pub fn contact_row(c: &ContactReport) -> [f64; CONTACT] {
    ContactRow {
        ids: [c.body_a.0, c.body_b.0],
        vectors: [&c.point_world, &c.normal_world, &c.friction_force_world, &c.slip_velocity_world],
        numbers: [c.distance, c.normal_force],
        friction: c.friction,
    }
    .row()
}

/// Returns the row of a contact of a particle.
pub fn particle_row(c: &ParticleContactReport) -> [f64; CONTACT] {
    ContactRow {
        ids: [c.particle.0, c.body.0],
        vectors: [&c.point_world, &c.normal_world, &c.friction_force_world, &c.slip_velocity_world],
        numbers: [c.distance, c.normal_force],
        friction: c.friction,
    }
    .row()
}

/// Returns the contact of a row; `None` for bodies that the scene does not have, or numbers that are not finite.
fn contact_of(row: &[f64], scene: &Scene) -> Option<ContactReport> {
    let is_body = |x: f64| x >= 0.0 && x < scene.bodies.len() as f64;
    let is_valid = row.iter().all(|x| x.is_finite()) && is_body(row[0]) && is_body(row[1]);
    is_valid.then(|| ContactReport {
        body_a: BodyId(row[0] as usize),
        body_b: BodyId(row[1] as usize),
        point_world: vec3(&row[2..]),
        normal_world: vec3(&row[5..]),
        distance: row[8],
        normal_force: row[9],
        friction_force_world: vec3(&row[10..]),
        slip_velocity_world: vec3(&row[13..]),
        friction: (row[16], row[17]),
    })
}

/// Returns the contacts of rows that came from Python.
///
/// # Errors
/// `ValueError` with the number of the first invalid row.
pub fn contacts_of(rows: &[f64], scene: &Scene) -> PyResult<Vec<ContactReport>> {
    let read = |(i, row): (usize, &[f64])| {
        let why =
            || format!("contact {i} names a body that does not exist, or has a number that is not finite");
        contact_of(row, scene).ok_or_else(|| PyValueError::new_err(why()))
    };
    rows.chunks_exact(CONTACT).enumerate().map(read).collect()
}

/// Returns the row of a joint.
pub fn joint_row(j: &JointReport) -> [f64; JOINT] {
    let (f, t) = (&j.force_world, &j.torque_world);
    let broken = f64::from(u8::from(j.broken));
    let turn = j.turn.unwrap_or(f64::NAN);
    [j.joint as f64, f.x, f.y, f.z, t.x, t.y, t.z, j.position_error, j.angle_error, turn, broken]
}

fn joint_of(row: &[f64]) -> JointReport {
    JointReport {
        joint: row[0] as usize,
        force_world: vec3(&row[1..]),
        torque_world: vec3(&row[4..]),
        position_error: row[7],
        angle_error: row[8],
        turn: Some(row[9]).filter(|turn| !turn.is_nan()),
        broken: row[10] != 0.0,
    }
}

/// Returns the row of a step.
pub fn step_row(report: &StepReport) -> [f64; STEP] {
    let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let [iterations, queries] = [report.iterations, report.ccd_queries].map(|n| n as f64);
    [iterations, or_nan(report.residual), or_nan(report.min_distance), queries]
}

/// The rows of the reports of a run, as they are kept in a pickle. Rows of contacts and joints begin with the index of their step.
pub struct Rows<'a> {
    /// One per step.
    pub steps: &'a [f64],
    /// Contacts.
    pub contacts: &'a [f64],
    /// Joints.
    pub joints: &'a [f64],
    /// Contacts of particles.
    pub particles: &'a [f64],
    /// Names and units of quantities.
    pub names: &'a [(String, String)],
    /// Their values, one row per step.
    pub values: &'a [f64],
}

impl Rows<'_> {
    /// Returns the reports of these rows.
    ///
    /// # Errors
    /// `ValueError` for a row that belongs to no step, or that is invalid.
    pub fn reports(&self, scene: &Scene) -> PyResult<Vec<StepReport>> {
        let finite = |x: f64| (!x.is_nan()).then_some(x);
        let step = |row: &[f64]| StepReport {
            iterations: row[0] as u64,
            residual: finite(row[1]),
            min_distance: finite(row[2]),
            ccd_queries: row[3] as u64,
            ..StepReport::default()
        };
        let mut reports: Vec<StepReport> = self.steps.chunks_exact(STEP).map(step).collect();
        let n = reports.len();
        let owner = |row: &[f64]| {
            let index = row[0] as usize;
            let wrong = || PyValueError::new_err(format!("a row belongs to step {index} of {n}"));
            (index < n).then_some(index).ok_or_else(wrong)
        };
        for row in self.contacts.chunks_exact(1 + CONTACT) {
            reports[owner(row)?].contacts.extend(contacts_of(&row[1..], scene)?);
        }
        for row in self.joints.chunks_exact(1 + JOINT) {
            if !(row[1] >= 0.0 && row[1] < scene.joints.len() as f64) {
                return Err(PyValueError::new_err("a row names a joint that does not exist"));
            }
            reports[owner(row)?].joints.push(joint_of(&row[1..]));
        }
        for row in self.particles.chunks_exact(1 + CONTACT) {
            let is_known = |x: f64, n: usize| x >= 0.0 && x < n as f64;
            if !(is_known(row[1], scene.particles.len()) && is_known(row[2], scene.bodies.len())) {
                return Err(PyValueError::new_err("a row names a particle or a body that does not exist"));
            }
            reports[owner(row)?].particle_contacts.push(particle_of(&row[1..]));
        }
        if !self.names.is_empty() {
            for (report, row) in reports.iter_mut().zip(self.values.chunks_exact(self.names.len())) {
                let quantity = |((name, unit), value): (&(String, String), &f64)| Quantity {
                    name: word(name),
                    unit: word(unit),
                    value: *value,
                };
                report.quantities = self.names.iter().zip(row).map(quantity).collect();
            }
        }
        Ok(reports)
    }
}

fn particle_of(row: &[f64]) -> ParticleContactReport {
    ParticleContactReport {
        particle: ParticleId(row[0] as usize),
        body: BodyId(row[1] as usize),
        point_world: vec3(&row[2..]),
        normal_world: vec3(&row[5..]),
        distance: row[8],
        normal_force: row[9],
        friction_force_world: vec3(&row[10..]),
        slip_velocity_world: vec3(&row[13..]),
        friction: (row[16], row[17]),
    }
}
