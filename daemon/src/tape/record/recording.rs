//! The recording of one session: what it notes while the program runs.

use super::asked::asks_for_secret;
use super::echo::EchoFollower;
use super::journal::{Begin, EndEntry, Entry, Journal, line_of, now_us};
use super::kept::{KeptInput, KeptRecording};
use super::open::Open;
use super::resume::Resumption;
use super::secrets::{Again, Secrets};
use super::typed::{Noted, Typed};
use crate::canonical::END_OF_INPUT;
use crate::redact::{SecretLines, Source, TypedLines, secret_texts};
use crate::tape::key::PromptTracker;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Output that came within this time is one chunk: delays are whole milliseconds.
const CHUNK_US: u64 = 1_000;

/// Longest chunk.
const MAX_CHUNK_BYTES: u64 = 64 << 10;

/// Output in which a typed line is looked for.
pub(crate) const ECHO_BYTES: usize = 16 << 10;

/// Noted but not written.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// A recording while it goes on.
#[derive(Debug)]
pub(crate) struct Recording {
    state: Mutex<State>,
    path: PathBuf,
}

#[derive(Debug)]
struct State {
    /// `None` when it is gone.
    journal: Option<Journal>,
    redacts: bool,
    /// Of the newest exchange.
    number: u64,
    open: Option<Open>,
    /// The lines before the open input, where they have begun a secret.
    typed: TypedLines,
    /// Microseconds, offset and length of output that may go on.
    piece: Option<(u64, u64, u64)>,
    /// Lines for the journal.
    lines: Vec<u8>,
    /// Where the terminal never echoes: what is asked for tells whether it is a secret.
    prompt: Option<PromptTracker>,
    /// What was typed hidden or recognised, the last ones: no tape shows it where the program prints it, or it is typed
    /// again.
    secrets: Secrets,
    /// Why they cannot be written.
    problem: Option<String>,
    /// Nothing more is recorded.
    has_stopped: bool,
}

