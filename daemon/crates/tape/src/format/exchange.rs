//! Parses an exchange.

use super::fault::{MAX_CHUNKS, Scanned, Scanner, Stop, TapeFault};
use super::keys::TapeObject;
use super::model::{Annotations, Chunk, Exchange, InputKind, Pre, Stream, TypedInput};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ccd_base::json5::{self, Number};
use ccd_protocol::tape::TapeExit;
use std::borrow::Cow;

/// Padding may be missing, because people cut it off.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The character that replaces bytes that are not valid text.
const REPLACED: char = '\u{fffd}';

#[derive(Debug)]
pub(super) struct ExchangeReader {
    is_whole: bool,
    /// How many chunks were taken. Each needs memory, and a few bytes can contain many.
    chunks: u32,
}

impl ExchangeReader {
    /// Unless it is to keep all of an exchange, it checks output and annotations and throws them away.
    pub(super) fn new(is_whole: bool) -> Self {
        Self {
            is_whole,
            chunks: 0,
        }
    }

    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>) -> Scanned<Exchange> {
        let mut exchange = Exchange::default();
        scanner.object(|scanner, key| {
            if scanner.null()? {
                return Ok(());
            }
            match TapeObject::Exchange.canonical(&key.name) {
                "pre" => exchange.pre = pre(scanner)?,
                "input" => exchange.input = input(scanner)?,
                "output" => self.output(scanner, &mut exchange.chunks)?,
                "exit" => exchange.exit = Some(exit(scanner)?),
                "dur_ms" => exchange.dur_ms = whole(scanner)?,
                "annotations" => exchange.annotations = self.annotations(scanner)?,
                _ => scanner.skip()?,
            }
            Ok(())
        })?;
        Ok(exchange)
    }

    fn output(&mut self, scanner: &mut Scanner<'_>, chunks: &mut Vec<Chunk>) -> Scanned<()> {
        scanner.object(|scanner, key| {
            if TapeObject::Output.known(&key.name).is_none() {
                return scanner.skip();
            }
            chunks.clear();
            if scanner.null()? {
                return Ok(());
            }
            scanner.list(|scanner, _| {
                self.chunks += 1;
                if self.chunks > MAX_CHUNKS {
                    let (what, most) = ("chunks", MAX_CHUNKS);
                    return Err(Stop::at(
                        scanner.offset(),
                        TapeFault::TooMany { what, most },
                    ));
                }
                let chunk = chunk(scanner)?;
                if self.is_whole {
                    chunks.push(chunk);
                }
                Ok(())
            })
        })
    }

    fn annotations(&self, scanner: &mut Scanner<'_>) -> Scanned<Annotations> {
        if self.is_whole {
            return scanner.map();
        }
        scanner.object(|scanner, _| scanner.skip())?;
        Ok(Annotations::new())
    }
}

/// Takes a number of milliseconds, or another number that cannot be negative.
pub(super) fn whole(scanner: &mut Scanner<'_>) -> Scanned<u64> {
    number(scanner, "a whole number, 0 or more", Number::to_whole)
}

/// Takes a number that `accept` accepts.
pub(crate) fn number<T, F: json5::Format>(
    scanner: &mut json5::Scanner<'_, F>,
    wanted: &'static str,
    accept: impl FnOnce(Number) -> Option<T>,
) -> json5::Scanned<T, F> {
    let start = scanner.start()?;
    let number = accept(scanner.number(wanted)?);
    number.ok_or_else(|| scanner.wrong(start, wanted))
}

/// Takes a number of columns or rows.
pub(crate) fn side<F: json5::Format>(
    scanner: &mut json5::Scanner<'_, F>,
) -> json5::Scanned<u16, F> {
    number(scanner, "a whole number from 1 to 65535", |number| {
        let side = u16::try_from(number.to_whole()?).ok();
        side.filter(|side| *side > 0)
    })
}

