//! COLLADA 1.4 and 1.5: the geometries that the scene places.

use std::collections::BTreeMap;

use rigor_math::{Mat3, Vec3};
use roxmltree::{Document, Node};

use super::assembly::Assembly;
use super::text::text;
use super::{Fault, Location, MeshWarning};
use crate::{Grade, document_type};

/// Vertices, and triangles, that a file may have beyond one per byte, by using a geometry several times.
const MOST_REPEATED: usize = 1 << 20;
/// Maximum number of nodes and geometries that the scene places.
const MAX_PLACED: usize = 100_000;
/// Maximum number of nodes within each other.
const MAX_DEPTH: usize = 256;

/// Reads the polygons of all geometries that the scene places, in metres by the file's `unit`; without a scene, each geometry once. Axes
/// stay as in the file, whatever `up_axis` says. Vertices of one geometry at equal positions are joined. Lines only show edges.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let (text, declared) = document_type::without(text(bytes)?.into_owned()).map_err(Fault::whole)?;
    let document = Document::parse(&text).map_err(|error| Fault::whole(format!("not XML: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(Fault::whole(format!(
            "expected the element `COLLADA`, found `{}`",
            root.tag_name().name()
        )));
    }
    let ids = root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let limit = bytes.len().saturating_add(MOST_REPEATED);
    let mut reader =
        Reader { ids, assembly: Assembly::with_limit(limit), limit, n_placed: 0, left_out: BTreeMap::new() };
    let tolerated = |what: String| MeshWarning::Tolerated(format!("{what} is not read"));
    reader.assembly.notes.extend(declared.map(tolerated));
    let asset = child(root, "asset");
    let unit = asset.and_then(|asset| child(asset, "unit")).and_then(|unit| unit.attribute("meter"));
    let meter =
        unit.map_or(Some(1.0), |meter| meter.trim().parse().ok()).filter(|m: &f64| m.is_finite() && *m > 0.0);
    let Some(meter) = meter else {
        return Err(Fault::whole(
            "`meter` of <unit> is not a positive number: give the length of a unit in metres",
        ));
    };
    if let Some(axis) = asset.and_then(|asset| child(asset, "up_axis")).and_then(|axis| axis.text())
        && axis.trim() != "Z_UP"
    {
        let what =
            format!("the file calls another axis than z upwards ({}): axes stay as they are", axis.trim());
        reader.assembly.notes.push(MeshWarning::Tolerated(what));
    }
    let placement = Affine { linear: Mat3::identity() * meter, offset: Vec3::zeros() };
    match reader.scene(root) {
        Some(scene) => {
            for node in elements(scene).filter(|node| node.tag_name().name() == "node") {
                reader.node(node, &placement, 0)?;
            }
        }
        None => {
            let all = elements(root).filter(|node| node.tag_name().name() == "library_geometries");
            for geometry in all.flat_map(elements) {
                reader.geometry(geometry, &placement)?;
            }
        }
    }
    let told = reader.left_out.into_iter().map(|(what, grade)| MeshWarning::left_out(grade, what));
    reader.assembly.notes.extend(told);
    Ok(reader.assembly)
}

fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(Node::is_element)
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

fn line(node: Node<'_, '_>) -> Location {
    Location::Line(node.document().text_pos_at(node.range().start).row as usize)
}

/// The finite numbers in an element.
fn numbers(node: Node<'_, '_>) -> Result<Vec<f64>, Fault> {
    let number = |word: &str| match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(Fault::new(line(node), format!("expected a finite number, found `{word}`"))),
    };
    node.text().unwrap_or_default().split_whitespace().map(number).collect()
}

/// The whole numbers in an element.
fn indices(node: Node<'_, '_>) -> Result<Vec<usize>, Fault> {
    let index = |word: &str| {
        word.parse().map_err(|_| Fault::new(line(node), format!("expected an index, found `{word}`")))
    };
    node.text().unwrap_or_default().split_whitespace().map(index).collect()
}

/// The number in an attribute.
fn count(node: Node<'_, '_>, name: &str, or: usize) -> Result<usize, Fault> {
    let Some(word) = node.attribute(name) else { return Ok(or) };
    word.trim()
        .parse()
        .map_err(|_| Fault::new(line(node), format!("{name}: expected a count, found `{word}`")))
}

/// A linear map and a shift.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    offset: Vec3,
}

impl Affine {
    fn compose(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, offset: self.linear * inner.offset + self.offset }
    }
}

struct Reader<'a> {
    ids: BTreeMap<&'a str, Node<'a, 'a>>,
    assembly: Assembly,
    limit: usize,
    n_placed: usize,
    left_out: BTreeMap<String, Grade>,
}

