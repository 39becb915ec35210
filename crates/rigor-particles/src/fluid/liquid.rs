//! All fluids of a scene: their arrays, and what is done with them in a substep.

use rayon::prelude::*;
use rigor_math::Vec3;
use rigor_scene::{Body, BodyId, ParticleContactReport, ParticleId, ParticleState, Role, Scene, State};

use crate::config::{Cells, Config};
use crate::error::ParticlesError;
use crate::fluid::boundary::Boundary;
use crate::fluid::law::Law;
use crate::fluid::parcel::FluidParticle;
use crate::fluid::push::Sources;
use crate::fluid::reaction::{self, WallParcel};
use crate::fluid::standing::{self, Ground};
use crate::fluid::tally::{self, Tally};
use crate::fluid::wall::WallPressure;
use crate::fluid::{density, wall};
use crate::grain::order::Order;
use crate::memory;
use crate::neighbourhood::Neighbourhood;
use crate::stability;
use crate::world::World;

/// Parcels handled by one task. The result does not depend on it.
const CHUNK: usize = 512;

/// The walls of one body: parcels `first..end`.
#[derive(Debug, Clone)]
struct Side {
    body: BodyId,
    /// Index of the mover, or of the obstacle.
    place: Result<usize, usize>,
    is_still: bool,
    first: usize,
    end: usize,
}

/// The fluids of a scene, and the walls that they meet.
#[derive(Debug, Default)]
pub(crate) struct Liquid {
    law: Law,
    boundary: Boundary,
    sides: Vec<Side>,
    /// Side and position (m, in its frame) of each parcel of a wall.
    owners: Vec<u32>,
    locals: Vec<Vec3>,
    /// In the order of cells: number in the scene, kind and density (kg/m³) of each parcel of fluid.
    ids: Vec<u32>,
    kinds: Vec<u32>,
    densities: Vec<f64>,
    tallies: Vec<Tally>,
    /// Those of fluid in the same order, then those of walls.
    parcels: Vec<FluidParticle>,
    order: Order,
    near: Neighbourhood,
    /// How far (m) two parcels may still approach each other until lists are void.
    slack: f64,
    skin: f64,
    rates: Vec<f64>,
    pressures: Vec<WallPressure>,
    /// e/c² (1/m) of each kind, with what its walls make it weigh, e = g − a; empty at the start of a step.
    layering: Vec<Vec3>,
    forces: Vec<Vec3>,
    /// Maximum speed (m/s).
    fastest: f64,
    /// Maximum of ρ/ρ₀ − 1 in this step.
    compression: f64,
}

impl Liquid {
    /// Loads the fluids of `scene` as they are in `state`, and the walls of the bodies in `world`.
    ///
    /// # Errors
    /// [`ParticlesError`] if a body cannot be a wall.
    pub fn load(
        &mut self,
        scene: &Scene,
        state: &State,
        config: &Config,
        world: &World,
    ) -> Result<(), ParticlesError> {
        let start = scene.dry_particles().len();
        let n = scene.particles.len() - start;
        self.ids.clear();
        self.parcels.clear();
        if n == 0 {
            return Ok(());
        }
        self.boundary.prepare(scene, config)?;
        self.law = Law::new(scene, config, world.speed);
        self.ids.extend(start as u32..(start + n) as u32);
        let kinds = scene.fluids.iter().enumerate();
        self.kinds.clear();
        self.kinds.extend(kinds.flat_map(|(k, fluid)| fluid.particles.clone().map(move |_| k as u32)));
        self.tallies.clear();
        self.tallies.resize(n, Tally::default());
        self.parcels.extend(state.particles[start..].iter().map(|ParticleState { position, velocity }| {
            FluidParticle { x: *position, v: *velocity, volume: 0.0, pressure: 0.0 }
        }));
        self.fastest = self.parcels.iter().map(|parcel| parcel.v.norm()).fold(0.0, f64::max);
        self.compression = 0.0;
        self.layering.clear();
        self.raise_walls(scene, world);
        self.densities = match memory::densities(state) {
            known if known.len() == n => known.to_vec(),
            _ => self.initial(scene, config),
        };
        for ((parcel, kind), density) in self.parcels.iter_mut().zip(&self.kinds).zip(&self.densities) {
            let kind = &self.law.kinds[*kind as usize];
            (parcel.volume, parcel.pressure) = (kind.mass / density, kind.tait.pressure(*density));
        }
        (self.slack, self.skin) = (-1.0, config.skin * scene.fluids[0].spacing);
        Ok(())
    }

