//! Bonds of a scene in solving order, with one table per kind.

use std::collections::BTreeMap;
use std::ops::Range;

use rigor_math::Vec3;
use rigor_scene::{Bond, BondFault, BondKind, Feature, Law, Material, Scene, StepError};

use crate::elastic::bond::{
    Bending, Constraint, DihedralAngle, Distance, Element, NeoHookean, Shape, SixthOfTriple,
    StVenantKirchhoff, Violation, Volume,
};
use crate::particle::SolverParticle;

/// Least strain at time 0 of a bond that counts as taut: above the rounding of lengths that scene files give.
const TAUT: f64 = 1e-6;

/// Consecutive bonds of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub kind: Kind,
    pub slot: Slot,
    pub range: Range<usize>,
}

/// Colour of a bond, and whether it can be solved alongside its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Slot {
    pub colour: usize,
    /// Whether [`LANES`](crate::elastic::bond::LANES) bonds of its run, counted from the run's first, share
    /// no movable particle.
    pub apart: bool,
}

/// The kinds of bonds, one per table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Distance,
    Bending,
    Volume,
    NeoHookean,
    StVenantKirchhoff,
    QuadraticNeoHookean,
    QuadraticStVenantKirchhoff,
    Shape,
}

/// Tables of bonds.
#[derive(Debug, Default)]
pub(crate) struct BondSet {
    pub distance: Vec<Distance>,
    pub bending: Vec<Bending>,
    pub volume: Vec<Volume>,
    pub neo_hookean: Vec<NeoHookean<4>>,
    pub st_venant_kirchhoff: Vec<StVenantKirchhoff<4>>,
    pub quadratic_neo_hookean: Vec<NeoHookean<10>>,
    pub quadratic_st_venant_kirchhoff: Vec<StVenantKirchhoff<10>>,
    pub shape: Vec<Shape>,
}

/// Evaluates `$body` with `$table` bound to the table of `$kind`.
macro_rules! with_table {
    ($set:expr, $kind:expr, $table:ident => $body:expr) => {
        match $kind {
            $crate::elastic::bond_set::Kind::Distance => {
                let $table = &mut $set.distance;
                $body
            }
            $crate::elastic::bond_set::Kind::Bending => {
                let $table = &mut $set.bending;
                $body
            }
            $crate::elastic::bond_set::Kind::Volume => {
                let $table = &mut $set.volume;
                $body
            }
            $crate::elastic::bond_set::Kind::NeoHookean => {
                let $table = &mut $set.neo_hookean;
                $body
            }
            $crate::elastic::bond_set::Kind::StVenantKirchhoff => {
                let $table = &mut $set.st_venant_kirchhoff;
                $body
            }
            $crate::elastic::bond_set::Kind::QuadraticNeoHookean => {
                let $table = &mut $set.quadratic_neo_hookean;
                $body
            }
            $crate::elastic::bond_set::Kind::QuadraticStVenantKirchhoff => {
                let $table = &mut $set.quadratic_st_venant_kirchhoff;
                $body
            }
            $crate::elastic::bond_set::Kind::Shape => {
                let $table = &mut $set.shape;
                $body
            }
        }
    };
}
pub(crate) use with_table;

impl BondSet {
    /// Resets λ to 0.
    pub fn reset(&mut self) {
        for kind in Kind::ALL {
            with_table!(self, kind, table => table.iter_mut().for_each(Constraint::reset));
        }
    }

    /// Returns the maximum violation of the bonds.
    pub fn violation(&mut self, particles: &[SolverParticle], per_h_sq: f64) -> Violation {
        let mut worst = Violation::default();
        for kind in Kind::ALL {
            with_table!(self, kind, table => for bond in table.iter() {
                worst = worst.max(bond.violation(particles, per_h_sq));
            });
        }
        worst
    }

    /// Returns the largest residual of the bonds, and the particles of that bond.
    pub fn worst(&mut self, particles: &[SolverParticle], per_h_sq: f64) -> (f64, Vec<u32>) {
        let mut worst = (0.0, None);
        for kind in Kind::ALL {
            with_table!(self, kind, table => for (at, bond) in table.iter().enumerate() {
                let residual = bond.violation(particles, per_h_sq).residual;
                if residual > worst.0 {
                    worst = (residual, Some((kind, at)));
                }
            });
        }
        let of = |(kind, at): (Kind, usize)| with_table!(self, kind, table => table[at].particles().to_vec());
        (worst.0, worst.1.map(of).unwrap_or_default())
    }

