//! `contact`: pairs of bodies that do not collide, and pairs of geoms that do.

use std::collections::BTreeMap;

use super::super::model::Meeting;
use super::Reader;
use crate::error::SceneError;

impl Reader<'_> {
    /// Finds the pairs of links that the files keep apart by name.
    pub(super) fn exclude(&mut self) {
        let places: BTreeMap<&str, usize> =
            self.model.links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
        let mut pairs = Vec::new();
        for (language, prefix) in self.attached.borrow().iter() {
            let find = |name: Option<&str>| places.get(format!("{prefix}{}", name?).as_str()).copied();
            let root = self.languages.all[*language].root;
            for exclude in root.all("contact").flat_map(|contact| contact.all("exclude")) {
                match (find(exclude.text("body1")), find(exclude.text("body2"))) {
                    (Some(a), Some(b)) => pairs.push((a.min(b), a.max(b))),
                    _ => exclude.drop("<exclude>", "there are no two bodies of these names"),
                }
            }
        }
        self.model.apart.extend(pairs);
    }

    /// Finds the pairs of geoms that collide by name. A pair has the friction that it or its class says, else 1, and not that of its
    /// geoms.
    ///
    /// Source: MuJoCo, XML reference, `contact/pair`; defaults checked against MuJoCo 4.0.
    ///
    /// # Errors
    /// A number is invalid.
    pub(super) fn pair(&mut self) -> Result<(), SceneError> {
        for (language, prefix) in self.attached.borrow().iter() {
            let language = &self.languages.all[*language];
            for pair in language.root.all("contact").flat_map(|contact| contact.all("pair")) {
                let named =
                    ["geom1", "geom2"].map(|key| format!("{prefix}{}", pair.text(key).unwrap_or_default()));
                let [Some(a), Some(b)] = [&named[0], &named[1]].map(|name| self.shapes.get(name).copied())
                else {
                    pair.drop("<pair>", "there are no two geoms of these names");
                    continue;
                };
                let own = language.defaults.numbers(&pair, "main", "friction")?.unwrap_or_default();
                let [along, across] = [0, 1].map(|i| own.get(i).copied().unwrap_or(1.0).max(0.0));
                let is_smooth = language.defaults.number(&pair, "main", "condim", 3.0)? == 1.0;
                let friction = if is_smooth { 0.0 } else { along.max(across) };
                if along != across && !is_smooth {
                    let why = format!("the friction is {friction} in all directions");
                    pair.drop("<pair friction>", why);
                }
                self.model.meetings.push(Meeting {
                    links: [a, b],
                    shapes: named,
                    friction,
                    at: pair.place(),
                });
            }
        }
        Ok(())
    }
}
