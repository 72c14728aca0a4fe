//! The task of a pipe: takes output by offset, and writes it at the reader's pace.

use super::lines::{LineRules, PipeEventKind, PipeLines, events};
use super::place::PipeProgress;
use super::sender::{PipeSender, Sent};
use super::state::OpenPipe;
use super::typed::NextInput;
use crate::interaction::shown_command;
use crate::live::Session;
use crate::live::end::sleep_until;
use crate::live::session::unix_ms;
use crate::output::Piece;
use ccd_store::blocking;
use ccd_text::pattern::Compiled;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const PIECE_BYTES: usize = 16 << 10;

/// A pipe that is full for this time has no reader: output that is no longer in memory is dropped, and at the end the
/// rest as well.
const STALL: Duration = Duration::from_secs(1);

/// At the end, how long a slow reader may take for the rest.
const END_TIME: Duration = Duration::from_secs(5);

/// Interval at which the file of patterns is checked.
const FRESH: Duration = Duration::from_secs(1);

/// Time between two attempts when the system's reports of room are contradictory.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

/// More bytes than this are turned into lines on a separate thread.
const INLINE_BYTES: usize = 4 << 10;

/// A line without its end is written this long after its start, or when the program waits for input.
const PARTIAL: Duration = Duration::from_millis(50);

/// Silence before the program is checked.
const FIRST_LOOK: Duration = Duration::from_millis(5);

pub(super) struct PipeTask {
    session: Arc<Session>,
    open: Arc<OpenPipe>,
    sender: PipeSender,
    place: PipeProgress,
    lines: PipeLines,
    patterns: Arc<Compiled>,
    patterns_at: Instant,
    /// Offset of the output that is taken next.
    at: u64,
    /// Output before this offset is written, or will be once everything that waits is.
    safe: u64,
    /// Nobody has read for [`STALL`].
    is_stalled: bool,
    told_dropped: u64,
    /// Bytes of dropped output that are not reported yet.
    untold_bytes: u64,
    /// Arrival of the first part of the line that is not written yet.
    begun_at: Option<Instant>,
    taken_at: Instant,
    /// When output was taken last.
    taken_ms: u64,
    /// Offset of the output at the last check of the program.
    looked_at: Option<u64>,
    end: Option<PipeEnd>,
}

/// The pipe has been closed: the rest of the work.
#[derive(Debug, Clone, Copy)]
struct PipeEnd {
    /// Output before this offset is delivered to the reader.
    upto: u64,
    deadline: Instant,
}

/// What to do after a check for new output and input.
enum NextStep {
    Again,
    /// Wait for more, at most until the given time.
    Wait(Option<Instant>),
    Finish,
}

/// There is nothing left to write to.
struct PipeGone;

impl PipeTask {
    pub(super) fn new(
        session: Arc<Session>,
        open: Arc<OpenPipe>,
        sender: PipeSender,
        place: PipeProgress,
        from: u64,
    ) -> Self {
        Self {
            lines: PipeLines::new(session.facts.encoding),
            patterns: session.services.library.current(),
            patterns_at: Instant::now(),
            session,
            open,
            sender,
            place,
            at: from,
            safe: from,
            is_stalled: false,
            told_dropped: 0,
            untold_bytes: 0,
            begun_at: None,
            taken_at: Instant::now(),
            taken_ms: unix_ms(),
            looked_at: None,
            end: None,
        }
    }

    /// Writes until the pipe is closed; `resumed` if another worker opened it.
    pub(super) async fn run(mut self, resumed: bool) {
        if resumed {
            self.meta(&format!("resumed_at={}", self.at));
        } else {
            self.meta(&format!("session_id={}", self.session.id()));
            let command = shown_command(&*self.session);
            self.meta(&format!("command={command}"));
            if self.at > 0 {
                self.meta(&format!("offset={}", self.at));
            }
        }
        if self.follow().await.is_err() {
            self.tell_rest().await;
        }
        self.open.closing.cancel();
        if self.session.output.end() > self.at {
            // Only reached if the reader has not read for long.
            let missed = self.end.map_or(0, |end| end.upto.saturating_sub(self.at));
            self.open.dropped_bytes.fetch_add(missed, Ordering::Relaxed);
        }
    }

    async fn follow(&mut self) -> Result<(), PipeGone> {
        let (session, open) = (Arc::clone(&self.session), Arc::clone(&self.open));
        let mut is_behind = false;
        loop {
            self.send().await?;
            if is_behind {
                // Lets other tasks run, but only after everything available was sent.
                tokio::task::yield_now().await;
            }
            let changed = session.output.changed();
            let news = open.typed.news();
            self.note_end();
            let step = self.step().await;
            is_behind = matches!(step, NextStep::Again);
            match step {
                NextStep::Again => {}
                NextStep::Wait(until) => tokio::select! {
                    () = changed => {}
                    () = news => {}
                    () = open.closing.cancelled(), if self.end.is_none() => {}
                    () = sleep_until(until) => {}
                },
                NextStep::Finish => {
                    self.finish().await;
                    return self.send().await;
                }
            }
        }
    }

