//! One step: the five stages of \[Harada2007\], in as many substeps as contacts need.

use rayon::prelude::*;
use rigor_scene::{
    Clock, ConfigError, Flaw, FlawKind, Method, Notice, ParticleId, ParticleState, PhaseTime, Quantity,
    Scene, State, StepError, StepReport, Stopwatch, Subject, Unsupported,
};

use crate::collision::Collision;
use crate::config::{Config, Device, Model};
use crate::fluid::liquid::Liquid;
use crate::force::Law;
#[cfg(feature = "gpu")]
use crate::gpu;
use crate::grain::block::{Motion, Push};
use crate::grain::granular::{Granular, NearbyGrain};
use crate::grain::row::vector;
use crate::grain::vibration;
use crate::neighbours::{self, GrainWall, Neighbours};
use crate::population::{self, Population};
use crate::world::World;
use crate::{memory, notice, report, stability};

/// Movers handled by one task. The result does not depend on it.
const CHUNK: usize = 256;
/// Minimum skin, as a fraction of the smallest diameter, unless the settings ask for less.
const THINNEST: f64 = 0.01;
/// Neighbour lists are rebuilt before a substep if less than this part of the movement they allow is left.
const SPENT: f64 = 0.01;
/// Change of a fluid's density, over that of the settings, above which a step is flawed.
const CRUSHED: f64 = 10.0;

/// Rigid bodies as sets of particles with penalty forces.
///
/// Source: \[Harada2007\]. Deviations: see `docs/methods/particles.md`.
#[derive(Debug)]
pub struct Particles {
    config: Config,
    clock: Clock,
    population: Population,
    world: World,
    near: Neighbours,
    collision: Collision,
    granular: Granular,
    liquid: Liquid,
    /// Grains with a mover.
    guests: Vec<NearbyGrain>,
    /// How far (m) movers and obstacles may still go until another one may touch something.
    allowances: Vec<f64>,
    seconds: [f64; 5],
    #[cfg(feature = "gpu")]
    device: gpu::Solver,
}

/// Figures of a step.
#[derive(Debug, Default)]
struct Count {
    substeps: u64,
    rebuilds: u64,
    dropped: usize,
    /// The shortest substep (s).
    shortest: f64,
}

