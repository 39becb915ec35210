//! `trajectory.npz`: the frames of a run as NumPy arrays.
//!
//! | array | shape | content |
//! | --- | --- | --- |
//! | `step` | n | steps since time 0 |
//! | `time` | n | s |
//! | `position` | n × b × 3 | centre of mass, m, world |
//! | `quaternion` | n × b × 4 | (w, x, y, z): body frame of the scene's author → world |
//! | `strain` | n × b × 3 × 3 | E in the body frame of the scene's author; only of a run with strains |
//! | `linear_velocity` | n × b × 3 | of the centre of mass, m/s, world |
//! | `angular_velocity` | n × b × 3 | rad/s, world |
//! | `contact_force`, `friction_force` | n × b × 3 | sums over the body's contacts, means over the step that ended, N, world |
//! | `body_name` | b | names of the bodies, text of fixed width |
//! | `body_mass` | b | kg; infinite for a body that contact does not move |
//! | `particle_position`, `particle_velocity` | n × p × 3 | m, m/s, world; only with particles |

use std::fs::File;
use std::io::Write;
use std::path::Path;

use npyz::WriterBuilder;
use rigor_math::Vec3;
use rigor_scene::{BodyForce, BodyId, Scene, State};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::atomic;
use crate::error::{Fault, RunError};
use crate::folder::frames::{self, Frame};

/// Writes `to` from the frames in `from`, which are read once per array, so that memory does not grow with
/// the run.
///
/// # Errors
/// [`RunError`] when a file cannot be read or written.
pub fn write(to: &Path, from: &Path, scene: &Scene) -> Result<(), RunError> {
    let fail = |error: std::io::Error| RunError::new(to, error);
    let (n, b, p, has_strains) = {
        let reader = frames::Reader::open(from)?;
        (reader.count()?, reader.bodies as u64, reader.particles as u64, reader.has_strains())
    };
    let part = atomic::part(to);
    let mut zip = ZipWriter::new(File::create(&part).map_err(|error| RunError::new(&part, error))?);
    let mut array = |name: &str, shape: &[u64], row: &dyn Fn(&Frame) -> Vec<f64>| -> Result<(), RunError> {
        let options = SimpleFileOptions::default().large_file(true);
        zip.start_file(format!("{name}.npy"), options).map_err(|error| fail(error.into()))?;
        let entry = npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut zip);
        let mut array = entry.begin_nd().map_err(fail)?;
        let mut reader = frames::Reader::open(from)?;
        for _ in 0..n {
            let frame = reader.read()?.ok_or_else(|| RunError::new(from, Fault::MissingFrame))?;
            array.extend(row(&frame)).map_err(fail)?;
        }
        array.finish().map_err(fail)
    };
    array("step", &[n], &|f| vec![f.state.step as f64])?;
    array("time", &[n], &|f| vec![f.state.time])?;
    array("position", &[n, b, 3], &|f| {
        of_bodies(&f.state, |_, body| body.pose.position.iter().copied().collect())
    })?;
    array("quaternion", &[n, b, 4], &|f| {
        of_bodies(&f.state, |i, body| {
            let authored = scene.bodies[i].authored_pose(&body.pose).rotation;
            rigor_math::quaternion::to_wxyz(&authored).to_vec()
        })
    })?;
    if has_strains {
        array("strain", &[n, b, 3, 3], &|f| {
            of_bodies(&f.state, |i, _| {
                let turn = scene.bodies[i].frame.rotation_matrix();
                let strain = turn * f.state.strain(BodyId(i)) * turn.transpose();
                // Symmetric to the bit, so rows are columns.
                ((strain + strain.transpose()) * 0.5).iter().copied().collect()
            })
        })?;
    }
    array("linear_velocity", &[n, b, 3], &|f| {
        of_bodies(&f.state, |_, body| body.linear_velocity.iter().copied().collect())
    })?;
    array("angular_velocity", &[n, b, 3], &|f| {
        of_bodies(&f.state, |_, body| body.angular_velocity.iter().copied().collect())
    })?;
    array("contact_force", &[n, b, 3], &|f| of_forces(f, |force| force.contact))?;
    array("friction_force", &[n, b, 3], &|f| of_forces(f, |force| force.friction))?;
    if p > 0 {
        let row = |f: &Frame| {
            f.state.particles.iter().flat_map(|q| q.position.iter().copied().collect::<Vec<_>>()).collect()
        };
        array("particle_position", &[n, p, 3], &row)?;
        let row = |f: &Frame| {
            f.state.particles.iter().flat_map(|q| q.velocity.iter().copied().collect::<Vec<_>>()).collect()
        };
        array("particle_velocity", &[n, p, 3], &row)?;
    }
    write_bodies(&mut zip, scene).map_err(fail)?;
    zip.finish().map_err(|error| fail(error.into()))?;
    std::fs::rename(&part, to).map_err(fail)
}

/// Writes names and masses of the bodies.
fn write_bodies(zip: &mut ZipWriter<File>, scene: &Scene) -> std::io::Result<()> {
    let b = scene.bodies.len() as u64;
    zip.start_file("body_mass.npy", SimpleFileOptions::default())?;
    let mut masses = npyz::WriteOptions::new().default_dtype().shape(&[b]).writer(&mut *zip).begin_nd()?;
    masses
        .extend(scene.bodies.iter().map(|body| if body.is_dynamic() { body.mass } else { f64::INFINITY }))?;
    masses.finish()?;
    zip.start_file("body_name.npy", SimpleFileOptions::default())?;
    zip.write_all(&text_array(scene.bodies.iter().map(|body| body.name.as_str())))
}

/// Returns an array of text in the NPY format, version 1.0, with the type `<U` of the longest item.
fn text_array<'a>(items: impl Iterator<Item = &'a str> + Clone) -> Vec<u8> {
    let width = items.clone().map(|item| item.chars().count()).max().unwrap_or(0).max(1);
    let n = items.clone().count();
    let mut head = format!("{{'descr': '<U{width}', 'fortran_order': False, 'shape': ({n},), }}");
    // Magic, version, length and header fill a multiple of 64 bytes, and the header ends with a line feed.
    let filled = (10 + head.len() + 1).next_multiple_of(64);
    head.push_str(&" ".repeat(filled - 10 - head.len() - 1));
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    for item in items {
        let padding = std::iter::repeat_n('\0', width - item.chars().count());
        bytes.extend(item.chars().chain(padding).flat_map(|c| u32::from(c).to_le_bytes()));
    }
    bytes
}

fn of_bodies(frame: &State, row: impl Fn(usize, &rigor_scene::BodyState) -> Vec<f64>) -> Vec<f64> {
    frame.bodies.iter().enumerate().flat_map(|(i, body)| row(i, body)).collect()
}

fn of_forces(frame: &Frame, part: impl Fn(&BodyForce) -> Vec3) -> Vec<f64> {
    frame.forces.iter().flat_map(|force| part(force).iter().copied().collect::<Vec<_>>()).collect()
}
