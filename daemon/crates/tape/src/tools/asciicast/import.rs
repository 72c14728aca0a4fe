//! Imports an asciicast as a tape.

use super::{MARKERS, Marker};
use crate::format::{
    Chunk, Exchange, FORMAT, InputKind, Meta, PtySize, Recorder, Stream, Tape, TypedInput,
};
use crate::tools::plain::shown;
use ccd_protocol::tape::TapeExit;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Maximum size of an asciicast.
pub const MAX_CAST_BYTES: usize = 64 << 20;

/// Maximum time of an event: no recording takes a year.
const MAX_TIME_S: f64 = 366.0 * 24.0 * 60.0 * 60.0;

/// Maximum number of unsupported event kinds that are reported separately.
const MAX_KINDS: usize = 16;

/// Maximum length of an input without Enter; the rest is another input.
const MAX_GATHERED_BYTES: usize = 1024;

/// How many bytes an echo may have per typed byte: a line editor moves the cursor.
const ECHO_FACTOR: usize = 4;

/// Replaces hidden input.
const MASK: &str = "***";

/// Why an asciicast was not imported.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum CastError {
    #[error("the asciicast exceeds {} MiB", MAX_CAST_BYTES >> 20)]
    TooLarge,
    #[error("the asciicast is empty")]
    Empty,
    #[error("line {line} of the asciicast is not UTF-8: unpack a compressed asciicast first")]
    NotText { line: usize },
    #[error("line 1 is not the header of an asciicast: {0}")]
    Header(String),
    #[error(
        "the asciicast has version {0}: only versions 2 and 3 can be imported; convert it with asciinema convert"
    )]
    Version(u64),
    #[error(
        "the asciicast has a terminal of {cols} columns and {rows} rows: 1 to 65535 are allowed"
    )]
    Size { cols: u64, rows: u64 },
    #[error("line {line} of the asciicast is not an event [time, code, data]: {message}")]
    Event { line: usize, message: String },
    #[error("line {line} of the asciicast has a time of {time} s: 0 to one year is allowed")]
    Time { line: usize, time: f64 },
    #[error(
        "the asciicast does not name the recorded program: give `program`, on the command line after --"
    )]
    NoProgram,
    #[error(
        "the asciicast's command cannot be used ({0}): give `program` and `args`, on the command line after --"
    )]
    Command(String),
}

/// Information that the asciicast lacks, or that replaces its own.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The recorded program; `None`: as in the asciicast.
    pub program: Option<String>,
    /// Arguments of `program`.
    pub args: Vec<String>,
    /// `None`: its title.
    pub tag: Option<String>,
    /// The recording time, if it has none.
    pub now: String,
    /// The program that makes the tape.
    pub recorder: Recorder,
}