    /// Reports the dropped rest when the reader has stopped reading and the session has ended. The FIFO is made larger
    /// first, so that the report fits.
    async fn tell_rest(&mut self) {
        let Some(end) = self.end.filter(|_| !self.open.facts.raw) else {
            return;
        };
        self.sender.make_room();
        if self.sender.try_send().is_ok_and(|sent| sent == Sent::All) {
            self.leave_out(end.upto.max(self.at));
            self.finish().await;
            let _ = self.sender.try_send();
        }
    }

    /// Sets the end once the pipe is closed, and stops waiting for a reader that is not there.
    fn note_end(&mut self) {
        if self.end.is_none() && self.open.closing.is_cancelled() {
            self.sender.fifo.let_go_of_reader();
            self.end = Some(PipeEnd {
                upto: self.session.output.end(),
                deadline: Instant::now() + END_TIME,
            });
        }
    }

    async fn send(&mut self) -> Result<(), PipeGone> {
        let mut full_since = None;
        while self.sender.waiting() > 0 {
            let before = self.sender.waiting();
            let sent = if self.open.facts.raw {
                self.sender.try_send_raw(self.safe, &mut self.place)
            } else {
                self.sender.try_send()
            };
            match sent.map_err(|error| self.broken(&error))? {
                Sent::All => break,
                Sent::NobodyReads => return Err(PipeGone),
                Sent::Part => {}
            }
            let is_new = full_since.is_none();
            if is_new || self.sender.waiting() < before {
                full_since = Some(Instant::now());
            } else if !self.is_stalled {
                tokio::time::sleep(LOOK_PERIOD).await;
            }
            let since = full_since.unwrap_or_else(Instant::now);
            self.wait_for_room(since).await?;
            self.is_stalled |= since.elapsed() >= STALL;
            self.note_end();
        }
        self.place.save(self.safe);
        Ok(())
    }

    /// Waits until the FIFO takes more or the pipe is closed.
    async fn wait_for_room(&self, since: Instant) -> Result<(), PipeGone> {
        let room = self.sender.room().map_err(|error| self.broken(&error))?;
        let give_up = self.end.map(|end| end.deadline.min(since + STALL));
        tokio::select! {
            biased;
            ready = room.writable() => ready.map(drop).map_err(|error| self.broken(&error)),
            () = self.open.closing.cancelled(), if self.end.is_none() => Ok(()),
            () = sleep_until(give_up) => Err(PipeGone),
        }
    }

    async fn step(&mut self) -> NextStep {
        let mut limit = PIECE_BYTES as u64;
        let mut wake = None;
        if !self.open.facts.raw {
            self.tell_dropped_inputs();
            let typed = &self.open.typed;
            match typed.next(&self.session, self.at, false).await {
                NextInput::Nothing => {}
                NextInput::Later(offset) => limit = limit.min(offset - self.at),
                NextInput::Shown { text, unix_ms } => {
                    self.flush();
                    events(PipeEventKind::In, &text, unix_ms, &mut self.sender.out);
                    return NextStep::Again;
                }
                NextInput::Undecided { hold, decided } => {
                    if hold.is_some() && self.end.is_none() {
                        return NextStep::Wait(hold);
                    }
                    wake = Some(decided);
                }
            }
        }
        if let Some(end) = self.end {
            if self.at >= end.upto {
                return NextStep::Finish;
            }
            limit = limit.min(end.upto - self.at);
        }
        self.take(limit, wake).await
    }

    async fn take(&mut self, limit: u64, wake: Option<Instant>) -> NextStep {
        let output = &self.session.output;
        let memory_start = output.memory_start();
        if self.is_stalled && self.at < memory_start && !output.has_ended() {
            self.leave_out(memory_start);
            return NextStep::Again;
        }
        self.refresh().await;
        let limit = usize::try_from(limit).unwrap_or(PIECE_BYTES);
        match self.session.output.read(self.at, limit).await {
            Ok(Piece::Bytes(bytes)) => self.write(bytes).await,
            Ok(Piece::Missing { resume }) => self.leave_out(resume),
            Ok(Piece::Pending | Piece::End) => {
                self.is_stalled = false;
                return self.wait_for_rest_of_line(wake).await;
            }
            Err(error) => {
                tracing::error!(session = %self.session.id(), %error, "could not read the log for a named pipe");
                self.leave_out(memory_start.max(self.at + 1));
            }
        }
        NextStep::Again
    }

