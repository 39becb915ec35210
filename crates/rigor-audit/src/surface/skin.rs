//! The faces of a mesh without repetition, with the sides that they have together.

use rigor_geometry::Mesh;

/// Two sides and a border, however often and in whichever order a mesh gives its faces.
///
/// Triangles with the same three vertices are one face. Faces that share an edge with no third face are oriented alike, beginning
/// with the first face of each connected part. An edge is of the border if one face has it; also if three or more have it, or
/// if no orientation fits (a Möbius strip), as there is no telling which side of the sheet is which across it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skin {
    /// Per triangle, whether its front is the back of the face.
    pub(super) turned: Vec<bool>,
    /// Vertices of edges.
    pub(super) border: Vec<[u32; 2]>,
    /// Whether each face is given as often with one orientation as with the other, so that the faces bound no volume.
    pub(super) is_flat: bool,
}

/// A face at an edge, and whether it runs from the smaller vertex to the larger.
type Neighbour = (usize, bool);

impl Skin {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let triangles = mesh.triangles();
        let (faces, face_of) = faces(triangles);
        let reverse = |t: usize| is_even(&triangles[t]) != is_even(&triangles[faces[face_of[t]]]);
        let is_reverse: Vec<bool> = (0..triangles.len()).map(reverse).collect();
        let mut more = vec![0_i64; faces.len()];
        for (face, is_reverse) in face_of.iter().zip(&is_reverse) {
            more[*face] += if *is_reverse { -1 } else { 1 };
        }
        let mut sides: Vec<([u32; 2], Neighbour)> = Vec::with_capacity(3 * faces.len());
        for (face, first) in faces.iter().enumerate() {
            let [a, b, c] = triangles[*first];
            sides.extend([(a, b), (b, c), (c, a)].map(|(p, q)| ([p.min(q), p.max(q)], (face, p < q))));
        }
        sides.sort_unstable();
        let edges = || sides.chunk_by(|(e, _), (f, _)| e == f);
        let turned = orient(faces.len(), edges());
        let fits = |at: &[([u32; 2], Neighbour)]| match at {
            [(_, (f, f_up)), (_, (g, g_up))] => (f_up ^ turned[*f]) != (g_up ^ turned[*g]),
            _ => false,
        };
        let border = edges().filter(|at| !fits(at)).map(|at| at[0].0).collect();
        let of_triangle = |t: usize| turned[face_of[t]] ^ is_reverse[t];
        Self {
            turned: (0..triangles.len()).map(of_triangle).collect(),
            border,
            is_flat: more.iter().all(|more| *more == 0),
        }
    }
}

/// The first triangle of each face, ascending, and per triangle its face.
fn faces(triangles: &[[u32; 3]]) -> (Vec<usize>, Vec<usize>) {
    let key = |t: usize| {
        let mut corners = triangles[t];
        corners.sort_unstable();
        corners
    };
    let mut by_corners: Vec<([u32; 3], usize)> = (0..triangles.len()).map(|t| (key(t), t)).collect();
    by_corners.sort_unstable();
    let mut first_of = vec![0; triangles.len()];
    for same in by_corners.chunk_by(|(a, _), (b, _)| a == b) {
        for (_, t) in same {
            first_of[*t] = same[0].1;
        }
    }
    let firsts: Vec<usize> = (0..triangles.len()).filter(|t| first_of[*t] == *t).collect();
    let mut face_of = vec![0; triangles.len()];
    for (face, first) in firsts.iter().enumerate() {
        face_of[*first] = face;
    }
    for t in 0..triangles.len() {
        face_of[t] = face_of[first_of[t]];
    }
    (firsts, face_of)
}

