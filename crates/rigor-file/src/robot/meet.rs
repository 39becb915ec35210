//! Contacts of shapes that are named, as layers of their links.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Link, Meeting, Model};
use super::{Dropped, account};
use crate::grade::Grade;

/// The layers of a link, and those that it meets, as bits: those of MuJoCo's `contype` and `conaffinity`, all geoms together. Two
/// links have geoms that collide if and only if their layers say so.
pub fn masks(link: &Link) -> (u32, u32) {
    let bits = |mask: i64| (mask & i64::from(u32::MAX)) as u32;
    link.masks.iter().fold((0, 0), |(layers, meets), mask| (layers | bits(mask.0), meets | bits(mask.1)))
}

/// Whether links with these masks collide.
const fn meet(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 & b.1 != 0 || b.0 & a.1 != 0
}

impl Model {
    /// Lets the links of each meeting collide, and no others that did not, with the friction of the meeting where that of the links
    /// can give it. What it cannot do it tells.
    pub fn meet(&mut self) {
        let meetings = std::mem::take(&mut self.meetings);
        if self.is_one_group || meetings.is_empty() {
            return;
        }
        let mut named: BTreeMap<(usize, usize), Vec<Meeting>> = BTreeMap::new();
        for meeting in meetings {
            let [a, b] = meeting.links;
            if a == b {
                self.tell(
                    &meeting,
                    &account::why(Grade::Unused, "both are of one body, which does not meet itself"),
                );
            } else if self.links[a].is_static && self.links[b].is_static {
                self.tell(&meeting, &account::why(Grade::Unused, "neither of them moves"));
            } else {
                named.entry((a.min(b), a.max(b))).or_default().push(meeting);
            }
        }
        let mut layers = self.used_layers();
        let is_met = self.are_met(&layers);
        self.choose_friction(&named, &is_met);
        let mut apart = BTreeSet::new();
        for ((a, b), meetings) in &named {
            let is_apart = self.apart.remove(&(*a, *b));
            if is_apart || !meet(layers[*a], layers[*b]) {
                let wanted = self.links[*a].shapes.len() * self.links[*b].shapes.len();
                let shapes: BTreeSet<_> = meetings.iter().map(|meeting| sorted(&meeting.shapes)).collect();
                if wanted > shapes.len() {
                    let why =
                        format!("all geoms of their bodies meet, {wanted} pairs instead of {}", shapes.len());
                    self.tell(&meetings[0], &why);
                }
            }
            if !meet(layers[*a], layers[*b]) {
                apart.insert((*a, *b));
            }
        }
        let left = add_layers(&mut layers, apart);
        for pair in left {
            self.tell(&named[&pair][0], "they do not meet: more than 32 layers would be needed");
        }
        for (link, (layers, meets)) in self.links.iter_mut().zip(&layers) {
            link.masks = vec![(i64::from(*layers), i64::from(*meets))];
        }
    }

    /// The masks of the links, without bits that make no two of them meet.
    fn used_layers(&self) -> Vec<(u32, u32)> {
        let own: Vec<(u32, u32)> = self.links.iter().map(masks).collect();
        let (in_them, meet_them) = own.iter().fold((0, 0), |all, mask| (all.0 | mask.0, all.1 | mask.1));
        let used = in_them & meet_them;
        own.into_iter().map(|(layers, meets)| (layers & used, meets & used)).collect()
    }

    /// Whether each link collides with another one by its masks.
    fn are_met(&self, layers: &[(u32, u32)]) -> Vec<bool> {
        let mut n: BTreeMap<((u32, u32), bool), usize> = BTreeMap::new();
        for (link, mask) in self.links.iter().zip(layers) {
            *n.entry((*mask, link.is_static)).or_default() += 1;
        }
        let met = |(link, mask): (&Link, &(u32, u32))| {
            n.iter().any(|((other, is_static), n)| {
                let own = usize::from(other == mask && *is_static == link.is_static);
                meet(*mask, *other) && !(link.is_static && *is_static) && *n > own
            })
        };
        self.links.iter().zip(layers).map(met).collect()
    }

    /// Gives links that only meet by name the smallest friction of their meetings, and tells where the larger one of two links is not
    /// that of their meeting.
    fn choose_friction(&mut self, named: &BTreeMap<(usize, usize), Vec<Meeting>>, is_met: &[bool]) {
        let mut least: BTreeMap<usize, f64> = BTreeMap::new();
        for (pair, meetings) in named {
            let own = meetings.iter().map(|meeting| meeting.friction).fold(0.0, f64::max);
            for link in [pair.0, pair.1] {
                let friction = least.entry(link).or_insert(own);
                *friction = friction.min(own);
            }
        }
        for (link, friction) in least.into_iter().filter(|(link, _)| !is_met[*link]) {
            self.links[link].friction = Some(friction);
        }
        for ((a, b), meetings) in named {
            let given = |link: usize| self.links[link].friction.unwrap_or(0.0);
            let given = given(*a).max(given(*b));
            for meeting in meetings.iter().filter(|meeting| meeting.friction != given) {
                self.tell(
                    meeting,
                    &format!("its friction is {}, and that of its bodies {given}", meeting.friction),
                );
            }
        }
    }

    fn tell(&mut self, meeting: &Meeting, why: &str) {
        let [a, b] = &meeting.shapes;
        let (file, place) = meeting.at.clone();
        self.dropped.push(Dropped { file, place, what: format!("<pair {a:?} {b:?}>"), why: why.to_owned() });
    }
}

fn sorted([a, b]: &[String; 2]) -> [&String; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// Adds a layer for a link of most pairs, which the others of them meet, until all pairs do or no layer is left. Returns pairs that do
/// not.
fn add_layers(layers: &mut [(u32, u32)], mut pairs: BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    while !pairs.is_empty() {
        let used = layers.iter().fold(0, |all, mask| all | mask.0 | mask.1);
        let Some(bit) = (0..u32::BITS).map(|i| 1 << i).find(|bit| used & bit == 0) else { break };
        let mut n: BTreeMap<usize, usize> = BTreeMap::new();
        pairs.iter().flat_map(|(a, b)| [a, b]).for_each(|link| *n.entry(*link).or_default() += 1);
        // Of links with as many pairs the first.
        let Some((hub, _)) = n.into_iter().rev().max_by_key(|(_, n)| *n) else { break };
        layers[hub].0 |= bit;
        pairs.retain(|(a, b)| {
            let other = if *a == hub { *b } else { *a };
            let is_of_hub = *a == hub || *b == hub;
            if is_of_hub {
                layers[other].1 |= bit;
            }
            !is_of_hub
        });
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_make_the_named_pairs_meet_and_no_others() {
        let pairs: BTreeSet<(usize, usize)> = [(0, 1), (0, 2), (2, 3), (4, 5)].into();
        // 4 and 6 meet already.
        let mut layers = vec![(0, 0), (0, 0), (0, 0), (0, 0), (1, 0), (0, 0), (0, 1)];
        assert!(add_layers(&mut layers, pairs.clone()).is_empty());
        for a in 0..layers.len() {
            for b in a + 1..layers.len() {
                let is_named = pairs.contains(&(a, b)) || (a, b) == (4, 6);
                assert_eq!(meet(layers[a], layers[b]), is_named, "{a} {b} {layers:?}");
            }
        }
        // A matching of 40 pairs needs 40 layers.
        let pairs: BTreeSet<(usize, usize)> = (0..40).map(|i| (2 * i, 2 * i + 1)).collect();
        assert_eq!(add_layers(&mut vec![(0, 0); 80], pairs).len(), 8);
    }
}
