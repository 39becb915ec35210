//! Classes of defaults.

use std::collections::BTreeMap;

use super::super::xml::Element;
use crate::error::SceneError;

/// The classes, each with the elements of itself and of all classes around it, innermost first.
pub struct Defaults<'a> {
    classes: BTreeMap<String, Vec<Element<'a>>>,
}

impl<'a> Defaults<'a> {
    /// Collects the classes of a model; the outermost is `main`.
    pub fn of(root: &Element<'a>) -> Self {
        let mut defaults = Self { classes: BTreeMap::new() };
        for element in root.all("default") {
            defaults.collect(&element, "main", &[]);
        }
        defaults
    }

    /// There are none.
    pub const fn none() -> Self {
        Self { classes: BTreeMap::new() }
    }

    fn collect(&mut self, element: &Element<'a>, or: &str, around: &[Element<'a>]) {
        let name = element.text("class").unwrap_or(or).to_owned();
        // A class that comes again goes on; those within it keep what it was before.
        let chain = [&[*element][..], self.classes.get(&name).map_or(around, Vec::as_slice)].concat();
        self.classes.insert(name, chain.clone());
        element.all("default").for_each(|inner| self.collect(&inner, "main", &chain));
    }

    /// The text of an attribute: of the element, else of its class, else of the class of the bodies around it.
    pub fn text(&self, element: &Element<'a>, class: &str, name: &str) -> Option<&'a str> {
        if let Some(text) = element.text(name) {
            return Some(text);
        }
        let class = element.text("class").unwrap_or(class);
        let chain = self.classes.get(class).or_else(|| self.classes.get("main"))?;
        chain.iter().find_map(|default| default.child(element.name())?.text(name))
    }

    /// One number of an attribute, which does not count as read; 0 if there is none.
    pub fn peek(&self, element: &Element<'a>, class: &str, name: &str) -> f64 {
        let class = element.peek("class").unwrap_or(class);
        let chain = self.classes.get(class).or_else(|| self.classes.get("main"));
        let inherited = || chain?.iter().find_map(|default| default.peek_child(element.name())?.peek(name));
        element.peek(name).or_else(inherited).and_then(|text| text.trim().parse().ok()).unwrap_or(0.0)
    }

    /// The text of the first of these attributes that the class of an element gives, each with the name of its element; the
    /// innermost class first.
    pub fn first_of(&self, element: &Element<'a>, attributes: &[(&str, &str)]) -> Option<&'a str> {
        let class = element.text("class").unwrap_or("main");
        let chain = self.classes.get(class).or_else(|| self.classes.get("main"))?;
        let of = |default: &Element<'a>, (kind, name): &(&str, &str)| default.child(kind)?.text(name);
        chain.iter().find_map(|default| attributes.iter().find_map(|attribute| of(default, attribute)))
    }

    /// The numbers of an attribute.
    ///
    /// # Errors
    /// A word is not a finite number.
    pub fn numbers(
        &self,
        element: &Element<'a>,
        class: &str,
        name: &str,
    ) -> Result<Option<Vec<f64>>, SceneError> {
        let Some(text) = self.text(element, class, name) else { return Ok(None) };
        element.numbers_in(name, text).map(Some)
    }

    /// Three numbers.
    ///
    /// # Errors
    /// There are not three finite numbers.
    pub fn vector(
        &self,
        element: &Element<'a>,
        class: &str,
        name: &str,
    ) -> Result<Option<[f64; 3]>, SceneError> {
        let three = |numbers: Vec<f64>| {
            <[f64; 3]>::try_from(numbers)
                .map_err(|_| element.error(format!("{name}: expected three numbers")))
        };
        self.numbers(element, class, name)?.map(three).transpose()
    }

    /// The first number, or `or`.
    ///
    /// # Errors
    /// A word is not a finite number.
    pub fn number(&self, element: &Element<'a>, class: &str, name: &str, or: f64) -> Result<f64, SceneError> {
        Ok(self.numbers(element, class, name)?.and_then(|numbers| numbers.first().copied()).unwrap_or(or))
    }
}