/// Per face, whether it must be turned to agree with the first face of its part.
fn orient<'a>(n_faces: usize, edges: impl Iterator<Item = &'a [([u32; 2], Neighbour)]>) -> Vec<bool> {
    let mut beside: Vec<Vec<(usize, bool)>> = vec![Vec::new(); n_faces];
    for at in edges {
        if let [(_, (f, f_up)), (_, (g, g_up))] = at[..] {
            // Faces that agree run along their edge in opposite directions.
            beside[f].push((g, f_up == g_up));
            beside[g].push((f, f_up == g_up));
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; n_faces];
    for first in 0..n_faces {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let mut front = vec![(first, false)];
        while let Some((face, is_turned)) = front.pop() {
            for (other, is_against) in &beside[face] {
                if turned[*other].is_none() {
                    turned[*other] = Some(is_turned ^ is_against);
                    front.push((*other, is_turned ^ is_against));
                }
            }
        }
    }
    turned.into_iter().map(|is_turned| is_turned == Some(true)).collect()
}

/// Whether the order of three vertices is an even permutation of the ascending one.
fn is_even([a, b, c]: &[u32; 3]) -> bool {
    [a > b, b > c, a > c].into_iter().filter(|is_swapped| *is_swapped).count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::Vec3;

    use super::*;

    /// A grid of 3 × 3 squares.
    fn grid() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let vertices = (0..16).map(|k| Vec3::new(f64::from(k % 4), 0.0, f64::from(k / 4)));
        let square = |k: u32| {
            let a = k % 3 + k / 3 * 4;
            [[a, a + 4, a + 1], [a + 1, a + 4, a + 5]]
        };
        (vertices.collect(), (0..9).flat_map(square).collect())
    }

    fn skin(triangles: Vec<[u32; 3]>) -> Skin {
        Skin::of(&Mesh::new(grid().0, triangles, vec![]).expect("a mesh"))
    }

    proptest! {
        /// Faces repeated, turned around, in any order and with any first corner have one border and the same sides.
        #[test]
        fn a_sheet_has_its_sides_and_its_border_however_it_is_given(
            copies in proptest::collection::vec((0..18_usize, 0..3_usize, any::<bool>()), 0..60),
            firsts in proptest::collection::vec((0..3_usize, any::<bool>()), 18),
        ) {
            let plain = grid().1;
            let given = |face: usize, rotation: usize, is_turned: bool| {
                let mut triangle = plain[face];
                triangle.rotate_left(rotation);
                if is_turned { triangle.swap(0, 1) }
                (triangle, is_turned)
            };
            let all: Vec<_> = firsts.iter().enumerate().map(|(face, (r, t))| given(face, *r, *t))
                .chain(copies.iter().map(|(face, r, t)| given(*face, *r, *t))).collect();
            let of = skin(all.iter().map(|(triangle, _)| *triangle).collect());
            prop_assert_eq!(&of.border, &skin(plain.clone()).border);
            prop_assert_eq!(of.border.len(), 12);
            for (is_turned, (_, was)) in of.turned.iter().zip(&all) {
                prop_assert_eq!(*is_turned, *was ^ all[0].1);
            }
        }
    }

    #[test]
    fn a_sheet_given_from_both_sides_bounds_nothing() {
        let (_, plain) = grid();
        let both: Vec<_> = plain.iter().flat_map(|[a, b, c]| [[*a, *b, *c], [*a, *c, *b]]).collect();
        assert!(skin(both).is_flat && !skin(plain.clone()).is_flat);
        let twice: Vec<_> = plain.iter().chain(&plain).copied().collect();
        assert!(!skin(twice).is_flat);
    }

    #[test]
    fn a_strip_with_one_side_has_a_border_across_it_and_a_third_face_is_one_too() {
        let ring: Vec<Vec3> =
            (0..10).map(|k| Vec3::new(f64::from(k / 2), f64::from(k % 2), f64::from(k * k))).collect();
        let quads = [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [6, 7, 8, 9], [8, 9, 1, 0]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*b, *d, *c]]).collect();
        let strip = Skin::of(&Mesh::new(ring.clone(), triangles, vec![]).expect("a strip"));
        assert_eq!(strip.border.len(), 11, "ten sides and one cut");
        let fan = vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]];
        let fan = Skin::of(&Mesh::new(ring, fan, vec![]).expect("a fan"));
        assert_eq!(fan.border.len(), 7);
    }
}
