//! The elastic energy of bonds and attachments.

use std::f64::consts::{PI, TAU};

use rigor_geometry::dihedral;
use rigor_math::{Mat3, Vec3};

use crate::attachment::Attachment;
use crate::bond::{Bond, BondKind, Law, Material};
use crate::scene::Scene;
use crate::state::State;

/// Returns the elastic energy (J): Σ C²/(2α) over bonds and attachments with α > 0, Σ V Ψ(F) over tetrahedra.
///
/// Rigid bonds and attachments store none.
pub fn energy(scene: &Scene, state: &State) -> f64 {
    let of_bonds: f64 = scene.bonds.iter().map(|bond| of_bond(scene, state, bond)).sum();
    let attachments = scene.attachments.iter().filter(|a| a.compliance > 0.0);
    let of_attachments: f64 =
        attachments.map(|a| 0.5 * attachment_gap(a, state).norm_squared() / a.compliance).sum();
    of_bonds + of_attachments
}

/// Returns x − p (m, world), from the point of the body to the particle attached to it.
pub fn attachment_gap(attachment: &Attachment, state: &State) -> Vec3 {
    let point = state.bodies[attachment.body.0].pose.point(&attachment.point_local);
    state.particles[attachment.particle.0].position - point
}

/// Returns the elastic energy of one bond (J).
pub fn of_bond(scene: &Scene, state: &State, bond: &Bond) -> f64 {
    let x = |k: usize| state.particles[bond.particles[k].0].position;
    if let BondKind::Tetrahedron { material, inverse_rest, volume } = &bond.kind {
        let d = Mat3::from_columns(&[x(1) - x(0), x(2) - x(0), x(3) - x(0)]);
        return volume * density(material, &(d * inverse_rest));
    }
    if let BondKind::QuadraturePoint { material, gradients, volume } = &bond.kind {
        let f = (1..10).map(|k| (x(k) - x(0)) * gradients[k].transpose()).sum();
        return volume * density(material, &f);
    }
    if bond.compliance == 0.0 {
        return 0.0;
    }
    let value_sq = match &bond.kind {
        BondKind::Distance { rest } => square((x(0) - x(1)).norm() - rest),
        BondKind::Bending { rest } => {
            let difference = dihedral::angle(&[x(0), x(1), x(2), x(3)]) - rest;
            square(difference - TAU * ((difference - PI) / TAU).ceil())
        }
        BondKind::Volume { rest } => {
            square((x(1) - x(0)).dot(&(x(2) - x(0)).cross(&(x(3) - x(0)))) / 6.0 - rest)
        }
        BondKind::Shape { rest } => misfit_sq(scene, state, bond, rest),
        BondKind::Tetrahedron { .. } | BondKind::QuadraturePoint { .. } => {
            unreachable!("elements have no compliance")
        }
    };
    0.5 * value_sq / bond.compliance
}

/// Returns the energy density Ψ(F) (Pa), 0 at rest.
///
/// The neo-Hookean energy minus its value at rest is μ/2 (tr FᵀF − 3) − μ (J − 1) + λ/2 (J − 1)², J = det F. Its
/// λ is Lamé's plus μ.
fn density(material: &Material, f: &Mat3) -> f64 {
    let &Material { law, lambda, mu } = material;
    match law {
        Law::NeoHookean => {
            let dilation = f.determinant() - 1.0;
            0.5 * mu * (f.norm_squared() - 3.0) - mu * dilation + 0.5 * lambda * dilation * dilation
        }
        Law::StVenantKirchhoff => {
            let strain = 0.5 * (f.transpose() * f - Mat3::identity());
            mu * strain.norm_squared() + 0.5 * lambda * square(strain.trace())
        }
    }
}

