//! Values of pairs of bodies, found from either body.

/// A value for each of some pairs of bodies. The pairs of a body are found without a look at those of others, so
/// work on a few bodies takes no time for the rest.
#[derive(Debug, Clone)]
pub(crate) struct PairMap<T> {
    /// The links of each body, in ascending order of the other body.
    links: Vec<Vec<Link>>,
    values: Vec<Option<T>>,
    /// Places of `values` that are not in use.
    unused: Vec<usize>,
}

/// The way from one body of a pair to the other.
#[derive(Debug, Clone, Copy)]
struct Link {
    other: usize,
    at: usize,
}

/// Where the value of a pair of bodies is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairIndex {
    /// The smaller index first.
    pub bodies: [usize; 2],
    at: usize,
}

impl<T> Default for PairMap<T> {
    fn default() -> Self {
        Self { links: Vec::new(), values: Vec::new(), unused: Vec::new() }
    }
}

impl<T> PairMap<T> {
    pub fn is_empty(&self) -> bool {
        self.values.len() == self.unused.len()
    }

    /// Returns the bodies that have a value with this body, in ascending order.
    pub fn others(&self, body: usize) -> impl Iterator<Item = usize> {
        self.links_of(body).iter().map(|link| link.other)
    }

    fn links_of(&self, body: usize) -> &[Link] {
        self.links.get(body).map_or(&[], Vec::as_slice)
    }

    /// Returns where the value of a pair is, given with the smaller index first.
    pub fn spot(&self, bodies: [usize; 2]) -> Option<PairIndex> {
        let [a, b] = bodies.map(|body| self.links_of(body));
        // A floor has links to most bodies.
        let (links, other) = if a.len() <= b.len() { (a, bodies[1]) } else { (b, bodies[0]) };
        let index = links.binary_search_by_key(&other, |link| link.other).ok()?;
        Some(PairIndex { bodies, at: links[index].at })
    }

    pub fn get(&self, bodies: [usize; 2]) -> Option<&T> {
        self.at(self.spot(bodies)?)
    }

    pub fn at(&self, spot: PairIndex) -> Option<&T> {
        self.values[spot.at].as_ref()
    }

    pub fn at_mut(&mut self, spot: PairIndex) -> Option<&mut T> {
        self.values[spot.at].as_mut()
    }

    /// Gives a pair this value, given with the smaller index first.
    pub fn insert(&mut self, bodies: [usize; 2], value: T) {
        if let Some(spot) = self.spot(bodies) {
            self.values[spot.at] = Some(value);
            return;
        }
        let at = match self.unused.pop() {
            Some(at) => {
                self.values[at] = Some(value);
                at
            }
            None => {
                self.values.push(Some(value));
                self.values.len() - 1
            }
        };
        let [a, b] = bodies;
        if self.links.len() <= a.max(b) {
            self.links.resize_with(a.max(b) + 1, Vec::new);
        }
        for (body, other) in [(a, b), (b, a)] {
            let links = &mut self.links[body];
            let index = links.partition_point(|link| link.other < other);
            links.insert(index, Link { other, at });
        }
    }

    /// Removes a pair and returns its value.
    pub fn remove(&mut self, spot: PairIndex) -> Option<T> {
        let value = self.values[spot.at].take()?;
        let [a, b] = spot.bodies;
        for (body, other) in [(a, b), (b, a)] {
            let links = &mut self.links[body];
            if let Ok(index) = links.binary_search_by_key(&other, |link| link.other) {
                links.remove(index);
            }
        }
        self.unused.push(spot.at);
        Some(value)
    }

    /// Replaces the values at `spots`, those of pairs of some bodies, by `fresh` ones of such pairs, both in ascending order of the
    /// pairs; pairs without a fresh value have none afterwards. Returns the old values.
    pub fn exchange(
        &mut self,
        spots: Vec<PairIndex>,
        fresh: impl Iterator<Item = ([usize; 2], T)>,
    ) -> Vec<T> {
        let mut old = Vec::with_capacity(spots.len());
        let mut spots = spots.into_iter().peekable();
        for (bodies, value) in fresh {
            while let Some(spot) = spots.next_if(|spot| spot.bodies < bodies) {
                old.extend(self.remove(spot));
            }
            match spots.next_if(|spot| spot.bodies == bodies) {
                Some(spot) => old.extend(self.values[spot.at].replace(value)),
                None => self.insert(bodies, value),
            }
        }
        for spot in spots {
            old.extend(self.remove(spot));
        }
        old
    }

