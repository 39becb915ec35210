//! Histories of contacts in the state's memory.

use rigor_math::Vec3;
use rigor_scene::State;

use crate::contact::History;
use crate::neighbours::Neighbours;

/// Key of the contacts that touched at the end of the last step: 13 numbers each, namely particle, other,
/// place, 1 if it slid, then normal, ξ (m) and θ (rad), world.
const CONTACTS: &str = "particles/contacts";
const NUMBERS: usize = 13;

/// Reads the histories of the last step.
pub(crate) fn load(state: &State, near: &mut Neighbours) {
    near.recalled.clear();
    let Some(numbers) = state.memory.numbers.get(CONTACTS) else { return };
    for row in numbers.chunks_exact(NUMBERS) {
        let vector = |k: usize| Vec3::new(row[k], row[k + 1], row[k + 2]);
        let (normal, shear, roll) = (vector(4), vector(7), vector(10));
        let history = History { touches: true, slides: row[3] != 0.0, normal, shear, roll };
        near.recalled.push(((row[0] as u32, row[1] as u32, row[2] as u8), history));
    }
}

/// Writes the histories of contacts that touch now.
pub(crate) fn store(near: &Neighbours, state: &mut State) {
    let mut numbers = Vec::new();
    for link in near.touching() {
        let History { slides, normal, shear, roll, .. } = link.history;
        let head = [link.particle, link.other, u32::from(link.place), u32::from(slides)];
        numbers.extend(head.map(f64::from));
        for vector in [normal, shear, roll] {
            numbers.extend_from_slice(vector.as_slice());
        }
    }
    state.memory.numbers.insert(CONTACTS.into(), numbers);
}
