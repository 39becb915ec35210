//! Queries of rigid bodies in the format of the reference program of \[Ferguson2021\].
//!
//! A query is one JSON object: `type` is `ee`, with `edge0` and `edge1`, or `fv`, with `face` and `vertex`.
//! Each of these has the pose of its body at both ends of the step, `pose_t0` and `pose_t1`, with `position`
//! (m, world) and `rotation` (a rotation vector, rad), and its points (m, body frame). Position and rotation
//! vector are linear in between, eq. (16). The files do not contain the truth.

use std::path::Path;

use rigor_ccd::{Labelled, RigidMotion, RigidQuery, Truth};
use rigor_math::Vec3;
use serde::Deserialize;

use super::rational::beginning;
use super::{FileError, QueryFault};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    r#type: String,
    edge0: Option<Edge>,
    edge1: Option<Edge>,
    face: Option<Face>,
    vertex: Option<Vertex>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(deny_unknown_fields)]
struct Pose {
    position: [f64; 3],
    rotation: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    pose_t0: Pose,
    pose_t1: Pose,
    vertex0: [f64; 3],
    vertex1: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Face {
    pose_t0: Pose,
    pose_t1: Pose,
    vertex0: [f64; 3],
    vertex1: [f64; 3],
    vertex2: [f64; 3],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vertex {
    pose_t0: Pose,
    pose_t1: Pose,
    vertex: [f64; 3],
}

/// Reads the query of a file.
///
/// # Errors
/// [`FileError`] with the line of invalid JSON or of an unexpected key, or with the keys that the type
/// requires.
pub fn read(path: &Path, text: &str) -> Result<Labelled<RigidQuery>, FileError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let document: Document = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (key, why) = (error.path().to_string(), error.inner().to_string());
        FileError::at(path, error.inner().line().max(1), QueryFault::Json { key, why })
    })?;
    json.end().map_err(|error| {
        let fault = QueryFault::Json { key: String::new(), why: error.to_string() };
        FileError::at(path, error.line().max(1), fault)
    })?;
    let query = query(document).map_err(|fault| FileError::whole(path, fault))?;
    Ok(Labelled { query, truth: Truth::Unknown { lo: 0.0 }, label: path.display().to_string() })
}

fn query(document: Document) -> Result<RigidQuery, QueryFault> {
    let Document { r#type: kind, edge0, edge1, face, vertex } = document;
    match (kind.as_str(), edge0, edge1, face, vertex) {
        ("ee", Some(a), Some(b), None, None) => Ok(RigidQuery::edge_edge(
            [motion(a.pose_t0, a.pose_t1), motion(b.pose_t0, b.pose_t1)],
            [a.vertex0, a.vertex1].map(Vec3::from),
            [b.vertex0, b.vertex1].map(Vec3::from),
            0.0,
        )),
        ("fv", None, None, Some(face), Some(vertex)) => Ok(RigidQuery::point_triangle(
            [motion(vertex.pose_t0, vertex.pose_t1), motion(face.pose_t0, face.pose_t1)],
            Vec3::from(vertex.vertex),
            [face.vertex0, face.vertex1, face.vertex2].map(Vec3::from),
            0.0,
        )),
        ("ee", ..) => Err(QueryFault::Keys { of: "ee", keys: ["edge0", "edge1"] }),
        ("fv", ..) => Err(QueryFault::Keys { of: "fv", keys: ["face", "vertex"] }),
        (other, ..) => Err(QueryFault::Type { found: beginning(other) }),
    }
}

fn motion(t0: Pose, t1: Pose) -> RigidMotion {
    RigidMotion::between(
        [t0.position, t1.position].map(Vec3::from),
        [t0.rotation, t1.rotation].map(Vec3::from),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_ccd::Kind;

    const POSES: &str = r#""pose_t0": {"position": [1, 2, 3], "rotation": [0, 0, 0]},
        "pose_t1": {"position": [1, 2, 4], "rotation": [0, 0, 1.5707963267948966]}"#;

    fn file(text: &str) -> String {
        text.replace("POSES", POSES)
    }

    const FACE: &str = r#"{"type": "fv", "vertex": {POSES, "vertex": [1, 0, 0]},
        "face": {POSES, "vertex0": [0, 0, 0], "vertex1": [0, 1, 0], "vertex2": [0, 0, 1]}}"#;

    #[test]
    fn the_vertex_is_a_and_the_face_is_b() {
        let query = read(Path::new("q.json"), &file(FACE)).unwrap().query;
        assert_eq!((query.kind, query.points_local[3]), (Kind::PointTriangle, Vec3::z()));
        assert!((query.points(1.0)[0] - Vec3::new(1.0, 3.0, 4.0)).norm() < 1e-15);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let error = |text: &str| read(Path::new("q.json"), &file(text)).unwrap_err();
        let short = error(&FACE.replace("[0, 1, 0]", "[0, 1]"));
        assert!(short.row.is_some() && short.fault.to_string().contains("face.vertex1"), "{short}");
        assert!(error(&FACE.replace("\"fv\"", "\"ee\"")).fault.to_string().contains("edge0"));
        assert!(error(&FACE.replace("\"fv\"", "\"vv\"")).fault.to_string().contains("`ee` or `fv`"));
        assert!(error(&FACE.replace("\"vertex2\"", "\"vertex3\"")).fault.to_string().contains("vertex3"));
        assert!(error(&format!("{FACE} 1")).fault.to_string().contains("trailing"));
    }
}