impl Recording {
    /// Begins to record in a journal at `path`; `known` are the secrets that the program was started with.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub(crate) fn begin(
        path: PathBuf,
        begin: Begin,
        is_plain: bool,
        known: &[String],
    ) -> io::Result<Self> {
        let redacts = begin.options.redact != Some(false);
        let journal = Journal::create(path.clone(), begin)?;
        let mut state = State::new(Some(journal), redacts, 0, None);
        state.prompt = is_plain.then(PromptTracker::default);
        state.secrets.recognise(known);
        Ok(Self::with(path, state))
    }

    /// Goes on with what an earlier process has begun. `printed` is the output from [`Resumption::offset`] on, `tail`
    /// its end.
    ///
    /// Where the journal is gone nothing more is recorded: see [`Self::problem`].
    pub(crate) fn resume(
        kept: KeptRecording,
        resumption: io::Result<Resumption>,
        printed: Vec<u8>,
        tail: &[u8],
    ) -> Self {
        let resumption = match resumption {
            Ok(resumption) => resumption,
            Err(error) => {
                let mut state = State::new(None, kept.redacts, kept.number, None);
                state.has_stopped = true;
                state.problem = Some(stopped(&kept.journal, &error));
                return Self::with(kept.journal, state);
            }
        };
        let open = resumption.open.map(|kept| {
            let mut echo = EchoFollower::default();
            echo.typed(&kept.raw);
            echo.printed(&printed);
            Open {
                at_us: kept.at_us,
                offset: kept.offset,
                raw: kept.raw,
                hidden: kept.hidden,
                keys: kept.keys,
                needs_no_echo: kept.needs_no_echo,
                cut_echo: kept.cut_echo,
                private_key: kept.private_key,
                is_followed: kept.private_key,
                goes_on_with_secret: false,
                echo,
                is_answered: !printed.is_empty(),
                printed,
                is_written: kept.is_written,
            }
        });
        let journal = Some(resumption.journal);
        let mut state = State::new(journal, kept.redacts, resumption.number, open);
        state.typed = kept.lines;
        state.secrets = Secrets::of(kept.secrets, kept.recognised);
        state.prompt = kept.is_plain.then(|| {
            let mut prompt = PromptTracker::default();
            prompt.feed(tail);
            prompt
        });
        Self::with(kept.journal, state)
    }

    fn with(path: PathBuf, state: State) -> Self {
        let state = Mutex::new(state);
        Self { state, path }
    }

    /// For the next worker.
    pub(crate) fn kept(&self) -> KeptRecording {
        let state = self.lock();
        KeptRecording {
            journal: self.path.clone(),
            redacts: state.redacts,
            is_plain: state.prompt.is_some(),
            number: state.number,
            lines: state.typed,
            secrets: state.secrets.hidden(),
            recognised: state.secrets.recognised(),
            open: state.open.as_ref().map(|open| KeptInput {
                at_us: open.at_us,
                offset: open.offset,
                raw: open.raw.clone(),
                hidden: open.hidden,
                keys: open.keys,
                is_written: open.is_written,
                needs_no_echo: open.needs_no_echo,
                cut_echo: open.cut_echo.clone(),
                private_key: open.private_key,
            }),
        }
    }

    pub(crate) fn journal(&self) -> &Path {
        &self.path
    }

    /// What was typed hidden, of a session whose terminal never echoes: there the session takes everything for hidden.
    pub(crate) fn hidden(&self) -> Option<Vec<String>> {
        let state = self.lock();
        let is_plain = state.prompt.is_some();
        is_plain.then(|| state.secrets.hidden())
    }

    /// What is known for a secret by its name.
    pub(crate) fn recognised(&self) -> Vec<String> {
        self.lock().secrets.recognised()
    }

    /// Exchanges so far, with the program's start.
    pub(crate) fn exchanges(&self) -> u64 {
        self.lock().number + 1
    }

    /// Why not everything is in the journal.
    pub(crate) fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Something was typed. In the file when this returns; what may yet prove to be a secret as a mask.
    pub(crate) fn typed(&self, typed: Typed<'_>) -> Noted {
        let mut state = self.lock();
        let at_us = now_us();
        state.close_piece();
        if typed.bytes == [END_OF_INPUT] && state.has_ended_input() {
            // Typed again until it is heard: once says it.
            return Noted::default();
        }
        let hidden = typed.is_secret
            || match &state.prompt {
                Some(prompt) => typed.unseen || asks_for_secret(&prompt.prompt()),
                None => typed.unseen,
            };
        // Line editors do not echo where the terminal does not.
        let never_echoes = state.prompt.is_some();
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
                needs_no_echo: never_echoes,
                cut_echo: None,
                private_key: false,
                is_followed: false,
                goes_on_with_secret: false,
                echo: EchoFollower::default(),
                printed: Vec::new(),
                is_answered: false,
                is_written: false,
            });
        }
        if hidden {
            state.secrets.remember(typed.bytes, goes_on);
        }
        if let Some(open) = &mut state.open {
            open.raw.extend_from_slice(typed.bytes);
            open.echo.typed(typed.bytes);
            open.hidden |= hidden;
            if let Some(command) = typed.command {
                open.needs_no_echo = true;
                open.cut_echo = command.cut_echo.map(str::to_owned);
            }
            open.is_written = false;
        }
        state.try_write_input(true);
        state.write();
        let open = state.open.as_ref();
        Noted {
            must_keep: open.is_some_and(|open| !open.is_written),
            is_secret: open.is_some_and(|open| open.goes_on_with_secret),
        }
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
                state.try_write_input(false);
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

    /// Everything is noted; the last line says how it ended. Returns what the journal has no room for.
    pub(crate) fn end(&self, end: EndEntry) -> Vec<u8> {
        let mut state = self.lock();
        state.close_piece();
        state.settle();
        state.note(&Entry::End(end));
        state.write();
        state.lines.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(journal: Option<Journal>, redacts: bool, number: u64, open: Option<Open>) -> Self {
        Self {
            journal,
            redacts,
            number,
            open,
            typed: TypedLines::default(),
            piece: None,
            lines: Vec::new(),
            prompt: None,
            secrets: Secrets::default(),
            problem: None,
            has_stopped: false,
        }
    }

    /// The end of the input was typed, and nothing was printed since.
    fn has_ended_input(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| !open.is_answered && open.raw.last() == Some(&END_OF_INPUT))
    }

    fn note(&mut self, entry: &Entry) {
        if self.lines.len() > MAX_WAITING_BYTES {
            self.write();
            if self.lines.len() > MAX_WAITING_BYTES && !self.has_stopped {
                self.stop(entry);
            }
        }
        if !self.has_stopped {
            self.lines.extend_from_slice(&line_of(entry));
        }
    }

    /// The tape ends before this entry: nothing that comes later may be taken for the answer to what is noted.
    fn stop(&mut self, entry: &Entry) {
        self.has_stopped = true;
        let offset = match entry {
            Entry::Input(input) => input.offset,
            Entry::Output(_, offset, _) => *offset,
            Entry::End(end) => end.offset,
            Entry::Begin(_) | Entry::Key { .. } => return,
        };
        let end = EndEntry {
            exit: None,
            reason: String::from("recording_stopped"),
            offset,
        };
        self.lines.extend_from_slice(&line_of(&Entry::End(end)));
        if let Some(problem) = &mut self.problem {
            problem.push_str("; recording has stopped");
        }
    }

    fn close_piece(&mut self) {
        if let Some((at, offset, len)) = self.piece.take() {
            self.note(&Entry::Output(at, offset, len));
        }
    }

    /// Notes the open input as far as it is decided that it can be; `is_new`: something was typed.
    fn try_write_input(&mut self, is_new: bool) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let may_go_on = self.redacts && self.typed.may_take(&open.raw);
        if may_go_on && open.ends_line() {
            self.follow(&mut open);
        }
        let is_over = open.ends_line() || !open.goes_on();
        let again = match open.hidden {
            true => Again::No,
            false => self.secrets.again(&open.raw),
        };
        open.hidden |= again == Again::Yes;
        let is_held_back = (may_go_on || again == Again::MayBe) && !open.ends_line();
        let is_shown = !is_held_back && open.is_shown(is_over);
        if !open.is_written && (open.hidden || is_shown) {
            let is_whole = open.ends_line() || open.hidden;
            self.note_input(&open, is_whole || open.is_decided());
            open.is_written = is_whole;
            if open.is_written {
                open.printed = Vec::new();
            }
        } else if !open.is_written && is_new {
            self.note(&Entry::Input(open.stand_in(self.number)));
        }
        self.open = Some(open);
    }

    /// Nothing more belongs to the open input: what was not shown by now was hidden.
    fn settle(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        self.follow(&mut open);
        if !open.is_written {
            open.hidden |= !open.is_shown(true) || self.secrets.again(&open.raw) == Again::Yes;
            self.note_input(&open, true);
        }
    }

    /// Notes an input, and remembers what no tape may have of it.
    fn note_input(&mut self, open: &Open, is_whole: bool) {
        let entry = open.entry(self.number, self.redacts, is_whole);
        if is_whole && !open.hidden && entry.removed > 0 {
            let found = secret_texts(&open.raw, Source::Typed);
            self.secrets.recognise(&found);
        }
        self.note(&Entry::Input(entry));
    }

    /// An input is complete: what goes on with a secret is kept no more than what was typed unseen.
    fn follow(&mut self, open: &mut Open) {
        if !self.redacts || open.is_followed {
            return;
        }
        open.is_followed = true;
        if let Some(SecretLines {
            is_private_key,
            texts,
        }) = self.typed.take(&open.raw)
        {
            open.private_key = is_private_key;
            open.goes_on_with_secret = true;
            open.hidden = true;
            texts.into_iter().for_each(|text| self.secrets.add(text));
        }
    }

    /// Writes the lines; where that cannot be, they wait for the next time.
    fn write(&mut self) {
        let Some(journal) = &mut self.journal else {
            return;
        };
        if self.lines.is_empty() {
            return;
        }
        match journal.append(&self.lines) {
            Ok(()) => {
                self.lines.clear();
                if !self.has_stopped {
                    self.problem = None;
                }
            }
            Err(error) if self.problem.is_none() => {
                let problem = unwritten(&journal.path, &error);
                tracing::error!(problem, "the recording is kept in memory");
                self.problem = Some(problem);
            }
            Err(_) => {}
        }
    }
}

fn unwritten(journal: &Path, error: &io::Error) -> String {
    format!(
        "the journal {} cannot be written: {error}",
        journal.display()
    )
}

fn stopped(journal: &Path, error: &io::Error) -> String {
    format!(
        "recording has stopped: {} cannot be used: {error}",
        journal.display()
    )
}