    /// Whether there is any fluid.
    pub fn is_there(&self) -> bool {
        !self.ids.is_empty()
    }

    /// Densities (kg/m³) at the start: those of each fluid at rest below its own highest particle, where something carries
    /// it, or ρ₀.
    fn initial(&self, scene: &Scene, config: &Config) -> Vec<f64> {
        let n = self.ids.len();
        let mut densities: Vec<f64> =
            self.kinds.iter().map(|kind| self.law.kinds[*kind as usize].rest).collect();
        let Some(down) = scene.gravity.try_normalize(0.0).filter(|_| config.hydrostatic) else {
            return densities;
        };
        let points: Vec<Vec3> = self.parcels.iter().map(|parcel| parcel.x).collect();
        let is_held = |body: &Body| (0..3).all(|axis| body.fixed.translation[axis] || down[axis] == 0.0);
        let ground = |i: usize| {
            let side = &self.sides[self.owners[i - n] as usize];
            let body = &scene.bodies[side.body.0];
            if body.is_dynamic() && !is_held(body) { Ground::Body(side.body.0) } else { Ground::World }
        };
        let carried = standing::carried((&points, n), self.boundary.spacing(), &down, ground);
        let height = |i: usize| -scene.gravity.dot(&points[i]);
        for (k, (fluid, kind)) in scene.fluids.iter().zip(&self.law.kinds).enumerate() {
            let of_kind = || (0..n).filter(|i| self.kinds[*i] as usize == k && carried[*i]);
            let top = of_kind().map(height).fold(f64::NEG_INFINITY, f64::max);
            let half = 0.5 * fluid.spacing * scene.gravity.norm();
            for i in of_kind() {
                densities[i] = kind.tait.density(kind.rest * (top - height(i) + half));
            }
        }
        densities
    }

    /// Adds the parcels of walls.
    fn raise_walls(&mut self, scene: &Scene, world: &World) {
        self.sides.clear();
        self.owners.clear();
        self.locals.clear();
        let (mut movers, mut obstacles) = (0, 0);
        let n = self.ids.len();
        for (id, samples) in scene.body_ids().zip(&self.boundary.bodies) {
            let body = &scene.bodies[id.0];
            let place = if body.is_dynamic() { Ok(movers) } else { Err(obstacles) };
            if body.is_dynamic() {
                movers += 1;
            } else {
                obstacles += 1;
            }
            let first = n + self.owners.len();
            let side = self.sides.len() as u32;
            self.owners.extend(samples.points.iter().map(|_| side));
            self.locals.extend(samples.points.iter().map(|point| match place {
                Ok(mover) => world.movers[mover].local(point),
                Err(_) => *point,
            }));
            let zero = Vec3::zeros();
            let parcel = FluidParticle { x: zero, v: zero, volume: samples.volume, pressure: 0.0 };
            self.parcels.extend(samples.points.iter().map(|_| parcel));
            let is_still = body.role == Role::Static;
            self.sides.push(Side { body: id, place, is_still, first, end: n + self.owners.len() });
        }
        self.follow(world, true);
    }

    /// Moves the walls to where their bodies are; `all` moves those of static bodies too.
    fn follow(&mut self, world: &World, all: bool) {
        let n = self.ids.len();
        for side in self.sides.iter().filter(|side| all || !side.is_still) {
            let parcels = &mut self.parcels[side.first..side.end];
            let locals = &self.locals[side.first - n..side.end - n];
            match side.place {
                Ok(mover) => {
                    let mover = &world.movers[mover];
                    let rotation = mover.q.to_rotation_matrix().into_inner();
                    parcels.par_iter_mut().zip(locals).with_min_len(CHUNK).for_each(|(parcel, local)| {
                        parcel.x = rotation * local + mover.x;
                        parcel.v = mover.velocity_at(&parcel.x);
                    });
                }
                Err(obstacle) => {
                    let now = &world.obstacles[obstacle].now;
                    parcels.par_iter_mut().zip(locals).with_min_len(CHUNK).for_each(|(parcel, local)| {
                        parcel.x = now.pose.point(local);
                        parcel.v = now.velocity_at(&parcel.x);
                    });
                }
            }
        }
    }

