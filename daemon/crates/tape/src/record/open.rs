//! The newest input, while more may belong to it, and what is said about one.

use super::echo::EchoFollower;
use super::journal::InputEntry;
use crate::key::edited;
use ccd_text::canonical::END_OF_INPUT;
use ccd_text::expect::clean_lossy;
use ccd_text::redact::{MASK, Source, redact_chunks};
use serde::{Deserialize, Serialize};

/// A program that reads keys echoes shorter lines in its own way; they are not taken for secrets.
const MIN_SECRET_CHARS: usize = 4;

/// Maximum length of a line that is collected key by key.
const MAX_GATHERED_BYTES: usize = 64 << 10;

/// How much output is searched for a typed line.
pub const ECHO_BYTES: usize = 16 << 10;

#[derive(Debug, Clone, Copy)]
pub struct TypedBytes<'a> {
    pub bytes: &'a [u8],
    /// Offset of the output when they were typed.
    pub offset: u64,
    /// The terminal did not echo them.
    pub unseen: bool,
    /// The client that typed them declared them a secret.
    pub is_secret: bool,
    /// The program reads keys, not lines.
    pub keys: bool,
    pub command: Option<CommandLine<'a>>,
}

/// A line that the daemon made of a command for a shell; it is not a secret, whether shown or not.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The shell's echo contains secrets, until it prints this text.
    pub cut_echo: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct NotedInput {
    /// The file does not contain the input yet, or only its mask, so [`super::Recording::kept`] must be handed over.
    pub must_keep: bool,
    /// It continues a secret, although the terminal shows it.
    pub is_secret: bool,
}

/// The input of the newest exchange. The next worker gets it as it was typed, which no file may contain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OpenInput {
    pub(super) at_us: u64,
    pub(super) offset: u64,
    pub(super) raw: Vec<u8>,
    pub(super) hidden: bool,
    pub(super) keys: bool,
    #[serde(default)]
    pub(super) needs_no_echo: bool,
    #[serde(default)]
    pub(super) cut_echo: Option<String>,
    /// A line of a private key.
    #[serde(default)]
    pub(super) private_key: bool,
    /// It continues a secret that an earlier input started.
    #[serde(default)]
    pub(super) goes_on_with_secret: bool,
    /// Nothing more belongs to it, and it was checked for secrets.
    #[serde(default)]
    pub(super) is_complete: bool,
    /// It is in the journal in its final form.
    pub(super) is_written: bool,
    #[serde(skip)]
    echo: EchoFollower,
    /// Output since it was typed.
    #[serde(skip)]
    pub(super) printed: Vec<u8>,
    /// Output was printed since then.
    #[serde(skip)]
    pub(super) is_answered: bool,
}

impl OpenInput {
    /// Returns an input without its bytes.
    pub(super) fn new(at_us: u64, typed: &TypedBytes<'_>, needs_no_echo: bool) -> Self {
        Self {
            at_us,
            offset: typed.offset,
            keys: typed.keys,
            needs_no_echo,
            ..Self::default()
        }
    }

    pub(super) fn typed(&mut self, typed: &TypedBytes<'_>, hidden: bool) {
        self.raw.extend_from_slice(typed.bytes);
        self.echo.typed(typed.bytes);
        self.hidden |= hidden;
        if let Some(command) = typed.command {
            self.needs_no_echo = true;
            self.cut_echo = command.cut_echo.map(str::to_owned);
        }
    }

    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.echo.printed(bytes);
        self.is_answered = true;
        if !self.is_written {
            let room = ECHO_BYTES.saturating_sub(self.printed.len());
            let len = bytes.len().min(room);
            self.printed.extend_from_slice(&bytes[..len]);
        }
    }

    /// Restores the input of an earlier worker; `printed` is the output since it was typed.
    pub(super) fn resumed(mut self, printed: &[u8]) -> Self {
        self.echo.typed(&self.raw);
        if !printed.is_empty() {
            self.printed(printed);
        }
        self
    }

    pub(super) fn ends_line(&self) -> bool {
        ends_line(&self.raw)
    }

    /// Returns whether the next keys belong to the same line.
    pub(super) fn goes_on(&self) -> bool {
        !self.is_complete
            && !self.ends_line()
            && self.echo.is_only_echo()
            && self.raw.len() < MAX_GATHERED_BYTES
    }

    /// Returns the parts of its lines that can be text on a screen.
    fn visible_lines(&self) -> impl Iterator<Item = String> {
        let lines = self.raw.split(|byte| matches!(byte, b'\r' | b'\n'));
        lines.map(|line| without_blanks(&clean_lossy(line, encoding_rs::UTF_8)))
    }

    fn line_count(&self) -> usize {
        let line_feeds = memchr::memchr_iter(b'\n', &self.raw).count();
        let alone = |at: &usize| self.raw.get(at + 1) != Some(&b'\n');
        line_feeds + memchr::memchr_iter(b'\r', &self.raw).filter(alone).count()
    }

    /// Returns whether it is known if this is a secret. If a program that reads keys has not shown the input, it may be
    /// a secret, or may still be shown.
    pub(super) fn is_decided(&self) -> bool {
        self.hidden || !self.keys || self.needs_no_echo || self.is_shown()
    }

    fn is_shown(&self) -> bool {
        // `less` shows each key twice, and steps back in between.
        self.is_shown_in(&self.printed) || self.is_shown_in(&edited(&self.printed))
    }

    fn is_shown_in(&self, printed: &[u8]) -> bool {
        let printed = without_blanks(&clean_lossy(printed, encoding_rs::UTF_8));
        let is_short = |line: &String| line.chars().count() < MIN_SECRET_CHARS;
        // If the keys do not end a line, an editor may show a part of them in another way.
        let is_seen = |line: &String| {
            printed.contains(line.as_str()) || !self.ends_line() && has_part_of(&printed, line)
        };
        let lines = self.raw.split(|byte| matches!(byte, b'\r' | b'\n'));
        self.visible_lines().zip(lines).all(|(line, raw)| {
            line.is_empty() || is_short(&line) || is_seen(&line) || has_runs_of(&printed, raw)
        })
    }

    /// Returns the mask that replaces the input, with the same number of lines.
    fn mask(&self) -> Vec<u8> {
        let lines = self.line_count().saturating_sub(1);
        let mut mask = format!("{MASK}\r").repeat(lines).into_bytes();
        mask.extend_from_slice(MASK.as_bytes());
        mask.extend(self.raw.last().filter(|_| self.ends_line()));
        mask
    }

    /// Returns the entry for the journal: a mask as long as it is not known whether the input is a secret.
    pub(super) fn entry(&self, number: u64, redacts: bool) -> InputEntry {
        let hidden = self.hidden || !self.is_decided();
        let (bytes, removed) = match (hidden, redacts) {
            (true, _) => (self.mask(), 1),
            (false, false) => (self.raw.clone(), 0),
            (false, true) => {
                let redacted = redact_chunks([&self.raw[..]], Source::Typed);
                (redacted.concat(), redacted.count())
            }
        };
        InputEntry {
            number,
            at_us: self.at_us,
            offset: self.offset,
            bytes,
            hidden,
            keys: self.keys,
            private_key: self.private_key,
            removed: removed as u64,
            cut_echo: self.cut_echo.clone(),
            unfinished: false,
        }
    }
}

