//! Trajectories in `.csv` files: one line per time and body.

use std::path::Path;

use super::{Field, ForeignError, Layout, QuaternionOrder, Sheet};

/// The columns of the fields.
struct Columns {
    time: usize,
    body: Option<usize>,
    position: [usize; 3],
    quaternion: [usize; 4],
    velocity: Option<[[usize; 3]; 2]>,
    position_name: String,
}

/// Reads the lines of a trajectory; lines of one time stand together.
pub fn read(path: &Path, layout: &Layout) -> Result<Sheet, ForeignError> {
    let broken = |what: String| ForeignError::Format { path: path.to_owned(), format: ".csv", what };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(|error| broken(error.to_string()))?;
    let head: Vec<String> =
        reader.headers().map_err(|error| broken(error.to_string()))?.iter().map(str::to_owned).collect();
    if let Some(k) = (0..head.len()).find(|k| head[..*k].contains(&head[*k])) {
        return Err(broken(format!("two columns are called {:?}", head[k])));
    }
    let columns = columns(&head, layout)?;
    let mut sheet = Sheet { position_name: columns.position_name.clone(), ..Sheet::default() };
    let mut velocity = columns.velocity.map(|_| [Vec::new(), Vec::new()]);
    // The names of one time, in the order of their lines.
    let mut here: Vec<String> = Vec::new();
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|error| broken(error.to_string()))?;
        let number = |column: usize| {
            let text = record.get(column).unwrap_or_default();
            text.parse::<f64>().map_err(|_| broken(format!("line {}: {text:?} is not a number", line + 2)))
        };
        let time = number(columns.time)?;
        if sheet.times.last() != Some(&time) {
            finish(&mut sheet, &mut here)?;
            sheet.times.push(time);
        }
        here.extend(columns.body.and_then(|column| record.get(column)).map(str::to_owned));
        for column in columns.position {
            sheet.position.push(number(column)?);
        }
        for column in columns.quaternion {
            sheet.quaternion.push(number(column)?);
        }
        if let (Some(lists), Some(both)) = (&mut velocity, columns.velocity) {
            for (list, vector) in lists.iter_mut().zip(both) {
                for column in vector {
                    list.push(number(column)?);
                }
            }
        }
    }
    finish(&mut sheet, &mut here)?;
    sheet.velocity = velocity;
    let (n, lines) = (sheet.times.len(), sheet.position.len() / 3);
    if n > 0 && lines % n != 0 {
        let what = format!("{lines} lines for {n} times: every time needs a line for every body");
        return Err(broken(what));
    }
    Ok(sheet)
}

/// Compares the names of the last time with those of the first.
fn finish(sheet: &mut Sheet, here: &mut Vec<String>) -> Result<(), ForeignError> {
    if let Some(time) = sheet.times.last() {
        if sheet.names.is_empty() {
            sheet.names = here.clone();
        } else if let Some((body, _)) = sheet.names.iter().zip(here.iter()).find(|(a, b)| a != b) {
            return Err(ForeignError::NoRow { body: body.clone(), time: *time });
        } else if here.len() != sheet.names.len() {
            let body = sheet.names.get(here.len()).cloned().unwrap_or_default();
            return Err(ForeignError::NoRow { body, time: *time });
        }
    }
    here.clear();
    Ok(())
}

fn columns(head: &[String], layout: &Layout) -> Result<Columns, ForeignError> {
    let at = |name: &str| head.iter().position(|column| column == name);
    let tried = |field: Field| -> Vec<String> {
        match layout.names.get(&field) {
            Some(name) => vec![name.clone()],
            None => field.names().iter().map(|name| (*name).to_owned()).collect(),
        }
    };
    let missing = |field: Field| ForeignError::NoField {
        field: field.word(),
        tried: tried(field).join(", "),
        found: head.join(", "),
    };
    let missing_ends = |field: Field, ends: &[&str]| ForeignError::NoField {
        field: field.word(),
        tried: format!("{}, each followed by _{}", tried(field).join(", "), ends.join(", _")),
        found: head.join(", "),
    };
    let one = |field: Field| tried(field).iter().find_map(|name| at(name));
    let vector = |field: Field, parts: &[&str]| -> Option<(String, Vec<usize>)> {
        let part = |name: &str, part: &str| {
            at(&format!("{name}_{part}"))
                .or_else(|| at(&format!("{name}.{part}")))
                .or_else(|| at(&format!("{name}{part}")))
        };
        let of = |name: &String| {
            let found: Option<Vec<usize>> = parts.iter().map(|p| part(name, p)).collect();
            found.map(|found| (name.clone(), found))
        };
        tried(field).iter().find_map(of)
    };
    let three = |field: Field| vector(field, &["x", "y", "z"]).map(|(name, c)| (name, [c[0], c[1], c[2]]));
    let (position_name, position) =
        three(Field::Position).ok_or_else(|| missing_ends(Field::Position, &["x", "y", "z"]))?;
    let order = match layout.order {
        QuaternionOrder::ScalarFirst => ["w", "x", "y", "z"],
        QuaternionOrder::ScalarLast => ["x", "y", "z", "w"],
    };
    let (_, q) = vector(Field::Quaternion, &order).ok_or_else(|| missing_ends(Field::Quaternion, &order))?;
    let velocity = three(Field::Velocity).zip(three(Field::AngularVelocity));
    Ok(Columns {
        time: one(Field::Time).ok_or_else(|| missing(Field::Time))?,
        body: one(Field::Body),
        position,
        quaternion: [q[0], q[1], q[2], q[3]],
        velocity: velocity.map(|((_, linear), (_, angular))| [linear, angular]),
        position_name,
    })
}
