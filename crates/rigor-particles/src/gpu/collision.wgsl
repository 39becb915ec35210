// Stage 3, collision detection and reaction.

// Source: [Harada2007]: f_s = -k (d - |r_ij|) r_ij/|r_ij|, f_d = eta v_ij, f_t = k_t v_ij,t, of j relative to i.
// With the normal towards i and the velocity of i relative to j.
fn law(kappa: f32, eta: f32, shear: f32, overlap: f32, normal: vec3f, velocity: vec3f) -> vec3f {
    let v_n = dot(velocity, normal);
    let v_t = velocity - v_n * normal;
    return (kappa * overlap - eta * v_n) * normal - (eta + shear) * v_t;
}

// eta = 2 zeta sqrt(kappa m), with the mass of both bodies shared by the contacts of a face.
fn damping_of(kappa: f32, inverse_mass: f32, contacts: f32, materials: vec2u) -> f32 {
    if settings.damping >= 0.0 {
        return settings.damping;
    }
    let place = materials.x * settings.n_materials + materials.y;
    let zeta = geometry[settings.zeta + place / 4u][place % 4u];
    return 2.0 * zeta * sqrt(kappa / max(inverse_mass * contacts, 1e-30));
}

fn shear_of(eta: f32) -> f32 {
    return select(settings.shear, eta, settings.shear < 0.0);
}

fn may_touch(a: u32, b: u32) -> bool {
    let same = bodies[a].group == bodies[b].group && bodies[a].group != NO_GROUP;
    return !same && bodies[a].inverse_mass + bodies[b].inverse_mass > 0.0;
}

// What a contact adds to the bounds of the body: omega^2 by kappa w with w = 1/m + (r x n) . I^-1 (r x n), and
// the rate of damping by (eta + k_t) (1/m + tr([r] I^-1 [r]^T)).
fn bounds(owner: u32, arm: vec3f, normal: vec3f, kappa: f32, eta: f32, factor: f32) -> vec2f {
    let q = motions[owner].q;
    let inverse = bodies[owner].inverse_moments;
    let turn = rotate_back(q, cross(arm, normal));
    let r = rotate_back(q, arm);
    let w = bodies[owner].inverse_mass + dot(turn * turn, inverse);
    let trace = dot(r, r) * (inverse.x + inverse.y + inverse.z) - dot(r * r, inverse);
    return factor * vec2f(kappa * w, (eta + shear_of(eta)) * (bodies[owner].inverse_mass + trace));
}

// Adds what particle j does to particle i.
fn add_pair(me: Value, i: u32, other: Value, j: u32, sum: ptr<function, Force>) {
    let separation = me.position - other.position;
    let contact = bodies[me.owner].radius + bodies[other.owner].radius;
    let reach = contact + settings.margin;
    let square = dot(separation, separation);
    if square >= reach * reach || !may_touch(me.owner, other.owner) {
        return;
    }
    let distance = sqrt(square);
    // Two centres at the same place are pushed apart along x, for lack of a direction.
    var normal = vec3f(select(-1.0, 1.0, i < j), 0.0, 0.0);
    if distance > 0.0 {
        normal = separation / distance;
    }
    let a = bodies[me.owner].kappa;
    let b = bodies[other.owner].kappa;
    // Springs in series.
    let kappa = select(a * (b / (a + b)), settings.stiffness, settings.stiffness > 0.0);
    let inverse_mass = bodies[me.owner].inverse_mass + bodies[other.owner].inverse_mass;
    let contacts = min(bodies[me.owner].contacts, bodies[other.owner].contacts);
    let eta = damping_of(kappa, inverse_mass, contacts, vec2u(bodies[me.owner].material, bodies[other.owner].material));
    // Both sides move, unless one is pinned: (u - v)^2 <= 2 u^2 + 2 v^2.
    let factor = select(1.0, 2.0, bodies[me.owner].inverse_mass > 0.0 && bodies[other.owner].inverse_mass > 0.0);
    let bound = bounds(me.owner, me.position - motions[me.owner].x.xyz, normal, kappa, eta, factor);
    (*sum).stiffness += bound.x;
    (*sum).damping += bound.y;
    let overlap = contact - distance;
    if overlap > 0.0 {
        (*sum).force += law(kappa, eta, shear_of(eta), overlap, normal, me.velocity - other.velocity);
        (*sum).overlap = max((*sum).overlap, overlap);
    }
}

// Adds what the obstacles do to a particle.
fn add_walls(me: Value, sum: ptr<function, Force>) {
    let body = me.owner;
    if bodies[body].inverse_mass == 0.0 {
        return;
    }
    let radius = bodies[body].radius;
    let kappa = select(bodies[body].kappa, settings.stiffness, settings.stiffness > 0.0);
    let arm = me.position - motions[body].x.xyz;
    for (var k = 0u; k < settings.n_obstacles; k++) {
        let obstacle = obstacle_at(k, settings.dt - control.rest);
        if obstacle.group == bodies[body].group {
            continue;
        }
        let centre = rotate_back(obstacle.q, me.position - obstacle.x);
        var known: array<WallPoint, 3>;
        for (var n = 0u; n < MOST; n++) {
            let found = next_contact(obstacle, centre, radius, radius + settings.margin, &known, n);
            if !found.found {
                break;
            }
            known[n] = found;
            let normal = rotate(obstacle.q, found.normal);
            let eta = damping_of(
                kappa, bodies[body].inverse_mass, bodies[body].contacts, vec2u(bodies[body].material, obstacle.material),
            );
            let bound = bounds(body, arm, normal, kappa, eta, 1.0);
            (*sum).stiffness += bound.x;
            (*sum).damping += bound.y;
            let overlap = radius - found.distance;
            if found.size < radius {
                let from_x = rotate(obstacle.q, found.point);
                let velocity = me.velocity - obstacle.velocity - cross(obstacle.omega, from_x);
                (*sum).force += law(kappa, eta, shear_of(eta), overlap, normal, velocity);
                (*sum).overlap = max((*sum).overlap, overlap);
            }
        }
    }
}

// The force on each particle. Each pair is computed from both sides, with opposite forces to the last bit; sums
// run over the 27 cells and, in each of them, over particles in ascending order.
@compute @workgroup_size(64)
fn collide(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index >= settings.n_particles || control.status != 0u {
        return;
    }
    let i = sorted[index];
    let me = values[i];
    let home = cell_of(me.position);
    var sum: Force;
    for (var k = 0; k < 27; k++) {
        let cell = home + vec3i(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
        let bucket = bucket_of(cell);
        let end = atomicLoad(&grid[settings.n_buckets + bucket]);
        for (var place = atomicLoad(&grid[bucket]); place < end; place++) {
            let j = sorted[place];
            let other = values[j];
            // Several cells share a bucket.
            if other.owner != me.owner && all(cell_of(other.position) == cell) {
                add_pair(me, i, other, j, &sum);
            }
        }
    }
    add_walls(me, &sum);
    forces[i] = sum;
}
