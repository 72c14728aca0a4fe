//! The recording of one session: what it notes while the program runs.

use super::echo::EchoFollower;
use super::journal::{Begin, EndEntry, Entry, InputEntry, Journal, line_of, now_us};
use crate::expect::clean_lossy;
use crate::redact::{MASK, redact_typed, settled};
use crate::tape::key::PromptTracker;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Output that came within this time is one chunk: delays are whole milliseconds.
const CHUNK_US: u64 = 1_000;

/// Longest chunk.
const MAX_CHUNK_BYTES: u64 = 64 << 10;

/// Output in which a typed line is looked for.
pub(crate) const ECHO_BYTES: usize = 16 << 10;

/// A program that reads keys shows shorter lines in its own way, and they are no secrets.
const MIN_SECRET_CHARS: usize = 4;

/// In the prompts of those who ask for a secret.
const SECRET_WORDS: [&str; 7] = [
    "password",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "pin",
    "api key",
];

/// Ends a line without Enter, and on an empty line the input.
const END_OF_INPUT: u8 = 0x04;

/// Longest line that is gathered key by key.
const MAX_GATHERED_BYTES: usize = 64 << 10;

/// Noted but not written.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// Something that was typed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) bytes: &'a [u8],
    /// Of the output when it was typed.
    pub(crate) offset: u64,
    /// The terminal did not show it.
    pub(crate) unseen: bool,
    /// Whoever typed it says that it is a secret.
    pub(crate) is_secret: bool,
    /// The program reads keys, not lines.
    pub(crate) keys: bool,
    pub(crate) command: Option<CommandLine<'a>>,
}

/// A line that the daemon makes of a command for a shell: no secret, shown or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandLine<'a> {
    /// The shell shows secrets in it, until it prints this.
    pub(crate) cut_echo: Option<&'a str>,
}

/// A recording while it goes on.
#[derive(Debug)]
pub(crate) struct Recording {
    state: Mutex<State>,
    path: PathBuf,
}

#[derive(Debug)]
struct State {
    journal: Journal,
    redacts: bool,
    /// Of the newest exchange.
    number: u64,
    open: Option<Open>,
    /// Microseconds, offset and length of output that may go on.
    piece: Option<(u64, u64, u64)>,
    /// Lines for the journal.
    lines: Vec<u8>,
    /// Where the terminal never echoes: what is asked for tells whether it is a secret.
    prompt: Option<PromptTracker>,
    /// Why nothing more is recorded.
    problem: Option<String>,
}

/// The input of the newest exchange.
#[derive(Debug, Clone)]
struct Open {
    at_us: u64,
    offset: u64,
    raw: Vec<u8>,
    hidden: bool,
    keys: bool,
    is_command: bool,
    cut_echo: Option<String>,
    echo: EchoFollower,
    /// Output since it was typed.
    printed: Vec<u8>,
    /// Something was printed behind it.
    is_answered: bool,
    /// All of it is in the journal.
    is_written: bool,
}

/// What the next worker must know, because no file may have it: the last input as it was typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptRecording {
    journal: PathBuf,
    redacts: bool,
    is_plain: bool,
    number: u64,
    open: Option<KeptInput>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptInput {
    at_us: u64,
    offset: u64,
    raw: Vec<u8>,
    hidden: bool,
    keys: bool,
    is_written: bool,
    #[serde(default)]
    is_command: bool,
    #[serde(default)]
    cut_echo: Option<String>,
}

impl Open {
    fn ends_line(&self) -> bool {
        matches!(self.raw.last(), Some(b'\r' | b'\n' | &END_OF_INPUT))
    }

