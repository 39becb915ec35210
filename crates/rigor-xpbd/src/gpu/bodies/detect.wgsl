// Contacts between convex solids, as the processor finds them: corners on faces, and edges on edges.

// Maximum number of contacts of a pair, and of faces that a corner may touch.
const MOST = 16u;
const MOST_FACES = 8u;

// Relative tolerance for nearest points to count as inside a feature.
const INSIDE = 1e-6;
// Squared sine of the angle below which two edges count as parallel.
const PARALLEL = 1e-6;
// Length ratio for parallel edges: a stretch no longer than this many times their overlap is where their ends meet.
const SHORT = 10.0;
// Sine of the angle by which the surroundings of a feature may rise above it.
const SUPPORT = 0.05;
// Motion in a substep, as a fraction of the thinner body's thickness, above which a contact that is new must not have been
// one from behind before, and above which bodies may pass through each other unseen.
const THIN = 0.1;
const THROUGH = 0.5;

// What went wrong: bits of `faults`.
const TOO_MANY = 1u;
const TOO_FAST = 2u;

const FACE_OF_B = 0u;
const FACE_OF_A = 1u;
const EDGES = 2u;

// Places in `features`.
struct Shape {
    faces: u32,
    n_faces: u32,
    corners: u32,
    n_corners: u32,
    edges: u32,
    n_edges: u32,
    radius: f32,
    thickness: f32,
}

struct Pair {
    a: u32,
    b: u32,
    // Number of contacts in the substep, and of those that pushed in the step.
    count: u32,
    pushed: u32,
    mu_s: f32,
    mu_d: f32,
    // Distance (m) below which points are the same, overlap (m) that is pushed apart, and margin of the search (m).
    same: f32,
    overlap: f32,
    margin: f32,
    // Smallest separation (m) in the step.
    distance: f32,
    // Overlap (m) before a substep from which on features were behind each other.
    deep: f32,
    pad: u32,
    shape_a: Shape,
    shape_b: Shape,
    // a's frame in b's at the start of the step.
    start: mat3x3f,
    start_origin: vec3f,
}

struct Contact {
    // Contact points in their bodies.
    a: vec3f,
    feature: u32,
    b: vec3f,
    lambda_n: f32,
    // The normal of the face in its body, or the direction of a's edge.
    n: vec3f,
    // Sum of normal impulses of the velocities (N s); in the list of those that pushed, of all.
    normal_impulse: f32,
    // The direction of b's edge.
    m: vec3f,
    key_kind: u32,
    lambda_t: vec3f,
    key_a: u32,
    // Friction impulses on a, likewise.
    friction_impulse: vec3f,
    key_b: u32,
}

@group(0) @binding(6) var<storage, read_write> pairs: array<Pair>;
// For each pair: the contacts of the substep, then those that pushed in the step.
@group(0) @binding(7) var<storage, read_write> contacts: array<Contact>;
@group(0) @binding(8) var<storage, read> features: array<vec4u>;
@group(0) @binding(9) var<storage, read_write> faults: array<atomic<u32>>;

fn number(place: u32) -> vec4f {
    return bitcast<vec4f>(features[place]);
}

// A frame in another.
struct Frame {
    axes: mat3x3f,
    origin: vec3f,
}

fn point_in(frame: Frame, p: vec3f) -> vec3f {
    return frame.axes * p + frame.origin;
}

// Separations that make a contact: from -depth to reach.
struct Window {
    depth: f32,
    reach: f32,
}

fn admits(window: Window, separation: f32) -> bool {
    return -window.depth <= separation && separation <= window.reach;
}

fn corner_position(shape: Shape, i: u32) -> vec3f {
    return number(shape.corners + 2u * i).xyz;
}

// Whether nothing around a corner rises above it along m.
fn corner_supports(shape: Shape, i: u32, m: vec3f) -> bool {
    let towards = features[shape.corners + 2u * i + 1u];
    for (var k = towards.x; k < towards.y; k++) {
        if dot(number(k).xyz, m) > SUPPORT {
            return false;
        }
    }
    return true;
}

