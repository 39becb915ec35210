//! Bodies, joints and pairs on the device.

use std::ops::Range;
use std::sync::Arc;

use rigor_contact::{FeatureCache, NormalFeature, SLOPS};
use rigor_geometry::Mesh;
use rigor_gpu::wgpu::{BindGroup, Buffer, BufferUsages, ComputePass};
use rigor_gpu::{Bytes, DeviceError, Program, Session, float_at, integer_at};
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};
use rigor_scene::{Body, JointKind, Scene};

use super::batches::Batches;
use super::kernels::{Kernel, PART};
use super::shapes::Shape;
use crate::body::SolverBody;
use crate::contact::pair::Pair;
use crate::contact::{PastContact, PushedContact};
use crate::gpu::error::GpuError;
use crate::joint::Joints;

/// Distance of two parts in their array: the largest alignment that an adapter may ask for (bytes).
const STRIDE: u64 = 256;
/// Sizes of structures of the device (bytes).
const BODY: usize = 272;
const JOINT: usize = 176;
const PAIR: usize = 176;
const CONTACT: usize = 96;
/// Places for contacts of a pair: those of a substep, then those that pushed in the step.
const PLACES: usize = 32;
/// Numbers beyond this would leave the range of single precision when they are multiplied.
const LARGEST: f64 = 1e15;
/// Maximum compliance (m/N or rad/(N m)): a softer joint has no effect that single precision shows.
const SOFTEST: f64 = 1e30;
/// Margin of the search for contacts, in motions up to which the processor keeps them: it searches with this margin.
const STILLS: f64 = 2.0;

/// What a step needs besides bodies, joints and pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepParameters {
    pub h: f64,
    pub substeps: u32,
    /// k of the broad phase.
    pub safety: f64,
    pub is_jacobi: bool,
}

/// Numbers of things in a scene, for which arrays are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub bodies: usize,
    pub joints: usize,
    /// Maximum number of pairs.
    pub pairs: usize,
    /// Maximum number of batches.
    pub batches: usize,
}

/// Arrays of a scene on the device.
#[derive(Debug)]
pub(super) struct DeviceScene {
    size: Size,
    meshes: Vec<Arc<Mesh>>,
    shapes: Vec<Shape>,
    settings: Buffer,
    parts: Buffer,
    bodies: Buffer,
    joints: Buffer,
    ends: Buffer,
    pairs: Buffer,
    contacts: Buffer,
    faults: Buffer,
    staging: Buffer,
    group: BindGroup,
    /// Batches of the step.
    joint_batches: Vec<Range<u32>>,
    joint_order: Vec<usize>,
    pair_batches: Vec<Range<u32>>,
    n_pairs: usize,
}

/// What a step left on the device besides bodies.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Σ of the impulses (N s, N m s) on a of each joint, in the order in which they were written.
    pub joints: Vec<(Vec3, Vec3)>,
    /// Pairs, in the order in which they were written.
    pub pairs: Vec<PairOutcome>,
}

/// What a step left of a pair.
#[derive(Debug)]
pub(super) struct PairOutcome {
    /// Its contacts in the last substep, and which of them pushed there.
    pub now: Vec<PushedContact>,
    pub past: Vec<PastContact>,
    /// Those that pushed in the step.
    pub pushed: Vec<PushedContact>,
    /// Smallest separation (m) in the step.
    pub distance: f64,
}

