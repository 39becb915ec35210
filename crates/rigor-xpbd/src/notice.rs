//! Notices about scene data that `pbd` ignores. `xpbd` uses everything.

use rigor_scene::{Bond, BondKind, Notice, Scene};

/// Lists compliances and materials of bonds and attachments that the stiffness `k` replaces.
pub(crate) fn of_stiffness(scene: &Scene, k: f64) -> Vec<Notice> {
    let instead = format!("not used: pbd gives every bond and attachment the stiffness {k}");
    // With k = 1 a projection satisfies the constraint exactly, as compliance 0 demands.
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

/// Returns the unit of a bond's compliance.
fn unit(kind: &BondKind) -> &'static str {
    match kind {
        BondKind::Distance { .. } | BondKind::Shape { .. } => "m/N",
        BondKind::Bending { .. } => "rad/(N m)",
        BondKind::Volume { .. } => "m⁶/J",
        BondKind::Tetrahedron { .. } => "1",
    }
}