/// Returns min over R, t of Σ (mᵢ/m̄) ‖xᵢ − R x̄ᵢ − t‖² (m²), where m̄ is the mean mass and a pinned particle
/// counts as one of mean mass.
///
/// With both sides relative to their centres and the singular values σ of Σ (mᵢ/m̄) xᵢ x̄ᵢᵀ, this is Σ
/// (mᵢ/m̄)(‖xᵢ‖² + ‖x̄ᵢ‖²) − 2 (σ₁ + σ₂ ± σ₃), with the sign of the determinant.
fn misfit_sq(scene: &Scene, state: &State, bond: &Bond, rest: &[Vec3]) -> f64 {
    let masses = || bond.particles.iter().map(|id| scene.particles[id.0].mass);
    let (n, total) =
        masses().filter(|m| m.is_finite()).fold((0.0, 0.0), |(n, total), mass| (n + 1.0, total + mass));
    let weights: Vec<f64> = masses().map(|m| if m.is_finite() { m * n / total } else { 1.0 }).collect();
    let centred = |points: Vec<Vec3>| {
        let centre =
            points.iter().zip(&weights).map(|(x, w)| x * *w).sum::<Vec3>() / weights.iter().sum::<f64>();
        points.into_iter().map(|x| x - centre).collect::<Vec<_>>()
    };
    let x = centred(bond.particles.iter().map(|id| state.particles[id.0].position).collect());
    let rest = centred(rest.to_vec());
    let mut squares = 0.0;
    let mut a = Mat3::zeros();
    for ((x, rest), w) in x.iter().zip(&rest).zip(&weights) {
        squares += w * (x.norm_squared() + rest.norm_squared());
        a += *w * x * rest.transpose();
    }
    if !a.iter().all(|c| c.is_finite()) {
        return f64::NAN;
    }
    let mut sigma = a.singular_values();
    sigma.as_mut_slice().sort_by(f64::total_cmp);
    let aligned = sigma[2] + sigma[1] + sigma[0] * a.determinant().signum();
    (squares - 2.0 * aligned).max(0.0)
}

