//! Histories of contacts in the state's memory.

use rigor_math::Vec3;
use rigor_scene::State;

use crate::contact::{History, Link};
use crate::grain::granular::WallHistory;
use crate::grain::recall::ContactHistory;

/// Key of the contacts of bodies and obstacles that touched at the end of the last step: 13 numbers each,
/// namely particle, other, place, 1 if it slid, then normal, ξ (m) and θ (rad), world.
const CONTACTS: &str = "particles/contacts";
const NUMBERS: usize = 13;

/// Key of the contacts between grains a < b: 5 numbers each, namely 2 a + 1 if it slid, else 2 a, then b and ξ
/// (m, world) of a relative to b.
const GRAINS: &str = "particles/grains";
/// Key of their θ (rad, world), three numbers each, with rolling resistance only.
const ROLLS: &str = "particles/rolls";
/// Key of the spins of grains: ω (rad/s, world) of each, three numbers.
const SPIN: &str = "particles/spin";
/// Key of the densities (kg/m³) of particles of fluids.
const DENSITY: &str = "particles/density";

/// Reads the histories of contacts of bodies and obstacles.
pub(crate) fn contacts(state: &State) -> Vec<WallHistory> {
    let numbers = state.memory.numbers.get(CONTACTS).map_or(&[][..], Vec::as_slice);
    let read = |row: &[f64]| {
        let vector = |k: usize| Vec3::new(row[k], row[k + 1], row[k + 2]);
        let (normal, shear, roll) = (vector(4), vector(7), vector(10));
        let history = History { touches: true, slides: row[3] != 0.0, normal, shear, roll };
        ((row[0] as u32, row[1] as u32, row[2] as u8), history)
    };
    numbers.chunks_exact(NUMBERS).map(read).collect()
}

/// Writes histories of contacts that touch now: those of `links`, and those of grains with planes.
pub(crate) fn store_contacts<'a>(
    links: impl Iterator<Item = &'a Link>,
    planes: Vec<WallHistory>,
    state: &mut State,
) {
    let mut all: Vec<WallHistory> = links.map(|link| (link.key(), link.history)).chain(planes).collect();
    all.sort_by_key(|(key, _)| *key);
    let mut numbers = Vec::with_capacity(NUMBERS * all.len());
    for ((particle, other, place), History { slides, normal, shear, roll, .. }) in all {
        numbers.extend([particle, other, u32::from(place), u32::from(slides)].map(f64::from));
        for vector in [normal, shear, roll] {
            numbers.extend_from_slice(vector.as_slice());
        }
    }
    state.memory.numbers.insert(CONTACTS.into(), numbers);
}

/// Reads the histories of contacts between grains.
pub(crate) fn records(state: &State) -> impl Iterator<Item = ContactHistory> + Clone {
    let numbers = |key: &str| state.memory.numbers.get(key).map_or(&[][..], Vec::as_slice);
    let rolls = numbers(ROLLS);
    numbers(GRAINS).chunks_exact(5).enumerate().map(move |(k, row)| {
        let first = row[0] as u64;
        let roll = rolls.get(3 * k..3 * k + 3).map_or_else(Vec3::zeros, Vec3::from_column_slice);
        let (a, b) = ((first / 2) as u32, row[1] as u32);
        ContactHistory { a, b, slides: first % 2 == 1, shear: Vec3::new(row[2], row[3], row[4]), roll }
    })
}

/// Writes the histories of contacts between grains; `with_rolls` says whether they have θ.
pub(crate) fn store_records(
    records: impl ExactSizeIterator<Item = ContactHistory> + Clone,
    with_rolls: bool,
    state: &mut State,
) {
    let row = |r: ContactHistory| {
        [
            f64::from(r.a) * 2.0 + f64::from(u8::from(r.slides)),
            f64::from(r.b),
            r.shear.x,
            r.shear.y,
            r.shear.z,
        ]
    };
    // There are many: the numbers of the last step give their place to the new ones.
    let numbers = state.memory.numbers.entry(GRAINS.into()).or_default();
    numbers.clear();
    numbers.reserve_exact(5 * records.len());
    numbers.extend(records.clone().flat_map(row));
    if with_rolls {
        let rolls = records.flat_map(|r| [r.roll.x, r.roll.y, r.roll.z]).collect();
        state.memory.numbers.insert(ROLLS.into(), rolls);
    }
}

/// Reads the densities (kg/m³) of fluids.
pub(crate) fn densities(state: &State) -> &[f64] {
    state.memory.numbers.get(DENSITY).map_or(&[][..], Vec::as_slice)
}

/// Writes the densities (kg/m³) of fluids.
pub(crate) fn store_densities(densities: Vec<f64>, state: &mut State) {
    state.memory.numbers.insert(DENSITY.into(), densities);
}

/// Reads the spins (rad/s) of grains.
pub(crate) fn spins(state: &State) -> &[f64] {
    state.memory.numbers.get(SPIN).map_or(&[][..], Vec::as_slice)
}

/// Writes the spins (rad/s) of grains.
pub(crate) fn store_spins(spins: Vec<f64>, state: &mut State) {
    state.memory.numbers.insert(SPIN.into(), spins);
}
