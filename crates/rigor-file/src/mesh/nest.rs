//! Closed parts of a surface inside of others: which side of each is matter.

use std::collections::BTreeMap;

use rigor_geometry::intersection::containment::{Containment, containment};
use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_geometry::mesh::Soup;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;

use super::edges::{Parts, edge, sides, uses};
use super::sift::sift;
use super::{MeshWarning, Nested};

/// Most pairs of a vertex and a triangle that are tested to find out which part lies inside of which.
const MOST_TESTS: usize = 20_000_000;
/// Number of vertices of a part that must lie inside of another one.
const MOST_SAMPLES: usize = 32;

/// The closed parts of a surface, outer ones first.
pub(super) struct Nest {
    parts: Vec<Part>,
    /// Whether every pair of parts was looked at.
    is_complete: bool,
}

/// A closed part of a surface.
struct Part {
    /// The numbers of its triangles.
    triangles: Vec<usize>,
    /// The box around it.
    bounds: Aabb,
    /// Its signed volume (m³).
    volume: f64,
    /// The smallest part that it lies in, among those before it.
    parent: Option<usize>,
}

/// What is to be done with the closed parts.
#[derive(Debug, Clone, PartialEq, Default)]
struct Plan {
    /// Parts that face inwards where there is nothing outside.
    inverted: Vec<usize>,
    /// Parts with matter on both sides.
    redundant: Vec<usize>,
}

/// What [`Nest::settle`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Settled {
    /// Number of parts that were turned.
    pub inverted: usize,
    /// Number of parts with matter on both sides.
    pub nested: usize,
    /// Whether every pair of parts was looked at.
    pub is_complete: bool,
}

impl Nest {
    /// Finds the closed parts of `soup`, and which lies in which.
    pub fn of(soup: &Soup) -> Self {
        let mut parts = closed_parts(soup);
        // A part lies in one of larger volume, so that parents come first.
        parts.sort_by(|a, b| b.volume.abs().total_cmp(&a.volume.abs()));
        let bounds: Vec<Aabb> = parts.iter().map(|part| part.bounds).collect();
        let mut nest = Self { parts, is_complete: true };
        let mut n_tests = MOST_TESTS;
        if let Some(tree) = Bvh::new(&bounds).ok().filter(|_| bounds.len() > 1) {
            for i in 1..bounds.len() {
                let around = tree.overlapping(&bounds[i]);
                n_tests = n_tests.saturating_sub(around.len());
                if n_tests == 0 {
                    break;
                }
                let mut around: Vec<usize> = around
                    .into_iter()
                    .map(|j| j as usize)
                    .filter(|&j| j < i && bounds[j].contains(&bounds[i]))
                    .collect();
                // The smallest one first.
                around.sort_unstable_by(|a, b| b.cmp(a));
                nest.parts[i].parent = around.into_iter().find(|&j| nest.contains(soup, j, i, &mut n_tests));
            }
            nest.is_complete = n_tests > 0;
        }
        nest
    }

    /// Turns parts that face inwards and lie in no matter.
    pub fn settle(&self, soup: &mut Soup) -> Settled {
        let plan = self.plan();
        self.turn(soup, &plan.inverted);
        Settled { inverted: plan.inverted.len(), nested: plan.redundant.len(), is_complete: self.is_complete }
    }

    /// Returns the surface without parts that have matter on both sides, or with hollows in their place.
    pub fn resolved(&self, mut soup: Soup, rule: Nested) -> (Soup, Option<MeshWarning>) {
        let (chosen, hollow) = match rule {
            Nested::Solid => (self.plan().redundant, false),
            Nested::Void => (self.agreeing(), true),
        };
        if chosen.is_empty() {
            return (soup, None);
        }
        match rule {
            Nested::Void => self.turn(&mut soup, &chosen),
            Nested::Solid => {
                let mut kept = vec![true; soup.triangles.len()];
                chosen.iter().flat_map(|k| &self.parts[*k].triangles).for_each(|t| kept[*t] = false);
                soup = sift(soup, &kept);
            }
        }
        (soup, Some(MeshWarning::Nested { components: chosen.len(), hollow }))
    }

