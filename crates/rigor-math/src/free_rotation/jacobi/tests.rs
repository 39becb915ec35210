#![allow(clippy::excessive_precision, reason = "references as a program of 50 digits printed them")]

use super::*;
use crate::{elementary, inertia};
use proptest::prelude::*;

/// Moments, ω(0), h, and q(h) (w, x, y, z) and ω(h) in the frame of the body, from q(0) = 1: Taylor series of 48 terms of
/// q̇ = ½ q ω and Euler's equations in numbers of 50 digits, at most 0.5 rad per step.
type Reference = ([f64; 3], [f64; 3], f64, [f64; 4], [f64; 3]);
const REFERENCES: [Reference; 13] = [
    (
        [1.0, 2.0, 3.0],
        [0.4, 5.0, 0.3],
        2.0,
        [0.11193139831731279261, 0.18646533884352096823, -0.39753360825247321782, -0.89144212924366051349],
        [-4.0594015106485413938, -2.9463976947018438928, 2.3515059447550952973],
    ),
    (
        [3.0, 1.0, 2.0],
        [0.4, 0.5, -3.0],
        4.0,
        [0.1708231467759852169, -0.63119505460014156687, 0.74474851160396010613, 0.13327381602385600168],
        [0.63833331883463533361, -0.99619690714402470069, 2.8736025685881963013],
    ),
    (
        [2.0, 1.0, 3.0],
        [5.0, 0.001, 0.001],
        3.0,
        [0.27230654536235715964, 0.73664309208495354994, 0.47609693911611865998, 0.39564858751245399699],
        [1.1688828713164417687, 4.8614518235958104198, 2.8067606377663100512],
    ),
    (
        [1.0, 2.0, 3.0],
        [-1.0, 0.3, -2.0],
        -4.0,
        [-0.46858509439289418496, -0.19745239336826399885, -0.12936548807193277652, -0.85129614833021381431],
        [-0.2974416933186851712, -1.0007639277450567815, -1.9225392549892868844],
    ),
    (
        [1e-09, 0.001, 0.002],
        [1.0, 1.0, 1.0],
        0.05,
        [0.99887439402504508614, -0.036071627858982690172, 0.01269703788953055294, 0.028063639349411952223],
        [368.90521847796321104, 0.85312368133202859197, 1.0334626079665905249],
    ),
    (
        [1e-09, 0.001, 0.002],
        [1000.0, 1.0, 0.001],
        0.02,
        [
            0.089943318109583722987,
            -0.99591752636137422867,
            0.00066865241497693863612,
            0.007617947074352939714,
        ],
        [1007.8166441424293235, -0.98418049120746757774, 0.088589989604130250462],
    ),
    (
        [1e-09, 0.002, 0.0020000001],
        [300.0, 1.0, 2.0],
        0.02,
        [
            -0.98974463420838822221,
            0.14108735722082416816,
            -0.0070768465712661878731,
            -0.021209312359294135378,
        ],
        [300.00013982360867583, 0.40132098157028589408, 2.1997593927194175216],
    ),
    (
        [1.0, 1.0000001, 2.0],
        [3.0, 1.0, 4.0],
        5.0,
        [0.50615573272078786789, -0.10700685039258752307, -0.13401009328608031394, -0.84522020982723596795],
        [0.31130762687896480855, 3.1469171519833623129, 3.999999944355696757],
    ),
    (
        [2.0, 1.0, 1.000001],
        [0.01, 2.0, -1.0],
        6.0,
        [0.91062094522996347181, -0.023641947009432401812, 0.3743807814717550302, -0.17334815520993888766],
        [0.010005715875676891038, 2.0563803492699460755, -0.87823678990132603577],
    ),
    (
        [0.017, 0.17, 0.1625],
        [1.0, 200.0, 3.0],
        0.3,
        [
            0.15747585355758539238,
            0.00014265515243579869393,
            -0.98748905304494813545,
            -0.0081673320129042878537,
        ],
        [2.260126785443702826, 200.01992364708917506, 0.48221012769294453827],
    ),
    (
        [0.3, 0.2, 0.1],
        [-2.0, -2.0, -2.0],
        40.0,
        [0.16051220154184398136, -0.9659084040619278493, -0.1612194927069857612, 0.12355186477763962673],
        [-2.1785029816961298281, 1.3275444535770604467, 2.4975239185594967371],
    ),
    (
        [1.0, 2.0, 3.0],
        [1e-06, 5.0, 1e-06],
        12.0,
        [
            -2.547189400761510193e-7,
            0.36043013787202978895,
            -2.9697188858834487842e-8,
            -0.93278621115102459151,
        ],
        [1.7804852553759600658e-6, -4.9999999999997829872, 1.3127741294184613782e-6],
    ),
    (
        [1e-09, 0.001, 0.002],
        [0.0, 0.01, 1.0],
        0.05,
        [
            0.99968421672207575181,
            -0.0025623816237749533714,
            0.000062682167316177182373,
            0.024997942077897547945,
        ],
        [-7.0688123905769355485, -0.0002526514234287873148, 1.0000124919366370259],
    ),
];

