//! The surfaces of all bodies of a scene, frame after frame, and what is known about their pairs.

use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Mat3, Pose, Vec3};
use rigor_scene::{BodyId, Scene, State};

use crate::meeting::{Meeting, examine};
use crate::separation::separation;
use crate::surface::shape::{Key, Shape, key};
use crate::surface::{Primitive, Surface};
use crate::{depth, displacement, gap};

/// A cache of the surfaces of the bodies of one scene, frame after frame.
///
/// Surfaces are built for the first frame. Afterwards only the surfaces of bodies that moved are updated. All
/// judges of a panel share one cache, so that each pair of bodies is examined at most once per frame.
#[derive(Debug, Default)]
pub struct SurfaceCache {
    surfaces: RefCell<Option<Surfaces>>,
}

impl SurfaceCache {
    /// Returns the surfaces as placed by `state`.
    pub(crate) fn look(&self, scene: &Scene, state: &State) -> Ref<'_, Surfaces> {
        let is_current = self.surfaces.borrow().as_ref().is_some_and(|surfaces| surfaces.are_at(state));
        if !is_current {
            let mut seen = self.surfaces.borrow_mut();
            seen.get_or_insert_with(|| Surfaces::new(scene, state)).place(scene, state);
        }
        Ref::map(self.surfaces.borrow(), |seen| seen.as_ref().expect("placed just now or before"))
    }
}

/// The surfaces of all bodies of a scene in one frame.
///
/// Pairs are remembered from frame to frame. Two bodies that were apart, at a distance of at least d, are still
/// apart, and one is not inside the other, as long as neither moved by more than its share of d
/// (`displacement::bound`): until then nothing about the pair is computed.
#[derive(Debug)]
pub struct Surfaces {
    bodies: Vec<Surface>,
    /// The shape of each body without strain.
    unstrained: Vec<Arc<Shape>>,
    /// The strain of each body, of which [`Surface::shape`] is the shape.
    strains: Vec<Mat3>,
    close_pairs: Vec<(usize, usize)>,
    /// The number of the frame.
    frame: u64,
    pairs: RefCell<BTreeMap<(usize, usize), Pair>>,
}

/// What is known about two bodies.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    /// How they met in the last frame in which that was examined, and the number of that frame.
    meeting: Option<(u64, Meeting)>,
    apart: Option<LastApart>,
    /// The nearest primitives when their distance was last computed.
    nearest: Option<[u32; 2]>,
}

/// A frame in which two bodies were apart.
#[derive(Debug, Clone, Copy)]
struct LastApart {
    poses: [Pose; 2],
    strains: [Mat3; 2],
    /// A lower bound on their distance (m).
    at_least: f64,
}

impl Surfaces {
    fn new(scene: &Scene, state: &State) -> Self {
        // Equal bodies share their skeleton.
        let mut shapes: BTreeMap<Key, Arc<Shape>> = BTreeMap::new();
        let surface = |(i, body): (usize, &rigor_scene::Body)| {
            let new = || Arc::new(Shape::new(&body.skeleton));
            let shape = shapes.entry(key(&body.skeleton)).or_insert_with(new);
            let pose = state.bodies.get(i).map_or(body.initial.pose, |state| state.pose);
            Surface::new(Arc::clone(shape), &pose)
        };
        let bodies: Vec<Surface> = scene.bodies.iter().enumerate().map(surface).collect();
        let unstrained = bodies.iter().map(Surface::shape).collect();
        let strains = vec![Mat3::zeros(); bodies.len()];
        Self { bodies, unstrained, strains, close_pairs: Vec::new(), frame: 0, pairs: RefCell::default() }
    }

    fn are_at(&self, state: &State) -> bool {
        let has_strains = || {
            let mut strains = self.strains.iter().enumerate();
            strains.all(|(i, seen)| *seen == state.strain(BodyId(i)))
        };
        self.frame > 0
            && self.bodies.iter().zip(&state.bodies).all(|(seen, body)| *seen.pose() == body.pose)
            && has_strains()
    }

