//! What the contacts between one pair of bodies add to gradient and Hessian.

use nalgebra::{Matrix3, SMatrix};
use rigor_math::{Mat3, Vec3, skew};

use crate::contact::{Contact, Mat12, Vec12};
use crate::objective::points;
use crate::placement::Placement;

/// Σ f and Σ f x̂ᵀ: what pushes a body.
pub(crate) type Push = (Vec3, Mat3);

/// The terms between one pair of bodies, the one with the smaller index first.
#[derive(Debug, Clone)]
pub(crate) struct PairTerms {
    pub bodies: [usize; 2],
    pub pushes: [Push; 2],
    /// The Hessian in the coordinates of both bodies, without what their curvature adds.
    pub block: Mat12,
}

impl PairTerms {
    /// Of `contacts`, all between the same two bodies, each with its `derivatives` by the points where they are.
    pub fn new<'a>(
        contacts: impl Iterator<Item = (&'a Contact, (Vec12, Mat12))>,
        bodies: [usize; 2],
        places: &[Placement],
    ) -> Self {
        let none = (Vec3::zeros(), Mat3::zeros());
        let mut terms = Self { bodies, pushes: [none; 2], block: Mat12::zeros() };
        for (contact, (gradient, hessian)) in contacts {
            terms.push(contact, &gradient);
            terms.bend(contact, &hessian, places);
        }
        let jacobians = bodies.map(|body| places[body].jacobian());
        for (k, jacobian) in jacobians.iter().enumerate() {
            if let Some(jacobian) = jacobian {
                terms.change_coordinates(3 + 6 * k, jacobian);
            }
        }
        terms.block.fill_upper_triangle_with_lower_triangle();
        terms
    }

    fn push(&mut self, contact: &Contact, gradient: &Vec12) {
        for i in 0..contact.kind.n_points() {
            let f: Vec3 = gradient.fixed_rows::<3>(3 * i).into_owned();
            let (sum, moment) = &mut self.pushes[self.side(contact, i)];
            *sum += f;
            *moment += f * contact.points_local[i].transpose();
        }
    }

    /// Which of the pair the body of point i is.
    fn side(&self, contact: &Contact, i: usize) -> usize {
        usize::from(contact.bodies[contact.side(i)] == self.bodies[1])
    }

    /// Adds Σᵢⱼ Xᵢᵀ Hᵢⱼ Xⱼ with Xᵢ = (1, −[rᵢ]), rᵢ = xᵢ − q: the lower half of it.
    fn bend(&mut self, contact: &Contact, hessian: &Mat12, places: &[Placement]) {
        let n = contact.kind.n_points();
        let x = points(contact, places);
        let arms: [Mat3; 4] = std::array::from_fn(|i| {
            if i < n {
                skew(&(x[i] - places[contact.bodies[contact.side(i)]].position))
            } else {
                Mat3::zeros()
            }
        });
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (row, column) = (6 * self.side(contact, i), 6 * self.side(contact, j));
            if row < column {
                continue;
            }
            let h: Matrix3<f64> = hessian.fixed_view::<3, 3>(3 * i, 3 * j).into_owned();
            // −Xᵢᵀ is (−1, −[rᵢ]).
            let (h_arm, arm_h) = (h * arms[j], arms[i] * h);
            let mut add = |r: usize, c: usize, m: &Mat3| {
                let mut part = self.block.fixed_view_mut::<3, 3>(row + r, column + c);
                part += m;
            };
            add(0, 0, &h);
            add(3, 0, &arm_h);
            add(0, 3, &-h_arm);
            add(3, 3, &-(arms[i] * h_arm));
        }
    }

    /// From δ to θ with δ̇ = J θ̇, for the three coordinates from `k` on.
    fn change_coordinates(&mut self, k: usize, jacobian: &Mat3) {
        self.block.fill_upper_triangle_with_lower_triangle();
        let columns: SMatrix<f64, 12, 3> = self.block.fixed_columns::<3>(k) * jacobian;
        self.block.fixed_columns_mut::<3>(k).copy_from(&columns);
        let rows: SMatrix<f64, 3, 12> = jacobian.transpose() * self.block.fixed_rows::<3>(k);
        self.block.fixed_rows_mut::<3>(k).copy_from(&rows);
    }
}

/// The bodies of a contact, the smaller index first.
pub(crate) fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
