use proptest::prelude::*;
use rigor_ccd_test::oracle;
use rigor_math::{UnitQuaternion, rotation_vector};

use super::super::tests::rigid_query;
use super::super::{LIMITS, rigid};
use super::*;
use crate::relative::tests::{as_others_see_it, is_at_least};
use crate::wide::WideVec3;

/// The gap between a point of A and one of B along a normal at `t`.
fn gap(motion: &Rigid, normal: &Normal, t: f64) -> f64 {
    normal.sample(motion, &motion.at(t)).gaps.values[0]
}

fn normals(query: &RigidQuery) -> [Normal; 3] {
    let unit = |x: &Vec3| x.try_normalize(1e-3).unwrap_or_else(Vec3::x);
    let [a, b] = [unit(&query.points_local[0]), unit(&query.points_local[1])];
    [Normal::WithA(a), Normal::WithB(a), Normal::Across(a, b)]
}

proptest! {
    #[test]
    fn gaps_never_bend_beyond_the_third_derivative(query in rigid_query(), t in 0.01..0.99) {
        let motion = Rigid::new(&query);
        for normal in normals(&query) {
            // A mean of g‴ over 4 h by finite differences, with a rounding error of about 10⁻¹⁵/h³.
            let h = 1e-3;
            let g = |k: f64| gap(&motion, &normal, t + k * h);
            let third = (g(2.0) - 2.0 * g(1.0) + 2.0 * g(-1.0) - g(-2.0)) / (2.0 * h * h * h);
            prop_assert!(third.abs() <= normal.third_derivative(&motion) * (1.0 + 1e-6) + 1e-3, "{normal:?}");
        }
    }

    /// One body alone has an arm, or none has and the centres are apart, or move: each part of J by itself. Bodies that turn
    /// alike hardly part.
    #[test]
    fn each_part_of_the_third_derivative_has_its_share(
        x in prop::array::uniform3(-1.0..1.0f64), place in prop::array::uniform3(-1.0..1.0f64), part in 0..4usize,
        deltas in prop::array::uniform2(prop::array::uniform3(-3.0..3.0f64)), alike in -8..1i32, t in 0.01..0.99,
    ) {
        let ([x, place], [delta, other]) = ([x, place].map(Vec3::from), deltas.map(Vec3::from));
        let delta_b = delta + (other - delta) * 10f64.powi(alike);
        // Centres that are apart, or that meet at t.
        let path = match part {
            2 => [place; 2],
            3 => [-place * t, place * (1.0 - t)],
            _ => [Vec3::zeros(); 2],
        };
        let moves = RigidMotion::about_axis(path, UnitQuaternion::identity(), delta);
        let arms = [0, 1].map(|k| if k == part { x } else { Vec3::zeros() });
        let query = RigidQuery::point_point([moves, turning(delta_b)], arms[0], arms[1], 0.0);
        let motion = Rigid::new(&query);
        for normal in normals(&RigidQuery { points_local: [place, other, x, x], ..query }) {
            let h = 1e-3;
            let g = |k: f64| gap(&motion, &normal, t + k * h);
            let third = (g(2.0) - 2.0 * g(1.0) + 2.0 * g(-1.0) - g(-2.0)) / (2.0 * h * h * h);
            let bound = normal.third_derivative(&motion);
            prop_assert!(third.abs() <= bound * (1.0 + 1e-3) + 2e-5, "{normal:?}: {third} {bound}");
        }
    }

    /// Edges that turn about their normal: (c²)‴ = 4 ω³ sin 2φ, which a small σ makes most of the excess.
    #[test]
    fn the_excess_never_bends_beyond_its_third_derivative(
        rates in prop::array::uniform2(0.2..3.0f64), angle in 0.0..3.0f64, sigma in 0.01..1.0f64, t in 0.1..0.9,
    ) {
        let mut motions = [turning(Vec3::z() * rates[0]), turning(Vec3::z() * -rates[1])];
        (motions[0].position_t0, motions[0].position_t1) = (Vec3::z() * 0.1, Vec3::z() * 0.1);
        let query = RigidQuery::edge_edge(motions, [Vec3::zeros(); 2], [Vec3::zeros(); 2], 0.1);
        let motion = Rigid::new(&query);
        let normal = Normal::Across(Vec3::x(), Vec3::new(angle.cos(), angle.sin(), 0.0));
        let piece = Piece::new(query.d_min, &motion, normal, 0.0, &motion.at(0.0));
        let h = 1e-3;
        let excess = |k: f64| {
            let sample = piece.at(t + k * h);
            sample.gaps.values[0] - 0.1 * (1.0 - sample.cosine * sample.cosine + sigma * sigma) / (2.0 * sigma)
        };
        let third = (excess(2.0) - 2.0 * excess(1.0) + 2.0 * excess(-1.0) - excess(-2.0)) / (2.0 * h * h * h);
        prop_assert!(third.abs() <= piece.third_of_excess(sigma) * (1.0 + 1e-3) + 1e-5 / sigma);
    }

    /// Bodies that turn at the same rate from orientations that differ by little, or at rates that do.
    #[test]
    fn bodies_that_turn_alike_part_slowly(
        x in prop::array::uniform3(-1.0..1.0f64), thetas in prop::array::uniform4(prop::array::uniform3(-2.0..2.0f64)),
        sizes in prop::array::uniform2(-6..1i32), t in 0.01..0.99, body in 0..2usize,
    ) {
        let [start, delta, apart, change] = thetas.map(Vec3::from);
        let body_of = |theta_t0: Vec3, delta: Vec3| RigidMotion { theta_t0, theta_t1: theta_t0 + delta, ..turning(Vec3::zeros()) };
        // Either alone: of the other there is none.
        let [apart, change] = if body == 0 { [apart * 10f64.powi(sizes[0]), Vec3::zeros()] } else { [Vec3::zeros(), change * 10f64.powi(sizes[1])] };
        let motions = [body_of(start, delta), body_of(start + apart, delta + change)];
        let query = RigidQuery::point_point(motions, Vec3::from(x), Vec3::zeros(), 0.0);
        let motion = Rigid::new(&query);
        let normal = Normal::WithB(Vec3::x());
        let h = 1e-3;
        let g = |k: f64| gap(&motion, &normal, t + k * h);
        let third = (g(2.0) - 2.0 * g(1.0) + 2.0 * g(-1.0) - g(-2.0)) / (2.0 * h * h * h);
        let bound = normal.third_derivative(&motion);
        prop_assert!(third.abs() <= bound * (1.0 + 1e-3) + 2e-5, "{third} {bound}");
    }

    /// ‖n‖ as it changes is no longer than its bound, where the gap is d_min ‖n‖ at one time.
    #[test]
    fn a_normal_is_no_longer_than_its_bound(
        angles in prop::array::uniform2(0.0..3.0f64), lean in prop::array::uniform2(0.2..3.0f64), d_min in 0.01..1.0f64,
        ahead in -3.0..3.0f64, tau in 0.01..0.5, touch in 0..=50u32,
    ) {
        let motions = [turning(Vec3::z() * angles[0]), turning(Vec3::z() * -angles[1])];
        let along = |lean: f64, ahead: f64| Vec3::new(lean * ahead.cos(), lean * ahead.sin(), 1.0).normalize();
        let (a, b) = (along(lean[0], 0.0), along(lean[1], ahead));
        // Lines through the centres, whose distance is that of the centres along n: the edges are short.
        let centre = |t: f64| {
            let motion = Rigid::new(&RigidQuery::edge_edge(motions, [Vec3::zeros(); 2], [Vec3::zeros(); 2], 0.0));
            let turns = *motion.at(t).turns();
            turns[0].apply(&a).cross(&turns[1].apply(&b))
        };
        let t = tau * f64::from(touch) / 50.0;
        let up = centre(t).normalize() * d_min;
        let mut placed = motions;
        (placed[0].position_t0, placed[0].position_t1) = (up, up);
        let query = RigidQuery::edge_edge(placed, [Vec3::zeros(), a * 1e-9], [Vec3::zeros(), b * 1e-9], d_min);
        let motion = Rigid::new(&query);
        let mut piece = Piece::new(d_min, &motion, Normal::Across(a, b), 0.0, &motion.at(0.0));
        piece.follows_length = true;
        prop_assert!(!piece.is_free(&piece.at(0.5 * tau), &piece.at(tau), tau));
    }

    /// A point at the centre of its body beside one that turns with the plane: J = P ‖δ‖³, with all of its rounding.
    #[test]
    fn the_third_derivative_is_rounded_up(
        place in prop::array::uniform3(-1.0..1.0f64), delta in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let [place, delta] = [place, delta].map(Vec3::from);
        let turns = RigidMotion::about_axis([place; 2], UnitQuaternion::identity(), delta);
        let query = RigidQuery::point_point([turns, turning(Vec3::zeros())], Vec3::x(), Vec3::zeros(), 0.0);
        let bound = Normal::WithA(Vec3::x()).third_derivative(&Rigid::new(&query));
        let [place_sq, rate_sq] = [place, delta].map(|v| {
            let v = WideVec3::difference(&v, &Vec3::zeros());
            v.dot(&v)
        });
        prop_assert!(is_at_least(bound, place_sq * rate_sq * rate_sq * rate_sq));
    }

    #[test]
    fn parabolas_are_no_lower_anywhere(g in prop::array::uniform3(-1.0..1.0f64)) {
        let [g_0, g_m, g_1] = g;
        let at = |s: f64| g_0 * (1.0 - s) * (1.0 - 2.0 * s) + 4.0 * g_m * s * (1.0 - s) + g_1 * s * (2.0 * s - 1.0);
        let lowest = (0..=1000).map(|k| at(f64::from(k) / 1000.0)).fold(f64::INFINITY, f64::min);
        let least = least_on_parabola(g_0, g_m, g_1);
        prop_assert!(least <= lowest + 1e-14 && lowest - least < 1e-5);
    }

    /// A piece that ends in contact at one of 100 times: it is never free, however the parabola misses that time.
    #[test]
    fn a_piece_with_contact_is_not_free(query in rigid_query(), t in 0.0..0.7, tau in 0.01..0.3) {
        let motion = Rigid::new(&RigidQuery { kind: Kind::PointPoint, ..query });
        for normal in normals(&query) {
            let times = (0..=100).map(|k| t + tau * f64::from(k) / 100.0);
            let distance = |t: f64| {
                let sample = normal.sample(&motion, &motion.at(t));
                sample.gaps.values[0] / sine(sample.cosine)
            };
            let d_min = times.map(distance).fold(f64::INFINITY, f64::min).max(0.0);
            for follows_length in [false, true] {
                let mut piece = Piece::new(d_min, &motion, normal, t, &motion.at(t));
                piece.follows_length = follows_length;
                prop_assert!(!piece.is_free(&piece.at(t + 0.5 * tau), &piece.at(t + tau), tau), "{normal:?}: {d_min}");
            }
        }
    }

    /// A point that turns with the normal has a constant gap, n·x: all that changes is rounding.
    #[test]
    fn rounding_of_a_constant_gap_is_less_than_the_floor(
        n in prop::array::uniform3(-1.0..1.0f64), x in prop::array::uniform3(-1.0..1.0f64),
        theta in prop::array::uniform2(prop::array::uniform3(-2.0..2.0f64)), t in 0.0..1.0,
    ) {
        let (n, x) = (Vec3::from(n).normalize(), Vec3::from(x));
        let seen = |v: &Vec3| WideVec3::difference(v, &Vec3::zeros());
        let exact = seen(&n).dot(&seen(&x));
        let [theta_t0, theta_t1] = theta.map(Vec3::from);
        let turns = RigidMotion { theta_t0, theta_t1, ..turning(Vec3::zeros()) };
        let still = turning(Vec3::zeros());
        let with_a = RigidQuery::point_point([turns, still], x, Vec3::zeros(), 0.0);
        let with_b = RigidQuery::point_point([still, turns], Vec3::zeros(), x, 0.0);
        for (query, normal, exact) in [(with_a, Normal::WithA(n), exact), (with_b, Normal::WithB(n), -exact)] {
            let motion = Rigid::new(&query);
            let piece = Piece::new(0.0, &motion, normal, t, &motion.at(t));
            let error = (crate::wide::Wide::from(piece.start.gaps.values[0]) - exact).high.abs();
            prop_assert!(error < piece.floor(0.0), "{normal:?}: {error}");
        }
    }

    /// At 10³ to 10⁹ turns the rounding of the rotation vectors is nearly all of the error.
    #[test]
    fn rounding_of_many_turns_is_less_than_the_floor(
        x in prop::array::uniform2(prop::array::uniform3(-1.0..1.0f64)), turns in prop::array::uniform2(-1.0..1.0f64),
        exponent in 3..10i32, t in 0.01..0.99,
    ) {
        let axes = [Vec3::new(0.48, 0.6, 0.64), Vec3::new(-0.6, 0.64, 0.48)];
        let motions = [0, 1].map(|k| turning(axes[k] * (turns[k].signum() * 10f64.powi(exponent))));
        let [a, b] = x.map(|x| Vec3::from(x).normalize());
        let query = RigidQuery::point_point(motions, b, a, 0.0);
        let motion = Rigid::new(&query);
        let piece = Piece::new(0.0, &motion, Normal::Across(a, b), t, &motion.at(t));
        let at = |x: [Vec3; 2]| {
            let query = RigidQuery::point_point(motions, x[0], x[1], 0.0);
            let points = oracle::rigid_points_at(&as_others_see_it(&query), t);
            [points[0].rounded(), points[1].rounded()]
        };
        let ([n_a, n_b], [x_a, x_b]) = (at([a, b]), at([b, a]));
        let exact = n_a.cross(&n_b).dot(&(x_a - x_b));
        let error = (piece.start.gaps.values[0] - exact).abs();
        prop_assert!(error < piece.floor(1.0), "{error}");
    }

    /// Edges that cross at a distance h at any angle.
    #[test]
    fn the_margin_is_the_distance_in_excess_of_d_min(
        angle in 0.3..2.8f64, h in 0.1..1.0f64, share in 0.0..0.9f64, turn in prop::array::uniform3(-2.0..2.0f64),
    ) {
        let (a, b) = (Vec3::x(), Vec3::new(angle.cos(), angle.sin(), 0.0));
        let body = turning(Vec3::zeros());
        let body = RigidMotion { orientation: rotation_vector::exp(&Vec3::from(turn)), ..body };
        let up = Vec3::z() * h;
        let query = RigidQuery::edge_edge([body; 2], [up - a, up + a], [-b, b], share * h);
        let motion = Rigid::new(&query);
        let place = motion.at(0.0);
        let across = Normal::across(&query, &place, &body.point(0.0, &Vec3::z())).unwrap();
        let margin = Piece::new(query.d_min, &motion, across, 0.0, &place).margin();
        prop_assert!((margin - (h - query.d_min)).abs() < 1e-11, "{margin}");
    }

    /// Edges on two cones about one axis, which turn in opposite directions: the cosine is least where both
    /// lean away from each other.
    #[test]
    fn the_cosine_never_falls_below_its_bound(
        angles in prop::array::uniform2(0.0..3.0f64), lean in prop::array::uniform2(0.2..3.0f64),
        ahead in -3.0..3.0f64, tau in 0.1..1.0,
    ) {
        let motions = [turning(Vec3::z() * angles[0]), turning(Vec3::z() * -angles[1])];
        let query = RigidQuery::edge_edge(motions, [Vec3::zeros(), Vec3::x()], [Vec3::zeros(), Vec3::y()], 0.0);
        let motion = Rigid::new(&query);
        let along = |lean: f64, ahead: f64| Vec3::new(lean * ahead.cos(), lean * ahead.sin(), 1.0).normalize();
        let normal = Normal::Across(along(lean[0], 0.0), along(lean[1], ahead));
        let piece = Piece::new(0.0, &motion, normal, 0.0, &motion.at(0.0));
        let least = piece.least_cosine(&piece.at(0.5 * tau), &piece.at(tau), tau);
        for k in 0..=100 {
            let c = piece.at(tau * f64::from(k) / 100.0).cosine.abs();
            prop_assert!(least <= c + 1e-14, "{least} but {c}");
        }
    }

    /// Edges of bodies that turn together, at an obtuse or an acute angle.
    #[test]
    fn a_constant_cosine_is_kept(angle in 0.0..3.0f64, tau in 0.001..0.01) {
        let query = RigidQuery::point_point([turning(Vec3::z()); 2], Vec3::x(), Vec3::y(), 0.0);
        let motion = Rigid::new(&query);
        let normal = Normal::Across(Vec3::x(), Vec3::new(angle.cos(), 0.0, angle.sin()));
        let piece = Piece::new(0.0, &motion, normal, 0.0, &motion.at(0.0));
        let least = piece.least_cosine(&piece.at(0.5 * tau), &piece.at(tau), tau);
        prop_assert!((least - angle.cos().abs()).abs() < 1e-7 || angle.cos().abs() < 1e-7, "{least}");
    }

    /// Edges at an angle of down to 10⁻¹⁶, whose rounded cosine is 1.
    #[test]
    fn the_floor_is_no_lower_than_d_min_times_the_sine(
        a in prop::array::uniform3(-1.0..1.0f64), off in prop::array::uniform3(-1.0..1.0f64), exponent in -16..1i32,
    ) {
        let unit = |x: Vec3| x.try_normalize(1e-3).unwrap_or_else(Vec3::x);
        let a = unit(Vec3::from(a));
        let b = unit(a + Vec3::from(off) * 10f64.powi(exponent));
        let still = turning(Vec3::zeros());
        let query = RigidQuery::edge_edge([still; 2], [Vec3::zeros(), a * 1e-6], [Vec3::zeros(), b * 1e-6], 1.0);
        let motion = Rigid::new(&query);
        let piece = Piece::new(query.d_min, &motion, Normal::Across(a, b), 0.0, &motion.at(0.0));
        let [a, b] = [a, b].map(|x| WideVec3::difference(&x, &Vec3::zeros()));
        let across = a.cross(&b);
        prop_assert!(piece.floor(piece.start.cosine.abs()) >= across.dot(&across).high.sqrt());
    }

    #[test]
    fn remainder_is_that_of_a_cubic(s in 0.0..1.0f64) {
        // A cubic with third derivative 6 deviates from its parabola by s (s − ½)(s − 1).
        let (tau, deviation) = (0.5, (s * (s - 0.5) * (s - 1.0)).abs() / 6.0);
        prop_assert!(deviation * tau * tau * tau <= cubed(tau));
    }
}

