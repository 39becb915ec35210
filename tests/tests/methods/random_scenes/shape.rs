//! Random surfaces: solids, sheets, wires, points.

use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};
use rigor_scene::{PartKind, PlacedShape};
use rigor_shapes::{Capsule, Card, Cuboid, Icosphere, Plane, PointSphere, Tetrahedron, Wire};

/// A surface about 1 m in size.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A box with these edges.
    Box([f64; 3]),
    Sphere,
    Tetrahedron,
    /// A square with this thickness.
    Plate(f64),
    /// A square without thickness.
    Sheet,
    /// The convex hull of these points, which are not coplanar.
    Hull(Vec<[f64; 3]>),
    /// A bent wire.
    Wire(Vec<[f64; 3]>),
    /// This number of points on a sphere.
    Points(u32),
    /// A box with a wire that sticks out of its top, and points in front of it.
    Mixed,
    /// A true ball, whose mesh is an icosahedron.
    Ball,
    /// A true capsule with this radius.
    Capsule(f64),
    /// Two true balls at the ends of a box.
    Dumbbell,
}

impl Shape {
    /// Returns its parts, scaled by `size`.
    pub fn parts(&self, size: f64) -> Vec<PlacedShape> {
        let part = |mesh: Mesh| PlacedShape {
            mesh: mesh.map_vertices(|v| v * size),
            kind: PartKind::Concave,
            pose: Pose::identity(),
        };
        let round = |mesh: Mesh, kind: PartKind, x: f64| PlacedShape {
            kind,
            pose: Pose::translation(Vec3::x() * (x * size)),
            ..part(mesh)
        };
        let ball = |radius: f64, x: f64| {
            let mesh = Icosphere { radius, subdivisions: 0 }.mesh().unwrap();
            round(mesh, PartKind::Ball { radius: radius * size }, x)
        };
        let points = |points: &[[f64; 3]]| points.iter().map(|p| Vec3::from(*p)).collect::<Vec<Vec3>>();
        let wire = |points: Vec<Vec3>| Wire { points, closed: false }.mesh().unwrap();
        let meshes = match self {
            Self::Box(edges) => vec![Cuboid::new(Vec3::from(*edges)).mesh().unwrap()],
            Self::Sphere => vec![Icosphere { radius: 0.5, subdivisions: 1 }.mesh().unwrap()],
            Self::Tetrahedron => vec![Tetrahedron::regular(1.0).mesh().unwrap()],
            Self::Plate(thickness) => {
                vec![Card { size: [1.0, 1.0], thickness: Some(*thickness) }.mesh().unwrap()]
            }
            Self::Sheet => vec![Plane::new([1.0, 1.0]).mesh().unwrap()],
            Self::Hull(corners) => vec![hull(&points(corners))],
            Self::Wire(corners) => vec![wire(points(corners))],
            Self::Points(count) => vec![PointSphere { radius: 0.5, count: *count }.mesh().unwrap()],
            Self::Ball => return vec![ball(0.5, 0.0)],
            Self::Capsule(radius) => {
                let capsule = Capsule { radius: *radius, length: 1.0 - 2.0 * radius, segments: 3, rings: 1 };
                let half_length = 0.5 * capsule.length * size;
                let kind = PartKind::Capsule { radius: radius * size, half_length };
                return vec![round(capsule.mesh().unwrap(), kind, 0.0)];
            }
            Self::Dumbbell => {
                let bar = Cuboid::new(Vec3::new(0.6, 0.1, 0.15)).mesh().unwrap();
                return vec![ball(0.2, -0.3), part(bar), ball(0.15, 0.3)];
            }
            Self::Mixed => {
                let cloud = [Vec3::new(0.0, 0.1, 0.6), Vec3::new(0.1, -0.1, 0.7)];
                vec![
                    Cuboid::cube(0.6).mesh().unwrap(),
                    wire(vec![Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.1, 0.8, 0.0)]),
                    Mesh::new(cloud.into(), vec![], vec![]).unwrap(),
                ]
            }
        };
        meshes.into_iter().map(part).collect()
    }
}

/// Returns the convex hull of a few points: every triangle of them with all others on one side.
fn hull(points: &[Vec3]) -> Mesh {
    let n = points.len();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (points[j] - points[i]).cross(&(points[k] - points[i]));
                let others = (0..n).filter(|l| ![i, j, k].contains(l));
                let heights: Vec<f64> = others.map(|l| normal.dot(&(points[l] - points[i]))).collect();
                if heights.iter().all(|h| *h < 0.0) {
                    triangles.push([i as u32, j as u32, k as u32]);
                } else if heights.iter().all(|h| *h > 0.0) {
                    triangles.push([i as u32, k as u32, j as u32]);
                }
            }
        }
    }
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |v: u32| used.binary_search(&v).unwrap() as u32;
    let corners = used.iter().map(|v| points[*v as usize]).collect();
    Mesh::new(corners, triangles.iter().map(|t| t.map(place)).collect(), vec![]).unwrap()
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-0.5..0.5)
}

/// Points of which the first four form a non-degenerate tetrahedron.
fn spread_points(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(point(), count).prop_filter("they lie in a plane, or nearly", |points| {
        let p = |i: usize| Vec3::from(points[i]) - Vec3::from(points[0]);
        p(1).dot(&p(2).cross(&p(3))).abs() > 1e-3
    })
}

/// Any of the shapes.
pub fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => prop::array::uniform3(0.05..1.0).prop_map(Shape::Box),
        2 => Just(Shape::Box([1.0; 3])),
        2 => Just(Shape::Sphere),
        2 => Just(Shape::Tetrahedron),
        2 => (-3.0..-1.0).prop_map(|digits| Shape::Plate(10.0_f64.powf(digits))),
        2 => Just(Shape::Sheet),
        2 => spread_points(5..=9).prop_map(Shape::Hull),
        2 => spread_points(4..=5).prop_map(Shape::Wire),
        1 => (4_u32..20).prop_map(Shape::Points),
        1 => Just(Shape::Mixed),
        2 => Just(Shape::Ball),
        2 => (0.02..0.4).prop_map(Shape::Capsule),
        1 => Just(Shape::Dumbbell),
    ]
}