    /// Returns the largest residual of an element relative to the largest strain of the elements with which bonds connect it, if the residual is
    /// larger than `least`, and the particles of that element. `first` is that of [`Groups`](crate::elastic::spin::Groups).
    pub fn strain_error(
        &mut self,
        particles: &[SolverParticle],
        per_h_sq: f64,
        least: f64,
        first: &[u32],
    ) -> (f64, Vec<u32>) {
        let mut strains: BTreeMap<u32, f64> = BTreeMap::new();
        let mut residuals = Vec::new();
        for kind in Kind::ELEMENTS {
            with_table!(self, kind, table => for (at, bond) in table.iter().enumerate() {
                let Violation { error, residual, .. } = bond.violation(particles, per_h_sq);
                let group = first[bond.particles()[0] as usize];
                let strain = strains.entry(group).or_default();
                *strain = strain.max(error);
                if residual > least {
                    residuals.push((residual, group, kind, at));
                }
            });
        }
        let mut worst = (0.0, None);
        for (residual, group, kind, at) in residuals {
            let error = residual / strains[&group];
            if error > worst.0 {
                worst = (error, Some((kind, at)));
            }
        }
        let of = |(kind, at): (Kind, usize)| with_table!(self, kind, table => table[at].particles().to_vec());
        (worst.0, worst.1.map(of).unwrap_or_default())
    }

    /// Returns the largest [`Distance::tension_error`], and the particles of that bond.
    pub fn tension_error(&self, particles: &[SolverParticle], per_h_sq: f64) -> (f64, [u32; 2]) {
        let errors =
            self.distance.iter().map(|bond| (bond.tension_error(particles, per_h_sq), bond.particles));
        errors.fold((0.0, [0, 0]), |worst, error| if error.0 > worst.0 { error } else { worst })
    }

    /// Returns the number of elements that are turned inside out, and the particles of the first.
    pub fn inverted(&mut self, particles: &[SolverParticle]) -> (usize, Vec<u32>) {
        let (mut n, mut first) = (0, Vec::new());
        for kind in Kind::ALL {
            with_table!(self, kind, table => for bond in table.iter().filter(|bond| bond.is_inverted(particles)) {
                if n == 0 {
                    first = bond.particles().to_vec();
                }
                n += 1;
            });
        }
        (n, first)
    }

    /// Returns the stored energy (J).
    pub fn energy(&mut self, particles: &[SolverParticle]) -> f64 {
        let mut energy = 0.0;
        for kind in Kind::ALL {
            with_table!(self, kind, table => for bond in table.iter() {
                energy += bond.energy(particles);
            });
        }
        energy
    }

    fn clear(&mut self) {
        for kind in Kind::ALL {
            with_table!(self, kind, table => table.clear());
        }
    }

    /// Fills the tables with `bonds` of `scene`, in this order, and lists the runs of equal kind and slot.
    /// With `rigid_strain`, elements resist through their strains, whatever their law, because
    /// \[Mueller2007\] has constraints only.
    pub fn fill<'a>(
        &mut self,
        scene: &Scene,
        bonds: impl Iterator<Item = (Slot, &'a Bond)>,
        rigid_strain: bool,
        runs: &mut Vec<Run>,
    ) {
        self.clear();
        runs.clear();
        for (slot, bond) in bonds {
            let kind = Kind::of(bond, rigid_strain);
            let at = self.push(scene, bond, kind);
            match runs.last_mut() {
                Some(run) if (run.kind, run.slot) == (kind, slot) => run.range.end = at + 1,
                _ => runs.push(Run { kind, slot, range: at..at + 1 }),
            }
        }
    }

    /// Appends `bond` to the table of `kind`; returns its index there.
    fn push(&mut self, scene: &Scene, bond: &Bond, kind: Kind) -> usize {
        let alpha = bond.compliance;
        match (&bond.kind, kind) {
            (BondKind::Distance { rest }, _) => {
                let x = |i: usize| scene.particles[bond.particles[i].0].position;
                let strain = ((x(0) - x(1)).norm() - rest) / rest;
                let is_taut = alpha > 0.0 && *rest > 0.0 && strain > TAUT;
                self.distance.push(Distance { is_taut, ..Distance::new(indices(bond), *rest, alpha) });
            }
            (BondKind::Bending { rest }, _) => {
                self.bending.push(Bending::new(indices(bond), DihedralAngle { rest: *rest }, alpha));
            }
            (BondKind::Volume { rest }, _) => {
                self.volume.push(Volume::new(indices(bond), SixthOfTriple { rest: *rest }, alpha));
            }
            (BondKind::Tetrahedron { material, inverse_rest, volume }, _) => {
                let element = Element::tetrahedron(indices(bond), inverse_rest, *volume);
                if kind == Kind::NeoHookean {
                    self.neo_hookean.push(NeoHookean::new(element, *material));
                } else {
                    self.st_venant_kirchhoff.push(StVenantKirchhoff::new(element, *material));
                }
            }
            (BondKind::QuadraturePoint { material, gradients, volume }, _) => {
                let element = Element { particles: indices(bond), gradients: **gradients, volume: *volume };
                if kind == Kind::QuadraticNeoHookean {
                    self.quadratic_neo_hookean.push(NeoHookean::new(element, *material));
                } else {
                    self.quadratic_st_venant_kirchhoff.push(StVenantKirchhoff::new(element, *material));
                }
            }
            (BondKind::Shape { rest }, _) => self.shape.push(shape(scene, bond, rest)),
        }
        with_table!(self, kind, table => table.len() - 1)
    }
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Distance,
        Self::Bending,
        Self::Volume,
        Self::NeoHookean,
        Self::StVenantKirchhoff,
        Self::QuadraticNeoHookean,
        Self::QuadraticStVenantKirchhoff,
        Self::Shape,
    ];

    /// Those of elements.
    pub const ELEMENTS: [Self; 4] = [
        Self::NeoHookean,
        Self::StVenantKirchhoff,
        Self::QuadraticNeoHookean,
        Self::QuadraticStVenantKirchhoff,
    ];

    /// Returns the table of `bond`.
    pub fn of(bond: &Bond, rigid_strain: bool) -> Self {
        match &bond.kind {
            BondKind::Distance { .. } => Self::Distance,
            BondKind::Bending { .. } => Self::Bending,
            BondKind::Volume { .. } => Self::Volume,
            BondKind::Tetrahedron { material, .. } => match material.law {
                Law::NeoHookean if !rigid_strain => Self::NeoHookean,
                Law::NeoHookean | Law::StVenantKirchhoff => Self::StVenantKirchhoff,
            },
            BondKind::QuadraturePoint { material, .. } => match material.law {
                Law::NeoHookean if !rigid_strain => Self::QuadraticNeoHookean,
                Law::NeoHookean | Law::StVenantKirchhoff => Self::QuadraticStVenantKirchhoff,
            },
            BondKind::Shape { .. } => Self::Shape,
        }
    }
}