/// A centre that passes along the normal: all of 3 V ‖δ‖² is there, and little else.
#[test]
fn the_speed_of_centres_counts_three_times() {
    let (rate, t) = (0.5, 0.5);
    let along = rotation_vector::exp(&(Vec3::z() * (rate * t))) * Vec3::x();
    let moves = RigidMotion::about_axis(
        [-along * t, along * (1.0 - t)],
        UnitQuaternion::identity(),
        Vec3::z() * rate,
    );
    let query = RigidQuery::point_point([moves, turning(Vec3::zeros())], Vec3::zeros(), Vec3::zeros(), 0.0);
    let motion = Rigid::new(&query);
    let normal = Normal::WithA(Vec3::x());
    let h = 1e-3;
    let g = |k: f64| gap(&motion, &normal, t + k * h);
    let third = (g(2.0) - 2.0 * g(1.0) + 2.0 * g(-1.0) - g(-2.0)) / (2.0 * h * h * h);
    let bound = normal.third_derivative(&motion);
    assert!((third.abs() - 3.0 * rate * rate).abs() < 1e-5 && bound >= third.abs() - 1e-5, "{third} {bound}");
}

/// A body that turns about an axis through the origin.
fn turning(delta: Vec3) -> RigidMotion {
    RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), delta)
}