fn word<T>(scanner: &mut Scanner<'_>, wanted: &'static str, words: [(&str, T); 2]) -> Scanned<T> {
    let start = scanner.start()?;
    let text = scanner.text()?;
    let found = words.into_iter().find(|(word, _)| *word == text);
    let found = found.ok_or_else(|| scanner.wrong(start, wanted))?;
    Ok(found.1)
}

fn pre(scanner: &mut Scanner<'_>) -> Scanned<Pre> {
    let mut pre = Pre::default();
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match TapeObject::Pre.canonical(&key.name) {
            "prompt" => pre.prompt = scanner.text()?.into_owned(),
            "stateHash" => pre.state_hash = Some(scanner.text()?.into_owned()),
            "hidden" => pre.hidden = scanner.bool()?,
            "keys" => pre.keys = scanner.bool()?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(pre)
}

fn input(scanner: &mut Scanner<'_>) -> Scanned<TypedInput> {
    let (mut kind, mut text, mut bytes) = (None, None, None);
    let mut unfinished = false;
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match TapeObject::Input.canonical(&key.name) {
            "type" => {
                let kinds = [("line", InputKind::Line), ("raw", InputKind::Raw)];
                kind = Some(word(scanner, "\"line\" or \"raw\"", kinds)?);
            }
            "dataText" => text = Some(scanner.text()?),
            "dataBytesB64" => bytes = Some(base64(scanner)?),
            "unfinished" => unfinished = scanner.bool()?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    // A text without a type means a line.
    let has_text = text.as_ref().is_some_and(|text| !text.is_empty());
    let implied = if has_text {
        InputKind::Line
    } else {
        InputKind::Raw
    };
    let kind = kind.unwrap_or(implied);
    let mut bytes = data_of(text, bytes);
    let has_enter = matches!(bytes.last(), Some(b'\r' | b'\n'));
    if kind == InputKind::Line && !has_enter {
        bytes.push(b'\r');
    }
    Ok(TypedInput {
        kind,
        bytes,
        unfinished,
    })
}

/// Returns the data from its two forms. The text wins, unless it was made of bytes that are not valid text.
fn data_of(text: Option<Cow<'_, str>>, bytes: Option<Vec<u8>>) -> Vec<u8> {
    match text {
        Some(text) if bytes.is_none() || !text.contains(REPLACED) => text.into_owned().into_bytes(),
        _ => bytes.unwrap_or_default(),
    }
}

pub(super) fn chunk(scanner: &mut Scanner<'_>) -> Scanned<Chunk> {
    let mut chunk = Chunk::default();
    let (mut text, mut bytes) = (None, None);
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match TapeObject::Chunk.canonical(&key.name) {
            "delay_ms" => chunk.delay_ms = whole(scanner)?,
            "dataB64" => bytes = Some(base64(scanner)?),
            "dataText" => text = Some(scanner.text()?),
            "isUtf8" => drop(scanner.bool()?),
            "stream" => {
                let streams = [("stdout", Stream::Stdout), ("stderr", Stream::Stderr)];
                chunk.stream = word(scanner, "\"stdout\" or \"stderr\"", streams)?;
            }
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    chunk.data = data_of(text, bytes);
    Ok(chunk)
}

fn exit(scanner: &mut Scanner<'_>) -> Scanned<TapeExit> {
    let mut exit = TapeExit::default();
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match TapeObject::Exit.canonical(&key.name) {
            "code" => exit.code = Some(status(scanner)?),
            "signal" => exit.signal = Some(status(scanner)?),
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(exit)
}

fn status(scanner: &mut Scanner<'_>) -> Scanned<i32> {
    number(scanner, "a whole number", |number| {
        i32::try_from(number.to_signed()?).ok()
    })
}

pub(super) fn base64(scanner: &mut Scanner<'_>) -> Scanned<Vec<u8>> {
    let start = scanner.start()?;
    let text = scanner.text()?;
    BASE64.decode(text.as_bytes()).map_err(|error| {
        let what = error.to_string().to_lowercase();
        let path = String::new();
        Stop::at(start, TapeFault::Base64 { path, what })
    })
}
