use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};
use rigor_run::output::palette;
use rigor_scene::{BodySpec, PartKind, PlacedShape, Role, Scene, State, TimeSpan, Weight};
use rigor_shapes::Cuboid;

use super::{Camera, Image};

fn cuboid(name: &str, size: [f64; 3], position: [f64; 3]) -> BodySpec {
    let mesh = Cuboid::new(Vec3::from(size)).mesh().unwrap();
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    BodySpec { pose: Pose::translation(Vec3::from(position)), ..BodySpec::new(name, vec![shape]) }
}

fn fixed(spec: BodySpec) -> BodySpec {
    BodySpec { role: Role::Static, ..spec }
}

fn scene(bodies: Vec<BodySpec>) -> (Scene, State) {
    let scene = Scene {
        name: "test".into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        time: TimeSpan { dt: 0.01, duration: 1.0 },
        bodies: bodies.into_iter().map(|spec| spec.build().unwrap()).collect(),
        ..Scene::default()
    };
    let state = State::initial(&scene);
    (scene, state)
}

/// Returns the number of pixels of about this hue.
fn colored(image: &Image, color: palette::Color) -> usize {
    let norm = |c: [f64; 3]| c.iter().map(|c| c * c).sum::<f64>().sqrt();
    let is_like = |pixel: &[u8]| {
        let seen = [0, 1, 2].map(|k| f64::from(pixel[k]) / 255.0);
        let cosine = seen.iter().zip(color).map(|(a, b)| a * b).sum::<f64>() / (norm(seen) * norm(color));
        cosine > 0.999
    };
    image.rgba.chunks(4).filter(|pixel| is_like(pixel)).count()
}

const SIZE: [usize; 2] = [320, 200];

#[test]
fn a_body_fills_much_of_the_picture_however_large_the_floor() {
    let (scene, state) = scene(vec![
        fixed(cuboid("floor", [1e3, 1.0, 1e3], [0.0, -0.5, 0.0])),
        cuboid("box", [1.0, 1.0, 1.0], [0.0, 0.5, 0.0]),
    ]);
    let image = Image::of(&scene, &state, &Camera::framing(&scene, &[&state]), SIZE);
    let part = colored(&image, palette::DISTINCT[0]) as f64 / (SIZE[0] * SIZE[1]) as f64;
    assert!((0.15..0.6).contains(&part), "{part}");
}

#[test]
fn all_that_moves_is_in_the_picture_at_start_and_end() {
    let (scene, start) = scene(vec![
        cuboid("long", [4.0, 0.2, 0.3], [1.0, 0.0, 0.0]),
        cuboid("high", [0.2, 3.0, 0.2], [-1.0, 4.0, 2.0]),
    ]);
    let mut end = start.clone();
    end.bodies[1].pose.position = Vec3::new(5.0, -3.0, -4.0);
    let view = Camera::framing(&scene, &[&start, &end]).view(SIZE);
    let (mut least, mut most) = ([f64::INFINITY; 2], [0.0_f64; 2]);
    for (body, at) in [&start, &end].iter().flat_map(|state| scene.bodies.iter().zip(&state.bodies)) {
        for x in body.mesh.vertices() {
            let spot = view.spot(&view.seen(&at.pose.point(x)));
            for (k, c) in [spot.x, spot.y].into_iter().enumerate() {
                (least[k], most[k]) = (least[k].min(c), most[k].max(c));
            }
        }
    }
    for k in 0..2 {
        assert!(least[k] > 0.0 && most[k] < SIZE[k] as f64, "{least:?} {most:?}");
    }
    // One direction is filled as far as possible, and the content is centred in the other.
    let part = |k: usize| (most[k] - least[k]) / SIZE[k] as f64;
    assert!(part(0).max(part(1)) > 0.8, "{} {}", part(0), part(1));
    for k in 0..2 {
        assert!((0.5 * (least[k] + most[k]) / SIZE[k] as f64 - 0.5).abs() < 0.03);
    }
}

#[test]
fn a_body_that_got_lost_does_not_make_the_others_small() {
    let (scene, start) = scene(vec![
        cuboid("stays", [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        cuboid("goes", [1.0, 1.0, 1.0], [2.0, 0.0, 0.0]),
    ]);
    for far in [-1e6, f64::NAN] {
        let mut end = start.clone();
        end.bodies[1].pose.position.y = far;
        let camera = Camera::framing(&scene, &[&start, &end]);
        assert_eq!(camera, Camera::framing(&scene, &[&start]));
        let image = Image::of(&scene, &end, &camera, SIZE);
        assert!(colored(&image, palette::DISTINCT[0]) > 1000);
        assert!(colored(&image, palette::DISTINCT[1]) < 10);
    }
}

#[test]
fn the_camera_walks_around_what_hides_and_looks_into_what_encloses() {
    let inside = || cuboid("box", [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]);
    let wall = |p: [f64; 3], size| fixed(cuboid("wall", size, p));
    let visible = |bodies| {
        let (scene, state) = scene(bodies);
        let image = Image::of(&scene, &state, &Camera::framing(&scene, &[&state]), SIZE);
        colored(&image, palette::DISTINCT[0])
    };
    let free = visible(vec![inside()]);
    assert!(2 * visible(vec![inside(), wall([0.0, 0.0, 2.0], [9.0, 9.0, 0.1])]) > free);
    let room = [(0, 2.0), (0, -2.0), (1, 2.0), (1, -2.0), (2, 2.0), (2, -2.0)].map(|(axis, at)| {
        let (mut p, mut size) = ([0.0; 3], [4.0; 3]);
        (p[axis], size[axis]) = (at, 0.1);
        wall(p, size)
    });
    assert!(2 * visible(room.into_iter().chain([inside()]).collect()) > free);
}

#[test]
fn wires_points_and_particles_are_seen() {
    let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 1.0, 1.0)];
    let mesh = Mesh::new(corners, vec![], vec![[0, 1], [1, 2], [2, 3]]).unwrap();
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    let (mut scene, _) =
        scene(vec![BodySpec { weight: Weight::Mass(1.0), ..BodySpec::new("wire", vec![shape]) }]);
    let particle =
        rigor_scene::Particle { radius: 0.1, ..rigor_scene::Particle::new(1.0, Vec3::new(0.0, 1.5, 0.0)) };
    scene.particles.push(particle);
    let state = State::initial(&scene);
    let image = Image::of(&scene, &state, &Camera::framing(&scene, &[&state]), SIZE);
    assert!(colored(&image, palette::DISTINCT[0]) > 100);
    assert!(colored(&image, palette::PARTICLE) > 100);
}

