//! Makes exchanges from the events of an asciicast.

use super::event::{CastEvent, MAX_TIME_US};
use crate::format::{Chunk, Exchange, InputKind, Stream};
use crate::tools::IDLE;
use crate::tools::marks::{
    KeyPress, MAX_KEYS, Marker, ResizeMark, add_marker, add_resize, set_keys,
};
use ccd_protocol::tape::TapeExit;
use ccd_screen::shown;
use ccd_text::redact::MASK;
use std::collections::BTreeMap;

/// Maximum number of unsupported event kinds that are reported separately.
const MAX_KINDS: usize = 16;

/// Maximum length of an input without Enter; the rest is another input.
const MAX_GATHERED_BYTES: usize = 1024;

/// How many bytes an echo may have per typed byte: a line editor moves the cursor.
const ECHO_FACTOR: usize = 4;

#[derive(Default)]
pub(super) struct Builder {
    /// The width of the terminal now.
    cols: u16,
    done: Vec<Exchange>,
    open: Exchange,
    /// When the open exchange started.
    opened_ms: u64,
    /// Times of its keys.
    keys: Vec<KeyPress>,
    /// Number of keys on the tape that have times.
    timed_keys: usize,
    /// Time of its last key, or of its start.
    key_ms: u64,
    /// Time of its last output or key.
    last_ms: u64,
    /// Time of the last event, as it was given.
    now_us: u64,
    /// Never goes back.
    now_ms: u64,
    exit: Option<TapeExit>,
    /// Numbers of unsupported events, by kind.
    ignored: BTreeMap<String, u64>,
    /// Number of events that are earlier than the one before.
    backward: u64,
    warnings: Vec<String>,
}

impl Builder {
    pub(super) fn new(cols: u16) -> Self {
        Self {
            cols,
            ..Self::default()
        }
    }

    /// The next event is this much later, but within the time that an asciicast can have.
    pub(super) fn pass(&mut self, delay_us: u64) {
        self.go_to((self.now_us + delay_us).min(MAX_TIME_US));
    }

    /// The next event is at this time.
    pub(super) fn go_to(&mut self, now_us: u64) {
        self.now_us = now_us;
        let now_ms = (now_us + 500) / 1000;
        self.backward += u64::from(now_ms < self.now_ms);
        self.now_ms = self.now_ms.max(now_ms);
    }

    pub(super) fn event(&mut self, event: CastEvent<'_>) {
        match event {
            CastEvent::Output(text) => self.output(&text),
            CastEvent::Input(text) => self.input(text.as_bytes()),
            CastEvent::Marker(label) => {
                let (at_ms, label) = (self.now_ms - self.opened_ms, &*label);
                add_marker(&mut self.open.annotations, &Marker { at_ms, label });
            }
            CastEvent::Resize(size) => {
                let at_ms = self.now_ms - self.opened_ms;
                add_resize(&mut self.open.annotations, ResizeMark { at_ms, size });
                self.cols = size.cols;
            }
            CastEvent::Exit(code) => {
                let code = Some(code);
                self.exit = Some(TapeExit { code, signal: None });
            }
            CastEvent::Other(code) => self.ignore(code),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.exit.is_some()
    }

    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    fn ignore(&mut self, code: String) {
        if self.ignored.len() < MAX_KINDS || self.ignored.contains_key(&code) {
            *self.ignored.entry(code).or_default() += 1;
        }
    }

    fn output(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.open.chunks.push(Chunk {
            delay_ms: self.now_ms - self.last_ms,
            data: text.as_bytes().to_vec(),
            stream: Stream::Stdout,
        });
        self.last_ms = self.now_ms;
    }

    fn input(&mut self, keys: &[u8]) {
        if keys.is_empty() {
            return;
        }
        if !self.gathers() {
            self.close();
            self.done.push(std::mem::take(&mut self.open));
            self.opened_ms = self.now_ms;
        }
        self.open.input.bytes.extend_from_slice(keys);
        self.keys.push(KeyPress {
            at_ms: self.now_ms - self.opened_ms,
            len_bytes: keys.len() as u64,
            chunks: self.open.chunks.len() as u64,
        });
        (self.key_ms, self.last_ms) = (self.now_ms, self.now_ms);
    }

    /// Returns whether the open exchange's input continues: it has no Enter, and only its echo was printed.
    fn gathers(&self) -> bool {
        let typed = &self.open.input.bytes;
        let is_short = (1..=MAX_GATHERED_BYTES).contains(&typed.len());
        if !is_short || typed.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            return false;
        }
        // Longer output is not an echo.
        let most = ECHO_FACTOR * (typed.len() + 16);
        let output: Vec<u8> = self.open.output().take(most).collect();
        is_echo(typed, &output, Some(self.cols))
    }

    fn close(&mut self) {
        let keys = std::mem::take(&mut self.keys);
        let exchange = &mut self.open;
        exchange.dur_ms = self.last_ms - self.key_ms;
        let idle_ms = self.now_ms - self.last_ms;
        exchange.annotations.insert(IDLE.into(), idle_ms.into());
        self.timed_keys += keys.len();
        if self.timed_keys <= MAX_KEYS {
            set_keys(&mut exchange.annotations, &keys);
        }
        exchange.input.kind = InputKind::from_input(&exchange.input.bytes);
        if exchange.input.bytes == [MASK.as_bytes(), b"\r"].concat() {
            let output: Vec<u8> = exchange.output().take(64).collect();
            // It was typed hidden, and therefore masked.
            if !shown(&output, Some(self.cols)).starts_with(MASK) {
                exchange.pre.hidden = true;
                exchange.annotations.insert("hidden".into(), true.into());
            }
        }
    }

    pub(super) fn finish(mut self, warnings: &mut Vec<String>) -> Vec<Exchange> {
        self.close();
        self.open.exit = self.exit;
        self.done.push(self.open);
        warnings.extend(self.ignored.iter().map(|(code, count)| {
            format!("events {code:?} were not imported, because tapes cannot store them: {count}")
        }));
        if self.backward > 0 {
            let count = self.backward;
            warnings.push(format!(
                "events with an earlier time than the one before were imported as simultaneous: {count}"
            ));
        }
        warnings.extend(self.warnings);
        self.done
    }
}

/// Returns whether `output` shows only the input, or a part of it.
fn is_echo(typed: &[u8], output: &[u8], cols: Option<u16>) -> bool {
    let mut text: Vec<char> = Vec::new();
    for c in String::from_utf8_lossy(typed).chars() {
        match c {
            '\u{8}' | '\u{7f}' => drop(text.pop()),
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    let text: String = text.into_iter().collect();
    text.starts_with(shown(output, cols).as_str())
}
