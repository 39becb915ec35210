//! Which fluid stands on something.

use std::collections::VecDeque;

use rigor_math::Vec3;

use crate::neighbourhood::Neighbourhood;

/// Distance, in spacings, up to which a parcel carries another one.
const REACH: f64 = 1.8;
/// Least cosine of the angle between the line to what carries a parcel and gravity. Neighbours in a lattice leave gaps of 0.888, a
/// wall whose lattice is shifted by half a spacing of 0.816.
const STEEPEST: f64 = 0.8;

/// What carries parcels of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// The world does.
    World,
    /// A body that falls unless something below carries one of its parcels, by its number.
    Body(usize),
}

/// Returns whether each of the first `n` of `points` (m), which are fluid, is carried along `down` (unit vector): whether a
/// chain of parcels below each other leads from it to a wall that the world carries.
///
/// A dynamic body is carried if something below it is. `ground` returns what carries the parcel of a wall.
pub(crate) fn carried(
    (points, n): (&[Vec3], usize),
    spacing: f64,
    down: &Vec3,
    ground: impl Fn(usize) -> Ground,
) -> Vec<bool> {
    let near = Neighbourhood::find(points, REACH * spacing, |_, _| true);
    let body = |i: usize| match (i >= n).then(|| ground(i)) {
        Some(Ground::Body(body)) => Some(body),
        Some(Ground::World) | None => None,
    };
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut is_carried = vec![false; points.len()];
    let mut next = VecDeque::new();
    for i in n..points.len() {
        match ground(i) {
            Ground::World => {
                is_carried[i] = true;
                next.push_back(i);
            }
            Ground::Body(body) => {
                members.resize(members.len().max(body + 1), Vec::new());
                members[body].push(i);
            }
        }
    }
    while let Some(i) = next.pop_front() {
        for &j in near.of(i) {
            let j = j as usize;
            let r = points[i] - points[j];
            if is_carried[j] || r.dot(down) < STEEPEST * r.norm() {
                continue;
            }
            let one = [j];
            let all = body(j).map_or(&one[..], |body| &members[body]);
            for &k in all {
                is_carried[k] = true;
                next.push_back(k);
            }
        }
    }
    is_carried.truncate(n);
    is_carried
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of fluid over `walls`, each with what carries it.
    fn stands(fluid: &[[f64; 2]], walls: &[([f64; 2], Ground)]) -> Vec<bool> {
        let point = |[x, y]: &[f64; 2]| Vec3::new(*x, *y, 0.0);
        let points: Vec<Vec3> = fluid.iter().chain(walls.iter().map(|(x, _)| x)).map(point).collect();
        let n = fluid.len();
        carried((&points, n), 1.0, &-Vec3::y(), |i| walls[i - n].1)
    }

    #[test]
    fn a_column_stands_on_what_is_below_it() {
        let fluid = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 2.0], [1.0, 3.0]];
        // The second column has nothing below it, and the first one a wall whose lattice is shifted.
        assert_eq!(stands(&fluid, &[([0.5, 0.0], Ground::World)]), [true, true, true, false, false]);
        assert_eq!(stands(&fluid, &[([0.0, 4.0], Ground::World)]), [false; 5]);
        assert_eq!(stands(&fluid, &[([0.0, 0.0], Ground::Body(0))]), [false; 5]);
    }

    #[test]
    fn a_body_stands_where_one_of_its_parcels_does() {
        let fluid = [[0.0, 1.0], [0.0, 2.0], [5.0, 2.0]];
        let body =
            [([0.0, 0.0], Ground::Body(1)), ([5.0, 1.0], Ground::Body(1)), ([5.0, 0.0], Ground::World)];
        assert_eq!(stands(&fluid, &body), [true; 3]);
        // It floats on the first column, and carries the last one.
        let body =
            [([0.0, -0.5], Ground::World), ([0.0, 3.0], Ground::Body(0)), ([5.0, 1.0], Ground::Body(0))];
        assert_eq!(stands(&fluid, &body), [true; 3]);
    }
}