impl DeviceScene {
    /// Creates the arrays of a scene.
    pub fn new(
        session: &Session,
        program: &Program,
        scene: &Scene,
        features: Option<&FeatureCache>,
        size: Size,
    ) -> Result<Self, DeviceError> {
        let mut surfaces = Bytes::default();
        let shapes: Vec<Shape> = features
            .map(|features| (0..size.bodies).map(|i| Shape::new(features.of(i), &mut surfaces)).collect())
            .unwrap_or_default();
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let both = storage | BufferUsages::COPY_SRC;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        // An array of no bytes cannot be bound, and one of structures holds at least one.
        let make = |what, size: usize, usage| session.buffer(what, size.max(CONTACT.max(BODY)) as u64, usage);
        let settings = make("settings", 48, uniform)?;
        let parts = make("parts", STRIDE as usize * (size.batches + 1), uniform)?;
        // Behind the bodies, each joint has a place in the world.
        let bodies = make("bodies", BODY * (size.bodies + size.joints), both)?;
        let joints = make("joints", JOINT * size.joints, both)?;
        let corrections = make("corrections", 64 * size.joints, storage)?;
        let ends = make("ends of joints", 4 * (size.bodies + 1 + 2 * size.joints), storage)?;
        let pairs = make("pairs", PAIR * size.pairs, both)?;
        let contacts = make("contacts", CONTACT * PLACES * size.pairs, both)?;
        let features = make("surfaces", surfaces.0.len(), storage)?;
        let faults = make("faults", 4, both)?;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = make(
            "staging",
            [bodies.size(), joints.size(), pairs.size(), contacts.size(), faults.size()].iter().sum::<u64>()
                as usize,
            usage,
        )?;
        let arrays =
            [&settings, &parts, &bodies, &joints, &corrections, &ends, &pairs, &contacts, &features, &faults];
        let group = program.bind(session, &arrays);
        session.queue.write_buffer(&features, 0, &surfaces.0);
        session.check()?;
        Ok(Self {
            size,
            meshes: scene.bodies.iter().map(|body| Arc::clone(&body.mesh)).collect(),
            shapes,
            settings,
            parts,
            bodies,
            joints,
            ends,
            pairs,
            contacts,
            faults,
            staging,
            group,
            joint_batches: Vec::new(),
            joint_order: Vec::new(),
            pair_batches: Vec::new(),
            n_pairs: 0,
        })
    }

    /// Whether these arrays hold so much, with the shapes of this scene.
    pub fn fits(&self, scene: &Scene, size: &Size) -> bool {
        self.size.bodies == size.bodies
            && self.size.joints == size.joints
            && self.size.pairs >= size.pairs
            && self.size.batches >= size.batches
            && self.meshes.iter().zip(&scene.bodies).all(|(mesh, body)| Arc::ptr_eq(mesh, &body.mesh))
    }

    /// Writes settings and bodies.
    ///
    /// # Errors
    /// [`GpuError::BodyRange`] if a number exceeds the range of single precision.
    pub fn write_bodies(
        &mut self,
        session: &Session,
        scene: &Scene,
        bodies: &[SolverBody],
        pace: &StepParameters,
    ) -> Result<(), GpuError> {
        let is_small = |(body, now): (&Body, &SolverBody)| {
            let moments = body.inertia;
            let most = [
                now.pose.position,
                now.linear_velocity,
                now.angular_velocity,
                now.w,
                body.force,
                body.torque,
            ];
            let is_light = body.is_dynamic() && !(moments.min() > 1.0 / LARGEST && moments.max() < LARGEST);
            most.iter().all(|v| v.amax() < LARGEST) && !is_light
        };
        if let Some(body) = scene.bodies.iter().zip(bodies).position(|both| !is_small(both)) {
            return Err(GpuError::BodyRange { body: scene.bodies[body].name.clone() });
        }
        let mut bytes = Bytes::default();
        for (body, now) in scene.bodies.iter().zip(bodies) {
            write_body(Some(body), now, &scene.gravity, &mut bytes);
        }
        for i in &self.joint_order {
            write_body(None, &world_at(&scene.joints[*i].frame_b), &scene.gravity, &mut bytes);
        }
        session.queue.write_buffer(&self.bodies, 0, &bytes.0);
        session.queue.write_buffer(&self.faults, 0, &[0; 4]);
        let mut settings = Bytes::default();
        let (n, m) = (self.size.bodies as u32, self.size.joints as u32);
        settings.integers([n, m, self.n_pairs as u32, u32::from(pace.is_jacobi)]);
        let StepParameters { h, substeps, safety, .. } = *pace;
        settings.floats([h, 1.0 / h, 1.0 / (h * h), f64::from(substeps), safety, 0.0, 0.0, 0.0]);
        session.queue.write_buffer(&self.settings, 0, &settings.0);
        Ok(())
    }

