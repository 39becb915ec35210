// Stage 1, computation of particle values.

// L = R I R^T omega at the start of a step.
@compute @workgroup_size(64)
fn begin(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= settings.n_bodies {
        return;
    }
    let q = motions[id.x].q;
    let local = bodies[id.x].moments * rotate_back(q, motions[id.x].omega.xyz);
    motions[id.x].momentum = vec4f(rotate(q, local), 0.0);
}

// x_i = x + R r_i, v_i = v + omega x (x_i - x).
@compute @workgroup_size(64)
fn particle_values(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= settings.n_particles || control.status != 0u {
        return;
    }
    let particle = particles[id.x];
    let owner = bitcast<u32>(particle.w);
    let arm = rotate(motions[owner].q, particle.xyz);
    let position = motions[owner].x.xyz + arm;
    let velocity = motions[owner].v.xyz + cross(motions[owner].omega.xyz, arm);
    values[id.x] = Value(position, owner, velocity, bucket_of(cell_of(position)));
}
