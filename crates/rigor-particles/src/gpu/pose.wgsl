// Stage 5, computation of position and quaternion, after momenta have changed by the forces.

fn free_part(v: vec3f, flags: u32) -> vec3f {
    return select(v, vec3f(0.0), (vec3u(flags) & vec3u(1u, 2u, 4u)) != vec3u(0u));
}

struct Sum {
    high: vec3f,
    low: vec3f,
}

// high + low + change, with what rounding takes from the sum in `low`: many small changes would otherwise be
// rounded the same way and add up. Source: TwoSum of Knuth, as in `crates/rigor-interval/src/rounding.rs`.
fn add(high: vec3f, low: vec3f, change: vec3f) -> Sum {
    let b = low + change;
    let sum = high + b;
    let part = sum - high;
    return Sum(sum, (high - (sum - part)) + (b - part));
}

// omega = R I^-1 R^T L; with fixed axes the solution of P R I R^T P omega = P L along the free ones.
fn turn_of(body: u32, q: vec4f, momentum: vec3f) -> vec3f {
    let fixed = bodies[body].flags >> 3u & 7u;
    if fixed == 0u {
        return rotate(q, bodies[body].inverse_moments * rotate_back(q, momentum));
    }
    if fixed == 7u {
        return vec3f(0.0);
    }
    var column: array<vec3f, 3>;
    for (var k = 0u; k < 3u; k++) {
        var e = vec3f(0.0);
        e[k] = 1.0;
        let full = rotate(q, bodies[body].moments * rotate_back(q, free_part(e, fixed)));
        column[k] = free_part(full, fixed) + e - free_part(e, fixed);
    }
    // Cramer's rule.
    let l = free_part(momentum, fixed);
    let volume = dot(column[0], cross(column[1], column[2]));
    return vec3f(
        dot(l, cross(column[1], column[2])), dot(column[0], cross(l, column[2])), dot(column[0], cross(column[1], l)),
    ) / volume;
}

// The orientation after h of free rotation: two exponentials in the last stage, order four [Celledoni2003].
fn free_rotation(body: u32, q: vec4f, momentum: vec3f, h: f32) -> vec4f {
    let torque = bodies[body].torque;
    let middle = momentum + 0.5 * h * torque;
    let k1 = h * turn_of(body, q, momentum);
    let q2 = product(exponential(0.5 * k1), q);
    let k2 = h * turn_of(body, q2, middle);
    let k3 = h * turn_of(body, product(exponential(0.5 * k2), q), middle);
    let q4 = product(exponential(k3 - 0.5 * k1), q2);
    let k4 = h * turn_of(body, q4, momentum + h * torque);
    let twice = 2.0 * (k2 + k3);
    let first = exponential((3.0 * k1 + twice - k4) / 12.0);
    return product(exponential((3.0 * k4 + twice - k1) / 12.0), product(first, q));
}

// P <- P + h F, L <- L + h T; x <- x + h v + h^2 a/2, v <- v + h a, q <- dq q.
@compute @workgroup_size(64)
fn move_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    let h = control.h;
    if index >= settings.n_bodies || h == 0.0 {
        return;
    }
    let body = index;
    var motion = motions[body];
    let flags = bodies[body].flags;
    let a = bodies[body].acceleration;
    let kick = free_part(h * bodies[body].inverse_mass * motion.force.xyz, flags);
    let v = add(motion.v.xyz, motion.v_low.xyz, kick);
    let x = add(motion.x.xyz, motion.x_low.xyz, h * v.high + (h * v.low + 0.5 * h * h * a));
    let v_end = add(v.high, v.low, h * a);
    motion.x = vec4f(x.high, 0.0);
    motion.x_low = vec4f(x.low, 0.0);
    motion.v = vec4f(v_end.high, 0.0);
    motion.v_low = vec4f(v_end.low, 0.0);
    if bodies[body].inverse_mass > 0.0 {
        let momentum = motion.momentum.xyz + h * motion.moment.xyz;
        if (flags & GRAIN) == 0u && (flags >> 3u & 7u) != 7u {
            if settings.rotation == 1u {
                motion.q = product(exponential(h * turn_of(body, motion.q, momentum)), motion.q);
            } else {
                motion.q = free_rotation(body, motion.q, momentum, h);
            }
            motion.q = normalize(motion.q);
        }
        motion.momentum = vec4f(momentum + h * bodies[body].torque, 0.0);
        motion.omega = vec4f(turn_of(body, motion.q, motion.momentum.xyz), 0.0);
    }
    motions[body] = motion;
}