impl<'a> Reader<'a> {
    /// The element in this file that the attribute `name` refers to.
    fn target(&self, node: Node<'a, 'a>, name: &str) -> Result<Node<'a, 'a>, Fault> {
        let reference = node.attribute(name).unwrap_or_default();
        let id = reference.strip_prefix('#');
        // Exporters repeat names in each mesh, whose own come first.
        let mesh = node.ancestors().find(|above| above.tag_name().name() == "mesh");
        let own = mesh.into_iter().flat_map(elements).find(|near| id.is_some() && near.attribute("id") == id);
        own.or_else(|| id.and_then(|id| self.ids.get(id)).copied()).ok_or_else(|| {
            let what = format!("<{}>: `{reference}` names no element of the file", node.tag_name().name());
            Fault::new(line(node), what)
        })
    }

    /// The scene that is shown, or the first.
    fn scene(&self, root: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        let shown = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let named = shown.and_then(|shown| self.target(shown, "url").ok());
        named.or_else(|| child(child(root, "library_visual_scenes")?, "visual_scene"))
    }

    /// Counts what is placed, which may be the same many times.
    fn place(&mut self, node: Node<'a, 'a>) -> Result<(), Fault> {
        self.n_placed += 1;
        if self.n_placed > MAX_PLACED {
            return Err(Fault::new(line(node), format!("the scene places more than {MAX_PLACED} elements")));
        }
        Ok(())
    }