/// A tape without prompts and state hashes, and with any secrets of the asciicast.
#[derive(Debug)]
pub struct Imported {
    pub tape: Tape,
    /// Parts of the asciicast that a tape cannot contain.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Header {
    version: u64,
    width: Option<u64>,
    height: Option<u64>,
    term: Option<Term>,
    timestamp: Option<f64>,
    command: Option<String>,
    title: Option<String>,
    #[serde(default)]
    env: Option<BTreeMap<String, Option<String>>>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Term {
    cols: u64,
    rows: u64,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Makes a tape from an asciicast.
///
/// Each input (`i`) opens an exchange; keys that are only followed by their echo are joined with the next ones. Without
/// inputs, all output belongs to the start of the program.
///
/// # Errors
///
/// [`CastError`]; an incomplete last line is skipped with a warning.
pub fn import(bytes: &[u8], facts: Facts) -> Result<Imported, CastError> {
    if bytes.len() > MAX_CAST_BYTES {
        return Err(CastError::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = lines(bytes);
    let first = lines.next().ok_or(CastError::Empty)?.1?;
    let header: Header =
        serde_json::from_str(first).map_err(|error| CastError::Header(in_short(&error)))?;
    let mut warnings = Vec::new();
    let is_v3 = match header.version {
        2 => false,
        3 => true,
        other => return Err(CastError::Version(other)),
    };
    let meta = meta_of(header, facts.clone(), &mut warnings)?;
    let mut builder = Builder {
        cols: meta.pty.map(|pty| pty.cols),
        ..Builder::default()
    };
    builder.read(lines, is_v3)?;
    let exchanges = builder.finish(&mut warnings);
    let session = Recorder {
        format: FORMAT,
        ..facts.recorder
    };
    Ok(Imported {
        tape: Tape {
            meta,
            session,
            exchanges,
        },
        warnings,
    })
}

/// Returns the lines that are not blank, with their numbers.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<&str, CastError>)> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    lines.map(|(number, line)| {
        let text = std::str::from_utf8(line);
        (
            number,
            text.map_err(|_| CastError::NotText { line: number }),
        )
    })
}

fn meta_of(header: Header, facts: Facts, warnings: &mut Vec<String>) -> Result<Meta, CastError> {
    let (cols, rows) = match (&header.term, header.width, header.height) {
        (Some(term), _, _) => (term.cols, term.rows),
        (None, Some(width), Some(height)) => (width, height),
        _ => return Err(CastError::Header("it has no terminal size".into())),
    };
    let pty = match (u16::try_from(cols), u16::try_from(rows)) {
        (Ok(cols @ 1..), Ok(rows @ 1..)) => PtySize { rows, cols },
        _ => return Err(CastError::Size { cols, rows }),
    };
    if !header.other.is_empty() {
        let names: Vec<&str> = header
            .other
            .keys()
            .map(String::as_str)
            .take(MAX_KINDS)
            .collect();
        warnings.push(format!(
            "not imported, because tapes cannot store it: {}",
            names.join(", ")
        ));
    }
    let given = header.env.unwrap_or_default();
    let mut env: BTreeMap<String, String> = given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let (program, args) = match facts.program {
        Some(program) => (program, facts.args),
        None => command_of(header.command.as_deref(), env.get("SHELL"), warnings)?,
    };
    if let Some(kind) = header.term.and_then(|term| term.kind) {
        env.entry("TERM".into()).or_insert(kind);
    }
    let timestamp = header.timestamp.unwrap_or(f64::NAN);
    let created_at = OffsetDateTime::from_unix_timestamp(timestamp as i64)
        .ok()
        .filter(|_| timestamp.is_finite())
        .and_then(|time| time.format(&Rfc3339).ok());
    Ok(Meta {
        created_at: created_at.unwrap_or(facts.now),
        program,
        args,
        env,
        pty: Some(pty),
        tag: facts.tag.or(header.title).filter(|tag| !tag.is_empty()),
        ..Meta::default()
    })
}

fn command_of(
    command: Option<&str>,
    shell: Option<&String>,
    warnings: &mut Vec<String>,
) -> Result<(String, Vec<String>), CastError> {
    match (command.filter(|command| !command.is_empty()), shell) {
        (Some(command), _) => {
            let found = ccd_protocol::words::split(command).map_err(CastError::Command)?;
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
            Ok((shell.clone(), Vec::new()))
        }
        _ => Err(CastError::NoProgram),
    }
}

/// An event of an asciicast.
#[derive(Deserialize)]
struct Event(f64, String, Value);

/// The tape so far.
#[derive(Default)]
struct Builder {
    cols: Option<u16>,
    done: Vec<Exchange>,
    open: Exchange,
    /// When the open exchange started.
    opened_ms: u64,
    /// Time of its last output, or of its start.
    last_ms: u64,
    /// Time of the last event.
    now_ms: u64,
    exit: Option<TapeExit>,
    /// Numbers of unsupported events, by kind.
    ignored: BTreeMap<String, u64>,
    /// Number of events that are earlier than the one before.
    backward: u64,
    torn: Option<String>,
}

impl Builder {
    fn read<'a>(
        &mut self,
        lines: impl Iterator<Item = (usize, Result<&'a str, CastError>)>,
        is_v3: bool,
    ) -> Result<(), CastError> {
        let mut lines = lines.peekable();
        let (mut time_us, mut is_first) = (0u64, true);
        while let Some((line, text)) = lines.next() {
            let is_last = lines.peek().is_none();
            let event = text.and_then(|text| match text.starts_with('#') {
                true => Ok(None),
                false => serde_json::from_str::<Event>(text)
                    .map(Some)
                    .map_err(|error| CastError::Event {
                        line,
                        message: in_short(&error),
                    }),
            });
            let Event(time, code, data) = match event {
                Ok(Some(event)) => event,
                Ok(None) => continue,
                // If nothing else is left, the tape would be empty.
                Err(_) if is_last && !is_first => {
                    self.torn = Some(format!(
                        "line {line}, the last one, is incomplete and not imported"
                    ));
                    break;
                }
                Err(error) => return Err(error),
            };
            is_first = false;
            if !(0.0..=MAX_TIME_S).contains(&time) {
                return Err(CastError::Time { line, time });
            }
            let at_us = (time * 1e6).round() as u64;
            time_us = match is_v3 {
                true => time_us.saturating_add(at_us),
                false => at_us,
            };
            let at_ms = time_us.saturating_add(500) / 1000;
            self.backward += u64::from(at_ms < self.now_ms);
            self.now_ms = self.now_ms.max(at_ms);
            self.event(&code, data);
        }
        Ok(())
    }

