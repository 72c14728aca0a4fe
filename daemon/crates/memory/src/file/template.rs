//! One line of the file as a template: written from a record, and read back into it.

use super::escape::{TEXT, bold, line, not_word, unescape};
use super::task;
use crate::model::{is_time, pattern};
use regex::{Regex, escape};
use serde_json::{Value, json};

pub(super) struct Template {
    pub(super) text: &'static str,
    pieces: Vec<Piece>,
    line: Regex,
    /// How much of it is in each of its lines.
    pub(super) fixed_len: usize,
}

enum Piece {
    Text(&'static str),
    /// `{KIND PATH}`
    Value(&'static str, &'static str),
    /// `«…»`
    Optional(Vec<Piece>),
}

impl Template {
    pub(super) fn new(text: &'static str) -> Self {
        let pieces = pieces(text);
        let inner = match &*pieces {
            [Piece::Optional(inner)] => inner,
            pieces => pieces,
        };
        let line = line_of(inner);
        let line = line.trim_start_matches(r"\s*");
        let line = match line.strip_prefix(r"\-\s*").unwrap_or(line) {
            // A name may be a bullet or not.
            name if name.starts_with(r"\*\*") => &format!("(?:- )?{name}"),
            _ => line,
        };
        let fixed_len = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            _ => 0,
        };
        Self {
            text,
            line: pattern(&format!(r"\A{line}\z")),
            fixed_len: pieces.iter().map(fixed_len).sum(),
            pieces,
        }
    }

    /// Returns the line of a record, the entry `number` of its list; `None` if all of it is optional and absent.
    pub(super) fn write(&self, number: usize, record: &Value, default: &Value) -> Option<String> {
        write(&self.pieces, number, record, default)
    }

    /// Reads a line, without blanks around it; `None` if it is not of this template.
    pub(super) fn read(&self, text: &str) -> Option<LineValues> {
        let groups = self.line.captures(text)?;
        let mut found = LineValues::default();
        let values = values(&self.pieces);
        for ((kind, path), group) in values.into_iter().zip(groups.iter().skip(1)) {
            if let Some(group) = group {
                decode(kind, path, group.as_str().trim(), &mut found)?;
            }
        }
        Some(found)
    }
}

fn pieces(template: &'static str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '«']) {
        let is_value = rest[at..].starts_with('{');
        let (before, inner) = (&rest[..at], rest[at..].trim_start_matches(['{', '«']));
        let (inner, after) = inner
            .split_once(if is_value { '}' } else { '»' })
            .unwrap_or((inner, ""));
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        pieces.push(match inner.rsplit_once(' ') {
            _ if !is_value => Piece::Optional(self::pieces(inner)),
            Some((kind, path)) => Piece::Value(kind, path),
            None => Piece::Value(inner, ""),
        });
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// Returns the pattern of lines, with a group for each value. Blanks do not count: at the end of a line there are none, and
/// in a table there may be more.
fn line_of(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => {
            let words: Vec<String> = text.split_whitespace().map(escape).collect();
            format!(r"\s*{}\s*", words.join(r"\s*"))
        }
        Piece::Optional(inner) => format!("(?:{})?", line_of(inner)),
        Piece::Value(kind, _) => match *kind {
            "number" => r"[0-9]+\.(?:\s|\z)",
            "u16" | "u32" | "u64" => "([0-9]+)",
            "percent" => "([0-9.]+)",
            "at" => r"(?:\(line ([0-9]+)\))?",
            // A value that starts with the mask of a secret is no name.
            "bold" => r"((?:\\.|[^\\*])*?)",
            kind if kind.contains('|') => r"([\w-]+)",
            _ => TEXT,
        }
        .to_owned(),
    };
    pieces.iter().map(piece).collect()
}

/// Returns kinds and paths, as the groups are.
fn values(pieces: &[Piece]) -> Vec<(&'static str, &'static str)> {
    let of = |piece: &Piece| match piece {
        Piece::Text(_) | Piece::Value("number", _) => Vec::new(),
        Piece::Value(kind, path) => vec![(*kind, *path)],
        Piece::Optional(inner) => values(inner),
    };
    pieces.iter().flat_map(of).collect()
}

