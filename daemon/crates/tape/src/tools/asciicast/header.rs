//! The header of an asciicast, which in version 1 contains the output too.

use super::fault::{CastFault, Scanned, Scanner, Stop, shortened};
use crate::format::{PtySize, number, side};
use ccd_base::json5::Number;

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) version: u64,
    pub(super) size: Option<PtySize>,
    pub(super) timestamp: Option<f64>,
    pub(super) command: Option<String>,
    pub(super) title: Option<String>,
    pub(super) shell: Option<String>,
    /// Where the output of version 1 starts.
    pub(super) stdout: Option<usize>,
    /// The names of everything for which tapes have no place.
    pub(super) unplaced: Vec<String>,
    /// Where it starts and where it ends.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The sides of the terminal, before it is known whether both are there.
#[derive(Debug, Default, Clone, Copy)]
struct Sides {
    cols: Option<u16>,
    rows: Option<u16>,
}

impl Header {
    /// Reads the header at the start of `text`.
    pub(super) fn parse(text: &str) -> Scanned<Self> {
        let mut scanner = Scanner::new(text);
        let mut header = Self {
            start: scanner.start()?,
            ..Self::default()
        };
        let (mut version, mut sides, mut term) = (None, Sides::default(), Sides::default());
        scanner.object(|scanner, key| {
            match &*key.name {
                "version" => version = optional(scanner, version_number)?,
                "width" => sides.cols = optional(scanner, side)?,
                "height" => sides.rows = optional(scanner, side)?,
                "term" => {
                    optional(scanner, |scanner| header.term(scanner, &mut term))?;
                }
                "timestamp" => header.timestamp = optional(scanner, seconds)?,
                "command" => header.command = optional(scanner, string)?,
                "title" => header.title = optional(scanner, string)?,
                "env" => {
                    optional(scanner, |scanner| header.env(scanner))?;
                }
                "stdout" => {
                    header.stdout = Some(scanner.start()?);
                    scanner.skip()?;
                }
                // The events have it too.
                "duration" => scanner.skip()?,
                other => {
                    header.unplaced.push(shortened(other));
                    scanner.skip()?;
                }
            }
            Ok(())
        })?;
        header.end = scanner.offset();
        header.size = term.both().or(sides.both());
        header.version = version.ok_or_else(|| Stop::at(header.start, CastFault::NoVersion))?;
        Ok(header)
    }

    fn term(&mut self, scanner: &mut Scanner<'_>, sides: &mut Sides) -> Scanned<()> {
        scanner.object(|scanner, key| {
            match &*key.name {
                "cols" => sides.cols = optional(scanner, side)?,
                "rows" => sides.rows = optional(scanner, side)?,
                other => {
                    self.unplaced.push(format!("term.{}", shortened(other)));
                    scanner.skip()?;
                }
            }
            Ok(())
        })
    }

    fn env(&mut self, scanner: &mut Scanner<'_>) -> Scanned<()> {
        scanner.object(|scanner, key| {
            let value = optional(scanner, string)?;
            self.unplaced.push(format!("env.{}", shortened(&key.name)));
            if key.name == "SHELL" {
                self.shell = value;
            }
            Ok(())
        })
    }
}

impl Sides {
    fn both(self) -> Option<PtySize> {
        let (cols, rows) = (self.cols?, self.rows?);
        Some(PtySize { rows, cols })
    }
}

/// Takes a value, or null.
fn optional<'a, T>(
    scanner: &mut Scanner<'a>,
    take: impl FnOnce(&mut Scanner<'a>) -> Scanned<T>,
) -> Scanned<Option<T>> {
    if scanner.null()? {
        Ok(None)
    } else {
        take(scanner).map(Some)
    }
}

fn version_number(scanner: &mut Scanner<'_>) -> Scanned<u64> {
    number(scanner, "a whole number", Number::to_whole)
}

fn seconds(scanner: &mut Scanner<'_>) -> Scanned<f64> {
    number(scanner, "a number of seconds", |number| {
        Some(number.to_float()).filter(|seconds| seconds.is_finite())
    })
}

fn string(scanner: &mut Scanner<'_>) -> Scanned<String> {
    scanner.text().map(std::borrow::Cow::into_owned)
}
