// What all five stages share: settings, arrays, and small functions. Lengths in m, times in s, masses in kg.

struct Settings {
    n_bodies: u32,
    n_particles: u32,
    // A power of two.
    n_buckets: u32,
    n_obstacles: u32,
    // 1 / edge of a cell.
    per_edge: f32,
    // Particles nearer than this (m) are counted in the bound on the substep.
    margin: f32,
    // Maximum advance of a particle per substep (m).
    advance: f32,
    steps_per_contact: f32,
    // k; 0: derived from the stiffness of both bodies.
    stiffness: f32,
    // eta; negative: derived from the coefficients of restitution.
    damping: f32,
    // k_t; negative: eta.
    shear: f32,
    // Length of the step.
    dt: f32,
    // 0: free, 1: quaternion.
    rotation: u32,
    n_materials: u32,
    max_substeps: u32,
    // First vec4 of the table of damping ratios in `geometry`.
    zeta: u32,
    // Maximum speed of any point of an obstacle.
    obstacle_speed: f32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

struct Control {
    // Time that is left of the step, and the present substep.
    rest: f32,
    h: f32,
    longest: f32,
    shortest: f32,
    substeps: u32,
    // 0: running, 1: complete, 2: too many substeps.
    status: u32,
    needed: f32,
    pad: u32,
    // Maxima over all bodies, as bits of floats that are not negative: these are ordered as integers, and a
    // maximum does not depend on the order of its terms.
    omega_sq: atomic<u32>,
    gamma: atomic<u32>,
    speed: atomic<u32>,
    acceleration: atomic<u32>,
    overlap: atomic<u32>,
    relative_overlap: atomic<u32>,
    pad_0: u32,
    pad_1: u32,
}

// Constants of a body.
struct Body {
    inverse_moments: vec3f,
    inverse_mass: f32,
    moments: vec3f,
    kappa: f32,
    acceleration: vec3f,
    // Of each of its particles.
    radius: f32,
    torque: vec3f,
    // Distance of its farthest point from x.
    extent: f32,
    first: u32,
    end: u32,
    group: u32,
    material: u32,
    // Bits 0 to 2: fixed translation, 3 to 5: fixed rotation, 6: a grain.
    flags: u32,
    // Contacts of a face that share the mass.
    contacts: f32,
    pad_0: u32,
    pad_1: u32,
}

struct Motion {
    x: vec4f,
    // (x, y, z, w).
    q: vec4f,
    v: vec4f,
    omega: vec4f,
    // What single precision loses of x and v: x + x_low is the position.
    x_low: vec4f,
    v_low: vec4f,
    momentum: vec4f,
    force: vec4f,
    moment: vec4f,
}

struct Value {
    position: vec3f,
    owner: u32,
    velocity: vec3f,
    bucket: u32,
}

struct Force {
    force: vec3f,
    // Sums of the bounds on omega^2 (1/s^2) and on the rate of damping (1/s).
    stiffness: f32,
    damping: f32,
    overlap: f32,
    pad_0: f32,
    pad_1: f32,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> control: Control;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read_write> motions: array<Motion>;
// Centre in the frame of the body; in w the bits of its index.
@group(0) @binding(4) var<storage, read> particles: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> values: array<Value>;
@group(0) @binding(6) var<storage, read_write> forces: array<Force>;
// First place of each bucket, place behind the last one, sums of blocks.
@group(0) @binding(7) var<storage, read_write> grid: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> sorted: array<u32>;
// Obstacles, their trees, triangles, damping ratios.
@group(0) @binding(9) var<storage, read> geometry: array<vec4f>;

const NO_GROUP: u32 = 0xffffffffu;
const GRAIN: u32 = 64u;

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn rotate_back(q: vec4f, v: vec3f) -> vec3f {
    return rotate(vec4f(-q.xyz, q.w), v);
}

fn product(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// dq = [a sin(theta/2), cos(theta/2)] of a rotation vector. By series: no point advances by more than a tenth
// of a diameter per substep, so that theta/2 <= 0.1, and WGSL promises no more than 2^-11 for sin.
fn exponential(turn: vec3f) -> vec4f {
    let x_sq = 0.25 * dot(turn, turn);
    let sinc = 1.0 - x_sq / 6.0 * (1.0 - x_sq / 20.0 * (1.0 - x_sq / 42.0));
    let cosine = 1.0 - 0.5 * x_sq * (1.0 - x_sq / 12.0 * (1.0 - x_sq / 30.0));
    return vec4f(0.5 * sinc * turn, cosine);
}

// A multiplication and floor are rounded the same way wherever they are compiled.
fn cell_of(position: vec3f) -> vec3i {
    return vec3i(clamp(floor(position * settings.per_edge), vec3f(-1e9), vec3f(1e9)));
}

// Source: [Teschner2003] eq. (1).
fn bucket_of(cell: vec3i) -> u32 {
    let c = bitcast<vec3u>(cell) * vec3u(73856093u, 19349663u, 83492791u);
    return (c.x ^ c.y ^ c.z) & (settings.n_buckets - 1u);
}

// The number of an invocation, with workgroups of `size` in rows.
fn index_of(id: vec3u, groups: vec3u, size: u32) -> u32 {
    return id.x + size * groups.x * id.y;
}
