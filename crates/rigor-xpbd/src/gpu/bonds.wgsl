// Distance bonds of particles. Lengths in m, times in s, masses in kg.
//
// Within a substep a particle is where it was plus u; bonds keep the vector between their particles as it was, computed from
// positions in two parts. So errors are relative to lengths of bonds, not to distances from the origin.

struct Settings {
    // Gain of velocity before the motion of a substep, and after it.
    fall: vec3f,
    n_particles: u32,
    rest: vec3f,
    n_bonds: u32,
    h: f32,
    per_h: f32,
    // alpha~ = alpha per_h_sq.
    per_h_sq: f32,
    // Factor on the change of each multiplier.
    share: f32,
}

// The bonds of a dispatch.
struct Part {
    first: u32,
    count: u32,
    pad_0: u32,
    pad_1: u32,
}

struct Particle {
    x: vec3f,
    // 1/m; 0 for a pinned one.
    w: f32,
    // x + low is the position: what single precision loses of it at the start of a step, and how far it moved since then.
    low: vec3f,
    pad_0: f32,
    v: vec3f,
    pad_1: f32,
}

struct Bond {
    a: u32,
    b: u32,
    rest: f32,
    compliance: f32,
    // Factor on the change of its multiplier in a Jacobi sweep.
    share: f32,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<uniform> part: Part;
@group(0) @binding(2) var<storage, read_write> particles: array<Particle>;
// u, and w again.
@group(0) @binding(3) var<storage, read_write> moved: array<vec4f>;
@group(0) @binding(4) var<storage, read> bonds: array<Bond>;
// x_a - x_b before the substep.
@group(0) @binding(5) var<storage, read_write> apart: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> lambdas: array<f32>;
// Jacobi: -d lambda grad C of each bond, to be weighted by w.
@group(0) @binding(7) var<storage, read_write> corrections: array<vec4f>;
// Jacobi: first places of particles, place behind the last one, then ends of bonds: 2 bond + (0: a, 1: b).
@group(0) @binding(8) var<storage, read> ends: array<u32>;

fn index_of(id: vec3u, groups: vec3u) -> u32 {
    return id.x + 64u * groups.x * id.y;
}

// v <- v + fall, u = h v [Mueller2007] section 3.1, lines 5 and 7.
@compute @workgroup_size(64)
fn predict(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_particles {
        return;
    }
    let w = particles[i].w;
    moved[i] = vec4f(select(vec3f(0.0), settings.h * (particles[i].v + settings.fall), w > 0.0), w);
}

// Multipliers start at 0 in each substep.
@compute @workgroup_size(64)
fn separate(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let k = index_of(id, groups);
    if k >= settings.n_bonds {
        return;
    }
    let a = bonds[k].a;
    let b = bonds[k].b;
    apart[k] = vec4f((particles[a].x - particles[b].x) + (particles[a].low - particles[b].low), 0.0);
    lambdas[k] = 0.0;
}

// -d lambda grad C with respect to x_a, as d lambda = -(C + alpha~ lambda)/(w_a + w_b + alpha~), C = |d| - rest.
// Source: [Macklin2016] eq. (18), [Mueller2007] eq. (10), (11). Coincident particles have no direction and stay.
fn pull_of(k: u32, share: f32) -> vec3f {
    let bond = bonds[k];
    let a = moved[bond.a];
    let b = moved[bond.b];
    let d = apart[k].xyz + (a.xyz - b.xyz);
    let size = sqrt(dot(d, d));
    let alpha = min(bond.compliance * settings.per_h_sq, 1e30);
    let denominator = (a.w + b.w + alpha) * size;
    if denominator == 0.0 {
        return vec3f(0.0);
    }
    let lambda = lambdas[k];
    let pull = share * (size - bond.rest + alpha * lambda) / denominator;
    lambdas[k] = lambda - pull * size;
    return pull * d;
}

// Bonds of one colour share no particle that moves.
@compute @workgroup_size(64)
fn project(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= part.count {
        return;
    }
    let k = part.first + i;
    let pull = pull_of(k, settings.share);
    let a = bonds[k].a;
    let b = bonds[k].b;
    // A pinned particle may be shared: it is not written.
    if moved[a].w > 0.0 {
        moved[a] = vec4f(moved[a].xyz - moved[a].w * pull, moved[a].w);
    }
    if moved[b].w > 0.0 {
        moved[b] = vec4f(moved[b].xyz + moved[b].w * pull, moved[b].w);
    }
}

@compute @workgroup_size(64)
fn note(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let k = index_of(id, groups);
    if k >= settings.n_bonds {
        return;
    }
    corrections[k] = vec4f(pull_of(k, settings.share * bonds[k].share), 0.0);
}

// Adds the corrections of a particle in the order of its bonds.
@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_particles {
        return;
    }
    let w = moved[i].w;
    if w == 0.0 {
        return;
    }
    var u = moved[i].xyz;
    for (var place = ends[i]; place < ends[i + 1u]; place++) {
        let end = ends[settings.n_particles + 1u + place];
        let pull = w * corrections[end >> 1u].xyz;
        u += select(-pull, pull, (end & 1u) == 1u);
    }
    moved[i] = vec4f(u, w);
}

// v = u/h + rest, x <- x + u. The sum is kept in `low`, which is small: it is rounded finely wherever the particle is.
@compute @workgroup_size(64)
fn finish(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_particles || moved[i].w == 0.0 {
        return;
    }
    let u = moved[i].xyz;
    particles[i].low += u;
    particles[i].v = settings.per_h * u + settings.rest;
}
