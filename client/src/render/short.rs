//! Times, sizes and amounts in a few characters.

use crate::fields::Fields as _;
use ccd_base::clock;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// Returns the age of a record's time in one unit: `12s`, `3m`, `5h`, `9d`; an empty text for an invalid time.
pub(crate) fn age(time: &str, now: SystemTime) -> String {
    match clock::parse(time) {
        // Clocks may differ slightly.
        Some(at) => span(now.duration_since(at).unwrap_or(Duration::ZERO)),
        None => String::new(),
    }
}

/// Returns how long ago something was saved, perhaps on a computer with another clock.
pub(crate) fn saved(time: &str) -> String {
    // Clocks may differ slightly.
    let soon = SystemTime::now() + Duration::from_secs(60);
    match clock::parse(time) {
        None if time == "unknown" => "at an unknown time".to_owned(),
        Some(at) if at > soon => format!("in the future, at {time}: check the clock"),
        _ => format!("{} ago", age(time, SystemTime::now())),
    }
}

/// Returns a count with its noun, in the plural if needed.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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

/// Returns a time in one or two units: `4.2s`, `42s`, `3m05s`, `1h02m`, `2d03h`.
pub(crate) fn seconds(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..10 if seconds.fract() >= 0.05 => format!("{seconds:.1}s"),
        0..60 => format!("{whole}s"),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        3600..86_400 => format!("{}h{:02}m", whole / 3600, whole / 60 % 60),
        _ => format!("{}d{:02}h", whole / 86_400, whole / 3600 % 24),
    }
}

pub(crate) fn dollars(cost: f64) -> String {
    match cost {
        cost if cost < 1.0 => format!("${cost:.4}"),
        cost => format!("${cost:.2}"),
    }
}

/// Returns a number with three digits and a unit: `987`, `12.3k`, `4.56M`.
pub(crate) fn short(number: u64) -> String {
    let scaled = |by: f64, unit: &str| {
        let value = number as f64 / by;
        let digits = match value {
            100.0.. => 0,
            10.0.. => 1,
            _ => 2,
        };
        format!("{value:.digits$}{unit}")
    };
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// Returns an amount in US dollars.
pub(crate) fn cost(cost: f64) -> String {
    if cost > 0.0 && cost < 0.005 {
        return "<$0.01".to_owned();
    }
    format!("${cost:.2}")
}

/// Tokens without a model are those that calls of sub-agents report, of which there are no records.
pub(crate) fn model_name(model: &str) -> &str {
    match model {
        "" => "(sub-agents of unknown model)",
        model => model,
    }
}

/// Returns the share of the input in a record of usage that was read from the cache; nothing if there is no cache.
pub(crate) fn hit_rate(usage: &Value) -> String {
    let tokens = |kind: &str| usage.number(&format!("{kind}_tokens"));
    let (read, written) = (tokens("cache_read_input"), tokens("cache_creation_input"));
    match read + written {
        0 => String::new(),
        cache => {
            let rate = read as f64 / (cache + tokens("input")) as f64;
            format!("{:.1} %", rate * 100.0)
        }
    }
}

/// Returns all tokens of a record of usage.
pub(crate) fn all_of(usage: &Value) -> u64 {
    [
        "input",
        "output",
        "cache_creation_input",
        "cache_read_input",
    ]
    .map(|kind| usage.number(&format!("{kind}_tokens")))
    .iter()
    .sum()
}

/// Returns a number of times in a word, if there is one.
pub(crate) fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// A time in the unit that suits it, without the number if it is one.
pub(crate) fn span_of_days(days: f64) -> String {
    let (number, unit) = match days {
        ..1.0 => (days * 24.0, "hour"),
        ..14.0 => (days, "day"),
        _ => (days / 7.0, "week"),
    };
    match number.round() {
        2.0.. => format!("{:.0} {unit}s", number.round()),
        _ => unit.to_owned(),
    }
}

/// Returns an RFC 3339 time to the second: `2026-03-01 08:00:02`.
pub(crate) fn moment(time: &str) -> String {
    time.get(..19).unwrap_or(time).replace('T', " ")
}

/// Returns a limit with its unit, from its `key` and its `value`.
pub(crate) fn limit(of: &Value) -> String {
    let (name, limit) = (of.text("key"), of.number("value"));
    let (name, limit) = match (name.strip_suffix("_s"), name.strip_suffix("_bytes")) {
        _ if limit == 0 => (name.trim_end_matches("_s"), "none".to_owned()),
        (Some(name), _) => (name, format!("{limit} s")),
        (None, Some(_)) => (name, size(limit)),
        _ if name == "max_output_size" => (name, size(limit)),
        _ => (name, limit.to_string()),
    };
    format!("{name} {limit}")
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

    #[test]
    fn times_have_two_units_at_most() {
        for (time, told) in [
            (-1.0, "0s"),
            (0.0, "0s"),
            (4.24, "4.2s"),
            (9.0, "9s"),
            (42.9, "42s"),
            (185.0, "3m05s"),
            (3725.0, "1h02m"),
        ] {
            assert_eq!(seconds(time), told);
        }
    }

    #[test]
    fn small_amounts_have_more_digits() {
        assert_eq!(dollars(0.001804), "$0.0018");
        assert_eq!(dollars(12.345), "$12.35");
    }

    #[test]
    fn numbers_are_words_where_that_reads_better() {
        for (days, words) in [
            (0.0, "hour"),
            (f64::NAN, "week"),
            (0.2, "5 hours"),
            (1.2, "day"),
            (6.0, "6 days"),
            (14.0, "2 weeks"),
            (-3.0, "hour"),
        ] {
            assert_eq!(span_of_days(days), words, "{days}");
        }
        assert_eq!(
            [0, 1, 2, 7].map(times),
            ["never", "once", "twice", "7 times"]
        );
    }
}
