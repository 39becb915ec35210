//! `attach`: parts of another model, or of the same one again.

use super::super::xml::Element;
use super::{Around, Reader};
use crate::error::SceneError;

/// Maximum number of attachments within each other.
const MAX_DEPTH: usize = 20;

impl<'a> Reader<'a> {
    /// Returns the elements that are attached: a body, what is in a frame, or what is in the world of a model.
    pub(super) fn attachment(
        &self,
        element: &Element<'a>,
        around: &Around<'a>,
    ) -> Result<Vec<(Element<'a>, Around<'a>)>, SceneError> {
        if around.depth == MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} attachments within each other");
            return Err(element.error(message));
        }
        let own = &self.languages.all[around.language];
        let language = match element.text("model") {
            None => around.language,
            Some(name) => *own
                .models
                .get(name)
                .ok_or_else(|| element.error(format!("there is no model {name:?} in `asset`")))?,
        };
        let prefix = format!("{}{}", around.prefix, element.text("prefix").unwrap_or_default());
        let inner = Around {
            class: "main",
            prefix: prefix.clone(),
            language,
            depth: around.depth + 1,
            ..around.clone()
        };
        self.attached.borrow_mut().push((language, prefix));
        let root = self.languages.all[language].root;
        let find = |kind: &str, name: &str| {
            let worlds = root.all("worldbody").flat_map(|world| world.children()).collect();
            below(worlds, kind, name)
                .ok_or_else(|| element.error(format!("there is no {kind} {name:?} in the model")))
        };
        match (element.text("body"), element.text("frame")) {
            (Some(body), _) => Ok(vec![(find("body", body)?, inner)]),
            (None, Some(frame)) => {
                let frame = find("frame", frame)?.read();
                let own = self.compiler(&inner).pose(&frame, &|name| frame.text(name))?;
                let class = frame.text("childclass").unwrap_or(inner.class);
                let pose = inner.pose.compose(&own);
                self.unfold(&frame, &Around { pose, class, ..inner })
            }
            (None, None) if language == around.language => {
                Err(element.error("a model is attached to itself: name a `body` or a `frame`"))
            }
            (None, None) => {
                let mut parts = Vec::new();
                for world in root.all("worldbody") {
                    parts.extend(self.unfold(&world, &inner)?);
                }
                Ok(parts)
            }
        }
    }
}

/// Finds an element by its name among these and below them.
fn below<'a>(mut ahead: Vec<Element<'a>>, kind: &str, name: &str) -> Option<Element<'a>> {
    while let Some(element) = ahead.pop() {
        if element.name() == kind && element.peek("name") == Some(name) {
            element.text("name");
            return Some(element);
        }
        ahead.extend(element.children());
    }
    None
}
