//! Requests of a scene that a method does not fulfil.

use std::fmt;

/// A quantity that the scene or its settings ask for and that a method does not use as given.
///
/// One notice covers all bodies (joints, particles, …) that ask for the same quantity. As text: `restitution
/// 0.5 of body "ball" and 3 more: not used`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Notice {
    /// The quantity: a key of the scene file, the name of a setting, or a description if neither exists.
    pub quantity: &'static str,
    /// The value requested by the first item; `None` if the quantity has no value.
    pub value: Option<Asked>,
    /// The first item that asks for it, such as `body "ball"`; empty for the scene as a whole.
    pub example: String,
    /// Number of items that request it; 1 for the scene as a whole.
    pub count: usize,
    /// The action of the method, such as `not used`.
    pub instead: String,
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// The number.
    pub value: f64,
    /// Its unit; "1" for coefficients and ratios.
    pub unit: &'static str,
}

impl Notice {
    /// Creates the notice for all items that ask for `quantity`, each with its name and value; `None` if
    /// there are none.
    ///
    /// ```
    /// use rigor_scene::Notice;
    /// let balls = [("body \"a\"".to_owned(), 0.5), ("body \"b\"".to_owned(), 0.2)];
    /// let notice = Notice::of_all("restitution", "1", balls, "not used").expect("there are two");
    /// assert_eq!(notice.to_string(), "restitution 0.5 of body \"a\" and 1 more: not used");
    /// assert_eq!(Notice::of_all("restitution", "1", [], "not used"), None);
    /// ```
    pub fn of_all(
        quantity: &'static str,
        unit: &'static str,
        items: impl IntoIterator<Item = (String, f64)>,
        instead: impl Into<String>,
    ) -> Option<Self> {
        let mut items = items.into_iter();
        let (example, value) = items.next()?;
        let count = 1 + items.count();
        Some(Self { quantity, value: Some(Asked { value, unit }), example, count, instead: instead.into() })
    }

    /// Creates the notice for all items of these names, whose `quantity` has no value; `None` if there are
    /// none.
    ///
    /// ```
    /// use rigor_scene::Notice;
    /// let notice = Notice::of_named("contact", ["body \"a\"".to_owned()], "not simulated").expect("there is one");
    /// assert_eq!(notice.to_string(), "contact of body \"a\": not simulated");
    /// ```
    pub fn of_named(
        quantity: &'static str,
        names: impl IntoIterator<Item = String>,
        instead: impl Into<String>,
    ) -> Option<Self> {
        let mut names = names.into_iter();
        let example = names.next()?;
        Some(Self { quantity, value: None, example, count: 1 + names.count(), instead: instead.into() })
    }

    /// Creates the notice for a setting, or for a quantity of the scene as a whole.
    ///
    /// ```
    /// use rigor_scene::Notice;
    /// let notice = Notice::of_scene("velocity_tolerance", "m/s", 0.25, "the smaller 1e-4 m/s is used");
    /// assert_eq!(notice.to_string(), "velocity_tolerance 0.25 m/s: the smaller 1e-4 m/s is used");
    /// ```
    pub fn of_scene(
        quantity: &'static str,
        unit: &'static str,
        value: f64,
        instead: impl Into<String>,
    ) -> Self {
        let value = Some(Asked { value, unit });
        Self { quantity, value, example: String::new(), count: 1, instead: instead.into() }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.quantity)?;
        if let Some(asked) = self.value {
            write!(f, " {asked}")?;
        }
        if !self.example.is_empty() {
            write!(f, " of {}", self.example)?;
        }
        if self.count > 1 {
            write!(f, " and {} more", self.count - 1)?;
        }
        write!(f, ": {}", self.instead)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, unit } = *self;
        let is_readable = value == 0.0 || (1e-4..1e6).contains(&value.abs());
        if is_readable { write!(f, "{value}") } else { write!(f, "{value:e}") }?;
        if unit == "1" { Ok(()) } else { write!(f, " {unit}") }
    }
}