struct Edge {
    ends: array<vec3f, 2>,
    length: f32,
    direction: vec3f,
    outside: vec3f,
    // Normals of the two faces, and directions into them.
    normals: array<vec3f, 2>,
    inwards: array<vec3f, 2>,
    // Corners at the ends; 0xffffffff: none.
    corners: array<u32, 2>,
}

fn edge_of(shape: Shape, i: u32) -> Edge {
    let at = shape.edges + 8u * i;
    let first = number(at);
    let ends = features[at + 7u];
    return Edge(
        array<vec3f, 2>(first.xyz, number(at + 1u).xyz),
        first.w,
        number(at + 2u).xyz,
        number(at + 3u).xyz,
        array<vec3f, 2>(number(at + 4u).xyz, number(at + 5u).xyz),
        array<vec3f, 2>(vec3f(number(at + 4u).w, number(at + 5u).w, number(at + 6u).x), number(at + 6u).yzw),
        array<u32, 2>(ends.x, ends.y),
    );
}

fn edge_supports(edge: Edge, m: vec3f) -> bool {
    return dot(edge.inwards[0], m) <= SUPPORT && dot(edge.inwards[1], m) <= SUPPORT;
}

// What a pair has found so far.
struct Finding {
    base: u32,
    count: u32,
    same: f32,
    // Normals in b's frame.
    normals: array<vec3f, MOST>,
    is_full: bool,
}

fn is_known(found: ptr<function, Finding>, point: vec3f, direction: vec3f) -> bool {
    for (var k = 0u; k < (*found).count; k++) {
        let along = dot((*found).normals[k], direction);
        let between = contacts[(*found).base + k].b - point;
        if dot(between, between) <= (*found).same * (*found).same && along * along > 0.98 * dot(direction, direction) {
            return true;
        }
    }
    return false;
}

fn note(found: ptr<function, Finding>, contact: Contact, normal: vec3f) {
    let k = (*found).count;
    if k >= MOST {
        (*found).is_full = true;
        return;
    }
    contacts[(*found).base + k] = contact;
    (*found).normals[k] = normal;
    (*found).count = k + 1u;
}

fn contact_at(a: vec3f, b: vec3f, feature: u32, n: vec3f, m: vec3f, key: vec3u) -> Contact {
    return Contact(a, feature, b, 0.0, n, 0.0, m, key.x, vec3f(0.0), key.y, vec3f(0.0), key.z);
}

// Corners of one body on faces of the other; `frame` is the body of the corners as seen from that of the faces.
fn find_corners(
    found: ptr<function, Finding>,
    corners: Shape,
    faces: Shape,
    frame: Frame,
    // a's axes in b's frame.
    a_in_b: mat3x3f,
    window: Window,
    of_a: bool,
) {
    for (var i = 0u; i < corners.n_corners; i++) {
        let local = corner_position(corners, i);
        let p = point_in(frame, local);
        var separations: array<f32, MOST_FACES>;
        var normals: array<vec4f, MOST_FACES>;
        var ids: array<u32, MOST_FACES>;
        var n = 0u;
        for (var j = 0u; j < faces.n_faces; j++) {
            let at = faces.faces + 5u * j;
            let plane = number(at);
            let separation = dot(plane.xyz, p) - plane.w;
            if !admits(window, separation) || !corner_supports(corners, i, -(transpose(frame.axes) * plane.xyz)) {
                continue;
            }
            let foot = p - separation * plane.xyz;
            let rims = vec3f(
                dot(number(at + 1u).xyz, foot) - number(at + 1u).w,
                dot(number(at + 2u).xyz, foot) - number(at + 2u).w,
                dot(number(at + 3u).xyz, foot) - number(at + 3u).w,
            );
            if max(rims.x, max(rims.y, rims.z)) > INSIDE * number(at + 4u).x {
                continue;
            }
            if n == MOST_FACES {
                (*found).is_full = true;
                continue;
            }
            // The shallowest first, and equal ones in the order of the faces.
            var k = n;
            while k > 0u && separations[k - 1u] < separation {
                separations[k] = separations[k - 1u];
                normals[k] = normals[k - 1u];
                ids[k] = ids[k - 1u];
                k--;
            }
            separations[k] = separation;
            normals[k] = plane;
            ids[k] = j;
            n++;
        }
        for (var k = 0u; k < n; k++) {
            let deeper = normals[k];
            var is_explained = false;
            for (var s = 0u; s < k; s++) {
                let foot = p - separations[s] * normals[s].xyz;
                let in_front = dot(deeper.xyz, foot) - deeper.w;
                let same_plane = dot(deeper.xyz, normals[s].xyz) > 1.0 - 1e-6;
                is_explained |= same_plane || in_front < -INSIDE * abs(separations[k]);
            }
            if is_explained {
                continue;
            }
            let foot = p - separations[k] * deeper.xyz;
            if of_a {
                if !is_known(found, foot, deeper.xyz) {
                    let key = vec3u(0u, i, ids[k]);
                    note(found, contact_at(local, foot, FACE_OF_B, deeper.xyz, vec3f(0.0), key), deeper.xyz);
                }
            } else {
                let normal = -(a_in_b * deeper.xyz);
                if !is_known(found, local, normal) {
                    let key = vec3u(1u, i, ids[k]);
                    note(found, contact_at(foot, local, FACE_OF_A, deeper.xyz, vec3f(0.0), key), normal);
                }
            }
        }
    }
}

