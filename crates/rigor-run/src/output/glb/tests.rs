use std::collections::BTreeSet;

use gltf::json::validation::Validate;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodySpec, PartKind, Particle, ParticleId, PlacedShape, Role, SoftBody, TimeSpan};
use rigor_shapes::Cuboid;

use super::*;

fn body(name: &str, mesh: Mesh) -> BodySpec {
    BodySpec::new(name, vec![PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() }])
}

/// A floor, two equal boxes (one off its author's origin), a wire with a free point, and two particles.
fn scene() -> Scene {
    let slab = Cuboid::new(Vec3::new(9.0, 1.0, 9.0)).mesh().unwrap();
    let cube = || Cuboid::new(Vec3::new(0.3, 0.2, 0.1)).mesh().unwrap();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    let wire = Mesh::new(corners.to_vec(), vec![], vec![[0, 1], [1, 2]]).unwrap();
    let moved = |spec: BodySpec, x: f64| BodySpec { pose: Pose::translation(Vec3::new(x, 2.0, 0.0)), ..spec };
    let specs = vec![
        BodySpec { role: Role::Static, ..body("floor", slab) },
        moved(body("left", cube()), -1.0),
        moved(body("right", cube()), 1.0),
        BodySpec { role: Role::Static, ..moved(body("wire", wire), 3.0) },
    ];
    let particle = |radius| Particle { radius, ..Particle::new(1.0, Vec3::y()) };
    Scene {
        name: "test".into(),
        gravity: -Vec3::y(),
        time: TimeSpan { dt: 0.01, duration: 1.0 },
        bodies: specs.into_iter().map(|spec| spec.build().unwrap()).collect(),
        particles: vec![particle(0.1), particle(0.0)],
        ..Scene::default()
    }
}

/// The two boxes spin about y by `rate` (rad/s) while "left" and the first particle fly along x at 1 m/s.
fn frame(scene: &Scene, step: u64, dt: f64, rate: f64) -> State {
    let mut state = State::initial(scene);
    (state.step, state.time) = (step, step as f64 * dt);
    state.bodies[1].pose.position.x += state.time;
    state.particles[0].position.x += state.time;
    for body in &mut state.bodies[1..3] {
        body.pose.rotation = rotation_vector::exp(&(Vec3::y() * (rate * state.time))) * body.pose.rotation;
    }
    state
}

struct File {
    gltf: gltf::Gltf,
}

impl File {
    fn read(bytes: &[u8]) -> Self {
        Self { gltf: gltf::Gltf::from_slice(bytes).unwrap() }
    }

    fn numbers<const N: usize>(&self, accessor: &gltf::Accessor<'_>) -> Vec<[f32; N]> {
        let view = accessor.view().unwrap();
        assert_eq!(accessor.dimensions().multiplicity(), N);
        let start = view.offset() + accessor.offset();
        let bytes = &self.gltf.blob.as_ref().unwrap()[start..start + 4 * N * accessor.count()];
        let number = |k: usize| f32::from_le_bytes(bytes[4 * k..4 * k + 4].try_into().unwrap());
        (0..accessor.count()).map(|k| std::array::from_fn(|c| number(k * N + c))).collect()
    }
}

fn written(steps: u64, dt: f64, rate: f64) -> (Scene, File) {
    let scene = scene();
    let mut glb = Glb::new(&scene);
    (0..=steps).for_each(|step| glb.push(&frame(&scene, step, dt, rate)));
    let file = File::read(&glb.finish());
    (scene, file)
}

#[test]
fn the_whole_document_is_valid_and_every_number_in_place() {
    check_document(&written(100, 0.01, 3.0).1);
    check_document(&soft_file().1);
}

fn check_document(file: &File) {
    let json = file.gltf.document.as_json();
    let mut errors = vec![];
    json.validate(json, gltf::json::Path::new, &mut |path, error| errors.push((path(), error)));
    assert!(errors.is_empty(), "{errors:?}");
    let blob = file.gltf.blob.as_ref().unwrap();
    let mut end = 0;
    for view in file.gltf.views() {
        assert_eq!((view.offset(), view.offset() % 4), (end, 0), "views follow each other, aligned");
        end = view.offset() + view.length();
    }
    assert_eq!((end, file.gltf.buffers().next().unwrap().length()), (blob.len(), blob.len()));
    for accessor in file.gltf.accessors() {
        assert_eq!(accessor.view().unwrap().length(), accessor.size() * accessor.count());
    }
}

