//! One line of the file as a template: written from a record, and read back into it.

use super::escape::{bold, find, find_last, line, not_word, unescape};
use super::task;
use crate::model::is_time;
use serde_json::{Value, json};

enum Piece<'a> {
    Text(&'a str),
    /// `{KIND PATH}`
    Value(&'a str, &'a str),
    /// `«…»`
    Optional(&'a str),
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
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
            _ if !is_value => Piece::Optional(inner),
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

/// Returns the line of a record, the entry `number` of its list; `None` if all of it is optional and absent.
pub(super) fn write(
    template: &str,
    number: usize,
    record: &Value,
    default: &Value,
) -> Option<String> {
    let mut text = String::new();
    let mut is_absent = true;
    for piece in pieces(template) {
        let piece = match piece {
            Piece::Text(piece) => piece.to_owned(),
            Piece::Value("number", _) => format!("{number}."),
            Piece::Value(kind, path) => encode(kind, at(record, path), at(default, path)),
            Piece::Optional(inner) => {
                let is_default = |piece| match piece {
                    Piece::Value(_, path) => at(record, path) == at(default, path),
                    _ => true,
                };
                if pieces(inner).into_iter().all(is_default) {
                    continue;
                } else {
                    write(inner, number, record, default)?
                }
            }
        };
        is_absent = false;
        text.push_str(&piece);
    }
    (!is_absent).then_some(text)
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

/// Returns how much of a template is in each of its lines.
pub(super) fn fixed_len(template: &str) -> usize {
    let pieces = pieces(template).into_iter();
    let len = |piece| match piece {
        Piece::Text(text) => text.len(),
        _ => 0,
    };
    pieces.map(len).sum()
}

#[derive(Default)]
pub(super) struct LineValues<'a> {
    /// Values with their paths.
    values: Vec<(&'a str, Value)>,
    /// Values that could not be read.
    pub(super) bad: Vec<String>,
}

impl LineValues<'_> {
    pub(super) fn put_into(self, record: &mut Value) {
        for (path, value) in self.values {
            *at_mut(record, path) = value;
        }
    }
}

/// Reads a line, without blanks around it; `None` if it is not of this template.
pub(super) fn read<'a>(template: &'a str, text: &str) -> Option<LineValues<'a>> {
    let optional = template
        .strip_prefix('«')
        .and_then(|inner| inner.strip_suffix('»'));
    let template = optional.unwrap_or(template).trim();
    let bare = template.strip_prefix("- ").unwrap_or(template);
    // A name may be a bullet or not.
    let (template, text) = if bare.starts_with("**") {
        (bare, text.strip_prefix("- ").unwrap_or(text))
    } else {
        (template, text)
    };
    let mut found = LineValues::default();
    let rest = take(&pieces(template), text, &mut found)?;
    rest.is_empty().then_some(found)
}

/// Returns what is after the pieces.
fn take<'a, 't>(
    pieces: &[Piece<'a>],
    text: &'t str,
    found: &mut LineValues<'a>,
) -> Option<&'t str> {
    let mut rest = text;
    for (number, piece) in pieces.iter().enumerate() {
        rest = match piece {
            // Blanks do not count: at the end of a line there are none, and in a table there may be more.
            Piece::Text(text) => {
                let mut words = text.split_whitespace();
                let rest = words.try_fold(rest, |rest, word| rest.trim_start().strip_prefix(word));
                rest?.trim_start()
            }
            Piece::Optional(inner) => {
                let before = (found.values.len(), found.bad.len());
                let after = take(&self::pieces(inner), rest, found);
                if after.is_none() {
                    found.values.truncate(before.0);
                    found.bad.truncate(before.1);
                }
                after.unwrap_or(rest)
            }
            Piece::Value(kind, path) => {
                let end = end(kind, rest, &pieces[number + 1..])?;
                decode(kind, path, &rest[..end], found)?;
                &rest[end..]
            }
        };
    }
    Some(rest)
}

fn end(kind: &str, text: &str, next: &[Piece<'_>]) -> Option<usize> {
    let of = |is_part: fn(char) -> bool| text.find(|char| !is_part(char)).unwrap_or(text.len());
    match kind {
        "number" => {
            let digits = of(|char| char.is_ascii_digit());
            let after = text[digits..].strip_prefix('.')?;
            (digits > 0 && (after.is_empty() || after.starts_with(' '))).then_some(digits + 1)
        }
        "u16" | "u32" | "u64" => Some(of(|char| char.is_ascii_digit())),
        "percent" => Some(of(|char| char.is_ascii_digit() || char == '.')),
        "at" if text.starts_with("(line ") => Some(text.find(')')? + 1),
        "at" => Some(0),
        _ if kind.contains('|') => Some(of(|char| char.is_alphanumeric() || char == '-')),
        // A value that starts with the mask of a secret is no name.
        "bold" if text.starts_with('*') && !text.starts_with("**") => None,
        _ => match next {
            [] => Some(text.len()),
            [Piece::Text(last)] if kind != "bold" => Some(text.strip_suffix(last.trim())?.len()),
            [Piece::Text(next), ..] => find(text, next.trim()),
            [Piece::Optional(last), ..] => {
                let (start, _) = last.trim_start().split_once('{')?;
                let (_, end) = last.rsplit_once('}')?;
                let is_there = text.ends_with(end);
                Some(
                    find_last(text, start)
                        .filter(|_| is_there)
                        .unwrap_or(text.len()),
                )
            }
            [Piece::Value(..), ..] => None,
        },
    }
}

fn decode<'a>(kind: &str, path: &'a str, text: &str, found: &mut LineValues<'a>) -> Option<()> {
    let text = text.trim();
    let value = match kind.split_once('=') {
        Some((_, word)) if text == word => return Some(()),
        Some(_) => json!(unescape(text)),
        None => match kind {
            "number" => return Some(()),
            "u16" => json!(text.parse::<u16>().ok()?),
            "u32" => json!(text.parse::<u32>().ok()?),
            "u64" => json!(text.parse::<u64>().ok()?),
            "percent" => json!(text.parse::<f64>().ok().filter(|value| value.is_finite())?),
            "at" if text.is_empty() => return Some(()),
            "at" => {
                let line = text.strip_prefix("(line ")?.strip_suffix(')')?;
                json!(line.parse::<u64>().ok()?)
            }
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

fn time(text: &str, found: &mut LineValues<'_>) -> String {
    let text = unescape(text);
    if is_time(&text) || text == "unknown" {
        return text;
    }
    found.bad.push(format!("{text:?} is not a time (ISO 8601)"));
    "unknown".to_owned()
}