    /// Writes joints in the order of their batches; `share` is the factor of Jacobi on each.
    pub fn write_joints(
        &mut self,
        session: &Session,
        joints: &Joints,
        batches: &Batches,
        share: impl Fn(usize) -> f64,
    ) {
        let mut bytes = Bytes::default();
        for (place, &i) in batches.order.iter().enumerate() {
            let joint = &joints.list[i];
            let held = joint.held();
            let kind = match held.kind {
                JointKind::Ball { .. } => 0,
                JointKind::Hinge { .. } => 1,
                JointKind::Fixed
                | JointKind::Universal
                | JointKind::Prismatic { .. }
                | JointKind::Cylindrical { .. }
                | JointKind::Distance { .. }
                | JointKind::Gear { .. } => 2,
            };
            let b = joint.b.unwrap_or(self.size.bodies + place);
            // The place in the world is where frame B is.
            let at_b = joint.b.map_or(Vec3::zeros(), |_| held.frame_b.position);
            bytes.integers([joint.a as u32, b as u32, kind, u32::from(held.is_broken)]);
            bytes.vector(&held.frame_a.position, held.compliance.min(SOFTEST));
            bytes.vector(&at_b, held.angular_compliance.min(SOFTEST));
            bytes.floats(numbers(&held.frame_a.rotation));
            bytes.floats(numbers(&held.frame_b.rotation));
            bytes.vector(&Vec3::zeros(), share(i));
            (0..5).for_each(|_| bytes.vector(&Vec3::zeros(), 0.0));
        }
        session.queue.write_buffer(&self.joints, 0, &bytes.0);
        self.joint_batches.clone_from(&batches.ranges);
        self.joint_order.clone_from(&batches.order);
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); self.size.bodies];
        // The order of the scene, as on the processor.
        let mut by_scene: Vec<(usize, u32)> = batches.order.iter().copied().zip(0..).collect();
        by_scene.sort_unstable();
        for (i, place) in by_scene {
            let joint = &joints.list[i];
            of_body[joint.a].push(2 * place);
            joint.b.into_iter().for_each(|b| of_body[b].push(2 * place + 1));
        }
        let mut ends = Bytes::default();
        let mut start = 0;
        for places in &of_body {
            ends.integer(start);
            start += places.len() as u32;
        }
        ends.integer(start);
        of_body.iter().flatten().for_each(|end| ends.integer(*end));
        session.queue.write_buffer(&self.ends, 0, &ends.0);
    }

    /// Writes the pairs in the order of their batches.
    pub fn write_pairs(&mut self, session: &Session, pairs: &[Pair], batches: &Batches) {
        let (mut bytes, mut contacts) = (Bytes::default(), Bytes::default());
        for pair in batches.order.iter().map(|&i| &pairs[i]) {
            let [a, b] = [pair.a.0, pair.b.0];
            let margins = &pair.detection.margins;
            let n_past = pair.history.past.len().min(PLACES / 2);
            bytes.integers([a as u32, b as u32, n_past as u32, 0]);
            for past in &pair.history.past[..n_past] {
                write_past(past, &mut contacts);
            }
            contacts.0.resize(contacts.0.len() + CONTACT * (PLACES - n_past), 0);
            let friction = pair.law.friction;
            bytes.floats([friction.static_, friction.dynamic, margins.same, margins.overlap]);
            bytes.floats([STILLS * margins.still, LARGEST, SLOPS * margins.slop, 0.0]);
            self.shapes[a].write(&mut bytes);
            self.shapes[b].write(&mut bytes);
            let numbers: Vec<f64> = pair.detection.start.slices().concat();
            for column in numbers.chunks_exact(3) {
                bytes.vector(&Vec3::from_column_slice(column), 0.0);
            }
        }
        session.queue.write_buffer(&self.pairs, 0, &bytes.0);
        session.queue.write_buffer(&self.contacts, 0, &contacts.0);
        self.n_pairs = pairs.len().min(batches.order.len());
        self.pair_batches.clone_from(&batches.ranges);
    }

    /// Writes the places of the batches.
    pub fn write_parts(&self, session: &Session) {
        for (k, batch) in self.joint_batches.iter().chain(&self.pair_batches).enumerate() {
            let mut part = Bytes::default();
            part.integers([batch.start, batch.len() as u32, 0, 0]);
            debug_assert_eq!(part.0.len() as u64, PART, "the size of a part");
            session.queue.write_buffer(&self.parts, STRIDE * k as u64, &part.0);
        }
    }

    fn run(&self, program: &Program, kernel: Kernel, n: usize, pass: &mut ComputePass<'_>) {
        pass.set_bind_group(0, &self.group, &[0]);
        program.run(kernel as usize, (n as u32).div_ceil(64), pass);
    }

    fn run_part(&self, program: &Program, kernel: Kernel, k: usize, n: u32, pass: &mut ComputePass<'_>) {
        pass.set_bind_group(0, &self.group, &[STRIDE as u32 * k as u32]);
        program.run(kernel as usize, n.div_ceil(64), pass);
    }

    /// Adds the motion under external forces.
    pub fn predict(&self, program: &Program, pass: &mut ComputePass<'_>) {
        self.run(program, Kernel::Predict, self.size.bodies, pass);
    }

    /// Adds the search for contacts.
    pub fn detect(&self, program: &Program, pass: &mut ComputePass<'_>) {
        if self.n_pairs > 0 {
            self.run(program, Kernel::Detect, self.n_pairs, pass);
        }
    }

    /// Adds a sweep over joints, then contacts.
    pub fn sweep(&self, program: &Program, is_jacobi: bool, pass: &mut ComputePass<'_>) {
        if is_jacobi && self.size.joints > 0 {
            self.run(program, Kernel::NoteJoints, self.size.joints, pass);
            self.run(program, Kernel::GatherBodies, self.size.bodies, pass);
        } else {
            for (k, batch) in self.joint_batches.iter().enumerate() {
                self.run_part(program, Kernel::HoldJoints, k, batch.len() as u32, pass);
            }
        }
        self.each_pair(program, Kernel::PushPairs, pass);
    }

    fn each_pair(&self, program: &Program, kernel: Kernel, pass: &mut ComputePass<'_>) {
        let first = self.joint_batches.len();
        for (k, batch) in self.pair_batches.iter().enumerate() {
            self.run_part(program, kernel, first + k, batch.len() as u32, pass);
        }
    }

    /// Adds velocities from positions, then friction.
    pub fn finish(&self, program: &Program, pass: &mut ComputePass<'_>) {
        self.run(program, Kernel::UpdateVelocities, self.size.bodies, pass);
        self.each_pair(program, Kernel::SlowPairs, pass);
        if self.size.joints > 0 {
            self.run(program, Kernel::SettleJoints, self.size.joints, pass);
        }
    }

    /// Number of invocations in a sweep, and of dispatches.
    pub fn sweep_size(&self) -> (u64, u64) {
        let work = self.size.bodies + self.size.joints + self.n_pairs;
        (work as u64, (2 + self.joint_batches.len() + self.pair_batches.len()) as u64)
    }

    /// Reads bodies, impulses and contacts back.
    ///
    /// # Errors
    /// [`GpuError`] if the device failed, or if something exceeded what it has.
    pub fn read(&self, session: &Session, bodies: &mut [SolverBody]) -> Result<Outcome, GpuError> {
        let sizes = [
            BODY * self.size.bodies,
            JOINT * self.size.joints,
            PAIR * self.n_pairs,
            CONTACT * PLACES * self.n_pairs,
            4,
        ];
        let buffers = [&self.bodies, &self.joints, &self.pairs, &self.contacts, &self.faults];
        let mut encoder = session.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for (buffer, size) in buffers.into_iter().zip(sizes) {
            encoder.copy_buffer_to_buffer(buffer, 0, &self.staging, at, size as u64);
            at += size as u64;
        }
        session.queue.submit([encoder.finish()]);
        let bytes = session.read(&self.staging, at)?;
        let (of_bodies, rest) = bytes.split_at(sizes[0]);
        let (of_joints, rest) = rest.split_at(sizes[1]);
        let (of_pairs, rest) = rest.split_at(sizes[2]);
        let (of_contacts, faults) = rest.split_at(sizes[3]);
        GpuError::of_faults(integer_at(faults, 0))?;
        for (body, bytes) in bodies.iter_mut().zip(of_bodies.chunks_exact(BODY)) {
            read_body(body, bytes);
        }
        let joints = of_joints.chunks_exact(JOINT).map(|bytes| (vector(bytes, 36), vector(bytes, 40)));
        let pairs = of_pairs.chunks_exact(PAIR).zip(of_contacts.chunks_exact(CONTACT * PLACES));
        let pairs = pairs.map(|(pair, contacts)| {
            let (now, pushed) = contacts.split_at(contacts.len() / 2);
            let n = [2, 3].map(|at| integer_at(pair, at) as usize);
            let now = now.chunks_exact(CONTACT).take(n[0]);
            PairOutcome {
                now: now.clone().map(contact).collect(),
                past: now.map(past).filter(|past| past.lambda_n > 0.0).collect(),
                pushed: pushed.chunks_exact(CONTACT).take(n[1]).map(contact).collect(),
                distance: float_at(pair, 9),
            }
        });
        Ok(Outcome { joints: joints.collect(), pairs: pairs.collect() })
    }
}

