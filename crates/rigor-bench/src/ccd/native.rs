//! The program's own format of query sets: CSV that preserves every f64 exactly.
//!
//! docs/ccd-queries.md describes it. Numbers are the shortest decimals that read back as the same f64.

use std::fmt::Write;
use std::path::Path;

use nalgebra::Quaternion;
use rigor_ccd::{Kind, Labelled, LinearQuery, RigidMotion, RigidQuery, Truth};
use rigor_math::{UnitQuaternion, Vec3};

use super::rational::beginning;
use super::{FileError, QueryFault};

/// The first columns, common to both types of queries.
const HEAD: [&str; 6] = ["label", "kind", "d_min", "truth", "t_lo", "t_hi"];

/// Queries of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Queries {
    /// Queries of points on straight lines.
    Linear(Vec<Labelled<LinearQuery>>),
    /// Queries of rigid bodies.
    Rigid(Vec<Labelled<RigidQuery>>),
}

/// A query that can be written as a kind, a `d_min` (m) and one number per column.
pub trait WritableQuery: Sized {
    /// Names of the columns.
    fn columns() -> Vec<String>;
    /// The kind, `d_min` (m) and the numbers, `None` for coordinates of points that the kind does not have.
    fn take_apart(&self) -> (Kind, f64, Vec<Option<f64>>);
    /// Creates the query with these numbers, one per column.
    fn put_together(kind: Kind, d_min: f64, numbers: &[f64]) -> Self;
}

impl WritableQuery for LinearQuery {
    fn columns() -> Vec<String> {
        ["t0", "t1"].iter().flat_map(|t| points().map(move |point| format!("{point}_{t}"))).collect()
    }

    fn take_apart(&self) -> (Kind, f64, Vec<Option<f64>>) {
        let numbers =
            [self.start, self.end].iter().flat_map(|points| coordinates(self.kind, points)).collect();
        (self.kind, self.d_min, numbers)
    }

    fn put_together(kind: Kind, d_min: f64, numbers: &[f64]) -> Self {
        Self::new(kind, four(&numbers[..12]), four(&numbers[12..]), d_min)
    }
}

impl WritableQuery for RigidQuery {
    fn columns() -> Vec<String> {
        let vector = |name: &str, axes: &str| axes.chars().map(|c| format!("{name}_{c}")).collect::<Vec<_>>();
        let motion = |body: &str| {
            let of = |quantity: &str| vector(&format!("{body}_{quantity}"), "xyz");
            let mut names: Vec<String> =
                ["position_t0", "position_t1", "theta_t0", "theta_t1"].map(of).concat();
            names.extend(vector(&format!("{body}_orientation"), "wxyz"));
            names
        };
        ["a", "b"].iter().flat_map(|body| motion(body)).chain(points()).collect()
    }

    fn take_apart(&self) -> (Kind, f64, Vec<Option<f64>>) {
        let motions = [&self.motion_a, &self.motion_b].into_iter().flat_map(motion_numbers).map(Some);
        (self.kind, self.d_min, motions.chain(coordinates(self.kind, &self.points_local)).collect())
    }

    fn put_together(kind: Kind, d_min: f64, numbers: &[f64]) -> Self {
        let (motions, points) = numbers.split_at(32);
        Self::new(kind, [motion(&motions[..16]), motion(&motions[16..])], four(points), d_min)
    }
}

/// Names of the coordinates of four points: x0, y0, z0, x1, ….
fn points() -> impl Iterator<Item = String> {
    (0..4).flat_map(|i| "xyz".chars().map(move |c| format!("{c}{i}")))
}

/// The twelve coordinates of four points, `None` for points that the kind does not have.
fn coordinates(kind: Kind, points: &[Vec3; 4]) -> impl Iterator<Item = Option<f64>> {
    let numbers: Vec<f64> = points.iter().flat_map(|x| [x.x, x.y, x.z]).collect();
    numbers.into_iter().enumerate().map(move |(i, x)| (i < 3 * kind.n_points()).then_some(x))
}

fn four(numbers: &[f64]) -> [Vec3; 4] {
    std::array::from_fn(|i| Vec3::new(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]))
}

fn motion_numbers(motion: &RigidMotion) -> Vec<f64> {
    let vectors = [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1];
    let q = motion.orientation.as_vector();
    vectors.iter().flat_map(|v| [v.x, v.y, v.z]).chain([q.w, q.x, q.y, q.z]).collect()
}

fn motion(numbers: &[f64]) -> RigidMotion {
    let [position_t0, position_t1, theta_t0, theta_t1] = four(&numbers[..12]);
    let q = Quaternion::new(numbers[12], numbers[13], numbers[14], numbers[15]);
    RigidMotion {
        position_t0,
        position_t1,
        theta_t0,
        theta_t1,
        orientation: UnitQuaternion::new_unchecked(q),
    }
}