    fn node(&mut self, node: Node<'a, 'a>, above: &Affine, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::new(line(node), format!("more than {MAX_DEPTH} nodes within each other")));
        }
        self.place(node)?;
        let mut placement = *above;
        for element in elements(node) {
            match element.tag_name().name() {
                "matrix" | "translate" | "rotate" | "scale" => {
                    placement = placement.compose(&transform(element)?);
                }
                "skew" | "lookat" => {
                    let what = format!("<{}> of nodes", element.tag_name().name());
                    self.left_out.insert(what, Grade::Physics);
                }
                "node" => self.node(element, &placement, depth + 1)?,
                "instance_node" => {
                    let target = self.target(element, "url")?;
                    self.node(target, &placement, depth + 1)?;
                }
                "instance_geometry" => {
                    let target = self.target(element, "url")?;
                    self.geometry(target, &placement)?;
                }
                "instance_controller" => {
                    self.left_out.insert(
                        "skins and morph targets: their geometry stays at rest".into(),
                        Grade::Physics,
                    );
                    let controller = self.target(element, "url")?;
                    for skin in elements(controller) {
                        let geometry = self.target(skin, "source")?;
                        self.geometry(geometry, &placement)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node<'a, 'a>, placement: &Affine) -> Result<(), Fault> {
        self.place(geometry)?;
        for part in elements(geometry) {
            match part.tag_name().name() {
                "mesh" => {
                    let made = self.mesh(part, placement)?;
                    self.assembly.append(&made)?;
                }
                "asset" | "extra" => {}
                other => {
                    self.left_out.insert(format!("<{other}> of geometries"), Grade::Physics);
                }
            }
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: Node<'a, 'a>, placement: &Affine) -> Result<Assembly, Fault> {
        let mut assembly = Assembly::with_limit(self.limit);
        let mut first = BTreeMap::new();
        for part in elements(mesh) {
            let name = part.tag_name().name();
            match name {
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" => {}
                "lines" | "linestrips" => {
                    self.left_out.insert("lines, which only show edges,".into(), Grade::Look);
                    continue;
                }
                _ => continue,
            }
            let Some(corners) = self.corners(part)? else { continue };
            // Vertices of one list are added once, where its first faces are.
            let start = match first.get(&corners.source.range().start) {
                Some(start) => *start,
                None => {
                    let start = assembly.n_vertices() as i64;
                    first.insert(corners.source.range().start, start);
                    self.positions(corners.source, placement, &mut assembly)?;
                    start
                }
            };
            let is_mirrored = placement.linear.determinant() < 0.0;
            let place = line(part);
            let mut add = |face: &[usize]| {
                let mut face: Vec<i64> = face
                    .iter()
                    .map(|corner| {
                        i64::try_from(*corner).map_or(i64::MAX, |corner| corner.saturating_add(start))
                    })
                    .collect();
                if is_mirrored {
                    face.reverse();
                }
                // Polygons of fewer than three corners have no surface.
                if face.len() < 3 { Ok(()) } else { assembly.face(place, &face) }
            };
            let lists = elements(part).filter(|list| list.tag_name().name() == "p");
            let lists: Vec<Vec<usize>> =
                lists.map(|list| Ok(corners.vertices(&indices(list)?))).collect::<Result<_, Fault>>()?;
            match name {
                "triangles" => lists.iter().flat_map(|list| list.chunks_exact(3)).try_for_each(&mut add)?,
                "polygons" => {
                    if child(part, "ph").is_some() {
                        self.left_out.insert("polygons with holes".into(), Grade::Physics);
                    }
                    lists.iter().try_for_each(|list| add(list))?;
                }
                "tristrips" => lists.iter().try_for_each(|list| {
                    list.windows(3)
                        .enumerate()
                        .try_for_each(|(i, t)| if i % 2 == 0 { add(t) } else { add(&[t[0], t[2], t[1]]) })
                })?,
                "trifans" => lists.iter().try_for_each(|list| {
                    list.get(1..)
                        .unwrap_or_default()
                        .windows(2)
                        .try_for_each(|pair| add(&[list[0], pair[0], pair[1]]))
                })?,
                _ => {
                    let counts = child(part, "vcount").map_or(Ok(Vec::new()), indices)?;
                    let mut rest = lists.first().map_or(&[][..], Vec::as_slice);
                    for n in counts {
                        let Some((face, more)) = rest.split_at_checked(n) else {
                            return Err(Fault::new(place, "`vcount` asks for more corners than `p` has"));
                        };
                        add(face)?;
                        rest = more;
                    }
                }
            }
        }
        assembly.merged()
    }

    /// Finds where the corners of faces are among their indices; `None` if they have no vertices.
    fn corners(&self, part: Node<'a, 'a>) -> Result<Option<Corners<'a>>, Fault> {
        let (mut stride, mut vertices) = (1, None);
        for input in elements(part).filter(|input| input.tag_name().name() == "input") {
            let offset = count(input, "offset", 0)?;
            stride = stride.max(offset.saturating_add(1));
            if input.attribute("semantic") == Some("VERTEX") {
                vertices = Some((offset, self.target(input, "source")?));
            }
        }
        let Some((offset, vertices)) = vertices else { return Ok(None) };
        let position = elements(vertices).find(|input| input.attribute("semantic") == Some("POSITION"));
        let Some(position) = position else {
            return Err(Fault::new(line(vertices), "<vertices> have no input `POSITION`"));
        };
        Ok(Some(Corners { stride, offset, source: self.target(position, "source")? }))
    }

    fn positions(
        &self,
        source: Node<'a, 'a>,
        placement: &Affine,
        assembly: &mut Assembly,
    ) -> Result<(), Fault> {
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let Some(list) = child(source, "float_array") else {
            return Err(Fault::new(line(source), "the positions have no <float_array>"));
        };
        let numbers = numbers(list)?;
        let (stride, offset, n) = match accessor {
            Some(accessor) => {
                let stride = count(accessor, "stride", 1)?;
                (stride, count(accessor, "offset", 0)?, count(accessor, "count", usize::MAX)?)
            }
            None => (3, 0, usize::MAX),
        };
        if stride < 3 {
            return Err(Fault::new(line(source), format!("positions have {stride} coordinates, not three")));
        }
        for p in numbers.get(offset..).unwrap_or_default().chunks_exact(stride).take(n) {
            let position = placement.linear * Vec3::new(p[0], p[1], p[2]) + placement.offset;
            if !position.iter().all(|c| c.is_finite()) {
                return Err(Fault::new(line(list), "a position is not finite"));
            }
            assembly.vertex(position)?;
        }
        Ok(())
    }
}

/// Where the corners of faces are among their indices.
struct Corners<'a> {
    stride: usize,
    offset: usize,
    source: Node<'a, 'a>,
}

impl Corners<'_> {
    fn vertices(&self, indices: &[usize]) -> Vec<usize> {
        indices.chunks_exact(self.stride).map(|corner| corner[self.offset]).collect()
    }
}

