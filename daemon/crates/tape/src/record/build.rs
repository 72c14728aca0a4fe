//! Makes a tape from a journal and the output that the journal refers to.

use super::journal::{Begin, EndEntry, InputEntry, JournalEntry};
use crate::format::{
    Annotations, Chunk, Exchange, InputKind, Pre, PtySize, RecordedBy, Stream, Tape, TypedInput,
};
use crate::tools::marks::{KeyPress, MAX_KEYS, ResizeMark, add_resize, set_keys};
use crate::tools::{IDLE, PRIVATE_KEY};
use ccd_text::redact::MASK;
use std::collections::BTreeMap;
use std::ops::Range;

/// Output by offset, with gaps where the log was lost.
#[derive(Debug, Clone, Default)]
pub struct PrintedOutput {
    pub start: u64,
    pub bytes: Vec<u8>,
    /// Offsets of the missing output; `bytes` continues after each gap.
    pub gaps: Vec<(u64, u64)>,
    /// Where the stream changes, by offset; before the first change it is standard output.
    pub streams: Vec<(u64, Stream)>,
    /// There was more output than a tape may contain.
    pub is_cut: bool,
}

impl PrintedOutput {
    fn between(&self, from: u64, upto: u64) -> &[u8] {
        let at = |offset: u64| {
            let missing = self.missing_between(0, offset);
            let at = offset.saturating_sub(self.start).saturating_sub(missing);
            (self.bytes.len() as u64).min(at) as usize
        };
        let (from, upto) = (at(from), at(upto));
        &self.bytes[from..upto.max(from)]
    }

    /// Returns the parts of the output between two offsets, each of one stream.
    fn parts(&self, from: u64, upto: u64) -> Vec<(u64, u64, Stream)> {
        let next = self.streams.partition_point(|&(offset, _)| offset <= from);
        let first = self.streams[..next].last();
        let mut stream = first.map_or(Stream::Stdout, |&(_, stream)| stream);
        let (mut at, mut parts) = (from, Vec::new());
        let changes = self.streams[next..].iter().copied();
        for (offset, next) in changes.take_while(|change| change.0 < upto) {
            parts.push((at, offset, stream));
            (at, stream) = (offset, next);
        }
        parts.push((at, upto, stream));
        parts
    }

    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64 + self.missing_between(0, u64::MAX)
    }

    fn missing_between(&self, from: u64, upto: u64) -> u64 {
        let missing = |&(start, end): &(u64, u64)| end.min(upto).saturating_sub(start.max(from));
        self.gaps.iter().map(missing).sum()
    }
}

pub(super) struct Journalled {
    pub(super) begin: Begin,
    /// By number, without the start of the program.
    inputs: BTreeMap<u64, InputEntry>,
    /// The times and lengths of further keys of an input.
    keys: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Changes of the terminal's size: microseconds and size.
    resizes: Vec<(u64, PtySize)>,
    /// Microseconds, offset, length.
    pieces: Vec<(u64, u64, u64)>,
    pub(super) end: Option<EndEntry>,
}

impl Journalled {
    /// Sorts the entries; `None` if the first one does not begin a journal.
    pub(super) fn from_entries(entries: Vec<JournalEntry>) -> Option<Self> {
        let mut entries = entries.into_iter();
        let Some(JournalEntry::Begin(begin)) = entries.next() else {
            return None;
        };
        let mut journalled = Self {
            begin: *begin,
            inputs: BTreeMap::new(),
            keys: BTreeMap::new(),
            resizes: Vec::new(),
            pieces: Vec::new(),
            end: None,
        };
        let mut key_count = 0;
        for entry in entries {
            match entry {
                JournalEntry::Begin(_) => {}
                JournalEntry::Input(input) => {
                    journalled.inputs.insert(input.number, input);
                }
                JournalEntry::Key {
                    number,
                    at_us,
                    len_bytes,
                } => {
                    key_count += 1;
                    let len_bytes = if key_count > MAX_KEYS { 0 } else { len_bytes };
                    let keys = journalled.keys.entry(number).or_default();
                    keys.push((at_us, len_bytes));
                }
                JournalEntry::Resize { at_us, rows, cols } => {
                    journalled.resized(at_us, PtySize { rows, cols });
                }
                JournalEntry::Output(at, offset, len) => journalled.printed(at, offset, len),
                // Nothing was recorded after the first end entry.
                JournalEntry::End(end) => journalled.end = journalled.end.or(Some(end)),
            }
        }
        Some(journalled)
    }