/// Formats queries as a file that starts with the lines of `comment`, each after a `#`.
///
/// Commas, quotes and line breaks in labels become spaces.
pub fn write<Q: WritableQuery>(queries: &[Labelled<Q>], comment: &str) -> String {
    let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
    text += &HEAD.map(String::from).into_iter().chain(Q::columns()).collect::<Vec<_>>().join(",");
    text.push('\n');
    for Labelled { query, truth, label } in queries {
        let (kind, d_min, numbers) = query.take_apart();
        let label = label.replace([',', '"', '\n', '\r'], " ");
        write!(text, "{},{},{},{}", label.trim(), kind.name(), decimal(d_min), truth_cells(truth))
            .expect("strings grow");
        for number in numbers {
            text.push(',');
            text += &number.map_or(String::new(), decimal);
        }
        text.push('\n');
    }
    text
}

/// The shortest decimal that reads back as the same f64.
fn decimal(x: f64) -> String {
    let (plain, scientific) = (format!("{x}"), format!("{x:e}"));
    if plain.len() <= scientific.len() { plain } else { scientific }
}

fn truth_cells(truth: &Truth) -> String {
    match *truth {
        Truth::Free => "free,,".into(),
        Truth::First { lo, hi } => format!("first,{},{}", decimal(lo), decimal(hi)),
        Truth::Hit => "hit,,".into(),
        Truth::Unknown { lo } => format!("unknown,{},", decimal(lo)),
    }
}

/// Returns whether `text` is in this format: its first line that is neither blank nor a comment starts with
/// `label,`.
pub fn is_native(text: &str) -> bool {
    header(text).is_some_and(|(_, line)| line.starts_with("label,"))
}

fn header(text: &str) -> Option<(usize, &str)> {
    (1..).zip(text.lines()).find(|(_, line)| !is_blank(line))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// Reads the queries of a file; its columns determine their type.
///
/// # Errors
/// [`FileError`] with the first invalid row.
pub fn read(path: &Path, text: &str) -> Result<Queries, FileError> {
    let (row, line) = header(text).ok_or_else(|| FileError::whole(path, QueryFault::NoColumns))?;
    let names: Vec<&str> = line.split(',').map(str::trim).collect();
    let is = |columns: Vec<String>| {
        names.len() == HEAD.len() + columns.len()
            && names
                .iter()
                .zip(HEAD.into_iter().chain(columns.iter().map(String::as_str)))
                .all(|(a, b)| *a == b)
    };
    if is(LinearQuery::columns()) {
        rows(path, text, row).map(Queries::Linear)
    } else if is(RigidQuery::columns()) {
        rows(path, text, row).map(Queries::Rigid)
    } else {
        Err(FileError::at(path, row, QueryFault::UnknownColumns))
    }
}

fn rows<Q: WritableQuery>(path: &Path, text: &str, header: usize) -> Result<Vec<Labelled<Q>>, FileError> {
    let columns: Vec<String> = HEAD.map(String::from).into_iter().chain(Q::columns()).collect();
    (1..)
        .zip(text.lines())
        .skip(header)
        .filter(|(_, line)| !is_blank(line))
        .map(|(number, line)| query(line, &columns).map_err(|fault| FileError::at(path, number, fault)))
        .collect()
}

fn query<Q: WritableQuery>(line: &str, columns: &[String]) -> Result<Labelled<Q>, QueryFault> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(QueryFault::Cells { found: cells.len(), expected: columns.len() });
    }
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == cells[1]);
    let kind = kind.ok_or_else(|| QueryFault::Kind { found: beginning(cells[1]) })?;
    let d_min = number(cells[2], "d_min")?;
    if d_min < 0.0 {
        return Err(QueryFault::NegativeDistance { d_min });
    }
    let truth = truth(cells[3], cells[4], cells[5])?;
    let numbers = cells[6..].iter().zip(&columns[6..]).map(|(cell, column)| match *cell {
        "" if is_of_absent_point(column, kind) => Ok(0.0),
        cell => number(cell, column),
    });
    let query = Q::put_together(kind, d_min, &numbers.collect::<Result<Vec<_>, _>>()?);
    Ok(Labelled { query, truth, label: cells[0].to_owned() })
}

/// Whether a column such as `y2_t0` belongs to a point that the kind does not have.
fn is_of_absent_point(column: &str, kind: Kind) -> bool {
    let index = column.get(1..2).and_then(|digit| digit.parse::<usize>().ok());
    index.is_some_and(|index| index >= kind.n_points())
}

fn number(cell: &str, column: &str) -> Result<f64, QueryFault> {
    let x: Option<f64> = cell.parse().ok();
    let wrong = || QueryFault::Number { column: column.to_owned(), found: beginning(cell) };
    x.filter(|x| x.is_finite()).ok_or_else(wrong)
}

