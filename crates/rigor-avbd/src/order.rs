//! Which bodies are solved at once.

use rigor_joint::{Ends, ends_of};
use rigor_scene::Scene;

use crate::body::SolverBody;
use crate::contact::Contact;

/// A constraint, by its number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Link {
    Contact(usize),
    Joint(usize),
}

/// The constraints of each body, and colours: no constraint joins two bodies of one.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// With the end that the body is.
    pub links: Vec<Vec<(Link, usize)>>,
    /// Bodies that move, by colour.
    pub colours: Vec<Vec<usize>>,
    colour_of: Vec<usize>,
}

impl Order {
    /// Finds them for these contacts and the joints that `hold`: each body in turn gets the first colour that no neighbour has.
    pub fn find(
        &mut self,
        scene: &Scene,
        bodies: &[SolverBody],
        contacts: &[Contact],
        holds: impl Fn(usize) -> bool,
    ) {
        self.links.iter_mut().for_each(Vec::clear);
        self.links.resize_with(bodies.len(), Vec::new);
        let moves = |body: usize| bodies[body].moves();
        let joints = scene.joints.iter().enumerate().filter(|(i, _)| holds(*i));
        let joints = joints.map(|(i, joint)| (ends_of(joint), Link::Joint(i)));
        let contacts = contacts.iter().enumerate().map(|(i, contact)| (contact.ends(), Link::Contact(i)));
        let all: Vec<(Ends, Link)> = joints.chain(contacts).collect();
        for (ends, link) in &all {
            for (body, _, end) in ends.bodies().filter(|(body, ..)| moves(*body)) {
                self.links[body].push((*link, end));
            }
        }
        let mut neighbours = vec![Vec::new(); bodies.len()];
        for (ends, ..) in &all {
            if let Some(b) = ends.b.filter(|b| moves(*b) && moves(ends.a)) {
                neighbours[ends.a].push(b);
                neighbours[b].push(ends.a);
            }
        }
        const NONE: usize = usize::MAX;
        self.colour_of.clear();
        self.colour_of.resize(bodies.len(), NONE);
        self.colours.iter_mut().for_each(Vec::clear);
        for body in (0..bodies.len()).filter(|body| moves(*body) && !self.links[*body].is_empty()) {
            let is_taken = |colour: usize| neighbours[body].iter().any(|n| self.colour_of[*n] == colour);
            let colour = (0..).find(|colour| !is_taken(*colour)).unwrap_or(0);
            self.colour_of[body] = colour;
            if colour == self.colours.len() {
                self.colours.push(Vec::new());
            }
            self.colours[colour].push(body);
        }
    }
}
