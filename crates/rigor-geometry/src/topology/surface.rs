//! What kind of surface the triangles of a mesh form.

use std::fmt;

use super::{Components, Topology};
use crate::intersection::containment::{Containment, containment};
use crate::mesh::cone_volume;
use crate::{Aabb, Mesh};

/// The kind of surface, with the reason if it bounds no volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Surface {
    /// Closed, consistently oriented and facing outwards: it bounds a volume.
    Closed,
    /// Closed and consistently oriented, but some component faces inwards without being a cavity of another.
    Inverted {
        /// Number of such components.
        components: usize,
        /// The signed volume (m³) of the whole.
        volume: f64,
    },
    /// Closed, but bounds no volume, like a sheet with a front and a back.
    Flat {
        /// The computed volume (m³), which is rounding error.
        volume: f64,
    },
    /// Without boundary, but neighbouring triangles disagree on which side is out.
    Inconsistent {
        /// Number of edges that both triangles traverse in the same direction.
        edges: usize,
    },
    /// With a boundary: a shell, or a solid with holes in its skin.
    Open {
        /// Number of edges with only one triangle.
        edges: usize,
    },
    /// More than two triangles meet at an edge.
    NonManifold {
        /// Number of such edges.
        edges: usize,
        /// Whether every edge is traversed equally often in both directions. The surface then still bounds a
        /// volume, like two boxes that share an edge.
        balanced: bool,
    },
    /// No triangles: wires and points only.
    Codimensional,
}

impl Surface {
    /// The kind of surface of `mesh`; its wires and points matter only if there are no triangles.
    ///
    /// Defects are checked in the order non-manifold, open, inconsistent, flat, inverted, and the first one
    /// found is reported. Flat means |volume| ≤ 64 ε · area · diagonal of the bounding box, the most that
    /// rounding can make of zero. A component that faces inwards counts as a cavity, not as inverted, if it
    /// lies in a component that faces outwards; what rounding makes of zero volume does not count.
    pub fn of(mesh: &Mesh) -> Self {
        if mesh.triangles().is_empty() { Self::Codimensional } else { Self::with(mesh, &Topology::of(mesh)) }
    }

    /// As [`Surface::of`], with the adjacency of `mesh`.
    pub(crate) fn with(mesh: &Mesh, topology: &Topology) -> Self {
        if mesh.triangles().is_empty() {
            return Self::Codimensional;
        }
        let counts = [
            topology.non_manifold_edges().count(),
            topology.boundary_edges().count(),
            topology.inconsistent_edges().count(),
        ];
        match counts {
            [0, 0, 0] => Self::of_closed(mesh),
            [0, 0, edges] => Self::Inconsistent { edges },
            [0, edges, _] => Self::Open { edges },
            [edges, ..] => Self::NonManifold {
                edges,
                balanced: (0..mesh.edges().len()).all(|e| topology.is_balanced(e)),
            },
        }
    }

    /// Whether the triangles bound a volume that the divergence theorem measures with the right sign.
    pub fn is_solid(&self) -> bool {
        matches!(self, Self::Closed | Self::NonManifold { balanced: true, .. })
    }

    fn of_closed(mesh: &Mesh) -> Self {
        let volume = mesh.signed_volume();
        if volume.abs() <= 64.0 * f64::EPSILON * mesh.area() * mesh.bounds().diagonal() {
            return Self::Flat { volume };
        }
        match n_inverted(mesh) {
            0 => Self::Closed,
            components => Self::Inverted { components, volume },
        }
    }
}

