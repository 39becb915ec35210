//! Overrides from outside a scene file: `body.box.friction=0.5`.
//!
//! An override is one line of TOML. Its key selects table entries by key, and array items by their `name` or
//! their index from 0; its value replaces the one found there.

use std::path::PathBuf;

use super::closest::closest;
use super::error::{Finding, SceneError};
use super::toml;
use super::tree::{Entry, Node, Origin, Table, Tree, Value, shortened};

/// Applies the override `line`, written `KEY=VALUE`. A value that is a bare word instead of TOML is taken as
/// a string.
///
/// # Errors
/// The line is not TOML, or its key cannot be followed.
pub fn apply(tree: &mut Tree, line: &str) -> Result<(), SceneError> {
    let parsed = parse(line)?;
    let first = tree.texts.len();
    tree.texts.extend(parsed.texts.iter().cloned());
    let mut root = parsed.root;
    root.renumber(first);
    let text = parsed.texts[0].text.to_string();
    let (keys, value) = path_and_value(root, &text);
    set(tree, &keys, value)
}

fn parse(line: &str) -> Result<Tree, SceneError> {
    let read = |line: &str| toml::read(&name(line), &line.into());
    let help = "write KEY=VALUE, as `time.dt=0.001` or `body.box.friction=0.5`";
    let no_override = |message: &str| Finding::of_file(name(line), message).with_help(help);
    if line.contains('\n') {
        return Err(no_override("an override must be a single line").into());
    }
    let Some((key, value)) = line.split_once('=') else {
        return Err(no_override("expected `=`").into());
    };
    let tree = read(line).or_else(|error| {
        let value = value.trim();
        let is_word = value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        if is_word { read(&format!("{key}=\"{value}\"")) } else { Err(error) }
    })?;
    let is_setting = matches!(&tree.root.value, Value::Table(table) if table.len() == 1)
        && !line.trim_start().starts_with('[');
    if is_setting { Ok(tree) } else { Err(no_override("expected one key and its value").into()) }
}

fn name(line: &str) -> PathBuf {
    PathBuf::from(format!("--set {}", shortened(line)))
}

/// Splits `a.b.c = value` into its keys and the value.
///
/// A table created by a dotted key has the place of the key; an inline table starts with a brace.
fn path_and_value(root: Node, text: &str) -> (Vec<(String, Origin)>, Node) {
    let mut keys = Vec::new();
    let mut node = root;
    loop {
        let written_out = !keys.is_empty() && text.as_bytes().get(node.origin.span.start) == Some(&b'{');
        match node.value {
            Value::Table(mut table) if !written_out && table.len() == 1 => {
                let Some((key, entry)) = table.pop_first() else { unreachable!("the table has one entry") };
                keys.push((key, entry.key));
                node = entry.node;
            }
            value => return (keys, Node { value, ..node }),
        }
    }
}

fn set(tree: &mut Tree, keys: &[(String, Origin)], value: Node) -> Result<(), SceneError> {
    enter(&mut tree.root, keys, value).map_err(|Refused { n_left, message, help }| {
        let n = keys.len() - n_left;
        let path: Vec<_> = keys[..n].iter().map(|(key, _)| key.as_str()).collect();
        let finding = tree.finding_at(&keys[n].1, message).with_key(path.join("."));
        Finding { help, ..finding }.into()
    })
}

/// The reason why a key cannot be resolved; `n_left` is the number of remaining keys, including the failing
/// one.
struct Refused {
    n_left: usize,
    message: String,
    help: Option<String>,
}

/// Follows `keys` into `node` and stores `value` there; keys that a table lacks are created.
fn enter(node: &mut Node, keys: &[(String, Origin)], value: Node) -> Result<(), Refused> {
    let [(key, origin), rest @ ..] = keys else {
        *node = value;
        return Ok(());
    };
    if node.value == Value::Null {
        node.value = Value::Table(Table::new());
    }
    let refused = |message, help| Refused { n_left: keys.len(), message, help };
    match &mut node.value {
        Value::Array(items) => {
            let index = find(items, key).map_err(|(message, help)| refused(message, Some(help)))?;
            enter(&mut items[index], rest, value)
        }
        Value::Table(table) => {
            let absent = || Node { value: Value::Null, origin: origin.clone() };
            let made = || Entry { key: origin.clone(), node: absent() };
            enter(&mut table.entry(key.clone()).or_insert_with(made).node, rest, value)
        }
        other => Err(refused(format!("{} has no key `{}`", other.kind(), shortened(key)), None)),
    }
}

/// Returns the index of the item that `key` selects, or an error message with advice.
fn find(items: &[Node], key: &str) -> Result<usize, (String, String)> {
    let names = || items.iter().filter_map(|item| item.get("name").and_then(Node::as_str));
    if let Some(named) = items.iter().position(|item| item.get("name").and_then(Node::as_str) == Some(key)) {
        return Ok(named);
    }
    if let Some(index) = key.parse::<usize>().ok().filter(|&index| index < items.len()) {
        return Ok(index);
    }
    let help = match closest(key, names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if items.is_empty() => "the array is empty".to_owned(),
        None => format!("select an item by its name or by an index from 0 to {}", items.len() - 1),
    };
    Err((format!("there is no item `{}`", shortened(key)), help))
}
