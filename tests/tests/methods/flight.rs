//! Without contact, methods that guarantee exact flight move bodies as `free` does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rigor_free::Free;
use rigor_ipc::{Config, Integrator, Ipc};
use rigor_particles::Particles;
use rigor_scene::{Clock, Method, Scene, State};
use rigor_tests::scenes;

fn end(scene: &Scene, method: &mut dyn Method, steps: u64) -> State {
    let mut state = State::initial(scene);
    for step in 0..steps {
        method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * scene.time.dt;
    }
    state
}

/// Turns of less than half a radian per step, of asymmetric and symmetric bodies, with and without gravity.
#[test]
fn ipc_flies_as_free_does() {
    for name in ["free/dzhanibekov", "free/symmetric-top"] {
        let mut scene = scenes::case(name);
        for gravity in [0.0, -9.81] {
            scene.gravity.y = gravity;
            let mut free = Free::new(rigor_free::Config::default(), Clock::default()).unwrap();
            let expected = end(&scene, &mut free, 200);
            for integrator in [Integrator::Impulse, Integrator::Bdf2] {
                let config = Config { integrator, ..Config::default() };
                let found = end(&scene, &mut Ipc::new(config, Clock::default()).unwrap(), 200);
                for (a, b) in expected.bodies.iter().zip(&found.bodies) {
                    assert!((a.pose.position - b.pose.position).norm() < 1e-11, "{name}, {integrator:?}");
                    assert!(a.pose.rotation.angle_to(&b.pose.rotation) < 1e-9, "{name}, {integrator:?}");
                    assert!((a.linear_velocity - b.linear_velocity).norm() < 1e-11, "{name}, {integrator:?}");
                    assert!(
                        (a.angular_velocity - b.angular_velocity).norm() < 1e-9,
                        "{name}, {integrator:?}"
                    );
                }
            }
        }
    }
}

/// A body that nothing can reach takes the same steps as `free`, and so has the same bits.
#[test]
fn particles_fly_as_free_does() {
    for name in ["free/dzhanibekov", "free/symmetric-top"] {
        let mut scene = scenes::case(name);
        scene.gravity.y = -9.81;
        let mut free = Free::new(rigor_free::Config::default(), Clock::default()).unwrap();
        let mut particles = Particles::new(rigor_particles::Config::default(), Clock::default()).unwrap();
        let (expected, found) = (end(&scene, &mut free, 200), end(&scene, &mut particles, 200));
        assert_eq!(expected.bodies, found.bodies, "{name}");
    }
}
