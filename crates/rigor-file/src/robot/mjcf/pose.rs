//! Settings of the compiler, and frames.

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, inertia, quaternion};

use super::super::model::{Link, Mass};
use super::super::xml::Element;
use super::unit;
use crate::error::SceneError;

/// What the `compiler` element says about units and files.
pub struct Compiler {
    /// Radians per unit of angle.
    pub angle: f64,
    /// Letters of the sequence of Euler angles.
    pub sequence: Vec<char>,
    /// Folder of meshes.
    folder: String,
    /// Whether only the last part of the names of files counts.
    is_stripped: bool,
    /// Whether meshes have the mass of the solid where they do not say another.
    pub is_exact: bool,
    /// Whether a range alone limits a joint.
    pub auto_limits: bool,
    /// Whether masses come from geoms even where there is an `inertial`.
    pub from_geoms: bool,
    /// The mass (kg) of all bodies together.
    total_mass: Option<f64>,
    /// Groups of geoms (smallest, largest) that count in masses.
    groups: (i64, i64),
    /// Least mass (kg) and moments (kg m²) of a body.
    least: (f64, f64),
    /// Whether moments that no body has are replaced by their mean.
    is_balanced: bool,
}

impl Compiler {
    /// Reads the element; what it leaves out has the defaults of MuJoCo.
    ///
    /// # Errors
    /// The sequence of angles is invalid, or coordinates are global.
    pub fn of(root: &Element<'_>) -> Result<Self, SceneError> {
        let mut own = Self {
            angle: 1.0_f64.to_radians(),
            sequence: vec!['x', 'y', 'z'],
            folder: String::new(),
            is_stripped: false,
            is_exact: false,
            auto_limits: true,
            from_geoms: false,
            total_mass: None,
            groups: (i64::MIN, i64::MAX),
            least: (0.0, 0.0),
            is_balanced: false,
        };
        for element in root.all("compiler") {
            if element.text("angle") == Some("radian") {
                own.angle = 1.0;
            }
            if let Some(sequence) = element.text("eulerseq") {
                own.sequence = sequence.chars().collect();
                if own.sequence.len() != 3
                    || !sequence.to_ascii_lowercase().chars().all(|c| "xyz".contains(c))
                {
                    return Err(
                        element.error(format!("eulerseq=\"{sequence}\": expected three of x, y, z, X, Y, Z"))
                    );
                }
            }
            let assets = element.text("assetdir");
            if let Some(folder) = element.text("meshdir").or(assets) {
                own.folder = folder.trim_end_matches('/').to_owned();
            }
            if element.text("coordinate") == Some("global") {
                let what =
                    "global coordinates are not supported: MuJoCo up to 2.3.3 saves the file in local ones";
                return Err(element.error(what));
            }
            own.is_stripped |= element.text("strippath") == Some("true");
            own.is_exact |= element.text("exactmeshinertia") == Some("true");
            own.auto_limits &= element.text("autolimits") != Some("false");
            own.from_geoms |= element.text("inertiafromgeom") == Some("true");
            own.total_mass = element.number("settotalmass")?.filter(|mass| *mass > 0.0).or(own.total_mass);
            if let Some(&[first, last]) = element.numbers("inertiagrouprange")?.as_deref() {
                own.groups = (first as i64, last as i64);
            }
            own.least.0 = element.number("boundmass")?.unwrap_or(own.least.0);
            own.least.1 = element.number("boundinertia")?.unwrap_or(own.least.1);
            own.is_balanced |= element.text("balanceinertia") == Some("true");
        }
        Ok(own)
    }

    /// Looks for meshes in this folder, where the file is.
    pub fn within(&mut self, folder: &str) {
        if !folder.is_empty() && !self.folder.starts_with('/') {
            self.folder = format!("{folder}/{}", self.folder).trim_end_matches('/').to_owned();
        }
    }