#[test]
fn a_point_stays_above_a_face_that_turns_with_it() {
    let turn = Vec3::new(0.7, -0.4, 0.2);
    let corners = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, -1.0, 0.0), Vec3::new(-1.0, 2.0, 0.0)];
    for (gap, is_free) in [(1e-3, true), (1e-9, true), (-1e-9, false)] {
        let point = Vec3::new(0.1, 0.1, gap);
        let query = RigidQuery::point_triangle([turning(turn); 2], point, corners, 0.0);
        // The body of the point starts a little above and comes down.
        let mut falling = query;
        let up = query.motion_a.point(1.0, &Vec3::z());
        falling.motion_a.position_t0 = 0.5 * up;
        assert_eq!(rigid(&falling, 1.0, &LIMITS).unwrap().is_free(), is_free, "{gap}");
    }
}

#[test]
fn edges_turn_beside_each_other() {
    let edge = |z: f64, along: Vec3| [Vec3::z() * z - along, Vec3::z() * z + along];
    let ([a_0, a_1], [b_0, b_1]) =
        (edge(1e-8, Vec3::new(1.0, 0.3, 0.0)), edge(0.0, Vec3::new(0.2, 1.0, 0.0)));
    for d_min in [0.0, 0.5e-8, 1.1e-8] {
        let motions = [turning(Vec3::new(0.3, 0.5, 0.4)); 2];
        let query = RigidQuery::edge_edge(motions, [a_0, a_1], [b_0, b_1], d_min);
        let answer = rigid(&query, 1.0, &LIMITS).unwrap();
        assert_eq!(answer.is_free(), d_min < 1e-8, "{d_min}: {answer:?}");
    }
}