    /// Sorts the fluid and lists all neighbours.
    fn rebuild(&mut self) {
        let n = self.ids.len();
        let positions: Vec<Vec3> = self.parcels[..n].iter().map(|parcel| parcel.x).collect();
        let reach = self.law.kernel.support + self.skin;
        self.order.sort(&self.ids, &positions, 0.5 * reach, Cells::All);
        let start = self.ids.iter().min().copied().unwrap_or(0);
        let mut place = vec![0_u32; n];
        for (i, id) in self.ids.iter().enumerate() {
            place[(id - start) as usize] = i as u32;
        }
        let before: Vec<usize> =
            self.order.sorted.iter().map(|(_, id)| place[(id - start) as usize] as usize).collect();
        self.ids = before.iter().map(|i| self.ids[*i]).collect();
        self.kinds = before.iter().map(|i| self.kinds[*i]).collect();
        self.densities = before.iter().map(|i| self.densities[*i]).collect();
        self.tallies = before.iter().map(|i| std::mem::take(&mut self.tallies[*i])).collect();
        let fluid: Vec<FluidParticle> = before.iter().map(|i| self.parcels[*i]).collect();
        self.parcels[..n].copy_from_slice(&fluid);
        let points: Vec<Vec3> = self.parcels.iter().map(|parcel| parcel.x).collect();
        self.near = Neighbourhood::find_around(n, &points, reach);
        self.slack = self.skin;
    }

    /// The longest substep (s) now.
    pub fn substep(&self, world: &World) -> f64 {
        if !self.is_there() {
            return f64::INFINITY;
        }
        self.law.substep(self.fastest.max(stability::fastest(world)))
    }

    /// Advances densities by `h` (s) and computes all forces; adds those on bodies to their movers.
    pub fn react(&mut self, scene: &Scene, world: &mut World, h: f64) {
        if !self.is_there() {
            return;
        }
        self.follow(world, false);
        if self.slack < 0.0 {
            self.rebuild();
        }
        if self.layering.is_empty() {
            self.press_walls(scene, world, h);
        }
        self.compress(h);
        self.press_walls(scene, world, h);
        let n = self.ids.len();
        self.forces.resize(n, Vec3::zeros());
        let (law, near, parcels) = (&self.law, &self.near, &self.parcels);
        let sources = Sources { law, near, parcels, kinds: &self.kinds, owners: &self.owners };
        sources.on_fluid(&mut self.forces, &mut self.tallies, h);
        for side in &self.sides {
            if let Ok(mover) = side.place {
                let mover = &mut world.movers[mover];
                let range = side.first..side.end;
                for (force, parcel) in sources.on_walls(range.clone()).iter().zip(&parcels[range]) {
                    mover.force += force;
                    mover.moment += (parcel.x - mover.x).cross(force);
                }
            }
        }
    }

    /// Computes the pressures of walls, with their accelerations in this substep of `h` (s), and what these make fluid weigh.
    fn press_walls(&mut self, scene: &Scene, world: &World, h: f64) {
        let n = self.ids.len();
        self.pressures.resize(self.parcels.len() - n, WallPressure::default());
        for parcel in &mut self.parcels[n..] {
            parcel.pressure = 0.0;
        }
        let Self { law, near, parcels, kinds, owners, pressures, .. } = self;
        let mass = |i: usize| law.kinds[kinds[i] as usize].mass;
        wall::extrapolate(law, near, parcels, mass, pressures);
        // Sums of accelerations of walls beside fluid of each kind, and their numbers.
        let mut pushed = vec![(Vec3::zeros(), 0.0); law.kinds.len()];
        for side in &self.sides {
            let range = side.first..side.end;
            let of_side = &pressures[side.first - n..side.end - n];
            let acceleration = match side.place {
                Ok(mover) => {
                    let (near, parcels) = (&*near, parcels.as_slice());
                    let sources = Sources { law, near, parcels, kinds, owners };
                    let forces = sources.on_walls(range.clone());
                    let parcel = |((w, force), pressure): ((usize, Vec3), &WallPressure)| WallParcel {
                        x: parcels[w].x,
                        pressure: *pressure,
                        force,
                        per_pressure: sources.per_pressure(w),
                    };
                    let all = range.clone().zip(forces).zip(of_side).filter(|(_, wall)| wall.weight > 0.0);
                    let all: Vec<WallParcel> = all.map(parcel).collect();
                    reaction::solve(&world.movers[mover], &all)
                }
                Err(obstacle) => reaction::prescribed(scene, world, obstacle, h),
            };
            for (w, pressure) in range.zip(of_side).filter(|(_, wall)| wall.weight > 0.0) {
                let a = acceleration.at(&parcels[w].x);
                parcels[w].pressure = pressure.at(&a);
                let listed = near.of(w);
                for (kind, (sum, weight)) in pushed.iter_mut().enumerate() {
                    let of_kind = || listed.iter().filter(|f| kinds[**f as usize] as usize == kind);
                    let count = if law.kinds.len() == 1 { listed.len() } else { of_kind().count() } as f64;
                    *sum += count * a;
                    *weight += count;
                }
            }
        }
        let weighs = |(sum, weight): &(Vec3, f64)| match *weight > 0.0 {
            true => (law.gravity - sum / *weight) / (law.sound * law.sound),
            false => Vec3::zeros(),
        };
        self.layering = pushed.iter().map(weighs).collect();
    }