    /// Whether the next keys belong to the same line.
    fn goes_on(&self) -> bool {
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

    /// Whether a program that reads keys has shown it, or may do without: then it is no secret.
    fn is_shown(&self) -> bool {
        if !self.keys || self.is_command {
            return !self.hidden;
        }
        let printed = without_blanks(&clean_lossy(&self.printed, encoding_rs::UTF_8));
        self.visible_lines()
            .all(|line| line.chars().count() < MIN_SECRET_CHARS || printed.contains(&line))
    }

    /// As the tape may have it.
    fn entry(&self, number: u64, redacts: bool, is_whole: bool) -> InputEntry {
        let (bytes, removed) = match (self.hidden, redacts) {
            (true, _) => {
                let lines = self.line_count().saturating_sub(1);
                let mut mask = format!("{MASK}\r").repeat(lines).into_bytes();
                mask.extend_from_slice(MASK.as_bytes());
                mask.extend(self.raw.last().filter(|_| self.ends_line()));
                (mask, 1)
            }
            (false, false) => (self.raw.clone(), 0),
            (false, true) => redacted(&self.raw, is_whole),
        };
        InputEntry {
            number,
            at_us: self.at_us,
            offset: self.offset,
            bytes,
            hidden: self.hidden,
            keys: self.keys,
            removed,
            cut_echo: self.cut_echo.clone(),
        }
    }
}

impl Recording {
    /// Begins to record; `root` is the folder of the tapes.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub(crate) fn begin(root: &Path, begin: Begin, is_plain: bool) -> io::Result<Self> {
        let redacts = begin.options.redact != Some(false);
        let journal = Journal::create(root, begin)?;
        Ok(Self::with(journal, redacts, is_plain, 0, None))
    }

    /// Goes on with what an earlier process has begun. `printed` reads the output from an offset on.
    ///
    /// # Errors
    ///
    /// The journal is gone.
    pub(crate) fn resume(
        kept: KeptRecording,
        printed: impl FnOnce(u64) -> Vec<u8>,
    ) -> io::Result<Self> {
        let journal = Journal::resume(kept.journal)?;
        let open = kept.open.map(|kept| {
            let printed = printed(kept.offset);
            let mut echo = EchoFollower::default();
            echo.typed(&kept.raw);
            echo.printed(&printed);
            Open {
                at_us: kept.at_us,
                offset: kept.offset,
                raw: kept.raw,
                hidden: kept.hidden,
                keys: kept.keys,
                is_command: kept.is_command,
                cut_echo: kept.cut_echo,
                echo,
                is_answered: !printed.is_empty(),
                printed,
                is_written: kept.is_written,
            }
        });
        Ok(Self::with(
            journal,
            kept.redacts,
            kept.is_plain,
            kept.number,
            open,
        ))
    }

    fn with(
        journal: Journal,
        redacts: bool,
        is_plain: bool,
        number: u64,
        open: Option<Open>,
    ) -> Self {
        Self {
            path: journal.path().to_owned(),
            state: Mutex::new(State {
                journal,
                redacts,
                number,
                open,
                piece: None,
                lines: Vec::new(),
                prompt: is_plain.then(PromptTracker::default),
                problem: None,
            }),
        }
    }

    /// For the next worker.
    pub(crate) fn kept(&self) -> KeptRecording {
        let state = self.lock();
        KeptRecording {
            journal: self.path.clone(),
            redacts: state.redacts,
            is_plain: state.prompt.is_some(),
            number: state.number,
            open: state.open.as_ref().map(|open| KeptInput {
                at_us: open.at_us,
                offset: open.offset,
                raw: open.raw.clone(),
                hidden: open.hidden,
                keys: open.keys,
                is_written: open.is_written,
                is_command: open.is_command,
                cut_echo: open.cut_echo.clone(),
            }),
        }
    }

    pub(crate) fn journal(&self) -> &Path {
        &self.path
    }

    /// Exchanges so far, with the program's start.
    pub(crate) fn exchanges(&self) -> u64 {
        self.lock().number + 1
    }

    /// Why nothing more is recorded.
    pub(crate) fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Something was typed. In the file when this returns, but for what may yet prove to be a secret: true when
    /// there is some, which only [`Self::kept`] has.
    pub(crate) fn typed(&self, typed: Typed<'_>) -> bool {
        let mut state = self.lock();
        let at_us = now_us();
        state.close_piece();
        if typed.bytes == [END_OF_INPUT] && state.has_ended_input() {
            // Typed again until it is heard: once says it.
            return false;
        }
        let hidden = typed.is_secret
            || match &state.prompt {
                Some(prompt) => asks_for_secret(&prompt.prompt()),
                None => typed.unseen,
            };
        let goes_on = state
            .open
            .as_ref()
            .is_some_and(|open| open.goes_on() && open.keys == typed.keys);
        if goes_on {
            let number = state.number;
            state.note(&Entry::Key { number, at_us });
        } else {
            state.settle();
            state.number += 1;
            state.open = Some(Open {
                at_us,
                offset: typed.offset,
                raw: Vec::new(),
                hidden: false,
                keys: typed.keys,
                is_command: false,
                cut_echo: None,
                echo: EchoFollower::default(),
                printed: Vec::new(),
                is_answered: false,
                is_written: false,
            });
        }
        if let Some(open) = &mut state.open {
            open.raw.extend_from_slice(typed.bytes);
            open.echo.typed(typed.bytes);
            open.hidden |= hidden;
            if let Some(command) = typed.command {
                open.is_command = true;
                open.cut_echo = command.cut_echo.map(str::to_owned);
            }
            open.is_written = false;
        }
        state.try_write_input();
        state.write();
        state.open.as_ref().is_some_and(|open| !open.is_written)
    }