/// How far (rad) two orientations are apart.
fn angle(a: &UnitQuaternion, b: &UnitQuaternion) -> f64 {
    rotation_vector::log(&(b * a.inverse())).norm()
}

/// |L| and the kinetic energy.
fn invariants(moments: &Vec3, q: &UnitQuaternion, omega: &Vec3) -> (Vec3, f64) {
    let local = q.inverse_transform_vector(omega);
    (q * moments.component_mul(&local), 0.5 * moments.component_mul(&local).dot(&local))
}

#[test]
fn a_flight_is_that_of_fifty_digits() {
    for (moments, omega, h, q, omega_end) in REFERENCES {
        let (moments, omega, end) = (Vec3::from(moments), Vec3::from(omega), Vec3::from(omega_end));
        let exact = UnitQuaternion::new_unchecked(Quaternion::new(q[0], q[1], q[2], q[3]));
        let (q, omega_h) = fly(&UnitQuaternion::identity(), &omega, &moments, h);
        let off = angle(&q, &exact);
        assert!(off < 1e-11, "{moments:?} {omega:?}: orientation {off:e}");
        let faster = (omega_h - exact * end).norm() / end.norm();
        assert!(faster < 1e-11, "{moments:?} {omega:?}: angular velocity {faster:e}");
    }
}

fn moments() -> impl Strategy<Value = Vec3> {
    let moment = prop_oneof![0.1..3.0_f64, Just(1.0), 1.0..1.000_001_f64, (-9.0..0.0_f64).prop_map(power)];
    [moment.clone(), moment.clone(), moment].prop_map(Vec3::from)
}

/// Of one order of magnitude, equal or nearly equal: the state between two flights rounds ω, which L magnifies by their ratio.
fn like_bodies() -> impl Strategy<Value = Vec3> {
    let moment = prop_oneof![0.1..3.0_f64, Just(1.0), 1.0..1.000_001_f64];
    [moment.clone(), moment.clone(), moment].prop_map(Vec3::from)
}

fn power(exponent: f64) -> f64 {
    elementary::exp(exponent * std::f64::consts::LN_10)
}

fn spin() -> impl Strategy<Value = Vec3> {
    let component = prop_oneof![-3.0..3.0_f64, Just(0.0), (-9.0..0.0_f64).prop_map(power)];
    [component.clone(), component.clone(), component].prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

    #[test]
    fn momentum_and_energy_are_kept_at_any_turn(
        a in spin(), moments in moments(), omega in spin(), turns in prop_oneof![0.0..1.0_f64, 0.0..100.0_f64],
    ) {
        let q = rotation_vector::exp(&a);
        let (l, energy) = invariants(&moments, &q, &omega);
        let h = turns * std::f64::consts::TAU / omega.norm().max(1e-300);
        let (q, after) = fly(&q, &omega, &moments, h);
        let (l_after, energy_after) = invariants(&moments, &q, &after);
        // A state keeps ω with a rounding error of |ω|, and L with this times the largest moment.
        let rounding = 4e-15 * omega.norm().max(after.norm());
        prop_assert!((l_after - l).norm() <= 1e-14 * l.norm() + rounding * moments.max(), "{} {}", l, l_after);
        let slack = 1e-14 * energy + rounding * l.norm();
        prop_assert!((energy_after - energy).abs() <= slack, "{} {}", energy, energy_after);
    }

    /// Two flights in a row are one; the second begins with what rounding made of the first.
    #[test]
    fn two_flights_are_one(a in spin(), moments in like_bodies(), omega in spin(), turns in 0.0..10.0_f64, part in 0.0..1.0_f64) {
        let start = rotation_vector::exp(&a);
        let h = turns * std::f64::consts::TAU / omega.norm().max(1e-300);
        let (whole, omega_whole) = fly(&start, &omega, &moments, h);
        let (middle, between) = fly(&start, &omega, &moments, part * h);
        let (q, after) = fly(&middle, &between, &moments, h - part * h);
        // By how much an error of one part in 10¹³ of the start grows. One of 10⁻⁹ also leaves an unstable rotation on which
        // the smaller one is rounding.
        let grows = |e: Vec3, error: f64| {
            let (q, after) = fly(&start, &(omega + error * omega.norm() * e), &moments, h);
            (angle(&q, &whole) + (after - omega_whole).norm() / omega_whole.norm())
                * (omega_whole.norm().max(between.norm()) / omega.norm()).max(1.0)
        };
        let grown = [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| grows(e, 1e-13).max(1e-4 * grows(e, 1e-9)));
        // By how much one of where the second flight begins grows: on the way, rounding may decide when the body tumbles again.
        let resumed = |e: Vec3| {
            let nudged = between + 1e-13 * between.norm() * e;
            let (end, _) = fly(&middle, &nudged, &moments, h - part * h);
            angle(&end, &q)
        };
        let again = [Vec3::x(), Vec3::y(), Vec3::z()].map(resumed);
        let grown = grown.into_iter().chain(again).fold(0.0, f64::max);
        // A body that tumbles away from an unstable rotation may do so at any time.
        prop_assume!(grown < 1e-9);
        let slack = 1e-12 * (1.0 + turns) + 30.0 * grown;
        prop_assert!(angle(&q, &whole) <= slack, "{} {slack:e}", angle(&q, &whole));
        prop_assert!((after - omega_whole).norm() <= slack * omega_whole.norm(), "{after} {omega_whole}");
    }

    #[test]
    fn a_flight_is_finite_and_a_rotation(moments in moments(), omega in spin(), h in -1e6..1e6_f64) {
        let (q, omega) = fly(&UnitQuaternion::identity(), &omega, &moments, h);
        prop_assert!((q.norm() - 1.0).abs() < 1e-15 && omega.iter().all(|c| c.is_finite()));
    }
}

