//! Parsers of option values: seconds, sizes, variables. The error of each says what to give instead, as a fragment.

use crate::typed::typed;
use ccd_base::clock;
use ccd_protocol::Timeout;
use ccd_protocol::session::Pattern;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::convert::Infallible;
use std::time::{Duration, SystemTime};

/// Rows and columns of a terminal; the daemon checks their range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: i64,
    pub(crate) cols: i64,
}

/// Parameters with the fields that arguments have too, as they are there, and then the others.
macro_rules! params {
    ($type:ident { $($same:ident),* } of $args:ident $(, $($others:tt)+)?) => {
        $type {
            $($same: Clone::clone(&$args.$same),)*
            $($($others)+)?
        }
    };
}
pub(crate) use params;

/// Parses a directory, which need not exist.
pub(crate) fn directory(text: &str) -> Result<String, String> {
    match text {
        "" => Err("give a directory, such as tests/tapes".to_owned()),
        text => Ok(text.to_owned()),
    }
}

/// Parses a timeout: seconds, fractions allowed, or `none` for no limit.
pub(crate) fn timeout(text: &str) -> Result<Timeout, String> {
    if text == "none" {
        return Ok(Timeout::Forever);
    }
    seconds(text).map(|seconds| Timeout::After(seconds * 1000.0))
}

/// Parses seconds, fractions allowed.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    not_negative(text, "0 or more seconds, such as 2 or 0.5")
}

/// Parses milliseconds, fractions allowed.
pub(crate) fn milliseconds(text: &str) -> Result<f64, String> {
    not_negative(text, "0 or more milliseconds, such as 500")
}

/// Parses a refresh interval in seconds.
pub(crate) fn interval(text: &str) -> Result<Duration, String> {
    match seconds(text) {
        Ok(seconds @ 0.1..=3600.0) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("give 0.1 to 3600 seconds, such as 2 or 0.5".to_owned()),
    }
}

/// Parses minutes and returns seconds.
pub(crate) fn minutes(text: &str) -> Result<f64, String> {
    not_negative(text, "0 or more minutes, such as 10 or 0.5").map(|minutes| minutes * 60.0)
}

/// Parses an age: seconds, or a number with s, m, h or d; returns seconds.
pub(crate) fn age(text: &str) -> Result<f64, String> {
    const UNITS: [(char, f64); 4] = [('s', 1.0), ('m', 60.0), ('h', 3_600.0), ('d', 86_400.0)];
    let unit = UNITS.iter().find(|(letter, _)| text.ends_with(*letter));
    let (number, seconds) = match unit {
        Some((_, seconds)) => (&text[..text.len() - 1], *seconds),
        None => (text, 1.0),
    };
    not_negative(number, "a time such as 90, 90s, 30m, 12h or 7d").map(|number| number * seconds)
}

/// Parses a time: an age, counted back from now, a date in UTC, or a time as in RFC 3339; returns RFC 3339.
pub(crate) fn time(text: &str) -> Result<String, String> {
    if let Ok(seconds) = age(text) {
        let age = Duration::try_from_secs_f64(seconds).ok();
        let time = age.and_then(|age| SystemTime::now().checked_sub(age));
        // The daemon's records start later.
        return Ok(clock::at_us(time.unwrap_or(SystemTime::UNIX_EPOCH)));
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

/// Parses a speed factor.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    match not_negative(text, "") {
        Ok(factor) if factor > 0.0 => Ok(factor),
        _ => Err("give a number above 0, such as 2 or 0.5".to_owned()),
    }
}

/// Parses a count or an offset.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "give a whole number of 0 or more".to_owned())
}

/// Parses `COLSxROWS`, or `cols=COLS,rows=ROWS`.
pub(crate) fn size(text: &str) -> Result<Size, String> {
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
        return Ok(size);
    }
    let size = text
        .split_once(['x', 'X'])
        .and_then(|(cols, rows)| pair(cols, rows));
    match size {
        // The order was the other one, and a script must not get the wrong size in silence.
        Some(Size { rows, cols }) if cols < rows => Err(format!(
            "a size is COLUMNSxROWS; give {rows}x{cols} for {rows} columns and {cols} rows, or cols={cols},rows={rows} for {cols} columns and {rows} rows"
        )),
        Some(size) => Ok(size),
        None => Err("give COLUMNSxROWS, such as 80x24".to_owned()),
    }
}

/// Returns the patterns that texts stand for, with `--exact` or without.
pub(crate) fn patterns(texts: &[String], is_exact: bool) -> Vec<Pattern> {
    let pattern = if is_exact {
        Pattern::Exact
    } else {
        Pattern::Regex
    };
    texts.iter().cloned().map(pattern).collect()
}