    fn event(&mut self, code: &str, data: Value) {
        match (code, data) {
            ("o", Value::String(text)) => self.output(text),
            ("i", Value::String(text)) => self.input(text.as_bytes()),
            ("m", Value::String(label)) => self.marker(label),
            ("x", Value::String(status)) => match status.trim().parse() {
                Ok(code) => {
                    self.exit = Some(TapeExit {
                        code: Some(code),
                        signal: None,
                    });
                }
                Err(_) => self.ignore("x"),
            },
            ("x", Value::Number(status)) => {
                self.exit = Some(TapeExit {
                    code: status.as_i64().and_then(|code| i32::try_from(code).ok()),
                    signal: None,
                });
            }
            (other, _) => self.ignore(other),
        }
    }

    fn ignore(&mut self, code: &str) {
        let code: String = code.chars().take(MAX_KINDS).collect();
        if self.ignored.len() < MAX_KINDS || self.ignored.contains_key(&code) {
            *self.ignored.entry(code).or_default() += 1;
        }
    }

    fn output(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        self.open.chunks.push(Chunk {
            delay_ms: self.now_ms - self.last_ms,
            data: text.into_bytes(),
            stream: Stream::Stdout,
        });
        self.last_ms = self.now_ms;
    }

    fn input(&mut self, keys: &[u8]) {
        if keys.is_empty() {
            return;
        }
        if !self.gathers() {
            self.close();
            self.done.push(std::mem::take(&mut self.open));
            (self.opened_ms, self.last_ms) = (self.now_ms, self.now_ms);
        }
        self.open.input.bytes.extend_from_slice(keys);
    }

    /// Returns whether the open exchange's input continues: it has no Enter, and only its echo was printed.
    fn gathers(&self) -> bool {
        let typed = &self.open.input.bytes;
        let is_short = (1..=MAX_GATHERED_BYTES).contains(&typed.len());
        if !is_short || typed.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            return false;
        }
        // Longer output is not an echo.
        let most = ECHO_FACTOR * (typed.len() + 16);
        let output: Vec<u8> = self.open.output().take(most).collect();
        is_echo(typed, &output, self.cols)
    }

    fn marker(&mut self, label: String) {
        let marker = Marker {
            at_ms: self.now_ms - self.opened_ms,
            label,
        };
        let markers = self.open.annotations.entry(MARKERS);
        if let (Value::Array(markers), Ok(marker)) = (
            markers.or_insert_with(|| Value::Array(Vec::new())),
            serde_json::to_value(marker),
        ) {
            markers.push(marker);
        }
    }

    fn close(&mut self) {
        let exchange = &mut self.open;
        exchange.dur_ms = self.now_ms - self.opened_ms;
        exchange.input.kind = kind_of(&exchange.input);
        if exchange.input.bytes == [MASK.as_bytes(), b"\r"].concat() {
            let output: Vec<u8> = exchange.output().take(64).collect();
            // It was typed hidden, and therefore masked.
            if !shown(&output, self.cols).starts_with(MASK) {
                exchange.pre.hidden = true;
                exchange.annotations.insert("hidden".into(), true.into());
            }
        }
    }

    fn finish(mut self, warnings: &mut Vec<String>) -> Vec<Exchange> {
        self.close();
        self.open.exit = self.exit;
        self.done.push(self.open);
        warnings.extend(self.ignored.iter().map(|(code, count)| {
            let why = match code.as_str() {
                "r" => "a tape has only one terminal size",
                _ => "tapes cannot store them",
            };
            format!("{count} {code:?} events were not imported: {why}")
        }));
        if self.backward > 0 {
            let count = self.backward;
            warnings.push(format!(
                "{count} events have an earlier time than the one before: they are imported as simultaneous"
            ));
        }
        warnings.extend(self.torn);
        self.done
    }
}

/// A line is text with one Enter at its end.
fn kind_of(input: &TypedInput) -> InputKind {
    match input.bytes.strip_suffix(b"\r") {
        Some(line) if !line.iter().any(|byte| *byte < b' ' || *byte == 0x7f) => InputKind::Line,
        _ => InputKind::Raw,
    }
}

/// Returns whether `output` shows only the input, or a part of it.
fn is_echo(typed: &[u8], output: &[u8], cols: Option<u16>) -> bool {
    let mut text: Vec<char> = Vec::new();
    for c in String::from_utf8_lossy(typed).chars() {
        match c {
            '\u{8}' | '\u{7f}' => drop(text.pop()),
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    let text: String = text.into_iter().collect();
    text.starts_with(shown(output, cols).as_str())
}

fn in_short(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].replace("struct Header", "an object")
}