/// The splitting converges to the closed form with order two, about either axis.
#[test]
fn the_symplectic_step_converges_to_the_flight() {
    let moments = Vec3::new(2.0, 1.0, 3.0);
    for omega in [Vec3::new(0.3, 0.2, 4.0), Vec3::new(0.3, -4.0, 0.1), Vec3::new(4.0, 0.2, 0.1)] {
        let (exact, _) = fly(&UnitQuaternion::identity(), &omega, &moments, 1.0);
        let momentum = inertia::angular_momentum(&moments, &UnitQuaternion::identity(), &omega);
        let error = |n: u32| {
            let step = |q, _| super::super::step(&q, &momentum, &moments, 1.0 / f64::from(n)).0;
            angle(&(0..n).fold(UnitQuaternion::identity(), step), &exact)
        };
        let ratio = error(512) / error(1024);
        assert!((3.9..4.1).contains(&ratio), "{omega:?}: {ratio}");
    }
}

#[test]
fn a_rotation_about_one_axis_alone_stays_and_so_does_rest() {
    let moments = Vec3::new(1e-9, 2.0, 3.0);
    for omega in [Vec3::x(), 1e3 * Vec3::y(), -Vec3::z(), Vec3::zeros()] {
        let (q, after) = fly(&UnitQuaternion::identity(), &omega, &moments, 50.0);
        assert_eq!(after, omega);
        assert!(angle(&q, &rotation_vector::exp(&(50.0 * omega))) < 1e-14);
    }
}

#[test]
fn what_is_no_number_stays_none() {
    for bad in [f64::NAN, f64::INFINITY] {
        let omega = Vec3::new(1.0, bad, 2.0);
        let (_, after) = fly(&UnitQuaternion::identity(), &omega, &Vec3::new(1.0, 2.0, 3.0), 1.0);
        assert!(!after.iter().all(|c| c.is_finite()));
    }
}

#[test]
fn what_turns_about_the_middle_axis_up_to_noise_turns_uniformly() {
    // Rounding noise of planar motion: squares of it are lost beside 1.
    for moments in
        [Vec3::new(2.7e-4, 0.057895, 0.057908), Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0 + 1e-7, 2.0)]
    {
        for noise in [1e-99, 1e-60, 1e-40, 1e-33, 1e-31, 1e-29, 1e-25, 1e-21, 1e-19] {
            for (a, b) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.3), (0.7, -0.7)] {
                for (spin, h) in [(0.2, 1e-4), (-3.0, 1e-2), (1.0, 1.0), (30.0, -0.1)] {
                    let q = rotation_vector::exp(&Vec3::new(0.0, 1e-4, 0.0));
                    let omega = q * Vec3::new(noise * a, spin, noise * b);
                    let (end, after) = fly(&q, &omega, &moments, h);
                    let exact = rotation_vector::exp(&(h * omega)) * q;
                    assert!(end.angle_to(&exact) < 1e-13, "{noise:e} {spin} {h}: {}", end.angle_to(&exact));
                    assert!((after - omega).norm() < 1e-13 * spin.abs(), "{after}");
                }
            }
        }
    }
}

#[test]
fn noise_about_the_middle_axis_grows_into_a_flip() {
    // σ = ω √((2 − 1)(3 − 2)/(1 · 3)): after ln(10³⁰)/σ the noise has turned the body over.
    let moments = Vec3::new(1.0, 2.0, 3.0);
    let omega = Vec3::new(1e-30, 5.0, 1e-30);
    let sigma = 5.0 / 3.0_f64.sqrt();
    let flips = 30.0 * std::f64::consts::LN_10 / sigma;
    let local = |h: f64| {
        let (q, omega) = fly(&UnitQuaternion::identity(), &omega, &moments, h);
        q.inverse_transform_vector(&omega)
    };
    assert!((local(0.7 * flips) - omega).norm() < 1e-8);
    assert!(local(1.2 * flips).y < 0.0, "{}", local(1.2 * flips));
    // In many short flights as in one.
    let (mut q, mut many) = (UnitQuaternion::identity(), omega);
    for _ in 0..200 {
        (q, many) = fly(&q, &many, &moments, 0.9 * flips / 200.0);
    }
    let once = local(0.9 * flips);
    let many = q.inverse_transform_vector(&many);
    assert!((many - once).norm() < 5e-2 * (once - omega).norm(), "{many} {once}");
}