    fn place(&mut self, scene: &Scene, state: &State) {
        for (i, (surface, body)) in self.bodies.iter_mut().zip(&state.bodies).enumerate() {
            let strain = state.strain(BodyId(i));
            if strain == self.strains[i] {
                surface.place(&body.pose);
                continue;
            }
            self.strains[i] = strain;
            let unstrained = &self.unstrained[i];
            let is_rigid = strain == Mat3::zeros();
            let shape =
                if is_rigid { Arc::clone(unstrained) } else { Arc::new(unstrained.strained(&strain)) };
            *surface = Surface::new(shape, &body.pose);
        }
        let (placed, boxes): (Vec<usize>, Vec<Aabb>) = self
            .bodies
            .iter()
            .map(|surface| *surface.bounds())
            .enumerate()
            .filter(|(_, b)| b.is_finite())
            .unzip();
        self.close_pairs = overlapping_pairs(scene, &placed, &boxes);
        self.frame += 1;
    }

    /// Returns the surface of each body.
    pub fn bodies(&self) -> &[Surface] {
        &self.bodies
    }

    /// Returns the shape of a body without strain.
    pub(crate) fn unstrained(&self, body: usize) -> Arc<Shape> {
        Arc::clone(&self.unstrained[body])
    }

    /// Returns the strain of a body.
    pub(crate) fn strain(&self, body: usize) -> &Mat3 {
        &self.strains[body]
    }

    /// Returns the pairs of bodies (smaller index first) that may collide and whose boxes overlap.
    pub fn close_pairs(&self) -> &[(usize, usize)] {
        &self.close_pairs
    }

    /// Returns how two bodies meet, as [`crate::meeting::meeting`].
    pub fn meeting(&self, a: usize, b: usize) -> Meeting {
        let [first, second] = [&self.bodies[a], &self.bodies[b]];
        if !first.bounds().overlaps(second.bounds()) {
            return Meeting::Apart;
        }
        match self.pair(a, b).meeting {
            Some((frame, meeting)) if frame == self.frame => return meeting,
            _ if self.clearance(a, b) > 0.0 => return Meeting::Apart,
            _ => {}
        }
        let (meeting, at_least) = examine(first, second);
        self.pairs.borrow_mut().entry((a, b)).or_default().meeting = Some((self.frame, meeting));
        if meeting == Meeting::Apart {
            self.note_apart(a, b, at_least);
        }
        meeting
    }

    /// Returns the distance (m) between two bodies if it is less than `limit` (m); 0 if they touch or intersect.
    pub fn distance_below(&self, limit: f64, a: usize, b: usize) -> Option<f64> {
        if self.clearance(a, b) >= limit {
            return None;
        }
        if self.meeting(a, b) != Meeting::Apart {
            return Some(0.0);
        }
        let [first, second] = [&self.bodies[a], &self.bodies[b]];
        let found = gap::nearest(limit, first, second, self.pair(a, b).nearest);
        if let Some(nearest) = found {
            self.pairs.borrow_mut().entry((a, b)).or_default().nearest = Some(nearest.primitives);
        }
        let distance = found.map(|nearest| nearest.distance);
        self.note_apart(a, b, distance.unwrap_or(limit) - first.noise_with(second));
        distance
    }

    /// Returns the depth (m) of either body inside the other, as [`depth::between`], if it is more than `floor` (m).
    pub fn depth_above(&self, floor: f64, a: usize, b: usize) -> Option<f64> {
        // No point of a body that is apart from the other, and not inside it, is inside it.
        if self.meeting(a, b) == Meeting::Apart {
            None
        } else {
            depth::between_above(floor, &self.bodies[a], &self.bodies[b])
        }
    }