/// Returns the particles of `bond`, whose number [`check`] has verified.
fn indices<const N: usize>(bond: &Bond) -> [u32; N] {
    std::array::from_fn(|i| bond.particles[i].0 as u32)
}

fn shape(scene: &Scene, bond: &Bond, rest: &[Vec3]) -> Shape {
    let masses: Vec<f64> = bond.particles.iter().map(|id| scene.particles[id.0].mass).collect();
    Shape::new(bond.particles.iter().map(|id| id.0 as u32).collect(), rest, &masses, bond.compliance)
}

/// Checks that every bond can be solved: the number of particles is that of its kind, all are different and
/// exist, and all numbers are finite.
///
/// # Errors
/// [`StepError::Bond`] with the first invalid bond and its fault.
pub(crate) fn check(scene: &Scene) -> Result<(), StepError> {
    for (index, bond) in scene.bonds.iter().enumerate() {
        if let Some(fault) = fault(bond, scene.particles.len()) {
            let (name, particles) = (scene.bond_name(index), bond.particles.clone());
            return Err(StepError::Bond { bond: index, name, particles, fault });
        }
    }
    Ok(())
}

fn fault(bond: &Bond, n_particles: usize) -> Option<BondFault> {
    let (expected, numbers) = match &bond.kind {
        BondKind::Distance { rest } => (2, vec![*rest]),
        BondKind::Bending { rest } | BondKind::Volume { rest } => (4, vec![*rest]),
        BondKind::Tetrahedron { inverse_rest, volume, .. } => {
            (4, inverse_rest.iter().chain([volume]).copied().collect())
        }
        BondKind::QuadraturePoint { gradients, volume, .. } => {
            (10, gradients.iter().flatten().chain([volume]).copied().collect())
        }
        BondKind::Shape { rest } => (rest.len(), rest.iter().flatten().copied().collect()),
    };
    let mut ids: Vec<usize> = bond.particles.iter().map(|id| id.0).collect();
    ids.sort_unstable();
    let (found, compliance) = (ids.len(), bond.compliance);
    if found != expected || expected == 0 {
        return Some(BondFault::Count { found, expected });
    }
    if ids.windows(2).any(|pair| pair[0] == pair[1]) || ids[expected - 1] >= n_particles {
        return Some(BondFault::Particles);
    }
    if numbers.iter().any(|number| !number.is_finite()) {
        return Some(BondFault::Rest);
    }
    if compliance < 0.0 || compliance.is_nan() {
        return Some(BondFault::Compliance { compliance });
    }
    material_fault(bond)
}

/// Returns the feature of the scene that particles here do not have, if there is any.
pub(crate) fn unsupported(scene: &Scene) -> Option<Feature> {
    (!scene.fluids.is_empty()).then_some(Feature::Fluids)
}

/// Returns the fault of an element whose energy is not positive definite: at rest that of both laws is μ
/// ε:ε + ½ λ (tr ε)² with Lamé's λ, whose bulk modulus is λ + ⅔ μ.
fn material_fault(bond: &Bond) -> Option<BondFault> {
    let (BondKind::Tetrahedron { material, volume, .. } | BondKind::QuadraturePoint { material, volume, .. }) =
        &bond.kind
    else {
        return None;
    };
    let Material { lambda, mu, .. } = *material;
    let can_be_infinite = match material.law {
        Law::NeoHookean => false,
        Law::StVenantKirchhoff => true,
    };
    let bulk_is_positive = 3.0 * material.lame_lambda() + 2.0 * mu > 0.0;
    let fits = *volume > 0.0
        && mu > 0.0
        && mu.is_finite()
        && bulk_is_positive
        && (lambda.is_finite() || can_be_infinite);
    (!fits).then_some(BondFault::Material { lambda, mu, volume: *volume })
}