    /// Advances densities by `h` (s), and computes pressures from them.
    fn compress(&mut self, h: f64) {
        let n = self.ids.len();
        self.rates.resize(n, 0.0);
        let fluid = (self.kinds.as_slice(), self.densities.as_slice(), self.layering.as_slice());
        density::rates(&self.law, &self.near, &self.parcels, fluid, &mut self.rates);
        for (i, density) in self.densities.iter_mut().enumerate() {
            *density += h * self.rates[i];
            let (kind, parcel) = (&self.law.kinds[self.kinds[i] as usize], &mut self.parcels[i]);
            (parcel.volume, parcel.pressure) = (kind.mass / *density, kind.tait.pressure(*density));
            self.compression = self.compression.max(*density / kind.rest - 1.0);
        }
    }

    /// Moves the fluid by `h` (s) with the forces found: v ← v + h (f/m + g), x ← x + h v.
    pub fn advance(&mut self, world: &World, h: f64) {
        if !self.is_there() {
            return;
        }
        let mut fastest_sq: f64 = 0.0;
        for ((parcel, force), kind) in self.parcels.iter_mut().zip(&self.forces).zip(&self.kinds) {
            parcel.v += h * (force / self.law.kinds[*kind as usize].mass + self.law.gravity);
            parcel.x += h * parcel.v;
            fastest_sq = fastest_sq.max(parcel.v.norm_squared());
        }
        self.fastest = fastest_sq.sqrt();
        let bodies = stability::fastest(world) + h * stability::strongest(world);
        // Two parcels may approach each other.
        self.slack -= 2.0001 * h * self.fastest.max(bodies);
    }

    /// Stores positions, velocities and densities in `state`.
    pub fn store(&self, state: &mut State) {
        if !self.is_there() {
            return;
        }
        let start = state.particles.len() - self.ids.len();
        let mut densities = vec![0.0; self.ids.len()];
        for ((id, parcel), density) in self.ids.iter().zip(&self.parcels).zip(&self.densities) {
            let i = *id as usize;
            state.particles[i] = ParticleState { position: parcel.x, velocity: parcel.v };
            densities[i - start] = *density;
        }
        memory::store_densities(densities, state);
    }

    /// c (m/s), and the maximum of ρ/ρ₀ − 1 in this step.
    pub fn figures(&self) -> (f64, f64) {
        (self.law.sound, self.compression)
    }

    /// Adds the contacts of fluid with bodies in a step of `dt` (s), by the number of the particle.
    pub fn report(&self, dt: f64, reports: &mut Vec<ParticleContactReport>) {
        let n = self.ids.len();
        let first = reports.len();
        for (i, tally) in self.tallies.iter().enumerate() {
            for (side, impulse) in tally.pushed() {
                let x = self.parcels[i].x;
                let walls = self.near.of(i).iter().map(|j| *j as usize).filter(|j| *j >= n);
                let of_side = walls.filter(|j| self.owners[j - n] == side);
                let distance = of_side.map(|j| (self.parcels[j].x - x).norm()).fold(f64::INFINITY, f64::min);
                // A parcel of a wall lies half a spacing below the surface, and the radius is half a spacing.
                let gap = distance.min(self.law.kernel.support) - self.boundary.spacing();
                let pair = (ParticleId(self.ids[i] as usize), self.sides[side as usize].body);
                reports.push(tally::contact(pair, x, impulse, (gap, dt)));
            }
        }
        reports[first..].sort_by_key(|contact| (contact.particle, contact.body));
    }
}
