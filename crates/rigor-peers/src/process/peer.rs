//! An engine in a process of its own, or in this one behind the same requests, as a method.

use std::cell::OnceCell;
use std::ffi::OsString;

use rigor_scene::{
    Clock, ConfigError, Feature, Method, Notice, PhaseTime, Quantity, Scene, State, StepError, StepReport,
    Stopwatch, Unsupported,
};

use super::capabilities::Capabilities;
use super::channel::Launch;
use super::config::Config;
use super::fault::{Fault, FaultKind};
use super::link::{Link, Start};
use super::message::Hello;
use super::replay::{Replay, forget};
use super::world::{StepCpuTime, World, failed};
use super::{PROTOCOL, notice, support};

/// The quantity of a step that is the peak memory (bytes) of the engine's process so far.
pub const MEMORY: &str = "engine_memory";

/// The phase of a step that is the CPU time of an engine in a process of its own, as it reports it.
pub const ENGINE: &str = "engine";

/// The quantity of a step that is the CPU time (s) which its transport took: outside of the engine's own steps, in the
/// engine's process. Who measures the CPU time of this process adds it.
pub const TRANSPORT: &str = "transport_cpu";

/// An engine in a process of its own, or in this one behind the same requests.
pub struct Peer {
    name: String,
    config: Config,
    clock: Clock,
    /// How it is started; otherwise what to do about it.
    launch: Result<Start, String>,
    /// What it can do, if that is known before it is started.
    table: Option<Capabilities>,
    /// Its introduction, once it has been started.
    hello: OnceCell<Hello>,
    world: Option<World>,
}

impl Peer {
    /// The engine called `name`.
    ///
    /// `launch` is how it is started or, where it is not installed, what to do about it. `table` is what it can
    /// do; `None` starts the engine to ask. The setting `command` takes the place of both.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is not allowed.
    pub fn new(
        name: &str,
        config: Config,
        clock: Clock,
        launch: Result<Start, String>,
        table: Option<Capabilities>,
    ) -> Result<Self, ConfigError> {
        config.validate()?;
        let (launch, table) = match config.command.split_first() {
            None => (launch, table),
            Some((program, arguments)) => {
                let arguments = arguments.iter().map(OsString::from).collect();
                let launch = Launch { program: program.into(), arguments, variables: Vec::new() };
                (Ok(Start::Process(launch)), None)
            }
        };
        let (name, hello, world) = (name.to_owned(), OnceCell::new(), None);
        Ok(Self { name, config, clock, launch, table, hello, world })
    }

    /// The version of the engine, which is started to ask.
    ///
    /// # Errors
    /// [`Fault`] if it is not installed or gives no usable reply.
    pub fn version(&self) -> Result<String, Fault> {
        self.start().map(|(_, hello)| hello.version)
    }

    /// Starts the engine and lets it introduce itself.
    fn start(&self) -> Result<(Link, Hello), Fault> {
        let launch = self.launch.as_ref().map_err(|remedy| Fault {
            engine: self.name.clone(),
            asked: "start",
            kind: FaultKind::NotStarted {
                program: self.name.clone(),
                why: format!("it is not installed: {remedy}"),
            },
            last_words: Vec::new(),
        })?;
        let mut link = Link::start(&self.name, launch)?;
        let hello = link.hello(self.config.start_timeout)?;
        if hello.protocol != PROTOCOL {
            let kind = FaultKind::Version { theirs: hello.protocol, ours: PROTOCOL };
            return Err(link.fault("hello", kind));
        }
        if let Some(table) = self.table.as_ref().filter(|table| **table != hello.capabilities) {
            let kind = FaultKind::Capabilities {
                hello: format!("{:?}", hello.capabilities),
                table: format!("{table:?}"),
            };
            return Err(link.fault("hello", kind));
        }
        Ok((link, hello))
    }

    /// What the engine can do: by the table, or by its own words.
    fn capabilities(&self) -> Result<&Capabilities, Fault> {
        if let Some(table) = &self.table {
            return Ok(table);
        }
        if self.hello.get().is_none() {
            let (_, hello) = self.start()?;
            // It was empty a moment ago, and nothing else fills it.
            let _ = self.hello.set(hello);
        }
        self.hello.get().map(|hello| &hello.capabilities).ok_or_else(|| Fault {
            engine: self.name.clone(),
            asked: "hello",
            kind: FaultKind::Untold { quantity: "its capabilities".to_owned() },
            last_words: Vec::new(),
        })
    }

