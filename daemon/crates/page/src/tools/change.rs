//! Edit, MultiEdit, Write and NotebookEdit: the change as a diff, a new file as code.

use super::{Call, Shown, add_file};
use crate::colour::{self, Colours};
use crate::lines::{self, Line};
use crate::markup::Markup;
use crate::shown::{plural, without_sequences};
use crate::value::{field, first, is, list, number, text, text_of};
use ccd_base::number::grouped;
use ccd_text::diff::unified;
use serde_json::Value;

pub(super) fn show(call: &Call<'_>) -> Shown {
    let (input, meta) = (call.input, call.meta());
    let path = text(first(input, &["file_path", "notebook_path"]));
    let path = if path.is_empty() {
        text_of(meta, "filePath")
    } else {
        path
    };
    let mut shown = Shown {
        target: call.short(&path),
        ..Shown::default()
    };
    let change = Change::of(call);
    let content = first(input, &["content", "new_source"]);
    let is_new = field(meta, "type") == "create" || change.is_none() && !content.is_null();
    let details = [
        (field(meta, "type") == "create", "new file"),
        (is(input, "replace_all"), "all occurrences"),
        (
            is(meta, "userModified"),
            "changed by the user before it was accepted",
        ),
    ];
    let details: Vec<&str> = details
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, text)| *text)
        .collect();
    add_file(&mut shown.body, &path, &details.join(", "));
    let colours = Colours::of_path(&path);
    let (mut added, mut removed) = (0, 0);
    if is_new {
        let content = text(content);
        added = content.lines().count();
        shown.outcome = format!("new, {}", plural(added, "line"));
        lines::code(&mut shown.body, &content, Some(1), colours);
    } else if let Some(change) = change.filter(|change| !change.lines.is_empty()) {
        (added, removed) = change.sums();
        shown.outcome = change.count();
        change.add(&mut shown.body, colours);
    } else {
        shown.body.note("No change in the text.");
    }
    if call.is_done() {
        shown.changed.push((path, added, removed));
        let result = call.result_text();
        if !result.is_empty() {
            shown.body.fold("Result", |body| {
                lines::plain_text(body, &result, "pre.text")
            });
        }
    } else {
        shown.outcome.clear();
        call.add_result(&mut shown.body);
    }
    shown
}

/// Lines of a diff.
pub(super) struct Change {
    lines: Vec<Changed>,
}

struct Changed {
    sign: char,
    /// In the new text; of a removed line, in the old one.
    number: u64,
    text: String,
    /// The part that is different from the line that replaced it.
    mark: Option<(usize, usize)>,
}

impl Change {
    /// Returns the change: from the stored patch, else from the texts of the call.
    fn of(call: &Call<'_>) -> Option<Self> {
        let (input, meta) = (call.input, call.meta());
        let patch = list(field(meta, "structuredPatch"));
        if !patch.is_empty() {
            return Some(Self::of_hunks(patch));
        }
        let of_texts = |edit: &Value| {
            let (old, new) = (text_of(edit, "old_string"), text_of(edit, "new_string"));
            Self::of_diff(
                &unified(("a", &format!("{old}\n")), ("b", &format!("{new}\n"))),
                false,
            )
        };
        if let Some(edits) = field(input, "edits").as_array() {
            let lines = edits.iter().flat_map(|edit| of_texts(edit).lines);
            return Some(Self {
                lines: lines.collect(),
            });
        }
        if input.get("old_string").is_some() || input.get("new_string").is_some() {
            return Some(of_texts(input));
        }
        let (before, after) = (
            field(meta, "originalFile").as_str()?,
            field(input, "content").as_str()?,
        );
        Some(Self::of_diff(&unified(("a", before), ("b", after)), true))
    }

    /// Reads the hunks that Claude Code stores.
    pub(super) fn of_hunks(hunks: &[Value]) -> Self {
        let mut lines = Vec::new();
        for hunk in hunks {
            let (old, new) = (number(hunk, "oldStart"), number(hunk, "newStart"));
            let (old, new) = (old.unwrap_or(0.0) as u64, new.unwrap_or(0.0) as u64);
            if !lines.is_empty() || old > 1 {
                lines.push(Changed::hunk(new));
            }
            let texts = list(field(hunk, "lines")).iter().map(text);
            add_lines(&mut lines, texts, old, new);
        }
        Self::marked(lines)
    }

    /// Reads a unified diff.
    fn of_diff(diff: &str, is_numbered: bool) -> Self {
        let mut lines = Vec::new();
        for hunk in diff.split("\n@@ ").skip(1) {
            let (head, rest) = hunk.split_once('\n').unwrap_or((hunk, ""));
            let start = |sign: char| {
                let number = head.split(' ').find_map(|part| part.strip_prefix(sign))?;
                number.split(',').next()?.parse::<u64>().ok()
            };
            let (old, new) = (start('-').unwrap_or(0), start('+').unwrap_or(0));
            if is_numbered && (!lines.is_empty() || old > 1) {
                lines.push(Changed::hunk(new));
            }
            let (old, new) = if is_numbered { (old, new) } else { (0, 0) };
            add_lines(&mut lines, rest.lines().map(str::to_owned), old, new);
        }
        Self::marked(lines)
    }

