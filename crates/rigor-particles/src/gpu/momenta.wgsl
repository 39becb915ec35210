// Stage 4, computation of momenta: sums over the particles of each body, and the substep that they allow.

var<workgroup> lane_force: array<vec4f, 64>;
var<workgroup> lane_moment: array<vec4f, 64>;
var<workgroup> lane_overlap: array<f32, 64>;

// F = sum f, T = sum r_i x f: one workgroup for each body; each lane adds every 64th particle, then lanes are
// added in pairs. The order is the same in every run.
@compute @workgroup_size(64)
fn sum_forces(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let body = group.x + groups.x * group.y;
    var force = vec4f(0.0);
    var moment = vec4f(0.0);
    var overlap = 0.0;
    if body < settings.n_bodies && control.status == 0u {
        let x = motions[body].x.xyz;
        for (var i = bodies[body].first + lane; i < bodies[body].end; i += 64u) {
            let own = forces[i];
            force += vec4f(own.force, own.stiffness);
            moment += vec4f(cross(values[i].position - x, own.force), own.damping);
            overlap = max(overlap, own.overlap);
        }
    }
    lane_force[lane] = force;
    lane_moment[lane] = moment;
    lane_overlap[lane] = overlap;
    for (var half = 32u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            lane_force[lane] += lane_force[lane + half];
            lane_moment[lane] += lane_moment[lane + half];
            lane_overlap[lane] = max(lane_overlap[lane], lane_overlap[lane + half]);
        }
    }
    if lane == 0u && body < settings.n_bodies && control.status == 0u {
        motions[body].force = vec4f(lane_force[0].xyz, 0.0);
        motions[body].moment = vec4f(lane_moment[0].xyz, 0.0);
        let speed = length(motions[body].v.xyz) + length(motions[body].omega.xyz) * bodies[body].extent;
        atomicMax(&control.omega_sq, bitcast<u32>(lane_force[0].w));
        atomicMax(&control.gamma, bitcast<u32>(lane_moment[0].w));
        atomicMax(&control.speed, bitcast<u32>(speed));
        atomicMax(&control.acceleration, bitcast<u32>(length(bodies[body].acceleration)));
        atomicMax(&control.overlap, bitcast<u32>(lane_overlap[0]));
        atomicMax(&control.relative_overlap, bitcast<u32>(0.5 * lane_overlap[0] / bodies[body].radius));
    }
}

// The next substep: an equal part of what is left of the step, stable for the contacts there are and for those
// that may begin.
//
// h <= pi/(n omega) with n = `steps_per_contact`, h <= 1/(2 gamma), and h v + h^2 a at most `advance`.
@compute @workgroup_size(1)
fn choose_substep() {
    control.h = 0.0;
    if control.status != 0u {
        return;
    }
    let omega_sq = bitcast<f32>(atomicExchange(&control.omega_sq, 0u));
    let gamma = bitcast<f32>(atomicExchange(&control.gamma, 0u));
    let speed = max(bitcast<f32>(atomicExchange(&control.speed, 0u)), settings.obstacle_speed);
    let acceleration = bitcast<f32>(atomicExchange(&control.acceleration, 0u));
    var longest = control.rest;
    if omega_sq > 0.0 {
        longest = min(longest, 3.1415927 / (settings.steps_per_contact * sqrt(omega_sq)));
    }
    if gamma > 0.0 {
        longest = min(longest, 0.5 / gamma);
    }
    let root = speed + sqrt(speed * speed + 4.0 * acceleration * settings.advance);
    if root > 0.0 {
        longest = min(longest, 2.0 * settings.advance / root);
    }
    let parts = max(1.0, ceil(control.rest / longest * (1.0 - 1e-6)));
    control.longest = longest;
    control.needed = f32(control.substeps) + parts;
    if !(control.needed <= f32(settings.max_substeps)) {
        control.status = 2u;
        return;
    }
    control.substeps += 1u;
    if parts > 1.0 {
        control.h = control.rest / parts;
        control.rest -= control.h;
    } else {
        control.h = control.rest;
        control.rest = 0.0;
        control.status = 1u;
    }
    control.shortest = min(control.shortest, control.h);
}
