//! Tapes in other forms: `tape import`, `export` and `svg`.

use super::{named, root};
use crate::args::{TapeExportArgs, TapeImportArgs, TapeSvgArgs, params};
use crate::call::is_elsewhere;
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::tape::{
    TapeExport, TapeExportParams, TapeFormat, TapeImport, TapeImportParams, TapeSvg, TapeSvgParams,
};
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
    let answer = context.call::<TapeImport>(&params)?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out| writeln!(out, "{}", reply.tape_id))
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
    };
    let answer = context.call::<TapeExport>(&params)?;
    if answer.value.is_lossy {
        context.note("bytes that are not UTF-8 were replaced");
    }
    let file = args.output.as_deref().unwrap_or(Path::new("-"));
    if context.global.json && args.output.is_none() {
        context.write_line(answer.json.get())?;
    } else {
        context.write_to(file, answer.value.text.as_bytes())?;
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
    let answer = context.call::<TapeSvg>(&params)?;
    let file = args.output.as_deref().unwrap_or(Path::new("-"));
    if context.global.json && args.output.is_none() {
        context.write_line(answer.json.get())?;
    } else {
        context.write_to(file, answer.value.svg.as_bytes())?;
    }
    Ok(Exit::Done)
}