    /// Adds output. After the worker was killed, the same output is noted again in different parts; the first note has
    /// the right time.
    fn printed(&mut self, at: u64, offset: u64, len: u64) {
        let last = self.pieces.last();
        let (noted_at, noted) = last.map_or((0, 0), |&(at, offset, len)| (at, offset + len));
        let (start, end) = (offset.max(noted), offset + len);
        if start < end {
            self.pieces.push((at.max(noted_at), start, end - start));
        }
    }

    /// Adds a change of size, if it is one.
    fn resized(&mut self, at_us: u64, size: PtySize) {
        let last = self.resizes.last().map(|(_, last)| *last);
        if last.or(self.begin.meta.pty) != Some(size) {
            self.resizes.push((at_us, size));
        }
    }

    /// Returns the tape with everything that was recorded. Prompts and states are added when the texts are final: see
    /// [`crate::tools::chain`].
    pub(super) fn tape(mut self, printed: &PrintedOutput) -> Tape {
        let end = self.end.as_ref().map_or(printed.end(), |end| end.offset);
        let end = end.max(self.begin.offset);
        let inputs: Vec<InputEntry> = std::mem::take(&mut self.inputs).into_values().collect();
        let mut exchanges = Vec::with_capacity(inputs.len() + 1);
        let start = InputEntry {
            at_us: self.begin.at_us,
            offset: self.begin.offset,
            removed: self.begin.removed,
            ..InputEntry::default()
        };
        let first = self.begin.is_start.then_some(&start);
        let opened: Vec<&InputEntry> = first.into_iter().chain(&inputs).collect();
        for (at, input) in opened.iter().enumerate() {
            let next = opened.get(at + 1);
            let upto = next.map_or(end, |next| next.offset);
            let end_us = self.end.as_ref().map(|end| end.at_us);
            let next_us = next.map(|next| next.at_us).or(end_us);
            let mut exchange = self.exchange(input, upto, next_us, printed);
            // A tape that starts in the middle has no exchange for what was before.
            let from_us = if at == 0 { 0 } else { input.at_us };
            let within = from_us..next.map_or(u64::MAX, |next| next.at_us);
            self.note_resizes(&mut exchange.annotations, input.at_us, within);
            exchanges.push(exchange);
        }
        if let Some(last) = exchanges.last_mut() {
            last.exit = self.end.as_ref().and_then(|end| end.exit);
            let reason = self.end.map_or("daemon_killed".into(), |end| end.reason);
            if last.exit.is_none() {
                last.annotations.insert("ended".into(), reason.into());
            }
        }
        Tape {
            meta: self.begin.meta,
            session: RecordedBy {
                flags: self.begin.flags,
                ..RecordedBy::own()
            },
            exchanges,
        }
    }

    /// Returns an exchange; `next_us` is when the next one was opened, or the recording ended.
    fn exchange(
        &self,
        input: &InputEntry,
        upto: u64,
        next_us: Option<u64>,
        printed: &PrintedOutput,
    ) -> Exchange {
        let pre = Pre {
            hidden: input.hidden,
            keys: input.keys,
            ..Pre::default()
        };
        let Chunks {
            mut chunks,
            times,
            dur_us,
            last_us,
        } = self.chunks(input, upto, printed);
        let mut annotations = serde_json::Map::new();
        set_keys(&mut annotations, &self.key_presses(input, &times));
        if let Some(end) = &input.cut_echo {
            cut_echo(&mut chunks, end.as_bytes());
        }
        if input.hidden {
            annotations.insert("hidden".into(), true.into());
            if input.private_key {
                annotations.insert(PRIVATE_KEY.into(), true.into());
            }
        } else if input.removed > 0 {
            annotations.insert("redacted".into(), input.removed.into());
        }
        if let Some(next_us) = next_us {
            let idle_ms = next_us.saturating_sub(last_us) / 1_000;
            annotations.insert(IDLE.into(), idle_ms.into());
        }
        let missing = printed.missing_between(input.offset, upto);
        if missing > 0 {
            annotations.insert("missing_bytes".into(), missing.into());
        }
        Exchange {
            pre,
            input: TypedInput {
                kind: InputKind::from_input(&input.bytes),
                bytes: input.bytes.clone(),
                unfinished: input.unfinished,
            },
            chunks,
            exit: None,
            dur_ms: dur_us / 1_000,
            annotations,
        }
    }

