//! Settings of methods between the core and JSON.

use std::collections::BTreeMap;

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
/// Returns the settings of methods, by method, in a change of a scene such as `method.xpbd.substeps=40`; none in another change, or in
/// one that cannot be read, which loading a scene with it tells.
///
/// ```
/// use rigor_file::setting::of_change;
/// let found = of_change("method.ipc.integrator=bdf2");
/// assert_eq!(found["ipc"]["integrator"], "bdf2".into());
/// assert!(of_change("time.dt=0.01").is_empty());
/// ```
pub fn of_change(line: &str) -> BTreeMap<String, Settings> {
    let Some((key, value)) = line.split_once('=') else { return BTreeMap::new() };
    let read = |text: &str| format!("{key}={text}").parse::<::toml::Table>().ok();
    let quoted = Value::String(value.trim().to_owned()).to_string();
    let change = read(value).or_else(|| read(&quoted)).and_then(|table| serde_json::to_value(table).ok());
    let methods = change.as_ref().and_then(|change| change.get("method")).and_then(Value::as_object);
    let own = |(name, own): (&String, &Value)| Some((name.clone(), from_json(own.as_object()?)));
    methods.into_iter().flatten().filter_map(own).collect()
}