/// Returns the value at a path of names with dots between; `Null` if there is none.
pub(super) fn at<'a>(record: &'a Value, path: &str) -> &'a Value {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    names
        .try_fold(record, |value, name| value.get(name))
        .unwrap_or(&Value::Null)
}

/// As [`at`]; what is missing on the way is made.
pub(super) fn at_mut<'a>(record: &'a mut Value, path: &str) -> &'a mut Value {
    let mut value = record;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        if !value.is_object() {
            *value = json!({});
        }
        value = &mut value[name];
    }
    value
}

fn write(pieces: &[Piece], number: usize, record: &Value, default: &Value) -> Option<String> {
    let mut text = None::<String>;
    for piece in pieces {
        let piece = match piece {
            Piece::Text(piece) => (*piece).to_owned(),
            Piece::Value("number", _) => format!("{number}."),
            Piece::Value(kind, path) => encode(kind, at(record, path), at(default, path)),
            Piece::Optional(inner) => {
                let is_default = |(_, path)| at(record, path) == at(default, path);
                if values(inner).into_iter().all(is_default) {
                    continue;
                }
                write(inner, number, record, default)?
            }
        };
        text.get_or_insert_default().push_str(&piece);
    }
    text
}

fn encode(kind: &str, value: &Value, default: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    match kind.split_once('=') {
        Some((_, word)) if value == default => word.to_owned(),
        Some((_, word)) => not_word(text, word),
        None => match kind {
            "text" => line(text),
            "bold" => bold(text),
            "time" if value.is_null() => NEVER.to_owned(),
            "time" => line(text),
            "percent" => format!("{:.1}", value.as_f64().unwrap_or_default()),
            "at" => value
                .as_u64()
                .map_or_else(String::new, |line| format!(" (line {line})")),
            "task" if value.is_null() => task::NONE.to_owned(),
            "task" => task::write(value),
            "ids" => task::ids(value),
            // In a comment of HTML.
            "json" => value.to_string().replace("--", "\\u002d\\u002d"),
            _ => value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        },
    }
}

const NEVER: &str = "never";

#[derive(Default)]
pub(super) struct LineValues {
    /// Values with their paths.
    values: Vec<(&'static str, Value)>,
    /// Values that could not be read.
    pub(super) bad: Vec<String>,
}

impl LineValues {
    pub(super) fn put_into(self, record: &mut Value) {
        for (path, value) in self.values {
            *at_mut(record, path) = value;
        }
    }
}

fn decode(kind: &str, path: &'static str, text: &str, found: &mut LineValues) -> Option<()> {
    let value = match kind.split_once('=') {
        Some((_, word)) if text == word => return Some(()),
        Some(_) => json!(unescape(text)),
        None => match kind {
            "u16" => json!(text.parse::<u16>().ok()?),
            "u32" => json!(text.parse::<u32>().ok()?),
            "u64" | "at" => json!(text.parse::<u64>().ok()?),
            "percent" => json!(text.parse::<f64>().ok().filter(|value| value.is_finite())?),
            "time" if text == NEVER => return Some(()),
            "time" => json!(time(text, found)),
            "task" if text == task::NONE => return Some(()),
            "task" => task::read(text),
            "ids" => {
                found.values.push((task::IDS, task::read_ids(text)));
                return Some(());
            }
            "json" => match serde_json::from_str(text) {
                Ok(value) => value,
                Err(_) => {
                    found
                        .bad
                        .push("the sources of the facts could not be read".to_owned());
                    return Some(());
                }
            },
            words if words.contains('|') => {
                let word = text.to_lowercase();
                if !words.split('|').any(|known| known == word) {
                    found
                        .bad
                        .push(format!("{text:?} is none of {}", words.replace('|', ", ")));
                    return Some(());
                }
                json!(word)
            }
            _ => json!(unescape(text)),
        },
    };
    found.values.push((path, value));
    Some(())
}

fn time(text: &str, found: &mut LineValues) -> String {
    let text = unescape(text);
    if is_time(&text) || text == "unknown" {
        return text;
    }
    found.bad.push(format!("{text:?} is not a time (ISO 8601)"));
    "unknown".to_owned()
}