/// Returns whether a text contains [`MIN_SECRET_CHARS`] consecutive characters of a line.
fn has_part_of(text: &str, line: &str) -> bool {
    let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
    let Some(behind) = starts.get(MIN_SECRET_CHARS..) else {
        return false;
    };
    let ends = behind.iter().copied().chain([line.len()]);
    let mut parts = starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| &line[start..end]);
    parts.any(|part| text.contains(part))
}

/// Returns whether a line with editing keys, such as Tab and arrows, was shown in parts: all parts that are long enough
/// to be a secret, or if there are none, all parts in their order.
fn has_runs_of<'a>(text: &'a str, line: &[u8]) -> bool {
    let runs = runs_of(line);
    if runs.len() < 2 && line.iter().all(|byte| !byte.is_ascii_control()) {
        return false;
    }
    let is_long = |run: &&String| run.chars().count() >= MIN_SECRET_CHARS;
    let mut long = runs.iter().filter(is_long).peekable();
    if long.peek().is_some() {
        return long.all(|run| text.contains(run.as_str()));
    }
    let behind = |rest: &'a str, run: &String| Some(rest.split_once(run.as_str())?.1);
    runs.iter().try_fold(text, behind).is_some()
}

/// Returns the parts of a line between keys that show nothing, without blanks.
fn runs_of(line: &[u8]) -> Vec<String> {
    let mut runs = vec![Vec::new()];
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            0x1b => {
                if bytes.next_if(|byte| matches!(byte, b'[' | b'O')).is_some() {
                    let is_inner = |byte: &u8| !(0x40..=0x7e).contains(byte);
                    while bytes.next_if(is_inner).is_some() {}
                }
                bytes.next();
                runs.push(Vec::new());
            }
            _ if byte.is_ascii_control() => runs.push(Vec::new()),
            _ => runs.last_mut().into_iter().for_each(|run| run.push(byte)),
        }
    }
    let texts = runs.iter().map(|run| String::from_utf8_lossy(run));
    let texts = texts.map(|run| without_blanks(&run));
    texts.filter(|run| !run.is_empty()).collect()
}

pub(super) fn ends_line(bytes: &[u8]) -> bool {
    matches!(bytes.last(), Some(b'\r' | b'\n' | &END_OF_INPUT))
}

/// Line editors wrap and redraw lines, so blanks are ignored.
fn without_blanks(text: &str) -> String {
    let counts = |c: &char| !c.is_whitespace() && !c.is_control();
    text.chars().filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_keys_have_edited_was_shown_where_its_parts_were() {
        for (line, printed) in [
            (&b"cd /us\tlo\t"[..], "cd/usr/local/"),
            (b"echo abc\x1b[D\x1b[DX\x1b[FY", "echoabcXbcY"),
            (b"sectet\x7f\x7fret", "sectetret"),
            (b"a\tb\tcc", "a1b2cc"),
        ] {
            assert!(has_runs_of(printed, line), "{line:?}");
        }
        for (line, printed) in [
            (&b"alice\tS3cret99"[..], "alice"),
            (b"S3cret99", "S3cret99"),
            (b"Hemmelig\x7f\x7f", "welcome"),
            (b"a\tb\tcc", "b1a2cc"),
            (b"ab\tcd", ""),
        ] {
            assert!(!has_runs_of(printed, line), "{line:?}");
        }
    }
}
