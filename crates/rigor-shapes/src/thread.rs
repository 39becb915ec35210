//! A screw thread.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::circle::circle;
use rigor_geometry::mesh::Soup;

/// A right-handed thread of ISO profile about the y axis: flanks at 60° to each other, 5/8 · √3/2 of the
/// pitch deep, crests an eighth and roots a quarter of the pitch wide.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(description = "A right-handed thread of ISO form with axis y.")
)]
pub struct Thread {
    /// Radius of the bolt's crests (m).
    pub radius: f64,
    /// Advance along y per turn (m).
    pub pitch: f64,
}

/// Where root, rising flank, crest and falling flank of a bolt start, in sixteenths of the pitch.
const BREAKS: [i64; 4] = [0, 4, 9, 11];

impl Thread {
    /// The depth (m) from crest to root.
    ///
    /// ```
    /// use rigor_shapes::Thread;
    /// let m6 = Thread { radius: 3e-3, pitch: 1e-3 };
    /// assert!((m6.depth() - 0.5413e-3).abs() < 1e-7);
    /// ```
    pub fn depth(&self) -> f64 {
        5.0 / 16.0 * 3.0_f64.sqrt() * self.pitch
    }

    /// Minimum extra radius (m) of a nut's thread for nut and bolt, each cut into `segments`, to turn freely.
    ///
    /// With clearance c, a chord lies up to (r + c)(1 − cos(π/n)) inside its circle. The diagonals of the
    /// twisted flanks deviate from the helicoid by (π/2n) · depth along the thread, which amounts to √3/(2π)
    /// · pitch/r of that in radius.
    pub(super) fn least_clearance(&self, segments: u32) -> f64 {
        let n = f64::from(segments);
        let chord = 1.0 - super::circle::at(1, 2 * segments)[0];
        let inner = self.radius - self.depth();
        let stray = 3.0_f64.sqrt() / 4.0 * self.depth() * self.pitch / (n * inner);
        (self.radius * chord + stray) / (1.0 - chord)
    }

    pub(super) fn check(&self, check: Check, segments: u32) -> Result<(), ShapeError> {
        check.positive("thread.radius", self.radius)?;
        check.positive("thread.pitch", self.pitch)?;
        let bound = 0.5 * self.radius / self.depth() * self.pitch;
        check.below("thread.pitch", self.pitch, bound)?;
        check.count("segments", segments, 12..=960)?;
        check.that(segments.is_multiple_of(6), "segments", f64::from(segments), "a multiple of 6")
    }

    /// The threaded wall from y = 0 to `steps` · pitch/`segments`, with radii enlarged by `clearance` (m).
    ///
    /// Vertices lie where the helices of the profile's corners cross `segments` half planes through the axis.
    /// The wall turned by a segment and lifted by pitch/segments is therefore the same wall, so that walls
    /// with different clearances fit into each other in all such positions.
    pub(super) fn wall(&self, segments: u32, steps: u32, clearance: f64) -> ThreadWall {
        let mut wall = ThreadWall { skin: Soup::default(), bottom: vec![], top: vec![] };
        let spokes = circle(segments);
        let columns: Vec<Vec<(i64, u32)>> = (0..segments)
            .map(|i| self.column(&mut wall.skin, spokes[i as usize], i, segments, steps, clearance))
            .collect();
        let ends = |c: &[(i64, u32)]| [c[0].1, c[c.len() - 1].1];
        wall.bottom = columns.iter().map(|c| ends(c)[0]).collect();
        wall.top = columns.iter().map(|c| ends(c)[1]).collect();
        for i in 0..segments as usize {
            let next = (i + 1) % segments as usize;
            wall.skin.triangles.extend(zip(
                &columns[i],
                &columns[next],
                if next == 0 { 16 * i64::from(segments) } else { 0 },
            ));
        }
        wall
    }

    /// The vertices above spoke i, each after its phase: its height minus that of the helix through the
    /// origin of heights, in units of pitch/(16 segments).
    fn column(
        &self,
        skin: &mut Soup,
        [c, s]: [f64; 2],
        i: u32,
        segments: u32,
        steps: u32,
        clearance: f64,
    ) -> Vec<(i64, u32)> {
        let n = i64::from(segments);
        let (lift, top) = (16 * i64::from(i), 16 * i64::from(steps));
        let turns = -1..=top / (16 * n) + 1;
        let rows = turns.flat_map(|turn| BREAKS.map(|b| n * (16 * turn + b)));
        let inside = rows.filter(|phase| (1..top).contains(&(phase + lift)));
        let mut phases: Vec<i64> = inside.chain([-lift, top - lift]).collect();
        phases.sort_unstable();
        phases
            .into_iter()
            .map(|phase| {
                let r = self.radius_at(phase, n) + clearance;
                let y = self.pitch * (phase + lift) as f64 / (16 * n) as f64;
                skin.vertices.push(Vec3::new(r * c, y, -r * s));
                (phase, skin.vertices.len() as u32 - 1)
            })
            .collect()
    }

    /// The radius (m) of the bolt at a phase, in units of pitch/(16 n).
    fn radius_at(&self, phase: i64, n: i64) -> f64 {
        let x = phase.rem_euclid(16 * n) as f64 / n as f64; // sixteenths of the pitch
        let [root, rise, crest, fall] = BREAKS.map(|b| b as f64);
        let height = ((x - rise) / (crest - rise)).min((16.0 - x) / (16.0 + root - fall)).clamp(0.0, 1.0);
        self.radius - self.depth() * (1.0 - height)
    }
}

/// A threaded wall that faces away from the axis, and the loops at its ends, counter-clockwise seen from above.
pub(super) struct ThreadWall {
    pub skin: Soup,
    pub bottom: Vec<u32>,
    pub top: Vec<u32>,
}

/// The strip between two columns of vertices; advances on the side with the lower next phase, where the
/// phases of `right` are reduced by `shift`.
fn zip(left: &[(i64, u32)], right: &[(i64, u32)], shift: i64) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a + 1 < left.len() || b + 1 < right.len() {
        let go_left = match (left.get(a + 1), right.get(b + 1)) {
            (Some((p, _)), Some((q, _))) => *p <= q - shift,
            (next, _) => next.is_some(),
        };
        if go_left {
            triangles.push([left[a].1, right[b].1, left[a + 1].1]);
            a += 1;
        } else {
            triangles.push([left[a].1, right[b].1, right[b + 1].1]);
            b += 1;
        }
    }
    triangles
}

/// A hexagon of circumradius `radius` (m) at height y, with vertices on n spokes, n a multiple of 6, the
/// first through a corner.
pub(super) fn hexagon(radius: f64, y: f64, n: u32) -> Vec<Vec3> {
    let spokes = circle(n);
    let normals = circle(12); // of the sides: every other one, from 30° on
    let apothem = radius * 0.75_f64.sqrt();
    let point = |(i, [c, s]): (usize, &[f64; 2])| {
        let side = 6 * i / n as usize;
        let [u, v] = normals[2 * side + 1];
        let corner = 6 * i % n as usize == 0;
        let r = if corner { radius } else { apothem / (c * u + s * v) };
        Vec3::new(r * c, y, -r * s)
    };
    spokes.iter().enumerate().map(point).collect()
}
