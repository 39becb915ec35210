//! Frames of a run for ParaView and other programs that read VTK: one `.vtp` file per frame, and a `.pvd` file with their times.
//!
//! A `.vtp` file (XML, `PolyData`) holds the surfaces of all bodies in the world, with their strains if there are any: points in `Float64` (m), and as cells the points,
//! edges and triangles of the meshes, then the particles. Each cell has the index of its `body` (−1 for a particle), the `velocity` of the
//! body's centre of mass (m/s), its `angular_velocity` (rad/s), and the `contact_force` and `friction_force` on it (N), means over the step
//! that ended in the frame. Numbers are those of the run, bit for bit, in base64 without compression.
//!
//! Our own writer: the crate `vtkio` has had no release but a candidate since 2021, and brings the formats that we do not write.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rigor_math::Vec3;
use rigor_scene::{BodyForce, Scene};

use crate::error::RunError;
use crate::folder::frames::Frame;
use crate::folder::write_whole;

/// The cells of one kind, each with its body.
#[derive(Default)]
struct Cells {
    corners: Vec<i64>,
    ends: Vec<i64>,
    bodies: Vec<i32>,
}

impl Cells {
    fn push(&mut self, corners: &[u32], first: usize, body: i32) {
        self.corners.extend(corners.iter().map(|v| first as i64 + i64::from(*v)));
        self.ends.push(self.corners.len() as i64);
        self.bodies.push(body);
    }

    fn write(&self, name: &str, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<{name}>");
        array(text, "Int64", "connectivity", 1, self.corners.iter().flat_map(|v| v.to_le_bytes()));
        array(text, "Int64", "offsets", 1, self.ends.iter().flat_map(|v| v.to_le_bytes()));
        let _ = writeln!(text, "</{name}>");
    }
}

/// Returns the `.vtp` file of a frame.
pub fn frame(scene: &Scene, frame: &Frame) -> String {
    let mut points: Vec<Vec3> = Vec::new();
    let [mut vertices, mut lines, mut triangles] = [Cells::default(), Cells::default(), Cells::default()];
    for (index, (body, state)) in scene.bodies.iter().zip(&frame.state.bodies).enumerate() {
        let (first, mesh) = (points.len(), &body.mesh);
        let number = i32::try_from(index).unwrap_or(i32::MAX);
        let place = |x: &Vec3| match frame.state.strains.get(index) {
            None => state.pose.point(x),
            Some(strain) => state.pose.point(&(x + strain * x)),
        };
        points.extend(mesh.vertices().iter().map(place));
        mesh.points().iter().for_each(|v| vertices.push(&[*v], first, number));
        mesh.wires().iter().for_each(|ends| lines.push(ends, first, number));
        mesh.triangles().iter().for_each(|corners| triangles.push(corners, first, number));
    }
    for particle in &frame.state.particles {
        vertices.push(&[0], points.len(), -1);
        points.push(particle.position);
    }
    let kinds = [("Verts", &vertices), ("Lines", &lines), ("Polys", &triangles)];
    let counts: [usize; 3] = kinds.map(|(_, cells)| cells.ends.len());
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{}\">\n<Points>\n",
        points.len(),
        counts[0],
        counts[1],
        counts[2]
    );
    array(&mut text, "Float64", "Points", 3, points.iter().flat_map(bytes));
    text += "</Points>\n";
    kinds.iter().for_each(|(name, cells)| cells.write(name, &mut text));
    text += "<CellData Scalars=\"body\">\n";
    let bodies: Vec<i32> = kinds.iter().flat_map(|(_, cells)| cells.bodies.iter().copied()).collect();
    array(&mut text, "Int32", "body", 1, bodies.iter().flat_map(|body| body.to_le_bytes()));
    let of_body = |body: &i32, of: &dyn Fn(usize) -> Vec3| usize::try_from(*body).map_or(Vec3::zeros(), of);
    let state = |k: usize| &frame.state.bodies[k];
    let force = |k: usize| frame.forces.get(k).copied().unwrap_or(BodyForce::ZERO);
    let quantities: [(&str, &dyn Fn(usize) -> Vec3); 4] = [
        ("velocity", &|k| state(k).linear_velocity),
        ("angular_velocity", &|k| state(k).angular_velocity),
        ("contact_force", &|k| force(k).contact),
        ("friction_force", &|k| force(k).friction),
    ];
    for (name, of) in quantities {
        array(&mut text, "Float64", name, 3, bodies.iter().flat_map(|body| bytes(&of_body(body, of))));
    }
    text + "</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n"
}

