//! Contribution of the contacts between one pair of affine bodies to gradient and Hessian.
//!
//! With X = (1, x̂), a point moves by δx_c = Σ_m δ_cm X_m: the coordinates of a body are q and the rows of A, δ_c0 = δq_c and δ_cm =
//! δA_cm. They are linear, so that the Hessian of a function of points has no term of their curvature. As for rigid bodies
//! ([`crate::pair`]), with W for the separation of the nearest points and M for what moves them along their features,
//!
//! ½ ∇²d² = Wᵀ W − Mᵀ M, M = (1 − P) W + Σᵢ gᵢ (r·δxᵢ).

use nalgebra::{SMatrix, SVector};
use rigor_math::{Mat3, Vec3};

use crate::contact::{PrimitivePair, points};
use crate::crossing::MOST;
use crate::edge_mollifier::MollifierDerivatives;
use crate::ends::{Ends, Law, Push, push};
use crate::friction::Slip;
use crate::placement::Placement;

/// The coordinates of both bodies, that with the smaller index first.
pub(crate) type Vec24 = SVector<f64, 24>;
pub(crate) type Mat24 = SMatrix<f64, 24, 24>;

/// Coordinates of one body.
const N: usize = 12;

/// Returns Xᵀ f of a point x̂ of the body `side`: what a force on the point is in its coordinates.
fn at_point(out: &mut Vec24, side: usize, x_local: &Vec3, f: &Vec3) {
    for c in 0..3 {
        out[N * side + c] += f[c];
        for k in 0..3 {
            out[N * side + 3 + 3 * c + k] += f[c] * x_local[k];
        }
    }
}

/// Returns Wᵀ f for the nearest points.
fn spread(points_local: &[Vec3; 2], f: &Vec3) -> Vec24 {
    let mut out = Vec24::zeros();
    at_point(&mut out, 0, &points_local[0], f);
    at_point(&mut out, 1, &points_local[1], &-f);
    out
}

/// Returns row k of M.
fn along(ends: &Ends, contact: &PrimitivePair, k: usize) -> Vec24 {
    let normal = Vec3::ith(k, 1.0) - ends.piece.normal_projection.column(k);
    let mut out = spread(&ends.points_local, &normal);
    for (side, range) in ends.ranges.iter().enumerate() {
        for i in range.clone() {
            at_point(
                &mut out,
                side,
                &contact.points_local[i],
                &(ends.piece.separation * ends.piece.slopes[i][k]),
            );
        }
    }
    out
}

fn add_square(m: &mut Mat24, s: f64, v: &Vec24) {
    m.ger(s, v, v, 1.0);
}

/// Adds κ w m G of `contact` to the pushes and the Hessian of two bodies.
pub(crate) fn press(
    (pushes, hessian): (&mut [Push; 2], &mut Mat24),
    bodies: [usize; 2],
    contact: &PrimitivePair,
    places: &[Placement],
    (barrier, kappa): Law,
) {
    let x = points(contact, places);
    let Some(felt) = contact.felt(barrier, &x) else { return };
    let weight = kappa * contact.weight;
    let m = contact.fade(&x);
    // ½ ∇d² of each squared distance.
    let mut halves = [Vec24::zeros(); MOST];
    let mut by_delta = Vec24::zeros();
    for i in 0..felt.n {
        let ends = Ends::new(contact, bodies, &contact.piece(felt.which[i], &x));
        let (first, r) = (2.0 * weight * felt.first[i], ends.piece.separation);
        halves[i] = spread(&ends.points_local, &r);
        by_delta += halves[i] * first;
        push(pushes, &(r * (first * m)), &ends.points_local);
        for k in 0..3 {
            add_square(hessian, first * m, &spread(&ends.points_local, &Vec3::ith(k, 1.0)));
            add_square(hessian, -first * m, &along(&ends, contact, k));
        }
        for j in 0..i {
            let second = 4.0 * weight * m * felt.second[i][j];
            hessian.ger(second, &halves[i], &halves[j], 1.0);
            hessian.ger(second, &halves[j], &halves[i], 1.0);
        }
        add_square(hessian, 4.0 * weight * m * felt.second[i][i], &halves[i]);
    }
    if let Some(derivatives) = contact.fade_derivatives(&x) {
        fade((pushes, hessian), bodies, contact, &derivatives, (weight * felt.value, &by_delta));
    }
}

/// Adds the derivatives of m of two edges; κ w G is `g` and its derivative `g_by_delta`.
fn fade(
    (pushes, hessian): (&mut [Push; 2], &mut Mat24),
    bodies: [usize; 2],
    contact: &PrimitivePair,
    fade: &MollifierDerivatives,
    (g, g_by_delta): (f64, &Vec24),
) {
    let sides = contact.bodies.map(|body| usize::from(body == bodies[1]));
    let local = &contact.points_local;
    let edges = [local[1] - local[0], local[3] - local[2]];
    let mut by_delta = Vec24::zeros();
    for ((edge, f), side) in edges.iter().zip([fade.by_u, fade.by_v]).zip(sides) {
        pushes[side].1 += f * g * edge.transpose();
        // An edge moves as the difference of its ends, without q.
        let at = |c: usize, k: usize| N * side + 3 + 3 * c + k;
        (0..9).for_each(|n| by_delta[at(n / 3, n % 3)] += f[n / 3] * edge[n % 3]);
    }
    let second: [(usize, usize, Mat3); 4] =
        [(0, 0, fade.uu), (0, 1, fade.uv), (1, 0, fade.uv.transpose()), (1, 1, fade.vv)];
    for (i, j, h) in second {
        for (row, column) in (0..9).flat_map(|row| (0..9).map(move |column| (row, column))) {
            let ([c, k], [d, l]) = ([row / 3, row % 3], [column / 3, column % 3]);
            hessian[(N * sides[i] + 3 + row, N * sides[j] + 3 + column)] +=
                g * h[(c, d)] * edges[i][k] * edges[j][l];
        }
    }
    hessian.ger(1.0, g_by_delta, &by_delta, 1.0);
    hessian.ger(1.0, &by_delta, g_by_delta, 1.0);
}

/// Adds the Hessian of friction between these points.
pub(crate) fn rub(hessian: &mut Mat24, slip: &Slip, points_local: &[Vec3; 2]) {
    for (stiffness, along) in slip.stiffness {
        add_square(hessian, stiffness, &spread(points_local, &along));
    }
}
