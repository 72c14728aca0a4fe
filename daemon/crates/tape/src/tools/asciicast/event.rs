//! The events of an asciicast.

use super::fault::{CastFault, CastText, Scanned, Scanner, Stop, shortened};
use crate::format::PtySize;
use ccd_base::json5::{self, Format as _, Kind};
use std::borrow::Cow;

/// Maximum time of an event: no recording takes a year.
pub(super) const MAX_TIME_US: u64 = 366 * 24 * 60 * 60 * 1_000_000;

/// The names of an event's parts, in their order.
const PARTS: [(&str, &str); 3] = [("[0]", "time"), ("[1]", "code"), ("[2]", "data")];

#[derive(Debug, PartialEq)]
pub(super) enum CastEvent<'a> {
    Output(Cow<'a, str>),
    Input(Cow<'a, str>),
    Marker(Cow<'a, str>),
    Resize(PtySize),
    Exit(i32),
    /// An event with another code.
    Other(String),
}

/// Reads a line; returns its time in microseconds, as it is given, and its event.
/// The error says what is wrong, by its offset in the line.
pub(super) fn event(line: &str) -> Scanned<(u64, CastEvent<'_>)> {
    parsed(line).map_err(|stop| {
        let offset = stop.offset();
        let mut fault = stop.into_fault();
        if matches!(fault, CastFault::Text(json5::Fault::Ends { .. })) {
            return Stop::at(offset, CastFault::Cut);
        }
        if let Some(path) = CastText::path(&mut fault)
            && let Some((_, name)) = PARTS.iter().find(|(part, _)| part == path)
        {
            *path = (*name).to_owned();
        }
        Stop::at(offset, fault)
    })
}

/// Returns whether a line is not even JSON: it may have been cut.
pub(super) fn is_torn(line: &str) -> bool {
    Scanner::new(line).skip().is_err()
}

fn parsed(line: &str) -> Scanned<(u64, CastEvent<'_>)> {
    let mut scanner = Scanner::new(line);
    if scanner.kind()? != Kind::List {
        return Err(scanner.wrong(scanner.offset(), "an event [time, code, data]"));
    }
    let start = scanner.offset();
    let (mut time_us, mut code, mut event) = (0, Cow::Borrowed(""), None);
    scanner.list(|scanner, index| {
        match index {
            0 => time_us = microseconds(scanner)?,
            1 => code = scanner.text()?,
            2 => event = Some(data(scanner, &code)?),
            _ => return Err(Stop::at(scanner.start()?, CastFault::Parts)),
        }
        Ok(())
    })?;
    let rest = line.get(scanner.offset()..).unwrap_or_default();
    if !rest.trim_ascii().is_empty() {
        let blanks = rest.len() - rest.trim_ascii_start().len();
        return Err(Stop::at(scanner.offset() + blanks, CastFault::Follows));
    }
    let event = event.ok_or_else(|| Stop::at(start, CastFault::Parts))?;
    Ok((time_us, event))
}

fn data<'a>(scanner: &mut Scanner<'a>, code: &str) -> Scanned<CastEvent<'a>> {
    let at = scanner.start()?;
    Ok(match code {
        "o" => CastEvent::Output(scanner.text()?),
        "i" => CastEvent::Input(scanner.text()?),
        "m" => CastEvent::Marker(scanner.text()?),
        "r" => {
            let size = scanner.text()?;
            let parsed = size_of(&size);
            CastEvent::Resize(
                parsed.ok_or_else(|| Stop::at(at, CastFault::Size(shortened(&size))))?,
            )
        }
        "x" => CastEvent::Exit(status(scanner, at)?),
        other => {
            scanner.skip()?;
            CastEvent::Other(shortened(other))
        }
    })
}

/// Takes an exit status, from 0 to 255.
fn status(scanner: &mut Scanner<'_>, at: usize) -> Scanned<i32> {
    let status = scanner.text()?;
    let parsed: Option<u8> = status.trim().parse().ok();
    let parsed = parsed.ok_or_else(|| Stop::at(at, CastFault::Status(shortened(&status))))?;
    Ok(parsed.into())
}

fn size_of(text: &str) -> Option<PtySize> {
    let (cols, rows) = text.split_once('x')?;
    let side = |side: &str| side.parse().ok().filter(|side: &u16| *side > 0);
    Some(PtySize {
        rows: side(rows)?,
        cols: side(cols)?,
    })
}

/// Reads the output of version 1: a list of delays and texts.
pub(super) fn each_output(
    text: &str,
    offset: usize,
    mut take: impl FnMut(u64, CastEvent<'_>),
) -> Scanned<()> {
    let mut scanner = Scanner::begin_at(text, offset);
    let listed = scanner.list(|scanner, _| {
        let start = scanner.start()?;
        let (mut delay_us, mut output) = (0, None);
        scanner.list(|scanner, index| {
            match index {
                0 => delay_us = microseconds(scanner)?,
                1 => output = Some(scanner.text()?),
                _ => return Err(Stop::at(scanner.start()?, CastFault::OutputParts)),
            }
            Ok(())
        })?;
        let output = output.ok_or_else(|| Stop::at(start, CastFault::OutputParts))?;
        take(delay_us, CastEvent::Output(output));
        Ok(())
    });
    listed.map_err(|stop| {
        let offset = stop.offset();
        let mut fault = stop.into_fault();
        if let Some(path) = CastText::path(&mut fault) {
            path.insert_str(0, "stdout");
        }
        Stop::at(offset, fault)
    })
}

fn microseconds(scanner: &mut Scanner<'_>) -> Scanned<u64> {
    let at = scanner.start()?;
    let time_us = scanner.number("a number of seconds")?.to_float() * 1e6;
    if (0.0..=MAX_TIME_US as f64).contains(&time_us) {
        Ok(time_us.round() as u64)
    } else {
        Err(Stop::at(at, CastFault::Time))
    }
}
