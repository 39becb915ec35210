// Contacts of pairs of bodies, one after another.

// The unit normal from b to a (world).
fn normal_of(contact: Contact, a: Body, b: Body) -> vec3f {
    if contact.feature == FACE_OF_B {
        return turned(b.q, contact.n);
    }
    if contact.feature == FACE_OF_A {
        return -turned(a.q, contact.n);
    }
    return normalize(cross(turned(a.q, contact.n), turned(b.q, contact.m)));
}

// w = 1/m + (r x n) 1/I (r x n). Source: [Mueller2020] section 3.2.1.
fn inverse_mass(body: Body, r: vec3f, n: vec3f) -> f32 {
    let rn = cross(r, n);
    return body.w + dot(rn, body.inverse_inertia * rn);
}

// C = (p_a - p_b) n >= 0. Source: [Mueller2020] section 3.4.
fn push_apart(contact: ptr<function, Contact>, a: ptr<function, Body>, b: ptr<function, Body>, d: vec3f) -> f32 {
    let n = normal_of(*contact, *a, *b);
    let gap = ((*a).u - (*b).u) - d + turned((*a).q, (*contact).a) - turned((*b).q, (*contact).b);
    let c = dot(gap, n);
    if c < 0.0 {
        let r = middle_before(*contact, *a, *b, d);
        let w = inverse_mass(*a, r, n) + inverse_mass(*b, r - d, n);
        let delta = -c / w;
        (*contact).lambda_n += delta;
        push(a, delta * n, cross(r, delta * n));
        push(b, -delta * n, -cross(r - d, delta * n));
    }
    return c;
}

// The midpoint of the contact points before the substep, from a's centre then.
fn middle_before(contact: Contact, a: Body, b: Body, d: vec3f) -> vec3f {
    return 0.5 * (turned(a.q_prev, contact.a) + (d + turned(b.q_prev, contact.b)));
}

// Cancels the tangential motion since the substep began, if lambda_t stays below mu_s lambda_n.
// Source: [Mueller2020] section 3.4.
fn hold_contact(contact: ptr<function, Contact>, a: ptr<function, Body>, b: ptr<function, Body>, d: vec3f, mu_s: f32) {
    if (*contact).lambda_n == 0.0 || mu_s == 0.0 {
        return;
    }
    let n = normal_of(*contact, *a, *b);
    let slip = ((*a).u + (turned((*a).q, (*contact).a) - turned((*a).q_prev, (*contact).a)))
        - ((*b).u + (turned((*b).q, (*contact).b) - turned((*b).q_prev, (*contact).b)));
    let slip_t = slip - dot(slip, n) * n;
    let c = length(slip_t);
    if c == 0.0 {
        return;
    }
    let t = slip_t / c;
    let r = middle_before(*contact, *a, *b, d);
    let w = inverse_mass(*a, r, t) + inverse_mass(*b, r - d, t);
    let p = -t * (c / w);
    let lambda_t = (*contact).lambda_t + p;
    if length(lambda_t) < mu_s * (*contact).lambda_n {
        (*contact).lambda_t = lambda_t;
        push(a, p, cross(r, p));
        push(b, -p, -cross(r - d, p));
    }
}

// Pairs of one batch share no body that moves.
@compute @workgroup_size(64)
fn push_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let k = index_of(id, groups);
    if k >= part.count {
        return;
    }
    let i = part.first + k;
    let pair = pairs[i];
    if pair.count == 0u {
        return;
    }
    var a = bodies[pair.a];
    var b = bodies[pair.b];
    let d = apart(a, b);
    var distance = pair.distance;
    for (var k = 0u; k < pair.count; k++) {
        let at = 2u * MOST * i + k;
        var contact = contacts[at];
        distance = min(distance, push_apart(&contact, &a, &b, d));
        hold_contact(&contact, &a, &b, d, pair.mu_s);
        contacts[at] = contact;
    }
    pairs[i].distance = distance;
    if a.w > 0.0 {
        bodies[pair.a] = a;
    }
    if b.w > 0.0 {
        bodies[pair.b] = b;
    }
}

fn strike(body: ptr<function, Body>, r: vec3f, p: vec3f) {
    (*body).v += (*body).w * p;
    (*body).omega += (*body).inverse_inertia * cross(r, p);
}

// Dynamic friction, then e = 0: no contact that pushed separates or approaches. Source: [Mueller2020] section 3.5.
fn slow(contact: ptr<function, Contact>, a: ptr<function, Body>, b: ptr<function, Body>, d: vec3f, mu_d: f32) {
    let n = normal_of(*contact, *a, *b);
    let between = d + ((*b).u - (*a).u);
    let r_a = 0.5 * (turned((*a).q, (*contact).a) + (between + turned((*b).q, (*contact).b)));
    let r_b = r_a - between;
    let v = relative_velocity(*a, *b, r_a, r_b);
    let v_t = v - dot(v, n) * n;
    let speed = length(v_t);
    if speed > 0.0 && mu_d > 0.0 {
        let t = v_t / speed;
        let w = inverse_mass(*a, r_a, t) + inverse_mass(*b, r_b, t);
        let p = -t * min(mu_d * (*contact).lambda_n * settings.per_h, speed / w);
        (*contact).friction_impulse += p;
        strike(a, r_a, p);
        strike(b, r_b, -p);
    }
    let v_n = dot(relative_velocity(*a, *b, r_a, r_b), n);
    let w = inverse_mass(*a, r_a, n) + inverse_mass(*b, r_b, n);
    let p = max(-v_n / w, -((*contact).lambda_n * settings.per_h + (*contact).normal_impulse));
    (*contact).normal_impulse += p;
    strike(a, r_a, p * n);
    strike(b, r_b, -p * n);
}

fn relative_velocity(a: Body, b: Body, r_a: vec3f, r_b: vec3f) -> vec3f {
    return (a.v + cross(a.omega, r_a)) - (b.v + cross(b.omega, r_b));
}

// Adds the impulses of a contact to those of the step.
fn collect(i: u32, contact: Contact) {
    let base = 2u * MOST * i + MOST;
    var k = 0u;
    let n = pairs[i].pushed;
    while k < n {
        let known = contacts[base + k];
        if known.key_kind == contact.key_kind && known.key_a == contact.key_a && known.key_b == contact.key_b {
            break;
        }
        k++;
    }
    if k == MOST {
        atomicOr(&faults[0], TOO_MANY);
        return;
    }
    var pushed = contact;
    pushed.normal_impulse += contact.lambda_n * settings.per_h;
    pushed.friction_impulse += contact.lambda_t * settings.per_h;
    if k < n {
        pushed.normal_impulse += contacts[base + k].normal_impulse;
        pushed.friction_impulse += contacts[base + k].friction_impulse;
    } else {
        pairs[i].pushed = n + 1u;
    }
    contacts[base + k] = pushed;
}

// Pairs of one batch share no body that moves.
@compute @workgroup_size(64)
fn slow_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let k = index_of(id, groups);
    if k >= part.count {
        return;
    }
    let i = part.first + k;
    let pair = pairs[i];
    if pair.count == 0u {
        return;
    }
    var a = bodies[pair.a];
    var b = bodies[pair.b];
    let d = apart(a, b);
    for (var k = 0u; k < pair.count; k++) {
        var contact = contacts[2u * MOST * i + k];
        if contact.lambda_n > 0.0 {
            slow(&contact, &a, &b, d, pair.mu_d);
            collect(i, contact);
        }
    }
    if a.w > 0.0 {
        bodies[pair.a] = a;
    }
    if b.w > 0.0 {
        bodies[pair.b] = b;
    }
}
