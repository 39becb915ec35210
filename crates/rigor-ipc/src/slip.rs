//! Sliding velocity of surfaces, as friction sees it.

use rigor_math::Vec3;
use rigor_scene::BodyState;

use crate::contact::PrimitivePair;
use crate::placement::Placement;
use crate::prediction::Prediction;

/// How a body moves to the end of the step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Movement {
    /// By inertia and contact.
    Free(Prediction),
    /// At constant velocity from this placement to wherever it ends; with these velocities at the end, if
    /// they are known.
    Led(Placement, Option<BodyState>),
}

/// The movements of all bodies in a step of `h` (s).
#[derive(Debug)]
pub(crate) struct Movements {
    pub all: Vec<Movement>,
    pub h: f64,
}

impl Movements {
    /// Returns the time (s) that turns the sliding speed of a pair of bodies into a length: h_b of the free
    /// ones if they agree, else h.
    pub fn span(&self, bodies: [usize; 2]) -> f64 {
        let of = |body: usize| match &self.all[body] {
            Movement::Free(prediction) => Some(prediction.h),
            _ => None,
        };
        match bodies.map(of) {
            [Some(a), Some(b)] if a == b => a,
            [Some(own), None] | [None, Some(own)] => own,
            _ => self.h,
        }
    }

    /// Returns x − span ẋ (m, world) of the points of a contact, where ẋ are the velocities that friction
    /// sees if the step ends at `places`: the mean over the step for first-order impulses, the velocities at
    /// the end for second-order ones.
    ///
    /// If the impulses of both bodies count for the same time, the result does not depend on where the step
    /// ends.
    pub fn origins(&self, contact: &PrimitivePair, places: &[Placement]) -> [Vec3; 4] {
        let span = self.span(contact.bodies);
        std::array::from_fn(|i| {
            if i >= contact.kind.n_points() {
                return Vec3::zeros();
            }
            let body = contact.bodies[contact.side(i)];
            self.origin(body, &contact.points_local[i], &places[body], span)
        })
    }

    /// Returns the separation of the points of A and B that touch (m, world), which are `points_local` in the frames of their bodies, as far
    /// back as [`Self::origins`]; `weights` are those of the nearest points.
    pub fn separation(
        &self,
        contact: &PrimitivePair,
        weights: &[f64; 4],
        points_local: &[Vec3; 2],
        places: &[Placement],
    ) -> Vec3 {
        if contact.offset() == 0.0 {
            let before = self.origins(contact, places);
            return (0..contact.kind.n_points()).fold(Vec3::zeros(), |sum, i| sum + before[i] * weights[i]);
        }
        let span = self.span(contact.bodies);
        let [a, b] = std::array::from_fn(|side| {
            let body = contact.bodies[side];
            self.origin(body, &points_local[side], &places[body], span)
        });
        a - b
    }

    fn origin(&self, body: usize, x_local: &Vec3, place: &Placement, span: f64) -> Vec3 {
        match &self.all[body] {
            Movement::Free(prediction) if prediction.h == span => prediction.origin(x_local),
            Movement::Free(prediction) => {
                place.point(x_local) - span * prediction.velocity_at(place, x_local)
            }
            Movement::Led(start, then) => {
                let x = place.point(x_local);
                match then {
                    Some(then) if span != self.h => x - span * then.velocity_at(&x),
                    _ => x - (x - start.point(x_local)) * (span / self.h),
                }
            }
        }
    }
}