fn square(x: f64) -> f64 {
    x * x
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, rotation_vector};

    use super::*;
    use crate::{BodyId, BodySpec, PartKind, Particle, ParticleId, PlacedShape};

    /// Returns the energy of one bond between particles at `x`, with masses 1, 2, ….
    fn held(kind: BondKind, compliance: f64, x: &[Vec3]) -> f64 {
        let mut scene = Scene::default();
        let masses = [1.0, 2.0, 3.0, 4.0];
        scene.particles = x.iter().zip(masses).map(|(x, m)| Particle::new(m, *x)).collect();
        let particles = (0..x.len()).map(ParticleId).collect();
        scene.bonds = vec![Bond { kind, particles, compliance }];
        energy(&scene, &State::initial(&scene))
    }

    const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn corners(f: &Mat3) -> [Vec3; 4] {
        CORNERS.map(|x| f * Vec3::from(x))
    }

    fn tetrahedron(law: Law, f: &Mat3) -> f64 {
        let material = Material { law, lambda: 3.0, mu: 2.0 };
        let kind = BondKind::Tetrahedron { material, inverse_rest: Mat3::identity(), volume: 0.5 };
        held(kind, 0.0, &corners(f))
    }

    #[test]
    fn springs_hold_half_of_c_squared_over_alpha() {
        let x = corners(&Mat3::identity());
        assert_eq!(held(BondKind::Distance { rest: 0.5 }, 0.25, &x[..2]), 0.5);
        assert_eq!(held(BondKind::Distance { rest: 0.5 }, 0.0, &x[..2]), 0.0, "what is rigid holds none");
        assert!((held(BondKind::Volume { rest: 0.0 }, 0.5, &x) - 1.0 / 36.0).abs() < 1e-17);
        // The faces z = 0 and y = 0 meet at a right angle along x.
        let bend = held(BondKind::Bending { rest: 0.0 }, 2.0, &x);
        assert!((bend - 0.25 * square(PI / 2.0)).abs() < 1e-15);
        let turned = held(BondKind::Bending { rest: PI / 2.0 }, 2.0, &x);
        assert!(turned.min((turned - 0.25 * PI * PI).abs()) < 1e-15, "folded one way or the other: {turned}");
    }

    #[test]
    fn attachments_hold_half_of_the_gap_squared_over_alpha() {
        let mesh = rigor_shapes::Cuboid::new(Vec3::repeat(2.0)).mesh().unwrap();
        let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
        let cube = BodySpec { pose: Pose::translation(Vec3::x()), ..BodySpec::new("a", vec![shape]) };
        let mut scene = Scene { bodies: vec![cube.build().unwrap()], ..Scene::default() };
        scene.particles = vec![Particle::new(1.0, Vec3::x() * 4.0)];
        let attach = |compliance| Attachment {
            particle: ParticleId(0),
            body: BodyId(0),
            point_local: Vec3::x(),
            compliance,
        };
        scene.attachments = vec![attach(0.5), attach(0.0)];
        assert_eq!(energy(&scene, &State::initial(&scene)), 4.0);
    }

    #[test]
    fn tetrahedra_hold_the_energy_of_their_law() {
        let stretched = Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 1.0));
        // μ/2 (6 − 3) − μ (2 − 1) + λ/2; E = diag(3/2, 0, 0).
        assert!((tetrahedron(Law::NeoHookean, &stretched) - 0.5 * (3.0 - 2.0 + 1.5)).abs() < 1e-15);
        assert!((tetrahedron(Law::StVenantKirchhoff, &stretched) - 0.5 * (2.0 + 1.5) * 2.25).abs() < 1e-15);
        for law in [Law::NeoHookean, Law::StVenantKirchhoff] {
            assert_eq!(tetrahedron(law, &Mat3::identity()), 0.0);
            let turned = rotation_vector::exp(&Vec3::new(1.0, 2.0, 3.0)).to_rotation_matrix();
            assert!(tetrahedron(law, turned.matrix()).abs() < 1e-14);
        }
    }

    /// Returns Ψ (Pa) of diag(a, b, b) with the law's E = 2 Pa and this ν.
    fn uniaxial(law: Law, poisson: f64, a: f64, b: f64) -> f64 {
        density(&Material::from_young(law, 2.0, poisson), &Mat3::from_diagonal(&Vec3::new(a, b, b)))
    }

    /// Ψ = ½ A u² + B u v + ½ C v² for strains u along and v across, with E = A − B²/C and ν = B/C.
    #[test]
    fn small_strains_have_the_moduli_of_the_scene() {
        for law in [Law::NeoHookean, Law::StVenantKirchhoff] {
            for poisson in [-0.9, -0.5, -0.1, 0.0, 0.1, 0.125, 0.25, 0.3, 0.45, 0.49] {
                let h = 1e-3;
                let psi = |u: f64, v: f64| uniaxial(law, poisson, 1.0 + u * h, 1.0 + v * h) / (h * h);
                let a = psi(1.0, 0.0) + psi(-1.0, 0.0);
                let c = psi(0.0, 1.0) + psi(0.0, -1.0);
                let b = 0.25 * (psi(1.0, 1.0) + psi(-1.0, -1.0) - psi(1.0, -1.0) - psi(-1.0, 1.0));
                let (young, found) = (a - b * b / c, b / c);
                assert!((young / 2.0 - 1.0).abs() < 1e-4, "{law:?}, ν = {poisson}: E = {young} Pa");
                assert!((found - poisson).abs() < 1e-4, "{law:?}, ν = {poisson}: found {found}");
            }
        }
    }

    /// Neo-Hookean: b² = (1 + μ/λ (1 − 1/a))/a, T = μ (a − b²/a). St. Venant–Kirchhoff: b² = 1 − ν (a² − 1),
    /// T = ½ E a (a² − 1). Both follow from ∂Ψ/∂b = 0.
    #[test]
    fn uniaxial_tension_has_its_closed_form() {
        let (young, h) = (2.0, 1e-5);
        for (poisson, a) in
            [(-0.4, 0.95), (-0.4, 1.2), (0.0, 1.5), (0.2, 0.8), (0.3, 1.3), (0.45, 0.7), (0.49, 2.0)]
        {
            let mu = young / (2.0 * (1.0 + poisson));
            let share = mu / (young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) + mu);
            let rubber_sq = (1.0 + share * (1.0 - 1.0 / a)) / a;
            let steel_sq = 1.0 - poisson * (a * a - 1.0);
            let forms = [
                (Law::NeoHookean, rubber_sq, mu * (a - rubber_sq / a)),
                (Law::StVenantKirchhoff, steel_sq, 0.5 * young * a * (a * a - 1.0)),
            ];
            for (law, b_sq, force) in forms {
                if b_sq <= 0.0 {
                    continue;
                }
                let b = f64::sqrt(b_sq);
                let psi = |a: f64, b: f64| uniaxial(law, poisson, a, b);
                let across = (psi(a, b + h) - psi(a, b - h)) / (2.0 * h);
                let along = (psi(a + h, b) - psi(a - h, b)) / (2.0 * h);
                assert!(across.abs() < 1e-7, "{law:?}, ν = {poisson}, a = {a}: {across} Pa across");
                assert!(
                    (along - force).abs() < 1e-7,
                    "{law:?}, ν = {poisson}, a = {a}: {along} Pa, not {force}"
                );
            }
        }
    }

    #[test]
    fn a_shape_holds_what_the_best_fit_leaves() {
        let rest = corners(&Mat3::identity()).to_vec();
        let turned = rotation_vector::exp(&Vec3::new(1.0, 2.0, 3.0)).to_rotation_matrix();
        let shape = || BondKind::Shape { rest: rest.clone() };
        assert!(held(shape(), 0.5, &corners(turned.matrix())) < 1e-14);
        // A uniform stretch by s about the centre leaves (s − 1)² Σ μ‖x̄‖², μ = m/2.5.
        let centre = Vec3::new(0.2, 0.3, 0.4);
        let inertia: f64 = (0..4).map(|k| (k + 1) as f64 / 2.5 * (rest[k] - centre).norm_squared()).sum();
        let stretched = held(shape(), 0.5, &corners(&(Mat3::identity() * 1.5)));
        assert!((stretched - 0.25 * inertia).abs() < 1e-14, "{stretched} {inertia}");
    }
}
