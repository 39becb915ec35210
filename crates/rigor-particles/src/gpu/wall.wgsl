// Contacts of a particle with the triangles of an obstacle; the rules are those of `wall.rs`.
//
// `geometry` has five vec4 for each obstacle: x and the bits of the place of its first node; q; velocity and the
// bits of the place behind its last node; omega; and the bits of its group, of its material, and of 1 if it is
// solid.
// A node has two: minimum and the bits of the node to go on with if the box is missed; maximum and the bits of
// its triangle, or of NO_TRIANGLE. A triangle has four: its corners, and its unit normal n with n . a.

const NO_TRIANGLE: u32 = 0xffffffffu;
// How far a point must rise above the plane of a nearer contact, as a fraction of the radius.
const RISE: f32 = 0.1;
const MOST: u32 = 3u;

struct Obstacle {
    x: vec3f,
    q: vec4f,
    velocity: vec3f,
    omega: vec3f,
    first: u32,
    end: u32,
    group: u32,
    material: u32,
    is_solid: bool,
}

struct WallPoint {
    found: bool,
    triangle: u32,
    // Signed, and without its sign.
    distance: f32,
    size: f32,
    normal: vec3f,
    point: vec3f,
}

// The obstacle `elapsed` after the start of the step: it moves uniformly from there to where the scene has it
// at the end.
fn obstacle_at(k: u32, elapsed: f32) -> Obstacle {
    let a = geometry[5u * k];
    let c = geometry[5u * k + 2u];
    let d = geometry[5u * k + 3u];
    let names = bitcast<vec4u>(geometry[5u * k + 4u]);
    let turn = elapsed * d.xyz;
    let angle = length(turn);
    var q = geometry[5u * k + 1u];
    if angle > 0.0 {
        // An obstacle may turn by any angle in a step: in parts for which the series holds.
        let parts = max(1u, u32(ceil(5.0 * angle)));
        let part = exponential(turn / f32(parts));
        for (var i = 0u; i < parts; i++) {
            q = normalize(product(part, q));
        }
    }
    return Obstacle(
        a.xyz + elapsed * c.xyz, q, c.xyz, d.xyz, bitcast<u32>(a.w), bitcast<u32>(c.w), names.x, names.y, names.z == 1u,
    );
}

fn nearest_on_edge(centre: vec3f, a: vec3f, b: vec3f) -> vec3f {
    let along = b - a;
    return a + clamp(dot(centre - a, along) / dot(along, along), 0.0, 1.0) * along;
}

// Whether the projection of `centre` lies on the inner side of the edge from a to b.
fn is_inside(centre: vec3f, a: vec3f, b: vec3f, normal: vec3f) -> bool {
    return dot(cross(normal, b - a), centre - a) >= 0.0;
}

fn touch(place: u32, triangle: u32, is_solid: bool, centre: vec3f, reach: f32) -> WallPoint {
    var nothing: WallPoint;
    let a = geometry[place].xyz;
    let b = geometry[place + 1u].xyz;
    let c = geometry[place + 2u].xyz;
    let plane = geometry[place + 3u];
    let normal = plane.xyz;
    let height = dot(normal, centre) - plane.w;
    if abs(height) >= reach {
        return nothing;
    }
    let inside =
        is_inside(centre, a, b, normal) && is_inside(centre, b, c, normal) && is_inside(centre, c, a, normal);
    if inside {
        let side = select(-1.0, 1.0, is_solid || height >= 0.0);
        return WallPoint(true, triangle, side * height, abs(height), side * normal, centre - height * normal);
    }
    // Behind a face, its edge is not what stops a sphere.
    if is_solid && height < 0.0 {
        return nothing;
    }
    var point = nearest_on_edge(centre, a, b);
    for (var k = 0u; k < 2u; k++) {
        let other = nearest_on_edge(centre, select(c, b, k == 0u), select(a, c, k == 0u));
        if dot(centre - other, centre - other) < dot(centre - point, centre - point) {
            point = other;
        }
    }
    let size = length(centre - point);
    if size >= reach || size == 0.0 {
        return nothing;
    }
    return WallPoint(true, triangle, size, size, (centre - point) / size, point);
}

// The nearest contact that rises above the planes of those known.
fn next_contact(
    obstacle: Obstacle, centre: vec3f, radius: f32, reach: f32, known: ptr<function, array<WallPoint, 3>>, n_known: u32,
) -> WallPoint {
    var best: WallPoint;
    var node = obstacle.first;
    while node < obstacle.end {
        let low = geometry[node];
        let high = geometry[node + 1u];
        let outside = max(max(low.xyz - centre, centre - high.xyz), vec3f(0.0));
        if dot(outside, outside) >= reach * reach {
            node = bitcast<u32>(low.w);
            continue;
        }
        let place = bitcast<u32>(high.w);
        if place != NO_TRIANGLE {
            let found = touch(place, place, obstacle.is_solid, centre, reach);
            var is_new = found.found;
            for (var k = 0u; k < n_known; k++) {
                is_new = is_new && dot(found.point - (*known)[k].point, (*known)[k].normal) > RISE * radius;
            }
            // Triangles lie in their own order, so that the first of equal ones wins.
            let is_nearer = !best.found || found.size < best.size
                || (found.size == best.size && found.triangle < best.triangle);
            if is_new && is_nearer {
                best = found;
            }
        }
        node += 2u;
    }
    return best;
}
