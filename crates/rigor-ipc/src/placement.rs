//! Placement of a body during a solve, and the coordinates in which it moves.

use nalgebra::RowVector3;
use rigor_ccd::RigidMotion;
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, rotation_vector, skew, unskew};
use rigor_scene::Turn;

use crate::body_slots::Step;
use crate::config;
use crate::stretch::{nearest_rotation, spectral_bound};

/// Coordinates in which a body moves in a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinates {
    /// (q, δ), Q ← exp(\[δ\]) Q.
    Local,
    /// (q, θ), Q = R(θ).
    RotationVector,
    /// (q, rows of A): points move on straight lines.
    Affine,
}

impl From<config::Coordinates> for Coordinates {
    fn from(coordinates: config::Coordinates) -> Self {
        match coordinates {
            config::Coordinates::Local => Self::Local,
            config::Coordinates::RotationVector => Self::RotationVector,
        }
    }
}

/// Placement of one body, with its coordinates: the point x̂ is at A x̂ + q.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement {
    /// q (m, world).
    pub position: Vec3,
    /// Q, or the rotation nearest to A.
    pub rotation: UnitQuaternion,
    /// A; Q of a rigid body.
    pub matrix: Mat3,
    /// θ (rad) with Q = R(θ); 0 in other coordinates.
    pub theta: Vec3,
    pub coordinates: Coordinates,
}

impl Placement {
    /// Places a body that is not stretched.
    pub fn new(pose: &Pose, coordinates: Coordinates) -> Self {
        let theta = match coordinates {
            Coordinates::Local | Coordinates::Affine => Vec3::zeros(),
            Coordinates::RotationVector => rotation_vector::log(&pose.rotation),
        };
        let matrix = pose.rotation.to_rotation_matrix().into_inner();
        Self { position: pose.position, rotation: pose.rotation, matrix, theta, coordinates }
    }

    /// Places an affine body, with its A; `pose` has the rotation nearest to it.
    pub fn affine(pose: &Pose, matrix: Mat3) -> Self {
        Self { matrix, ..Self::new(pose, Coordinates::Affine) }
    }

