//! Parsers of option values: seconds, sizes, variables. The error of each says what to give instead, as a fragment.

use super::events::EVENTS;
use crate::detach_keys::detach_keys;
use ccd_base::clock;
use ccd_policy::split_list;
use ccd_protocol::black_box::TestType;
use ccd_protocol::coach::{CandidateStatus, CandidateType, Scope, SignalType};
use ccd_protocol::conversation::TurnNumbers;
use ccd_protocol::data::DataPart;
use ccd_protocol::image::ImageTheme;
use ccd_protocol::pattern::PatternType;
use ccd_protocol::tape::Decorator;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

/// Rows and columns of a terminal; the daemon checks their range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Size {
    pub(crate) rows: i64,
    pub(crate) cols: i64,
}

/// Kinds of numbers that may have fractions: those that are allowed, the factor to what the daemon gets, and what to give.
const NUMBERS: [(&str, RangeInclusive<f64>, f64, &str); 8] = [
    ("seconds", 0.0..=f64::MAX, 1.0, SECONDS),
    ("in_ms", 0.0..=f64::MAX, 1000.0, SECONDS),
    ("timeout", 0.0..=f64::MAX, 1000.0, SECONDS),
    (
        "ms",
        0.0..=f64::MAX,
        1.0,
        "0 or more milliseconds, such as 500",
    ),
    (
        "minutes",
        0.0..=f64::MAX,
        60.0,
        "0 or more minutes, such as 10 or 0.5",
    ),
    (
        "interval",
        0.1..=3600.0,
        1.0,
        "0.1 to 3600 seconds, such as 2 or 0.5",
    ),
    (
        "factor",
        f64::MIN_POSITIVE..=f64::MAX,
        1.0,
        "a number above 0, such as 2 or 0.5",
    ),
    ("percent", 0.0..=100.0, 1.0, "0 to 100"),
];
const SECONDS: &str = "0 or more seconds, such as 2 or 0.5";

/// Reads the value of an argument of a kind in `commands.txt`; the error says what to give instead.
pub(super) fn read(kind: &str, text: &str) -> Result<Value, String> {
    Ok(match kind {
        "count" => json!(count(text)?),
        "int" => json!(text.parse::<i64>().map_err(|_| "give a whole number")?),
        "timeout" if text == "none" => json!(text),
        "age" => json!(age(text)?),
        "days" if text.ends_with(|c: char| c.is_ascii_alphabetic()) => json!(age(text)?),
        "days" => json!(age(&format!("{text}d"))?),
        "time" => json!(time(text)?),
        // The daemon checks other times.
        "moment" => json!(ago(text).unwrap_or_else(|| text.to_owned())),
        "turns" => json!(turn_numbers(text)?),
        "latency" => latency(text)?,
        "size" => size(text)?,
        "dir" | "place" | "project" => json!(directory(text)?),
        "variable" => json!(variable(text)?),
        "terminal_type" => json!(terminal_type(text)?),
        "tools" => tools(text)?,
        "decorator" => decorator(text)?,
        "keys" => detach_keys(text).map(|_| json!(text))?,
        "file" | "tape" | "text_file" | "json_file" if text.is_empty() => {
            return Err("give a path".to_owned());
        }
        kind => match (
            NUMBERS.iter().find(|known| known.0 == kind),
            kind.split_once(".."),
        ) {
            (Some((_, range, unit, wanted)), _) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() && range.contains(&number) => json!(number * unit),
                _ => return Err(format!("give {wanted}")),
            },
            (None, Some(limits)) => json!(within(text, limits)?),
            (None, None) => json!(text),
        },
    })
}

/// True for the kinds that `commands.txt` can name.
#[cfg(test)]
pub(super) fn is_known(kind: &'static str) -> bool {
    let with_a_form =
        "size dir place project variable terminal_type tools decorator keys time moment turns";
    let as_given = "tape file text_file json_file program command raw";
    let mut kinds = with_a_form.split(' ').chain(as_given.split(' '));
    is_number(kind) || names(kind).is_some() || kinds.any(|one| one == kind)
}

/// True for kinds whose values may start with `-`, so that a negative number is not taken for an option.
pub(super) fn is_number(kind: &str) -> bool {
    let others = ["count", "int", "age", "days", "latency"];
    kind.contains("..") || others.contains(&kind) || NUMBERS.iter().any(|known| known.0 == kind)
}

