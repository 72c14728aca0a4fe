//! The recording of one session: what it notes while the program runs.

use super::asked::asks_for_secret;
use super::journal::{Begin, EndEntry, Entry, Journal, line_of, now_us};
use super::kept::KeptRecording;
use super::open::Open;
use super::resume::Resumption;
use super::typed::{Noted, Typed};
use crate::key::PromptTracker;
use ccd_text::canonical::END_OF_INPUT;
use ccd_text::hidden::HiddenTexts;
use ccd_text::redact::{Source, TypedLines, secret_texts};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Output that came within this time is one chunk: delays are whole milliseconds.
const CHUNK_US: u64 = 1_000;

/// Longest chunk.
const MAX_CHUNK_BYTES: u64 = 64 << 10;

/// Noted but not written.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// A recording while it goes on.
#[derive(Debug)]
pub struct Recording {
    state: Mutex<State>,
    path: PathBuf,
    /// What no tape shows where the program prints it, or it is typed again.
    hidden: Arc<HiddenTexts>,
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
    hidden: Arc<HiddenTexts>,
    /// More is known of secrets than the next worker would get.
    has_learned: bool,
    /// Why they cannot be written.
    problem: Option<String>,
    /// Nothing more is recorded.
    has_stopped: bool,
}

impl Recording {
    /// Begins to record in a journal at `path`. `hidden` are the secrets of the session.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub fn begin(
        path: PathBuf,
        begin: Begin,
        is_plain: bool,
        hidden: Arc<HiddenTexts>,
    ) -> io::Result<Self> {
        let redacts = begin.options.redact != Some(false);
        let journal = Journal::create(path.clone(), begin)?;
        let mut state = State::new(Some(journal), redacts, 0, hidden);
        state.prompt = is_plain.then(PromptTracker::default);
        Ok(Self::with(path, state))
    }

    /// Goes on with what an earlier process has begun. `printed` is the output from [`Resumption::offset`] on, `tail`
    /// its end.
    ///
    /// Where the journal is gone nothing more is recorded: see [`Self::problem`].
    pub fn resume(
        kept: KeptRecording,
        resumption: io::Result<Resumption>,
        hidden: Arc<HiddenTexts>,
        printed: &[u8],
        tail: &[u8],
    ) -> Self {
        let resumption = match resumption {
            Ok(resumption) => resumption,
            Err(error) => {
                let mut state = State::new(None, kept.redacts, kept.number, hidden);
                state.has_stopped = true;
                state.problem = Some(stopped(&kept.journal, &error));
                return Self::with(kept.journal, state);
            }
        };
        for text in &kept.secrets {
            hidden.remember(text);
        }
        for line in &kept.recognised {
            hidden.add(line);
        }
        let journal = Some(resumption.journal);
        let mut state = State::new(journal, kept.redacts, resumption.number, hidden);
        state.open = resumption.open.map(|open| open.resumed(printed));
        state.typed = kept.lines;
        state.prompt = kept.is_plain.then(|| {
            let mut prompt = PromptTracker::default();
            prompt.feed(tail);
            prompt
        });
        state.note_complete();
        Self::with(kept.journal, state)
    }

    fn with(path: PathBuf, state: State) -> Self {
        Self {
            hidden: Arc::clone(&state.hidden),
            state: Mutex::new(state),
            path,
        }
    }

    /// For the next worker.
    pub fn kept(&self) -> KeptRecording {
        let state = self.lock();
        let is_plain = state.prompt.is_some();
        KeptRecording {
            journal: self.path.clone(),
            redacts: state.redacts,
            is_plain,
            number: state.number,
            lines: state.typed,
            secrets: match is_plain {
                true => self.hidden.texts(),
                false => Vec::new(),
            },
            recognised: self.hidden.recognised(),
            open: state.open.clone(),
        }
    }

    pub fn journal(&self) -> &Path {
        &self.path
    }

    /// What no tape may show.
    pub fn hidden(&self) -> &HiddenTexts {
        &self.hidden
    }

    /// Exchanges so far, with the program's start.
    pub fn exchanges(&self) -> u64 {
        self.lock().number + 1
    }

    /// Why not everything is in the journal.
    pub fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Something was typed. Once its input is complete that is in the file when this returns, as a mask if it may be a
    /// secret.
    pub fn typed(&self, typed: Typed<'_>) -> Noted {
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
        let open = state.open.as_ref();
        if open.is_some_and(|open| open.goes_on() && open.keys == typed.keys) {
            let number = state.number;
            state.note(&Entry::Key { number, at_us });
        } else {
            state.settle(false);
            state.number += 1;
            // Line editors do not echo where the terminal does not.
            let never_echoes = state.prompt.is_some();
            state.open = Some(Open::new(at_us, &typed, never_echoes));
        }
        if let Some(open) = &mut state.open {
            open.typed(&typed, hidden);
        }
        state.note_complete();
        state.write();
        let has_learned = std::mem::take(&mut state.has_learned);
        let open = state.open.as_ref();
        Noted {
            must_keep: has_learned || open.is_some_and(|open| !open.is_written),
            is_secret: open.is_some_and(|open| open.goes_on_with_secret),
        }
    }

    /// Output has come.
    pub fn printed(&self, bytes: &[u8], offset: u64) {
        let mut state = self.lock();
        if let Some(prompt) = &mut state.prompt {
            prompt.feed(bytes);
        }
        if let Some(open) = &mut state.open {
            open.printed(bytes);
            if !open.is_written {
                state.note_complete();
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
    pub fn flush(&self) {
        let mut state = self.lock();
        let is_due = |(at, _, _): (u64, u64, u64)| now_us().saturating_sub(at) >= CHUNK_US;
        if state.piece.is_some_and(is_due) {
            state.close_piece();
        }
        state.write();
    }

    /// Everything is noted; the last line says how it ended. Returns what the journal has no room for.
    pub fn end(&self, end: EndEntry) -> Vec<u8> {
        let mut state = self.lock();
        state.close_piece();
        // What a program ends behind is finished, as the key of a menu.
        state.settle(end.exit.is_none());
        state.note(&Entry::End(end));
        state.write();
        state.lines.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(journal: Option<Journal>, redacts: bool, number: u64, hidden: Arc<HiddenTexts>) -> Self {
        Self {
            journal,
            redacts,
            number,
            open: None,
            typed: TypedLines::default(),
            piece: None,
            lines: Vec::new(),
            prompt: None,
            hidden,
            has_learned: false,
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

    /// Notes the open input if it is complete: at once, as a mask while it may be a secret, and then as it is.
    fn note_complete(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let is_new = !open.is_complete && !open.goes_on();
        if is_new {
            self.complete(&mut open);
        }
        if open.is_complete && !open.is_written {
            open.is_written = open.is_decided();
            if open.is_written || is_new {
                self.note_input(&open, false);
            }
            if open.is_written {
                open.printed = Vec::new();
            }
        }
        self.open = Some(open);
    }

    /// Nothing more belongs to the open input: what was not shown by now was hidden. `is_cut`: nor does anything answer it.
    fn settle(&mut self, is_cut: bool) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let unfinished = is_cut && open.goes_on();
        if !open.is_complete {
            self.complete(&mut open);
        }
        if !open.is_written {
            open.hidden |= !open.is_decided();
            self.note_input(&open, unfinished);
        }
    }

    /// Looks at an input for what may be on no tape: what was typed hidden, here or before, and what goes on with a secret.
    fn complete(&mut self, open: &mut Open) {
        open.is_complete = true;
        if open.hidden {
            let text = String::from_utf8_lossy(&open.raw);
            self.has_learned |= self.hidden.remember(&text);
        }
        if self.redacts {
            let before = self.typed;
            if let Some(lines) = self.typed.take(&open.raw) {
                open.private_key = lines.is_private_key;
                open.goes_on_with_secret = true;
                open.hidden = true;
                lines.texts.iter().for_each(|text| self.hidden.add(text));
            }
            self.has_learned |= self.typed != before;
        }
        open.hidden |= self.hidden.are_in(&open.raw);
    }

    /// Notes an input, and remembers what no tape may have of it.
    fn note_input(&mut self, open: &Open, unfinished: bool) {
        let mut entry = open.entry(self.number, self.redacts);
        entry.unfinished = unfinished;
        if !entry.hidden && entry.removed > 0 {
            let found = secret_texts(&open.raw, Source::Typed);
            self.has_learned |= self.hidden.recognise(&found);
        }
        self.note(&Entry::Input(entry));
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

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