    /// Output has come.
    pub(crate) fn printed(&self, bytes: &[u8], offset: u64) {
        let mut state = self.lock();
        if let Some(prompt) = &mut state.prompt {
            prompt.feed(bytes);
        }
        if let Some(open) = &mut state.open {
            open.echo.printed(bytes);
            open.is_answered = true;
            if !open.is_written {
                let room = ECHO_BYTES.saturating_sub(open.printed.len());
                open.printed
                    .extend_from_slice(&bytes[..bytes.len().min(room)]);
                state.try_write_input();
            }
        }
        let (now, len) = (now_us(), bytes.len() as u64);
        match &mut state.piece {
            Some((at, from, have))
                if now.saturating_sub(*at) < CHUNK_US
                    && *from + *have == offset
                    && *have + len <= MAX_CHUNK_BYTES =>
            {
                *have += len;
            }
            _ => {
                state.close_piece();
                state.piece = Some((now, offset, len));
            }
        }
    }

    /// Writes what was noted. Whoever calls may wait for the disk.
    pub(crate) fn flush(&self) {
        let mut state = self.lock();
        let is_due = |(at, _, _): (u64, u64, u64)| now_us().saturating_sub(at) >= CHUNK_US;
        if state.piece.is_some_and(is_due) {
            state.close_piece();
        }
        state.write();
    }

    /// Everything is noted; the last line says how it ended.
    pub(crate) fn end(&self, end: EndEntry) {
        let mut state = self.lock();
        state.close_piece();
        state.settle();
        state.note(&Entry::End(end));
        state.write();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The end of the input was typed, and nothing was printed since.
    fn has_ended_input(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| !open.is_answered && open.raw.last() == Some(&END_OF_INPUT))
    }

    fn note(&mut self, entry: &Entry) {
        if self.lines.len() > MAX_WAITING_BYTES {
            self.write();
        }
        if self.problem.is_none() {
            self.lines.extend_from_slice(&line_of(entry));
        }
    }

    fn close_piece(&mut self) {
        if let Some((at, offset, len)) = self.piece.take() {
            self.note(&Entry::Output(at, offset, len));
        }
    }

    /// Notes the open input as far as it is decided that it can be.
    fn try_write_input(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        if !open.is_written && (open.hidden || open.is_shown()) {
            let is_whole = open.ends_line() || open.hidden;
            let entry = open.entry(self.number, self.redacts, is_whole);
            open.is_written = is_whole;
            if open.is_written {
                open.printed = Vec::new();
            }
            self.note(&Entry::Input(entry));
        }
        self.open = Some(open);
    }

    /// Nothing more belongs to the open input: what was not shown by now was hidden.
    fn settle(&mut self) {
        if let Some(mut open) = self.open.take()
            && !open.is_written
        {
            open.hidden |= !open.is_shown();
            let entry = open.entry(self.number, self.redacts, true);
            self.note(&Entry::Input(entry));
        }
    }

    fn write(&mut self) {
        if self.lines.is_empty() {
            return;
        }
        if let Err(error) = self.journal.append(&self.lines) {
            let path = self.journal.path().display();
            self.problem = Some(format!(
                "nothing more is recorded: {path} cannot be written: {error}"
            ));
        }
        self.lines.clear();
    }
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

/// Whether a prompt asks for something that nobody should see.
fn asks_for_secret(prompt: &str) -> bool {
    let prompt = prompt.trim_end().to_ascii_lowercase();
    let asks = prompt.ends_with(':') || prompt.ends_with('?');
    asks && SECRET_WORDS.iter().any(|word| prompt.contains(word))
}

/// Line editors wrap and redraw, so blanks do not count.
fn without_blanks(text: &str) -> String {
    let counts = |c: &char| !c.is_whitespace() && !c.is_control();
    text.chars().filter(counts).collect()
}
