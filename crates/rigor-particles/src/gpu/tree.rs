//! Trees over triangles that need no stack: in depth-first order, each node knows where to go on if its box is missed.

use rigor_geometry::Aabb;

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub bounds: Aabb,
    /// The node behind all below this one.
    pub next: usize,
    /// The triangle of a leaf.
    pub triangle: Option<usize>,
}

/// Builds a tree over `boxes`, split at the median of the centres along the longest axis.
pub(crate) fn build(boxes: &[Aabb]) -> Vec<Node> {
    let mut members: Vec<usize> = (0..boxes.len()).collect();
    let mut nodes = Vec::with_capacity(2 * boxes.len());
    add(boxes, &mut members, &mut nodes);
    nodes
}

fn add(boxes: &[Aabb], members: &mut [usize], nodes: &mut Vec<Node>) {
    let Some(&first) = members.first() else { return };
    let bounds = members.iter().fold(boxes[first], |all, &i| all.union(&boxes[i]));
    let place = nodes.len();
    let triangle = (members.len() == 1).then_some(first);
    nodes.push(Node { bounds, next: 0, triangle });
    if triangle.is_none() {
        let axis = bounds.extent().imax();
        let key = |i: usize| boxes[i].center()[axis];
        members.sort_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
        let (low, high) = members.split_at_mut(members.len() / 2);
        add(boxes, low, nodes);
        add(boxes, high, nodes);
    }
    nodes[place].next = nodes.len();
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    #[test]
    fn every_box_that_overlaps_is_reached_without_a_stack() {
        let boxes: Vec<Aabb> = (0..37)
            .map(|i| {
                let low = Vec3::new(f64::from(i * 7 % 37), f64::from(i * 11 % 5), 0.0);
                Aabb::new(low, low + Vec3::repeat(1.5))
            })
            .collect();
        let nodes = build(&boxes);
        assert_eq!(nodes.len(), 2 * 37 - 1);
        let query = Vec3::new(12.2, 2.1, 0.5);
        let (mut k, mut found, mut visited) = (0, Vec::new(), 0);
        while k < nodes.len() {
            visited += 1;
            if nodes[k].bounds.distance_sq(&query) > 0.0 {
                k = nodes[k].next;
                continue;
            }
            found.extend(nodes[k].triangle);
            k += 1;
        }
        found.sort_unstable();
        let expected: Vec<usize> = (0..37).filter(|&i| boxes[i].distance_sq(&query) == 0.0).collect();
        assert!(!expected.is_empty() && visited < nodes.len() / 2, "{visited} visited");
        assert_eq!(found, expected);
    }
}
