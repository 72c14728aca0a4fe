//! A call of a tool with its result.

use super::inline::{code, plain};
use super::sheet::Sheet;
use crate::render::about;
use crate::render::conversation::call::{diff, has_failed, input_of, is_edit, meta_of, notes};
use crate::render::conversation::todo::{Todo, TodoChange, TodoState, is_todos, todos};
use crate::render::cut;
use ccd_protocol::conversation::{ConversationPair, printed};
use serde_json::Value;
use std::io;

/// Columns of what a call is about, in its heading.
const ABOUT: usize = 100;

pub(super) fn call(pair: &ConversationPair, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let input = input_of(pair);
    let tool = pair.tool_use.name.as_str();
    let meta = pair.tool_result.as_ref().map(meta_of).unwrap_or_default();
    let is_error = has_failed(pair);
    sheet.block(&[heading(pair, &input, is_error)])?;
    write_input(tool, &input, sheet)?;
    let changes = if is_error {
        Vec::new()
    } else {
        diff(tool, &input, &meta)
    };
    match &pair.tool_result {
        _ if !changes.is_empty() => {
            let lines: Vec<&str> = changes.iter().map(|(line, _)| line.as_str()).collect();
            sheet.fenced("diff", &lines.join("\n"))
        }
        None => sheet.block(&["*No result.*".to_owned()]),
        Some(_) if !is_error && is_todos(&meta) => {
            let lines: Vec<String> = todos(&meta).iter().map(task).collect();
            sheet.block(&lines)
        }
        Some(result) => sheet.fenced("", &printed(&result.content)),
    }
}

fn heading(pair: &ConversationPair, input: &Value, is_error: bool) -> String {
    let mut parts = vec![format!("**{}**", plain(&pair.tool_use.name))];
    let about = code(&cut(&about(input), ABOUT));
    if !about.is_empty() && !is_long(input) && pair.tool_use.name != "TodoWrite" {
        parts[0] = format!("{} {about}", parts[0]);
    }
    if is_error {
        parts.push("**failed**".to_owned());
    }
    let notes = pair.tool_result.as_ref().map(notes).unwrap_or_default();
    if !notes.is_empty() {
        parts.push(plain(&notes));
    }
    parts.join(" · ")
}

/// True for a command that is written in a block of its own.
fn is_long(input: &Value) -> bool {
    input["command"]
        .as_str()
        .is_some_and(|command| command.contains('\n') || command.len() > ABOUT)
}

/// Writes what the heading does not say of a call's input.
fn write_input(tool: &str, input: &Value, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let text = |name: &str| input[name].as_str().unwrap_or_default();
    match tool {
        _ if is_edit(tool) => Ok(()),
        "TodoWrite" | "Read" | "NotebookRead" | "LS" => Ok(()),
        "Bash" if is_long(input) => sheet.fenced("sh", text("command")),
        "Bash" => Ok(()),
        "Agent" | "Task" => sheet.said(text("prompt")),
        _ if input.as_object().is_some_and(|members| members.len() > 1) => {
            let json = serde_json::to_string_pretty(input).unwrap_or_default();
            sheet.fenced("json", &json)
        }
        _ => Ok(()),
    }
}

fn task(todo: &Todo) -> String {
    let (content, note) = (plain(&todo.content), plain(&todo.note()));
    let mark = match todo.state {
        TodoState::Completed => 'x',
        TodoState::InProgress | TodoState::Pending => ' ',
    };
    let content = match (todo.state, &todo.change) {
        (_, TodoChange::Removed) => format!("~~{content}~~"),
        (TodoState::InProgress, _) => format!("**{content}**"),
        _ => content,
    };
    if note.is_empty() {
        format!("- [{mark}] {content}")
    } else {
        format!("- [{mark}] {content} {note}")
    }
}
