//! Makes a mesh of what a reader found, and tells what was decided.

use rigor_geometry::Surface;
use rigor_geometry::mesh::{Dropped, MeshError, Soup};

use super::assembly::Assembly;
use super::nest::Nest;
use super::sift::sift_unused;
use super::{Fault, MeshFile, MeshWarning, join, mend, orient, repeat};

/// Most rounds of joining and leaving out.
const MOST_ROUNDS: usize = 8;

/// Makes the mesh of an assembly: the same steps for all formats.
pub(super) fn repair(mut assembly: Assembly) -> Result<MeshFile, Fault> {
    let mut notes = assembly.take_notes();
    let Assembly { soup, points, .. } = assembly;
    let (mesh, nested) = made(soup, &points, &mut notes).map_err(|error| Fault::whole(error.to_string()))?;
    let surface = mesh.surface();
    if !surface.is_solid() && surface != Surface::Codimensional {
        notes.push(MeshWarning::Surface(surface));
    }
    Ok(MeshFile { mesh, warnings: notes, nested })
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
    let mut soup = soup;
    let (mut exact, mut near) = (0, join::Joined::default());
    let (mut flat, mut removed) = (Flat::default(), repeat::Removed::default());
    let (mut turned, mut inverted, mut nested, mut is_complete) = (0, 0, 0, true);
    // What one step leaves may be something for another one; most files need one round, or a second one to see that nothing is left.
    for _ in 0..MOST_ROUNDS {
        let before = [soup.vertices.len(), soup.triangles.len()];
        let (joined, flattening, removal, moved);
        (soup, joined) = join::at_equal_positions(soup);
        exact += joined.map_or(0, |joined| joined.vertices);
        (soup, flattening) = flattened(soup)?;
        flat = flat.and(flattening);
        // Before triangles are compared: a part that faces inwards may share a wall with its neighbour.
        let n_turned = orient::orient(&mut soup);
        let settled = Nest::of(&soup).settle(&mut soup);
        turned += n_turned;
        inverted += settled.inverted;
        (nested, is_complete) = (settled.nested, settled.is_complete);
        (soup, removal) = repeat::once(soup);
        removed = removed.and(removal);
        (soup, moved) = join::within_tolerance(soup);
        near = near.and(moved.unwrap_or_default());
        let is_same = before == [soup.vertices.len(), soup.triangles.len()];
        if is_same && n_turned == 0 && settled.inverted == 0 {
            break;
        }
    }
    let (soup, last) = flattened(soup)?;
    flat = flat.and(last);
    if exact > 0 {
        notes.push(MeshWarning::Joined { vertices: exact, distance: 0.0, size });
    }
    if near.vertices > 0 {
        notes.push(MeshWarning::Joined { vertices: near.vertices, distance: near.distance, size });
    }
    flat.tell(notes);
    if removed.repeated > 0 {
        notes.push(MeshWarning::Repeated { triangles: removed.repeated });
    }
    if removed.backs > 0 {
        notes.push(MeshWarning::TwoSided { triangles: removed.backs });
    }
    if turned > 0 {
        notes.push(MeshWarning::Turned { triangles: turned });
    }
    if inverted > 0 {
        notes.push(MeshWarning::Inverted { components: inverted });
    }
    if !is_complete {
        notes.push(MeshWarning::NotNested);
    }
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