    /// Updates the patterns. Changes by a request apply at once, edits of the file after [`FRESH`].
    async fn refresh(&mut self) {
        if self.open.facts.raw {
            return;
        }
        if self.patterns_at.elapsed() >= FRESH {
            self.patterns_at = Instant::now();
            let fresh = self.session.services.library.fresh();
            // A slow disk must not delay the pipe.
            let _ = tokio::time::timeout(LOOK_PERIOD, fresh).await;
        }
        self.patterns = self.session.services.library.current();
    }

    fn broken(&self, error: &io::Error) -> PipeGone {
        tracing::error!(session = %self.session.id(), %error, "could not write to a named pipe");
        PipeGone
    }

    async fn write(&mut self, mut bytes: Vec<u8>) {
        if self.untold_bytes > 0 {
            self.skip_rest_of_line(&mut bytes);
        }
        let start = self.at;
        self.at += bytes.len() as u64;
        (self.taken_at, self.taken_ms) = (Instant::now(), unix_ms());
        if self.open.facts.raw {
            self.safe = self.at;
            self.sender.out = bytes;
            return;
        }
        // A carriage return at the very end is undecided until the next byte arrives.
        let decided_len = bytes.len() - usize::from(bytes.ends_with(b"\r"));
        let line_end = memchr::memrchr2(b'\n', b'\r', &bytes[..decided_len]);
        if bytes.len() <= INLINE_BYTES {
            let rules = rules(&self.patterns, &self.session);
            let out = &mut self.sender.out;
            self.lines.feed(&bytes, self.taken_ms, &rules, out);
        } else {
            self.feed_aside(bytes).await;
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
    async fn feed_aside(&mut self, bytes: Vec<u8>) {
        let fresh = PipeLines::new(self.session.facts.encoding);
        let mut lines = std::mem::replace(&mut self.lines, fresh);
        let (patterns, session) = (Arc::clone(&self.patterns), Arc::clone(&self.session));
        let ms = self.taken_ms;
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
    async fn wait_for_rest_of_line(&mut self, wake: Option<Instant>) -> NextStep {
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
    fn flush(&mut self) {
        let rules = rules(&self.patterns, &self.session);
        self.lines
            .flush(self.taken_ms, &rules, &mut self.sender.out);
        (self.begun_at, self.safe) = (None, self.at);
    }

    /// Drops output up to `to`, including the part of its first line that was not written yet.
    fn leave_out(&mut self, to: u64) {
        let bytes = to.saturating_sub(self.safe);
        self.lines = PipeLines::new(self.session.facts.encoding);
        (self.at, self.safe, self.begun_at) = (to, to, None);
        self.note_dropped(bytes);
    }

    /// Skips the rest of a line whose start was dropped, so that the next event starts at a line start.
    fn skip_rest_of_line(&mut self, bytes: &mut Vec<u8>) {
        if let Some(end) = memchr::memchr(b'\n', bytes) {
            bytes.drain(..=end);
            self.at += end as u64 + 1;
            self.safe = self.at;
            self.note_dropped(end as u64 + 1);
        }
        self.tell_dropped_bytes();
    }

    fn note_dropped(&mut self, bytes: u64) {
        self.open.dropped_bytes.fetch_add(bytes, Ordering::Relaxed);
        if !self.open.facts.raw {
            self.untold_bytes += bytes;
        }
    }

    fn tell_dropped_bytes(&mut self) {
        let bytes = std::mem::take(&mut self.untold_bytes);
        if bytes > 0 {
            self.meta(&format!("dropped_bytes={bytes}"));
        }
    }

    fn tell_dropped_inputs(&mut self) {
        let dropped = self.open.typed.dropped();
        if dropped > self.told_dropped {
            self.meta(&format!("dropped_inputs={}", dropped - self.told_dropped));
            self.told_dropped = dropped;
        }
    }

    async fn finish(&mut self) {
        if self.open.facts.raw {
            return;
        }
        let rules = rules(&self.patterns, &self.session);
        self.lines
            .finish(self.taken_ms, &rules, &mut self.sender.out);
        let session = Arc::clone(&self.session);
        while let NextInput::Shown { text, unix_ms } =
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
        self.meta(&format!("end_reason={}", crate::live::reason_text(reason)));
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
    fn meta(&mut self, text: &str) {
        if !self.open.facts.raw {
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

fn rules<'a>(patterns: &'a Compiled, session: &'a Session) -> LineRules<'a> {
    LineRules {
        patterns,
        hidden: &session.hidden,
    }
}

fn earlier(wake: Option<Instant>, other: Instant) -> Option<Instant> {
    Some(wake.map_or(other, |wake| wake.min(other)))
}
