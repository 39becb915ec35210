//! Contacts of grains with flat pieces of obstacles.

use rigor_geometry::Aabb;
use rigor_geometry::distance::point_triangle;
use rigor_math::Vec3;

use crate::contact::Tally;
use crate::friction::Spring;
use crate::grain::kind::Pair;
use crate::mover::Obstacle;

/// How far, as a fraction of the radius, corners may be from the plane of a flat piece.
const FLATNESS: f64 = 1e-9;

/// A plane that moves with an obstacle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    pub obstacle: u32,
    /// Unit normal, out of the obstacle, and a point (m): in its frame.
    local: [Vec3; 2],
    /// The same normal n (world), and n·p (m) of its points p.
    pub normal: Vec3,
    pub offset: f64,
}

impl Plane {
    /// The plane of `obstacle`, of this index, with this normal through this point (m) of its frame.
    pub fn new(index: u32, obstacle: &Obstacle, local: [Vec3; 2]) -> Self {
        let mut plane = Self { obstacle: index, local, normal: Vec3::zeros(), offset: 0.0 };
        plane.follow(obstacle);
        plane
    }

    /// Moves the plane to where its obstacle is.
    pub fn follow(&mut self, obstacle: &Obstacle) {
        self.normal = obstacle.now.pose.vector(&self.local[0]);
        self.offset = self.normal.dot(&obstacle.now.pose.point(&self.local[1]));
    }
}

/// A grain near a plane.
#[derive(Debug, Clone)]
pub(crate) struct PlaneContact {
    /// Its place in the block.
    pub grain: u32,
    /// Its number in the scene.
    pub id: u32,
    /// Index of the plane.
    pub plane: u32,
    pub pair: Pair,
    pub touches: bool,
    pub shear: Spring,
    pub roll: Vec3,
    pub tally: Tally,
}

/// An obstacle near a grain, with the triangles that it may touch.
#[derive(Debug, Clone)]
pub(crate) struct NearbyObstacle {
    /// The grain's place in the order, and its number in the scene.
    pub place: u32,
    pub id: u32,
    pub obstacle: u32,
    pub triangles: Vec<u32>,
    /// The plane of all of them, if they lie in one.
    pub flat: Option<[Vec3; 2]>,
}

/// Returns the triangles of `obstacle` within `reach` (m) of `centre` (m, world), and their plane.
///
/// The surface of a solid has no border. Where all of its triangles within a ball lie in one plane, the
/// border of what they cover together is shared with triangles that are not within the ball. So they cover
/// the plane within the ball, and the nearest point of the surface is that of the plane, wherever the centre
/// moves until it leaves the ball by less than the radius.
pub(crate) fn near(
    obstacle: &Obstacle,
    centre: &Vec3,
    radius: f64,
    reach: f64,
) -> (Vec<u32>, Option<[Vec3; 2]>) {
    let local = obstacle.now.pose.inverse_point(centre);
    let square = reach * reach;
    if obstacle.tree.bounds().distance_sq(&local) > square {
        return (Vec::new(), None);
    }
    let mesh = &obstacle.mesh;
    let mut found = obstacle.tree.overlapping(&Aabb::new(local, local).grow(reach));
    found.retain(|t| {
        let [a, b, c] = mesh.corners(*t as usize);
        point_triangle::distance_sq(&local, &a, &b, &c) <= square
    });
    let corners = |t: u32| mesh.corners(t as usize);
    let across = |[a, b, c]: [Vec3; 3]| (b - a).cross(&(c - a));
    let flat = found.first().filter(|_| obstacle.is_solid).and_then(|first| {
        let triangle = corners(*first);
        let normal = across(triangle).try_normalize(0.0)?;
        let is_level = |p: &Vec3| (p - triangle[0]).dot(&normal).abs() <= FLATNESS * radius;
        let is_alike = |t: &u32| across(corners(*t)).dot(&normal) > 0.0 && corners(*t).iter().all(is_level);
        found.iter().all(is_alike).then_some([normal, triangle[0]])
    });
    (found, flat)
}
