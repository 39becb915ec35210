//! Trajectories from files: measured tosses of a cube, and jointed bodies simulated by MSC ADAMS.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use rigor_math::{Pose, Vec3, quaternion};
use rigor_scene::{Body, BodyState, Scene, State};

use super::{Instance, Truth};
use crate::accuracy::error::AnswerError;

/// A CSV table of numbers with named columns.
struct Table {
    columns: BTreeMap<String, usize>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    fn read(path: &Path) -> Result<Self, AnswerError> {
        Self::parse(path).map_err(|source| AnswerError::Table { path: path.into(), source })
    }

    fn parse(path: &Path) -> Result<Self, csv::Error> {
        let file = File::open(path)?;
        let is_packed = path.extension().is_some_and(|extension| extension == "gz");
        let file: Box<dyn Read> = if is_packed { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
        let mut reader = csv::Reader::from_reader(file);
        let names = reader.headers()?.iter().enumerate();
        let columns = names.map(|(i, name)| (name.to_owned(), i)).collect();
        let rows = reader.deserialize().collect::<Result<_, _>>()?;
        Ok(Self { columns, rows })
    }

    fn column(&self, name: &str) -> Result<usize, AnswerError> {
        self.columns.get(name).copied().ok_or_else(|| AnswerError::NoColumn { name: name.to_owned() })
    }

    fn columns<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], AnswerError> {
        let mut found = [0; N];
        for (place, name) in found.iter_mut().zip(names) {
            *place = self.column(name)?;
        }
        Ok(found)
    }
}

/// Indices of the columns with a body's pose and velocities.
struct Columns {
    position: [usize; 3],
    quaternion: [usize; 4],
    velocity: [usize; 3],
    omega: [usize; 3],
}

impl Columns {
    fn of(table: &Table) -> Result<Self, AnswerError> {
        Ok(Self {
            position: table.columns(["x_m", "y_m", "z_m"])?,
            quaternion: table.columns(["qw", "qx", "qy", "qz"])?,
            velocity: table.columns(["vx_m_per_s", "vy_m_per_s", "vz_m_per_s"])?,
            omega: table.columns(["wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"])?,
        })
    }

    /// The state of `body`; the pose in the file is that of its authored frame.
    fn state(&self, row: &[f64], body: &Body) -> Result<BodyState, AnswerError> {
        let vector = |at: [usize; 3]| Vec3::from(at.map(|k| row[k]));
        let rotation = quaternion::from_wxyz(self.quaternion.map(|k| row[k]))?;
        Ok(BodyState {
            pose: Pose::new(vector(self.position), rotation).compose(&body.frame),
            linear_velocity: vector(self.velocity),
            angular_velocity: vector(self.omega),
        })
    }
}

/// The index of the moving body.
fn moving(scene: &Scene) -> Result<usize, AnswerError> {
    scene.bodies.iter().position(Body::is_dynamic).ok_or(AnswerError::NothingMoves)
}

/// One instance, compared at every tenth row of the file, from row 10: every 0.1 s.
pub(super) fn adams(scene: &Scene, file: &str, data: &Path) -> Result<Vec<Instance>, AnswerError> {
    let table = Table::read(&data.join("joints-adams").join(file))?;
    let (columns, time) = (Columns::of(&table)?, table.column("t_s")?);
    let body = moving(scene)?;
    let duration = scene.time.duration;
    let rows = table.rows.iter().skip(10).step_by(10).filter(|row| row[time] <= duration + 1e-9);
    let state = |row: &Vec<f64>| -> Result<State, AnswerError> {
        let mut state = State { time: row[time], ..State::initial(scene) };
        state.bodies[body] = columns.state(row, &scene.bodies[body])?;
        Ok(state)
    };
    let course = rows.map(state).collect::<Result<Vec<State>, AnswerError>>()?;
    Ok(vec![Instance { scene: scene.clone(), duration, truth: Truth::Course(course) }])
}

/// Frame rate of the cameras (1/s).
const RATE: f64 = 148.0;
/// Moment of inertia of the hollow cube about every axis (kg m²), as published with the data.
const INERTIA: f64 = 0.000_81;

/// One instance per toss, from its first frame, compared at every frame.
///
/// The velocities in the file are those of half a frame earlier, so gravity over half a frame is added to the
/// initial velocity.
pub(super) fn tosses(scene: &Scene, every: usize, data: &Path) -> Result<Vec<Instance>, AnswerError> {
    let table = Table::read(&data.join("tosses").join("tosses.csv.gz"))?;
    let columns = Columns::of(&table)?;
    let [toss, frame] = table.columns(["toss", "frame"])?;
    let body = moving(scene)?;
    let mut scene = scene.clone();
    scene.bodies[body].inertia = Vec3::repeat(INERTIA);
    let groups = table.rows.chunk_by(|a, b| a[toss].total_cmp(&b[toss]).is_eq());
    let instance = |rows: &[Vec<f64>]| -> Result<Instance, AnswerError> {
        let mut scene = scene.clone();
        let mut start = columns.state(&rows[0], &scene.bodies[body])?;
        start.linear_velocity += scene.gravity * (0.5 / RATE);
        scene.bodies[body].initial = start;
        let state = |row: &Vec<f64>| -> Result<State, AnswerError> {
            let mut state = State { time: row[frame] / RATE, ..State::initial(&scene) };
            state.bodies[body] = columns.state(row, &scene.bodies[body])?;
            Ok(state)
        };
        let course = rows[1..].iter().map(state).collect::<Result<Vec<State>, AnswerError>>()?;
        let duration = (rows.len() - 1) as f64 / RATE;
        Ok(Instance { scene, duration, truth: Truth::Course(course) })
    };
    groups.step_by(every.max(1)).map(instance).collect()
}
