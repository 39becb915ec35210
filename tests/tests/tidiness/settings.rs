//! The page of settings lists the settings of every method, with their defaults.

use rigor_run::registry::{self, Entry};
use serde_json::{Map, Value};

use crate::workspace::read;

const PAGE: &str = "docs/settings.md";

/// Formats a description on one line, as a table cell, without the escapes of brackets that docstrings need.
fn cell(description: &Value) -> String {
    let text = description.as_str().unwrap_or_default().replace('\n', " ");
    text.replace("\\[", "[").replace("\\]", "]").replace('|', "\\|")
}

/// Returns the definition that a property refers to, directly or as one of several choices.
fn definition<'a>(schema: &'a Value, property: &'a Value) -> Option<&'a Value> {
    let choices = property["anyOf"].as_array().into_iter().flatten();
    let reference = std::iter::once(property).chain(choices).find_map(|choice| choice["$ref"].as_str())?;
    schema.pointer(reference.strip_prefix('#')?)
}

/// Formats the values of a setting with several choices, each with its meaning.
fn choices(definition: &Value) -> Vec<String> {
    let all = definition["oneOf"].as_array().into_iter().flatten();
    let choice = |choice: &Value| {
        let name = choice["const"].as_str().map(str::to_owned);
        let table = || choice["required"][0].as_str().map(|key| format!("{{ {key} = … }}"));
        Some(format!("`{}`: {}", name.or_else(table)?, cell(&choice["description"])))
    };
    all.filter_map(choice).collect()
}

/// Formats the section of a method: its name, summary and settings.
fn section(entry: &Entry) -> String {
    let schema = entry.schema();
    let none = Map::new();
    let row = |(key, property): (&String, &Value)| {
        let default = match &property["default"] {
            Value::Null => "derived from the scene".to_owned(),
            value => format!("`{value}`"),
        };
        let of = definition(&schema, property).map(choices).unwrap_or_default();
        let meaning: Vec<_> = std::iter::once(cell(&property["description"])).chain(of).collect();
        format!("| `{key}` | {default} | {} |\n", meaning.join("<br>"))
    };
    let rows: String = schema["properties"].as_object().unwrap_or(&none).iter().map(row).collect();
    format!(
        "## {}\n{}\n\n| key | default | meaning |\n| --- | --- | --- |\n{rows}",
        entry.name, entry.summary
    )
}

fn missing(page: &str) -> Vec<String> {
    registry::entries().into_iter().map(section).filter(|section| !page.contains(section)).collect()
}

#[test]
fn every_setting_is_on_the_page() {
    crate::assert_none(&missing(&read(PAGE)));
}

#[test]
fn a_setting_that_is_not_on_the_page_is_found() {
    let page: String = registry::entries().into_iter().map(section).collect();
    assert!(missing(&page).is_empty() && page.contains("| `substeps` |"));
    assert_eq!(missing(&page.replace("| `ccd` |", "| `cdd` |")).len(), 1);
}