    /// Finds the nearest primitives of two bodies, if they are nearer than the smaller radius.
    pub(crate) fn measure(&self, a: usize, b: usize) {
        self.distance_below(self.bodies[a].radius().min(self.bodies[b].radius()), a, b);
    }

    /// Returns directions (world, of any length) in which a plane between two bodies may face, towards `a`: of their nearest
    /// triangles when their distance was last computed, and of the widest gap between their boxes.
    pub(crate) fn normals(&self, a: usize, b: usize) -> Vec<Vec3> {
        let [first, second] = [&self.bodies[a], &self.bodies[b]];
        let gaps = first.bounds().min - second.bounds().max;
        let gaps_behind = second.bounds().min - first.bounds().max;
        let (k, k_behind) = (gaps.imax(), gaps_behind.imax());
        let mut normals = vec![if gaps[k] >= gaps_behind[k_behind] {
            Vec3::ith(k, 1.0)
        } else {
            Vec3::ith(k_behind, -1.0)
        }];
        if let Some([i, j]) = self.pair(a, b).nearest {
            let (p, q) = (first.primitive(i), second.primitive(j));
            normals.push(separation(&p, &q));
            for triangle in [q, p] {
                if let Primitive::Triangle([x, y, z]) = triangle {
                    let normal = (y - x).cross(&(z - x));
                    normals.extend([normal, -normal]);
                }
            }
        }
        normals
    }

    /// Returns a lower bound (m) on the distance of two bodies, neither of which is inside the other, from
    /// earlier frames; not positive if none is known. A distance that is computed is not below it either.
    pub(crate) fn clearance(&self, a: usize, b: usize) -> f64 {
        let Some(apart) = self.pair(a, b).apart else { return 0.0 };
        let [first, second] = [&self.bodies[a], &self.bodies[b]];
        let moved = |surface: &Surface, then: &Pose| displacement::bound(then, surface.pose(), surface.arm());
        let moved = moved(first, &apart.poses[0]) + moved(second, &apart.poses[1]);
        // From R₀ (1 + E₀) x̂ a point gets to R₀ (1 + E₁) x̂, then to R₁ (1 + E₁) x̂.
        let strained = self.strained_since(a, &apart.strains[0]) + self.strained_since(b, &apart.strains[1]);
        apart.at_least - moved - strained - first.noise_with(second)
    }

    /// Returns an upper bound on the distance (m) by which the change of a body's strain since `then` moved any of its points: ‖ΔE‖ r.
    fn strained_since(&self, body: usize, then: &Mat3) -> f64 {
        (self.strains[body] - then).norm() * self.unstrained[body].arm() * (1.0 + 16.0 * f64::EPSILON)
    }

    fn pair(&self, a: usize, b: usize) -> Pair {
        self.pairs.borrow().get(&(a, b)).copied().unwrap_or_default()
    }

    /// Remembers that two bodies are apart, at a distance of at least `at_least` (m), if that is more than was
    /// known.
    fn note_apart(&self, a: usize, b: usize, at_least: f64) {
        if at_least.is_finite() && at_least > self.clearance(a, b).max(0.0) {
            let poses = [a, b].map(|i| *self.bodies[i].pose());
            let strains = [a, b].map(|i| self.strains[i]);
            let apart = LastApart { poses, strains, at_least };
            self.pairs.borrow_mut().entry((a, b)).or_default().apart = Some(apart);
        }
    }
}

/// Returns the pairs of `ids` that may collide and whose `boxes` overlap, ascending.
pub(crate) fn overlapping_pairs(scene: &Scene, ids: &[usize], boxes: &[Aabb]) -> Vec<(usize, usize)> {
    let tree = Bvh::new(boxes).expect("boxes of finite primitives are finite");
    let pairs = tree.overlapping_pairs().into_iter().map(|[i, j]| (ids[i as usize], ids[j as usize]));
    pairs.filter(|&(a, b)| scene.can_collide(BodyId(a), BodyId(b))).collect()
}

#[cfg(test)]
mod tests;