    /// Counts how many parts each point is inside of, hollows as −1: matter is where the count is positive.
    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        let mut inside: Vec<i32> = Vec::with_capacity(self.parts.len());
        for (k, part) in self.parts.iter().enumerate() {
            let outside = part.parent.map_or(0, |parent| inside[parent]);
            let mut step = if part.volume < 0.0 { -1 } else { 1 };
            if outside + step < 0 {
                plan.inverted.push(k);
                step = 1;
            }
            inside.push(outside + step);
            if (outside >= 1) == (outside + step >= 1) {
                plan.redundant.push(k);
            }
        }
        plan
    }

    /// Returns the parts to be turned so that each faces the other way than the one it lies in.
    fn agreeing(&self) -> Vec<usize> {
        let mut outward: Vec<bool> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            outward.push(part.parent.is_none_or(|parent| !outward[parent]));
        }
        (0..outward.len()).filter(|&k| outward[k] != (self.parts[k].volume > 0.0)).collect()
    }

    fn turn(&self, soup: &mut Soup, parts: &[usize]) {
        for &t in parts.iter().flat_map(|k| &self.parts[*k].triangles) {
            soup.triangles[t].swap(1, 2);
        }
    }

    /// Whether part `j` contains part `i`: vertices of `i` are inside, and the surfaces do not cross.
    fn contains(&self, soup: &Soup, j: usize, i: usize, n_tests: &mut usize) -> bool {
        let [outer, inner] = [j, i].map(|k| &self.parts[k]);
        let of =
            |part: &Part| -> Vec<[u32; 3]> { part.triangles.iter().map(|t| soup.triangles[*t]).collect() };
        let [shell, core] = [of(outer), of(inner)];
        let stride = core.len().div_ceil(MOST_SAMPLES);
        let mut is_inside = false;
        for triangle in core.iter().step_by(stride) {
            if *n_tests < shell.len() {
                *n_tests = 0;
                return false;
            }
            *n_tests -= shell.len();
            match containment(&soup.vertices[triangle[0] as usize], &soup.vertices, &shell) {
                Containment::Outside => return false,
                Containment::Inside => is_inside = true,
                Containment::On => {}
            }
        }
        let [shell, core] = [shell, core].map(|triangles| compact(soup, triangles));
        is_inside
            && match (shell, core) {
                (Some(shell), Some(core)) => {
                    !matches!(mesh_mesh::contact(&shell, &core), Some((Relation::Crossing, _)))
                }
                _ => false,
            }
    }
}

/// Returns the mesh of some triangles alone.
fn compact(soup: &Soup, triangles: Vec<[u32; 3]>) -> Option<Mesh> {
    let mut place: BTreeMap<u32, u32> = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut of = |v: u32| {
        *place.entry(v).or_insert_with(|| {
            vertices.push(soup.vertices[v as usize]);
            vertices.len() as u32 - 1
        })
    };
    let triangles = triangles.into_iter().map(|t| t.map(&mut of)).collect();
    Mesh::new(vertices, triangles, vec![]).ok()
}

/// Returns the parts whose edges are all traversed equally often both ways and that bound more volume than rounding makes.
fn closed_parts(soup: &Soup) -> Vec<Part> {
    let mut sets = Parts::of(soup.vertices.len(), soup.triangles.iter().copied());
    let uses = uses(soup.triangles.iter().copied());
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    let mut found: Vec<(bool, Vec<usize>)> = Vec::new();
    for (t, triangle) in soup.triangles.iter().enumerate() {
        let k = *numbers.entry(sets.first(triangle[0])).or_insert_with(|| {
            found.push((true, Vec::new()));
            found.len() - 1
        });
        found[k].1.push(t);
        found[k].0 &=
            sides(*triangle).iter().all(|side| uses.get(&edge(*side)).is_some_and(|used| used.is_balanced()));
    }
    let closed = found.into_iter().filter(|(is_closed, _)| *is_closed).map(|(_, triangles)| triangles);
    closed.filter_map(|triangles| part(soup, triangles)).collect()
}

fn part(soup: &Soup, triangles: Vec<usize>) -> Option<Part> {
    let corners = |t: &usize| soup.triangles[*t].map(|v| soup.vertices[v as usize]);
    let points: Vec<Vec3> = triangles.iter().flat_map(corners).collect();
    let bounds = Aabb::of_points(&points);
    let center = bounds.center();
    let (mut volume, mut area) = (0.0, 0.0);
    for [a, b, c] in triangles.iter().map(|t| corners(t).map(|p| p - center)) {
        volume += a.dot(&b.cross(&c)) / 6.0;
        area += (b - a).cross(&(c - a)).norm() / 2.0;
    }
    let rounding = 64.0 * f64::EPSILON * area * bounds.diagonal();
    (volume.abs() > rounding).then_some(Part { triangles, bounds, volume, parent: None })
}