/// Number of components of a closed mesh that face inwards by more than rounding and lie in no component that faces outwards.
fn n_inverted(mesh: &Mesh) -> usize {
    let components = Components::of(mesh);
    let mut bounds = vec![Aabb::EMPTY; components.len()];
    for (v, position) in mesh.vertices().iter().enumerate() {
        let part = &mut bounds[components.of_vertex(v)];
        *part = part.union(&Aabb::new(*position, *position));
    }
    let mut volumes = vec![0.0; components.len()];
    let mut areas = vec![0.0; components.len()];
    for t in 0..mesh.triangles().len() {
        let k = components.of_triangle(mesh, t);
        volumes[k] += cone_volume(mesh.corners(t), &bounds[k].center());
        areas[k] += mesh.area_vector(t).norm();
    }
    let rounding = |k: usize| 64.0 * f64::EPSILON * areas[k] * bounds[k].diagonal();
    let triangles_of = |k: usize| -> Vec<[u32; 3]> {
        let of = |t: &usize| components.of_triangle(mesh, *t) == k;
        (0..mesh.triangles().len()).filter(of).map(|t| mesh.triangles()[t]).collect()
    };
    // A vertex in the box of a component may still lie outside of it.
    let is_cavity = |k: usize| {
        let inner = triangles_of(k);
        let around = (0..components.len()).filter(|&o| volumes[o] > 0.0 && bounds[o].contains(&bounds[k]));
        around.into_iter().any(|o| {
            let outer = triangles_of(o);
            let place = |v: &u32| containment(&mesh.vertices()[*v as usize], mesh.vertices(), &outer);
            let found = inner.iter().flatten().map(place).find(|place| *place != Containment::On);
            found != Some(Containment::Outside)
        })
    };
    (0..components.len()).filter(|&k| volumes[k] < -rounding(k) && !is_cavity(k)).count()
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => write!(f, "closed"),
            Self::Inverted { components, volume } => {
                write!(
                    f,
                    "closed but inside out: {components} component(s) face inwards (signed volume {volume:e} m³)"
                )
            }
            Self::Flat { volume } => write!(f, "closed but flat: it bounds no volume ({volume:e} m³)"),
            Self::Inconsistent { edges } => {
                write!(
                    f,
                    "inconsistently oriented: across {edges} edge(s) neighbours disagree on which side is out"
                )
            }
            Self::Open { edges } => write!(f, "open: {edges} edge(s) have a triangle on one side only"),
            Self::NonManifold { edges, .. } => {
                write!(f, "not a manifold: more than two triangles meet at {edges} edge(s)")
            }
            Self::Codimensional => write!(f, "without triangles"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;
    use crate::mesh::Soup;

    fn tetrahedron(size: f64, offset: f64) -> Mesh {
        let vertices =
            [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|v| v * size + Vec3::repeat(offset));
        Mesh::new(vertices.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], vec![]).unwrap()
    }

    fn together(meshes: &[&Mesh]) -> Mesh {
        Mesh::merge(meshes.iter().copied()).unwrap().mesh
    }

    #[test]
    fn an_inverted_solid_is_told_from_a_cavity() {
        let (outer, inner) = (tetrahedron(4.0, -1.0), tetrahedron(0.5, 0.0));
        assert_eq!(outer.surface(), Surface::Closed);
        assert_eq!(together(&[&outer, &inner.flipped()]).surface(), Surface::Closed);
        assert!(
            matches!(outer.flipped().surface(), Surface::Inverted { components: 1, volume } if volume < 0.0)
        );
        let beside = inner.map_vertices(|v| v + Vec3::repeat(10.0)).flipped();
        let both = together(&[&outer, &beside]);
        assert!(matches!(both.surface(), Surface::Inverted { components: 1, volume } if volume > 0.0));
    }

    #[test]
    fn what_is_only_in_the_box_of_a_component_is_no_cavity() {
        // Beyond the slanted side of the outer one.
        let (outer, inner) = (tetrahedron(4.0, -1.0), tetrahedron(0.5, 0.9).flipped());
        assert!(outer.bounds().contains(&inner.bounds()));
        assert!(matches!(together(&[&outer, &inner]).surface(), Surface::Inverted { components: 1, .. }));
    }

    #[test]
    fn every_defect_is_named() {
        let mut soup = Soup::from(&tetrahedron(1.0, 0.0));
        soup.triangles[0].swap(0, 1);
        assert_eq!(soup.clone().into_mesh().unwrap().surface(), Surface::Inconsistent { edges: 3 });
        soup.triangles.remove(0);
        assert_eq!(soup.clone().into_mesh().unwrap().surface(), Surface::Open { edges: 3 });
        soup.triangles.clear();
        assert_eq!(soup.into_mesh().unwrap().surface(), Surface::Codimensional);

        let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::new(0.3, 0.7, 0.1)];
        let flat = Mesh::new(corners, vec![[0, 1, 2], [0, 2, 1]], vec![]).unwrap();
        assert!(matches!(flat.surface(), Surface::Flat { .. }));
    }

    #[test]
    fn solids_that_share_an_edge_are_not_manifold_but_balanced() {
        let a = tetrahedron(1.0, 0.0);
        let mirrored = a.map_vertices(|v| Vec3::new(-v.x, -v.y, v.z));
        let shared =
            Soup::from(&together(&[&a, &mirrored])).merge_vertices(0.0).unwrap().into_mesh().unwrap();
        assert_eq!(shared.surface(), Surface::NonManifold { edges: 1, balanced: true });
        assert!(shared.surface().is_solid() && !shared.is_closed());
        assert!((shared.signed_volume() - 1.0 / 3.0).abs() < 1e-15);
    }
}