impl Particles {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            clock,
            population: Population::default(),
            world: World::default(),
            near: Neighbours::default(),
            collision: Collision::default(),
            granular: Granular::default(),
            liquid: Liquid::default(),
            guests: Vec::new(),
            allowances: Vec::new(),
            seconds: [0.0; 5],
            #[cfg(feature = "gpu")]
            device: gpu::Solver::default(),
        })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Loads the scene as it is in `state`.
    fn load(&mut self, scene: &Scene, state: &State) -> Result<(), StepError> {
        self.seconds = [0.0; 5];
        self.population.prepare(scene, &self.config)?;
        self.world.load(scene, state, &self.population, &self.config);
        self.near = Neighbours::default();
        self.near.recalled = memory::contacts(state);
        let (spins, records) = (memory::spins(state), memory::records(state));
        self.granular.load(scene, state, &self.config, &mut self.world, spins, records);
        self.liquid.load(scene, state, &self.config, &self.world)?;
        self.collision.start();
        self.allowances.clear();
        self.guests.clear();
        Ok(())
    }

    /// Advances the world by `dt` (s).
    fn advance(&mut self, scene: &Scene, dt: f64) -> Result<Count, StepError> {
        let law = Law::new(&self.config);
        let start = self.world.time;
        let (mut rest, mut slack, mut stable) = (dt, -1.0, f64::INFINITY);
        let mut count = Count::default();
        while rest > 0.0 {
            if slack < SPENT * self.near.slack {
                stable = self.find_neighbours(scene, rest)?;
                slack = self.near.slack;
                count.rebuilds += 1;
                count.dropped = count.dropped.max(self.near.dropped + self.granular.dropped);
            }
            let h = self.substep(scene, rest, dt, (stable, slack), &mut count)?;
            let moved =
                1.0001 * h * (stability::fastest(&self.world) + h * stability::strongest(&self.world));
            self.calculate_particle_values();
            self.collide(scene, &law, h);
            rest = if h < rest { rest - h } else { 0.0 };
            let of_grains = self.compute_momenta_and_poses(scene, h, start + (dt - rest));
            // A kick may have made something faster.
            slack -= moved.max(h * stability::fastest(&self.world)).max(of_grains);
        }
        self.catch_up();
        Ok(count)
    }

    /// Returns the next substep (s): an equal part of what is left of the step, or less where lists end before.
    ///
    /// Pairs that are not listed do not bound the substep. They may come as near as touching, but not farther,
    /// until they are listed.
    fn substep(
        &self,
        scene: &Scene,
        rest: f64,
        dt: f64,
        (stable, slack): (f64, f64),
        count: &mut Count,
    ) -> Result<f64, StepError> {
        let any = self.world.movers.iter().any(|mover| mover.is_active) || !self.granular.x.is_empty();
        let (world, grains) = (&self.world, &self.granular);
        let limit = if any { stability::advance_limit(world, grains, &scene.gravity) } else { f64::INFINITY };
        let longest = stable.min(limit).min(self.liquid.substep(world));
        let parts = (rest / longest * (1.0 - 1e-12)).ceil().max(1.0);
        let maximum = self.config.max_substeps;
        let needed = count.substeps as f64 + parts;
        let is_allowed = needed <= f64::from(maximum);
        if !is_allowed {
            return Err(StepError::TooManySubsteps { dt, substep: longest, needed, maximum });
        }
        count.substeps += 1;
        let mut h = if parts > 1.0 { rest / parts } else { rest };
        // Without a skin, lists are made in each substep.
        if any && slack > 0.0 {
            h = h.min(stability::time_to_move(slack, world, grains, &scene.gravity));
        }
        count.shortest = if count.substeps == 1 { h } else { count.shortest.min(h) };
        Ok(h)
    }

    /// Stage 1, computation of particle values: positions from the poses of their bodies.
    fn calculate_particle_values(&mut self) {
        let mut watch = Stopwatch::start(self.clock);
        let World { movers, particles, n_bodies, .. } = &mut self.world;
        for (mover, guest) in movers[*n_bodies..].iter_mut().zip(&self.guests) {
            let place = guest.place as usize;
            let Motion { v, omega } = self.granular.motion[place];
            (mover.x, mover.v, mover.omega) = (self.granular.position(place), vector(v), vector(omega));
            particles.position[mover.first as usize] = mover.x;
        }
        for mover in movers[..*n_bodies].iter().filter(|mover| mover.is_active) {
            let rotation = mover.q.to_rotation_matrix().into_inner();
            for i in mover.first as usize..mover.end as usize {
                particles.position[i] = rotation * particles.local[i] + mover.x;
            }
        }
        self.seconds[0] += watch.lap();
    }

    /// Stage 2, grid generation, when something has moved by half of the skin. Returns a stable substep (s).
    fn find_neighbours(&mut self, scene: &Scene, rest: f64) -> Result<f64, StepError> {
        self.world.dismiss();
        self.guests.clear();
        if self.allowances.is_empty() || self.allowances.iter().any(|a| *a < 0.0) {
            self.catch_up();
            self.allowances = neighbours::mark_active(scene, &mut self.world, rest)?;
        }
        self.calculate_particle_values();
        let mut watch = Stopwatch::start(self.clock);
        let skin = self.skin(scene, rest);
        let world = &mut self.world;
        let mut walls = self.near.take_links();
        let names = world.n_body_particles as u32;
        self.granular.recall_planes(names, &mut self.near.recalled);
        walls.extend(self.near.recalled.iter().filter(|((name, ..), _)| *name >= names).copied());
        self.guests = self.granular.rebuild(scene, &self.config, world, skin, &walls);
        let mut of_grains: Vec<GrainWall> = Vec::new();
        for guest in &mut self.guests {
            let place = guest.place as usize;
            let Motion { v, omega } = self.granular.motion[place];
            let now = ParticleState { position: self.granular.position(place), velocity: vector(v) };
            let kind = &self.granular.kinds.all[self.granular.kind[place] as usize];
            world.admit(scene, ParticleId(guest.id as usize), &now, vector(omega), kind.kappa);
            let particle = world.particles.owner.len() as u32 - 1;
            world.particles.position[particle as usize] = now.position;
            of_grains
                .extend(guest.walls.drain(..).map(|(obstacle, triangles)| (particle, obstacle, triangles)));
        }
        self.near.rebuild(scene, &self.config, world, skin, &of_grains);
        self.collision.relist(&self.near);
        let bounds = vibration::bounds(&self.granular, &self.config);
        let stable = stability::substep(world, &self.near, &bounds, &self.guests, &self.config);
        self.seconds[1] += watch.lap();
        Ok(stable)
    }

    /// The skin (m) of new lists: what is enough for `rest` (s), and at most as the settings say.
    ///
    /// Lists hold until something has moved by half of it, however the length is chosen.
    fn skin(&self, scene: &Scene, rest: f64) -> f64 {
        let smallest = if self.world.smallest.is_finite() { self.world.smallest } else { 0.0 };
        let speed = stability::fastest(&self.world).max(self.granular.fastest());
        let acceleration = stability::strongest(&self.world).max(scene.gravity.norm());
        let enough = 3.0 * rest * (speed + rest * acceleration);
        (self.config.skin * smallest).min(enough.max(THINNEST * smallest))
    }

    /// Stage 3, collision detection and reaction.
    fn collide(&mut self, scene: &Scene, law: &Law, h: f64) {
        let mut watch = Stopwatch::start(self.clock);
        for mover in &mut self.world.movers {
            (mover.force, mover.moment) = Default::default();
        }
        self.collision.react(&mut self.world, &mut self.near, law, h);
        self.granular.react(&self.world, &scene.gravity, law, h);
        for (mover, guest) in self.world.movers[self.world.n_bodies..].iter().zip(&self.guests) {
            self.granular.push(guest.place as usize, &Push::new(&mover.force, &mover.moment));
        }
        self.liquid.react(scene, &mut self.world, h);
        self.seconds[2] += watch.lap();
    }

    /// Stages 4 and 5, computation of momenta, and of position and quaternion; obstacles move to `time` (s). Returns
    /// the maximum displacement (m) of grains.
    fn compute_momenta_and_poses(&mut self, scene: &Scene, h: f64, time: f64) -> f64 {
        let mut watch = Stopwatch::start(self.clock);
        let rotation = self.config.rotation;
        self.world.movers[..self.world.n_bodies].par_iter_mut().with_min_len(CHUNK).for_each(|mover| {
            if mover.is_active {
                mover.kick(h);
                mover.fly(h, rotation);
            } else {
                mover.lag += h;
            }
        });
        let moved = self.granular.advance(&scene.gravity, h);
        self.liquid.advance(&self.world, h);
        self.seconds[3] += watch.lap();
        let World { movers, obstacles, .. } = &self.world;
        let speeds = movers.iter().map(crate::mover::Mover::speed);
        let speeds = speeds.chain(obstacles.iter().map(crate::mover::Obstacle::speed));
        for (allowance, speed) in self.allowances.iter_mut().zip(speeds) {
            *allowance -= h * speed;
        }
        self.world.set_time(scene, time);
        self.seconds[4] += watch.lap();
        moved
    }

    /// Moves bodies that were alone to where the others are.
    fn catch_up(&mut self) {
        let rotation = self.config.rotation;
        for mover in self.world.movers.iter_mut().filter(|mover| mover.lag > 0.0) {
            mover.fly(mover.lag, rotation);
            mover.lag = 0.0;
        }
    }

    /// Stores grains and histories in `state`.
    fn remember(&mut self, state: &mut State) {
        let mut planes = Vec::new();
        self.granular.recall_planes(self.world.n_body_particles as u32, &mut planes);
        memory::store_contacts(self.near.touching(), planes, state);
        self.liquid.store(state);
        if !self.granular.x.is_empty() {
            memory::store_spins(self.granular.store(state), state);
            let records = self.granular.records(&self.config);
            memory::store_records(records, self.config.rolling > 0.0, state);
        }
    }

    fn report(&self, count: &Count, dt: f64) -> StepReport {
        let mut reports = report::collect(&self.near, &self.granular, &self.world, dt);
        self.liquid.report(dt, &mut reports.grains);
        let of_grains = self.granular.deepest();
        let deepest = self.collision.deepest.max(of_grains.0);
        let relative = self.collision.deepest_relative.max(of_grains.1);
        let quantity = |name, unit, value| Quantity { name, unit, value };
        let (sound, compression) = self.liquid.figures();
        let compressed = Flaw::new(FlawKind::Compressed, Subject::Scene, compression);
        let is_compressed = compression > CRUSHED * self.config.compression;
        let mut quantities = vec![
            quantity("particles", "1", (self.world.n_body_particles + self.granular.x.len()) as f64),
            quantity("grids", "1", count.rebuilds as f64),
            quantity("dropped", "1", count.dropped as f64),
            quantity("relative_overlap", "1", relative),
            quantity("shortest_substep", "s", count.shortest),
        ];
        if self.liquid.is_there() {
            quantities
                .extend([quantity("sound_speed", "m/s", sound), quantity("compression", "1", compression)]);
        }
        let mut flaws = report::flaws(relative);
        flaws.extend(is_compressed.then_some(compressed));
        StepReport {
            iterations: count.substeps,
            contacts: reports.bodies,
            particle_contacts: reports.grains,
            min_distance: deepest.is_finite().then_some(-deepest),
            phases: ["particle values", "grid", "collision", "momenta and poses", "obstacles"]
                .into_iter()
                .zip(self.seconds)
                .map(|(phase, seconds)| PhaseTime { phase, seconds })
                .collect(),
            quantities,
            flaws,
            // Contacts and fluids are springs, whose energy is not summed.
            released: (deepest.is_finite() || self.liquid.is_there()).then_some(f64::INFINITY),
            ..StepReport::default()
        }
    }
}