/// The words that a kind allows, if it is a list of words; those in parentheses are not shown.
pub(super) fn names(kind: &'static str) -> Option<Vec<&'static str>> {
    Some(match kind {
        "signal_type" => SignalType::ALL.map(SignalType::name).to_vec(),
        "candidate_type" => CandidateType::ALL.iter().map(|one| one.name()).collect(),
        "candidate_status" => CandidateStatus::ALL.iter().map(|one| one.name()).collect(),
        "scope" => Scope::ALL.iter().map(|one| one.name()).collect(),
        "test_type" => TestType::ALL.map(TestType::name).to_vec(),
        "pattern_type" => PatternType::ALL.map(PatternType::name).to_vec(),
        "data_part" => DataPart::ALL.map(DataPart::name).to_vec(),
        "theme" => ImageTheme::ALL.map(ImageTheme::name).to_vec(),
        "event" => EVENTS.to_vec(),
        "switch" => vec!["on", "off"],
        kind if kind.contains('|') => kind.split('|').collect(),
        _ => return None,
    })
}

/// A parser of one of these words; `-` and `_` are the same. The value is the word as it is here.
pub(super) fn one_of(names: Vec<&'static str>) -> impl TypedValueParser<Value = Value> {
    let bare = |name: &'static str| name.trim_matches(['(', ')']);
    let all: Vec<_> = names.iter().map(|name| bare(name)).collect();
    let names = names.into_iter().map(move |name| {
        let value = PossibleValue::new(bare(name)).hide(name.starts_with('('));
        value.aliases([bare(name).replace('_', "-"), bare(name).replace('-', "_")])
    });
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    PossibleValuesParser::new(names).map(move |word| {
        let name = all.iter().find(|name| plain(name) == plain(&word));
        json!(name)
    })
}

/// Parses a directory, which need not exist.
fn directory(text: &str) -> Result<String, String> {
    match text {
        "" => Err("give a directory, such as tests/tapes".to_owned()),
        text => Ok(text.to_owned()),
    }
}

/// Parses an age: seconds, or a number with s, m, h or d; returns seconds.
fn age(text: &str) -> Result<f64, String> {
    const UNITS: [(char, f64); 4] = [('s', 1.0), ('m', 60.0), ('h', 3_600.0), ('d', 86_400.0)];
    let unit = UNITS.iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, seconds) = match unit {
        Some((_, seconds)) => (&text[..text.len() - 1], *seconds),
        None => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number * seconds),
        _ => Err("give a time such as 90, 90s, 30m, 12h or 7d".to_owned()),
    }
}

/// The time of an age, counted back from now, in RFC 3339.
fn ago(text: &str) -> Option<String> {
    let age = Duration::try_from_secs_f64(age(text).ok()?).ok();
    let time = age.and_then(|age| SystemTime::now().checked_sub(age));
    // The daemon's records start later.
    Some(clock::at_us(time.unwrap_or(SystemTime::UNIX_EPOCH)))
}

/// Parses a time: an age, counted back from now, a date in UTC, or a time as in RFC 3339; returns RFC 3339.
fn time(text: &str) -> Result<String, String> {
    if let Some(time) = ago(text) {
        return Ok(time);
    }
    let midnight = format!("{text}T00:00:00.000Z");
    if clock::parse(&midnight).is_some() {
        return Ok(midnight);
    }
    let date = text.get(..10).unwrap_or_default();
    let is_time = clock::parse(&format!("{date}T00:00:00Z")).is_some()
        && text[10..].starts_with(['T', 't', ' '])
        && text.ends_with(|end: char| end.is_ascii_digit() || "Zz".contains(end));
    if is_time {
        // The daemon checks the rest.
        Ok(text.to_owned())
    } else {
        Err("give a time such as 12h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z".to_owned())
    }
}

/// Parses a count or an offset.
fn count(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "give a whole number of 0 or more".to_owned())
}

/// Parses `COLSxROWS`, or `cols=COLS,rows=ROWS`.
fn size(text: &str) -> Result<Value, String> {
    let pair = |first: &str, second: &str| {
        Some(Size {
            cols: first.parse().ok()?,
            rows: second.parse().ok()?,
        })
    };
    if let Some((cols, rows)) = text
        .strip_prefix("cols=")
        .and_then(|rest| rest.split_once(",rows="))
        && let Some(size) = pair(cols, rows)
    {
        return Ok(json!(size));
    }
    let size = text
        .split_once(['x', 'X'])
        .and_then(|(cols, rows)| pair(cols, rows));
    match size {
        // The order was the other one, and a script must not get the wrong size in silence.
        Some(Size { rows, cols }) if cols < rows => Err(format!(
            "a size is COLUMNSxROWS; give {rows}x{cols} for {rows} columns and {cols} rows, or cols={cols},rows={rows} for {cols} columns and {rows} rows"
        )),
        Some(size) => Ok(json!(size)),
        None => Err("give COLUMNSxROWS, such as 80x24".to_owned()),
    }
}

/// Parses `NAME=VALUE`.
fn variable(text: &str) -> Result<&str, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text),
        _ => Err("give NAME=VALUE".to_owned()),
    }
}

/// Parses what can be a terminal type, as `session.create` checks it.
fn terminal_type(text: &str) -> Result<String, String> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && byte != b'/';
    let is_name = (1..=64).contains(&text.len()) && text.bytes().all(is_part);
    is_name.then(|| text.to_owned()).ok_or_else(|| {
        "a terminal type is 1 to 64 printable ASCII characters without blanks and slashes"
            .to_owned()
    })
}

