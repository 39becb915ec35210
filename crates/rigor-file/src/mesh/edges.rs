//! The triangles along each edge, and the parts that edges and vertices connect.

use std::collections::HashMap;

/// Numbers of triangles along an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Use {
    /// Triangles that traverse it from the smaller to the larger vertex.
    pub forwards: u32,
    /// Triangles that traverse it the other way.
    pub backwards: u32,
}

impl Use {
    /// Number of triangles.
    pub fn count(self) -> u32 {
        self.forwards + self.backwards
    }

    /// Whether it is traversed equally often both ways.
    pub fn is_balanced(self) -> bool {
        self.forwards == self.backwards
    }
}

/// The directed sides of a triangle.
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The edge of a side.
pub(super) fn edge([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Returns the use of every edge of `triangles`; those that name a vertex twice have none.
pub(super) fn uses(triangles: impl Iterator<Item = [u32; 3]>) -> HashMap<[u32; 2], Use> {
    let mut uses: HashMap<[u32; 2], Use> = HashMap::new();
    for triangle in triangles.filter(|[a, b, c]| a != b && b != c && c != a) {
        for side in sides(triangle) {
            let used = uses.entry(edge(side)).or_default();
            if side[0] < side[1] {
                used.forwards += 1;
            } else {
                used.backwards += 1;
            }
        }
    }
    uses
}

/// Sets of vertices that triangles connect.
pub(super) struct Parts(Vec<u32>);

impl Parts {
    /// Connects the corners of each of `triangles`.
    pub fn of(n_vertices: usize, triangles: impl Iterator<Item = [u32; 3]>) -> Self {
        let mut parts = Self((0..n_vertices as u32).collect());
        for [a, b, c] in triangles {
            parts.connect(a, b);
            parts.connect(b, c);
        }
        parts
    }

    fn connect(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Returns the first vertex of the set of `v`, which names the set.
    pub fn first(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }
}
