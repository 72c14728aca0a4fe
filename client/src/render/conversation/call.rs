//! A call of a tool with its result, in lines.

use super::todo::{is_todos, todos};
use crate::fields::Fields as _;
use crate::render::{
    Colour, Line, Style, counted, cut, readable, text, text_line, wrapped_at_spaces,
};
use ccd_protocol::conversation::printed;
use serde_json::Value;

/// Lines of a result that are shown unless all are wanted.
const FEW_LINES: usize = 5;

/// Lines of a diff that are shown unless all are wanted.
const DIFF_LINES: usize = 40;

/// Before each line of a result.
const MARGIN: &str = "    ";

/// Returns the lines of a call: what it was about, what its result says of itself, and the result.
pub(super) fn lines(pair: &Value, is_whole: bool, columns: usize) -> Vec<Line> {
    let mut lines = vec![heading(pair).cut(columns)];
    if pair.has("toolResult") {
        lines.extend(result(pair, is_whole, columns));
    } else {
        let text = format!("{MARGIN}no result yet");
        lines.push(Line::of(text, Some(Colour::Notice)));
    }
    lines
}

/// Returns what a result says of itself in a line of its own, for one that comes after the heading of its call.
pub(super) fn notes_line(pair: &Value) -> Option<Line> {
    let notes = notes(pair);
    (!notes.is_empty()).then(|| Line::of(format!("{MARGIN}({notes})"), Some(Colour::Dim)))
}

/// Returns the lines of the result of a call; none if there is no result.
pub(super) fn result(pair: &Value, is_whole: bool, columns: usize) -> Vec<Line> {
    let (result, tool) = (pair.at("toolResult"), pair.text("toolUse.name"));
    let (meta, is_error) = (result.at("meta"), has_failed(pair));
    let plain = |colour| body(&printed(result.text("content")), Some(colour));
    let mut body = match () {
        () if result.is_null() => Vec::new(),
        () if is_error => plain(Colour::Bad),
        () if is_todos(meta) => todo_lines(meta),
        () => match diff(tool, pair.at("toolUse.input"), meta) {
            diff if diff.is_empty() => plain(Colour::Dim),
            diff => diff,
        },
    };
    let limit = match (is_whole, is_todos(meta) || is_edit(tool)) {
        (true, _) => usize::MAX,
        (false, true) => DIFF_LINES,
        (false, false) if is_quiet(tool) && !is_error => 0,
        (false, false) => FEW_LINES,
    };
    let skipped = body.len().saturating_sub(limit);
    // Of an error, the end says most.
    if is_error {
        body.drain(..skipped);
    }
    body.truncate(limit);
    let room = columns.saturating_sub(MARGIN.len());
    let shown = body.into_iter().flat_map(|(part, colour)| {
        let parts = if is_whole {
            wrapped_at_spaces(&part, room)
        } else {
            vec![cut(&part, room)]
        };
        let line = move |part| Line::of(format!("{MARGIN}{part}"), colour);
        parts.into_iter().map(line)
    });
    let mut lines: Vec<Line> = shown.collect();
    if skipped > 0 && limit > 0 {
        let more = format!("{MARGIN}… {}", counted(skipped as u64, "more line"));
        let at = if is_error { 0 } else { lines.len() };
        lines.insert(at, Line::of(more, Some(Colour::Dim)));
    }
    lines
}

pub(super) type Body = (String, Option<Colour>);

/// Returns what a call is about, and what its result says of itself.
pub(super) fn heading(pair: &Value) -> Line {
    let mut call = pair.clone();
    call["notes"] = notes(pair).into();
    text_line("call", &call, Style::default())
}

pub(super) fn has_failed(pair: &Value) -> bool {
    pair.has("toolResult.isError")
}

/// Returns what the note of a result says: lines of a file, a sub-agent's end, an interruption.
pub(super) fn notes(pair: &Value) -> String {
    let mut meta = pair.at("toolResult.meta").clone();
    let file = |name: &str| meta.at("file").at(name).as_u64();
    if let (Some(start), Some(count)) = (file("startLine"), file("numLines")) {
        meta["file"]["endLine"] = (start + count).saturating_sub(1).into();
    }
    let notes = text("notes of a result", &meta);
    notes.strip_prefix(", ").unwrap_or(&notes).to_owned()
}

/// Tools whose results are long and rarely what a reader wants.
fn is_quiet(tool: &str) -> bool {
    matches!(tool, "Read" | "Glob" | "LS" | "NotebookRead")
}

pub(super) fn is_edit(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

fn body(text: &str, colour: Option<Colour>) -> Vec<Body> {
    let text = readable(text);
    text.trim_end()
        .lines()
        .map(|line| (line.replace('\t', "    "), colour))
        .collect()
}

/// Returns the diff of an edit; nothing for other tools.
pub(super) fn diff(tool: &str, input: &Value, meta: &Value) -> Vec<Body> {
    if !is_edit(tool) {
        return Vec::new();
    }
    let hunks = meta["structuredPatch"]
        .as_array()
        .filter(|hunks| !hunks.is_empty());
    if let Some(hunks) = hunks {
        let lines = hunks
            .iter()
            .flat_map(|hunk| hunk["lines"].as_array().into_iter().flatten());
        return lines.filter_map(Value::as_str).map(diff_line).collect();
    }
    let marked = |text: &Value, mark: &str| {
        let text = text.as_str().unwrap_or_default();
        text.lines()
            .map(|line| diff_line(&format!("{mark}{line}")))
            .collect::<Vec<_>>()
    };
    let edits = match input["edits"].as_array() {
        Some(edits) => edits.iter().collect(),
        None => vec![input],
    };
    let edits = edits.into_iter().flat_map(|edit| {
        [
            marked(&edit["old_string"], "-"),
            marked(&edit["new_string"], "+"),
        ]
        .concat()
    });
    edits.chain(marked(&input["content"], "+")).collect()
}

fn diff_line(line: &str) -> Body {
    let colour = match line.as_bytes().first() {
        Some(b'+') => Some(Colour::Good),
        Some(b'-') => Some(Colour::Bad),
        _ => Some(Colour::Dim),
    };
    (readable(line).replace('\t', "    "), colour)
}

/// Returns the list of things to do, with what has changed.
fn todo_lines(meta: &Value) -> Vec<Body> {
    let line = |todo: &Value| {
        let colour = match todo.text("change") {
            "added" => Colour::Good,
            "removed" => Colour::Bad,
            "moved" => Colour::Notice,
            _ => Colour::Dim,
        };
        (text("todo", todo), Some(colour))
    };
    todos(meta).iter().map(line).collect()
}
