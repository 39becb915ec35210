// Stage 1, computation of particle values.

// L = R I R^T omega at the start of a step.
@compute @workgroup_size(64)
fn begin(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index >= settings.n_bodies {
        return;
    }
    let q = motions[index].q;
    let local = bodies[index].moments * rotate_back(q, motions[index].omega.xyz);
    motions[index].momentum = vec4f(rotate(q, local), 0.0);
}

// x_i = x + R r_i, v_i = v + omega x (x_i - x).
@compute @workgroup_size(64)
fn particle_values(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index >= settings.n_particles || control.status != 0u {
        return;
    }
    let particle = particles[index];
    let owner = bitcast<u32>(particle.w);
    let arm = rotate(motions[owner].q, particle.xyz);
    let position = motions[owner].x.xyz + arm;
    let velocity = motions[owner].v.xyz + cross(motions[owner].omega.xyz, arm);
    values[index] = Value(position, owner, velocity, bucket_of(cell_of(position)));
}
