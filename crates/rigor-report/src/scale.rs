//! Axes: mapping of values to positions, and ticks.

use rigor_math::elementary;

use crate::number::{self, minus, power, quantity, ten_to};

/// Maximum number of decades on an axis above the linear part around zero.
const DECADES: i32 = 10;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    kind: ScaleKind,
    low: f64,
    high: f64,
    /// The unit of the tick labels, such as `mm`; empty if the labels include it or there is none.
    pub unit: String,
    /// In ascending order.
    pub ticks: Vec<Tick>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ScaleKind {
    Linear,
    /// sign(v) · |v|/t up to the threshold t, and sign(v) · (1 + log₁₀(|v|/t)) beyond it, so that 0 and every
    /// decade have a position.
    Decades {
        threshold: f64,
    },
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Position in [0, 1] from low to high.
    pub place: f64,
    /// The label; empty for an unlabelled tick.
    pub label: String,
}

impl Scale {
    /// A linear axis from `low` to `high`, extended to whole steps, about `n_ticks` in number.
    pub fn linear([low, high]: [f64; 2], unit: &str, n_ticks: usize) -> Self {
        let (low, high) =
            if high > low { (low, high) } else { (low.min(0.0), high.max(low + low.abs()).max(1.0)) };
        let step = step((high - low) / n_ticks as f64);
        // A bound that rounding moved off a whole step must not add a step.
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        Self::with_steps([first * step, last * step], step, unit)
    }

