// Stage 2, grid generation: a counting sort of the particles by bucket. No particle is dropped.

// Buckets that one workgroup sums up, four by each thread.
const BLOCK: u32 = 1024u;

var<workgroup> partial: array<u32, 256>;

@compute @workgroup_size(256)
fn clear(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 256u);
    if index < settings.n_buckets {
        atomicStore(&grid[index], 0u);
    }
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index < settings.n_particles && control.status == 0u {
        atomicAdd(&grid[values[index].bucket], 1u);
    }
}

// Inclusive sums of `partial`.
fn sum_up(lane: u32) {
    for (var step = 1u; step < 256u; step = 2u * step) {
        workgroupBarrier();
        var before = 0u;
        if lane >= step {
            before = partial[lane - step];
        }
        workgroupBarrier();
        partial[lane] += before;
    }
    workgroupBarrier();
}

// Replaces the counts of each block by the sums of those before, and stores the sum of the block.
@compute @workgroup_size(256)
fn sum_blocks(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let block = group.x + groups.x * group.y;
    let first = block * BLOCK + 4u * lane;
    var counts = vec4u(0u);
    for (var k = 0u; k < 4u; k++) {
        if first + k < settings.n_buckets {
            counts[k] = atomicLoad(&grid[first + k]);
        }
    }
    let own = counts.x + counts.y + counts.z + counts.w;
    partial[lane] = own;
    sum_up(lane);
    var sum = partial[lane] - own;
    for (var k = 0u; k < 4u; k++) {
        if first + k < settings.n_buckets {
            atomicStore(&grid[first + k], sum);
        }
        sum += counts[k];
    }
    if lane == 255u && block * BLOCK < settings.n_buckets {
        atomicStore(&grid[2u * settings.n_buckets + block], partial[255]);
    }
}

// Replaces the sums of the blocks by the sums of those before: one workgroup, 256 blocks at a time.
@compute @workgroup_size(256)
fn sum_sums(@builtin(local_invocation_index) lane: u32) {
    let n_blocks = (settings.n_buckets + BLOCK - 1u) / BLOCK;
    var before = 0u;
    for (var start = 0u; start < n_blocks; start += 256u) {
        let place = 2u * settings.n_buckets + start + lane;
        var own = 0u;
        if start + lane < n_blocks {
            own = atomicLoad(&grid[place]);
        }
        partial[lane] = own;
        sum_up(lane);
        if start + lane < n_blocks {
            atomicStore(&grid[place], before + partial[lane] - own);
        }
        before += partial[255];
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn add_sums(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 256u);
    if index < settings.n_buckets {
        let sum = atomicLoad(&grid[2u * settings.n_buckets + index / BLOCK]);
        let start = atomicLoad(&grid[index]) + sum;
        atomicStore(&grid[index], start);
        atomicStore(&grid[settings.n_buckets + index], start);
    }
}

// Gives each particle a place in its bucket, in any order.
@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index < settings.n_particles && control.status == 0u {
        let place = atomicAdd(&grid[settings.n_buckets + values[index].bucket], 1u);
        sorted[place] = index;
    }
}

// Puts the particles of each bucket into ascending order, so that sums over them have one order.
@compute @workgroup_size(64)
fn order(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(id, groups, 64u);
    if index >= settings.n_buckets || control.status != 0u {
        return;
    }
    let start = atomicLoad(&grid[index]);
    let end = atomicLoad(&grid[settings.n_buckets + index]);
    for (var k = start + 1u; k < end; k++) {
        let particle = sorted[k];
        var place = k;
        while place > start {
            let before = sorted[place - 1u];
            if before < particle {
                break;
            }
            sorted[place] = before;
            place--;
        }
        sorted[place] = particle;
    }
}
