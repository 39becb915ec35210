//! Curves that lie on each other.

use super::Line;

/// Samples across the plot.
const SAMPLES: usize = 96;
/// Fraction of the samples at which two curves must be together to count as one.
const PART: f64 = 0.5;
/// Length of a stripe, in units of the plot.
const STRIPE: usize = 7;

/// Returns for each line the dashes that keep it and those below it visible: with m lines on each other, each shows one of m
/// stripes in turn. The lowest of them, and a line alone, have none.
pub fn stripes(lines: &[Line], range: [f64; 2], height: impl Fn(f64) -> f64) -> Vec<Option<String>> {
    let sampled: Vec<Vec<Option<f64>>> =
        lines.iter().map(|line| samples(line, range).into_iter().map(|v| v.map(&height)).collect()).collect();
    let mut group: Vec<usize> = (0..lines.len()).collect();
    for k in 0..lines.len() {
        if let Some(below) = (0..k).find(|below| are_together(&sampled[k], &sampled[*below])) {
            group[k] = group[below];
        }
    }
    let place = |k: usize| group[..k].iter().filter(|other| **other == group[k]).count();
    let size = |k: usize| group.iter().filter(|other| **other == group[k]).count();
    let dashes = |k: usize| {
        let (place, size) = (place(k), size(k));
        let (dash, gap) = (STRIPE * (size - place), STRIPE * place);
        (place > 0).then(|| format!("stroke-dasharray:{dash} {gap};stroke-dashoffset:-{gap}"))
    };
    (0..lines.len()).map(dashes).collect()
}

/// Whether two curves are within a line's width of each other at most of the samples that both have.
fn are_together(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let both: Vec<bool> = a.iter().zip(b).filter_map(|(a, b)| Some(((*a)? - (*b)?).abs() < 1.5)).collect();
    let near = both.iter().filter(|is_near| **is_near).count();
    !both.is_empty() && near as f64 >= PART * both.len() as f64
}

/// The finite values of a line at even times; `None` where it has none.
fn samples(line: &Line, [from, to]: [f64; 2]) -> Vec<Option<f64>> {
    let value = |k: usize| {
        let time = from + (to - from) * k as f64 / SAMPLES as f64;
        let after = line.points.partition_point(|point| point.0 < time);
        let (last, point) = (line.points.last()?, line.points.get(after).or(line.points.last())?);
        Some(point.1).filter(|v| v.is_finite() && time <= last.0 + 1e-9 * (to - from))
    };
    (0..=SAMPLES).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(value: impl Fn(f64) -> f64) -> Line {
        let points = (0..50).map(|k| (f64::from(k), value(f64::from(k)))).collect();
        Line { class: String::new(), name: String::new(), points }
    }

    #[test]
    fn lines_on_each_other_take_turns_and_others_are_whole() {
        let lines = [line(|t| t), line(|_| 5.0), line(|t| t + 0.01), line(|t| t)];
        let found = stripes(&lines, [0.0, 49.0], |v| 10.0 * v);
        let dashes =
            |dash: usize, gap: usize| Some(format!("stroke-dasharray:{dash} {gap};stroke-dashoffset:-{gap}"));
        assert_eq!(found, [None, None, dashes(14, 7), dashes(7, 14)]);
    }

    #[test]
    fn lines_that_only_meet_are_whole() {
        let lines = [line(|t| t), line(|t| 49.0 - t), line(|_| f64::NAN)];
        assert_eq!(stripes(&lines, [0.0, 49.0], |v| 10.0 * v), [None, None, None]);
    }
}
