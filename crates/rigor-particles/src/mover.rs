//! Dynamic bodies and grains in the solver, and the obstacles that they meet.

use std::sync::Arc;

use rigor_geometry::{Bvh, Mesh};
use rigor_math::driven_rotation::DrivenRotation;
use rigor_math::{Pose, UnitQuaternion, Vec3, inertia, rotation_vector};
use rigor_scene::{Body, BodyId, BodyState, FixedAxes, Friction, Particle, ParticleId, ParticleState, Scene};

use crate::config::Rotation;
use crate::shape::VoxelMass;

/// What a mover or an obstacle is in the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Body(BodyId),
    Grain(ParticleId),
}

impl Origin {
    /// Whether contact between the two is enabled.
    pub fn may_touch(self, other: Self, scene: &Scene) -> bool {
        match (self, other) {
            (Self::Body(a), Self::Body(b)) => scene.can_collide(a, b),
            (Self::Grain(a), Self::Grain(b)) => {
                let (a, b) = (&scene.particles[a.0], &scene.particles[b.0]);
                (a.group.is_none() || a.group != b.group) && !(a.is_pinned() && b.is_pinned())
            }
            _ => true,
        }
    }
}

/// Friction and restitution of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Material {
    pub friction: Friction,
    pub restitution: f64,
}

/// A dynamic body, or a grain: a particle of the scene, as a ball with its own spin.
#[derive(Debug, Clone)]
pub(crate) struct Mover {
    pub origin: Origin,
    pub material: Material,
    /// The mover's frame in that of the body, if they differ.
    frame: Option<Pose>,
    pub x: Vec3,
    pub q: UnitQuaternion,
    pub v: Vec3,
    pub omega: Vec3,
    /// L (kg m²/s, world) about x.
    momentum: Vec3,
    pub mass: f64,
    pub inverse_mass: f64,
    pub moments: Vec3,
    pub fixed: FixedAxes,
    /// g + f/m (m/s², world) along free axes.
    pub acceleration: Vec3,
    /// Constant torque (N m, world).
    pub torque: Vec3,
    /// Sums of the contact forces (N) and of their moments (N m) about x; world.
    pub force: Vec3,
    pub moment: Vec3,
    /// Distance (m) of the farthest point of a sphere from x.
    pub radius: f64,
    /// Its particles are `first..end`.
    pub first: u32,
    pub end: u32,
    /// κ: stiffness of its particles.
    pub kappa: f64,
    /// Whether it may touch something in this step.
    pub is_active: bool,
    /// Time (s) that it lags behind the others, while it is alone.
    pub lag: f64,
}

impl Mover {
    /// A dynamic body; `voxels` replace its mass and inertia.
    pub fn of_body(scene: &Scene, id: BodyId, state: &BodyState, voxels: Option<VoxelMass>) -> Self {
        let body = &scene.bodies[id.0];
        let (mass, moments) =
            voxels.map_or((body.mass, body.inertia), |voxels| (voxels.mass, voxels.moments));
        let frame = voxels.map(|voxels| voxels.frame);
        let pose = frame.map_or(state.pose, |frame| state.pose.compose(&frame));
        let free = |v: Vec3, fixed: [bool; 3]| Vec3::from_fn(|i, _| if fixed[i] { 0.0 } else { v[i] });
        let velocity =
            if frame.is_some() { state.velocity_at(&pose.position) } else { state.linear_velocity };
        let mut mover = Self {
            origin: Origin::Body(id),
            material: Material { friction: body.friction, restitution: body.restitution },
            frame,
            x: pose.position,
            q: pose.rotation,
            v: free(velocity, body.fixed.translation),
            omega: free(state.angular_velocity, body.fixed.rotation),
            momentum: Vec3::zeros(),
            mass,
            inverse_mass: 1.0 / mass,
            moments,
            fixed: body.fixed,
            acceleration: free(scene.gravity + body.force / mass, body.fixed.translation),
            torque: body.torque,
            ..Self::at_rest(Origin::Body(id))
        };
        mover.momentum = inertia::angular_momentum(&moments, &mover.q, &mover.omega);
        mover
    }

    /// A grain with the moments of a ball, 2/5 m r².
    pub fn of_grain(scene: &Scene, id: ParticleId, state: &ParticleState, omega: Vec3) -> Self {
        let particle: &Particle = &scene.particles[id.0];
        let is_free = !particle.is_pinned();
        let moment = 0.4 * particle.mass * particle.radius * particle.radius;
        Self {
            material: Material { friction: particle.friction, restitution: particle.restitution },
            x: state.position,
            v: if is_free { state.velocity } else { Vec3::zeros() },
            omega,
            momentum: if is_free { moment * omega } else { Vec3::zeros() },
            mass: particle.mass,
            inverse_mass: particle.inverse_mass(),
            moments: Vec3::repeat(moment),
            acceleration: if is_free { scene.gravity } else { Vec3::zeros() },
            ..Self::at_rest(Origin::Grain(id))
        }
    }

    fn at_rest(origin: Origin) -> Self {
        let zero = Vec3::zeros();
        Self {
            origin,
            material: Material { friction: Friction::uniform(0.0), restitution: 0.0 },
            frame: None,
            x: zero,
            q: UnitQuaternion::identity(),
            v: zero,
            omega: zero,
            momentum: zero,
            mass: 0.0,
            inverse_mass: 0.0,
            moments: zero,
            fixed: FixedAxes::default(),
            acceleration: zero,
            torque: zero,
            force: zero,
            moment: zero,
            radius: 0.0,
            first: 0,
            end: 0,
            kappa: 0.0,
            is_active: false,
            lag: 0.0,
        }
    }