    /// Marks the changed part of each removed line and its successor, where as many lines were added as removed.
    fn marked(mut lines: Vec<Changed>) -> Self {
        let run = |lines: &[Changed], from: usize, sign| {
            lines[from..]
                .iter()
                .take_while(|line| line.sign == sign)
                .count()
        };
        let mut at = 0;
        while at < lines.len() {
            let removed = run(&lines, at, '-');
            let added = run(&lines, at + removed, '+');
            if removed == added {
                let (old, new) = lines[at..].split_at_mut(removed);
                old.iter_mut()
                    .zip(new)
                    .for_each(|(old, new)| mark(old, new));
            }
            at += (removed + added).max(1);
        }
        Self { lines }
    }

    pub(super) fn sums(&self) -> (usize, usize) {
        let of = |sign| self.lines.iter().filter(|line| line.sign == sign).count();
        (of('+'), of('-'))
    }

    /// Returns `+3 −1`.
    pub(super) fn count(&self) -> String {
        let (added, removed) = self.sums();
        format!("+{} −{}", grouped(added as u64), grouped(removed as u64))
    }

    pub(super) fn add(&self, body: &mut Markup, colours: Option<Colours>) {
        let lines = self.lines.iter().map(|line| line.shown(colours));
        lines::block(body, "pre.code.diff", &lines.collect::<Vec<_>>());
    }
}

impl Changed {
    fn hunk(new: u64) -> Self {
        let text = if new > 0 {
            format!("line {}", grouped(new))
        } else {
            "…".to_owned()
        };
        Self {
            sign: '@',
            number: 0,
            text,
            mark: None,
        }
    }

    fn shown(&self, colours: Option<Colours>) -> Line {
        let (class, sign) = match self.sign {
            '+' => ("div.line.added", "+"),
            '-' => ("div.line.removed", "−"),
            '@' => ("div.line.hunk", ""),
            _ => ("div.line", " "),
        };
        let mut text = Markup::default();
        text.leaf("span.sign", sign);
        match self.mark {
            Some((start, end)) => {
                text.text(&self.text[..start]);
                text.leaf("b", &self.text[start..end]);
                text.text(&self.text[end..]);
            }
            None => {
                for coloured in colour::lines(&self.text, colours.filter(|_| self.sign != '@')) {
                    text.append(&coloured);
                }
            }
        }
        let value = if self.number > 0 {
            self.number.to_string()
        } else {
            String::new()
        };
        Line { class, value, text }
    }
}

/// Adds the lines of a hunk; numbers of 0 are not known.
fn add_lines(
    lines: &mut Vec<Changed>,
    texts: impl Iterator<Item = String>,
    mut old: u64,
    mut new: u64,
) {
    let is_numbered = new > 0;
    for line in texts {
        let sign = line.chars().next().unwrap_or(' ');
        if sign == '\\' {
            continue;
        }
        let is_sign = matches!(sign, '+' | '-' | ' ');
        let text = if is_sign {
            line.get(1..).unwrap_or("")
        } else {
            &line
        };
        let sign = if is_sign { sign } else { ' ' };
        let number = if sign == '-' { old } else { new };
        let number = if is_numbered { number } else { 0 };
        lines.push(Changed {
            sign,
            number,
            text: without_sequences(text).into_owned(),
            mark: None,
        });
        old += u64::from(sign != '+');
        new += u64::from(sign != '-');
    }
}

/// Marks what is different in two lines, unless they have little in common.
fn mark(old: &mut Changed, new: &mut Changed) {
    let (a, b) = (&old.text, &new.text);
    let same = |(one, other): &(char, char)| one == other;
    let start: usize = a
        .chars()
        .zip(b.chars())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (a_rest, b_rest) = (&a[start..], &b[start..]);
    let ends = a_rest
        .chars()
        .rev()
        .zip(b_rest.chars().rev())
        .take_while(same);
    let end: usize = ends.map(|(c, _)| c.len_utf8()).sum();
    if (start + end) * 3 < a.len().min(b.len()) {
        return;
    }
    let (a_end, b_end) = (a.len() - end, b.len() - end);
    old.mark = (a_end > start).then_some((start, a_end));
    new.mark = (b_end > start).then_some((start, b_end));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(change: &Change) -> String {
        let mut markup = Markup::default();
        change.add(&mut markup, None);
        markup.bracketed().replace('\n', "")
    }

    #[test]
    fn a_change_is_lines_with_marks() {
        let hunks = json!([{"oldStart": 40, "newStart": 41, "lines": [" a", "-  round(1)", "+  cents(1)", " b"]}]);
        let change = Change::of_hunks(list(&hunks));
        assert_eq!(change.count(), "+1 −1");
        let expected = "{pre.code.diff:{div.line.hunk:{span.sign:}line 41}{div.line|41:{span.sign: }a}\
            {div.line.removed|41:{span.sign:−}  {b:round}(1)}{div.line.added|42:{span.sign:+}  {b:cents}(1)}\
            {div.line|43:{span.sign: }b}}";
        assert_eq!(shown(&change), expected);
        let change = Change::of_diff(&unified(("a", "x\ny\n"), ("b", "x\nz\n")), false);
        let expected = "{pre.code.diff:{div.line:{span.sign: }x}{div.line.removed:{span.sign:−}y}\
            {div.line.added:{span.sign:+}z}}";
        assert_eq!(shown(&change), expected);
    }
}