// The bodies of a pair as seen from b's frame.
struct View {
    a_in_b: Frame,
    start: Frame,
    window: Window,
    shape_a: Shape,
    shape_b: Shape,
}

fn local_a(view: View, direction: vec3f) -> vec3f {
    return transpose(view.a_in_b.axes) * direction;
}

// The vector from edge b to edge a at the start of the step, between their nearest points.
fn apart_at_start(view: View, a: Edge, b: Edge) -> vec3f {
    let p = point_in(view.start, a.ends[0]);
    let u = point_in(view.start, a.ends[1]) - p;
    let w = b.ends[1] - b.ends[0];
    let r = p - b.ends[0];
    let uu = dot(u, u);
    let ww = dot(w, w);
    let uw = dot(u, w);
    let ru = dot(r, u);
    let rw = dot(r, w);
    let denominator = uu * ww - uw * uw;
    var s = 0.0;
    if denominator > 0.0 {
        s = clamp((uw * rw - ru * ww) / denominator, 0.0, 1.0);
    }
    let t = clamp((uw * s + rw) / ww, 0.0, 1.0);
    s = clamp((uw * t - ru) / uu, 0.0, 1.0);
    return r + s * u - t * w;
}

// Whether an edge leaves through a face with the normal n through the point `on` with less than this depth.
fn leaves(shape: Shape, corners: array<u32, 2>, p: vec3f, q: vec3f, on: vec3f, n: vec3f, local: vec3f, depth: f32) -> bool {
    let s = dot(p - on, n);
    let t = dot(q - on, n);
    let behind = min(s, t);
    let corner = select(corners[1], corners[0], s < t);
    return behind > -depth && corner != 0xffffffffu && corner_supports(shape, corner, -local);
}

// Whether a face beside one of the edges explains the overlap with less depth than the edges do.
fn is_explained_by_faces(view: View, separation: f32, a: Edge, p: vec3f, q: vec3f, b: Edge) -> bool {
    let depth = -separation * (1.0 - INSIDE);
    if !(depth > 0.0) {
        return false;
    }
    for (var k = 0u; k < 2u; k++) {
        let n_b = b.normals[k];
        if leaves(view.shape_a, a.corners, p, q, b.ends[0], n_b, local_a(view, n_b), depth) {
            return true;
        }
        let n_a = view.a_in_b.axes * a.normals[k];
        if leaves(view.shape_b, b.corners, b.ends[0], b.ends[1], p, n_a, n_a, depth) {
            return true;
        }
    }
    return false;
}

fn faces_along(view: View, a: Edge, b: Edge, m: vec3f) -> bool {
    return edge_supports(b, m) && edge_supports(a, -local_a(view, m));
}

