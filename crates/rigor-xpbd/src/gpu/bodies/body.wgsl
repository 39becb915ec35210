// Rigid bodies. Lengths in m, times in s, masses in kg; quaternions are (x, y, z, w).
//
// Within a substep a body is where it was plus u. Vectors between bodies come from positions in two parts, so errors are
// relative to distances between bodies, not to distances from the origin.

struct Settings {
    n_bodies: u32,
    n_joints: u32,
    n_pairs: u32,
    // 1: all joints from the same poses.
    is_jacobi: u32,
    h: f32,
    per_h: f32,
    per_h_sq: f32,
    substeps: f32,
    // k of the broad phase.
    safety: f32,
    pad_0: f32,
    pad_1: f32,
    pad_2: f32,
}

// The constraints of a dispatch.
struct Part {
    first: u32,
    count: u32,
    pad_0: u32,
    pad_1: u32,
}

struct Body {
    x: vec3f,
    // 1/m; 0 for a body that nothing moves.
    w: f32,
    // x + low is the position before the substep: what single precision loses of it at the start of a step, and how far
    // the body moved since then.
    low: vec3f,
    // The axis about which the body is symmetric: 0, 1, 2; 3: none; 4: all.
    symmetry: u32,
    // Motion in the substep.
    u: vec3f,
    // Now, before the substep, and before the constraints.
    q: vec4f,
    q_prev: vec4f,
    q_free: vec4f,
    v: vec3f,
    omega: vec3f,
    omega_free: vec3f,
    // Sums of p and of r x p.
    impulse: vec3f,
    angular_impulse: vec3f,
    moments: vec3f,
    // g + f/m, and torque.
    gain: vec3f,
    torque: vec3f,
    // 1/I in world axes.
    inverse_inertia: mat3x3f,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<uniform> part: Part;
@group(0) @binding(2) var<storage, read_write> bodies: array<Body>;

fn index_of(id: vec3u, groups: vec3u) -> u32 {
    return id.x + 64u * groups.x * id.y;
}

// The product turns by b first.
fn product(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

fn conjugate(q: vec4f) -> vec4f {
    return vec4f(-q.xyz, q.w);
}

fn turned(q: vec4f, v: vec3f) -> vec3f {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn axes_of(q: vec4f) -> mat3x3f {
    return mat3x3f(
        turned(q, vec3f(1.0, 0.0, 0.0)),
        turned(q, vec3f(0.0, 1.0, 0.0)),
        turned(q, vec3f(0.0, 0.0, 1.0)),
    );
}

// [r]: r x v = [r] v.
fn skew(r: vec3f) -> mat3x3f {
    return mat3x3f(vec3f(0.0, r.z, -r.y), vec3f(-r.z, 0.0, r.x), vec3f(r.y, -r.x, 0.0));
}

fn diagonal(d: vec3f) -> mat3x3f {
    return mat3x3f(vec3f(d.x, 0.0, 0.0), vec3f(0.0, d.y, 0.0), vec3f(0.0, 0.0, d.z));
}

// (sin x, cos x) to rounding, by series after removing quarter turns: WGSL promises no more than 2^-11.
fn sin_cos(x: f32) -> vec2f {
    let quarters = round(x * 0.63661977);
    // pi/2 in two parts, the first with few enough digits that its multiples are exact.
    let r = (x - quarters * 1.5703125) - quarters * 4.8382679e-4;
    let z = r * r;
    let s = r - r * z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z / 362880.0)));
    let c = 1.0 - 0.5 * z + z * z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0 - z / 3628800.0)));
    let k = u32(i32(quarters) & 3);
    if k == 0u {
        return vec2f(s, c);
    }
    if k == 1u {
        return vec2f(c, -s);
    }
    if k == 2u {
        return vec2f(-s, -c);
    }
    return vec2f(-c, s);
}

// The turn by the rotation vector `turn` (rad).
fn exponential(turn: vec3f) -> vec4f {
    let angle = length(turn);
    let half = sin_cos(0.5 * angle);
    if angle == 0.0 {
        return vec4f(0.5 * turn, 1.0);
    }
    return vec4f(turn * (half.x / angle), half.y);
}

// q + 1/2 [turn, 0] q, normalised. Source: [Mueller2020] section 3.2.1.
fn turned_a_little(q: vec4f, turn: vec3f) -> vec4f {
    return normalize(q + product(vec4f(0.5 * turn, 0.0), q));
}

