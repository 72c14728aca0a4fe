//! Tapes in other forms: `tape import`, `export` and `svg`.

use super::{named, root};
use crate::args::{TapeExportArgs, TapeImportArgs, TapeSvgArgs};
use crate::{Context, Exit, Failure, caller, whole_file};
use ccd_protocol::tape::{
    TapeExport, TapeExportParams, TapeFormat, TapeImport, TapeImportParams, TapeSvg, TapeSvgParams,
};
use std::io::{self, Read as _};
use std::path::Path;

/// Longest asciicast from standard input: the most that the daemon accepts in one request.
const MAX_INPUT_BYTES: u64 = 16 << 20;

/// Converts an asciicast into a tape and prints its id.
///
/// # Errors
///
/// Errors of the file and of the call.
pub(super) fn import(args: &TapeImportArgs, context: &mut Context) -> Result<Exit, Failure> {
    let is_stdin = args.file == Path::new("-");
    let mut program = args.program.iter().cloned();
    let params = TapeImportParams {
        root: root(&args.root)?,
        cast: is_stdin.then(standard_input).transpose()?,
        path: (!is_stdin)
            .then(|| caller::absolute(&args.file))
            .transpose()?,
        program: program.next(),
        args: program.collect(),
        tag: args.tag.clone(),
        redact: args.no_redact.then_some(false),
    };
    let answer = context.call::<TapeImport>(&params)?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out, _| writeln!(out, "{}", reply.tape_id))
}

fn standard_input() -> Result<String, Failure> {
    let name = "standard input";
    let mut bytes = Vec::new();
    let read = io::stdin()
        .lock()
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes);
    read.map_err(|source| Failure::Io {
        what: name.to_owned(),
        source,
    })?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(Failure::Usage(format!(
            "{name} is longer than {MAX_INPUT_BYTES} bytes; give a file"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{name} is not UTF-8")))
}

/// Prints a tape as an asciicast or as text, or writes it to a file.
///
/// # Errors
///
/// Errors of the call and of the file.
pub(super) fn export(args: &TapeExportArgs, context: &mut Context) -> Result<Exit, Failure> {
    let format = match args.transcript {
        true => TapeFormat::Transcript,
        false => args.format.unwrap_or_default(),
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
    if context.global.json && args.output.is_none() {
        context.write_line(answer.json.get())?;
    } else {
        put(args.output.as_deref(), &answer.value.text, context)?;
    }
    Ok(Exit::Done)
}

/// Prints an image of a tape, or writes it to a file.
///
/// # Errors
///
/// Errors of the call and of the file.
pub(super) fn svg(args: &TapeSvgArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = TapeSvgParams {
        root: root(&args.of.root)?,
        tape: named(&args.of.tape)?,
        animated: args.animated,
        exchange: args.exchange,
        speed: args.speed,
        idle_limit_s: args.idle_limit,
    };
    let answer = context.call::<TapeSvg>(&params)?;
    if context.global.json && args.output.is_none() {
        context.write_line(answer.json.get())?;
    } else {
        put(args.output.as_deref(), &answer.value.svg, context)?;
    }
    Ok(Exit::Done)
}

fn put(file: Option<&Path>, text: &str, context: &mut Context) -> Result<(), Failure> {
    match file.filter(|file| *file != Path::new("-")) {
        None => context.write_bytes(text.as_bytes()),
        Some(file) => whole_file::write(file, text.as_bytes()).map_err(Failure::io(file.display())),
    }
}