    /// Returns the pairs of these bodies, with each other and with others, in ascending order; `is_among` tells
    /// which bodies they are.
    pub fn of<'a>(
        &self,
        bodies: impl Iterator<Item = &'a usize>,
        is_among: impl Fn(usize) -> bool,
    ) -> Vec<PairIndex> {
        let mut spots = Vec::new();
        for &body in bodies {
            let links = self.links_of(body).iter();
            // A pair of two of them is found from its first body.
            let own = links.filter(|link| link.other > body || !is_among(link.other));
            spots.extend(
                own.map(|link| PairIndex {
                    bodies: [body.min(link.other), body.max(link.other)],
                    at: link.at,
                }),
            );
        }
        spots.sort_unstable_by_key(|spot| spot.bodies);
        spots
    }

    /// Returns all pairs in ascending order.
    pub fn all(&self) -> impl Iterator<Item = PairIndex> {
        self.links.iter().enumerate().flat_map(|(body, links)| {
            let first = links.partition_point(|link| link.other < body);
            links[first..].iter().map(move |link| PairIndex { bodies: [body, link.other], at: link.at })
        })
    }

    /// Returns all values in ascending order of the pairs.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.all().filter_map(|spot| self.at(spot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(between: &PairMap<char>, bodies: &[usize]) -> Vec<([usize; 2], char)> {
        let spots = between.of(bodies.iter(), |body| bodies.contains(&body));
        spots.into_iter().map(|spot| (spot.bodies, *between.at(spot).unwrap())).collect()
    }

    #[test]
    fn pairs_are_found_from_either_body_and_once_from_both() {
        let mut between = PairMap::default();
        for (bodies, value) in [([2, 5], 'a'), ([0, 2], 'b'), ([0, 7], 'c'), ([5, 7], 'd')] {
            between.insert(bodies, value);
        }
        assert_eq!(pairs(&between, &[2]), [([0, 2], 'b'), ([2, 5], 'a')]);
        assert_eq!(pairs(&between, &[2, 5]), [([0, 2], 'b'), ([2, 5], 'a'), ([5, 7], 'd')]);
        assert_eq!(between.values().collect::<String>(), "bcad");
        assert_eq!(between.others(7).collect::<Vec<_>>(), [0, 5]);
        assert_eq!((between.get([5, 7]), between.get([2, 7]), between.get([8, 9])), (Some(&'d'), None, None));
    }

    #[test]
    fn values_of_some_bodies_are_exchanged() {
        let mut between = PairMap::default();
        for (bodies, value) in [([0, 2], 'a'), ([2, 5], 'b'), ([2, 7], 'c'), ([5, 7], 'd')] {
            between.insert(bodies, value);
        }
        let spots = between.of([2].iter(), |body| body == 2);
        let old = between.exchange(spots, [([1, 2], 'e'), ([2, 5], 'f')].into_iter());
        assert_eq!(old, ['a', 'b', 'c']);
        let all: Vec<_> = between.all().map(|spot| (spot.bodies, *between.at(spot).unwrap())).collect();
        assert_eq!(all, [([1, 2], 'e'), ([2, 5], 'f'), ([5, 7], 'd')]);
    }

    #[test]
    fn what_is_removed_makes_room_for_others() {
        let mut between = PairMap::default();
        between.insert([0, 1], 'a');
        between.insert([1, 2], 'b');
        let spot = between.spot([0, 1]).unwrap();
        assert_eq!(between.remove(spot), Some('a'));
        assert_eq!((between.get([0, 1]), between.get([1, 2])), (None, Some(&'b')));
        between.insert([0, 2], 'c');
        between.insert([1, 2], 'd');
        assert_eq!((between.values.len(), between.values().collect::<String>()), (2, "cd".into()));
        for bodies in [[0, 2], [1, 2]] {
            let spot = between.spot(bodies).unwrap();
            between.remove(spot);
        }
        assert!(between.is_empty());
    }
}
