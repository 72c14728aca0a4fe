//! Imports an asciicast as a tape.

use super::builder::Builder;
use super::event::{each_output, event, is_torn};
use super::fault::{CastError, CastFault, MAX_CAST_BYTES};
use super::header::Header;
use crate::format::{FORMAT, Meta, RecordedBy, Tape};
use ccd_base::json5::{BOM, place};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Maximum number of header fields that a warning names.
const MAX_NAMES: usize = 16;

/// Information that the asciicast lacks, or that replaces its own.
#[derive(Debug, Clone, Default)]
pub struct CastFacts {
    /// The recorded program; `None`: as in the asciicast.
    pub program: Option<String>,
    /// Arguments of `program`.
    pub args: Vec<String>,
    /// `None`: its title.
    pub tag: Option<String>,
    /// The recording time, if it has none.
    pub now: String,
    /// The program that makes the tape.
    pub recorder: RecordedBy,
}

/// A tape without prompts, state hashes and variables, and with any secrets of the asciicast.
#[derive(Debug)]
pub struct Imported {
    pub tape: Tape,
    /// Parts of the asciicast for which tapes have no place.
    pub warnings: Vec<String>,
}

/// Makes a tape from an asciicast of version 1, 2 or 3.
/// Each input (`i`) opens an exchange; keys that are only followed by their echo are joined with the next ones. Without
/// inputs, all output belongs to the start of the program. Nothing after an exit (`x`) is read.
/// An incomplete last line is skipped with a warning.
pub fn import(bytes: &[u8], facts: CastFacts) -> Result<Imported, CastError> {
    if bytes.len() > MAX_CAST_BYTES {
        return Err(CastError::TooLarge);
    }
    let text = text_of(bytes)?;
    if text.trim_start_matches(BOM).trim().is_empty() {
        return Err(CastError::Empty);
    }
    let header = Header::parse(text).map_err(|stop| CastError::from_stop(stop, text, 0))?;
    let refused = |fault| CastError::at(text.as_bytes(), header.start, fault);
    let size = header.size.ok_or_else(|| refused(CastFault::NoSize))?;
    let mut builder = Builder::new(size.cols);
    match header.version {
        1 => {
            let stdout = header.stdout.ok_or_else(|| refused(CastFault::NoStdout))?;
            each_output(text, stdout, |delay_us, event| {
                builder.pass(delay_us);
                builder.event(event);
            })
            .map_err(|stop| CastError::from_stop(stop, text, 0))?;
            let rest = text.get(header.end..).unwrap_or_default();
            if !rest.trim().is_empty() {
                let after = text.len() - rest.trim_start().len();
                return Err(CastError::at(text.as_bytes(), after, CastFault::After));
            }
        }
        2 | 3 => read_events(text, &header, &mut builder)?,
        other => return Err(refused(CastFault::Version(other))),
    }
    let mut warnings = Vec::new();
    let session = RecordedBy {
        format: FORMAT,
        ..facts.recorder.clone()
    };
    let meta = meta_of(header, facts, &mut warnings)?;
    let exchanges = builder.finish(&mut warnings);
    Ok(Imported {
        tape: Tape {
            meta,
            session,
            exchanges,
        },
        warnings,
    })
}

/// Returns the text, without a character that was cut at its end: then its last line is incomplete.
fn text_of(bytes: &[u8]) -> Result<&str, CastError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            Ok(std::str::from_utf8(whole).unwrap_or_default())
        }
        Err(error) => Err(CastError::at(
            bytes,
            error.valid_up_to(),
            CastFault::NotUtf8,
        )),
    }
}

fn read_events(text: &str, header: &Header, builder: &mut Builder) -> Result<(), CastError> {
    let mut at = header.end;
    let (mut is_header, mut is_first) = (true, true);
    let lines = text.get(at..).unwrap_or_default();
    for line in lines.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let shown = line.trim();
        if shown.is_empty() || (shown.starts_with('#') && !is_header) {
            is_header = false;
            continue;
        }
        if is_header {
            let blanks = line.len() - line.trim_start().len();
            let at = begin + blanks;
            return Err(CastError::at(text.as_bytes(), at, CastFault::Follows));
        }
        let (time_us, event) = match event(line.trim_end()) {
            Ok(event) => event,
            // If nothing else is left, the tape would be empty.
            Err(_) if at == text.len() && !line.ends_with('\n') && !is_first && is_torn(line) => {
                let number = line_number(text, begin);
                builder.warn(format!(
                    "line {number}, the last one, is incomplete and not imported"
                ));
                return Ok(());
            }
            Err(stop) => return Err(CastError::from_stop(stop, text, begin)),
        };
        is_first = false;
        match header.version {
            2 => builder.go_to(time_us),
            _ => builder.pass(time_us),
        }
        builder.event(event);
        if builder.has_ended() {
            break;
        }
    }
    let after = text.get(at..).unwrap_or_default();
    if !after.trim().is_empty() {
        let number = line_number(text, at + after.len() - after.trim_start().len());
        builder.warn(format!(
            "not imported, because the program had exited: line {number} and everything after it"
        ));
    }
    Ok(())
}

fn line_number(text: &str, offset: usize) -> u64 {
    place(text.as_bytes(), offset).0
}

fn meta_of(
    header: Header,
    facts: CastFacts,
    warnings: &mut Vec<String>,
) -> Result<Meta, CastError> {
    let len = MAX_NAMES.min(header.unplaced.len());
    let (named, others) = header.unplaced.split_at(len);
    if !named.is_empty() {
        let others = match others.len() {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        let named = named.join(", ");
        warnings.push(format!(
            "not imported, because tapes have no place for it: {named}{others}"
        ));
    }
    let (program, args) = match facts.program {
        Some(program) => (program, facts.args),
        None => command_of(header.command.as_deref(), header.shell.as_deref(), warnings)?,
    };
    let timestamp = header.timestamp.map(|timestamp| timestamp as i64);
    let time = timestamp.and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok());
    let created_at = time.and_then(|time| time.format(&Rfc3339).ok());
    // A tape with variables only plays where all of them are equal; without any, it plays anywhere.
    Ok(Meta {
        created_at: created_at.unwrap_or(facts.now),
        program,
        args,
        pty: header.size,
        tag: facts.tag.or(header.title).filter(|tag| !tag.is_empty()),
        ..Meta::default()
    })
}

fn command_of(
    command: Option<&str>,
    shell: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<(String, Vec<String>), CastError> {
    match (command.filter(|command| !command.is_empty()), shell) {
        (Some(command), _) => {
            let found = ccd_base::shell::split(command).map_err(CastError::Command)?;
            if found.needs_shell.is_some() {
                let args = vec!["-c".to_owned(), command.to_owned()];
                return Ok(("sh".to_owned(), args));
            }
            let mut words = found.words.into_iter();
            let program = words.next().ok_or(CastError::NoProgram)?;
            Ok((program, words.collect()))
        }
        (None, Some(shell)) if !shell.is_empty() => {
            warnings.push(format!(
                "the asciicast names no command: it is imported as a recording of {shell}, its SHELL"
            ));
            Ok((shell.to_owned(), Vec::new()))
        }
        _ => Err(CastError::NoProgram),
    }
}
