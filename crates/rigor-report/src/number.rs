//! Numbers as text: three digits, a proper minus sign, and the unit.

/// Units that take a prefix.
const PREFIXABLE: [&str; 5] = ["m", "s", "J", "N", "W"];
const PREFIXES: [(i32, &str); 9] =
    [(-15, "f"), (-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G")];

/// Formats three significant digits, as a decimal fraction from 0.001 to 99999 and as a power of ten beyond.
///
/// ```
/// use rigor_report::number::significant;
/// assert_eq!(significant(0.012345), "0.0123");
/// assert_eq!(significant(-1.5e-7), "−1.5 × 10⁻⁷");
/// assert_eq!(significant(20000.0), "20000");
/// ```
pub fn significant(value: f64) -> String {
    let Some((mantissa, exponent)) = split(value) else { return special(value) };
    if (-3..5).contains(&exponent) {
        let decimals = (2 - exponent).max(0) as usize;
        return minus(trim(&format!("{value:.decimals$}")));
    }
    match trim(&mantissa) {
        "1" => power(exponent),
        "-1" => format!("−{}", power(exponent)),
        mantissa => minus(&format!("{mantissa} × {}", power(exponent))),
    }
}

/// Formats three significant digits with the unit and a readable prefix; the unit "1" is omitted.
///
/// ```
/// use rigor_report::number::quantity;
/// assert_eq!(quantity(0.00021, "m"), "210 µm");
/// assert_eq!(quantity(1234.0, "J"), "1.23 kJ");
/// assert_eq!(quantity(0.5, "rad"), "0.5 rad");
/// assert_eq!(quantity(3.0, "1"), "3");
/// ```
pub fn quantity(value: f64, unit: &str) -> String {
    let with_unit = |number: String| if unit == "1" { number } else { format!("{number} {unit}") };
    let Some((mantissa, exponent)) = split(value) else { return with_unit(special(value)) };
    match prefix(exponent, unit) {
        Some((_, "")) | None => with_unit(significant(value)),
        Some((power, prefix)) => {
            let places = exponent - power;
            let scaled = mantissa.parse::<f64>().unwrap_or(f64::NAN) * ten_to(places);
            let decimals = (2 - places) as usize;
            minus(&format!("{} {prefix}{unit}", trim(&format!("{scaled:.decimals$}"))))
        }
    }
}

/// Returns the prefix of `unit` for numbers of this power of ten, with its own power; `None` if the unit
/// takes none or the number is outside of the range of prefixes.
pub fn prefix(exponent: i32, unit: &str) -> Option<(i32, &'static str)> {
    let wanted = exponent.div_euclid(3) * 3;
    PREFIXES.into_iter().find(|(power, _)| PREFIXABLE.contains(&unit) && *power == wanted)
}

/// Formats a power of ten, such as "10⁻³".
pub fn power(exponent: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(c as u32 - '0' as u32 + '⁰' as u32).unwrap_or(c),
    };
    format!("10{}", exponent.to_string().chars().map(digit).collect::<String>())
}

/// Formats a count in groups of three digits: 12 345.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let grouped = |(k, c): (usize, char)| {
        let gap = k > 0 && (digits.len() - k).is_multiple_of(3) && digits.len() > 4;
        gap.then_some('\u{202f}').into_iter().chain([c])
    };
    digits.chars().enumerate().flat_map(grouped).collect()
}

/// Returns 10 to the power, correctly rounded.
pub fn ten_to(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// Returns the exponent of ten of the leading digit, after rounding to three digits; `None` for 0 and
/// non-finite values.
pub fn exponent(value: f64) -> Option<i32> {
    split(value).map(|(_, exponent)| exponent)
}

/// Replaces the hyphen by a minus sign.
pub fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn split(value: f64) -> Option<(String, i32)> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    let text = format!("{value:.2e}");
    let (mantissa, exponent) = text.split_once('e')?;
    Some((mantissa.to_owned(), exponent.parse().ok()?))
}

fn special(value: f64) -> String {
    match value {
        0.0 => "0",
        f64::INFINITY => "∞",
        f64::NEG_INFINITY => "−∞",
        _ => "not a number",
    }
    .into()
}

/// Removes trailing zeros of a fraction.
fn trim(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_of_number_reads_well() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.25, "−0.25"),
            (0.001, "0.001"),
            (0.000_999_6, "0.001"),
            (0.000_123_4, "1.23 × 10⁻⁴"),
            (99_999.0, "10⁵"),
            (12_345.0, "12345"),
            (-1e-6, "−10⁻⁶"),
            (6.02e23, "6.02 × 10²³"),
            (f64::NAN, "not a number"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn units_take_the_prefix_that_leaves_one_to_three_digits() {
        let cases = [
            (1e-9, "m", "1 nm"),
            (0.999_9, "m", "1 m"),
            (9.996e-4, "m", "1 mm"),
            (-0.0123, "s", "−12.3 ms"),
            (3e-18, "m", "3 × 10⁻¹⁸ m"),
            (2.5e7, "J", "25 MJ"),
            (1e-5, "kg m/s", "10⁻⁵ kg m/s"),
            (0.0, "m", "0 m"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(quantity(value, unit), text);
        }
    }

    #[test]
    fn long_counts_are_grouped() {
        assert_eq!((count(1234), count(12_345)), ("1234".into(), "12\u{202f}345".into()));
    }
}
