//! The half of a pipe's task that turns events into the text to write.

use super::lines::{Lines, PipeEventKind, Rules, events};
use super::task::{NextStep, PipeTask};
use super::typed::{Next, unix_ms};
use crate::session::Session;
use ccd_store::blocking;
use ccd_text::pattern::Compiled;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// More bytes than this are turned into lines on a separate thread.
const INLINE_BYTES: usize = 4 << 10;

/// A line without its end is written this long after its start, or when the program waits for input.
const PARTIAL: Duration = Duration::from_millis(50);

/// Silence before the program is checked.
const FIRST_LOOK: Duration = Duration::from_millis(5);

impl PipeTask {
    pub(super) async fn write(&mut self, mut bytes: Vec<u8>, ms: u64) {
        if self.untold_bytes > 0 {
            self.skip_rest_of_line(&mut bytes);
        }
        let start = self.at;
        self.at += bytes.len() as u64;
        (self.taken_at, self.taken_ms) = (Instant::now(), ms);
        if self.open.raw {
            self.safe = self.at;
            self.sender.out = bytes;
            return;
        }
        // A carriage return at the very end is undecided until the next byte arrives.
        let decided_len = bytes.len() - usize::from(bytes.ends_with(b"\r"));
        let line_end = memchr::memrchr2(b'\n', b'\r', &bytes[..decided_len]);
        if bytes.len() <= INLINE_BYTES {
            let rules = rules(&self.patterns, &self.session);
            self.lines.feed(&bytes, ms, &rules, &mut self.sender.out);
        } else {
            self.feed_aside(bytes, ms).await;
        }
        if !self.lines.has_begun() {
            (self.safe, self.begun_at) = (self.at, None);
        } else if let Some(line_end) = line_end {
            self.safe = start + line_end as u64 + 1;
            self.begun_at = Some(self.taken_at);
        } else {
            self.begun_at.get_or_insert(self.taken_at);
        }
    }

    /// Turns much output into lines on a blocking thread, so that other tasks are not delayed.
    pub(super) async fn feed_aside(&mut self, bytes: Vec<u8>, ms: u64) {
        let fresh = Lines::new(self.session.facts.encoding);
        let mut lines = std::mem::replace(&mut self.lines, fresh);
        let (patterns, session) = (Arc::clone(&self.patterns), Arc::clone(&self.session));
        let fed = blocking(move || {
            let mut out = Vec::with_capacity(2 * bytes.len());
            lines.feed(&bytes, ms, &rules(&patterns, &session), &mut out);
            (lines, out)
        });
        let (lines, out) = fed.await;
        self.lines = lines;
        self.sender.out.extend_from_slice(&out);
    }

    /// Called when nothing new has arrived: writes a line without its end when the program waits, or after [`PARTIAL`].
    pub(super) async fn wait_for_rest_of_line(&mut self, wake: Option<Instant>) -> NextStep {
        let Some(begun_at) = self.begun_at.filter(|_| self.lines.has_begun()) else {
            return NextStep::Wait(wake);
        };
        let (now, due) = (Instant::now(), begun_at + PARTIAL);
        let quiet = now - self.taken_at;
        let is_over = now >= due || self.end.is_some();
        if !is_over && quiet < FIRST_LOOK {
            return NextStep::Wait(earlier(wake, due.min(self.taken_at + FIRST_LOOK)));
        }
        if !is_over && self.looked_at.replace(self.at) != Some(self.at) {
            let met = self.session.look(false, quiet, false).await;
            if met.is_none() {
                return NextStep::Wait(earlier(wake, due));
            }
        } else if !is_over {
            return NextStep::Wait(earlier(wake, due));
        }
        self.flush();
        NextStep::Again
    }

    /// Queues the line that was begun, as far as it has arrived.
    pub(super) fn flush(&mut self) {
        let rules = rules(&self.patterns, &self.session);
        self.lines
            .flush(self.taken_ms, &rules, &mut self.sender.out);
        (self.begun_at, self.safe) = (None, self.at);
    }

    /// Drops output up to `to`, including the part of its first line that was not written yet.
    pub(super) fn leave_out(&mut self, to: u64) {
        let bytes = to.saturating_sub(self.safe);
        self.lines = Lines::new(self.session.facts.encoding);
        (self.at, self.safe, self.begun_at) = (to, to, None);
        self.note_dropped(bytes);
    }

    /// Skips the rest of a line whose start was dropped, so that the next event starts at a line start.
    pub(super) fn skip_rest_of_line(&mut self, bytes: &mut Vec<u8>) {
        if let Some(end) = memchr::memchr(b'\n', bytes) {
            bytes.drain(..=end);
            self.at += end as u64 + 1;
            self.safe = self.at;
            self.note_dropped(end as u64 + 1);
        }
        self.tell_dropped_bytes();
    }

    pub(super) fn note_dropped(&mut self, bytes: u64) {
        self.open.dropped_bytes.fetch_add(bytes, Ordering::Relaxed);
        if !self.open.raw {
            self.untold_bytes += bytes;
        }
    }

    pub(super) fn tell_dropped_bytes(&mut self) {
        let bytes = std::mem::take(&mut self.untold_bytes);
        if bytes > 0 {
            self.meta(&format!("dropped_bytes={bytes}"));
        }
    }

    pub(super) fn tell_dropped_inputs(&mut self) {
        let dropped = self.open.typed.dropped();
        if dropped > self.told_dropped {
            self.meta(&format!("dropped_inputs={}", dropped - self.told_dropped));
            self.told_dropped = dropped;
        }
    }

    pub(super) async fn finish(&mut self) {
        if self.open.raw {
            return;
        }
        let rules = rules(&self.patterns, &self.session);
        self.lines
            .finish(self.taken_ms, &rules, &mut self.sender.out);
        let session = Arc::clone(&self.session);
        while let Next::Shown { text, unix_ms } =
            self.open.typed.next(&session, self.at, true).await
        {
            events(PipeEventKind::In, &text, unix_ms, &mut self.sender.out);
        }
        self.tell_dropped_inputs();
        self.tell_dropped_bytes();
        let state = session.state().clone();
        let Some(reason) = state.end_reason else {
            self.meta("pipe_closed=true");
            return;
        };
        self.meta(&format!(
            "end_reason={}",
            crate::session::reason_text(reason)
        ));
        let exit = state.exit;
        if let Some(code) = exit.and_then(|exit| exit.code) {
            self.meta(&format!("exitstatus={code}"));
        }
        if let Some(signal) = exit.and_then(|exit| exit.signal) {
            self.meta(&format!("signal={signal}"));
        }
        self.meta("session_closed=true");
    }

    /// Queues a session event: one line, even if the program's arguments contain line breaks.
    pub(super) fn meta(&mut self, text: &str) {
        if !self.open.raw {
            let line = escaped(text);
            events(PipeEventKind::Meta, &line, unix_ms(), &mut self.sender.out);
        }
    }
}

/// Escapes control characters as Rust does.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
    }
    shown
}

fn rules<'a>(patterns: &'a Compiled, session: &'a Session) -> Rules<'a> {
    Rules {
        patterns,
        hidden: &session.hidden,
    }
}

fn earlier(wake: Option<Instant>, other: Instant) -> Option<Instant> {
    Some(wake.map_or(other, |wake| wake.min(other)))
}
