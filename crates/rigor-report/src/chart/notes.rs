//! Where the words beside points stand: inside the axes, and neither on each other nor on a mark.

/// A rectangle: left, top, right, bottom.
pub(super) type Area = [f64; 4];

/// Width of a letter and height of a line of a note, in units.
const LETTER: f64 = 5.6;
const LINE: f64 = 10.0;
/// Half of the size of a mark.
const MARK: f64 = 4.0;
/// Distance between a mark and its note.
const GAP: f64 = 4.0;

/// Returns, for each point of each curve, where the note that it may have begins on its base line; `None` without a note and where
/// there is no room for it.
///
/// Of the six places around a point, those inside `area` that meet no mark and no other note are left; the one that the fewest
/// lines cross is taken.
pub(super) fn places(
    curves: &[Vec<(f64, f64)>],
    notes: &[Vec<&str>],
    area: Area,
) -> Vec<Vec<Option<(f64, f64)>>> {
    let marks: Vec<Area> =
        curves.iter().flatten().map(|(x, y)| [x - MARK, y - MARK, x + MARK, y + MARK]).collect();
    let mut taken: Vec<Area> = Vec::new();
    let mut place = |at: &(f64, f64), note: &str| {
        let is_free = |spot: &Area| {
            is_inside(spot, &area) && !marks.iter().chain(&taken).any(|other| meet(spot, other))
        };
        let lines = |spot: &Area| -> usize {
            curves.iter().map(|curve| curve.windows(2).filter(|ends| crosses(spot, ends)).count()).sum()
        };
        let spot = around(at, note).into_iter().filter(is_free).min_by_key(lines)?;
        taken.push(spot);
        Some((spot[0], spot[3] - 2.0))
    };
    let of_curve = |(curve, notes): (&Vec<(f64, f64)>, &Vec<&str>)| {
        let of_point =
            |(at, note): (&(f64, f64), &&str)| if note.is_empty() { None } else { place(at, note) };
        curve.iter().zip(notes).map(of_point).collect()
    };
    curves.iter().zip(notes).map(of_curve).collect()
}

/// The places around a point, the best first.
fn around((x, y): &(f64, f64), note: &str) -> [Area; 6] {
    let width = LETTER * note.chars().count() as f64;
    let [right, left, middle] = [x + GAP, x - GAP - width, x - 0.5 * width];
    let [above, below] = [y - GAP - LINE + 2.0, y + GAP - 2.0];
    let [high, low] = [y - 2.0 * GAP - LINE + 3.0, y + 2.0 * GAP - 3.0];
    let corners =
        [(right, above), (left, above), (right, below), (left, below), (middle, high), (middle, low)];
    corners.map(|(left, top)| [left, top, left + width, top + LINE])
}

fn is_inside(spot: &Area, area: &Area) -> bool {
    spot[0] >= area[0] && spot[1] >= area[1] && spot[2] <= area[2] && spot[3] <= area[3]
}

fn meet(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Whether a line between two points crosses the area: both its coordinates are within it at the same time.
fn crosses(area: &Area, ends: &[(f64, f64)]) -> bool {
    let [from, to] = [ends[0], ends[1]].map(|(x, y)| [x, y]);
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let (start, way) = (from[k], to[k] - from[k]);
        let [near, far] = [area[k] - start, area[k + 2] - start];
        if way.abs() < 1e-9 {
            if near > 0.0 || far < 0.0 {
                return false;
            }
            continue;
        }
        let [one, other] = [near / way, far / way];
        first = first.max(one.min(other));
        last = last.min(one.max(other));
    }
    first <= last
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = [0.0, 0.0, 200.0, 100.0];

    /// The areas of the notes of `curves`, all with the same word.
    fn spots(curves: &[Vec<(f64, f64)>]) -> Vec<Area> {
        let notes: Vec<Vec<&str>> = curves.iter().map(|curve| vec!["20 ms"; curve.len()]).collect();
        let found = places(curves, &notes, AREA);
        let area = |(x, y): &(f64, f64)| [*x, y + 2.0 - LINE, x + 5.0 * LETTER, y + 2.0];
        found.iter().flatten().flatten().map(area).collect()
    }

    #[test]
    fn notes_stand_apart_from_each_other_and_from_marks_and_inside_the_axes() {
        let curves =
            [vec![(60.0, 50.0), (195.0, 20.0)], vec![(61.0, 58.0), (180.0, 60.0)], vec![(62.0, 42.0)]];
        let found = spots(&curves);
        assert_eq!(found.len(), 5);
        for (k, spot) in found.iter().enumerate() {
            assert!(is_inside(spot, &AREA), "{spot:?}");
            assert!(!found[..k].iter().any(|other| meet(spot, other)), "{spot:?}");
            assert!(!curves.iter().flatten().any(|(x, y)| meet(spot, &[x - 3.0, y - 3.0, x + 3.0, y + 3.0])));
        }
    }

    #[test]
    fn a_note_stands_on_the_side_that_no_line_crosses_and_is_left_out_where_there_is_no_room() {
        let rising = [vec![(100.0, 50.0), (130.0, 42.0)]];
        assert!(
            spots(&rising)[0][1] > 50.0 || spots(&rising)[0][2] < 100.0,
            "the line leads up to the right"
        );
        let crowd: Vec<Vec<(f64, f64)>> = (0..40).map(|k| vec![(100.0 + 0.1 * f64::from(k), 50.0)]).collect();
        assert!(spots(&crowd).len() < 10);
    }

    #[test]
    fn a_line_crosses_an_area_or_passes_it() {
        let area = [10.0, 10.0, 20.0, 20.0];
        assert!(crosses(&area, &[(0.0, 0.0), (30.0, 30.0)]) && crosses(&area, &[(15.0, 0.0), (15.0, 30.0)]));
        assert!(!crosses(&area, &[(0.0, 15.0), (30.0, 60.0)]) && !crosses(&area, &[(0.0, 0.0), (8.0, 8.0)]));
        assert!(!crosses(&area, &[(5.0, 0.0), (5.0, 30.0)]));
    }
}
