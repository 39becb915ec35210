//! Pose of a body during a solve, and the coordinates in which it moves.

use nalgebra::Vector6;
use rigor_ccd::RigidMotion;
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, rotation_vector, skew};
use rigor_scene::Turn;

use crate::config::Coordinates;

/// Pose of one body, with its coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement {
    /// q (m, world).
    pub position: Vec3,
    pub rotation: UnitQuaternion,
    /// Q.
    pub matrix: Mat3,
    /// θ (rad) with Q = R(θ); 0 in local coordinates.
    pub theta: Vec3,
    pub coordinates: Coordinates,
}

impl Placement {
    pub fn new(pose: &Pose, coordinates: Coordinates) -> Self {
        let theta = match coordinates {
            Coordinates::Local => Vec3::zeros(),
            Coordinates::RotationVector => rotation_vector::log(&pose.rotation),
        };
        let matrix = pose.rotation.to_rotation_matrix().into_inner();
        Self { position: pose.position, rotation: pose.rotation, matrix, theta, coordinates }
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.position, self.rotation)
    }

    /// Returns Q x̂ + q (m, world).
    pub fn point(&self, x_local: &Vec3) -> Vec3 {
        self.matrix * x_local + self.position
    }

    /// Returns the placement after the step (Δq, Δθ).
    pub fn moved(&self, step: &Vector6<f64>) -> Self {
        let (by, turn) = split(step);
        let mut rotation = match self.coordinates {
            Coordinates::Local => rotation_vector::exp(&turn) * self.rotation,
            Coordinates::RotationVector => rotation_vector::exp(&(self.theta + turn)),
        };
        rotation.renormalize();
        Self {
            position: self.position + by,
            rotation,
            matrix: rotation.to_rotation_matrix().into_inner(),
            theta: if self.coordinates == Coordinates::Local { Vec3::zeros() } else { self.theta + turn },
            coordinates: self.coordinates,
        }
    }

    /// Returns the step to `pose` about a fixed axis: (Δq, rotation vector).
    pub fn step_to(&self, pose: &Pose) -> Vector6<f64> {
        let by = pose.position - self.position;
        let turn = rotation_vector::log(&(pose.rotation * self.rotation.inverse()));
        Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z)
    }

    /// Returns the motion of `step`, t ∈ [0, 1].
    pub fn motion(&self, step: &Vector6<f64>) -> RigidMotion {
        let (by, turn) = split(step);
        let position = [self.position, self.position + by];
        match self.coordinates {
            Coordinates::Local => RigidMotion::about_axis(position, self.rotation, turn),
            Coordinates::RotationVector => RigidMotion::between(position, [self.theta, self.theta + turn]),
        }
    }

    /// Returns the same motion as it is recorded.
    pub fn travel(&self, step: &Vector6<f64>) -> (Vec3, Turn) {
        let (by, turn) = split(step);
        match self.coordinates {
            Coordinates::Local => (by, Turn::About(turn)),
            Coordinates::RotationVector => (by, Turn::Straight { theta: self.theta, by: turn }),
        }
    }

    /// Returns ∂Q/∂θ_k or, in local coordinates, ∂(exp(\[δ\]) Q)/∂δ_k at 0, which is \[e_k\] Q.
    pub fn gradient(&self) -> [Mat3; 3] {
        match self.coordinates {
            Coordinates::Local => axes().map(|e| e * self.matrix),
            Coordinates::RotationVector => rotation_vector::matrix_gradient(&self.theta),
        }
    }

    /// Returns J with ω = J θ̇; `None` where J is the identity.
    pub fn jacobian(&self) -> Option<Mat3> {
        match self.coordinates {
            Coordinates::Local => None,
            Coordinates::RotationVector => Some(rotation_vector::left_jacobian(&self.theta)),
        }
    }

    /// Returns G : ∂²Q/∂θ_k∂θ_l for a matrix G; at δ = 0 the second derivative is ½(\[e_k\]\[e_l\] +
    /// \[e_l\]\[e_k\]) Q.
    pub fn curvature(&self, g: &Mat3) -> Mat3 {
        match self.coordinates {
            // G : ([e_k][e_l]) Q = (G Qᵀ) : (e_l e_kᵀ − δ_kl 1).
            Coordinates::Local => {
                let m = g * self.matrix.transpose();
                0.5 * (m + m.transpose()) - Mat3::identity() * m.trace()
            }
            Coordinates::RotationVector => {
                let second = rotation_vector::matrix_hessian(&self.theta);
                Mat3::from_fn(|k, l| g.dot(&second[k][l]))
            }
        }
    }
}

fn split(step: &Vector6<f64>) -> (Vec3, Vec3) {
    (step.fixed_rows::<3>(0).into_owned(), step.fixed_rows::<3>(3).into_owned())
}

/// Returns \[e_x\], \[e_y\], \[e_z\].
fn axes() -> [Mat3; 3] {
    [skew(&Vec3::x()), skew(&Vec3::y()), skew(&Vec3::z())]
}