/// An edge rolls on a cylinder of radius h about the other: the distance stays h, along a normal that turns by 2 rad.
#[test]
fn an_edge_rolls_around_another() {
    let rolling = RigidMotion { theta_t0: -Vec3::y(), theta_t1: Vec3::y(), ..turning(Vec3::zeros()) };
    for h in [1e-6, -1e-6] {
        for d_min in [0.0, 0.5e-6, 1.1e-6] {
            let a = [Vec3::new(-1.0, 0.0, h), Vec3::new(2.0, 0.0, h)];
            let b = [Vec3::y() * -1.0, Vec3::y() * 2.0];
            let query = RigidQuery::edge_edge([rolling, turning(Vec3::zeros())], a, b, d_min);
            let answer = rigid(&query, 1.0, &LIMITS).unwrap();
            assert_eq!(answer.is_free(), d_min < 1e-6, "{d_min}: {answer:?}");
        }
    }
}

/// Edges at rest that cross at a distance of 1: a margin within rounding is none.
#[test]
fn a_margin_within_rounding_does_not_follow_the_length() {
    let mut motions = [turning(Vec3::zeros()); 2];
    (motions[0].position_t0, motions[0].position_t1) = (Vec3::z(), Vec3::z());
    let query = RigidQuery::edge_edge(motions, [Vec3::zeros(), Vec3::x()], [Vec3::zeros(), Vec3::y()], 0.0);
    let motion = Rigid::new(&query);
    let exceeds = |share: f64| {
        let normal = Normal::Across(Vec3::x(), Vec3::y());
        let piece = Piece::new(1.0 - share, &motion, normal, 0.0, &motion.at(0.0));
        piece.exceeds_every_floor(&piece.at(0.25), &piece.at(0.5), 0.5)
    };
    assert!(exceeds(1e-9) && !exceeds(8.0 * U));
}