    /// The local coordinates (m) of a point given in the frame of the body.
    pub fn local(&self, point: &Vec3) -> Vec3 {
        self.frame.map_or(*point, |frame| frame.inverse_point(point))
    }

    /// The state of the body.
    pub fn body_state(&self) -> BodyState {
        let mut pose = Pose::new(self.x, self.q);
        let mut linear_velocity = self.v;
        if let Some(frame) = self.frame {
            pose = pose.compose(&frame.inverse());
            linear_velocity += self.omega.cross(&(pose.position - self.x));
        }
        BodyState { pose, linear_velocity, angular_velocity: self.omega }
    }

    /// Velocity (m/s, world) of the material point at `point` (m, world).
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.v + self.omega.cross(&(point - self.x))
    }

    /// Maximum speed (m/s) of any of its points.
    pub fn speed(&self) -> f64 {
        self.v.norm() + self.omega.norm() * self.radius
    }

    fn rotation(&self) -> DrivenRotation {
        let (moments, fixed) = (self.moments, self.fixed.rotation);
        DrivenRotation { moments, fixed, momentum: self.momentum, torque: self.torque }
    }

    /// Accelerations under the force (N) and the moment (N m, about x) in addition to the constant ones: a = g + (f + F)/m and
    /// α = I⁻¹(τ + T − ω × L), along free axes; all in world axes.
    pub fn accelerations(&self, force: &Vec3, moment: &Vec3) -> (Vec3, Vec3) {
        let fixed = self.fixed.translation;
        let gained = self.inverse_mass * force;
        let linear = self.acceleration + Vec3::from_fn(|i, _| if fixed[i] { 0.0 } else { gained[i] });
        (linear, self.turn(&(self.torque + moment - self.omega.cross(&self.momentum))))
    }

    /// I⁻¹ τ (rad/s²) for a torque τ (N m); both world.
    pub fn turn(&self, torque: &Vec3) -> Vec3 {
        match self.origin {
            Origin::Body(_) => self.rotation().angular_velocity_of(&self.q, torque),
            Origin::Grain(_) if self.inverse_mass > 0.0 => torque / self.moments.x,
            Origin::Grain(_) => Vec3::zeros(),
        }
    }

    /// w = 1/m + (r × n)·I⁻¹(r × n): generalised inverse mass (1/kg) for a force along `n` at `point` (m,
    /// world).
    ///
    /// Source: \[Mueller2020\] §3.2.1.
    pub fn inverse_mass_at(&self, point: &Vec3, n: &Vec3) -> f64 {
        let arm = (point - self.x).cross(n);
        let along: f64 = (0..3).filter(|&i| !self.fixed.translation[i]).map(|i| n[i] * n[i]).sum::<f64>()
            * self.inverse_mass;
        along + arm.dot(&self.turn(&arm))
    }

    /// Momenta after the contact forces act for `h` (s): P ← P + h F, L ← L + h T.
    ///
    /// Source: \[Harada2007\], dP/dt = F and dL/dt = Σ r × F.
    pub fn kick(&mut self, h: f64) {
        let fixed = self.fixed.translation;
        let gained = h * self.inverse_mass * self.force;
        self.v += Vec3::from_fn(|i, _| if fixed[i] { 0.0 } else { gained[i] });
        if self.moment != Vec3::zeros() && self.inverse_mass > 0.0 {
            self.momentum += h * self.moment;
            self.omega = self.turn(&self.momentum);
        }
    }

    /// Position and orientation after `h` (s) of free flight.
    ///
    /// x ← x + h v + ½ h² a, v ← v + h a with the constant a = g + f/m: with the kick before it, symplectic
    /// Euler for contact forces, and exact without them. Source: \[Harada2007\] for the orientation as
    /// `rotation` says, with I(t)⁻¹ = R I(0)⁻¹ Rᵀ. Deviation: gravity is not added to the forces, which
    /// would delay flight by half a substep.
    pub fn fly(&mut self, h: f64, rotation: Rotation) {
        self.x += h * self.v + (0.5 * h * h) * self.acceleration;
        self.v += h * self.acceleration;
        // A ball looks the same however it turned.
        if matches!(self.origin, Origin::Grain(_)) || self.fixed.rotation == [true; 3] {
            return;
        }
        let driven = self.rotation();
        match rotation {
            Rotation::Free => {
                let arrival = driven.fly(&self.q, &self.omega, h);
                (self.q, self.omega) = (arrival.rotation, arrival.angular_velocity);
            }
            Rotation::Quaternion => {
                let turned = rotation_vector::exp(&(h * self.omega)) * self.q;
                self.q = UnitQuaternion::new_normalize(turned.into_inner());
                self.omega = driven.angular_velocity(&self.q, h);
            }
        }
        self.momentum = driven.momentum_at(h);
    }
}

/// A static or kinematic body.
#[derive(Debug, Clone)]
pub(crate) struct Obstacle {
    pub id: BodyId,
    pub material: Material,
    pub mesh: Arc<Mesh>,
    /// Over the boxes of its triangles, in its own frame.
    pub tree: Arc<Bvh>,
    /// Whether the inside is solid, so that contacts push to one side.
    pub is_solid: bool,
    pub now: BodyState,
    pub radius: f64,
}

impl Obstacle {
    pub fn material_of(body: &Body) -> Material {
        Material { friction: body.friction, restitution: body.restitution }
    }

    /// Maximum speed (m/s) of any of its points.
    pub fn speed(&self) -> f64 {
        self.now.linear_velocity.norm() + self.now.angular_velocity.norm() * self.radius
    }
}