fn numbers(q: &UnitQuaternion) -> [f64; 4] {
    [q.i, q.j, q.k, q.w]
}

/// The axis about which a body with these moments turns at a constant rate, as `body.wgsl` has it.
fn symmetry(moments: &Vec3) -> u32 {
    if moments.x == moments.y && moments.y == moments.z {
        return 4;
    }
    let is_axis = |axis: &usize| {
        let (j, k) = (moments[(axis + 1) % 3], moments[(axis + 2) % 3]);
        (j - k).abs() <= 8.0 * f64::EPSILON * j
    };
    (0..3).find(is_axis).unwrap_or(3) as u32
}

/// Returns the world with its frame at the origin of `frame`: single precision knows it better than one far away.
fn world_at(frame: &Pose) -> SolverBody {
    SolverBody { pose: Pose::translation(frame.position), ..SolverBody::world() }
}

/// Writes a body, or the world.
fn write_body(body: Option<&Body>, now: &SolverBody, gravity: &Vec3, bytes: &mut Bytes) {
    let body = body.filter(|body| body.is_dynamic());
    let x = now.pose.position;
    let high = x.map(|x| f64::from(x as f32));
    let moments = body.map_or(Vec3::repeat(1.0), |body| body.inertia);
    let gain = body.map_or(Vec3::zeros(), |body| gravity + body.force / body.mass);
    let q = numbers(&now.pose.rotation);
    bytes.vector(&high, now.w.x);
    bytes.vector_and_bits(&(x - high), symmetry(&moments));
    bytes.vector(&Vec3::zeros(), 0.0);
    (0..3).for_each(|_| bytes.floats(q));
    bytes.vector(&now.linear_velocity, 0.0);
    (0..2).for_each(|_| bytes.vector(&now.angular_velocity, 0.0));
    (0..2).for_each(|_| bytes.vector(&Vec3::zeros(), 0.0));
    bytes.vector(&moments, 0.0);
    bytes.vector(&gain, 0.0);
    bytes.vector(&body.map_or(Vec3::zeros(), |body| body.torque), 0.0);
    let inverse = Mat3::zeros();
    inverse.column_iter().for_each(|column| bytes.vector(&column.into_owned(), 0.0));
}