impl Method for Particles {
    fn name(&self) -> &str {
        "particles"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let missing = population::unsupported(scene, &self.config);
        #[cfg(feature = "gpu")]
        let missing = missing.or_else(|| gpu::unsupported(scene, &self.config));
        match missing {
            Some(what) => Err(Unsupported { method: self.name().into(), what }),
            None => Ok(()),
        }
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        notice::notices(scene, &self.config)
    }

    fn derived(&mut self, scene: &Scene, dt: f64) -> Vec<Quantity> {
        let mut all = Vec::new();
        if self.load(scene, &State::initial(scene)).is_ok() {
            let quantity = |name, unit, value| Quantity { name, unit, value };
            all.push(quantity("impact_speed", "m/s", self.world.speed));
            let of_grains = self.granular.kinds.all.iter().map(|kind| kind.kappa);
            let stiffness =
                self.world.movers.iter().map(|mover| mover.kappa).chain(of_grains).fold(0.0, f64::max);
            let unit = if self.config.model == Model::Hertz { "N/m^1.5" } else { "N/m" };
            all.push(quantity("kappa", unit, stiffness));
            // A graphics processor finds its own substep.
            if self.config.device == Device::Gpu {
                return all;
            }
            if self.liquid.is_there() {
                all.push(quantity("sound_speed", "m/s", self.liquid.figures().0));
                all.push(quantity("fluid_substep", "s", self.liquid.substep(&self.world)));
            }
            // Where nothing is near at the start, the substep is not known yet.
            if let Some(stable) = self.find_neighbours(scene, dt).ok().filter(|stable| stable.is_finite()) {
                all.push(quantity("first_substep", "s", stable.min(dt)));
            }
        }
        all
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        #[cfg(feature = "gpu")]
        if self.config.device == Device::Gpu {
            self.population.prepare(scene, &self.config)?;
            self.world.load(scene, state, &self.population, &self.config);
            return self.device.step(&mut self.world, (scene, state), &self.config, self.clock, dt);
        }
        self.load(scene, state)?;
        let count = self.advance(scene, dt)?;
        self.world.store(scene, state, state.time + dt);
        self.remember(state);
        Ok(self.report(&count, dt))
    }
}
