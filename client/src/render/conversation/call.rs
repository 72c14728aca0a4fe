//! A call of a tool with its result, in lines.

use super::todo::{Todo, TodoChange, TodoState, is_todos, todos};
use crate::render::about;
use crate::render::{
    Colour, Line, counted, cut, on_one_line, readable, seconds, wrapped_at_spaces,
};
use ccd_protocol::conversation::{ConversationPair, ToolResult, printed};
use serde_json::Value;

/// Lines of a result that are shown unless all are wanted.
const FEW_LINES: usize = 5;

/// Lines of a diff that are shown unless all are wanted.
const DIFF_LINES: usize = 40;

/// Before each line of a result.
const MARGIN: &str = "    ";

/// Returns the lines of a call: what it was about, what its result says of itself, and the result.
pub(super) fn lines(pair: &ConversationPair, is_whole: bool, columns: usize) -> Vec<Line> {
    let mut lines = vec![heading(pair).cut(columns)];
    match &pair.tool_result {
        Some(_) => lines.extend(result(pair, is_whole, columns)),
        None => lines.push(Line::of(
            format!("{MARGIN}no result yet"),
            Some(Colour::Notice),
        )),
    }
    lines
}

/// Returns what a result says of itself in a line of its own, for one that comes after the heading of its call.
pub(super) fn notes_line(pair: &ConversationPair) -> Option<Line> {
    let notes = pair.tool_result.as_ref().map(notes)?;
    (!notes.is_empty()).then(|| Line::of(format!("{MARGIN}({notes})"), Some(Colour::Dim)))
}

/// Returns the lines of the result of a call; none if there is no result.
pub(super) fn result(pair: &ConversationPair, is_whole: bool, columns: usize) -> Vec<Line> {
    let input = input_of(pair);
    let mut lines = Vec::new();
    let Some(result) = &pair.tool_result else {
        return lines;
    };
    let meta = meta_of(result);
    let body = match () {
        () if result.is_error => text(&printed(&result.content), Some(Colour::Bad)),
        () if is_todos(&meta) => todo_lines(&meta),
        () => match diff(&pair.tool_use.name, &input, &meta) {
            diff if diff.is_empty() => text(&printed(&result.content), Some(Colour::Dim)),
            diff => diff,
        },
    };
    let limit = match (is_whole, is_todos(&meta) || is_edit(&pair.tool_use.name)) {
        (true, _) => usize::MAX,
        (false, true) => DIFF_LINES,
        (false, false) if is_quiet(&pair.tool_use.name) && !result.is_error => 0,
        (false, false) => FEW_LINES,
    };
    let count = body.len();
    // Of an error, the end says most.
    let skipped = count.saturating_sub(limit);
    let shown: Vec<Body> = if result.is_error {
        body.into_iter().skip(skipped).collect()
    } else {
        body.into_iter().take(limit).collect()
    };
    if skipped > 0 && result.is_error {
        lines.push(more(skipped));
    }
    for (part, colour) in shown {
        let room = columns.saturating_sub(MARGIN.len());
        let parts = if is_whole {
            wrapped_at_spaces(&part, room)
        } else {
            vec![cut(&part, room)]
        };
        lines.extend(
            parts
                .into_iter()
                .map(|part| Line::of(format!("{MARGIN}{part}"), colour)),
        );
    }
    if skipped > 0 && limit > 0 && !result.is_error {
        lines.push(more(skipped));
    }
    lines
}

pub(super) type Body = (String, Option<Colour>);

fn more(count: usize) -> Line {
    Line::of(
        format!("{MARGIN}… {}", counted(count as u64, "more line")),
        Some(Colour::Dim),
    )
}

pub(super) fn input_of(pair: &ConversationPair) -> Value {
    serde_json::from_str(pair.tool_use.input.get()).unwrap_or_default()
}

/// Returns what a call is about, and what its result says of itself.
pub(super) fn heading(pair: &ConversationPair) -> Line {
    let colour = if has_failed(pair) {
        Colour::Bad
    } else {
        Colour::Dim
    };
    let mut line = Line::of("• ", Some(colour));
    line.push(on_one_line(&pair.tool_use.name), Some(Colour::Heading));
    line.push(format!(" {}", on_one_line(&about(&input_of(pair)))), None);
    let notes = pair.tool_result.as_ref().map(notes).unwrap_or_default();
    if !notes.is_empty() {
        line.push(format!("  ({notes})"), Some(Colour::Dim));
    }
    line
}

pub(super) fn has_failed(pair: &ConversationPair) -> bool {
    let result = pair.tool_result.as_ref();
    result.is_some_and(|result| result.is_error)
}

/// Returns what Claude Code notes about a result; null if it does not.
pub(super) fn meta_of(result: &ToolResult) -> Value {
    let meta = result.meta.as_ref();
    meta.and_then(|meta| serde_json::from_str(meta.get()).ok())
        .unwrap_or_default()
}

/// Returns what a result's note says: lines of a file, a sub-agent's end, an interruption.
pub(super) fn notes(result: &ToolResult) -> String {
    let meta = meta_of(result);
    let mut notes = Vec::new();
    let number = |value: &Value| value.as_u64();
    let file = &meta["file"];
    if let (Some(start), Some(count)) = (number(&file["startLine"]), number(&file["numLines"])) {
        let end = (start + count).saturating_sub(1);
        let total =
            number(&file["totalLines"]).map_or_else(String::new, |all| format!(" of {all}"));
        notes.push(format!("lines {start}–{end}{total}"));
    }
    if let Some(status) = meta["status"].as_str() {
        notes.push(on_one_line(status));
    }
    if let Some(ms) = meta["totalDurationMs"].as_f64() {
        notes.push(seconds(ms / 1000.0));
    }
    for (key, what) in [
        ("totalTokens", "token"),
        ("totalToolUseCount", "call"),
        ("numFiles", "file"),
    ] {
        notes.extend(number(&meta[key]).map(|count| counted(count, what)));
    }
    if meta["interrupted"] == true {
        notes.push("interrupted".to_owned());
    }
    notes.join(", ")
}

/// Tools whose results are long and rarely what a reader wants.
fn is_quiet(tool: &str) -> bool {
    matches!(tool, "Read" | "Glob" | "LS" | "NotebookRead")
}

pub(super) fn is_edit(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
}

fn text(text: &str, colour: Option<Colour>) -> Vec<Body> {
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
    let line = |todo: Todo| {
        let mark = match (&todo.change, todo.state) {
            (TodoChange::Removed, _) => "   ",
            (_, TodoState::Completed) => "[x]",
            (_, TodoState::InProgress) => "[~]",
            (_, TodoState::Pending) => "[ ]",
        };
        let colour = match todo.change {
            TodoChange::None => Colour::Dim,
            TodoChange::Added => Colour::Good,
            TodoChange::Removed => Colour::Bad,
            TodoChange::Moved(..) => Colour::Notice,
        };
        let text = format!("{mark} {}{}", todo.content, todo.note());
        (text, Some(colour))
    };
    todos(meta).into_iter().map(line).collect()
}
