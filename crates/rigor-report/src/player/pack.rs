//! Numbers that change little from frame to frame, packed small.
//!
//! A packed text is, before compression: `plain` bytes, then the low bytes and then the high bytes of all tracks. A
//! track is the number of one quantity in each frame, from 0 to 65535. Its second differences (mod 2¹⁶, with zeros
//! before the first) are folded so that small numbers of either sign are small: 0, −1, 1, −2 … become 0, 1, 2, 3 ….
//! Uniform motion has second differences near 0, and equal bytes beside each other compress well.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::Value;

/// Steps of a track: its largest number.
pub const STEPS: f64 = 65535.0;

/// Bytes to be compressed.
#[derive(Debug, Default)]
pub struct Pack {
    plain: Vec<u8>,
    low: Vec<u8>,
    high: Vec<u8>,
}

impl Pack {
    pub fn plain(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.plain.extend(bytes);
    }

    pub fn u32(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.plain(numbers.into_iter().flat_map(u32::to_le_bytes));
    }

    pub fn f32(&mut self, numbers: impl IntoIterator<Item = f32>) {
        self.plain(numbers.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Appends the second differences of a track.
    pub fn track(&mut self, numbers: impl IntoIterator<Item = u16>) {
        let (mut before, mut slope) = (0_u16, 0_u16);
        for number in numbers {
            let difference = number.wrapping_sub(before);
            let [low, high] = folded(difference.wrapping_sub(slope)).to_le_bytes();
            self.low.push(low);
            self.high.push(high);
            (before, slope) = (number, difference);
        }
    }

    /// Compresses all bytes (zlib) and writes them in base64.
    pub fn text(self) -> String {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail.
        let _ = [self.plain, self.low, self.high].iter().try_for_each(|part| encoder.write_all(part));
        STANDARD.encode(encoder.finish().unwrap_or_default())
    }
}

/// JSON that can stand in a `script` element: nothing in it can end the element.
pub fn script_text(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// 0, −1, 1, −2, 2 … as 0, 1, 2, 3, 4 ….
fn folded(difference: u16) -> u16 {
    let signed = difference.cast_signed();
    (signed << 1 ^ signed >> 15).cast_unsigned()
}

/// The range of a quantity, as the page knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub low: f32,
    pub extent: f32,
}

impl Span {
    /// The range of finite numbers; others are left out.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return Self { low: 0.0, extent: 0.0 };
        }
        let start = (low as f32).next_down();
        let start = if f64::from(low as f32) <= low { low as f32 } else { start };
        let extent = (high - f64::from(start)) as f32;
        // Rounding to `f32` must not cut the highest value off.
        let extent = if f64::from(start) + f64::from(extent) < high { extent.next_up() } else { extent };
        Self { low: start, extent }
    }

    /// Index of the step nearest to `value`; 0 if `value` is NaN.
    pub fn step(&self, value: f64) -> u16 {
        if self.extent <= 0.0 || value.is_nan() {
            return 0;
        }
        (STEPS * (value - f64::from(self.low)) / f64::from(self.extent)).round().clamp(0.0, STEPS) as u16
    }

    /// Half the distance between steps: how far a value may be from its step.
    pub fn error(&self) -> f64 {
        0.5 * f64::from(self.extent) / STEPS
    }
}
