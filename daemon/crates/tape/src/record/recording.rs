//! The recording of one session while its program runs.

use super::journal::{Begin, EndEntry, Journal, JournalEntry, line_of, now_us};
use super::open::{ECHO_BYTES, NotedInput, OpenInput, TypedBytes};
use super::resume::{KeptRecording, Resumption};
use crate::key::PromptTracker;
use ccd_text::canonical::END_OF_INPUT;
use ccd_text::hidden::{HiddenTexts, asks_for_secret};
use ccd_text::redact::{Source, TypedLines, redact_chunks};
use parking_lot::Mutex;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Output within this time becomes one chunk, because delays are whole milliseconds.
const CHUNK_US: u64 = 1_000;

const MAX_CHUNK_BYTES: u64 = 64 << 10;

/// Maximum length of the entries that are not written yet.
const MAX_WAITING_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub struct Recording {
    state: Mutex<RecordingState>,
    path: PathBuf,
    /// Texts that must not be on a tape, whether printed by the program or typed again.
    hidden: Arc<HiddenTexts>,
}

#[derive(Debug, Default)]
struct RecordingState {
    /// `None` if it was removed.
    journal: Option<Journal>,
    redacts: bool,
    /// Number of the newest exchange.
    number: u64,
    open: Option<OpenInput>,
    /// What was printed since the next input is being typed, up to [`ECHO_BYTES`].
    early: Option<Vec<u8>>,
    /// The lines before the open input, if they started a secret.
    typed: TypedLines,
    /// Microseconds, offset and length of the last output, which may be extended.
    piece: Option<(u64, u64, u64)>,
    /// Lines to be written to the journal.
    lines: Vec<u8>,
    /// Set if the terminal never echoes: then the prompt shows whether an input is a secret.
    prompt: Option<PromptTracker>,
    hidden: Arc<HiddenTexts>,
    /// More secrets are known than were handed to the holder for the next worker.
    has_learned: bool,
    /// Why the lines cannot be written.
    problem: Option<String>,
    /// Recording has stopped.
    has_stopped: bool,
}

impl Recording {
    /// Starts a recording with a journal at `path`. `hidden` are the secrets of the session.
    pub fn begin(
        path: PathBuf,
        begin: Begin,
        is_plain: bool,
        hidden: Arc<HiddenTexts>,
    ) -> io::Result<Self> {
        let redacts = begin.options.redact != Some(false);
        let journal = Journal::create(path.clone(), begin)?;
        let mut state = RecordingState::new(Some(journal), redacts, 0, hidden);
        state.prompt = is_plain.then(PromptTracker::default);
        Ok(Self::with(path, state))
    }