    /// A linear axis over exactly this range, with ticks inside it.
    pub fn tight([low, high]: [f64; 2], unit: &str, n_ticks: usize) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self::with_steps([low, high], step((high - low) / n_ticks as f64), unit)
    }

    fn with_steps([low, high]: [f64; 2], step: f64, unit: &str) -> Self {
        let top = number::exponent(low.abs().max(high.abs())).unwrap_or(0);
        let own = if unit == "1" { "" } else { unit };
        let (shift, unit) = match number::prefix(top, unit) {
            Some((shift, prefix)) => (shift, format!("{prefix}{unit}")),
            None if (-3..5).contains(&top) => (0, own.to_owned()),
            None => (top, format!("{} {own}", power(top)).trim_end().to_owned()),
        };
        let decimals = (shift - number::exponent(step).unwrap_or(0)).max(0) as usize;
        let scale = Self { kind: ScaleKind::Linear, low, high, unit, ticks: vec![] };
        let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        let tick = |k: i64| {
            let value = k as f64 * step;
            let number = value / ten_to(shift) + 0.0;
            Tick { place: scale.place(value), label: minus(&format!("{number:.decimals$}")) }
        };
        Self { ticks: (first..=last).map(tick).collect(), ..scale }
    }

    /// A logarithmic axis on both sides of zero, as far as `low` and `high` require; `least` is the smallest
    /// relevant magnitude.
    pub fn decades([low, high]: [f64; 2], least: f64, unit: &str) -> Self {
        let top = ceiling_decade(low.abs().max(high.abs()));
        let bottom = floor_decade(least).clamp(top - DECADES, top - 1);
        let threshold = ten_to(bottom);
        let bound = |value: f64| match value {
            0.0 => 0.0,
            v => v.signum() * ten_to(ceiling_decade(v.abs()).max(bottom)),
        };
        let (low, high) = (bound(low.min(0.0)), bound(high.max(0.0)));
        let scale =
            Self { kind: ScaleKind::Decades { threshold }, low, high, unit: String::new(), ticks: vec![] };
        Self { ticks: scale.decade_ticks(bottom, top, unit), ..scale }
    }

    fn decade_ticks(&self, bottom: i32, top: i32, unit: &str) -> Vec<Tick> {
        let sides = usize::from(self.low < 0.0) + usize::from(self.high > 0.0);
        let stride = if (top - bottom + 1) as usize * sides <= 6 { 1 } else { 3 };
        let mut values: Vec<(f64, bool)> = vec![(0.0, true)];
        for k in bottom..=top {
            let is_labelled = (k - if stride == 1 { 0 } else { top }).rem_euclid(stride) == 0;
            values.extend([-1.0, 1.0].map(|sign| (sign * ten_to(k), is_labelled)));
        }
        values.retain(|(value, _)| (self.low..=self.high).contains(value));
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tick = |(value, is_labelled): (f64, bool)| {
            let label = match value {
                0.0 => "0".into(),
                v if number::prefix(0, unit).is_some() => quantity(v, unit),
                v => format!("{}{}", if v < 0.0 { "−" } else { "" }, power(floor_decade(v.abs()))),
            };
            Tick { place: self.place(value), label: if is_labelled { label } else { String::new() } }
        };
        values.into_iter().map(tick).collect()
    }

    /// Returns the values at the low and the high end.
    pub fn bounds(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Returns the magnitude up to which a logarithmic axis is linear; `None` for a linear one.
    pub fn threshold(&self) -> Option<f64> {
        match self.kind {
            ScaleKind::Linear => None,
            ScaleKind::Decades { threshold } => Some(threshold),
        }
    }

    /// Returns the positions halfway between 0 and the powers of ten next to it, where a logarithmic axis is broken.
    pub fn breaks(&self) -> Vec<f64> {
        let Some(threshold) = self.threshold() else { return Vec::new() };
        let sides = [(self.high > 0.0, threshold), (self.low < 0.0, -threshold)];
        sides
            .into_iter()
            .filter(|(is_there, _)| *is_there)
            .map(|(_, value)| self.place(0.5 * value))
            .collect()
    }

    /// Returns the position of `value`: 0 at the low end, 1 at the high end, clamped.
    pub fn place(&self, value: f64) -> f64 {
        let [low, high, at] = [self.low, self.high, value].map(|v| self.straighten(v));
        ((at - low) / (high - low)).clamp(0.0, 1.0)
    }

    fn straighten(&self, value: f64) -> f64 {
        match self.kind {
            ScaleKind::Linear => value,
            ScaleKind::Decades { threshold } if value.abs() <= threshold => value / threshold,
            ScaleKind::Decades { threshold } => value.signum() * (1.0 + log10(value.abs() / threshold)),
        }
    }
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is at least `raw`.
fn step(raw: f64) -> f64 {
    let decade = floor_decade(raw);
    [1.0, 2.0, 5.0, 10.0]
        .map(|k| k * ten_to(decade))
        .into_iter()
        .find(|s| *s >= raw * (1.0 - 1e-9))
        .unwrap_or(raw)
}

fn log10(value: f64) -> f64 {
    elementary::ln(value) / std::f64::consts::LN_10
}

/// Returns the largest k with 10ᵏ ≤ value.
fn floor_decade(value: f64) -> i32 {
    let near = log10(value).round() as i32;
    if ten_to(near) <= value { near } else { near - 1 }
}

/// Returns the smallest k with 10ᵏ ≥ value.
fn ceiling_decade(value: f64) -> i32 {
    let near = log10(value).round() as i32;
    if ten_to(near) >= value { near } else { near + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_numbers_in_a_prefixed_unit() {
        let scale = Scale::linear([-0.0037, 0.0091], "J", 5);
        assert_eq!((labels(&scale), scale.unit.as_str()), (vec!["−5", "0", "5", "10"], "mJ"));
        assert_eq!((scale.place(-0.005), scale.place(0.01)), (0.0, 1.0));
        let time = Scale::tight([0.0, 2.0], "s", 5);
        assert_eq!(labels(&time), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        let count = Scale::linear([0.0, 3e6], "1", 3);
        assert_eq!((labels(&count), count.unit.as_str()), (vec!["0", "1", "2", "3"], "10⁶"));
    }

    #[test]
    fn a_range_of_no_width_still_makes_an_axis() {
        for value in [0.0, 3.0, -3.0] {
            let scale = Scale::linear([value, value], "J", 4);
            assert!(scale.ticks.len() >= 2 && (0.0..=1.0).contains(&scale.place(value)), "{scale:?}");
            assert!(scale.ticks.iter().all(|t| t.place.is_finite()));
        }
    }

    #[test]
    fn decades_hold_zero_and_are_equally_wide() {
        let scale = Scale::decades([0.0, 0.02], 3e-5, "m");
        assert_eq!(labels(&scale), ["0", "10 µm", "100 µm", "1 mm", "10 mm", "100 mm"]);
        let places: Vec<_> = scale.ticks.iter().map(|tick| tick.place).collect();
        for (k, place) in places.iter().enumerate() {
            assert!((place - k as f64 / 5.0).abs() < 1e-12, "{places:?}");
        }
        assert!((scale.place(1e-3) - 0.6).abs() < 1e-12);
        let many = Scale::decades([0.0, 1.0], 1e-30, "m");
        assert_eq!(labels(&many).iter().filter(|l| !l.is_empty()).count(), 5, "{many:?}");
    }

    #[test]
    fn decades_of_both_signs_are_symmetric() {
        let scale = Scale::decades([-50.0, 50.0], 1.0, "W");
        assert_eq!(
            labels(&scale),
            ["−100 W", "−10 W", "−1 W", "0 W".trim_end_matches(" W"), "1 W", "10 W", "100 W"]
        );
        assert!((scale.place(0.0) - 0.5).abs() < 1e-12);
        assert!((scale.place(7.0) + scale.place(-7.0) - 1.0).abs() < 1e-12);
        assert_eq!(scale.place(1e9), 1.0);
    }
}