#[cfg(test)]
mod tests {
    use rigor_shapes::Cuboid;

    use super::*;

    /// Boxes of these sizes about these centres along x; negative sizes face inwards.
    fn boxes(all: &[(f64, f64)]) -> Soup {
        let one = |(size, x): &(f64, f64)| {
            let mesh = Cuboid::new(Vec3::repeat(size.abs())).mesh().unwrap();
            let mesh = if *size < 0.0 { mesh.flipped() } else { mesh };
            mesh.map_vertices(|v| v + Vec3::new(*x, 0.0, 0.0))
        };
        Soup::from(&Mesh::merge(&all.iter().map(one).collect::<Vec<_>>()).unwrap().mesh)
    }

    /// The volume, which is a whole number here.
    fn volume(soup: Soup) -> f64 {
        let volume = soup.into_mesh().unwrap().signed_volume();
        assert!((volume - volume.round()).abs() < 1e-12 * volume.abs());
        volume.round()
    }

    /// Settled and resolved volume, with the numbers of turned and of nested parts.
    fn read(all: &[(f64, f64)], rule: Nested) -> (f64, usize, usize) {
        let mut soup = boxes(all);
        let turned = Nest::of(&soup).settle(&mut soup).inverted;
        let (soup, note) = Nest::of(&soup).resolved(soup, rule);
        let nested = match note {
            Some(MeshWarning::Nested { components, .. }) => components,
            _ => 0,
        };
        (volume(soup), turned, nested)
    }

    #[test]
    fn matter_is_counted_once_or_made_hollow() {
        let nested = [(4.0, 0.0), (2.0, 0.5)];
        assert_eq!(read(&nested, Nested::Solid), (64.0, 0, 1));
        assert_eq!(read(&nested, Nested::Void), (56.0, 0, 1));
        for rule in [Nested::Solid, Nested::Void] {
            assert_eq!(read(&[(4.0, 0.0), (-2.0, 0.5)], rule), (56.0, 0, 0), "a hollow");
            assert_eq!(read(&[(4.0, 0.0), (2.0, 5.0)], rule), (72.0, 0, 0), "side by side");
            assert_eq!(read(&[(-4.0, 0.0), (-2.0, 5.0)], rule), (72.0, 2, 0), "both inside out");
            assert_eq!(
                read(&[(4.0, 0.0), (-2.0, 0.0), (1.0, 0.0)], rule),
                (57.0, 0, 0),
                "a core in a hollow"
            );
            assert_eq!(
                read(&[(4.0, 0.0), (-2.0, 0.0), (-1.0, 0.0)], rule),
                (57.0, 1, 0),
                "turned in a hollow"
            );
        }
    }

    #[test]
    fn what_is_in_the_box_of_another_but_beside_it_is_turned() {
        // A box in the corner that an L leaves free.
        let l = rigor_shapes::Extrusion {
            outline: rigor_shapes::Outline::Polygon(vec![
                [0.0, 0.0],
                [4.0, 0.0],
                [4.0, 1.0],
                [1.0, 1.0],
                [1.0, 4.0],
                [0.0, 4.0],
            ]),
            holes: vec![],
            depth: Some(4.0),
        };
        let l = l.mesh().unwrap();
        let inward = Cuboid::new(Vec3::repeat(1.0)).mesh().unwrap().flipped();
        let inward = inward.map_vertices(|v| v + Vec3::new(3.0, 3.0, l.bounds().center().z));
        let mut soup = Soup::from(&Mesh::merge(&[l.clone(), inward]).unwrap().mesh);
        assert_eq!(Nest::of(&soup).settle(&mut soup), Settled { inverted: 1, nested: 0, is_complete: true });
        assert!((volume(soup) - 29.0).abs() < 1e-12);
    }

    #[test]
    fn crossing_parts_are_not_nested() {
        assert_eq!(read(&[(4.0, 0.0), (2.0, 1.5)], Nested::Solid).2, 0);
    }
}