    /// The path of a mesh file.
    pub fn path_of(&self, file: &str) -> String {
        let file = if self.is_stripped { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        if self.folder.is_empty() || file.starts_with('/') {
            file.to_owned()
        } else {
            format!("{}/{file}", self.folder)
        }
    }

    /// Whether geoms of a group count in masses.
    pub fn counts(&self, group: i64) -> bool {
        (self.groups.0..=self.groups.1).contains(&group)
    }

    /// Returns a mass that is at least `boundmass`, with moments of at least `boundinertia` that a body can have if
    /// `balanceinertia` says so.
    pub fn bounded(&self, mass: Mass) -> Mass {
        let mut own = Mass { mass: mass.mass.max(self.least.0), ..mass };
        let principal = inertia::diagonalize(&own.inertia);
        let mut moments = principal.moments;
        if self.is_balanced && (0..3).any(|i| 2.0 * moments[i] > moments.sum()) {
            moments = Vec3::repeat(moments.mean());
        }
        let bound = moments.map(|moment| moment.max(self.least.1));
        if bound != principal.moments {
            own.inertia = inertia::rotated(&Mat3::from_diagonal(&bound), &principal.axes);
        }
        own
    }

    /// Scales the masses of all links that can move to `settotalmass`.
    pub fn weigh(&self, links: &mut [Link]) {
        let own = |link: &&mut Link| !link.is_static;
        let sum: f64 = links.iter().filter(|link| !link.is_static).map(|link| link.mass.mass).sum();
        if let Some(total) = self.total_mass.filter(|_| sum > 0.0) {
            links.iter_mut().filter(own).for_each(|link| link.mass = link.mass.share(total / sum));
        }
    }

    /// The frame that `pos` and one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis` give; `get` is the text of an attribute.
    ///
    /// # Errors
    /// An attribute has the wrong number of numbers.
    pub fn pose<'t>(
        &self,
        element: &Element<'_>,
        get: &dyn Fn(&str) -> Option<&'t str>,
    ) -> Result<Pose, SceneError> {
        let position: [f64; 3] = fixed(element, "pos", get("pos"))?.unwrap_or_default();
        Ok(Pose::new(position.into(), self.rotation(element, get)?))
    }

    fn rotation<'t>(
        &self,
        element: &Element<'_>,
        get: &dyn Fn(&str) -> Option<&'t str>,
    ) -> Result<UnitQuaternion, SceneError> {
        if let Some(wxyz) = fixed(element, "quat", get("quat"))? {
            return unit(wxyz, element);
        }
        if let Some([x, y, z, angle]) = fixed(element, "axisangle", get("axisangle"))? {
            let axis = direction(element, Vec3::new(x, y, z))?;
            return Ok(about(&axis, angle * self.angle));
        }
        if let Some(angles) = fixed::<3>(element, "euler", get("euler"))? {
            return Ok(self.euler(angles));
        }
        if let Some([a, b, c, d, e, f]) = fixed(element, "xyaxes", get("xyaxes"))? {
            let x = direction(element, Vec3::new(a, b, c))?;
            let y = Vec3::new(d, e, f);
            let y = direction(element, y - x * x.dot(&y))?;
            let matrix = Mat3::from_columns(&[x, y, x.cross(&y)]);
            return quaternion::from_matrix(&matrix, 1e-9).map_err(|error| element.error(error.to_string()));
        }
        if let Some(z) = fixed::<3>(element, "zaxis", get("zaxis"))? {
            return Ok(standing(&direction(element, z.into())?));
        }
        Ok(UnitQuaternion::identity())
    }

    /// Small letters turn about the axes as they have been turned, capitals about those of the parent.
    fn euler(&self, angles: [f64; 3]) -> UnitQuaternion {
        let mut rotation = UnitQuaternion::identity();
        for (letter, angle) in self.sequence.iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => Vec3::x(),
                'y' => Vec3::y(),
                _ => Vec3::z(),
            };
            let turn = about(&axis, angle * self.angle);
            rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
        }
        rotation
    }
}

/// The numbers of an attribute, exactly `N`.
fn fixed<const N: usize>(
    element: &Element<'_>,
    name: &str,
    text: Option<&str>,
) -> Result<Option<[f64; N]>, SceneError> {
    let Some(text) = text else { return Ok(None) };
    let exact = <[f64; N]>::try_from(element.numbers_in(name, text)?);
    exact.map(Some).map_err(|_| element.error(format!("{name}=\"{text}\": expected {N} numbers")))
}

fn direction(element: &Element<'_>, vector: Vec3) -> Result<Vec3, SceneError> {
    vector.try_normalize(0.0).ok_or_else(|| element.error("a direction has the length 0"))
}

fn about(axis: &Vec3, angle: f64) -> UnitQuaternion {
    quaternion::from_axis_angle(&nalgebra::Unit::new_unchecked(*axis), angle)
}

/// The shortest rotation from z to a direction.
pub fn standing(to: &Vec3) -> UnitQuaternion {
    // Half of the way: (1 + cos, axis sin) has twice the direction of (cos ½, axis sin ½).
    let (axis, real) = (Vec3::z().cross(to), 1.0 + to.z);
    if real < 1e-12 {
        return UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0));
    }
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(real, axis.x, axis.y, axis.z))
}