#[test]
fn ropes_and_cloths_are_seen_from_both_sides() {
    let (mut scene, _) = scene(vec![]);
    let at = |x: f64, y: f64| rigor_scene::Particle::new(1.0, Vec3::new(x, y, 0.0));
    scene.particles = vec![at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(2.0, 0.0), at(2.0, 1.0)];
    let id = rigor_scene::ParticleId;
    let cloth = |triangle: [usize; 3]| rigor_scene::SoftBody {
        name: "cloth".into(),
        particles: 0..3,
        edges: vec![],
        triangles: vec![triangle.map(id)],
    };
    let rope = rigor_scene::SoftBody {
        name: "rope".into(),
        particles: 3..5,
        edges: vec![[id(3), id(4)]],
        triangles: vec![],
    };
    let seen = [[0, 1, 2], [0, 2, 1]].map(|triangle| {
        scene.soft_bodies = vec![cloth(triangle), rope.clone()];
        let state = State::initial(&scene);
        let image = Image::of(&scene, &state, &Camera::framing(&scene, &[&state]), SIZE);
        assert!(colored(&image, palette::DISTINCT[1]) > 50, "the rope");
        colored(&image, palette::DISTINCT[0])
    });
    assert!(seen[0] > 1000 && seen[0].abs_diff(seen[1]) < 20, "{seen:?}");
}

#[test]
fn a_marked_body_shows_through_what_hides_it() {
    let (scene, state) = scene(vec![
        cuboid("wall", [4.0, 4.0, 0.1], [0.0, 0.0, 1.0]),
        cuboid("hidden", [1.0, 1.0, 1.0], [0.0, 0.0, -0.5]),
    ]);
    let camera = Camera {
        eye: Vec3::new(0.0, 0.0, 12.0),
        axes: [Vec3::x(), Vec3::y(), -Vec3::z()],
        up: Vec3::y(),
        focus: Vec3::zeros(),
        radius: 3.0,
        near_static: 0.0,
    };
    let reds = |marked: &[usize]| {
        let image = Image::marked(&scene, &state, &camera, SIZE, marked);
        let is_red = |pixel: &&[u8]| u32::from(pixel[0]) * 10 > u32::from(pixel[1]) * 17;
        let walls = image.rgba.chunks(4).filter(|pixel| !is_red(pixel)).count();
        (image.rgba.chunks(4).filter(is_red).count(), walls)
    };
    // The body is 1 m wide at 12 m, where 100 pixels are 12 · 0.2679 m.
    let side = 100.0 / (12.0 * 0.2679);
    let (red, rest) = reds(&[1]);
    assert!((red as f64 / (side * side) - 1.0).abs() < 0.1, "{red} {side}");
    assert!(rest > 9 * red / 2, "the wall around it stays");
    assert_eq!(reds(&[]).0, 0);
}

#[test]
fn nothing_to_see_is_a_picture_too() {
    let (scene, state) = scene(vec![]);
    let image = Image::of(&scene, &state, &Camera::framing(&scene, &[&state]), SIZE);
    assert_eq!(image.rgba.len(), 4 * SIZE[0] * SIZE[1]);
    let (scene, state) = self::scene(vec![fixed(cuboid("floor", [1.0; 3], [0.0; 3]))]);
    let camera = Camera::framing(&scene, &[]);
    assert_eq!(camera, Camera::framing(&scene, &[&state]));
}

#[test]
fn png_holds_the_same_pixels_and_threads_do_not_matter() {
    let (scene, state) = scene(vec![
        fixed(cuboid("floor", [9.0, 1.0, 9.0], [0.0, -0.5, 0.0])),
        cuboid("box", [1.0, 1.0, 1.0], [0.0, 1.5, 0.0]),
    ]);
    let camera = Camera::framing(&scene, &[&state]);
    let image = Image::of(&scene, &state, &camera, SIZE);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| Image::of(&scene, &state, &camera, SIZE)), image);
    let png = image.png();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&png.0)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!([info.width, info.height].map(|n| n as usize), SIZE);
    let opaque: Vec<u8> = image.rgba.chunks(4).flat_map(|p| p[..3].to_vec()).collect();
    assert_eq!(pixels, opaque);
}