// Whether the rotation differs by more than half a radian, so that linearised rotations are meaningless: cos(1/4).
fn turned_far(now: vec4f, before: vec4f) -> bool {
    return abs(dot(now, before)) < 0.9689124;
}

fn inverse_inertia_of(body: Body) -> mat3x3f {
    let r = axes_of(body.q);
    return r * diagonal(1.0 / body.moments) * transpose(r);
}

fn angular_momentum(q: vec4f, moments: vec3f, omega: vec3f) -> vec3f {
    return turned(q, moments * turned(conjugate(q), omega));
}

// Free rotation for the time h with the angular momentum `momentum`: sets q and omega.
// Source: [Dullweber1997] section III; [Landau1976] section 35 for two equal moments.
fn turn_freely(body: ptr<function, Body>, momentum: vec3f) {
    let h = settings.h;
    let moments = (*body).moments;
    let axis = (*body).symmetry;
    if axis == 4u {
        (*body).omega = momentum / moments.x;
        (*body).q = normalize(product(exponential(h * (*body).omega), (*body).q));
        return;
    }
    if axis < 3u {
        var unit = vec3f(0.0);
        unit[axis] = 1.0;
        let across = 1.0 / moments[(axis + 1u) % 3u];
        let rate = dot(momentum, turned((*body).q, unit)) * (1.0 / moments[axis] - across);
        let spin = sin_cos(0.5 * h * rate);
        let about = exponential(h * across * momentum);
        let e = turned(product(about, (*body).q), unit);
        (*body).q = normalize(product(product(about, (*body).q), vec4f(unit * spin.x, spin.y)));
        (*body).omega = across * momentum + rate * e;
        return;
    }
    var q = (*body).q;
    var pi = turned(conjugate(q), momentum);
    for (var k = 0u; k < 5u; k++) {
        // Axes 0, 1, 2, 1, 0.
        let i = min(k, 4u - k);
        let angle = select(0.5, 1.0, i == 2u) * h * pi[i] / moments[i];
        var unit = vec3f(0.0);
        unit[i] = 1.0;
        let half = sin_cos(0.5 * angle);
        q = product(q, vec4f(unit * half.x, half.y));
        pi = turned(vec4f(-unit * half.x, half.y), pi);
    }
    (*body).q = normalize(q);
    (*body).omega = turned((*body).q, turned(conjugate((*body).q), momentum) / moments);
}

// v <- v + h (g + f/m), x <- x + h v; L <- L + h tau, and the free rotation. Source: [Mueller2020] Procedure 3.
@compute @workgroup_size(64)
fn predict(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_bodies || bodies[i].w == 0.0 {
        return;
    }
    var body = bodies[i];
    let h = settings.h;
    body.low += body.u;
    body.q_prev = body.q;
    body.v += h * body.gain;
    body.u = h * body.v;
    turn_freely(&body, angular_momentum(body.q, body.moments, body.omega) + h * body.torque);
    body.q_free = body.q;
    body.omega_free = body.omega;
    body.inverse_inertia = inverse_inertia_of(body);
    body.impulse = vec3f(0.0);
    body.angular_impulse = vec3f(0.0);
    bodies[i] = body;
}

// Moves a body by a positional impulse p (kg m) and its moment (kg m^2).
fn push(body: ptr<function, Body>, p: vec3f, torque: vec3f) {
    (*body).impulse += p;
    (*body).angular_impulse += torque;
    (*body).u += (*body).w * p;
    (*body).q = turned_a_little((*body).q, (*body).inverse_inertia * torque);
}

// v <- v + w sum p / h, L <- L + sum (r x p)/h. Source: [Mueller2020] Procedure 1, with the deviation of the processor.
@compute @workgroup_size(64)
fn update_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_bodies || bodies[i].w == 0.0 {
        return;
    }
    var body = bodies[i];
    if all(body.impulse == vec3f(0.0)) && all(body.angular_impulse == vec3f(0.0)) {
        return;
    }
    body.v += body.w * body.impulse * settings.per_h;
    body.inverse_inertia = inverse_inertia_of(body);
    if turned_far(body.q, body.q_free) {
        let turn = product(body.q, conjugate(body.q_prev));
        body.omega = turn.xyz * (select(-2.0, 2.0, turn.w >= 0.0) * settings.per_h);
    } else {
        let momentum = angular_momentum(body.q_free, body.moments, body.omega_free);
        body.omega = body.inverse_inertia * (momentum + body.angular_impulse * settings.per_h);
    }
    bodies[i] = body;
}
