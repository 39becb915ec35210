//! Makes a mesh of what a reader found, and tells what was decided.

use rigor_geometry::Surface;
use rigor_geometry::mesh::{Dropped, MeshError, Soup};

use super::assembly::Assembly;
use super::nest::Nest;
use super::sift::sift_unused;
use super::{Fault, MeshFile, MeshWarning, join, mend, orient, repeat};

/// Makes the mesh of an assembly: the same steps for all formats.
pub(super) fn repair(mut assembly: Assembly) -> Result<MeshFile, Fault> {
    let mut notes = assembly.take_notes();
    let Assembly { soup, points, .. } = assembly;
    made(soup, &points, &mut notes).map_err(|error| Fault::whole(error.to_string())).map(|(soup, nested)| {
        let mesh = soup;
        let surface = mesh.surface();
        if !surface.is_solid() && surface != Surface::Codimensional {
            notes.push(MeshWarning::Surface(surface));
        }
        MeshFile { mesh, warnings: notes, nested }
    })
}

fn made(
    soup: Soup,
    points: &[u32],
    notes: &mut Vec<MeshWarning>,
) -> Result<(rigor_geometry::Mesh, usize), MeshError> {
    // A file without any face, line and point is a set of points.
    let is_cloud = soup.triangles.is_empty() && soup.wires.is_empty() && points.is_empty();
    let (soup, vertices) = if is_cloud { (soup, 0) } else { sift_unused(soup, points) };
    if vertices > 0 {
        notes.push(MeshWarning::Unused { vertices });
    }
    let (size, _) = join::extent(&soup.vertices);
    let tell = |joined: Option<join::Joined>, notes: &mut Vec<MeshWarning>| {
        if let Some(join::Joined { vertices, distance }) = joined {
            notes.push(MeshWarning::Joined { vertices, distance, size });
        }
    };
    let (soup, joined) = join::at_equal_positions(soup);
    tell(joined, notes);
    let (soup, first) = flattened(soup)?;
    let (soup, removed) = repeat::once(soup);
    let (soup, joined) = join::within_tolerance(soup);
    tell(joined, notes);
    let (mut soup, second) = if joined.is_some() { flattened(soup)? } else { (soup, Flat::default()) };
    first.and(second).tell(notes);
    if removed.repeated > 0 {
        notes.push(MeshWarning::Repeated { triangles: removed.repeated });
    }
    if removed.backs > 0 {
        notes.push(MeshWarning::TwoSided { triangles: removed.backs });
    }
    let triangles = orient::orient(&mut soup);
    if triangles > 0 {
        notes.push(MeshWarning::Turned { triangles });
    }
    let (more, nested) = Nest::of(&soup).settle(&mut soup);
    notes.extend(more);
    Ok((soup.into_mesh()?, nested))
}

/// What became of triangles without area.
#[derive(Default)]
struct Flat {
    closed_up: usize,
    dropped: Dropped,
}

impl Flat {
    fn and(self, other: Self) -> Self {
        let [a, b] = [self.dropped, other.dropped];
        Self {
            closed_up: self.closed_up + other.closed_up,
            dropped: Dropped {
                triangles: a.triangles + b.triangles,
                wires: a.wires + b.wires,
                vertices: a.vertices + b.vertices,
            },
        }
    }

    fn tell(self, notes: &mut Vec<MeshWarning>) {
        if self.closed_up > 0 {
            notes.push(MeshWarning::ClosedUp { triangles: self.closed_up });
        }
        if self.dropped != Dropped::default() {
            notes.push(MeshWarning::Degenerate(self.dropped));
        }
    }
}

/// Removes triangles without area.
fn flattened(soup: Soup) -> Result<(Soup, Flat), MeshError> {
    let n_flat = mend::count_flat(&soup);
    let soup = mend::close_up(soup);
    let n_harmless = soup.triangles.iter().filter(|t| mend::names_a_vertex_twice(t)).count();
    let (soup, mut dropped) = soup.drop_degenerate()?;
    dropped.triangles -= n_harmless;
    let closed_up = n_flat.saturating_sub(dropped.triangles);
    Ok((soup, Flat { closed_up, dropped }))
}
