//! The JSON schema agrees with the reader.

use serde_json::Value;

#[test]
fn every_key_has_a_description_and_unknown_keys_are_refused() {
    let schema = rigor_file::schema();
    let mut tables = vec![("Document", &schema)];
    tables.extend(schema["$defs"].as_object().unwrap().iter().map(|(name, table)| (name.as_str(), table)));
    let mut n_keys = 0;
    for (name, table) in tables {
        let Some(properties) = table["properties"].as_object() else { continue };
        assert_eq!(table["additionalProperties"], Value::Bool(false), "{name}");
        for (key, property) in properties {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(description.len() > 5, "{name}.{key} has no description");
            n_keys += 1;
        }
    }
    assert!(n_keys > 100, "{n_keys}");
}

#[test]
fn no_key_asks_for_null() {
    assert!(!rigor_file::schema().to_string().contains("null"), "TOML has no null");
}

#[test]
fn lengths_of_arrays_are_in_the_schema() {
    let gravity = &rigor_file::schema()["properties"]["gravity"];
    assert_eq!((&gravity["minItems"], &gravity["maxItems"]), (&3.into(), &3.into()));
}
