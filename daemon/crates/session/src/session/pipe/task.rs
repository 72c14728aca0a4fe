//! The task of a pipe: takes output by offset, and writes it at the reader's pace.

use super::lines::{Lines, PipeEventKind, events};
use super::marks::Marks;
use super::place::PipeProgress;
use super::sender::{Sender, Sent};
use super::state::Open;
use super::typed::{Next, unix_ms};
use crate::interaction::shown_command;
use crate::output::Piece;
use crate::session::Session;
use crate::session::end::sleep_until;
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

pub(super) struct PipeTask {
    pub(super) session: Arc<Session>,
    pub(super) open: Arc<Open>,
    pub(super) sender: Sender,
    pub(super) place: PipeProgress,
    pub(super) lines: Lines,
    pub(super) patterns: Arc<Compiled>,
    pub(super) patterns_at: Instant,
    /// Offset of the output that is taken next.
    pub(super) at: u64,
    /// Output before this offset is written, or will be once everything that waits is.
    pub(super) safe: u64,
    pub(super) marks: Marks,
    /// Nobody has read for [`STALL`].
    pub(super) is_stalled: bool,
    pub(super) told_dropped: u64,
    /// Bytes of dropped output that are not reported yet.
    pub(super) untold_bytes: u64,
    /// Arrival of the first part of the line that is not written yet.
    pub(super) begun_at: Option<Instant>,
    pub(super) taken_at: Instant,
    /// Arrival time of the output that was taken last.
    pub(super) taken_ms: u64,
    /// Offset of the output at the last check of the program.
    pub(super) looked_at: Option<u64>,
    pub(super) end: Option<End>,
}

/// The pipe has been closed: the rest of the work.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Output before this offset is delivered to the reader.
    upto: u64,
    deadline: Instant,
}

/// What to do after a check for new output and input.
pub(super) enum NextStep {
    Again,
    /// Wait for more, at most until the given time.
    Wait(Option<Instant>),
    Finish,
}

/// There is nothing left to write to.
struct Gone;

impl PipeTask {
    pub(super) fn new(
        session: Arc<Session>,
        open: Arc<Open>,
        sender: Sender,
        place: PipeProgress,
        from: u64,
    ) -> Self {
        Self {
            lines: Lines::new(session.facts.encoding),
            patterns: session.services.library.current(),
            patterns_at: Instant::now(),
            session,
            open,
            sender,
            place,
            at: from,
            safe: from,
            marks: Marks::default(),
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

    async fn follow(&mut self) -> Result<(), Gone> {
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
        let Some(end) = self.end.filter(|_| !self.open.raw) else {
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
            self.end = Some(End {
                upto: self.session.output.end(),
                deadline: Instant::now() + END_TIME,
            });
        }
    }

    async fn send(&mut self) -> Result<(), Gone> {
        let mut full_since = None;
        while self.sender.waiting() > 0 {
            let before = self.sender.waiting();
            let sent = if self.open.raw {
                self.sender.try_send_raw(self.safe, &mut self.place)
            } else {
                self.sender.try_send()
            };
            match sent.map_err(|error| self.broken(&error))? {
                Sent::All => break,
                Sent::NobodyReads => return Err(Gone),
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

    /// Waits until the FIFO takes more or the pipe is closed; meanwhile notes the arrival times of output.
    async fn wait_for_room(&mut self, since: Instant) -> Result<(), Gone> {
        let (session, open) = (Arc::clone(&self.session), Arc::clone(&self.open));
        let room = self.sender.room().map_err(|error| self.broken(&error))?;
        let give_up = self.end.map(|end| end.deadline.min(since + STALL));
        loop {
            let changed = session.output.changed();
            tokio::select! {
                biased;
                ready = room.writable() => {
                    return ready.map(drop).map_err(|error| self.broken(&error));
                }
                () = open.closing.cancelled(), if self.end.is_none() => return Ok(()),
                () = sleep_until(give_up) => return Err(Gone),
                () = changed, if !open.raw => self.marks.note(session.output.end(), unix_ms()),
            }
        }
    }

    async fn step(&mut self) -> NextStep {
        let mut limit = PIECE_BYTES as u64;
        let mut wake = None;
        if !self.open.raw {
            self.tell_dropped_inputs();
            let typed = &self.open.typed;
            match typed.next(&self.session, self.at, false).await {
                Next::Nothing => {}
                Next::Later(offset) => limit = limit.min(offset - self.at),
                Next::Shown { text, unix_ms } => {
                    self.flush();
                    events(PipeEventKind::In, &text, unix_ms, &mut self.sender.out);
                    return NextStep::Again;
                }
                Next::Undecided { hold, decided } => {
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
        let mark = self.marks.of(self.at);
        let limit = mark.map_or(limit, |mark| limit.min(mark.end - self.at));
        let ms = mark.map_or_else(unix_ms, |mark| mark.unix_ms);
        let limit = usize::try_from(limit).unwrap_or(PIECE_BYTES);
        match self.session.output.read(self.at, limit).await {
            Ok(Piece::Bytes(bytes)) => self.write(bytes, ms).await,
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
        if self.open.raw {
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

    fn broken(&self, error: &io::Error) -> Gone {
        tracing::error!(session = %self.session.id(), %error, "could not write to a named pipe");
        Gone
    }
}