// The contact of two crossing edges.
fn find_crossing(found: ptr<function, Finding>, view: View, a: Edge, i: u32, p: vec3f, u: vec3f, b: Edge, j: u32) {
    let w = b.direction;
    let cosine = dot(u, w);
    let between = b.ends[0] - p;
    let along_a = dot(between, u);
    let along_b = dot(between, w);
    let normal = cross(u, w);
    let sine_sq = dot(normal, normal);
    let s = (along_a - cosine * along_b) / sine_sq;
    let t = (cosine * along_a - along_b) / sine_sq;
    let slack_a = INSIDE * a.length;
    let slack_b = INSIDE * b.length;
    if s < -slack_a || s > a.length + slack_a || t < -slack_b || t > b.length + slack_b {
        return;
    }
    let point_b = b.ends[0] + t * w;
    if is_known(found, point_b, normal) {
        return;
    }
    let outward = normalize(normal);
    let forwards = faces_along(view, a, b, outward);
    let backwards = faces_along(view, a, b, -outward);
    if !forwards && !backwards {
        return;
    }
    var sign = select(-1.0, 1.0, forwards);
    if forwards && backwards {
        sign = select(-1.0, 1.0, dot(outward, apart_at_start(view, a, b)) >= 0.0);
    }
    let separation = -sign * dot(between, outward);
    let q = p + a.length * u;
    if !admits(view.window, separation) || is_explained_by_faces(view, separation, a, p, q, b) {
        return;
    }
    let key = vec3u(2u, i, j);
    note(found, contact_at(a.ends[0] + s * a.direction, point_b, EDGES, a.direction, sign * w, key), sign * outward);
}

// The contacts at both ends of the stretch on which two parallel edges lie along each other.
fn find_along(found: ptr<function, Finding>, view: View, a: Edge, i: u32, first: vec3f, u: vec3f, b: Edge, j: u32) {
    let w = b.direction;
    let between = first - b.ends[0];
    let beside = between - dot(between, w) * w;
    let near = max(view.window.depth, view.window.reach) + (*found).same;
    if dot(beside, beside) > near * near {
        return;
    }
    let last = first + a.length * u;
    let p = dot(between, w);
    let q = dot(last - b.ends[0], w);
    let low = max(min(p, q), 0.0);
    let high = min(max(p, q), b.length);
    if high - low <= INSIDE * b.length {
        return;
    }
    let outward = b.outside - view.a_in_b.axes * a.outside;
    let across = outward - dot(outward, w) * w;
    // If the outward directions cancel, the edges support nothing.
    if !(dot(across, across) > 1e-8) {
        return;
    }
    let n = normalize(across);
    let separation = dot(beside, n);
    let aside = dot(beside, beside) - separation * separation;
    if aside > (*found).same * (*found).same || high - low <= -SHORT * separation || !admits(view.window, separation) {
        return;
    }
    let low_b = b.ends[0] + low * w;
    let high_b = b.ends[0] + high * w;
    if is_known(found, low_b, n) && is_known(found, high_b, n) {
        return;
    }
    if !edge_supports(b, n) || !edge_supports(a, -local_a(view, n)) {
        return;
    }
    if is_explained_by_faces(view, separation, a, first, last, b)
        && dot(apart_at_start(view, a, b), n) < -(*found).same {
        return;
    }
    let per_length = a.length / (q - p);
    if !is_known(found, low_b, n) {
        let place = a.ends[0] + (low - p) * per_length * a.direction;
        note(found, contact_at(place, low_b, FACE_OF_B, n, vec3f(0.0), vec3u(3u, i, j)), n);
    }
    if !is_known(found, high_b, n) {
        let place = a.ends[0] + (high - p) * per_length * a.direction;
        note(found, contact_at(place, high_b, FACE_OF_B, n, vec3f(0.0), vec3u(4u, i, j)), n);
    }
}