/// Parses `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("give NAME=VALUE".to_owned()),
    }
}

/// Parses what can be a terminal type, as `session.create` checks it.
pub(crate) fn terminal_type(text: &str) -> Result<String, String> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && byte != b'/';
    let is_name = (1..=64).contains(&text.len()) && text.bytes().all(is_part);
    is_name.then(|| text.to_owned()).ok_or_else(|| {
        "a terminal type is 1 to 64 printable ASCII characters without blanks and slashes"
            .to_owned()
    })
}

/// Where a secret comes from. The secret itself is never on the command line, which other users can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SecretFrom {
    /// An environment variable.
    Env(String),
    File(String),
    /// The user is asked at the terminal.
    Prompt,
    /// Not a known source; perhaps the secret itself. The parser does not fail, because its error would show the word.
    Unknown,
}

/// Parses `NAME=env:VARIABLE`, `NAME=file:PATH` or `NAME=prompt`.
pub(crate) fn secret(text: &str) -> Result<(String, SecretFrom), Infallible> {
    // A word without `=` may be the secret.
    let (name, from) = text.split_once('=').unwrap_or(("", ""));
    let from = match from.split_once(':') {
        _ if name.is_empty() => SecretFrom::Unknown,
        Some(("env", variable)) if !variable.is_empty() => SecretFrom::Env(variable.to_owned()),
        Some(("file", path)) if !path.is_empty() => SecretFrom::File(path.to_owned()),
        None if from == "prompt" => SecretFrom::Prompt,
        _ => SecretFrom::Unknown,
    };
    Ok((name.to_owned(), from))
}

/// Parses `on` or `off`.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("give on or off".to_owned()),
    }
}

/// A parser of one of these words, in any case; `-` and `_` are the same.
pub(super) fn word<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    named: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    let names = names.into_iter().map(|name| {
        let value = PossibleValue::new(name);
        if name.contains('_') {
            value.alias(name.replace('_', "-"))
        } else {
            value
        }
    });
    PossibleValuesParser::new(names)
        .try_map(move |name| named(&name.replace('-', "_")).ok_or("this is not one of the names"))
}

/// The value of a word of the protocol, in any case; `-` and `_` are the same.
pub(super) fn named<T: DeserializeOwned>(word: &str) -> Option<T> {
    let word = word.to_ascii_lowercase();
    let spellings = [word.replace('_', "-"), word.replace('-', "_")];
    let mut values = spellings.into_iter().map(Value::String);
    values.find_map(|word| typed(&word).ok())
}

fn not_negative(text: &str, wanted: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(format!("give {wanted}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_zero_are_different_timeouts() {
        assert_eq!(timeout("none"), Ok(Timeout::Forever));
        assert_eq!(timeout("0"), Ok(Timeout::After(0.0)));
        assert_eq!(timeout("0.25"), Ok(Timeout::After(250.0)));
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
            assert_eq!(size(text), Ok(Size { rows: 24, cols: 80 }), "{text}");
        }
        assert_eq!(size("cols=24,rows=80"), Ok(Size { rows: 80, cols: 24 }));
        let both = size("24x80").unwrap_err();
        assert!(
            both.contains("80x24 for 80 columns and 24 rows") && both.contains("cols=24,rows=80")
        );
        assert_eq!(size("0X0"), Ok(Size { rows: 0, cols: 0 }));
        for bad in ["24", "x", "24x", "ax1", "1x2x3"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert_eq!(variable("A="), Ok(("A".into(), String::new())));
        assert!(variable("=b").is_err() && variable("A").is_err());
        let known = "screen.xterm-256color";
        assert_eq!(terminal_type(known).unwrap(), known);
        for wrong in ["", "a b", "a\nb", "../x", &"x".repeat(65)] {
            assert!(terminal_type(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_secret_is_named_and_never_given_itself() {
        let env = SecretFrom::Env("PW".into());
        assert_eq!(secret("pw=env:PW"), Ok(("pw".into(), env)));
        let file = SecretFrom::File("a:b=c".into());
        assert_eq!(secret("pw=file:a:b=c"), Ok(("pw".into(), file)));
        assert_eq!(secret("pw=prompt"), Ok(("pw".into(), SecretFrom::Prompt)));
        for bad in ["", "pw", "pw=hunter2", "pw=env:", "=env:PW", "pw=file"] {
            let Ok((name, from)) = secret(bad);
            assert_eq!(from, SecretFrom::Unknown, "{bad}");
            assert!(["", "pw"].contains(&&*name) && (name.is_empty() || bad.contains('=')));
        }
    }
}
