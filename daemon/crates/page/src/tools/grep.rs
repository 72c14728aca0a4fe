//! Grep: what was found, grouped by file. Glob: the files.

use super::{Call, Shown, add_file, other_inputs, texts};
use crate::lines::{self, Line};
use crate::markup::Markup;
use crate::shown::plural;
use crate::value::{field, first, is, list, text, text_of};
use std::collections::HashMap;

/// Files of which the lines are shown.
const MAX_FILES: usize = 200;

struct Found {
    path: String,
    /// Each with its number and whether it matches.
    lines: Vec<(String, String, bool)>,
}

pub(super) fn show(call: &Call<'_>) -> Shown {
    let place = call.short(&text(first(call.input, &["path", "glob"])));
    let words = [text_of(call.input, "pattern"), place];
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    let mut shown = Shown {
        target: words.join(" in "),
        ..Shown::default()
    };
    let found = if call.is_done() {
        found(call)
    } else {
        Vec::new()
    };
    let body = &mut shown.body;
    body.facts(&other_inputs(call.input, &[]));
    if call.is_done() {
        shown.outcome = plural(found.len(), "file");
    }
    if found.is_empty() {
        call.add_result(body);
        return shown;
    }
    body.note(&format!("{}{}", shown.outcome, limited(call)));
    for file in found.iter().take(MAX_FILES) {
        let hits = file.lines.iter().filter(|(.., is_hit)| *is_hit).count();
        let hits = if hits == 0 {
            String::new()
        } else {
            plural(hits, "hit")
        };
        add_file(body, &file.path, &hits);
        let line = |(number, line, is_hit): &(String, String, bool)| {
            let mut text = Markup::default();
            text.text(line);
            Line {
                class: if *is_hit { "div.line.hit" } else { "div.line" },
                value: number.clone(),
                text,
            }
        };
        if !file.lines.is_empty() {
            lines::block(
                body,
                "pre.code",
                &file.lines.iter().map(line).collect::<Vec<_>>(),
            );
        }
    }
    shown
}

pub(super) fn show_files(call: &Call<'_>) -> Shown {
    let target = text(first(call.input, &["pattern", "path"]));
    let mut shown = Shown {
        target,
        ..Shown::default()
    };
    let body = &mut shown.body;
    body.facts(&other_inputs(call.input, &[]));
    let files = if call.is_done() {
        files(call)
    } else {
        Vec::new()
    };
    if call.is_done() {
        shown.outcome = plural(files.len(), "file");
    }
    if files.is_empty() {
        call.add_result(body);
    } else {
        body.note(&format!("{}{}", shown.outcome, limited(call)));
        lines::plain_text(body, &files.join("\n"), "pre.text");
    }
    shown
}

fn limited(call: &Call<'_>) -> &'static str {
    let meta = call.meta();
    let is_limited = is(meta, "truncated") || !field(meta, "appliedLimit").is_null();
    if is_limited {
        ", cut by the limit of the call"
    } else {
        ""
    }
}

fn files(call: &Call<'_>) -> Vec<String> {
    let named = field(call.meta(), "filenames");
    if named.is_array() {
        return texts(named);
    }
    let text = call.result_text();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(['(', '<']));
    lines
        .filter(|line| !line.starts_with("No files found"))
        .map(str::to_owned)
        .collect()
}

fn found(call: &Call<'_>) -> Vec<Found> {
    let meta = call.meta();
    let content = field(meta, "content")
        .as_str()
        .filter(|content| !content.is_empty());
    let content = content.map_or_else(|| call.result_text(), str::to_owned);
    let mode = text(first(meta, &["mode"]));
    let mode = if mode.is_empty() {
        text_of(call.input, "output_mode")
    } else {
        mode
    };
    if content.starts_with("No matches found") || content.starts_with("No files found") {
        return Vec::new();
    }
    match mode.as_str() {
        "content" => by_file(&content, &text_of(call.input, "path")),
        "count" => {
            let count = |line: &str| {
                let (path, hits) = line.rsplit_once(':')?;
                let _: u64 = hits.parse().ok()?;
                Some(Found {
                    path: line.replacen(&format!("{path}:"), &format!("{path}: "), 1),
                    lines: Vec::new(),
                })
            };
            content.lines().filter_map(count).collect()
        }
        _ if !list(field(meta, "filenames")).is_empty() => {
            let named = texts(field(meta, "filenames")).into_iter();
            named
                .map(|path| Found {
                    path,
                    lines: Vec::new(),
                })
                .collect()
        }
        _ => {
            let lines = content
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with("Found "));
            lines
                .map(|path| Found {
                    path: path.to_owned(),
                    lines: Vec::new(),
                })
                .collect()
        }
    }
}

/// Groups lines such as `path:12:text` (a hit), `path-13-text` (its surroundings) and, for a search in one file, `12:text`.
fn by_file(content: &str, only: &str) -> Vec<Found> {
    let mut files: Vec<Found> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for line in content
        .lines()
        .filter(|line| !line.is_empty() && *line != "--")
    {
        let last = files.last().map_or(only, |file| &file.path).to_owned();
        let (path, number, text, is_hit) =
            parts(line, only).unwrap_or((last, String::new(), line.to_owned(), false));
        let at = *known.entry(path).or_insert_with_key(|path| {
            files.push(Found {
                path: path.clone(),
                lines: Vec::new(),
            });
            files.len() - 1
        });
        files[at].lines.push((number, text, is_hit));
    }
    files
}

/// Returns the path, the number and the text of a line, and whether it matches.
fn parts(line: &str, only: &str) -> Option<(String, String, String, bool)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |path: &str, number: &str, text: &str, is_hit| {
        Some((path.to_owned(), number.to_owned(), text.to_owned(), is_hit))
    };
    if !only.is_empty()
        && let Some(at) = line.find([':', '-'])
        && is_number(&line[..at])
    {
        return part(
            only,
            &line[..at],
            &line[at + 1..],
            line[at..].starts_with(':'),
        );
    }
    for (at, sign) in line.match_indices([':', '-']).filter(|(at, _)| *at > 0) {
        if let Some((number, text)) = line[at + 1..].split_once(sign)
            && is_number(number)
        {
            return part(&line[..at], number, text, sign == ":");
        }
    }
    let is_path = |path: &str| only.is_empty() && !path.is_empty() && !path.contains(' ');
    let (path, text) = line.split_once(':').filter(|(path, _)| is_path(path))?;
    part(path, "", text, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_their_files() {
        let content = "src/a.rs:1:let a\nsrc/a.rs-2-let b\n--\nsrc/b-c.rs:9:x: y\nmore";
        let files: Vec<String> = by_file(content, "")
            .iter()
            .map(|file| format!("{} {:?}", file.path, file.lines))
            .collect();
        assert_eq!(
            files,
            [
                r#"src/a.rs [("1", "let a", true), ("2", "let b", false)]"#,
                r#"src/b-c.rs [("9", "x: y", true), ("", "more", false)]"#,
            ]
        );
        let one = by_file("12:a\n13-b", "x.rs");
        assert_eq!(
            one[0].lines,
            [
                ("12".into(), "a".into(), true),
                ("13".into(), "b".into(), false)
            ]
        );
    }
}
