//! The tangential spring of a contact, bounded by Coulomb's law.

use rigor_math::Vec3;

/// What a spring of a contact remembers from substep to substep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spring {
    /// ξ (m, or rad for rolling; world): displacement perpendicular to the normal.
    pub stored: Vec3,
    /// Whether its force was at its bound.
    pub slides: bool,
}

impl Spring {
    /// Stretches the spring by `h` (s) times `velocity`, both perpendicular to the normal `n`, and returns the
    /// force −k ξ − c v, bounded by `sticking`, and by `sliding` once it slides.
    ///
    /// Where the bound shortens the force, ξ shrinks to what the spring still carries. Source:
    /// \[Cundall1979\]. Deviation: a static limit above the dynamic one.
    #[inline(always)]
    pub fn stretch(
        &mut self,
        n: &Vec3,
        velocity: &Vec3,
        (k, c): (f64, f64),
        (sticking, sliding): (f64, f64),
        h: f64,
    ) -> Vec3 {
        let limit = if self.slides { sliding } else { sticking };
        let trial = turned(&self.stored, n) + h * velocity;
        let force = -k * trial - c * velocity;
        let square = force.norm_squared();
        if square <= limit * limit {
            *self = Self { stored: trial, slides: false };
            return force;
        }
        let force = force * (sliding.min(limit) / square.sqrt());
        // Without a limit there is nothing to remember.
        let stored = if limit > 0.0 && k > 0.0 { -(force + c * velocity) / k } else { Vec3::zeros() };
        *self = Self { stored, slides: true };
        force
    }
}

/// Returns the force −c v of a damper without a spring, bounded by `sticking`, else of the size `sliding` or `sticking`, whichever is
/// smaller.
#[inline(always)]
pub(crate) fn damped(velocity: &Vec3, c: f64, (sticking, sliding): (f64, f64)) -> Vec3 {
    let force = -c * velocity;
    let square = force.norm_squared();
    if square <= sticking * sticking { force } else { force * (sliding.min(sticking) / square.sqrt()) }
}

/// Returns `v` turned into the plane perpendicular to `n`, with its length.
#[inline(always)]
fn turned(v: &Vec3, n: &Vec3) -> Vec3 {
    let lean = v.dot(n);
    let along = v - lean * n;
    let (before, part) = (v.norm_squared(), lean * lean);
    // √(1 + x) rounds to 1 for x below ε/2, here with x = part/before.
    if part <= 0.25 * f64::EPSILON * before {
        return along;
    }
    let after = along.norm_squared();
    if after > 0.0 { along * (before / after).sqrt() } else { Vec3::zeros() }
}