    /// Returns when the keys of an input were typed, if each is known; `times` are those of the chunks.
    fn key_presses(&self, input: &InputEntry, times: &[u64]) -> Vec<KeyPress> {
        let keys = self.keys.get(&input.number).map_or(&[][..], Vec::as_slice);
        let is_masked = input.hidden || input.removed > 0;
        if is_masked || keys.iter().any(|&(_, len_bytes)| len_bytes == 0) {
            return Vec::new();
        }
        let later: u64 = keys.iter().map(|&(_, len_bytes)| len_bytes).sum();
        let first = (input.bytes.len() as u64).saturating_sub(later);
        let keys = std::iter::once((input.at_us, first)).chain(keys.iter().copied());
        let pressed = keys.map(|(at_us, len_bytes)| KeyPress {
            at_ms: (at_us.saturating_sub(input.at_us) + 500) / 1_000,
            len_bytes,
            chunks: times.partition_point(|time| *time < at_us) as u64,
        });
        pressed.collect()
    }

    /// Notes the changes of size in this time, in an exchange that started at `start_us`.
    fn note_resizes(&self, annotations: &mut Annotations, start_us: u64, within: Range<u64>) {
        for &(at_us, size) in &self.resizes {
            if within.contains(&at_us) {
                let at_ms = (at_us.saturating_sub(start_us) + 500) / 1_000;
                add_resize(annotations, ResizeMark { at_ms, size });
            }
        }
    }

    /// Returns the chunks between an input and an offset, with their delays.
    fn chunks(&self, input: &InputEntry, upto: u64, printed: &PrintedOutput) -> Chunks {
        let from = input.offset;
        let keys = self.keys.get(&input.number).map_or(&[][..], Vec::as_slice);
        let is_before = |&(_, offset, len): &(u64, u64, u64)| offset + len <= from;
        let first = self.pieces.partition_point(is_before);
        let (mut at, mut done) = (input.at_us, from);
        let mut notes = Vec::new();
        for &(time, offset, len) in &self.pieces[first..] {
            if offset >= upto {
                break;
            }
            // The note of earlier output may have been lost when the worker was killed.
            let end = (offset + len).min(upto);
            if end > done {
                at = at.max(time);
                notes.push((at, done, end));
                done = end;
            }
        }
        if done < upto {
            notes.push((at, done, upto));
        }
        let (mut chunks, mut times, mut before) = (Vec::new(), Vec::new(), input.at_us);
        for (time, from, upto) in notes {
            // The delay counts from the previous chunk, or from the last key before this chunk if that is later.
            let pressed = keys.iter().map(|key| key.0).filter(|key| *key <= time);
            let since = pressed.fold(before, u64::max);
            let mut delay_ms = (time.saturating_sub(since) + 500) / 1_000;
            for (from, upto, stream) in printed.parts(from, upto) {
                let data = printed.between(from, upto).to_vec();
                if !data.is_empty() {
                    times.push(time);
                    chunks.push(Chunk {
                        delay_ms: std::mem::take(&mut delay_ms),
                        data,
                        stream,
                    });
                }
            }
            before = time;
        }
        let since = keys.last().map_or(input.at_us, |key| key.0);
        Chunks {
            chunks,
            times,
            dur_us: at.saturating_sub(since),
            last_us: at.max(since),
        }
    }
}

struct Chunks {
    chunks: Vec<Chunk>,
    /// When each was printed, in microseconds.
    times: Vec<u64>,
    /// Time from the last key to the last chunk.
    dur_us: u64,
    /// When the last chunk was printed or the last key was typed.
    last_us: u64,
}

/// Removes the output before `end`, or all output if `end` does not occur, and keeps the mask in its place.
fn cut_echo(chunks: &mut Vec<Chunk>, end: &[u8]) {
    let whole: Vec<&[u8]> = chunks.iter().map(|chunk| &*chunk.data).collect();
    let whole = whole.concat();
    let mut cut = memchr::memmem::find(&whole, end).unwrap_or(whole.len());
    for chunk in chunks.iter_mut() {
        let len = cut.min(chunk.data.len());
        chunk.data.drain(..len);
        cut -= len;
    }
    if let Some(first) = chunks.iter_mut().find(|chunk| !chunk.data.is_empty()) {
        let mut masked = format!("{MASK}\r\n").into_bytes();
        masked.append(&mut first.data);
        first.data = masked;
    }
    chunks.retain(|chunk| !chunk.data.is_empty());
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