/// Returns the `.pvd` file that names the frames with their times (s).
pub fn series(frames: &[(f64, String)]) -> String {
    let line =
        |(time, file): &(f64, String)| format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>\n");
    let lines: String = frames.iter().map(line).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n{lines}</Collection>\n</VTKFile>\n"
    )
}

/// Writes a file of text.
///
/// # Errors
/// [`RunError`] when it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), RunError> {
    write_whole(path, text.as_bytes())
}

fn bytes(vector: &Vec3) -> [u8; 24] {
    let mut all = [0; 24];
    for (part, value) in all.as_chunks_mut::<8>().0.iter_mut().zip(vector.iter()) {
        *part = value.to_le_bytes();
    }
    all
}

/// Writes numbers: their length in bytes as `UInt64`, then the bytes, in base64.
fn array(text: &mut String, kind: &str, name: &str, components: usize, bytes: impl Iterator<Item = u8>) {
    let data: Vec<u8> = bytes.collect();
    let whole: Vec<u8> = (data.len() as u64).to_le_bytes().into_iter().chain(data).collect();
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">{}</DataArray>",
        STANDARD.encode(whole)
    );
}

#[cfg(test)]
mod tests {
    use rigor_math::Pose;
    use rigor_scene::{BodySpec, PartKind, PlacedShape, State};
    use rigor_shapes::Cuboid;

    use super::*;

    /// The numbers of an array.
    fn read(file: &str, name: &str) -> Vec<f64> {
        let start = file.find(&format!("Name=\"{name}\"")).expect("it is there");
        let text = file[start..].split(['>', '<']).nth(1).expect("it has content");
        let data = STANDARD.decode(text).expect("it is base64");
        assert_eq!(u64::from_le_bytes(data[..8].try_into().expect("a head")), data.len() as u64 - 8);
        data[8..].as_chunks::<8>().0.iter().map(|eight| f64::from_le_bytes(*eight)).collect()
    }

    #[test]
    fn a_frame_holds_the_places_and_forces_of_the_run() {
        let mesh = Cuboid::cube(1.0).mesh().expect("a cube is a mesh");
        let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
        let pose = Pose::translation(Vec3::new(0.0, 5.0, 0.0));
        let body = BodySpec { pose, ..BodySpec::new("a", vec![shape]) }.build().expect("a cube is a body");
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        let force = BodyForce { contact: Vec3::new(1.0, 2.0, 3.0), friction: Vec3::zeros() };
        let file = frame(&scene, &Frame { state: State::initial(&scene), forces: vec![force] });
        let points = read(&file, "Points");
        let height: f64 = points.iter().skip(1).step_by(3).sum::<f64>() / (points.len() / 3) as f64;
        assert!((height - 5.0).abs() < 1e-12, "{height}");
        let triangles = scene.bodies[0].mesh.triangles().len();
        assert!(file.contains(&format!("NumberOfPolys=\"{triangles}\"")));
        let forces = read(&file, "contact_force");
        assert_eq!((forces.len(), &forces[..3]), (3 * triangles, &[1.0, 2.0, 3.0][..]));
    }

    #[test]
    fn a_series_names_its_frames() {
        assert!(series(&[(0.5, "a.vtp".into())]).contains("timestep=\"0.5\" part=\"0\" file=\"a.vtp\""));
    }
}
