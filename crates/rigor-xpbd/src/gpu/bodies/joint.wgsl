// Balls, hinges and welds between bodies.

const BALL = 0u;
const HINGE = 1u;
const FIXED = 2u;

struct Joint {
    a: u32,
    // Bodies behind the last one are places in the world.
    b: u32,
    kind: u32,
    is_broken: u32,
    // Frames in their bodies, with the compliances of origins and axes.
    place_a: vec3f,
    compliance: f32,
    place_b: vec3f,
    angular_compliance: f32,
    frame_a: vec4f,
    frame_b: vec4f,
    // Along and about B's axes.
    lambda: vec3f,
    // Factor on the change of its multipliers in a Jacobi sweep.
    share: f32,
    lambda_angular: vec3f,
    // On a (world), in the substep and in the step.
    impulse: vec3f,
    angular_impulse: vec3f,
    step_impulse: vec3f,
    step_angular_impulse: vec3f,
}

@group(0) @binding(3) var<storage, read_write> joints: array<Joint>;
// Jacobi: sums p and r x p on a, then on b, for each joint.
@group(0) @binding(4) var<storage, read_write> corrections: array<vec4f>;
// Jacobi: first places of bodies, place behind the last one, then ends of joints: 2 joint + (0: a, 1: b).
@group(0) @binding(5) var<storage, read> ends: array<u32>;

// x_b - x_a before the substep.
fn apart(a: Body, b: Body) -> vec3f {
    return (b.x - a.x) + (b.low - a.low);
}

// Levers of an impulse at a's end, before the substep and now. Source: `Levers::at_point_of_a` of the processor.
struct Levers {
    a_prev: vec3f,
    b_prev: vec3f,
    a_now: vec3f,
    b_now: vec3f,
}

fn levers_of(joint: Joint, a: Body, b: Body, d: vec3f) -> Levers {
    let now = turned(a.q, joint.place_a);
    let now_b = now + (a.u - b.u) - d;
    if turned_far(a.q, a.q_prev) || turned_far(b.q, b.q_prev) {
        return Levers(now, now_b, now, now_b);
    }
    let before = turned(a.q_prev, joint.place_a);
    return Levers(before, before - d, now, now_b);
}

// K = w_a + w_b - [r_now] 1/I [r_prev] of both bodies: nKn is w_1 + w_2 of [Mueller2020] section 3.2.1.
fn mobility(levers: Levers, a: Body, b: Body) -> mat3x3f {
    return diagonal(vec3f(a.w + b.w)) - skew(levers.a_now) * a.inverse_inertia * skew(levers.a_prev)
        - skew(levers.b_now) * b.inverse_inertia * skew(levers.b_prev);
}

// 1/m; 0 where rounding would destroy it.
fn inverse(m: mat3x3f) -> mat3x3f {
    let trace = m[0].x + m[1].y + m[2].z;
    if !(trace > 0.0) {
        return diagonal(vec3f(0.0));
    }
    let scale = 3.0 / trace;
    let x = m[0] * scale;
    let y = m[1] * scale;
    let z = m[2] * scale;
    let yz = cross(y, z);
    let zx = cross(z, x);
    let xy = cross(x, y);
    let determinant = dot(x, yz);
    let most = max(abs(yz), max(abs(zx), abs(xy)));
    if !(max(most.x, max(most.y, most.z)) * 1e-6 < abs(determinant)) {
        return diagonal(vec3f(0.0));
    }
    return transpose(mat3x3f(yz, zx, xy)) * (scale / determinant);
}

// (K + alpha~)^-1 in the frame's axes, without its x axis if that is free.
fn response(k: mat3x3f, frame: mat3x3f, alpha: f32, x_is_free: bool) -> mat3x3f {
    var stiffness = transpose(frame) * k * frame + diagonal(vec3f(alpha));
    if !x_is_free {
        return inverse(stiffness);
    }
    let scale = max(stiffness[1].y, stiffness[2].z);
    stiffness[0] = vec3f(scale, 0.0, 0.0);
    stiffness[1].x = 0.0;
    stiffness[2].x = 0.0;
    var found = inverse(stiffness);
    found[0].x = 0.0;
    return found;
}

// asin(s)/s, for the sine s of an angle whose cosine is c.
fn angle_per_sine(sine_sq: f32, c: f32) -> f32 {
    if sine_sq < 0.01 && c > 0.0 {
        return 1.0 + sine_sq * (1.0 / 6.0 + sine_sq * (3.0 / 40.0 + sine_sq * (5.0 / 112.0)));
    }
    let sine = sqrt(sine_sq);
    if sine == 0.0 {
        return 0.0;
    }
    return atan2(sine, c) / sine;
}

// The rotation vector to be driven to zero, in B's axes: across x for a hinge, whole for a weld.
// Source: [Mueller2020] section 3.3.1; the angle instead of its sine.
fn angles_of(kind: u32, relative: vec4f) -> vec3f {
    if kind == HINGE {
        let u = turned(relative, vec3f(1.0, 0.0, 0.0));
        let sine_sq = u.y * u.y + u.z * u.z;
        if sine_sq == 0.0 && u.x < 0.0 {
            return vec3f(0.0, 3.14159265, 0.0);
        }
        return vec3f(0.0, -u.z, u.y) * angle_per_sine(sine_sq, u.x);
    }
    let q = select(relative, -relative, relative.w < 0.0);
    return 2.0 * q.xyz * angle_per_sine(dot(q.xyz, q.xyz), q.w);
}

