//! The acceleration of a body that fluid pushes, and whose acceleration is in the pressure of its walls.

use nalgebra::{Matrix6, Vector6};
use rigor_math::Vec3;
use rigor_scene::Scene;

use crate::fluid::wall::WallPressure;
use crate::mover::Mover;
use crate::world::World;

/// Largest number of solves until the parcels with pressure are known.
const MAX_SOLVES: usize = 20;

/// Acceleration of the centre of mass (m/s²) and angular acceleration (rad/s²), world, of a body at `x` (m).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Acceleration {
    pub x: Vec3,
    pub omega: Vec3,
    pub linear: Vec3,
    pub angular: Vec3,
}

impl Acceleration {
    /// That of the material point at `point` (m, world): a + α × d + ω × (ω × d).
    pub fn at(&self, point: &Vec3) -> Vec3 {
        let d = point - self.x;
        self.linear + self.angular.cross(&d) + self.omega.cross(&self.omega.cross(&d))
    }
}

/// A parcel of a wall: where it is (m, world), its pressure, the force on it without pressure of its own (N), and the
/// force per pressure (m²).
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallParcel {
    pub x: Vec3,
    pub pressure: WallPressure,
    pub force: Vec3,
    pub per_pressure: Vec3,
}

/// Returns the mean acceleration of an obstacle in the next `h` (s), as the scene prescribes.
pub(crate) fn prescribed(scene: &Scene, world: &World, obstacle: usize, h: f64) -> Acceleration {
    let obstacle = &world.obstacles[obstacle];
    let now = &obstacle.now;
    let next = scene.bodies[obstacle.id.0].prescribed(world.time + h).unwrap_or(*now);
    Acceleration {
        x: now.pose.position,
        omega: now.angular_velocity,
        linear: (next.linear_velocity - now.linear_velocity) / h,
        angular: (next.angular_velocity - now.angular_velocity) / h,
    }
}

/// Finds the acceleration of a body under its own forces and those on the parcels of its walls.
///
/// It solves (a, α) = y₀ + W Σ_w J_wᵀ (f_w + g_w max(0, p_w − s_w·a_w)), a_w = J_w (a, α) + ω × (ω × d_w), with the mobility W, by Newton's
/// method over the parcels with pressure: the pressure of its walls answers the acceleration at once, as added mass does, so that
/// light bodies are stable.
///
/// Source: the pressure is that of \[Adami2012\] eq. (27). Deviation: the acceleration is that of the same substep, not of the one before.
pub(crate) fn solve(mover: &Mover, parcels: &[WallParcel]) -> Acceleration {
    let free = mover.accelerations(&Vec3::zeros(), &Vec3::zeros());
    let stack = |(a, b): (Vec3, Vec3)| Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z);
    let mobility = |force: &Vector6<f64>| {
        let (f, t) = (force.fixed_rows::<3>(0).into_owned(), force.fixed_rows::<3>(3).into_owned());
        stack(mover.accelerations(&f, &t)) - stack(free)
    };
    let moved = |y: &Vector6<f64>| Acceleration {
        x: mover.x,
        omega: mover.omega,
        linear: y.fixed_rows::<3>(0).into_owned(),
        angular: y.fixed_rows::<3>(3).into_owned(),
    };
    let rest = Acceleration { x: mover.x, omega: mover.omega, ..Acceleration::default() };
    let (mut own, mut y) = (stack((mover.force, mover.moment)), Vector6::zeros());
    for parcel in parcels {
        let d = parcel.x - mover.x;
        own += stack((parcel.force, d.cross(&parcel.force)));
    }
    let mut pressed: Option<Vec<bool>> = None;
    for _ in 0..MAX_SOLVES {
        let now = moved(&y);
        let next: Vec<bool> =
            parcels.iter().map(|parcel| parcel.pressure.at(&now.at(&parcel.x)) > 0.0).collect();
        if pressed.as_ref() == Some(&next) {
            break;
        }
        let (mut force, mut mass) = (own, Matrix6::zeros());
        for (parcel, _) in parcels.iter().zip(&next).filter(|(_, is_pressed)| **is_pressed) {
            let d = parcel.x - mover.x;
            let (g, s) = (parcel.per_pressure, parcel.pressure.lever);
            let along = stack((g, d.cross(&g)));
            force += (parcel.pressure.still - s.dot(&rest.at(&parcel.x))) * along;
            mass += along * stack((s, d.cross(&s))).transpose();
        }
        // I + W M, column by column.
        let mut matrix = Matrix6::identity();
        for column in 0..6 {
            let answer = mobility(&mass.column(column).into_owned());
            let sum = matrix.column(column) + answer;
            matrix.set_column(column, &sum);
        }
        let Some(solution) = matrix.lu().solve(&(stack(free) + mobility(&force))) else { break };
        (y, pressed) = (solution, Some(next));
    }
    moved(&y)
}