    /// Returns the world that continues `state`: the live one, the one that the state's memory describes, or
    /// a new one.
    fn world_for(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        can: &Capabilities,
    ) -> Result<World, StepError> {
        if let Some(world) = self.world.take().filter(|world| world.continues(scene, state, dt)) {
            return Ok(world);
        }
        let (link, hello) = self.start().map_err(failed)?;
        let earlier = Replay::read(&self.name, state).map_err(|why| {
            let what = format!("what {} wrote into the state cannot be read: {why}", self.name);
            StepError::Failed { what, bodies: Vec::new() }
        })?;
        let Some(earlier) = earlier.filter(|earlier| earlier.dt.to_bits() == dt.to_bits()) else {
            let replay = Replay::starting(&hello.version, state, dt);
            return World::load(link, scene, replay, can, &self.config);
        };
        if earlier.version != hello.version {
            let what = format!(
                "the run cannot be resumed: it was made by {} {}, and this is {}",
                self.name, earlier.version, hello.version
            );
            return Err(StepError::Failed { what, bodies: Vec::new() });
        }
        self.repeat(link, scene, state, earlier, can)
    }

    /// Makes the world of `earlier` again, by all its steps.
    fn repeat(
        &self,
        link: Link,
        scene: &Scene,
        state: &State,
        earlier: Replay,
        can: &Capabilities,
    ) -> Result<World, StepError> {
        let steps = earlier.steps;
        let mut world = World::load(link, scene, Replay { steps: 0, ..earlier }, can, &self.config)?;
        world.repeat(steps, state, &self.config)?;
        Ok(world)
    }

    /// Lets the engine take the next step. Returns its world and what it needed now.
    ///
    /// If it fails while it takes several steps, those before the fault belong to the run: its world is made again, and
    /// goes on by one step at a time.
    fn fetch(
        &self,
        mut world: World,
        scene: &Scene,
        state: &State,
        can: &Capabilities,
    ) -> Result<(World, StepCpuTime), StepError> {
        match world.fetch(state.time, can, &self.config) {
            Ok(spent) => return Ok((world, spent)),
            Err(error) if !world.goes_ahead() => return Err(error),
            Err(_) => {}
        }
        let earlier = world.end();
        let (link, _) = self.start().map_err(failed)?;
        let mut world = self.repeat(link, scene, state, earlier, can)?;
        world.go_alone();
        let spent = world.fetch(state.time, can, &self.config)?;
        Ok((world, spent))
    }
}

/// The peak memory of an engine's process.
fn memory(value: f64) -> Quantity {
    Quantity { name: MEMORY, unit: "B", value }
}

/// The CPU time of the engine's process outside of the engine's steps.
fn transport(value: f64) -> Quantity {
    Quantity { name: TRANSPORT, unit: "s", value }
}

impl Method for Peer {
    fn name(&self) -> &str {
        &self.name
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: self.name.clone(), what });
        if let Err(remedy) = &self.launch {
            return lacks(Feature::NotInstalled { remedy: remedy.clone() });
        }
        match self.capabilities() {
            Ok(can) => support::lacks(scene, can).map_or(Ok(()), lacks),
            Err(fault) => lacks(Feature::Other { what: format!("any scene: {fault}") }),
        }
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        self.capabilities().map_or_else(|_| Vec::new(), |can| notice::notices(scene, can, &self.config))
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::TimeStep { dt });
        }
        let mut stopwatch = Stopwatch::start(self.clock);
        let can = self.capabilities().map_err(failed)?.clone();
        let world = self.world_for(scene, state, dt, &can)?;
        let loading = stopwatch.lap();
        let (mut world, spent) = self.fetch(world, scene, state, &can)?;
        let step = world.take(state.time)?;
        let elapsed = stopwatch.lap();
        let is_resident = world.is_resident();
        self.world = Some(world);
        state.bodies = step.bodies;
        forget(&self.name, state);
        let mut phases = vec![PhaseTime { phase: "load", seconds: loading }];
        if is_resident {
            phases.push(PhaseTime { phase: "step", seconds: elapsed });
        } else {
            phases.push(PhaseTime { phase: ENGINE, seconds: step.cpu });
            phases.push(PhaseTime { phase: "transport", seconds: (elapsed - spent.engine).max(0.0) });
        }
        Ok(StepReport {
            iterations: 1,
            min_distance: step.contacts.iter().map(|c| c.distance).reduce(f64::min),
            // Contacts of some engines are springs, and none tells what they hold.
            released: (!step.contacts.is_empty()).then_some(f64::INFINITY),
            contacts: step.contacts,
            phases,
            quantities: step.memory.map(memory).into_iter().chain(spent.outside.map(transport)).collect(),
            ..StepReport::default()
        })
    }

    fn save(&mut self, state: &mut State) -> Result<(), StepError> {
        match self.world.as_ref().filter(|world| world.follows(state)) {
            Some(world) => world.replay.store(&self.name, state).map_err(|why| StepError::Failed {
                what: format!("the start of the run of {} cannot be saved: {why}", self.name),
                bodies: Vec::new(),
            }),
            None => Ok(()),
        }
    }
}