    /// Continues the recording of an earlier worker. `printed` is the output from [`Resumption::offset`], `tail` the
    /// end of it.
    /// If the journal is missing, nothing more is recorded: see [`Self::problem`].
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
                let mut state = RecordingState::new(None, kept.redacts, kept.number, hidden);
                state.has_stopped = true;
                let path = kept.journal.display();
                let problem = format!("recording has stopped: {path} cannot be used: {error}");
                state.problem = Some(problem);
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
        let mut state = RecordingState::new(journal, kept.redacts, resumption.number, hidden);
        state.open = resumption.open.map(|open| open.resumed(printed));
        state.typed = kept.lines;
        state.prompt = kept.is_plain.then(|| PromptTracker::after(tail));
        state.note_complete();
        Self::with(kept.journal, state)
    }

    fn with(path: PathBuf, state: RecordingState) -> Self {
        Self {
            hidden: Arc::clone(&state.hidden),
            state: Mutex::new(state),
            path,
        }
    }

    pub fn kept(&self) -> KeptRecording {
        let state = self.state.lock();
        let is_plain = state.prompt.is_some();
        let mut open = state.open.clone();
        if let Some(open) = &mut open {
            // Lines that are still in memory are lost if this worker is killed.
            open.is_written &= state.lines.is_empty();
        }
        KeptRecording {
            journal: self.path.clone(),
            redacts: state.redacts,
            is_plain,
            number: state.number,
            lines: state.typed,
            secrets: if is_plain {
                self.hidden.texts()
            } else {
                Vec::new()
            },
            recognised: self.hidden.recognised(),
            open,
        }
    }

    pub fn journal(&self) -> &Path {
        &self.path
    }

    pub fn hidden(&self) -> &HiddenTexts {
        &self.hidden
    }

    /// Returns the number of exchanges so far, including the start of the program.
    pub fn exchanges(&self) -> u64 {
        self.state.lock().number + 1
    }

    /// Returns why the journal is incomplete.
    pub fn problem(&self) -> Option<String> {
        self.state.lock().problem.clone()
    }

    /// To be called before bytes are typed: the program may answer the first ones while the last ones are written. What
    /// is printed from now on belongs to them.
    pub fn typing(&self) -> TypingGuard<'_> {
        self.state.lock().early = Some(Vec::new());
        TypingGuard(self)
    }

    fn note_typed(&self, typed: TypedBytes<'_>) -> NotedInput {
        let mut state = self.state.lock();
        let at_us = now_us();
        state.close_piece();
        if typed.bytes == [END_OF_INPUT] && state.has_ended_input() {
            // The same bytes are typed repeatedly until the program reads them; one note is enough.
            return NotedInput::default();
        }
        let prompt = state.prompt.as_ref();
        let asks = || prompt.is_some_and(|prompt| asks_for_secret(&prompt.prompt()));
        let hidden = typed.is_secret || typed.unseen || asks();
        let open = state.open.as_ref();
        if open.is_some_and(|open| open.goes_on() && open.keys == typed.keys) {
            let number = state.number;
            let len_bytes = if hidden { 0 } else { typed.bytes.len() as u64 };
            state.note(&JournalEntry::Key {
                number,
                at_us,
                len_bytes,
            });
        } else {
            state.settle(false);
            state.number += 1;
            // Line editors do not echo if the terminal never does.
            let never_echoes = state.prompt.is_some();
            state.open = Some(OpenInput::new(at_us, &typed, never_echoes));
        }
        if let Some(open) = &mut state.open {
            open.typed(&typed, hidden);
        }
        state.end_typing();
        state.note_complete();
        state.write();
        let has_learned = std::mem::take(&mut state.has_learned);
        let open = state.open.as_ref();
        NotedInput {
            must_keep: has_learned || open.is_some_and(|open| !open.is_written),
            is_secret: open.is_some_and(|open| open.goes_on_with_secret),
        }
    }

    pub fn printed(&self, bytes: &[u8], offset: u64) {
        let mut state = self.state.lock();
        if let Some(prompt) = &mut state.prompt {
            prompt.feed(bytes);
        }
        if let Some(early) = &mut state.early {
            let room = ECHO_BYTES.saturating_sub(early.len());
            early.extend_from_slice(&bytes[..bytes.len().min(room)]);
        } else if let Some(open) = &mut state.open {
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

    pub fn resized(&self, rows: u16, cols: u16) {
        let mut state = self.state.lock();
        state.close_piece();
        let at_us = now_us();
        state.note(&JournalEntry::Resize { at_us, rows, cols });
    }

    /// Writes the entries. The caller must be able to wait for the disk.
    pub fn flush(&self) {
        let mut state = self.state.lock();
        let is_due = |(at, _, _): (u64, u64, u64)| now_us().saturating_sub(at) >= CHUNK_US;
        if state.piece.is_some_and(is_due) {
            state.close_piece();
        }
        state.write();
    }

    /// Ends the recording; the last line says how.
    pub fn end(&self, end: EndEntry) {
        let mut state = self.state.lock();
        state.close_piece();
        // An input after which the program exits is complete, such as a key in a menu.
        state.settle(end.exit.is_none());
        state.note(&JournalEntry::End(end));
        state.write();
    }

    /// Returns the lines that could not be written to the journal.
    pub fn unwritten(&self) -> Vec<u8> {
        self.state.lock().lines.clone()
    }
}

/// Bytes that are being typed.
#[must_use]
#[derive(Debug)]
pub struct TypingGuard<'a>(&'a Recording);

