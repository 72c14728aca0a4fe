//! Parses a tape.

use super::exchange::{ExchangeReader, number, side, whole};
use super::fault::{FormatError, MAX_BYTES, Scanned, Scanner, Stop, TapeFault};
use super::keys::TapeObject;
use super::model::{Exchange, FORMAT, Meta, Pre, PtySize, RecordedBy, Tape, TypedInput};
use ccd_base::json5::{BOM, Kind, lines_in};
use ccd_protocol::tape::{Latency, LatencyName, TapeExit};
use std::ops::Range;

/// Maximum number of exchanges on a tape. A tape written by ccd exceeds [`MAX_BYTES`] before it has as many.
pub(super) const MAX_EXCHANGES: u32 = 300_000;

/// The parts of a tape that an index needs: everything except its output, which is checked but not kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub meta: Meta,
    pub session: RecordedBy,
    pub exchanges: Vec<Outlined>,
}

/// An exchange without its output and annotations.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlined {
    /// Its span in the file; [`read_exchange`] takes these bytes.
    pub span: Range<usize>,
    /// The line in the file where it starts, from 1.
    pub line: u64,
    pub pre: Pre,
    pub input: TypedInput,
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
}

/// Parses a tape.
/// Optional parts get the values that they have on a new tape. Unknown keys are kept in `other`, if the part has it.
/// [`FormatError::is_newer`] if the tape's format is newer than [`FORMAT`].
pub fn read(bytes: &[u8]) -> Result<Tape, FormatError> {
    let mut reader = ExchangeReader::new(true);
    let (meta, session, exchanges) = parse(bytes, |scanner, _| reader.read(scanner))?;
    Ok(Tape {
        meta,
        session,
        exchanges,
    })
}

/// Parses a tape without its output; rejects exactly the tapes that [`read`] rejects.
pub fn outline(bytes: &[u8]) -> Result<Outline, FormatError> {
    let mut reader = ExchangeReader::new(false);
    let mut counted = (0, 1); // up to this offset the line is known
    let (meta, session, exchanges) = parse(bytes, |scanner, text| {
        let start = scanner.start()?;
        let between = text.as_bytes().get(counted.0..start).unwrap_or_default();
        counted = (start, counted.1 + lines_in(between));
        let exchange = reader.read(scanner)?;
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

/// Parses one exchange from the bytes at its [`Outlined::span`].
/// The position of an error is counted from the start of `bytes`.
pub fn read_exchange(bytes: &[u8]) -> Result<Exchange, FormatError> {
    let text = text_of(bytes)?;
    let mut scanner = Scanner::new(text);
    let exchange = ExchangeReader::new(true).read(&mut scanner);
    let whole = exchange.and_then(|exchange| scanner.end().map(|()| exchange));
    whole.map_err(|stop| FormatError::from_stop(stop, bytes))
}

/// Returns the text of a file, if it can be that of a tape.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, FormatError> {
    let wrong = |at, fault: TapeFault| FormatError::from_stop(Stop::at(at, fault), bytes);
    if bytes.len() > MAX_BYTES {
        let bytes_len = bytes.len() as u64;
        return Err(wrong(0, TapeFault::TooLarge { bytes: bytes_len }));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| wrong(error.valid_up_to(), TapeFault::NotUtf8))?;
    if text.trim_start_matches(BOM).trim().is_empty() {
        return Err(wrong(0, TapeFault::Empty));
    }
    Ok(text)
}

type Parts<E> = (Meta, RecordedBy, Vec<E>);

fn parse<'a, E>(
    bytes: &'a [u8],
    exchange: impl FnMut(&mut Scanner<'a>, &'a str) -> Scanned<E>,
) -> Result<Parts<E>, FormatError> {
    let text = text_of(bytes)?;
    let mut scanner = Scanner::new(text);
    let parts = tape(&mut scanner, text, exchange).and_then(|parts| scanner.end().map(|()| parts));
    parts.map_err(|stop| {
        // The error may come from a newer format.
        let stop = newer(text).unwrap_or(stop);
        FormatError::from_stop(stop, bytes)
    })
}

fn tape<'a, E>(
    scanner: &mut Scanner<'a>,
    text: &'a str,
    mut exchange: impl FnMut(&mut Scanner<'a>, &'a str) -> Scanned<E>,
) -> Scanned<Parts<E>> {
    let start = scanner.start()?;
    let (mut meta, mut session, mut exchanges) = (None, None, Vec::new());
    scanner.object(|scanner, key| {
        if scanner.null()? {
            return Ok(());
        }
        match TapeObject::Tape.canonical(&key.name) {
            "meta" => meta = Some(read_meta(scanner)?),
            "session" => session = Some(read_session(scanner)?),
            "exchanges" => {
                exchanges.clear(); // if there are two lists, the last one counts
                scanner.list(|scanner, index| {
                    if index == MAX_EXCHANGES as usize {
                        let (what, most) = ("exchanges", MAX_EXCHANGES);
                        return Err(Stop::at(
                            scanner.offset(),
                            TapeFault::TooMany { what, most },
                        ));
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
        Stop::at(start, TapeFault::Missing { path, why })
    };
    let meta = meta.ok_or_else(missing)?;
    Ok((meta, session.unwrap_or_else(oldest_recorder), exchanges))
}

/// A tape without a recorder is treated as the oldest version.
fn oldest_recorder() -> RecordedBy {
    RecordedBy {
        format: 1,
        ..RecordedBy::default()
    }
}

fn read_meta(scanner: &mut Scanner<'_>) -> Scanned<Meta> {
    let start = scanner.start()?;
    let mut meta = Meta {
        redact: true,
        fits_any_terminal: true,
        ..Meta::default()
    };
    scanner.object(|scanner, key| {
        let known = TapeObject::Meta.known(&key.name);
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
        return Err(Stop::at(start, TapeFault::Missing { path, why }));
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

fn read_session(scanner: &mut Scanner<'_>) -> Scanned<RecordedBy> {
    let mut session = oldest_recorder();
    scanner.object(|scanner, key| {
        let known = TapeObject::Session.known(&key.name);
        if known.is_some() && scanner.null()? {
            return Ok(());
        }
        match known {
            Some("platform") => session.platform = scanner.text()?.into_owned(),
            Some("version") => session.version = scanner.text()?.into_owned(),
            Some("flags") => session.flags = texts(scanner)?,
            Some("format") => {
                let start = scanner.start()?;
                session.format = whole(scanner)?;
                if session.format > FORMAT {
                    let format = session.format;
                    return Err(Stop::at(start, TapeFault::Newer { format }));
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

/// Finds a format that is newer than [`FORMAT`] in a tape that cannot be parsed.
fn newer(text: &str) -> Option<Stop> {
    let mut newer = None;
    // All other errors are known already.
    let _ = Scanner::new(text).object(|scanner, key| {
        if key.name == "session"
            && let Err(stop) = read_session(&mut scanner.clone())
            && matches!(stop.fault(), TapeFault::Newer { .. })
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
        match TapeObject::Pty.canonical(&key.name) {
            "rows" => size.rows = side(scanner)?,
            "cols" => size.cols = side(scanner)?,
            _ => scanner.skip()?,
        }
        Ok(())
    })?;
    Ok(size)
}

fn percent(scanner: &mut Scanner<'_>) -> Scanned<f64> {
    number(scanner, "a number from 0 to 100", |number| {
        Some(number.to_float()).filter(|number| (0.0..=100.0).contains(number))
    })
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