/// Reads one transformation of a node.
fn transform(element: Node<'_, '_>) -> Result<Affine, Fault> {
    let entries = numbers(element)?;
    let wrong = |n: usize| {
        let what = format!("<{}>: expected {n} numbers, found {}", element.tag_name().name(), entries.len());
        Fault::new(line(element), what)
    };
    let still = Affine { linear: Mat3::identity(), offset: Vec3::zeros() };
    Ok(match (element.tag_name().name(), entries.as_slice()) {
        ("translate", [x, y, z]) => Affine { offset: Vec3::new(*x, *y, *z), ..still },
        ("translate", _) => return Err(wrong(3)),
        ("scale", [x, y, z]) => Affine { linear: Mat3::from_diagonal(&Vec3::new(*x, *y, *z)), ..still },
        ("scale", _) => return Err(wrong(3)),
        ("rotate", [x, y, z, degrees]) => {
            let axis = Vec3::new(*x, *y, *z).try_normalize(0.0).map(nalgebra::Unit::new_unchecked);
            let turn = axis.map(|axis| rigor_math::quaternion::from_axis_angle(&axis, degrees.to_radians()));
            Affine {
                linear: turn.map_or(still.linear, |turn| turn.to_rotation_matrix().into_inner()),
                ..still
            }
        }
        ("rotate", _) => return Err(wrong(4)),
        (_, m) if m.len() == 16 => Affine {
            linear: Mat3::new(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]),
            offset: Vec3::new(m[3], m[7], m[11]),
        },
        _ => return Err(wrong(16)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corner cut off a cube of 1 m, in centimetres, in a node with `place`.
    fn file(place: &str, faces: &str) -> String {
        format!(
            r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">{place}<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
        )
    }

    const INPUT: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>"##;

    fn volume(text: &str) -> f64 {
        let assembly = read(text.as_bytes()).unwrap();
        assembly.soup.into_mesh().unwrap().signed_volume()
    }

    #[test]
    fn all_kinds_of_faces_are_read() {
        let corners = "0 9 2 9 1 9 0 9 1 9 3 9 1 9 2 9 3 9 0 9 3 9 2 9";
        let p = |list: &str| format!("<p>{list}</p>");
        let faces = [
            format!("<triangles count=\"4\">{INPUT}<p>{corners}</p></triangles>"),
            format!("<polylist count=\"4\">{INPUT}<vcount>3 3 3 3</vcount><p>{corners}</p></polylist>"),
            format!(
                "<polygons>{INPUT}{}</polygons>",
                ["0 9 2 9 1 9", "0 9 1 9 3 9", "1 9 2 9 3 9", "0 9 3 9 2 9"].map(p).concat()
            ),
            format!("<tristrips>{INPUT}<p>0 9 2 9 1 9 3 9 0 9 2 9</p></tristrips>"),
            format!(
                "<trifans>{INPUT}<p>0 9 2 9 1 9 3 9 2 9</p></trifans><triangles>{INPUT}<p>1 9 2 9 3 9</p></triangles>"
            ),
        ];
        for faces in faces {
            assert!((volume(&file("", &faces)) - 1.0 / 6.0).abs() < 1e-15, "{faces}");
        }
    }

    #[test]
    fn nodes_place_what_they_hold() {
        let faces =
            format!("<triangles>{INPUT}<p>0 9 2 9 1 9 0 9 1 9 3 9 1 9 2 9 3 9 0 9 3 9 2 9</p></triangles>");
        let stretched = volume(&file("<scale>2 -3 1</scale>", &faces));
        assert!((stretched - 1.0).abs() < 1e-14, "{stretched}");
        let place = "<translate>100 0 0</translate><rotate>0 0 1 90</rotate>";
        let assembly = read(file(place, &faces).as_bytes()).unwrap();
        assert!(assembly.soup.vertices.iter().any(|v| (v - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-15));
        let matrix = "<matrix>0 -1 0 100 1 0 0 0 0 0 1 0 0 0 0 1</matrix>";
        let again = read(file(matrix, &faces).as_bytes()).unwrap();
        let far = assembly.soup.vertices.iter().zip(&again.soup.vertices).map(|(a, b)| (a - b).norm());
        assert!(far.fold(0.0, f64::max) < 1e-15);
    }

    #[test]
    fn a_mesh_that_repeats_names_has_its_own_vertices() {
        let faces =
            format!("<triangles>{INPUT}<p>0 9 2 9 1 9 0 9 1 9 3 9 1 9 2 9 3 9 0 9 3 9 2 9</p></triangles>");
        let once = file("", &faces);
        let geometry = once.split_once("<library_geometries>").unwrap().1.split_once("</library").unwrap().0;
        let larger = geometry.replace("id=\"g\"", "id=\"h\"").replace("100", "200");
        let both = once.replace("</library_geometries>", &format!("{larger}</library_geometries>")).replace(
            "<instance_geometry url=\"#g\"/>",
            "<instance_geometry url=\"#g\"/><instance_geometry url=\"#h\"/>",
        );
        assert!((volume(&both) - 9.0 / 6.0).abs() < 1e-14, "{}", volume(&both));
    }

    #[test]
    fn nodes_that_hold_themselves_end() {
        for inner in ["<instance_node url=\"#n\"/>", "<instance_node url=\"#n\"/><instance_node url=\"#n\"/>"]
        {
            let error = read(file(inner, "").as_bytes()).unwrap_err().to_string();
            assert!(error.contains("within each other"), "{error}");
        }
        assert!(read(b"<COLLADA><scene><instance_visual_scene url=\"#x\"/></scene></COLLADA>").is_ok());
        assert!(read(b"<robot/>").is_err());
    }
}
