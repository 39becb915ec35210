//! The JSON schema of scene files.

use serde_json::{Map, Value};

use super::document::Document;

/// Returns the JSON schema of a scene file, for editors and other programs.
///
/// ```
/// let schema = rigor_file::schema();
/// assert_eq!(schema["title"], "Rigor scene");
/// assert_eq!(schema["properties"]["gravity"]["default"][1], -9.81);
/// ```
pub fn schema() -> Value {
    let mut schema = Value::from(schemars::schema_for!(Document));
    without_null(&mut schema);
    schema
}

/// Removes null from the schema: TOML has no null, so optional keys are left out instead.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(table) => {
            drop_null_type(table);
            drop_null_choice(table);
            table.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn drop_null_type(table: &mut Map<String, Value>) {
    if table.get("default").is_some_and(Value::is_null) {
        table.remove("default");
    }
    if let Some(Value::Array(types)) = table.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            table.insert("type".to_owned(), only);
        }
    }
}

/// Replaces `anyOf: [X, null]` by X.
fn drop_null_choice(table: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = table.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|t| t != "null"));
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        table.remove("anyOf");
        for (key, value) in only {
            table.entry(key).or_insert(value);
        }
    }
}
