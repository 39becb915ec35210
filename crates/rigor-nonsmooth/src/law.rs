//! Laws of contact, and how far impulses are from obeying them.

use std::f64::consts::{PI, TAU};

use rigor_math::elementary;

use crate::cone::{Cone, tangential};
use crate::{Problem, Vec3};

/// A law that ties the impulse of a contact to its velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Coulomb's law: r ∈ K ⟂ u + μ ‖u_T‖ e_N ∈ K*.
    Coulomb,
    /// The convex law of \[Anitescu2006\] and \[Tasora2011\]: r ∈ K ⟂ u ∈ K*. What slides lifts off at μ ‖u_T‖.
    Convex,
    /// Coulomb's law with a regular polygon in place of the disc ‖r_T‖ ≤ μ r_N: its corners are on the circle, the first along
    /// component 1. Source: \[Stewart1996\].
    Pyramid {
        /// Number of corners, at least 3.
        faces: u32,
    },
    /// The convex law with soft contacts: r ∈ K ⟂ u + R r ∈ K*, as in \[Castro2022\]. What is loaded creeps.
    Regularised {
        /// R (1/kg), the same for all rows.
        compliance: f64,
    },
}

impl Law {
    /// The name in tables, with its number.
    pub fn name(&self) -> String {
        match self {
            Self::Coulomb => "coulomb".into(),
            Self::Convex => "convex".into(),
            Self::Pyramid { faces } => format!("pyramid-{faces}"),
            Self::Regularised { compliance } => format!("regularised-{compliance:e}"),
        }
    }
}

impl Problem {
    /// The residual of Coulomb's law: see [`residual_of`](Self::residual_of).
    pub fn residual(&self, r: &[Vec3]) -> f64 {
        self.residual_of(&Law::Coulomb, r)
    }

    /// The residual of the natural map, ‖r − P_K(r − û)‖/(1 + ‖q‖), which is 0 at a solution: û = u + μ ‖u_T‖ e_N under Coulomb's law,
    /// u under the convex one, u + R r under the regularised one. For pyramids, r_N − max(0, r_N − u_N) and r_T − P(r_T − u_T) with
    /// the projection P onto the polygon of radius μ r_N. Of a contact that closes, |u_N| counts where it is more than the map: for large μ the map
    /// is about 1/μ of it.
    ///
    /// It is infinite for impulses or velocities that are not finite numbers: these solve nothing.
    ///
    /// The map adds impulses and velocities, so that its value depends on units: this is the convention of \[Acary2018\].
    pub fn residual_of(&self, law: &Law, r: &[Vec3]) -> f64 {
        let u = self.velocities(r);
        if !r.iter().chain(&u).all(|x| x.iter().all(|x| x.is_finite())) {
            return f64::INFINITY;
        }
        let of_block = |i: usize| match self.cones()[i] {
            Cone::Whole => match law {
                Law::Coulomb | Law::Convex | Law::Pyramid { .. } => u[i].norm_squared(),
                Law::Regularised { compliance } => (u[i] + r[i] * *compliance).norm_squared(),
            },
            Cone::Friction(mu) => {
                let map = natural_map(mu, law, &r[i], &u[i]).norm_squared();
                match law {
                    Law::Coulomb | Law::Pyramid { .. } => map.max(u[i].x.min(0.0) * u[i].x.min(0.0)),
                    Law::Convex | Law::Regularised { .. } => map,
                }
            }
        };
        (0..self.len()).map(of_block).sum::<f64>().sqrt() / (1.0 + self.q_norm())
    }

    /// How far impulses and velocities are from complementary, Σ r · û over Σ ‖r‖ ‖u‖; 0 where nothing moves or pushes.
    pub fn gap(&self, r: &[Vec3]) -> f64 {
        let u = self.velocities(r);
        let sum = |f: &dyn Fn(usize) -> f64| (0..self.len()).map(f).sum::<f64>();
        let product = sum(&|i| r[i].dot(&desaxce(&self.cones()[i], &u[i])));
        let whole = sum(&|i| r[i].norm() * u[i].norm());
        if whole > 0.0 { product / whole } else { 0.0 }
    }

    /// The kinetic energy (J) that the impulses give to the bodies: ½ rᵀ W r + qᵀ r.
    pub fn energy(&self, r: &[Vec3]) -> f64 {
        let u = self.velocities(r);
        (0..self.len()).map(|i| 0.5 * r[i].dot(&(u[i] + self.q()[i]))).sum()
    }
}

/// û = u + μ ‖u_T‖ e_N.
pub(crate) fn desaxce(cone: &Cone, u: &Vec3) -> Vec3 {
    match cone {
        Cone::Friction(mu) => Vec3::new(u.x + mu * tangential(u), u.y, u.z),
        Cone::Whole => *u,
    }
}

/// What is 0 at a solution. No velocity is lost in the rounding of a large impulse.
fn natural_map(mu: f64, law: &Law, r: &Vec3, u: &Vec3) -> Vec3 {
    let cone = Cone::Friction(mu);
    match law {
        Law::Coulomb => to_cone(mu, r, &desaxce(&cone, u)),
        Law::Convex => to_cone(mu, r, u),
        Law::Regularised { compliance } => to_cone(mu, r, &(u + r * *compliance)),
        Law::Pyramid { faces } => {
            let normal = if r.x > u.x { u.x } else { r.x };
            let p = [r.y - u.y, r.z - u.z];
            let [y, z] = to_polygon(*faces, mu * r.x.max(0.0), p);
            if [y, z] == p { Vec3::new(normal, u.y, u.z) } else { Vec3::new(normal, r.y - y, r.z - z) }
        }
    }
}

/// r − P_K(r − v).
fn to_cone(mu: f64, r: &Vec3, v: &Vec3) -> Vec3 {
    let y = r - v;
    let across = tangential(&y);
    // For μ = 0 the product alone would take what opens for closed.
    if y.x >= 0.0 && across <= mu * y.x {
        *v
    } else if mu * across <= -y.x {
        *r
    } else {
        let d = Vec3::new(1.0, mu * y.y / across, mu * y.z / across) / (1.0 + mu * mu).sqrt();
        r - d * d.dot(r) + d * d.dot(v)
    }
}

/// The point nearest to `p` of the regular polygon with so many corners on the circle of this radius, the first at angle 0.
pub(crate) fn to_polygon(corners: u32, radius: f64, [y, z]: [f64; 2]) -> [f64; 2] {
    let sector = TAU / f64::from(corners);
    let middle = ((elementary::atan2(z, y).rem_euclid(TAU) / sector).floor() + 0.5) * sector;
    let (sin, cos) = elementary::sin_cos(middle);
    let (out, along) = (y * cos + z * sin, z * cos - y * sin);
    let half = PI / f64::from(corners);
    let (sin_half, cos_half) = elementary::sin_cos(half);
    let (edge, end) = (radius * cos_half, radius * sin_half);
    if out <= edge {
        return [y, z];
    }
    let along = along.clamp(-end, end);
    [edge * cos - along * sin, edge * sin + along * cos]
}