    /// Returns the same placement, for motions about a fixed axis if the body is rigid.
    pub fn about_axis(&self) -> Self {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => Self::new(&self.pose(), Coordinates::Local),
            Coordinates::Affine => *self,
        }
    }

    pub fn is_affine(&self) -> bool {
        self.coordinates == Coordinates::Affine
    }

    /// Returns Q, or the rotation nearest to A.
    pub fn rotation_matrix(&self) -> Mat3 {
        if self.is_affine() { self.rotation.to_rotation_matrix().into_inner() } else { self.matrix }
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.position, self.rotation)
    }

    /// Returns A x̂ + q (m, world).
    pub fn point(&self, x_local: &Vec3) -> Vec3 {
        self.matrix * x_local + self.position
    }

    /// Returns the placement after a step: (Δq, Δθ), or (Δq, rows of ΔA).
    pub fn moved<const N: usize>(&self, step: &Step<N>) -> Self {
        if self.coordinates == Coordinates::Affine {
            let matrix = self.matrix + by_matrix(step);
            let rotation = nearest_rotation(&matrix, &self.rotation);
            return Self { position: self.position + by(step), rotation, matrix, ..*self };
        }
        let (by, turn) = (by(step), turn(step));
        let mut rotation = match self.coordinates {
            Coordinates::RotationVector => rotation_vector::exp(&(self.theta + turn)),
            Coordinates::Local | Coordinates::Affine => rotation_vector::exp(&turn) * self.rotation,
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

    /// Returns the step to another placement: of a rigid body about a fixed axis.
    pub fn step_to<const N: usize>(&self, to: &Self) -> Step<N> {
        let by = to.position - self.position;
        let mut step = Step::<N>::zeros();
        step.fixed_rows_mut::<3>(0).copy_from(&by);
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => {
                let turn = rotation_vector::log(&(to.rotation * self.rotation.inverse()));
                step.fixed_rows_mut::<3>(3).copy_from(&turn);
            }
            Coordinates::Affine => set_matrix(&mut step, &(to.matrix - self.matrix)),
        }
        step
    }

    /// Returns a step with the turn of `step` by a rotation, without what a straight way at its rate would stretch: with ΔA A⁻¹ = \[w\] + Σ, Σ
    /// symmetric, it leads to exp(\[w\]) (1 + Σ) A. `None` of a rigid body, and where A has no inverse.
    pub fn turned_by<const N: usize>(&self, step: &Step<N>) -> Option<Step<N>> {
        let inverse = if self.is_affine() { self.matrix.try_inverse()? } else { return None };
        let rate = by_matrix(step) * inverse;
        let turn = rotation_vector::exp(&unskew(&rate)).to_rotation_matrix().into_inner();
        let to = turn * (Mat3::identity() + 0.5 * (rate + rate.transpose())) * self.matrix;
        let mut turned = *step;
        set_matrix(&mut turned, &(to - self.matrix));
        Some(turned)
    }

    /// Returns the motion of `step`, t ∈ [0, 1]; of an affine body that of the nearest rotation, which its points follow within
    /// [`Self::deviation`].
    pub fn motion<const N: usize>(&self, step: &Step<N>) -> RigidMotion {
        let position = [self.position, self.position + by(step)];
        match self.coordinates {
            Coordinates::Local => RigidMotion::about_axis(position, self.rotation, turn(step)),
            Coordinates::RotationVector => {
                RigidMotion::between(position, [self.theta, self.theta + turn(step)])
            }
            Coordinates::Affine => {
                RigidMotion::about_axis(position, self.rotation, self.turn_to(&self.moved(step)))
            }
        }
    }

    /// Returns a bound on ‖A(t) − Q(t)‖ for the rigid motion Q of [`Self::motion`]: how far a point goes from it, per distance from the
    /// centre.
    ///
    /// A(t) is between A(0) and A(1), within the larger of their ‖A − Q‖ of the chord from Q(0) to Q(1), and an arc of θ is within θ²/8
    /// of its chord.
    pub fn deviation<const N: usize>(&self, step: &Step<N>) -> f64 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => 0.0,
            Coordinates::Affine => {
                let angle = self.turn_to(&self.moved(step)).norm();
                self.max_strain(step) + 0.125 * angle * angle
            }
        }
    }

    /// Returns a bound on ‖A − Q‖, 0 of a rigid body.
    pub fn strain(&self) -> f64 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => 0.0,
            Coordinates::Affine => {
                spectral_bound(&(self.matrix - self.rotation.to_rotation_matrix().into_inner()))
            }
        }
    }

    /// Returns a bound on ‖A − Q‖ along `step`, where Q is the nearest rotation at its start or its end.
    pub fn max_strain<const N: usize>(&self, step: &Step<N>) -> f64 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => 0.0,
            Coordinates::Affine => self.strain().max(self.moved(step).strain()),
        }
    }

    /// Returns E of A = Q (1 + E), symmetric.
    pub fn strains(&self) -> Mat3 {
        let s = self.rotation.to_rotation_matrix().into_inner().tr_mul(&self.matrix);
        0.5 * (s + s.transpose()) - Mat3::identity()
    }

    fn turn_to(&self, to: &Self) -> Vec3 {
        rotation_vector::log(&(to.rotation * self.rotation.inverse()))
    }

    /// Returns a bound on the speed of a point in `step`, per distance from the centre, without that of the centre: ‖Δθ‖ or ‖ΔA‖.
    #[inline]
    pub fn turning<const N: usize>(&self, step: &Step<N>) -> f64 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => turn(step).norm(),
            Coordinates::Affine => spectral_bound(&by_matrix(step)),
        }
    }

    /// Returns the velocity (m) at the start of `step` of a point that is x̂ in the frame of the body and at `x` now.
    pub fn velocity<const N: usize>(&self, step: &Step<N>, x_local: &Vec3, x: &Vec3) -> Vec3 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => {
                by(step) + turn(step).cross(&(x - self.position))
            }
            Coordinates::Affine => by(step) + by_matrix(step) * x_local,
        }
    }

    /// Returns a bound on the acceleration of a point in `step`, per distance from the centre.
    pub fn bend<const N: usize>(&self, step: &Step<N>) -> f64 {
        match self.coordinates {
            Coordinates::Local | Coordinates::RotationVector => turn(step).norm_squared(),
            Coordinates::Affine => 0.0,
        }
    }

    /// Returns the same motion as it is recorded.
    pub fn travel<const N: usize>(&self, step: &Step<N>) -> (Vec3, Turn) {
        match self.coordinates {
            Coordinates::Local => (by(step), Turn::About(turn(step))),
            Coordinates::RotationVector => (by(step), Turn::Straight { theta: self.theta, by: turn(step) }),
            Coordinates::Affine => (by(step), Turn::Affine { from: self.matrix, by: by_matrix(step) }),
        }
    }

    /// Returns ∂Q/∂θ_k or, in local coordinates, ∂(exp(\[δ\]) Q)/∂δ_k at 0, which is \[e_k\] Q.
    pub fn gradient(&self) -> [Mat3; 3] {
        match self.coordinates {
            Coordinates::Local | Coordinates::Affine => axes().map(|e| e * self.matrix),
            Coordinates::RotationVector => rotation_vector::matrix_gradient(&self.theta),
        }
    }

    /// Returns J with ω = J θ̇; `None` where J is the identity.
    pub fn jacobian(&self) -> Option<Mat3> {
        match self.coordinates {
            Coordinates::Local | Coordinates::Affine => None,
            Coordinates::RotationVector => Some(rotation_vector::left_jacobian(&self.theta)),
        }
    }

    /// Returns G : ∂²Q/∂θ_k∂θ_l for a matrix G; at δ = 0 the second derivative is ½(\[e_k\]\[e_l\] +
    /// \[e_l\]\[e_k\]) Q.
    pub fn curvature(&self, g: &Mat3) -> Mat3 {
        match self.coordinates {
            // G : ([e_k][e_l]) Q = (G Qᵀ) : (e_l e_kᵀ − δ_kl 1).
            Coordinates::Local | Coordinates::Affine => {
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

fn by<const N: usize>(step: &Step<N>) -> Vec3 {
    step.fixed_rows::<3>(0).into_owned()
}

fn turn<const N: usize>(step: &Step<N>) -> Vec3 {
    step.fixed_rows::<3>(3).into_owned()
}

/// Returns ΔA of a step of an affine body.
pub(crate) fn by_matrix<const N: usize>(step: &Step<N>) -> Mat3 {
    let row = |r: usize| RowVector3::from_fn(|_, c| step[3 + 3 * r + c]);
    Mat3::from_rows(&[row(0), row(1), row(2)])
}

/// Sets ΔA of a step of an affine body.
pub(crate) fn set_matrix<const N: usize>(step: &mut Step<N>, by: &Mat3) {
    for r in 0..3 {
        for c in 0..3 {
            step[3 + 3 * r + c] = by[(r, c)];
        }
    }
}

/// Returns \[e_x\], \[e_y\], \[e_z\].
fn axes() -> [Mat3; 3] {
    [skew(&Vec3::x()), skew(&Vec3::y()), skew(&Vec3::z())]
}