#[test]
fn ranges_of_positions_and_times_are_exact() {
    let (_, file) = written(100, 0.01, 3.0);
    let positions = file.gltf.meshes().flat_map(|m| m.primitives().collect::<Vec<_>>());
    let positions: Vec<_> = positions.map(|p| p.get(&gltf::Semantic::Positions).unwrap()).collect();
    assert!(positions.len() >= 6);
    for accessor in &positions {
        check_range::<3>(&file, accessor);
    }
    let animation = file.gltf.animations().next().unwrap();
    check_range::<1>(&file, &animation.channels().next().unwrap().sampler().input());
}

fn check_range<const N: usize>(file: &File, accessor: &gltf::Accessor<'_>) {
    let numbers = file.numbers::<N>(accessor);
    for k in 0..N {
        let column = || numbers.iter().map(|v| f64::from(v[k]));
        let stated = |range: Option<serde_json::Value>| range.unwrap()[k].as_f64().unwrap();
        assert_eq!(stated(accessor.min()), column().fold(f64::INFINITY, f64::min));
        assert_eq!(stated(accessor.max()), column().fold(f64::NEG_INFINITY, f64::max));
    }
}

#[test]
fn surfaces_stand_where_the_bodies_are() {
    let (scene, file) = written(0, 0.01, 0.0);
    assert_eq!(file.gltf.animations().count(), 0);
    for (node, body) in file.gltf.nodes().zip(&scene.bodies) {
        let (t, q, _) = node.transform().decomposed();
        let q = nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(q[3], q[0], q[1], q[2]));
        let triangles = node.mesh().unwrap().primitives().find(|p| p.mode() == gltf::mesh::Mode::Triangles);
        let Some(triangles) = triangles else { continue };
        let corners = file.numbers::<3>(&triangles.get(&gltf::Semantic::Positions).unwrap());
        let normals = file.numbers::<3>(&triangles.get(&gltf::Semantic::Normals).unwrap());
        let expected = body.mesh.triangles().iter().flatten().map(|v| body.mesh.vertices()[*v as usize]);
        assert_eq!(corners.len(), 3 * body.mesh.triangles().len());
        for (k, (corner, x)) in corners.iter().zip(expected).enumerate() {
            let world = q * nalgebra::Vector3::from(*corner) + nalgebra::Vector3::from(t);
            let difference = world.cast::<f64>() - body.initial.pose.point(&x);
            assert!(difference.norm() < 1e-5, "{difference}");
            let flat = body.mesh.area_vector(k / 3).normalize();
            assert!((nalgebra::Vector3::from(normals[k]).cast::<f64>() - flat).norm() < 1e-6);
        }
    }
}