fn truth(word: &str, lo: &str, hi: &str) -> Result<Truth, QueryFault> {
    let time = |cell: &str, column: &'static str| {
        let time = number(cell, column)?;
        let is_in_step = (0.0..=1.0).contains(&time);
        is_in_step.then_some(time).ok_or(QueryFault::Time { column, time })
    };
    match (word, lo, hi) {
        ("free", "", "") => Ok(Truth::Free),
        ("hit", "", "") => Ok(Truth::Hit),
        ("unknown", lo, "") => Ok(Truth::Unknown { lo: time(lo, "t_lo")? }),
        ("first", lo, hi) => {
            let (lo, hi) = (time(lo, "t_lo")?, time(hi, "t_hi")?);
            (lo <= hi).then_some(Truth::First { lo, hi }).ok_or(QueryFault::Interval { lo, hi })
        }
        _ => Err(QueryFault::Truth { found: beginning(&format!("{word},{lo},{hi}")) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rigor_ccd::StraightMotion;

    fn vector() -> impl Strategy<Value = Vec3> {
        let number =
            || prop_oneof![proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL, Just(0.0), Just(-0.0)];
        [number(), number(), number()].prop_map(Vec3::from)
    }

    fn vectors() -> impl Strategy<Value = [Vec3; 4]> {
        [vector(), vector(), vector(), vector()]
    }

    fn truths() -> impl Strategy<Value = Truth> {
        let bracket =
            (0.0..=1.0, 0.0..=1.0).prop_map(|(a, b): (f64, f64)| Truth::First { lo: a.min(b), hi: a.max(b) });
        prop_oneof![
            Just(Truth::Free),
            Just(Truth::Hit),
            (0.0..=1.0).prop_map(|lo| Truth::Unknown { lo }),
            bracket
        ]
    }

    prop_compose! {
        fn linear()(kind in 0..4usize, start in vectors(), end in vectors(), d_min in 0.0..1.0, truth in truths())
            -> Labelled<LinearQuery>
        {
            let kind = Kind::ALL[kind];
            let absent = |i| i >= kind.n_points();
            let clear = |p: [Vec3; 4]| std::array::from_fn(|i| if absent(i) { Vec3::zeros() } else { p[i] });
            let query = LinearQuery::new(kind, clear(start), clear(end), d_min);
            Labelled { query, truth, label: "family/7".into() }
        }
    }

    prop_compose! {
        fn rigid()(points in vectors(), a in vectors(), b in vectors(), w in -1.0..1.0, v in vector(), truth in truths())
            -> Labelled<RigidQuery>
        {
            let orientation = UnitQuaternion::new_unchecked(Quaternion::new(w, v.x, v.y, v.z));
            let motion = |[position_t0, position_t1, theta_t0, theta_t1]: [Vec3; 4]| {
                RigidMotion { position_t0, position_t1, theta_t0, theta_t1, orientation }
            };
            let [a0, a1, b0, b1] = points;
            let query = RigidQuery::edge_edge([motion(a), motion(b)], [a0, a1], [b0, b1], 0.0);
            Labelled { query, truth, label: "family/7".into() }
        }
    }

    fn bits<Q: WritableQuery>(queries: &[Labelled<Q>]) -> Vec<Option<u64>> {
        queries.iter().flat_map(|q| q.query.take_apart().2).map(|x| x.map(f64::to_bits)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn linear_queries_survive_to_the_last_bit(queries in prop::collection::vec(linear(), 0..4)) {
            let text = write(&queries, "two\nlines");
            let Queries::Linear(again) = read(Path::new("q.csv"), &text).unwrap() else { panic!("of another type") };
            prop_assert!(is_native(&text));
            prop_assert_eq!(bits(&again), bits(&queries));
            prop_assert_eq!(again, queries);
        }

        #[test]
        fn rigid_queries_survive_to_the_last_bit(queries in prop::collection::vec(rigid(), 0..4)) {
            let Queries::Rigid(again) = read(Path::new("q.csv"), &write(&queries, "")).unwrap() else {
                panic!("of another type")
            };
            prop_assert_eq!(bits(&again), bits(&queries));
            prop_assert_eq!(again, queries);
        }
    }

    #[test]
    fn mistakes_are_told_with_their_row() {
        let [point, a, b] =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|x| StraightMotion::between(x, Vec3::zeros()));
        let query = LinearQuery::point_edge(point, [a, b], 0.125);
        let truth = Truth::First { lo: 0.25, hi: 0.5 };
        let good = write(&[Labelled { query, truth, label: "a,b".into() }], "made by hand");
        let error = |from: &str, to: &str| {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good);
            read(Path::new("q.csv"), &text).unwrap_err()
        };
        assert!(good.contains("\na b,point-edge,0.125,first,0.25,0.5,1,0,0,"), "{good}");
        assert_eq!(error("point-edge", "point-face").row, Some(3));
        assert!(error("0.125", "-1").fault == QueryFault::NegativeDistance { d_min: -1.0 });
        assert!(error("0.125", "NaN").fault.to_string().contains("`d_min`"));
        assert!(error("0.25,0.5", "0.75,0.5").fault.to_string().contains("after"));
        assert!(error("first,0.25,0.5", "free,0.25,0.5").fault.to_string().contains("truth"));
        assert!(error("point-edge", "edge-edge").fault.to_string().contains("`x3_t0`"));
        assert_eq!(error("x0_t0", "x0").row, Some(2));
        assert!(error(",1,0,0,", ",1,0,").fault.to_string().contains("cells"));
    }
}