// Solves the axes, then the origins. Source: [Mueller2020] section 3.3.
fn hold(joint: ptr<function, Joint>, a: ptr<function, Body>, b: ptr<function, Body>) {
    let d = apart(*a, *b);
    let alpha = min((*joint).compliance * settings.per_h_sq, 1e30);
    if (*joint).kind != BALL {
        let of_b = product((*b).q, (*joint).frame_b);
        let frame = axes_of(of_b);
        let relative = product(conjugate(of_b), product((*a).q, (*joint).frame_a));
        // Response of the bodies to a torque while the origins are held together: `SolverJoint::coupling`.
        let levers = levers_of(*joint, *a, *b, d);
        let gap = gap_of(*joint, *a, *b, d);
        let g = frame * response(mobility(levers, *a, *b), frame, alpha, false) * transpose(frame);
        let turns = ((*a).inverse_inertia * skew(levers.a_prev) + (*b).inverse_inertia * skew(levers.b_prev)) * g;
        let moves = skew(levers.a_now) * (*a).inverse_inertia + skew(levers.b_now) * (*b).inverse_inertia;
        let k = (*a).inverse_inertia + (*b).inverse_inertia + turns * moves;
        let shift = -(turns * (gap + alpha * (frame * (*joint).lambda)));

        let is_hinge = (*joint).kind == HINGE;
        let angular_alpha = min((*joint).angular_compliance * settings.per_h_sq, 1e30);
        let c = angles_of((*joint).kind, relative) + transpose(frame) * shift;
        let rest = response(k, frame, angular_alpha, is_hinge);
        var aim = -c - angular_alpha * (*joint).lambda_angular;
        if is_hinge {
            aim.x = 0.0;
        }
        let step = rest * aim;
        (*joint).lambda_angular += step;
        let torque = frame * step;
        (*joint).angular_impulse += torque;
        push(a, vec3f(0.0), torque);
        push(b, vec3f(0.0), -torque);
    }
    let frame = axes_of(product((*b).q, (*joint).frame_b));
    let levers = levers_of(*joint, *a, *b, d);
    let c = transpose(frame) * gap_of(*joint, *a, *b, d);
    let step = response(mobility(levers, *a, *b), frame, alpha, false) * (-c - alpha * (*joint).lambda);
    (*joint).lambda += step;
    let p = frame * step;
    (*joint).impulse += p;
    push(a, p, cross(levers.a_prev, p));
    push(b, -p, -cross(levers.b_prev, p));
}

// The vector from B's origin to A's (world).
fn gap_of(joint: Joint, a: Body, b: Body, d: vec3f) -> vec3f {
    return (a.u - b.u) - d + turned(a.q, joint.place_a) - turned(b.q, joint.place_b);
}

// Joints of one batch share no body that moves.
@compute @workgroup_size(64)
fn hold_joints(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= part.count || joints[part.first + i].is_broken != 0u {
        return;
    }
    var joint = joints[part.first + i];
    var a = bodies[joint.a];
    var b = bodies[joint.b];
    hold(&joint, &a, &b);
    joints[part.first + i] = joint;
    // A body that nothing moves may be shared: it is not written.
    if a.w > 0.0 {
        bodies[joint.a] = a;
    }
    if b.w > 0.0 {
        bodies[joint.b] = b;
    }
}

// All joints from the same poses. Source: [Macklin2014] section 4.2; both bodies of a joint use the same share.
@compute @workgroup_size(64)
fn note_joints(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_joints {
        return;
    }
    if joints[i].is_broken != 0u {
        for (var k = 0u; k < 4u; k++) {
            corrections[4u * i + k] = vec4f(0.0);
        }
        return;
    }
    var joint = joints[i];
    var a = bodies[joint.a];
    var b = bodies[joint.b];
    hold(&joint, &a, &b);
    let s = joint.share;
    corrections[4u * i] = vec4f(s * (a.impulse - bodies[joint.a].impulse), 0.0);
    corrections[4u * i + 1u] = vec4f(s * (a.angular_impulse - bodies[joint.a].angular_impulse), 0.0);
    corrections[4u * i + 2u] = vec4f(s * (b.impulse - bodies[joint.b].impulse), 0.0);
    corrections[4u * i + 3u] = vec4f(s * (b.angular_impulse - bodies[joint.b].angular_impulse), 0.0);
    joints[i].lambda += s * (joint.lambda - joints[i].lambda);
    joints[i].lambda_angular += s * (joint.lambda_angular - joints[i].lambda_angular);
    joints[i].impulse += s * (joint.impulse - joints[i].impulse);
    joints[i].angular_impulse += s * (joint.angular_impulse - joints[i].angular_impulse);
}

// Adds the corrections of a body in the order of its joints.
@compute @workgroup_size(64)
fn gather_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_bodies || bodies[i].w == 0.0 || ends[i] == ends[i + 1u] {
        return;
    }
    var p = vec3f(0.0);
    var torque = vec3f(0.0);
    for (var place = ends[i]; place < ends[i + 1u]; place++) {
        let end = ends[settings.n_bodies + 1u + place];
        p += corrections[2u * end].xyz;
        torque += corrections[2u * end + 1u].xyz;
    }
    var body = bodies[i];
    push(&body, p, torque);
    bodies[i] = body;
}

// Adds the impulses of a substep to those of the step, f h = lambda n/h of [Mueller2020] section 3.2, and starts anew.
@compute @workgroup_size(64)
fn settle_joints(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_joints {
        return;
    }
    joints[i].step_impulse += joints[i].impulse * settings.per_h;
    joints[i].step_angular_impulse += joints[i].angular_impulse * settings.per_h;
    joints[i].lambda = vec3f(0.0);
    joints[i].lambda_angular = vec3f(0.0);
    joints[i].impulse = vec3f(0.0);
    joints[i].angular_impulse = vec3f(0.0);
}
