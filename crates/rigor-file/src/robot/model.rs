//! A robot between its file and the scene.

use std::collections::BTreeSet;

use rigor_math::{Mat3, Pose, Vec3, elementary, inertia};

use super::Dropped;

/// Share of the mass of a body that a body between two of its joints gets.
pub const GHOST_SHARE: f64 = 0.01;
/// Mass (kg) and moments (kg m²) of a moving body that has none.
const MIN_INERTIA: (f64, f64) = (1e-3, 1e-6);

/// Bodies and joints in the state of the file, at time 0.
#[derive(Default)]
pub struct Model {
    pub name: String,
    pub gravity: [f64; 3],
    pub dt: Option<f64>,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    /// Pairs of links (smaller index first) that never collide.
    pub apart: BTreeSet<(usize, usize)>,
    /// Whether no two links collide.
    pub is_one_group: bool,
    /// Whether a contact has the larger of the two coefficients of friction instead of their mean.
    pub takes_larger_friction: bool,
    pub dropped: Vec<Dropped>,
}

/// A link.
pub struct Link {
    pub name: String,
    /// The link's frame in the world.
    pub pose: Pose,
    pub mass: Mass,
    pub shapes: Vec<Shape>,
    pub friction: Option<f64>,
    pub is_static: bool,
    /// `contype` and `conaffinity` of the shapes.
    pub masks: Vec<(i64, i64)>,
}

/// Mass properties; massless if `mass` is 0.
#[derive(Clone, Copy)]
pub struct Mass {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass (m, link).
    pub center: Vec3,
    /// Inertia about the centre of mass (kg m², axes of the link).
    pub inertia: Mat3,
}

/// A shape for contact.
#[derive(Clone)]
pub struct Shape {
    pub geometry: Geometry,
    /// The shape's frame in the link.
    pub pose: Pose,
}

/// The geometry of a shape; axes are along z.
#[derive(Clone)]
pub enum Geometry {
    Box {
        size: Vec3,
    },
    Sphere {
        radius: f64,
    },
    Ellipsoid {
        radii: Vec3,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    Plane {
        size: [f64; 2],
    },
    Mesh {
        file: String,
        scale: Vec3,
    },
    /// A cone with its apex towards z and the origin half-way up.
    #[cfg_attr(not(feature = "usd"), expect(dead_code, reason = "only USD has it"))]
    Cone {
        radius: f64,
        height: f64,
    },
    /// Triangles.
    Surface {
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    },
}

/// A joint.
pub struct Joint {
    pub name: String,
    pub kind: Kind,
    pub child: usize,
    /// The world if `None`.
    pub parent: Option<usize>,
    /// Position (m, world).
    pub position: Vec3,
    /// Direction of the axis (world).
    pub axis: Vec3,
    /// Bounds of the coordinate (rad or m) against its value in the file.
    pub limits: [Option<f64>; 2],
    /// Stiffness (N m/rad or N/m) towards `rest` (rad or m).
    pub stiffness: f64,
    /// Damping (N m s/rad or N s/m).
    pub damping: f64,
    pub rest: f64,
}

/// Which relative motion a joint allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Fixed,
    Hinge,
    Slide,
    Ball,
}