fn find_edges(found: ptr<function, Finding>, view: View) {
    for (var i = 0u; i < view.shape_a.n_edges; i++) {
        let a = edge_of(view.shape_a, i);
        let u = view.a_in_b.axes * a.direction;
        let p = point_in(view.a_in_b, a.ends[0]);
        for (var j = 0u; j < view.shape_b.n_edges; j++) {
            let b = edge_of(view.shape_b, j);
            let sine = cross(u, b.direction);
            if dot(sine, sine) <= PARALLEL {
                find_along(found, view, a, i, p, u, b, j);
            } else {
                find_crossing(found, view, a, i, p, u, b, j);
            }
        }
    }
}

// An upper bound on the speed of any point of the smaller body in the frame of the larger one.
fn relative_speed(pair: Pair, a: Body, b: Body, d: vec3f) -> f32 {
    let between = d + (b.u - a.u);
    let turning = min(pair.shape_a.radius, pair.shape_b.radius) * length(a.omega - b.omega);
    if pair.shape_a.radius <= pair.shape_b.radius {
        return length(a.v - (b.v + cross(b.omega, -between))) + turning;
    }
    return length(b.v - (a.v + cross(a.omega, between))) + turning;
}

// The separation of a contact before the substep.
fn gap_before(contact: Contact, a: Body, b: Body, d: vec3f) -> f32 {
    var n = vec3f(0.0);
    if contact.feature == FACE_OF_B {
        n = turned(b.q_prev, contact.n);
    } else if contact.feature == FACE_OF_A {
        n = -turned(a.q_prev, contact.n);
    } else {
        n = normalize(cross(turned(a.q_prev, contact.n), turned(b.q_prev, contact.m)));
    }
    return dot(turned(a.q_prev, contact.a) - d - turned(b.q_prev, contact.b), n);
}

// Which features touch, at the predicted poses. Source: [Mueller2020] section 3.4.
@compute @workgroup_size(64)
fn detect(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(id, groups);
    if i >= settings.n_pairs {
        return;
    }
    let pair = pairs[i];
    let a = bodies[pair.a];
    let b = bodies[pair.b];
    let d = apart(a, b);
    let moved = settings.safety * settings.h * relative_speed(pair, a, b, d);
    let thickness = min(pair.shape_a.thickness, pair.shape_b.thickness);
    if moved > THROUGH * thickness {
        atomicOr(&faults[0], TOO_FAST);
    }
    var past: array<vec3u, MOST>;
    var n_past = 0u;
    for (var k = 0u; k < pair.count; k++) {
        let before = contacts[2u * MOST * i + k];
        if before.lambda_n > 0.0 {
            past[n_past] = vec3u(before.key_kind, before.key_a, before.key_b);
            n_past++;
        }
    }
    let travel = min(moved, min(pair.shape_a.radius, pair.shape_b.radius));
    let window = Window(
        2.0 * travel + pair.overlap + pair.margin,
        travel + pair.overlap / settings.substeps + pair.margin,
    );
    let to_b = transpose(axes_of(b.q));
    let axes = to_b * axes_of(a.q);
    let a_in_b = Frame(axes, to_b * ((a.u - b.u) - d));
    let to_a = transpose(axes);
    let b_in_a = Frame(to_a, -(to_a * a_in_b.origin));
    var found = Finding(2u * MOST * i, 0u, pair.same, array<vec3f, MOST>(), false);
    find_corners(&found, pair.shape_a, pair.shape_b, a_in_b, axes, window, true);
    find_corners(&found, pair.shape_b, pair.shape_a, b_in_a, axes, window, false);
    let view = View(a_in_b, Frame(pair.start, pair.start_origin), window, pair.shape_a, pair.shape_b);
    find_edges(&found, view);
    if found.is_full {
        atomicOr(&faults[0], TOO_MANY);
    }
    var n = 0u;
    for (var k = 0u; k < found.count; k++) {
        let contact = contacts[found.base + k];
        var is_new = moved > THIN * thickness;
        for (var j = 0u; j < n_past; j++) {
            is_new &= any(past[j] != vec3u(contact.key_kind, contact.key_a, contact.key_b));
        }
        if is_new && gap_before(contact, a, b, d) < -pair.deep {
            continue;
        }
        contacts[found.base + n] = contact;
        n++;
    }
    pairs[i].count = n;
}