fn within(text: &str, (first, last): (&str, &str)) -> Result<u64, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let found = number(text).filter(|found| (number(first)..=number(last)).contains(&Some(*found)));
    found.ok_or_else(|| format!("give a whole number from {first} to {last}"))
}

/// Parses `3..9`, `3..` or `3`.
fn turn_numbers(text: &str) -> Result<TurnNumbers, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
    let last = if last.is_empty() {
        Some(u64::MAX)
    } else {
        number(last)
    };
    match (number(first), last) {
        (Some(first), Some(last)) if first <= last => Ok(TurnNumbers { first, last }),
        _ => Err("give the first and the last turn, such as 3..9".to_owned()),
    }
}

fn latency(text: &str) -> Result<Value, String> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let parsed = match text.split_once('-') {
        _ if text == "recorded" => Some(json!(text)),
        None => number(text).map(Value::from),
        Some((low, high)) => number(low)
            .zip(number(high))
            .filter(|(low, high)| low <= high)
            .map(|(low, high)| json!([low, high])),
    };
    parsed.ok_or_else(|| {
        "give recorded, milliseconds such as 0 or 20, or a range such as 5-50".to_owned()
    })
}

fn decorator(text: &str) -> Result<Value, String> {
    let decorator: Decorator =
        serde_json::from_str(text).map_err(|error| format!("not a decorator: {error}"))?;
    match (&decorator.replace, &decorator.with, &decorator.filter) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(json!(decorator)),
        _ => Err("give either replace and with, or filter".to_owned()),
    }
}

/// Splits rules at the commas that are not in parentheses. An empty list is refused: it would mean no restriction.
fn tools(text: &str) -> Result<Value, String> {
    match split_list(text) {
        rules if rules.is_empty() => Err("give at least one tool, such as Read".to_owned()),
        rules => Ok(json!(rules)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_zero_are_different_timeouts() {
        let timeout = |text| read("timeout", text);
        assert_eq!(timeout("none"), Ok(json!("none")));
        assert_eq!(timeout("0"), Ok(json!(0.0)));
        assert_eq!(timeout("0.25"), Ok(json!(250.0)));
        for bad in ["", "-1", "nan", "inf", "1e999", "5m"] {
            assert!(timeout(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ages_have_a_unit_or_are_seconds() {
        let ages = ["90", "1.5m", "2h", "7d"].map(|text| age(text).unwrap());
        assert_eq!(ages, [90.0, 90.0, 7_200.0, 604_800.0]);
        for bad in ["", "d", "-1d", "1w", "soon"] {
            assert!(age(bad).is_err(), "{bad}");
        }
        let factor = |text| read("factor", text);
        assert!(factor("0").is_err() && factor("-1").is_err() && factor("0.5").is_ok());
    }

    #[test]
    fn a_time_is_an_age_a_date_or_complete() {
        let before = SystemTime::now() - Duration::from_secs(7 * 86_400);
        let since = clock::parse(&time("7d").unwrap()).unwrap();
        let apart = since
            .duration_since(before)
            .unwrap_or_else(|e| e.duration());
        assert!(apart < Duration::from_secs(60), "{apart:?}");
        assert_eq!(time("2026-01-31").unwrap(), "2026-01-31T00:00:00.000Z");
        for whole in ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00"] {
            assert_eq!(time(whole).unwrap(), whole);
        }
        assert_eq!(time("1e30d").unwrap(), "1970-01-01T00:00:00.000000Z");
        let bad = ",soon,-1d,2026-13-01,2026-01-31x,31.1.2026,2026-01-31T,ééééé-é";
        for bad in bad.split(',') {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_variables_and_terminal_types_have_their_form() {
        for text in ["80x24", "cols=80,rows=24"] {
            assert_eq!(size(text), Ok(json!({"rows": 24, "cols": 80})), "{text}");
        }
        assert_eq!(size("cols=24,rows=80"), Ok(json!({"rows": 80, "cols": 24})));
        let both = size("24x80").unwrap_err();
        assert!(
            both.contains("80x24 for 80 columns and 24 rows") && both.contains("cols=24,rows=80")
        );
        assert_eq!(size("0X0"), Ok(json!({"rows": 0, "cols": 0})));
        for bad in ["24", "x", "24x", "ax1", "1x2x3"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert!(variable("A=").is_ok() && variable("A=b=c").is_ok());
        assert!(variable("=b").is_err() && variable("A").is_err());
        let known = "screen.xterm-256color";
        assert_eq!(terminal_type(known).unwrap(), known);
        for wrong in ["", "a b", "a\nb", "../x", &"x".repeat(65)] {
            assert!(terminal_type(wrong).is_err(), "{wrong:?}");
        }
    }
}
