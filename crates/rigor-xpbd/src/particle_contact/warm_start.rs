//! Multipliers of particle contacts, carried from substep to substep, and from step to step in the state's
//! memory.

use rigor_math::Vec3;
use rigor_scene::State;

use super::row::Multipliers;
use super::with_body::BodyContact;
use super::with_particle::PairContact;

/// Memory key for contacts of two particles: each `[i, j, λ_n, λ_t (world, 3)]`, ascending.
const PAIRS: &str = "xpbd/particle_lambda";
const OF_PAIR: usize = 6;
/// Memory key for contacts with bodies: each `[particle, body, n (body's frame, 3), λ_n, λ_t (world, 3)]`, by
/// particle and body.
const WITH_BODIES: &str = "xpbd/particle_body_lambda";
const OF_BODY: usize = 9;

/// Minimum cosine between the normals of two contacts of one particle with one body to count as the same.
const SAME_NORMAL: f64 = 0.9;

/// Multipliers of the contacts that pushed in the previous substep.
#[derive(Debug, Default)]
pub(super) struct PastMultipliers {
    pairs: Vec<((usize, usize), Multipliers)>,
    with_bodies: Vec<((usize, usize), Vec3, Multipliers)>,
}

impl PastMultipliers {
    /// Starts `contacts`, in ascending order of their pairs, from λ of the previous substep; 0 if they did
    /// not push.
    pub fn start_pairs(&self, contacts: &mut [PairContact]) {
        let mut past = self.pairs.iter().peekable();
        for contact in contacts {
            let pair = (contact.i, contact.j);
            while past.next_if(|(before, _)| *before < pair).is_some() {}
            if let Some((_, lambda)) = past.next_if(|(before, _)| *before == pair) {
                contact.lambda = lambda.turned(&contact.normal);
            }
        }
    }

    /// Does the same for contacts with bodies; `normal` returns their normals (world).
    pub fn start_with_bodies(&self, contacts: &mut [BodyContact], normal: impl Fn(&BodyContact) -> Vec3) {
        let mut first = 0;
        for contact in contacts {
            let pair = (contact.particle, contact.body);
            first += self.with_bodies[first..].iter().take_while(|(before, ..)| *before < pair).count();
            let same = self.with_bodies[first..].iter().take_while(|(before, ..)| *before == pair);
            let cosine = |n: &Vec3| n.dot(&contact.normal_local);
            let nearest = same.max_by(|a, b| cosine(&a.1).total_cmp(&cosine(&b.1)));
            if let Some((_, n, lambda)) = nearest
                && cosine(n) >= SAME_NORMAL
            {
                contact.lambda = lambda.turned(&normal(contact));
            }
        }
    }

    /// Keeps the multipliers of a substep for the next one.
    pub fn remember(&mut self, with_bodies: &[BodyContact], pairs: &[PairContact]) {
        self.pairs.clear();
        let pushed = pairs.iter().filter(|c| c.lambda.n > 0.0);
        self.pairs.extend(pushed.map(|c| ((c.i, c.j), c.lambda)));
        self.with_bodies.clear();
        let pushed = with_bodies.iter().filter(|c| c.lambda.n > 0.0);
        self.with_bodies.extend(pushed.map(|c| ((c.particle, c.body), c.normal_local, c.lambda)));
    }

    /// Loads the multipliers from `state`.
    pub fn load(&mut self, state: &State) {
        let entries = |key: &str| state.memory.numbers.get(key).map_or(&[][..], |numbers| &numbers[..]);
        self.pairs.clear();
        self.pairs.extend(entries(PAIRS).chunks_exact(OF_PAIR).map(|entry| {
            let lambda = Multipliers { n: entry[2], t: Vec3::new(entry[3], entry[4], entry[5]) };
            ((entry[0] as usize, entry[1] as usize), lambda)
        }));
        self.with_bodies.clear();
        self.with_bodies.extend(entries(WITH_BODIES).chunks_exact(OF_BODY).map(|entry| {
            let lambda = Multipliers { n: entry[5], t: Vec3::new(entry[6], entry[7], entry[8]) };
            ((entry[0] as usize, entry[1] as usize), Vec3::new(entry[2], entry[3], entry[4]), lambda)
        }));
    }

    /// Writes the multipliers to `state`.
    pub fn store(&self, state: &mut State) {
        let pairs = self.pairs.iter().flat_map(|((i, j), lambda)| {
            [*i as f64, *j as f64, lambda.n, lambda.t.x, lambda.t.y, lambda.t.z]
        });
        put(state, PAIRS, pairs.collect());
        let with_bodies = self.with_bodies.iter().flat_map(|((i, b), n, lambda)| {
            let t = &lambda.t;
            [*i as f64, *b as f64, n.x, n.y, n.z, lambda.n, t.x, t.y, t.z]
        });
        put(state, WITH_BODIES, with_bodies.collect());
    }
}

fn put(state: &mut State, key: &str, numbers: Vec<f64>) {
    if numbers.is_empty() {
        state.memory.numbers.remove(key);
    } else {
        state.memory.numbers.insert(key.into(), numbers);
    }
}
