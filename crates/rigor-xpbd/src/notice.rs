//! What of a scene `pbd` does not use as it is given. `xpbd` uses everything.

use rigor_scene::{Bond, BondKind, Notice, Scene};

/// Compliances and materials of bonds and attachments, in whose place the stiffness `k` holds.
pub(crate) fn of_stiffness(scene: &Scene, k: f64) -> Vec<Notice> {
    let instead = format!("not used: pbd gives every bond and attachment the stiffness {k}");
    // With k = 1 a projection meets the constraint, as the compliance 0 asks.
    let differs = |compliance: f64| compliance > 0.0 || k < 1.0;
    let is_matter = |bond: &Bond| matches!(bond.kind, BondKind::Tetrahedron { .. });
    let bonds = || scene.bonds.iter().enumerate();
    let compliant = || bonds().filter(|(_, bond)| !is_matter(bond) && differs(bond.compliance));
    let unit = compliant().next().map_or("1", |(_, bond)| unit(&bond.kind));
    let of_bonds = compliant().map(|(i, bond)| (scene.bond_name(i), bond.compliance));
    let matter = bonds().filter(|(_, bond)| is_matter(bond)).map(|(i, _)| scene.bond_name(i));
    let ties = scene.attachments.iter().filter(|tie| differs(tie.compliance));
    let of_ties = ties.map(|tie| {
        let name = format!("the attachment of {}", scene.particle_name(tie.particle));
        (name, tie.compliance)
    });
    let all = [
        Notice::of_all("compliance", unit, of_bonds, instead.clone()),
        Notice::of_named("material", matter, instead.clone()),
        Notice::of_all("compliance", "m/N", of_ties, instead),
    ];
    all.into_iter().flatten().collect()
}

/// The unit of a bond's compliance.
fn unit(kind: &BondKind) -> &'static str {
    match kind {
        BondKind::Distance { .. } | BondKind::Shape { .. } => "m/N",
        BondKind::Bending { .. } => "rad/(N m)",
        BondKind::Volume { .. } => "m⁶/J",
        BondKind::Tetrahedron { .. } => "1",
    }
}