impl Mass {
    /// No mass.
    pub const NONE: Self = Self {
        mass: 0.0,
        center: Vec3::new(0.0, 0.0, 0.0),
        inertia: Mat3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.),
    };

    /// Inertia (kg m²) of a ball of this mass (kg) with the density of water.
    pub fn ball(mass: f64) -> Mat3 {
        let cube = mass / 1000.0 * 0.75 / std::f64::consts::PI;
        let radius = elementary::exp(elementary::ln(cube) / 3.0);
        Mat3::identity() * (0.4 * mass * radius * radius)
    }

    /// The same mass, seen from a frame in which its own frame is at `pose`.
    pub fn at(&self, pose: &Pose) -> Self {
        Self {
            mass: self.mass,
            center: pose.point(&self.center),
            inertia: inertia::rotated(&self.inertia, &pose.rotation),
        }
    }

    /// Both together, in the same frame.
    pub fn and(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Self::NONE;
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let about = |part: &Self| inertia::about_point(&part.inertia, part.mass, &(part.center - center));
        Self { mass, center, inertia: about(self) + about(other) }
    }

    /// A share of the mass, with its share of the inertia.
    pub fn share(&self, share: f64) -> Self {
        Self { mass: self.mass * share, inertia: self.inertia * share, ..*self }
    }

    /// Whether a body that turns can have it.
    pub fn is_solid(&self) -> bool {
        let moments = self.inertia.symmetric_eigenvalues();
        self.mass > 0.0 && moments.min() > 1e-12 * moments.max()
    }

    /// Why a link gets the [least](Self::least) mass.
    pub const WHY_LEAST: &str = "it moves without mass or moments: it has at least 1 g, and 1e-6 kg m² more";

    /// The least mass that a moving body may have, at the same centre.
    pub fn least(&self) -> Self {
        let mass = self.mass.max(MIN_INERTIA.0);
        Self { mass, inertia: self.inertia + Mat3::identity() * MIN_INERTIA.1, ..*self }
    }
}

impl Model {
    /// Joins links that fixed joints hold together, and gives the world's own links its role.
    pub fn weld(&mut self) {
        while let Some(i) = self.joints.iter().position(|joint| joint.kind == Kind::Fixed) {
            let joint = self.joints.remove(i);
            match joint.parent {
                None => self.links[joint.child].is_static = true,
                Some(parent) => self.merge(joint.child, parent),
            }
        }
    }

    /// Moves all that link `from` has to link `to`; the empty link stays in the list, without a joint, and is removed at the end.
    fn merge(&mut self, from: usize, to: usize) {
        let pose = self.links[from].pose.relative_to(&self.links[to].pose);
        let shapes = std::mem::take(&mut self.links[from].shapes);
        let moved = shapes.into_iter().map(|s| Shape { pose: pose.compose(&s.pose), ..s });
        let mass = self.links[from].mass.at(&pose);
        let friction = self.links[from].friction;
        let masks = std::mem::take(&mut self.links[from].masks);
        let target = &mut self.links[to];
        target.shapes.extend(moved);
        target.masks.extend(masks);
        target.mass = target.mass.and(&mass);
        target.friction = target.friction.or(friction);
        for joint in &mut self.joints {
            if joint.child == from {
                joint.child = to;
            }
            if joint.parent == Some(from) {
                joint.parent = Some(to);
            }
        }
        let renamed = |i: usize| if i == from { to } else { i };
        let pairs = std::mem::take(&mut self.apart);
        self.apart = pairs
            .into_iter()
            .map(|(a, b)| (renamed(a), renamed(b)))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        self.remove(from);
    }

    /// Removes a link to which nothing refers.
    fn remove(&mut self, gone: usize) {
        self.links.remove(gone);
        let shifted = |i: usize| if i > gone { i - 1 } else { i };
        for joint in &mut self.joints {
            joint.child = shifted(joint.child);
            joint.parent = joint.parent.map(shifted);
        }
        let pairs = std::mem::take(&mut self.apart);
        self.apart =
            pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (shifted(a), shifted(b))).collect();
    }

    /// Puts joints in a row between a link and its parent, with light links between them.
    pub fn chain(&mut self, child: usize, parent: Option<usize>, mut joints: Vec<Joint>) {
        let n = joints.len();
        let whole = self.links[child].mass;
        let mut above = parent;
        for (k, joint) in joints.iter_mut().enumerate() {
            joint.parent = above;
            if k + 1 == n {
                joint.child = child;
                break;
            }
            let (name, pose) = (format!("{}:{}", self.links[child].name, joint.name), self.links[child].pose);
            let mass = whole.share(GHOST_SHARE);
            self.links.push(Link {
                name,
                pose,
                mass,
                shapes: Vec::new(),
                friction: None,
                is_static: false,
                masks: Vec::new(),
            });
            joint.child = self.links.len() - 1;
            above = Some(joint.child);
        }
        let ghosts = n.saturating_sub(1) as f64;
        self.links[child].mass = whole.share(1.0 - ghosts * GHOST_SHARE);
        self.joints.append(&mut joints);
    }
}
