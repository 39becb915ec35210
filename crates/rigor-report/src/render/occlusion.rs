//! Ambient occlusion: the part of the sky that a pixel's surroundings hide, which darkens corners and gaps.

use rayon::prelude::*;
use rigor_math::{Vec3, elementary};

use super::canvas::Canvas;
use super::view::{Spot, View};

/// Number of samples around each pixel.
const TAPS: usize = 12;
/// Side in pixels of a block whose pixels sample in different directions, and which is then smoothed.
const BLOCK: usize = 4;
/// Angle from sample to sample in degrees: the golden angle.
const TURN: f64 = 137.507_764_050_037_85;

/// Returns the open fraction of the sky, in [0, 1], for every `stride`-th sample in both directions.
///
/// `reach` (m) is the distance up to which surroundings matter. A sample Q occludes P with normal n in
/// proportion to max(0, (Q − P)·n − β) / (‖Q − P‖² + ε).
///
/// Source: the obscurance estimate common in screen-space rendering, with samples on a golden spiral.
pub fn openness(canvas: &Canvas, view: &View, reach: f64, stride: usize) -> Vec<f64> {
    let size = canvas.size.map(|samples| samples / stride);
    let spiral = spiral();
    let raw: Vec<f64> = (0..size[0] * size[1])
        .into_par_iter()
        .map(|pixel| {
            let (x, y) = (pixel % size[0], pixel / size[0]);
            let taps = &spiral[(y % BLOCK) * BLOCK + x % BLOCK];
            open_at(canvas, view, reach, [x * stride, y * stride], taps)
        })
        .collect();
    smooth(canvas, &raw, size, stride)
}

/// Returns points in the unit disc, a set for each pixel of a block.
fn spiral() -> Vec<[[f64; 2]; TAPS]> {
    let place = |block: usize, tap: usize| {
        let radius = ((tap as f64 + 0.5) / TAPS as f64).sqrt();
        let start = 360.0 * ((block * 7) % (BLOCK * BLOCK)) as f64 / (BLOCK * BLOCK) as f64;
        let (sin, cos) = elementary::sin_cos_degrees(start + TURN * tap as f64);
        [radius * cos, radius * sin]
    };
    (0..BLOCK * BLOCK).map(|block| std::array::from_fn(|tap| place(block, tap))).collect()
}

fn open_at(canvas: &Canvas, view: &View, reach: f64, [x, y]: [usize; 2], taps: &[[f64; 2]; TAPS]) -> f64 {
    let Some((p, n)) = surface(canvas, view, [x, y]) else { return 1.0 };
    let nearness = f64::from(canvas.nearness[y * canvas.size[0] + x]);
    let radius = (reach * view.pixels_per_metre(nearness)).clamp(4.0, 160.0);
    let mut hidden = 0.0;
    for [dx, dy] in taps {
        let (qx, qy) = (x as f64 + radius * dx, y as f64 + radius * dy);
        if qx < 0.0 || qy < 0.0 || qx >= canvas.size[0] as f64 || qy >= canvas.size[1] as f64 {
            continue;
        }
        if let Some((q, _)) = surface(canvas, view, [qx as usize, qy as usize]) {
            let v = q - p;
            let away = v.norm_squared();
            if away < 4.0 * reach * reach {
                hidden += (v.dot(&n) - 0.02 * reach).max(0.0) * reach / (away + 0.01 * reach * reach);
            }
        }
    }
    (1.0 - 1.1 * hidden / TAPS as f64).max(0.0)
}

/// Returns the position (m, world) and the normal towards the eye of the surface in a sample.
pub fn surface(canvas: &Canvas, view: &View, [x, y]: [usize; 2]) -> Option<(Vec3, Vec3)> {
    let sample = y * canvas.size[0] + x;
    if canvas.thing[sample] == 0 {
        return None;
    }
    let nearness = f64::from(canvas.nearness[sample]);
    let world = view.world(Spot { x: x as f64 + 0.5, y: y as f64 + 0.5, nearness });
    let normal = Vec3::from(canvas.normal[sample].map(f64::from));
    let is_back = normal.dot(&(world - view.eye)) > 0.0;
    Some((world, if is_back { -normal } else { normal }))
}

/// Averages over a block around each pixel, over the samples of the same thing.
fn smooth(canvas: &Canvas, raw: &[f64], size: [usize; 2], stride: usize) -> Vec<f64> {
    let thing = |x: usize, y: usize| canvas.thing[y * stride * canvas.size[0] + x * stride];
    let mean = |pixel: usize| {
        let (x, y) = (pixel % size[0], pixel / size[0]);
        let (mut sum, mut n) = (0.0, 0.0);
        for v in y.saturating_sub(BLOCK / 2)..(y + BLOCK / 2).min(size[1]) {
            for u in x.saturating_sub(BLOCK / 2)..(x + BLOCK / 2).min(size[0]) {
                if thing(u, v) == thing(x, y) {
                    sum += raw[v * size[0] + u];
                    n += 1.0;
                }
            }
        }
        if n > 0.0 { sum / n } else { raw[pixel] }
    };
    (0..raw.len()).into_par_iter().map(mean).collect()
}