impl TypingGuard<'_> {
    /// Records the bytes that were typed. When this returns, a complete input is in the file, as a mask if it may be a
    /// secret.
    pub fn typed(self, typed: TypedBytes<'_>) -> NotedInput {
        self.0.note_typed(typed)
    }
}

impl Drop for TypingGuard<'_> {
    /// If nothing was typed, what was printed belongs to what was typed before.
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        if state.early.is_some() {
            state.end_typing();
            state.note_complete();
        }
    }
}

impl RecordingState {
    fn new(journal: Option<Journal>, redacts: bool, number: u64, hidden: Arc<HiddenTexts>) -> Self {
        Self {
            journal,
            redacts,
            number,
            hidden,
            ..Self::default()
        }
    }

    fn end_typing(&mut self) {
        if let (Some(early), Some(open)) = (self.early.take(), &mut self.open)
            && !early.is_empty()
        {
            open.printed(&early);
        }
    }

    /// Returns whether the input's end was typed, and nothing was printed since.
    fn has_ended_input(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| !open.is_answered && open.raw.last() == Some(&END_OF_INPUT))
    }

    fn note(&mut self, entry: &JournalEntry) {
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

    /// Ends the tape before this entry, so that no later output is taken for the answer to an earlier input.
    fn stop(&mut self, entry: &JournalEntry) {
        self.has_stopped = true;
        let offset = match entry {
            JournalEntry::Input(input) => input.offset,
            JournalEntry::Output(_, offset, _) => *offset,
            JournalEntry::End(end) => end.offset,
            JournalEntry::Begin(_) | JournalEntry::Key { .. } | JournalEntry::Resize { .. } => {
                return;
            }
        };
        let end = EndEntry {
            exit: None,
            reason: String::from("recording_stopped"),
            offset,
            at_us: now_us(),
        };
        self.lines
            .extend_from_slice(&line_of(&JournalEntry::End(end)));
        if let Some(problem) = &mut self.problem {
            problem.push_str("; recording has stopped");
        }
    }

    fn close_piece(&mut self) {
        if let Some((at, offset, len)) = self.piece.take() {
            self.note(&JournalEntry::Output(at, offset, len));
        }
    }

    /// Notes the open input if it is complete: at once as a mask while it may be a secret, later as it is.
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

    /// Completes the open input: if it was not shown by now, it was hidden. `is_cut`: it has no answer either.
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

    /// Checks an input for secrets: hidden input, of this or an earlier line, and a line that continues a secret.
    fn complete(&mut self, open: &mut OpenInput) {
        open.is_complete = true;
        if open.hidden {
            let text = String::from_utf8_lossy(&open.raw);
            self.has_learned |= self.hidden.remember(&text);
        }
        if self.redacts {
            let before = self.typed;
            if let Some(lines) = self.typed.take(&open.raw, false) {
                open.private_key = lines.is_private_key;
                open.goes_on_with_secret = true;
                open.hidden = true;
                lines.texts.iter().for_each(|text| self.hidden.add(text));
            }
            self.has_learned |= self.typed != before;
        }
        open.hidden |= self.hidden.are_in(&open.raw);
    }

    /// Notes an input, and remembers its secrets.
    fn note_input(&mut self, open: &OpenInput, unfinished: bool) {
        let mut entry = open.entry(self.number, self.redacts);
        entry.unfinished = unfinished;
        if self.redacts && (entry.hidden || entry.removed > 0) {
            let found = redact_chunks([&open.raw[..]], Source::Typed).texts;
            self.has_learned |= self.hidden.recognise(&found);
        }
        self.note(&JournalEntry::Input(entry));
    }

    /// Writes the lines; if that fails, they are kept for the next attempt.
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
                let path = journal.path.display();
                let problem = format!("the journal {path} cannot be written: {error}");
                tracing::error!(problem, "the recording is kept in memory");
                self.problem = Some(problem);
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "recording_tests.rs"]
mod tests;
