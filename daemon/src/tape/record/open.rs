//! The newest input, while more may belong to it.

use super::echo::EchoFollower;
use super::journal::InputEntry;
use crate::canonical::END_OF_INPUT;
use crate::expect::clean_lossy;
use crate::redact::{MASK, redact_typed, settled};

/// A program that reads keys shows shorter lines in its own way, and they are no secrets.
const MIN_SECRET_CHARS: usize = 4;

/// Longest line that is gathered key by key.
const MAX_GATHERED_BYTES: usize = 64 << 10;

/// The input of the newest exchange.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) at_us: u64,
    pub(super) offset: u64,
    pub(super) raw: Vec<u8>,
    pub(super) hidden: bool,
    pub(super) keys: bool,
    pub(super) needs_no_echo: bool,
    pub(super) cut_echo: Option<String>,
    /// A line of a private key.
    pub(super) private_key: bool,
    /// It is complete, and was looked at for what it goes on with.
    pub(super) is_followed: bool,
    /// With a secret that an earlier input has begun.
    pub(super) goes_on_with_secret: bool,
    pub(super) echo: EchoFollower,
    /// Output since it was typed.
    pub(super) printed: Vec<u8>,
    /// Something was printed behind it.
    pub(super) is_answered: bool,
    /// All of it is in the journal.
    pub(super) is_written: bool,
}

impl Open {
    pub(super) fn ends_line(&self) -> bool {
        ends_line(&self.raw)
    }

    /// Whether it is no secret so far, whatever comes: it is too short, or the terminal has handed it on.
    pub(super) fn is_decided(&self) -> bool {
        let is_handed_on = matches!(self.raw.last(), Some(0x03 | 0x1a | 0x1c));
        is_handed_on
            || self
                .visible_lines()
                .all(|line| line.chars().count() < MIN_SECRET_CHARS)
    }

    /// Whether the next keys belong to the same line.
    pub(super) fn goes_on(&self) -> bool {
        !self.ends_line() && self.echo.is_only_echo() && self.raw.len() < MAX_GATHERED_BYTES
    }

    /// What of its lines can be text on a screen.
    fn visible_lines(&self) -> impl Iterator<Item = String> {
        let lines = self.raw.split(|byte| matches!(byte, b'\r' | b'\n'));
        lines.map(|line| without_blanks(&clean_lossy(line, encoding_rs::UTF_8)))
    }

    /// How many lines it ends.
    fn line_count(&self) -> usize {
        let line_feeds = memchr::memchr_iter(b'\n', &self.raw).count();
        let alone = |at: &usize| self.raw.get(at + 1) != Some(&b'\n');
        line_feeds + memchr::memchr_iter(b'\r', &self.raw).filter(alone).count()
    }

    /// Whether a program that reads keys has shown it, or may do without: then it is no secret. What is as short as the
    /// begin of one is decided when no more keys belong to it.
    pub(super) fn is_shown(&self, is_over: bool) -> bool {
        if !self.keys || self.needs_no_echo {
            return !self.hidden;
        }
        let printed = without_blanks(&clean_lossy(&self.printed, encoding_rs::UTF_8));
        let is_short = |line: &String| is_over && line.chars().count() < MIN_SECRET_CHARS;
        // Of keys that end no line an editor may show a part, in another way.
        let is_seen = |line: &String| match self.ends_line() {
            true => printed.contains(line.as_str()),
            false => printed.contains(line.as_str()) || has_part_of(&printed, line),
        };
        let lines = self.raw.split(|byte| matches!(byte, b'\r' | b'\n'));
        self.visible_lines().zip(lines).all(|(line, raw)| {
            line.is_empty() || is_short(&line) || is_seen(&line) || has_runs_of(&printed, raw)
        })
    }