#[test]
fn wires_and_points_and_particles_are_drawn_as_such() {
    let (_, file) = written(0, 0.01, 0.0);
    let nodes: Vec<_> = file.gltf.nodes().collect();
    let modes = |k: usize| nodes[k].mesh().unwrap().primitives().map(|p| p.mode()).collect::<Vec<_>>();
    use gltf::mesh::Mode;
    assert_eq!(modes(3), [Mode::Lines, Mode::Points]);
    assert_eq!((modes(4), modes(5)), (vec![Mode::Triangles], vec![Mode::Points]));
    assert_eq!(nodes[4].transform().decomposed().2, [0.1_f32; 3]);
    // Equal shapes are stored once: slab, box, wire, point of the wire, ball, point.
    let positions: BTreeSet<_> = file
        .gltf
        .meshes()
        .flat_map(|m| {
            m.primitives().map(|p| p.get(&gltf::Semantic::Positions).unwrap().index()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(positions.len(), 6);
}

#[test]
fn poses_are_kept_sixty_times_a_second_with_the_last_frame() {
    // 2000 steps per second for 1 s; nearly three turns per second flip the sign of the quaternion several
    // times.
    let (scene, file) = written(2001, 5e-4, 18.0);
    let animation = file.gltf.animations().next().unwrap();
    let moving: Vec<_> =
        animation.channels().map(|c| (c.target().node().index(), c.target().property())).collect();
    use gltf::animation::Property::{Rotation, Translation};
    assert_eq!(moving, [(1, Translation), (1, Rotation), (2, Rotation), (4, Translation)]);
    for channel in animation.channels() {
        let sampler = channel.sampler();
        assert_eq!(sampler.interpolation(), Interpolation::Linear);
        let times = file.numbers::<1>(&sampler.input());
        assert_eq!((times[0][0], times[times.len() - 1][0]), (0.0, (2001.0 * 5e-4_f64) as f32));
        assert!((59..=62).contains(&times.len()), "{}", times.len());
        assert!(times.windows(2).all(|w| w[1] > w[0]));
        assert_eq!(sampler.output().count(), times.len());
    }
    let channels: Vec<_> = animation.channels().collect();
    let times = file.numbers::<1>(&channels[0].sampler().input());
    let places = file.numbers::<3>(&channels[0].sampler().output());
    let rotations = file.numbers::<4>(&channels[1].sampler().output());
    for (k, [time]) in times.iter().enumerate() {
        let state = frame(&scene, (f64::from(*time) / 5e-4).round() as u64, 5e-4, 18.0);
        let pose = &state.bodies[1].pose;
        assert!((f64::from(places[k][0]) - pose.position.x).abs() < 1e-6);
        let cosine: f64 =
            rotations[k].iter().zip(pose.rotation.coords.iter()).map(|(a, b)| f64::from(*a) * b).sum();
        assert!((cosine.abs() - 1.0).abs() < 1e-6);
    }
    assert!(rotations.windows(2).all(|w| w[0].iter().zip(w[1]).map(|(a, b)| a * b).sum::<f32>() > 0.9));
}

#[test]
fn long_runs_are_thinned_out_evenly() {
    let (_, file) = written(10_000, 0.1, 0.01);
    let animation = file.gltf.animations().next().unwrap();
    let times = file.numbers::<1>(&animation.channels().next().unwrap().sampler().input());
    assert!((1000..=2000).contains(&times.len()), "{}", times.len());
    assert_eq!(times[times.len() - 1], [1000.0]);
    let gaps: Vec<_> = times.windows(2).map(|w| w[1][0] - w[0][0]).collect();
    let (body, last) = gaps.split_at(gaps.len() - 1);
    assert!(body.iter().all(|gap| (gap - body[0]).abs() < 1e-3) && last[0] <= body[0] + 1e-3);
}

#[test]
fn frames_that_are_not_later_change_nothing() {
    let scene = scene();
    let mut glb = Glb::new(&scene);
    for step in [0, 5, 5, 3, 9] {
        glb.push(&frame(&scene, step, 0.1, 1.0));
    }
    let file = File::read(&glb.finish());
    let animation = file.gltf.animations().next().unwrap();
    assert_eq!(file.numbers::<1>(&animation.channels().next().unwrap().sampler().input()).len(), 3);
}

/// A sheet of two triangles without balls, a rope of two segments with balls of 0.1 m, and a particle of
/// neither.
fn soft_scene() -> Scene {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]].map(Vec3::from);
    let knots = [[3.0, 0.0, 0.0], [3.0, -1.0, 0.0], [3.0, -2.0, 0.0]].map(Vec3::from);
    let ball = |at: &Vec3| Particle { radius: 0.1, ..Particle::new(1.0, *at) };
    let mut particles: Vec<_> = corners.iter().map(|at| Particle::new(1.0, *at)).collect();
    particles.extend(knots.iter().map(ball));
    particles.push(ball(&Vec3::z()));
    let soft = |name: &str, particles, edges: &[[usize; 2]], triangles: &[[usize; 3]]| SoftBody {
        name: name.into(),
        particles,
        edges: edges.iter().map(|e| e.map(ParticleId)).collect(),
        triangles: triangles.iter().map(|t| t.map(ParticleId)).collect(),
    };
    let soft_bodies =
        vec![soft("sheet", 0..4, &[], &[[0, 1, 2], [1, 3, 2]]), soft("rope", 4..7, &[[4, 5], [5, 6]], &[])];
    Scene { particles, soft_bodies, ..scene() }
}

/// Every particle flies in a different direction.
fn soft_frame(scene: &Scene, step: u64) -> State {
    let mut state = State::initial(scene);
    (state.step, state.time) = (step, 0.1 * step as f64);
    for (k, particle) in state.particles.iter_mut().enumerate() {
        particle.position += state.time * Vec3::new(k as f64, 1.0, -0.5 * k as f64);
    }
    state
}

fn soft_file() -> (Scene, File) {
    let scene = soft_scene();
    let mut glb = Glb::new(&scene);
    (0..5).for_each(|step| glb.push(&soft_frame(&scene, step)));
    let file = File::read(&glb.finish());
    (scene, file)
}

/// Returns where a viewer puts vertex `k` of a skinned mesh when its joint `k` is at `translation`, with the
/// joint's scale.
fn skinned(vertex: [f32; 3], inverse_bind: [f32; 16], joint: &gltf::Node<'_>, translation: [f32; 3]) -> Vec3 {
    let bound = nalgebra::Matrix4::from_column_slice(&inverse_bind)
        * nalgebra::Vector4::new(vertex[0], vertex[1], vertex[2], 1.0);
    let scale = joint.transform().decomposed().2[0];
    (nalgebra::Vector3::from(translation) + scale * bound.xyz()).cast()
}

#[test]
fn soft_bodies_are_meshes_that_follow_their_particles() {
    let (scene, file) = soft_file();
    let last = soft_frame(&scene, 4);
    let animation = file.gltf.animations().next().unwrap();
    let skinned_nodes: Vec<_> = file.gltf.nodes().filter(|node| node.skin().is_some()).collect();
    assert_eq!(skinned_nodes.len(), 2);
    for (node, soft) in skinned_nodes.iter().zip(&scene.soft_bodies) {
        let (mesh, skin) = (node.mesh().unwrap(), node.skin().unwrap());
        let primitive = mesh.primitives().next().unwrap();
        let vertices = file.numbers::<3>(&primitive.get(&gltf::Semantic::Positions).unwrap());
        let matrices = file.numbers::<16>(&skin.inverse_bind_matrices().unwrap());
        assert_eq!((skin.joints().count(), matrices.len()), (soft.particles.len(), vertices.len()));
        for (k, joint) in skin.joints().enumerate() {
            let channel = animation.channels().find(|c| c.target().node().index() == joint.index()).unwrap();
            let places = file.numbers::<3>(&channel.sampler().output());
            let shown = skinned(vertices[k], matrices[k], &joint, places[places.len() - 1]);
            let particle = last.particles[soft.particles.start + k].position;
            assert!((shown - particle).norm() < 1e-5, "{}: {shown} {particle}", soft.name);
        }
    }
}

#[test]
fn joints_of_a_soft_body_have_a_common_root_and_balls_only_where_no_surface_is() {
    let (scene, file) = soft_file();
    let nodes: Vec<_> = file.gltf.nodes().collect();
    let written = &file.gltf.document.as_json().nodes;
    let group = |name: &str| written.iter().position(|node| node.name.as_deref() == Some(name)).unwrap();
    let n_bodies = scene.bodies.len();
    let children =
        |name: &str| nodes[group(name)].children().map(|node| node.index() - n_bodies).collect::<Vec<_>>();
    assert_eq!((children("sheet"), children("rope")), (vec![0, 1, 2, 3], vec![4, 5, 6]));
    let has_ball = |k: usize| nodes[n_bodies + k].mesh().is_some();
    assert!((0..4).all(|k| !has_ball(k)) && (4..8).all(has_ball));
    let roots: Vec<_> = file.gltf.scenes().next().unwrap().nodes().map(|node| node.index()).collect();
    let is_root = |k: usize| roots.contains(&(n_bodies + k));
    assert!((0..7).all(|k| !is_root(k)) && is_root(7));
}

/// At 0.9π, 2π and more per frame, viewers see the body turn as it does, though the shortest way between frames is another.
#[test]
fn fast_turns_have_keys_between_frames() {
    use std::f64::consts::PI;
    for turn in [0.9 * PI, 2.0 * PI, 17.3] {
        let (scene, dt) = (scene(), 0.02);
        let rate = turn / dt;
        let mut glb = Glb::new(&scene);
        for step in 0..=5 {
            let mut state = frame(&scene, step, dt, rate);
            state.bodies[2].angular_velocity = Vec3::y() * rate;
            glb.push(&state);
        }
        let file = File::read(&glb.finish());
        let animation = file.gltf.animations().next().unwrap();
        let is_of = |channel: &gltf::animation::Channel<'_>| {
            channel.target().node().index() == 2 && channel.target().property() == Property::Rotation
        };
        let channel = animation.channels().find(is_of).unwrap();
        let times = file.numbers::<1>(&channel.sampler().input());
        let found = file.numbers::<4>(&channel.sampler().output());
        assert!(times.len() == found.len() && times.len() > 6, "{turn}: {} keys", times.len());
        let start = scene.bodies[2].initial.pose.rotation;
        for ([time], q) in times.iter().zip(&found) {
            let exact = rotation_vector::exp(&(Vec3::y() * (rate * f64::from(*time)))) * start;
            let cosine: f64 = q.iter().zip(exact.coords.iter()).map(|(a, b)| f64::from(*a) * b).sum();
            assert!(cosine.abs() > 1.0 - 1e-6, "{turn} at {time}: {cosine}");
        }
        // A quarter turn is 45 degrees of the quaternion.
        let cosines = found.windows(2).map(|w| w[0].iter().zip(w[1]).map(|(a, b)| a * b).sum::<f32>());
        assert!(cosines.into_iter().all(|cosine| cosine > 0.7), "{turn}");
        check_document(&file);
    }
}