/// The vector at the place `at` of an array of the device.
fn vector(bytes: &[u8], at: usize) -> Vec3 {
    Vec3::from_fn(|i, _| float_at(bytes, at + i))
}

/// Reads a body that can move. Another one stays where it is, in double precision.
fn read_body(body: &mut SolverBody, bytes: &[u8]) {
    if !body.is_moved() && body.w == Vec3::zeros() {
        return;
    }
    body.pose.position = vector(bytes, 0) + vector(bytes, 4) + vector(bytes, 8);
    let [x, y, z, w] = [12, 13, 14, 15].map(|i| float_at(bytes, i));
    body.pose.rotation = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    body.linear_velocity = vector(bytes, 24);
    body.angular_velocity = vector(bytes, 28);
}

/// Reads a contact with its impulses.
fn contact(bytes: &[u8]) -> PushedContact {
    let n = vector(bytes, 8);
    PushedContact {
        key: [integer_at(bytes, 15), integer_at(bytes, 19), integer_at(bytes, 23)],
        point_a_local: vector(bytes, 0),
        point_b_local: vector(bytes, 4),
        feature: match integer_at(bytes, 3) {
            0 => NormalFeature::FaceOfB(n),
            1 => NormalFeature::FaceOfA(n),
            _ => NormalFeature::Edges(n, vector(bytes, 12)),
        },
        normal_impulse: float_at(bytes, 11),
        friction_impulse: vector(bytes, 20),
    }
}

/// Writes a contact of the previous step: what it was, and that it pushed.
fn write_past(past: &PastContact, bytes: &mut Bytes) {
    let [kind, feature_a, feature_b] = past.key;
    bytes.vector(&Vec3::zeros(), 0.0);
    bytes.vector(&past.point_b_local, past.lambda_n.max(f64::from(f32::MIN_POSITIVE)));
    bytes.vector(&Vec3::zeros(), 0.0);
    bytes.vector_and_bits(&Vec3::zeros(), kind);
    bytes.vector_and_bits(&past.lambda_t, feature_a);
    bytes.vector_and_bits(&Vec3::zeros(), feature_b);
}

/// Reads a contact of the last substep.
fn past(bytes: &[u8]) -> PastContact {
    PastContact {
        key: [integer_at(bytes, 15), integer_at(bytes, 19), integer_at(bytes, 23)],
        point_b_local: vector(bytes, 4),
        lambda_n: float_at(bytes, 7),
        lambda_t: vector(bytes, 16),
    }
}
