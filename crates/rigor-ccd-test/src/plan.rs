//! The numbers that define a family, drawn for one query. Lengths in sizes of the primitives, times in steps.

use super::family::Family;
use super::random::{Random, power_of_two};
use rigor_ccd::Kind;

pub(super) struct Plan {
    /// The time at which chosen points of the primitives are opposite each other.
    pub t: f64,
    pub d_min: f64,
    /// Their distance then.
    pub gap: f64,
    /// Their approach speed then.
    pub approach: f64,
    /// Their tangential relative speed.
    pub slide: f64,
    /// Relative speed of the points of one primitive, for straight motions.
    pub spread: f64,
    /// The angle by which a body turns (rad).
    pub turn: f64,
    /// Length of edges.
    pub length: f64,
    /// Height of a triangle above its longest edge.
    pub thin: f64,
    /// Angle between two edges (approximately, rad).
    pub angle: f64,
    pub scale: f64,
    /// Distance from the origin.
    pub distance: f64,
    pub is_planar: bool,
    pub turns_about_normal: bool,
    /// Whether the motion of a body's centre does not compensate for the body's rotation.
    pub swings_freely: bool,
    /// Every number has few binary digits and bodies do not turn, so coincidences are exact.
    pub on_grid: bool,
}

impl Plan {
    pub fn new(family: Family, kind: Kind, is_curved: bool, random: &mut Random) -> Self {
        let mut plan = Self::plain(kind, is_curved, random);
        plan.make_hard(family, random);
        // Contacts without crossing can be certified only if everything is exact.
        let never_crosses = matches!(kind, Kind::PointPoint | Kind::PointEdge) || plan.is_planar;
        let probability = if never_crosses { 0.8 } else { 0.25 };
        // Exact bodies do not turn; keep their share small.
        let probability = if is_curved { 0.5 * probability } else { probability };
        if plan.d_min == 0.0 && plan.gap == 0.0 && random.chance(probability) {
            plan.snap();
        }
        plan
    }

    fn plain(kind: Kind, is_curved: bool, random: &mut Random) -> Self {
        let never_crosses = matches!(kind, Kind::PointPoint | Kind::PointEdge);
        let zero = if is_curved && never_crosses { 0.25 } else { 0.5 };
        let d_min = if random.chance(zero) { 0.0 } else { random.magnitude(-20, -4) };
        Self {
            t: random.within(0.05, 0.95),
            d_min,
            gap: touching(d_min, random),
            approach: random.within(0.5, 2.0),
            slide: random.within(0.0, 1.0),
            spread: random.magnitude(-6, 0),
            turn: random.magnitude(-6, 1),
            length: random.within(0.5, 2.0),
            thin: random.within(0.3, 1.0),
            angle: random.within(0.3, 1.0),
            scale: 1.0,
            distance: 1.0,
            is_planar: false,
            turns_about_normal: false,
            swings_freely: false,
            on_grid: false,
        }
    }

    fn make_hard(&mut self, family: Family, random: &mut Random) {
        match family {
            Family::Transversal => {}
            Family::Far => self.gap = random.within(6.0, 12.0),
            Family::Grazing => {
                self.approach = if random.chance(0.5) { 0.0 } else { random.magnitude(-30, -10) };
                self.slide = random.within(0.5, 2.0);
                self.gap = nearly(self.d_min, random);
            }
            Family::Sliding => {
                (self.approach, self.turns_about_normal) = (0.0, true);
                self.spread = if random.chance(0.5) { 0.0 } else { random.magnitude(-40, -8) };
                self.gap = nearly(self.d_min, random);
            }
            Family::Spinning => {
                (self.spread, self.swings_freely) = (random.within(1.0, 6.0), random.chance(0.5));
                self.turn = random.within(1.0, 20.0) * std::f64::consts::TAU;
            }
            Family::NearParallel => {
                self.angle = random.magnitude(-40, -5);
                self.approach = random.magnitude(-12, 1);
                self.slide = random.within(0.5, 2.0);
            }
            Family::Coplanar => self.is_planar = true,
            Family::Needle => {
                self.thin = random.magnitude(-30, -6);
                self.length = if random.chance(0.5) { random.magnitude(-20, -3) } else { 1.0 };
            }
            Family::Scaled => self.scale = random.magnitude(-27, 26),
            Family::Separated => {
                self.d_min = random.within(0.01, 0.1);
                self.gap = nearly(self.d_min, random);
            }
            Family::AtStart => self.t = random.magnitude(-40, -7),
            Family::AtEnd => self.t = if random.chance(0.5) { 1.0 } else { 1.0 - random.magnitude(-40, -7) },
            Family::TinyGap => {
                self.gap = self.d_min + random.magnitude(-40, -10);
                self.approach = if random.chance(0.5) { 0.0 } else { self.gap * random.within(-1.0, 2.0) };
            }
            Family::Fast => {
                self.approach = random.magnitude(7, 17);
                self.slide = random.magnitude(-7, 17);
            }
            Family::Distant => self.distance = 1e4,
        }
    }

    /// Rounds to numbers with few binary digits.
    fn snap(&mut self) {
        self.on_grid = true;
        self.t = ((self.t * 1024.0).round() / 1024.0).max(power_of_two(-10));
        self.scale = f64::from_bits(self.scale.to_bits() & !((1 << 52) - 1));
    }
}

/// Returns a gap slightly below d_min.
fn touching(d_min: f64, random: &mut Random) -> f64 {
    d_min * (1.0 - random.magnitude(-20, -4))
}

/// Returns a gap slightly below d_min or, with probability ¼, slightly above.
fn nearly(d_min: f64, random: &mut Random) -> f64 {
    match (random.chance(0.75), d_min == 0.0) {
        (true, _) => touching(d_min, random),
        (_, true) => random.magnitude(-30, -8),
        (_, false) => d_min * (1.0 + random.magnitude(-20, -4)),
    }
}
