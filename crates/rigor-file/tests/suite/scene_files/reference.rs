//! The reference page of the format agrees with the schema on every key.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{load, load_with};

const PAGE: &str = include_str!("../../../../../docs/scene-format.md");

/// Returns the name of the definition that a `$ref` refers to.
fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// Describes the type of a schema.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return format!("`{}`", name_of(reference));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("array"), _) => match schema["minItems"].as_u64() {
            Some(n) => format!("{n} × {}", type_of(&schema["items"])),
            None => format!("array of {}", type_of(&schema["items"])),
        },
        (Some("integer"), _) => "whole number".to_owned(),
        (Some("boolean"), _) => "true or false".to_owned(),
        (Some("object"), _) => "table".to_owned(),
        (Some(plain), _) => plain.to_owned(),
        _ => "anything".to_owned(),
    }
}

fn row(key: &str, schema: &Value, required: bool) -> String {
    let default = match &schema["default"] {
        _ if required => "required".to_owned(),
        Value::Null => "–".to_owned(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Object(_) => "see there".to_owned(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        value => format!("`{value}`"),
    };
    let meaning = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    format!("| `{key}` | {} | {default} | {meaning} |\n", type_of(schema))
}

/// Renders the section of one table: a heading, its description, and its keys or choices.
fn section(name: &str, schema: &Value) -> String {
    let mut text = format!("### {name}\n");
    let about = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    let _ = writeln!(text, "{about}\n");
    if let Some(properties) = schema["properties"].as_object() {
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
        text.push_str("| key | type | default | meaning |\n| --- | --- | --- | --- |\n");
        for (key, property) in properties {
            text.push_str(&row(key, property, required.contains(&&Value::from(key.as_str()))));
        }
    }
    let choices = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    if let Some(choices) = choices {
        text.push_str("| choice | meaning |\n| --- | --- |\n");
        for choice in choices {
            let meaning = choice["description"].as_str().unwrap_or_default().replace('\n', " ");
            let shown = choice["const"].as_str().map_or_else(|| type_of(choice), |name| format!("`{name}`"));
            let _ = writeln!(text, "| {shown} | {meaning} |");
        }
    }
    text
}

#[test]
fn the_reference_page_lists_every_key_as_the_schema_has_it() {
    let schema = rigor_file::schema();
    let none = Map::new();
    let definitions = schema["$defs"].as_object().unwrap_or(&none);
    let sections = definitions.iter().map(|(name, table)| section(name, table));
    let missing: Vec<String> =
        std::iter::once(section("Document", &schema)).chain(sections).filter(|s| !PAGE.contains(s)).collect();
    assert!(missing.is_empty(), "docs/scene-format.md lacks, or has otherwise:\n\n{}", missing.join("\n"));
}

/// Returns the first TOML block of the page.
fn example() -> &'static str {
    let start = PAGE.find("```toml\n").map_or(0, |at| at + "```toml\n".len());
    PAGE[start..].split("```").next().unwrap_or_default()
}

#[test]
fn the_page_s_example_loads_as_the_page_says() {
    let scene = load(example()).unwrap().scene;
    let names: Vec<_> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["floor", "brick-0-0-0", "brick-0-1-0", "brick-0-2-0", "brick-0-3-0", "brick-0-4-0"]);
    assert!(rigor_file::check::initial_intersections(&scene).is_empty());
    for line in PAGE.lines().filter_map(|line| line.strip_prefix("--set ")) {
        load_with(example(), &[line]).unwrap();
    }
    let wrong = example().replace("friction = {", "frction = {");
    let error = load(&wrong).unwrap_err().to_string().replace("a/scene", "tower");
    assert!(PAGE.contains(&error), "{error}");
    let wrong = example()
        .replace("role = \"static\"", "role = \"static\"\ndensity = -1")
        .replace("friction = 0.5\n", "");
    let error = load(&wrong).unwrap_err().to_string().replace("a/scene", "tower");
    assert!(PAGE.contains(&error), "{error}");
}
