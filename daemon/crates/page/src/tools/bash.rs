//! Bash: the command, its output and its exit status.

use super::{Call, Shown, add_file, line_count, other_inputs};
use crate::colour::Colours;
use crate::shown::bytes;
use crate::value::{field, is, list, number, text_of};
use crate::{lines, shown};

pub(super) fn show(call: &Call<'_>) -> Shown {
    let (input, meta) = (call.input, call.meta());
    let command = text_of(input, "command");
    let mut shown = Shown {
        target: command.clone(),
        ..Shown::default()
    };
    let body = &mut shown.body;
    let description = text_of(input, "description");
    if !description.is_empty() {
        body.note(&description);
    }
    let mut typed =
        crate::colour::lines(&format!("$ {command}"), Colours::of_name("sh")).into_iter();
    let line = |text| lines::Line {
        class: "div.line",
        value: String::new(),
        text,
    };
    lines::block(
        body,
        "pre.code.command",
        &typed.by_ref().map(line).collect::<Vec<_>>(),
    );
    body.facts(&other_inputs(input, &["command", "description"]));
    let exit = exit_status(call);
    let output = output(call);
    add_output(call, &output, body);
    let saved = text_of(meta, "persistedOutputPath");
    let saved = match number(meta, "persistedOutputSize") {
        Some(len) if !saved.is_empty() => format!("{saved} ({})", bytes(len)),
        _ => saved,
    };
    body.facts(&[
        (
            "exit status",
            exit.filter(|exit| *exit != 0)
                .map(|exit| exit.to_string())
                .unwrap_or_default(),
        ),
        (
            "interrupted",
            if is(meta, "interrupted") {
                "yes".to_owned()
            } else {
                String::new()
            },
        ),
        ("background task", text_of(meta, "backgroundTaskId")),
        ("whole output", saved),
        ("means", text_of(meta, "returnCodeInterpretation")),
    ]);
    for file in list(field(field(meta, "bashEditDiff"), "files")) {
        let change = super::change::Change::of_hunks(list(field(file, "hunks")));
        let kind = ["created", "deleted"]
            .into_iter()
            .find(|kind| is(file, kind));
        let detail = format!("{} {}", kind.unwrap_or("changed"), change.count());
        let path = text_of(file, "filePath");
        add_file(body, &path, &detail);
        change.add(body, None);
        let (added, removed) = change.sums();
        shown.changed.push((path, added, removed));
    }
    shown.outcome = match exit {
        _ if call.result.is_none() => String::new(),
        _ if is(meta, "interrupted") => "interrupted".to_owned(),
        _ if !field(meta, "backgroundTaskId").is_null() => "in background".to_owned(),
        Some(exit) if exit != 0 => format!("exit {exit}"),
        _ if call.is_error() => String::new(),
        _ => line_count(&output),
    };
    shown
}

/// Returns the exit status, if anything says it.
fn exit_status(call: &Call<'_>) -> Option<i64> {
    let meta = call.meta();
    let names = ["exitCode", "exit_code", "returnCode"];
    let noted = names.iter().find_map(|name| field(meta, name).as_i64());
    let text = call.result_text();
    let start = text
        .strip_prefix("Error: ")
        .unwrap_or(&text)
        .strip_prefix("Exit code ");
    let printed = start.and_then(|rest| rest.lines().next()?.trim().parse().ok());
    noted.or(printed)
}

fn output(call: &Call<'_>) -> String {
    let meta = call.meta();
    if call.is_done() && field(meta, "stdout").is_string() {
        return format!("{}{}", text_of(meta, "stdout"), text_of(meta, "stderr"));
    }
    let text = call.result_text();
    match text
        .strip_prefix("Exit code ")
        .and_then(|rest| rest.split_once('\n'))
    {
        Some((_, output)) => output.to_owned(),
        None if text.starts_with("Exit code ") => String::new(),
        None => text,
    }
}

fn add_output(call: &Call<'_>, output: &str, body: &mut crate::markup::Markup) {
    let meta = call.meta();
    if call.result.is_none() {
        return call.add_result(body);
    }
    let is_picture = is(meta, "isImage");
    if output.trim().is_empty() || is_picture {
        if is_picture || !field(meta, "backgroundTaskId").is_null() {
            call.add_result(body);
        } else {
            body.note("No output.");
        }
    } else if call.is_error() {
        lines::failure(body, output);
    } else if field(meta, "stdout").is_string() {
        let (out, err) = (text_of(meta, "stdout"), text_of(meta, "stderr"));
        if !out.is_empty() {
            lines::plain_text(body, &out, "pre.text");
        }
        if !err.is_empty() {
            body.note(&format!(
                "Standard error, {}",
                shown::plural(err.lines().count(), "line")
            ));
            lines::plain_text(body, &err, "pre.text.failed");
        }
    } else {
        lines::plain_text(body, output, "pre.text");
    }
}
