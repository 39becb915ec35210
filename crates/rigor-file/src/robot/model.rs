//! A robot between its file and the scene.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rigor_math::{Mat3, Pose, Vec3, elementary, inertia};

use super::{Dropped, Place};

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
    /// Pairs of links that collide because two of their shapes are named.
    pub meetings: Vec<Meeting>,
    /// Whether no two links collide.
    pub is_one_group: bool,
    /// Whether a contact has the larger of the two coefficients of friction instead of their mean.
    pub takes_larger_friction: bool,
    pub dropped: Vec<Dropped>,
    /// The file.
    pub file: PathBuf,
    /// The links between joints in a row, before welding, with the link below them.
    pub stands_for: BTreeMap<usize, usize>,
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

/// A contact of two shapes that are named: it holds whatever keeps their links apart.
pub struct Meeting {
    /// The links.
    pub links: [usize; 2],
    /// The names of the shapes.
    pub shapes: [String; 2],
    /// Coefficient of friction.
    pub friction: f64,
    /// The file, and where it is there.
    pub at: (PathBuf, Place),
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
    /// Inertia of the rotor (kg m² or kg), which only rules about damping use.
    pub rotor: f64,
}

impl Link {
    /// A link with nothing in it.
    pub fn new(name: String, pose: Pose, mass: Mass) -> Self {
        Self { name, pose, mass, shapes: Vec::new(), friction: None, is_static: false, masks: Vec::new() }
    }
}

impl Joint {
    /// A joint without bounds, spring and damper, on the world until its parent is set.
    pub fn new(name: String, kind: Kind, child: usize, position: Vec3, axis: Vec3) -> Self {
        Self {
            name,
            kind,
            child,
            parent: None,
            position,
            axis,
            limits: [None; 2],
            stiffness: 0.0,
            damping: 0.0,
            rest: 0.0,
            rotor: 0.0,
        }
    }

    /// Adds a spring towards `rest`, and a damper.
    pub fn pull(&mut self, stiffness: f64, damping: f64, rest: f64) {
        let whole = self.stiffness + stiffness;
        if whole > 0.0 {
            self.rest = (self.stiffness * self.rest + stiffness * rest) / whole;
        }
        self.stiffness = whole;
        self.damping += damping;
    }
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
    pub const WHY_LEAST: &str = "no mass or moments, but motion: at least 1 g, and 1e-6 kg m² more, each";

    /// The least mass that a moving body may have, at the same centre.
    pub fn least(&self) -> Self {
        let mass = self.mass.max(MIN_INERTIA.0);
        Self { mass, inertia: self.inertia + Mat3::identity() * MIN_INERTIA.1, ..*self }
    }
}

impl Model {
    /// Joins links that fixed joints hold together, and gives the world's own links its role.
    pub fn weld(&mut self) {
        let n = self.links.len();
        let mut holder: Vec<Option<usize>> = vec![None; n];
        let (fixed, kept): (Vec<Joint>, Vec<Joint>) =
            std::mem::take(&mut self.joints).into_iter().partition(|joint| joint.kind == Kind::Fixed);
        self.joints = kept;
        for joint in fixed {
            match joint.parent {
                None => self.links[joint.child].is_static = true,
                Some(parent) => holder[joint.child] = Some(parent),
            }
        }
        // The link that holds each one at last. Holders form no circle, since links form trees.
        let mut last: Vec<usize> = (0..n).collect();
        for i in 0..n {
            let mut way = vec![i];
            while let Some(next) = way.last().and_then(|at| holder[*at]).filter(|_| way.len() <= n) {
                way.push(next);
            }
            let end = way.last().copied().unwrap_or(i);
            for at in way {
                (holder[at], last[at]) = ((at != end).then_some(end), end);
            }
        }
        let (mut place, mut n_kept) = (vec![0; n], 0);
        for i in 0..n {
            if last[i] == i {
                place[i] = n_kept;
                n_kept += 1;
            } else {
                self.merge(i, last[i]);
            }
        }
        let moved = |i: usize| place[last[i]];
        for joint in &mut self.joints {
            (joint.child, joint.parent) = (moved(joint.child), joint.parent.map(moved));
        }
        for meeting in &mut self.meetings {
            meeting.links = meeting.links.map(moved);
        }
        let pairs = std::mem::take(&mut self.apart).into_iter().map(|(a, b)| (moved(a), moved(b)));
        self.apart = pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let mut at = 0..n;
        self.links.retain(|_| at.next().is_some_and(|i| last[i] == i));
    }

    /// Moves all that link `from` has to link `to`.
    fn merge(&mut self, from: usize, to: usize) {
        let pose = self.links[from].pose.relative_to(&self.links[to].pose);
        let shapes = std::mem::take(&mut self.links[from].shapes);
        let moved = shapes.into_iter().map(|s| Shape { pose: pose.compose(&s.pose), ..s });
        let mass = self.links[from].mass.at(&pose);
        let friction = self.links[from].friction;
        let masks = std::mem::take(&mut self.links[from].masks);
        let (name, file) = (self.links[from].name.clone(), self.file.clone());
        let target = &mut self.links[to];
        target.shapes.extend(moved);
        target.masks.extend(masks);
        target.mass = target.mass.and(&mass);
        target.friction = match (target.friction, friction) {
            (Some(own), Some(other)) if own != other => {
                self.dropped.push(Dropped {
                    file,
                    place: Place::Line(1),
                    what: format!("link {name:?}"),
                    why: format!("what fixed joints hold together has one friction, {}", own.max(other)),
                });
                Some(own.max(other))
            }
            (own, other) => own.or(other),
        };
    }

    /// Puts joints in a row between a link and its parent, with light links between them, each with its pose.
    pub fn chain(&mut self, child: usize, parent: Option<usize>, mut joints: Vec<Joint>, poses: &[Pose]) {
        let n = joints.len();
        let whole = self.links[child].mass;
        let mut above = parent;
        for (k, joint) in joints.iter_mut().enumerate() {
            joint.parent = above;
            if k + 1 == n {
                joint.child = child;
                break;
            }
            let name = format!("{}:{}", self.links[child].name, joint.name);
            let pose = poses.get(k).copied().unwrap_or(self.links[child].pose);
            self.stands_for.insert(self.links.len(), child);
            let mass = whole.share(GHOST_SHARE);
            self.links.push(Link::new(name, pose, mass));
            joint.child = self.links.len() - 1;
            above = Some(joint.child);
        }
        let ghosts = n.saturating_sub(1) as f64;
        self.links[child].mass = whole.share(1.0 - ghosts * GHOST_SHARE);
        self.joints.append(&mut joints);
    }
}
