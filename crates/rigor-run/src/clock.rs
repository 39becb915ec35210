//! The clock that methods receive, and the calendar.

use std::sync::OnceLock;
use std::time::Instant;

use rigor_scene::Clock;
use time::OffsetDateTime;

/// The wall clock (s), which starts at 0 when it is first read.
pub fn clock() -> Clock {
    static START: OnceLock<Instant> = OnceLock::new();
    Clock(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Current date and time in the form `2026-03-01 12:00 UTC`.
pub fn date() -> String {
    written(OffsetDateTime::now_utc())
}

fn written(now: OffsetDateTime) -> String {
    format!("{} {:02}:{:02} UTC", now.date(), now.hour(), now.minute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_with_leading_zeros() {
        let at = |seconds| written(OffsetDateTime::from_unix_timestamp(seconds).unwrap());
        assert_eq!(at(0), "1970-01-01 00:00 UTC");
        assert_eq!(at(11_016 * 86_400 + 86_399), "2000-02-29 23:59 UTC");
        assert_eq!(at(20_778 * 86_400 + 9 * 3_600 + 5 * 60), "2026-11-21 09:05 UTC");
    }
}
