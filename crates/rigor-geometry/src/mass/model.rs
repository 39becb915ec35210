//! What carries the mass of a mesh.

/// What carries the mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MassModel {
    /// The inside of closed surfaces.
    Volume,
    /// Triangles that bound no volume.
    Shell,
    /// Wires.
    Wire,
    /// Points.
    Points,
    /// Several of these.
    Mixed,
    /// Nothing: mass and inertia are given, whatever the mesh.
    Given,
}

impl MassModel {
    /// The model of a body, given whether it has volume, area, length and points.
    pub(super) fn of(carries: [bool; 4]) -> Self {
        let models = [Self::Volume, Self::Shell, Self::Wire, Self::Points];
        let mut found = models.into_iter().zip(carries).filter(|(_, c)| *c).map(|(m, _)| m);
        match (found.next(), found.next()) {
            (Some(only), None) => only,
            _ => Self::Mixed,
        }
    }

    /// The model of two bodies together.
    pub(super) fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Mixed }
    }
}
