//! Tapes in other forms: `tape import`, `export` and `svg`.

use super::{named, root};
use crate::args::{TapeExportArgs, TapeImportArgs, TapeSvgArgs, params};
use crate::call::{Answer, is_elsewhere, written};
use crate::fields::Fields as _;
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::tape::{
    TapeExport, TapeExportParams, TapeFormat, TapeImport, TapeImportParams, TapeSvg, TapeSvgParams,
};
use serde_json::Value;
use std::path::Path;

pub(super) fn import(args: &TapeImportArgs, context: &mut Context) -> Result<Exit, Failure> {
    // The daemon reads a file itself, but not one of another host.
    let is_sent = args.file == Path::new("-") || is_elsewhere();
    let mut program = args.program.iter().cloned();
    let params = TapeImportParams {
        root: root(&args.root)?,
        cast: is_sent.then(|| read_text(&args.file)).transpose()?,
        path: (!is_sent)
            .then(|| caller::absolute(&args.file))
            .transpose()?,
        program: program.next(),
        args: program.collect(),
        tag: args.tag.clone(),
        redact: args.no_redact.then_some(false),
    };
    context.show::<TapeImport>(&params)
}

/// Prints a tape as an asciicast or as text, or writes it to a file.
pub(super) fn export(args: &TapeExportArgs, context: &mut Context) -> Result<Exit, Failure> {
    let format = if args.transcript {
        TapeFormat::Transcript
    } else {
        args.format.unwrap_or_default()
    };
    let params = TapeExportParams {
        root: root(&args.of.root)?,
        tape: named(&args.of.tape)?,
        format,
        from: Some(0),
    };
    let answer = exported(params, context)?;
    if answer.value.has("is_lossy") {
        context.note("bytes that are not UTF-8 were replaced");
    }
    write(&answer, "text", args.output.as_deref(), context)
}

/// Returns an export of any length, which is requested in parts.
pub(super) fn exported(
    mut params: TapeExportParams,
    context: &mut Context,
) -> Result<Answer<Value>, Failure> {
    let mut whole = context.fetch::<TapeExport>(&params)?;
    let mut next = whole.value["next"].as_u64();
    while let Some(from) = next {
        params.from = Some(from);
        let part = context.fetch::<TapeExport>(&params)?.value;
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
            whole.json = written(TapeExport::NAME, &whole.value)?;
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
pub(super) fn svg(args: &TapeSvgArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(TapeSvgParams { animated, exchange, speed } of args,
        root: root(&args.of.root)?,
        tape: named(&args.of.tape)?,
        idle_limit_s: args.idle_limit,
        end_pause_s: args.end_pause,
    );
    let answer = context.fetch::<TapeSvg>(&params)?;
    write(&answer, "svg", args.output.as_deref(), context)
}
