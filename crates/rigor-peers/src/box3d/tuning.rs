//! The two sets of settings.

use box3d_rust::types::{BodyDef, WorldDef, default_world_def};
use box3d_rust::world::{World, world_set_contact_recycle_distance};

use crate::process::config::Setting;

/// The engine's settings that differ between the sets; its documentation describes each of them.
pub(super) struct Tuning {
    /// Substeps of a step; "usually 4", and more "can increase accuracy".
    pub substeps: i32,
    is_best: bool,
}

impl Tuning {
    /// The settings of this set.
    pub(super) fn of(setting: Setting) -> Self {
        match setting {
            Setting::Default => Self { substeps: 4, is_best: false },
            Setting::Best => Self { substeps: 16, is_best: true },
        }
    }

    /// A world without bodies. Bodies never sleep in either set.
    pub(super) fn world(&self) -> World {
        let default = WorldDef { enable_sleep: false, ..default_world_def() };
        if !self.is_best {
            return World::new(&default);
        }
        let mut world = World::new(&WorldDef {
            restitution_threshold: 0.01,
            restitution_iterations: 10,
            enable_restitution_propagation: true,
            isotropic_inertia_tolerance: 0.0,
            ..default
        });
        world_set_contact_recycle_distance(&mut world, 0.0);
        world
    }

    /// Applies the settings to a body.
    pub(super) fn body(&self, body: BodyDef) -> BodyDef {
        BodyDef {
            enable_sleep: false,
            is_bullet: self.is_best,
            allow_fast_rotation: self.is_best,
            enable_contact_recycling: !self.is_best,
            ..body
        }
    }
}
