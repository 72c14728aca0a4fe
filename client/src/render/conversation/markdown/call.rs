//! A call of a tool with its result.

use super::sheet::Sheet;
use crate::fields::Fields as _;
use crate::render::conversation::call::{diff, has_failed, is_edit, notes};
use crate::render::conversation::todo::{is_todos, todos};
use crate::render::{about, cut, joined, text};
use ccd_protocol::conversation::printed;
use serde_json::{Value, json};
use std::io;

/// Columns of what a call is about, in its heading.
const ABOUT: usize = 100;

pub(super) fn call(pair: &Value, sheet: &mut Sheet<'_>) -> io::Result<()> {
    let (tool, input) = (pair.text("toolUse.name"), pair.at("toolUse.input"));
    let (result, is_error) = (pair.at("toolResult"), has_failed(pair));
    let meta = result.at("meta");
    sheet.block(&[heading(pair, input)])?;
    write_input(tool, input, sheet)?;
    let changes = if is_error {
        Vec::new()
    } else {
        diff(tool, input, meta)
    };
    match () {
        () if !changes.is_empty() => {
            let lines = changes.iter().map(|(line, _)| line);
            sheet.fenced("diff", &joined("\n", lines))
        }
        () if result.is_null() => sheet.block(&["*No result.*".to_owned()]),
        () if !is_error && is_todos(meta) => {
            let todos = todos(meta);
            let lines = todos.iter().map(|todo| text("todo in Markdown", todo));
            let lines: Vec<String> = lines.collect();
            sheet.block(&lines)
        }
        () => sheet.fenced("", &printed(result.text("content"))),
    }
}

fn heading(pair: &Value, input: &Value) -> String {
    let tool = pair.text("toolUse.name");
    let is_shown = !is_long(input) && tool != "TodoWrite";
    let about = is_shown.then(|| cut(&about(input), ABOUT));
    let call =
        json!({"tool": tool, "about": about, "has_failed": has_failed(pair), "notes": notes(pair)});
    text("call in Markdown", &call)
}

/// True for a command that is written in a block of its own.
fn is_long(input: &Value) -> bool {
    let command = input.text("command");
    command.contains('\n') || command.len() > ABOUT
}

/// Writes what the heading does not say of a call's input.
fn write_input(tool: &str, input: &Value, sheet: &mut Sheet<'_>) -> io::Result<()> {
    match tool {
        _ if is_edit(tool) => Ok(()),
        "TodoWrite" | "Read" | "NotebookRead" | "LS" => Ok(()),
        "Bash" if is_long(input) => sheet.fenced("sh", input.text("command")),
        "Bash" => Ok(()),
        "Agent" | "Task" => sheet.said(input.text("prompt")),
        _ if input.as_object().is_some_and(|members| members.len() > 1) => {
            let json = serde_json::to_string_pretty(input).unwrap_or_default();
            sheet.fenced("json", &json)
        }
        _ => Ok(()),
    }
}