    /// What stands in its place: as many lines.
    fn mask(&self) -> Vec<u8> {
        let lines = self.line_count().saturating_sub(1);
        let mut mask = format!("{MASK}\r").repeat(lines).into_bytes();
        mask.extend_from_slice(MASK.as_bytes());
        mask.extend(self.raw.last().filter(|_| self.ends_line()));
        mask
    }

    /// As the tape may have it.
    pub(super) fn entry(&self, number: u64, redacts: bool, is_whole: bool) -> InputEntry {
        let (bytes, removed) = match (self.hidden, redacts) {
            (true, _) => (self.mask(), 1),
            (false, false) => (self.raw.clone(), 0),
            (false, true) => redacted(&self.raw, is_whole),
        };
        InputEntry {
            number,
            at_us: self.at_us,
            offset: self.offset,
            bytes,
            hidden: self.hidden,
            undecided: false,
            keys: self.keys,
            private_key: self.private_key,
            removed,
            cut_echo: self.cut_echo.clone(),
        }
    }

    /// What stands in for it while it may prove to be a secret.
    pub(super) fn stand_in(&self, number: u64) -> InputEntry {
        InputEntry {
            number,
            at_us: self.at_us,
            offset: self.offset,
            bytes: self.mask(),
            hidden: true,
            undecided: true,
            keys: self.keys,
            private_key: self.private_key,
            removed: 1,
            cut_echo: self.cut_echo.clone(),
        }
    }
}

/// Whether a text has [`MIN_SECRET_CHARS`] characters of a line, one after the other.
fn has_part_of(text: &str, line: &str) -> bool {
    let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
    let Some(behind) = starts.get(MIN_SECRET_CHARS..) else {
        return false;
    };
    let ends = behind.iter().copied().chain([line.len()]);
    starts
        .iter()
        .zip(ends)
        .any(|(&start, end)| text.contains(&line[start..end]))
}

/// Whether a line in which keys edit, as Tab and the arrows do, was shown between them: all that is long enough to be a
/// secret, or where nothing is, everything in its order.
fn has_runs_of(text: &str, line: &[u8]) -> bool {
    let runs = runs_of(line);
    if runs.len() < 2 && line.iter().all(|byte| !byte.is_ascii_control()) {
        return false;
    }
    let is_long = |run: &&String| run.chars().count() >= MIN_SECRET_CHARS;
    if runs.iter().any(|run| is_long(&run)) {
        return runs
            .iter()
            .filter(is_long)
            .all(|run| text.contains(run.as_str()));
    }
    let mut rest = text;
    runs.iter().all(|run| match rest.split_once(run.as_str()) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// What of a line stands between keys that show nothing, without blanks.
fn runs_of(line: &[u8]) -> Vec<String> {
    let mut runs = vec![Vec::new()];
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            0x1b => {
                if bytes.next_if(|byte| matches!(byte, b'[' | b'O')).is_some() {
                    while bytes
                        .next_if(|byte| !(0x40..=0x7e).contains(byte))
                        .is_some()
                    {}
                }
                bytes.next();
                runs.push(Vec::new());
            }
            _ if byte.is_ascii_control() => runs.push(Vec::new()),
            _ => runs
                .last_mut()
                .map_or((), |run: &mut Vec<u8>| run.push(byte)),
        }
    }
    let texts = runs
        .iter()
        .map(|run| without_blanks(&String::from_utf8_lossy(run)));
    texts.filter(|run| !run.is_empty()).collect()
}

/// Whether nothing more belongs to an input.
pub(super) fn ends_line(bytes: &[u8]) -> bool {
    matches!(bytes.last(), Some(b'\r' | b'\n' | &END_OF_INPUT))
}

/// Typed bytes without secrets, and how many there were; of what may go on, as much as is decided.
fn redacted(raw: &[u8], is_whole: bool) -> (Vec<u8>, u64) {
    let decided = match is_whole {
        true => raw,
        false => &raw[..settled(raw)],
    };
    let (clean, removed) = redact_typed(decided);
    (clean, removed as u64)
}

/// Line editors wrap and redraw, so blanks do not count.
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
