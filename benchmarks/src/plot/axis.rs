//! Logarithmic axes.

use rigor_math::elementary;

/// A logarithmic axis over [10^low, 10^high].
pub(super) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Returns an axis on which all positive `values` have some room; `None` if there are none.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let logs = values.filter(|value| *value > 0.0).map(log10);
        let [low, high] =
            logs.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
        let room = 0.06 * (high - low).max(0.5);
        (low <= high).then_some(Self { low: low - room, high: high + 1.6 * room })
    }

    /// Returns where `value` is, as a fraction of the axis.
    pub(super) fn place(&self, value: f64) -> f64 {
        (log10(value) - self.low) / (self.high - self.low)
    }

    /// Returns the values with a grid line: powers of ten; on a short axis also twice and five times these.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.high - self.low < 2.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10.0_f64.powi(decade)));
        all.filter(|value| (0.0..=1.0).contains(&self.place(*value))).collect()
    }
}

/// Formats the value of a tick: `0.05`, `20`, `10⁻⁵`, `2·10⁻³`.
pub(super) fn tick(value: f64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent = log10(value).round() as i32;
    if (-2..=4).contains(&exponent) {
        return format!("{}", (value * 1e6).round() / 1e6);
    }
    // The logarithm of a power of ten may be a little too small.
    let exponent = (log10(value) + 1e-9).floor() as i32;
    let factor = match (value / 10.0_f64.powi(exponent)).round() {
        1.0 => String::new(),
        factor => format!("{factor}·"),
    };
    let digits = exponent.unsigned_abs().to_string();
    let sign = if exponent < 0 { "⁻" } else { "" };
    format!("{factor}10{sign}{}", digits.bytes().map(|d| DIGITS[usize::from(d - b'0')]).collect::<String>())
}

fn log10(value: f64) -> f64 {
    elementary::ln(value) / std::f64::consts::LN_10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_its_values_inside_and_a_tick_per_decade() {
        let axis = Axis::of([1.0, 1000.0].into_iter()).expect("there are values");
        assert!(axis.place(1.0) > 0.0 && axis.place(1000.0) < 1.0);
        assert_eq!(axis.ticks().iter().map(|v| tick(*v)).collect::<Vec<_>>(), ["1", "10", "100", "1000"]);
        assert_eq!([1e-7, 1e6, 0.05].map(tick), ["10⁻⁷", "10⁶", "0.05"]);
        assert_eq!([2e-3, 5e-4, 5e5].map(tick), ["2·10⁻³", "5·10⁻⁴", "5·10⁵"]);
        assert!(Axis::of(std::iter::empty()).is_none());
    }
}
