//! Forms of values in templates.

use super::inline::{self, code};
use super::line::Line;
use super::short::{
    age, all_of, cost, counted, dollars, hit_rate, limit, model_name, moment, saved, seconds,
    short, size, span_of_days, times,
};
use super::style::{Style, is_utf8};
use super::{about, few, message, on_one_line, printable, short_id};
use crate::fields::Fields as _;
use ccd_base::number::grouped;
use ccd_base::{clock, shell};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

/// A value as a text: that of a string without quotes, of nothing an empty one.
pub(super) fn plain(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Number(number) if number.is_f64() => {
            Cow::Owned(number.as_f64().unwrap_or_default().to_string())
        }
        other => Cow::Owned(other.to_string()),
    }
}

/// Returns a value in the form of this name, which may have an argument after a space; nothing of a value that is missing.
pub(super) fn form(name: &str, value: &Value, style: Style) -> String {
    let text = plain(value);
    let number = || value.as_f64().unwrap_or_default();
    let count = || {
        value.as_array().map_or_else(
            || value.as_u64().unwrap_or_default(),
            |all| all.len() as u64,
        )
    };
    match name.split_once(' ').unwrap_or((name, "")) {
        ("json", _) => value.to_string(),
        ("short", _) => short(count()),
        ("grouped", _) => grouped(count()),
        ("tokens", _) => short(all_of(value)),
        // nothing if there are none
        ("some_tokens", _) => Some(short(all_of(value)))
            .filter(|all| all != "0")
            .unwrap_or_default(),
        // how a command ended: a sign or, where there are no signs, a word
        ("mark", _) => {
            let (sign, word) = match value {
                Value::Bool(true) => ("✓", "ok"),
                Value::Bool(false) | Value::Null => ("✗", "failed"),
                _ => ("-", "skipped"),
            };
            let is_sign = style.is_terminal && is_utf8();
            if is_sign { sign } else { word }.to_owned()
        }
        _ if value.is_null() => String::new(),
        // `3h`
        ("age", _) => age(&text, SystemTime::now()),
        // `3h` on a terminal, where there is not much room
        ("when", _) if style.is_terminal => age(&text, SystemTime::now()),
        ("when" | "moment", _) => moment(&text),
        // `3h ago`, or the time as it is if it is invalid
        ("ago", _) => match age(&text, SystemTime::now()) {
            age if age.is_empty() => text.into_owned(),
            age => format!("{age} ago"),
        },
        // as `ago`, of a time that another computer may have written
        ("saved", _) => saved(&text),
        ("day", _) => text.get(..10).unwrap_or(&text).to_owned(),
        // without fractions of a second
        ("time", _) => match text.split_once('.') {
            Some((seconds, _)) => format!("{seconds}Z"),
            None => text.into_owned(),
        },
        // `1m12s`
        ("seconds", _) => seconds(number()),
        // `1m12s ago`, or the time as it is if it is invalid
        ("passed", _) => match clock::parse(&text).and_then(|at| at.elapsed().ok()) {
            Some(time) => format!("{} ago", seconds(time.as_secs_f64())),
            None => text.into_owned(),
        },
        ("limit", _) => limit(value),
        ("times", _) => times(count()),
        ("span", _) => span_of_days(number()),
        ("hit_rate", _) => hit_rate(value),
        ("cost", _) => cost(number()),
        ("at_least", _) => format!("${:.2}+", number()),
        ("dollars", _) => dollars(number()),
        // a directory: on a terminal by its last name
        ("place", _) if style.is_terminal => {
            let name = Path::new(&*text).file_name();
            name.map_or_else(
                || text.to_string(),
                |name| name.to_string_lossy().into_owned(),
            )
        }
        ("size", _) => size(count()),
        // `1 file`, `3 files`: a number, or the length of a list
        ("count", noun) => counted(count(), noun),
        ("beyond", shown) => {
            let shown = shown.parse().unwrap_or(0);
            count().saturating_sub(shown).to_string()
        }
        ("or_more", most) => match count() {
            total if most.parse().is_ok_and(|most: u64| total >= most) => {
                format!(
                    "{} or more",
                    most.parse().map_or_else(|_| most.to_owned(), grouped)
                )
            }
            total => total.to_string(),
        },
        ("len", _) => count().to_string(),
        ("fixed", digits) => {
            let digits = digits.parse().unwrap_or(0);
            format!("{:.digits$}", number())
        }
        ("start", len) => {
            let len = len.parse().unwrap_or(usize::MAX);
            text.chars().take(len).collect()
        }
        ("right", width) => {
            let width = width.parse().unwrap_or(0);
            format!("{text:>width$}")
        }
        // in exactly so many columns
        ("fit", columns) => {
            let line = Line::of(printable(&text), None);
            line.fitted(columns.parse().unwrap_or(0)).text()
        }
        ("pad", width) => {
            let width = width.parse().unwrap_or(0);
            format!("{text:width$}")
        }
        // the start of a text, and how long it is
        ("shortened", len) => {
            let len = len.parse().unwrap_or(usize::MAX);
            match text.char_indices().nth(len) {
                Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
                None => text.into_owned(),
            }
        }
        ("percent", _) => format!("{:.0}%", number() * 100.0),
        // the start of an id, on a terminal
        ("id", _) if style.is_terminal => short_id(&text).to_owned(),
        // `15 (TERM)`
        ("signal", _) => {
            let name = signal_hook::low_level::signal_name(number() as i32);
            match name.and_then(|name| name.strip_prefix("SIG")) {
                Some(name) => format!("{text} ({name})"),
                None => text.into_owned(),
            }
        }
        // the first of a list, and how many more there are
        ("few", most) => {
            let items = value.as_array().map_or(&[][..], Vec::as_slice);
            few(most.parse().unwrap_or(0), ", ", items.iter().map(plain))
        }
        ("join", gap) => {
            let items = value.as_array().into_iter().flatten();
            let items: Vec<Cow<'_, str>> = items.map(plain).collect();
            items.join(gap)
        }
        // in one word
        ("dashed", _) => text.replace(' ', "-"),
        // without the end of its line
        ("chomped", _) => text.trim_end_matches(['\r', '\n']).to_owned(),
        ("title", _) => {
            let (first, rest) = text.split_at_checked(1).unwrap_or_default();
            first.to_uppercase() + rest
        }
        // of a job
        ("outcome", _) => outcome(value),
        // an index, counted from 1
        ("next", _) => (count() + 1).to_string(),
        ("ms", _) => seconds(number() / 1000.0),
        // milliseconds in seconds: `1.2`
        ("tenths", _) => format!("{:.1}", number() / 1000.0),
        // the words of a name: `not_started`
        ("words", _) => text.replace('_', " "),
        // perhaps only so many characters
        ("quoted", most) => {
            let most = most.parse().unwrap_or(usize::MAX);
            let start: String = text.chars().take(most).collect();
            let cut = if start.len() < text.len() { "…" } else { "" };
            format!("{:?}", start + cut)
        }
        ("line", _) => on_one_line(&text),
        // of an error: in one line, with what is not visible escaped
        ("message", _) => message(&text),
        // of a tool's input
        ("about", _) => about(value),
        ("model", _) => text.strip_prefix("claude-").unwrap_or(&text).to_owned(),
        ("model_name", _) => model_name(&text).to_owned(),
        // in Markdown: as it is, and as code
        ("md", _) => inline::plain(&text),
        ("code", _) => code(&text),
        // a command line as a shell reads it: a word, or a record with `program` and `args`
        ("shell", _) if value.is_object() => {
            let words = std::iter::once(value.at("program")).chain(value.list("args"));
            shell::line(
                &words
                    .map(|word| plain(word).into_owned())
                    .collect::<Vec<_>>(),
            )
        }
        ("shell", _) => shell::line([&text.into_owned()]),
        _ => {
            debug_assert!(
                name.is_empty() || ["id", "place"].contains(&name),
                "no form {name}"
            );
            text.into_owned()
        }
    }
}

/// The message of an error, or the members of a result or of progress; lists are printed separately.
fn outcome(of: &Value) -> String {
    match of.get("message").unwrap_or(of) {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let mut short = fields.clone();
            short.retain(|_, value| !value.is_array());
            Value::Object(short).to_string()
        }
        other => other.to_string(),
    }
}
