//! Times and sizes in a few characters.

use ccd_base::clock;
use std::time::{Duration, SystemTime};

/// Returns the age of a record's time in one unit: `12s`, `3m`, `5h`, `9d`; an empty text for an invalid time.
pub(crate) fn age(time: &str, now: SystemTime) -> String {
    match clock::parse(time) {
        // Clocks may differ slightly.
        Some(at) => span(now.duration_since(at).unwrap_or(Duration::ZERO)),
        None => String::new(),
    }
}

/// Returns a count with its noun, in the plural if needed.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns a count with its noun and what to know of it in brackets; empty without any.
pub(crate) fn noted(count: u64, what: &str, note: &str) -> String {
    match count {
        0 => String::new(),
        count => format!("{} ({note})", counted(count, what)),
    }
}

/// Returns a size in one unit of 1024: `12B`, `1.5K`, `34M`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];
    let mut number = bytes as f64;
    if bytes < 1000 {
        return format!("{bytes}B");
    }
    let mut unit = 'B';
    for next in UNITS {
        if number < 999.5 {
            break;
        }
        (number, unit) = (number / 1024.0, next);
    }
    if number < 9.95 {
        format!("{number:.1}{unit}")
    } else {
        format!("{number:.0}{unit}")
    }
}

fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..86_400 => format!("{}h", seconds / 3_600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let now = clock::parse("2026-01-03T00:00:00.000Z").unwrap();
        for (time, told) in [
            ("2026-01-03T00:00:09.000Z", "0s"),
            ("2026-01-02T23:59:00.500Z", "59s"),
            ("2026-01-02T23:59:00.000Z", "1m"),
            ("2026-01-02T00:00:00.001Z", "23h"),
            ("2025-01-03T00:00:00.000Z", "365d"),
            ("yesterday", ""),
        ] {
            assert_eq!(age(time, now), told, "{time}");
        }
    }

    #[test]
    fn sizes_take_five_characters_at_most() {
        for (bytes, told) in [
            (0, "0B"),
            (999, "999B"),
            (1000, "1.0K"),
            (1536, "1.5K"),
            (10_240, "10K"),
            (1_023_999, "1.0M"),
            (1 << 30, "1.0G"),
            (u64::MAX, "16E"),
        ] {
            assert_eq!(size(bytes), told);
        }
    }
}
