//! Squared distances between points, edges and triangles, with gradient and Hessian.
//!
//! | module | between | regions |
//! | --- | --- | --- |
//! | [`point_point`] | two points | |
//! | [`point_line`] | a point and an unbounded line | |
//! | [`point_plane`] | a point and an unbounded plane | |
//! | [`line_line`] | two unbounded lines | |
//! | [`point_edge`] | a point and a segment | [`point_edge::Region`] |
//! | [`point_triangle`] | a point and a triangle | [`point_triangle::Region`] |
//! | [`edge_edge`] | two segments | [`edge_edge::Region`] |
//!
//! Every module provides `distance_sq` (m²), `distance_sq_gradient` (m) and `distance_sq_hessian` (1), with
//! derivatives with respect to the coordinates of all points stacked in the order of the arguments, and
//! `piece`, from which they follow. Modules with regions also provide `region`, which names the features that
//! realise the distance, `closest`, and the same three functions for a given region (`distance_sq_in`, …).
//! Within one region the squared distance is a smooth function, that of the unbounded features; across
//! regions value and gradient are continuous (except the gradient of parallel edges) and the Hessian jumps.
//!
//! # Accuracy
//! No absolute or tuned threshold is used: the results scale with the input, and a triangle may be a needle,
//! a segment or a point. The *distance* is accurate to a few ε times the longest difference between the
//! points, ε = 2⁻⁵³, however thin the triangle and however parallel the edges. For features of lengths
//! (triangle heights included) and gaps between 1e-70 and 1e70 nothing overflows; for smaller ones values
//! stay finite and correct up to underflow; from coordinates of 1e75 on they may be infinite or NaN.
//!
//! # Derivation
//! Each smooth piece is a minimum d²(x) = min over y of ‖r(x, y)‖², where r = Σ wᵢ(y) xᵢ joins a point of one
//! feature to a point of the other, and y (zero, one or two numbers) selects them; the weights wᵢ are affine
//! in y. At the minimum r is normal to every J = ∂r/∂y, so the gradient is that at fixed y, and the Hessian
//! is that at fixed y minus the Schur complement:
//!
//! ∂d²/∂xᵢ = 2 wᵢ r, ∂²d²/∂xᵢ∂xⱼ = 2 (wᵢwⱼ I − Gᵢ (JᵀJ)⁻¹ Gⱼᵀ), Gᵢ = wᵢ J + r (∂wᵢ/∂y).
//!
//! With P the projection onto the normal space of J and gᵢ = J (JᵀJ)⁻¹ (∂wᵢ/∂y)ᵀ, the slope of weight i as a
//! function on the space of J, this becomes
//!
//! ½ ∂²d²/∂xᵢ∂xⱼ = wᵢwⱼ P − wᵢ gⱼ rᵀ − wⱼ r gᵢᵀ − (gᵢ·gⱼ) r rᵀ,
//!
//! which needs no inverse: for lines, planes and pairs of lines the gᵢ are cross products. So a module only
//! defines w, g, r and P.

pub mod edge_edge;
pub mod line_line;
mod piece;
pub mod point_edge;
pub mod point_line;
pub mod point_plane;
pub mod point_point;
pub mod point_triangle;

pub use piece::SmoothPiece;

use rigor_math::Vec3;

/// The closest points of two features A (the first arguments) and B (the others), given by N points in total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest<R, const N: usize> {
    /// The features that realise the distance.
    pub region: R,
    /// wᵢ such that `separation` = Σ wᵢ xᵢ: non-negative with sum 1 over the points of A, non-positive with
    /// sum −1 over those of B. Their magnitudes are the barycentric coordinates of the closest points.
    pub weights: [f64; N],
    /// The point of A nearest to B (m).
    pub point_a: Vec3,
    /// The point of B nearest to A (m).
    pub point_b: Vec3,
    /// From `point_b` to `point_a` (m); more accurate than their difference.
    pub separation: Vec3,
}

#[cfg(test)]
mod tests;
