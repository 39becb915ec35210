//! Settings of methods between the core and JSON.

use rigor_scene::{Setting, Settings};
use serde_json::{Map, Number, Value};

/// The settings in a JSON object. A key with the value `null` is left out: it is not set.
///
/// ```
/// use rigor_file::setting::{from_json, to_json};
/// let object = serde_json::json!({ "substeps": 20, "relax": 0.5, "order": ["x", { "deep": true }] });
/// let settings = from_json(object.as_object().unwrap());
/// assert_eq!(to_json(&settings), *object.as_object().unwrap());
/// ```
pub fn from_json(object: &Map<String, Value>) -> Settings {
    object.iter().filter_map(|(key, value)| Some((key.clone(), setting(value)?))).collect()
}

/// The settings as a JSON object.
pub fn to_json(settings: &Settings) -> Map<String, Value> {
    settings.iter().map(|(key, setting)| (key.clone(), value(setting))).collect()
}

fn setting(value: &Value) -> Option<Setting> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(b) => Setting::Bool(*b),
        Value::Number(n) => match n.as_i64() {
            Some(n) => Setting::Integer(n),
            None => Setting::Number(n.as_f64()?),
        },
        Value::String(text) => Setting::Text(text.clone()),
        Value::Array(list) => Setting::List(list.iter().filter_map(setting).collect()),
        Value::Object(table) => Setting::Table(from_json(table)),
    })
}

fn value(setting: &Setting) -> Value {
    match setting {
        Setting::Bool(b) => Value::Bool(*b),
        Setting::Integer(n) => Value::from(*n),
        Setting::Number(x) => Number::from_f64(*x).map_or(Value::Null, Value::Number),
        Setting::Text(text) => Value::String(text.clone()),
        Setting::List(list) => list.iter().map(value).collect(),
        Setting::Table(table) => Value::Object(to_json(table)),
    }
}
