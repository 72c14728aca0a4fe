//! Tapes in other forms: `tape import`, `export` and `svg`.

use crate::args::Given;
use crate::call::{Answer, is_elsewhere, written};
use crate::fields::Fields as _;
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn import(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    // The daemon reads a file itself, but not one of another host.
    let file = Path::new(args.text("file"));
    let is_sent = file == Path::new("-") || is_elsewhere();
    let mut params = args.params();
    let (program, words) = args.program();
    params["program"] = program.into();
    params["args"] = words.into();
    params["cast"] = is_sent.then(|| read_text(file)).transpose()?.into();
    let path = (!is_sent).then(|| caller::absolute(file)).transpose()?;
    params["path"] = path.into();
    context.show("tape.import", &params)
}

/// Prints a tape as an asciicast or as text, or writes it to a file.
pub(super) fn export(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let format = if args.has("transcript") {
        "transcript"
    } else {
        args.word("format").unwrap_or("asciicast-v3")
    };
    let params = json!({"root": args.at("root"), "tape": args.at("tape"), "format": format});
    let answer = exported(params, context)?;
    if answer.value.has("is_lossy") {
        context.note("bytes that are not UTF-8 were replaced");
    }
    write(&answer, "text", args.path("output"), context)
}

/// Returns an export of any length, which is requested in parts.
pub(super) fn exported(mut params: Value, context: &mut Context) -> Result<Answer<Value>, Failure> {
    params["from"] = 0.into();
    let mut whole = context.fetch("tape.export", &params)?;
    let mut next = whole.value["next"].as_u64();
    while let Some(from) = next {
        params["from"] = from.into();
        let part = context.fetch("tape.export", &params)?.value;
        for name in ["text", "text_b64"] {
            if let Some(Value::String(text)) = whole.value.get_mut(name) {
                text.push_str(part.text(name));
            }
        }
        next = part["next"].as_u64();
        if next.is_none() {
            if let Some(members) = whole.value.as_object_mut() {
                members.remove("next");
            }
            whole.json = written("tape.export", &whole.value)?;
        }
    }
    Ok(whole)
}

/// Writes the text at a path of a reply to a file; without one, prints it or, with `--json`, the reply.
fn write(
    answer: &Answer<Value>,
    path: &str,
    file: Option<&Path>,
    context: &mut Context,
) -> Result<Exit, Failure> {
    if context.global.json && file.is_none() {
        context.write_line(answer.json.get())?;
    } else {
        let text = answer.value.text(path).as_bytes();
        context.write_to(file.unwrap_or(Path::new("-")), text)?;
    }
    Ok(Exit::Done)
}

/// Prints an image of a tape, or writes it to a file.
pub(super) fn svg(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = args.params();
    let answer = context.fetch("tape.svg", &params)?;
    write(&answer, "svg", args.path("output"), context)
}
