//! From bytes to a tape.

use super::exchange::{ExchangeReader, whole};
use super::fault::{BOM, Fault, FormatError, Stop, lines_in};
use super::keys::Part;
use super::model::{Exchange, FORMAT, Meta, Pre, PtySize, Recorder, Tape, TypedInput};
use super::scan::{Kind, MAX_BYTES, Scanned, Scanner};
use ccd_protocol::tape::{Latency, LatencyName, TapeExit};
use std::ops::Range;

/// Most exchanges of a tape. What ccd writes is larger than [`MAX_BYTES`] before it has so many.
pub(super) const MAX_EXCHANGES: u32 = 300_000;

/// What an index needs of a tape: everything but its output, which is checked and thrown away.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub meta: Meta,
    pub session: Recorder,
    pub exchanges: Vec<Outlined>,
}

/// An exchange without its output and annotations.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlined {
    /// Where it stands in the file; [`read_exchange`] takes these bytes.
    pub span: Range<usize>,
    /// The line in the file where it begins, from 1.
    pub line: u64,
    pub pre: Pre,
    pub input: TypedInput,
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
}

/// Reads a tape.
///
/// Parts that may be missing get what they would have in a new tape; unknown keys are kept in `other` where there is one.
///
/// # Errors
///
/// The first fault with its place. [`FormatError::is_newer`] when the tape's format is newer than [`FORMAT`].
pub fn read(bytes: &[u8]) -> Result<Tape, FormatError> {
    let (meta, session, exchanges) =
        parse(bytes, |scanner, _| ExchangeReader::Whole.read(scanner))?;
    Ok(Tape {
        meta,
        session,
        exchanges,
    })
}

/// Reads a tape without its output; refuses exactly what [`read`] refuses.
///
/// # Errors
///
/// As [`read`].
pub fn outline(bytes: &[u8]) -> Result<Outline, FormatError> {
    let mut counted = (0, 1); // up to this offset the line is known
    let (meta, session, exchanges) = parse(bytes, |scanner, text| {
        scanner.kind()?;
        let start = scanner.offset();
        let between = text.as_bytes().get(counted.0..start).unwrap_or_default();
        counted = (start, counted.1 + lines_in(between));
        let exchange = ExchangeReader::Outline.read(scanner)?;
        Ok(Outlined {
            span: start..scanner.offset(),
            line: counted.1,
            pre: exchange.pre,
            input: exchange.input,
            exit: exchange.exit,
            dur_ms: exchange.dur_ms,
        })
    })?;
    Ok(Outline {
        meta,
        session,
        exchanges,
    })
}

/// Reads one exchange from the bytes at its [`Outlined::span`].
///
/// # Errors
///
/// The first fault; its place is counted from the beginning of `bytes`.
pub fn read_exchange(bytes: &[u8]) -> Result<Exchange, FormatError> {
    let text = text_of(bytes)?;
    let mut scanner = Scanner::new(text);
    let exchange = ExchangeReader::Whole.read(&mut scanner);
    let whole = exchange.and_then(|exchange| scanner.end().map(|()| exchange));
    whole.map_err(|stop| stop.locate(bytes))
}

/// Returns the text of a file, if it can be one of a tape.
///
/// # Errors
///
/// It is empty, too large, or not UTF-8.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, FormatError> {
    if bytes.len() > MAX_BYTES {
        let bytes_len = bytes.len() as u64;
        return Err(Stop::at(0, Fault::TooLarge { bytes: bytes_len }).locate(b""));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Stop::at(error.valid_up_to(), Fault::NotUtf8).locate(bytes))?;
    if text.trim_start_matches(BOM).trim().is_empty() {
        return Err(Stop::at(0, Fault::Empty).locate(bytes));
    }
    Ok(text)
}

type Parts<E> = (Meta, Recorder, Vec<E>);

