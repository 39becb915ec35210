//! The numbers that define a family, drawn for one query. Lengths in sizes of the primitives, times in steps.

use super::family::Family;
use super::random::{Random, power_of_two};
use rigor_ccd::Kind;

/// How the motions through a contact are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// Each point, or each body, by itself.
    Free,
    /// Each body that turns hangs from its centre along the normal and touches with a corner: where its circle is lowest.
    Hanging([bool; 2]),
    /// Away from the contact, or towards it: at the far end of the step the primitives are 1e-6 as large, or less.
    Growing,
    /// Both bodies turn as one.
    Together,
}

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
    /// The angle by which each body turns (rad).
    pub turns: [f64; 2],
    /// How far the centre of each body is from the contact, along each axis.
    pub arms: [f64; 2],
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
    /// The course that the contact belongs to.
    pub course: Course,
    /// Every number has few binary digits and bodies do not turn, so coincidences are exact.
    pub on_grid: bool,
}

impl Plan {
    pub fn new(family: Family, kind: Kind, is_curved: bool, random: &mut Random) -> Self {
        let mut plan = Self::plain(kind, is_curved, random);
        plan.make_hard(family, is_curved, random);
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
            turns: [random.magnitude(-6, 1); 2],
            arms: [1.0; 2],
            length: random.within(0.5, 2.0),
            thin: random.within(0.3, 1.0),
            angle: random.within(0.3, 1.0),
            scale: 1.0,
            distance: 1.0,
            is_planar: false,
            turns_about_normal: false,
            swings_freely: false,
            course: Course::Free,
            on_grid: false,
        }
    }

    fn make_hard(&mut self, family: Family, is_curved: bool, random: &mut Random) {
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
                self.turns = [random.within(1.0, 20.0) * std::f64::consts::TAU; 2];
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
            Family::Independent => self.make_independent(is_curved, random),
            Family::Tip => self.make_tip(is_curved, random),
            Family::Growing => self.make_growing(is_curved, random),
            Family::Together => {
                (self.course, self.approach) = (Course::Together, 0.0);
                self.turns = [if is_curved { random.magnitude(-4, 4) } else { random.magnitude(-4, 1) }; 2];
                self.slide = if random.chance(0.5) { 0.0 } else { random.magnitude(-40, -2) };
                self.spread = if random.chance(0.5) { 0.0 } else { random.magnitude(-40, -8) };
                self.gap = nearly(self.d_min, random);
            }
            Family::ManyTurns => {
                self.turns = [random.magnitude(6, 13), random.magnitude(6, 13)];
                (self.spread, self.swings_freely) = (random.magnitude(3, 10), random.chance(0.5));
            }
            Family::Immediate => {
                self.t = random.magnitude(-42, -38);
                (self.approach, self.slide) = (random.magnitude(-3, 40), random.magnitude(-7, 40));
            }
            Family::Largest => self.scale = random.magnitude(-900, 1018),
        }
    }

    /// Everything that [`plain`](Self::plain) draws about 1, between 1e-9 and 1e9. Usually d_min exceeds the rounding of
    /// places, so that contact can be proven.
    fn make_independent(&mut self, is_curved: bool, random: &mut Random) {
        let mut any = || random.magnitude(-30, 30);
        (self.distance, self.approach, self.slide) = (any(), any(), any());
        let rounding = if is_curved {
            (self.turns, self.arms) = ([any(), any()], [any(), any()]);
            let of_body = |k: usize| (1.0 + self.arms[k]) * (1.0 + self.turns[k]);
            of_body(0) + of_body(1) + self.distance
        } else {
            (self.spread, self.length) = (any(), any());
            self.spread + self.length + self.distance + self.approach + self.slide
        };
        if random.chance(0.75) {
            self.d_min = rounding * random.magnitude(-40, -10);
            self.gap = touching(self.d_min, random);
        }
    }

    /// The gap is smallest at t: below d_min by a small part of what the acceleration adds to it during the step, so that a bound
    /// of the acceleration that is too small by that part calls it free.
    fn make_tip(&mut self, is_curved: bool, random: &mut Random) {
        let hangs = [[true, false], [false, true], [true, true]][random.below(3)];
        self.course = Course::Hanging(hangs);
        (self.approach, self.slide, self.spread, self.swings_freely) = (0.0, 0.0, 0.0, true);
        let mut bend = 1.0;
        if is_curved {
            bend = 0.0;
            for (k, hangs) in hangs.into_iter().enumerate() {
                self.arms[k] = random.magnitude(-6, 6);
                self.turns[k] = if hangs { random.magnitude(-8, -1) } else { 0.0 };
                bend += self.arms[k] * self.turns[k] * self.turns[k];
            }
        } else {
            self.slide = random.within(0.5, 2.0);
        }
        let depth = 0.5 * bend * self.t * (1.0 - self.t) * random.magnitude(-20, -5);
        self.d_min = depth * random.magnitude(1, 12);
        self.gap = self.d_min - depth;
    }

    /// Contact at the large end of the step, where it is decided by digits that are lost if errors are counted from the small
    /// end. Rigid bodies come from far away, or leave, and touch at a distance of about their size.
    fn make_growing(&mut self, is_curved: bool, random: &mut Random) {
        let large = random.magnitude(0, 20);
        let is_late = random.chance(0.5);
        let away = if random.chance(0.5) { 0.0 } else { random.magnitude(-50, -30) };
        self.t = if is_late { 1.0 - away } else { away };
        let slow =
            |random: &mut Random| if random.chance(0.5) { 0.0 } else { large * random.magnitude(-50, 0) };
        (self.slide, self.spread) = (slow(random), 0.0);
        let speed = if is_curved {
            self.d_min = random.magnitude(-8, 1);
            large
        } else {
            (self.course, self.length) = (Course::Growing, large);
            self.d_min = large * random.magnitude(-30, -2);
            slow(random)
        };
        // Towards each other before the end, away from each other after the start.
        self.approach = if is_late { speed } else { -speed };
        self.gap = self.d_min - large * random.magnitude(-53, -44);
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
