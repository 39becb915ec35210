//! Leaves out triangles together with the vertices that only they use.

use rigor_geometry::mesh::Soup;

/// Keeps the triangles chosen by `keep`. Vertices that nothing used before stay: they are points.
pub(super) fn sift(mut soup: Soup, keep: &[bool]) -> Soup {
    let before = used(&soup);
    let mut chosen = keep.iter();
    soup.triangles.retain(|_| chosen.next().copied().unwrap_or(true));
    let after = used(&soup);
    let stays: Vec<bool> = before.iter().zip(&after).map(|(before, after)| *after || !before).collect();
    with_vertices(soup, &stays)
}

/// Leaves out the vertices that no triangle, no wire and none of `points` names, and returns their number.
pub(super) fn sift_unused(soup: Soup, points: &[u32]) -> (Soup, usize) {
    let mut stays = used(&soup);
    points.iter().for_each(|v| stays[*v as usize] = true);
    let n_unused = stays.iter().filter(|stays| !**stays).count();
    if n_unused == 0 { (soup, 0) } else { (with_vertices(soup, &stays), n_unused) }
}

fn used(soup: &Soup) -> Vec<bool> {
    let mut used = vec![false; soup.vertices.len()];
    for v in soup.triangles.iter().flatten().chain(soup.wires.iter().flatten()) {
        used[*v as usize] = true;
    }
    used
}

fn with_vertices(soup: Soup, stays: &[bool]) -> Soup {
    let mut next = 0;
    let mut place = Vec::with_capacity(stays.len());
    for stays in stays {
        place.push(next);
        next += u32::from(*stays);
    }
    let moved = |v: u32| place[v as usize];
    let vertices = soup.vertices.iter().zip(stays).filter(|(_, stays)| **stays).map(|(v, _)| *v).collect();
    Soup {
        vertices,
        triangles: soup.triangles.into_iter().map(|t| t.map(moved)).collect(),
        wires: soup.wires.into_iter().map(|w| w.map(moved)).collect(),
    }
}