fn parse<'a, E>(
    bytes: &'a [u8],
    exchange: impl FnMut(&mut Scanner<'a>, &'a str) -> Scanned<E>,
) -> Result<Parts<E>, FormatError> {
    let text = text_of(bytes)?;
    let mut scanner = Scanner::new(text);
    let parts = tape(&mut scanner, text, exchange).and_then(|parts| scanner.end().map(|()| parts));
    parts.map_err(|stop| {
        // What cannot be read may be what a newer format has.
        let stop = newer(text).unwrap_or(stop);
        stop.locate(bytes)
    })
}

fn tape<'a, E>(
    scanner: &mut Scanner<'a>,
    text: &'a str,
    mut exchange: impl FnMut(&mut Scanner<'a>, &'a str) -> Scanned<E>,
) -> Scanned<Parts<E>> {
    scanner.kind()?;
    let start = scanner.offset();
    let (mut meta, mut session, mut exchanges) = (None, None, Vec::new());
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match Part::Tape.canonical(&key.name) {
            "meta" => meta = Some(read_meta(scanner)?),
            "session" => session = Some(read_session(scanner)?),
            "exchanges" => {
                exchanges.clear(); // of two, the last counts
                scanner.list(|scanner, index| {
                    if index == MAX_EXCHANGES as usize {
                        return Err(scanner.too_many("exchanges", MAX_EXCHANGES));
                    }
                    exchanges.push(exchange(scanner, text)?);
                    Ok(())
                })?;
            }
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    let missing = || {
        let path = "meta".to_owned();
        let why = "a tape names the recorded program in `meta.program`";
        Stop::at(start, Fault::Missing { path, why })
    };
    let meta = meta.ok_or_else(missing)?;
    Ok((meta, session.unwrap_or_else(oldest_recorder), exchanges))
}

/// A tape that does not say who made it is as old as can be.
fn oldest_recorder() -> Recorder {
    Recorder {
        format: 1,
        ..Recorder::default()
    }
}

fn read_meta(scanner: &mut Scanner<'_>) -> Scanned<Meta> {
    scanner.kind()?;
    let start = scanner.offset();
    let mut meta = Meta {
        redact: true,
        fits_any_terminal: true,
        ..Meta::default()
    };
    scanner.object(|scanner, key| {
        let known = Part::Meta.known(&key.name);
        meta.fits_any_terminal &= known != Some("pty");
        let is_null = known.is_some() && scanner.null()?;
        match known {
            Some(_) if is_null => {}
            Some(known) => meta_member(&mut meta, known, scanner)?,
            None => {
                meta.other.insert(key.name.into_owned(), scanner.value()?);
            }
        }
        Ok(())
    })?;
    if meta.program.is_empty() {
        let path = "program".to_owned();
        let why = "it names the recorded program, such as \"sqlite3\"";
        return Err(Stop::at(start, Fault::Missing { path, why }));
    }
    Ok(meta)
}

fn meta_member(meta: &mut Meta, key: &str, scanner: &mut Scanner<'_>) -> Scanned<()> {
    match key {
        "createdAt" => meta.created_at = scanner.text()?.into_owned(),
        "program" => meta.program = scanner.text()?.into_owned(),
        "args" => meta.args = texts(scanner)?,
        "env" => {
            meta.env.clear();
            scanner.object(|scanner, key| {
                let value = scanner.text()?.into_owned();
                meta.env.insert(key.name.into_owned(), value);
                Ok(())
            })?;
        }
        "cwd" => meta.cwd = scanner.text()?.into_owned(),
        "pty" => meta.pty = Some(size(scanner)?),
        "tag" => meta.tag = Some(scanner.text()?.into_owned()),
        "latency" => meta.latency = Some(latency(scanner)?),
        "errorRate" => meta.error_rate = percent(scanner)?,
        "seed" => meta.seed = Some(whole(scanner)?),
        "redact" => meta.redact = scanner.bool()?,
        "plain" => meta.plain = scanner.bool()?,
        _ => scanner.skip()?,
    }
    Ok(())
}

fn read_session(scanner: &mut Scanner<'_>) -> Scanned<Recorder> {
    let mut session = oldest_recorder();
    scanner.object(|scanner, key| {
        let known = Part::Session.known(&key.name);
        if known.is_some() && scanner.null()? {
            return Ok(());
        }
        match known {
            Some("platform") => session.platform = scanner.text()?.into_owned(),
            Some("version") => session.version = scanner.text()?.into_owned(),
            Some("flags") => session.flags = texts(scanner)?,
            Some("format") => {
                scanner.kind()?;
                let start = scanner.offset();
                session.format = whole(scanner)?;
                if session.format > FORMAT {
                    let format = session.format;
                    return Err(Stop::at(start, Fault::Newer { format }));
                }
            }
            _ => {
                session
                    .other
                    .insert(key.name.into_owned(), scanner.value()?);
            }
        }
        Ok(())
    })?;
    Ok(session)
}

/// Finds a format that is newer than [`FORMAT`] in a tape that cannot be read.
fn newer(text: &str) -> Option<Stop> {
    let mut newer = None;
    // Whatever else is wrong is known already.
    let _ = Scanner::new(text).object(|scanner, key| {
        if key.name == "session"
            && let Err(stop) = read_session(&mut scanner.clone())
            && stop.is_newer()
        {
            newer = Some(stop);
        }
        scanner.skip()
    });
    newer
}

fn size(scanner: &mut Scanner<'_>) -> Scanned<PtySize> {
    let mut size = PtySize { rows: 24, cols: 80 };
    scanner.object(|scanner, key| {
        match Part::Pty.canonical(&key.name) {
            "rows" => size.rows = side(scanner)?,
            "cols" => size.cols = side(scanner)?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(size)
}

fn side(scanner: &mut Scanner<'_>) -> Scanned<u16> {
    const WANTED: &str = "a whole number from 1 to 65535";
    scanner.kind()?;
    let start = scanner.offset();
    let number = scanner.number(WANTED)?.to_whole();
    let number = number.and_then(|number| u16::try_from(number).ok());
    let number = number.filter(|&number| number > 0);
    number.ok_or_else(|| scanner.wrong(start, WANTED))
}

fn percent(scanner: &mut Scanner<'_>) -> Scanned<f64> {
    const WANTED: &str = "a number from 0 to 100";
    scanner.kind()?;
    let start = scanner.offset();
    let number = scanner.number(WANTED)?.to_float();
    if (0.0..=100.0).contains(&number) {
        return Ok(number);
    }
    Err(scanner.wrong(start, WANTED))
}

fn latency(scanner: &mut Scanner<'_>) -> Scanned<Latency> {
    const WANTED: &str = "milliseconds, a range of them such as [5, 20], or \"recorded\"";
    let kind = scanner.kind()?;
    let start = scanner.offset();
    match kind {
        Kind::Number => Ok(Latency::Constant(whole(scanner)?)),
        Kind::List => {
            let mut sides = Vec::new();
            scanner.list(|scanner, _| {
                sides.push(whole(scanner)?);
                Ok(())
            })?;
            match sides[..] {
                [low, high] if low <= high => Ok(Latency::Range([low, high])),
                _ => Err(scanner.wrong(start, WANTED)),
            }
        }
        Kind::Text if scanner.text()? == "recorded" => Ok(Latency::Named(LatencyName::Recorded)),
        _ => Err(scanner.wrong(start, WANTED)),
    }
}

fn texts(scanner: &mut Scanner<'_>) -> Scanned<Vec<String>> {
    let mut texts = Vec::new();
    scanner.list(|scanner, _| {
        texts.push(scanner.text()?.into_owned());
        Ok(())
    })?;
    Ok(texts)
}

#[cfg(test)]
#[path = "read_tests.rs"]
pub(super) mod tests;
