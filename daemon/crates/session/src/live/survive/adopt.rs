//! Sessions that an earlier worker started: the holder has kept their terminals, the rest is on disk.

use super::fault::die_if_asked;
use super::kept_session::KeptSession;
use crate::interaction::{HistoryEvent, recorded_upto};
use crate::live::end::{CLOSE_GRACE, signal_group};
use crate::live::error::reason_of;
use crate::live::facts::SessionFacts;
use crate::live::input::{LastLine, SessionInput};
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::live::tape::{KeptTape, SessionTape};
use crate::output::log::{self, LogWriter, Logged};
use crate::output::{Flusher, Output};
use ccd_protocol::SessionId;
use ccd_protocol::session::EndReason;
use ccd_screen::Modes;
use ccd_store::blocking;
use ccd_tape::record::Recording;
use ccd_terminal::holder::{Adopted, Ring};
use futures_util::future::join_all;
use rustix::process::Signal;
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Number of workers that may die in a row while they work on a session's log; the next one leaves the log alone.
const DEATHS: u8 = 2;

/// Bytes at the end of a log that are read back into memory.
const TAIL_BYTES: u64 = 256 << 10;

impl Sessions {
    /// Continues those held sessions that a client knows, and ends the others. Returns the ids of the continued ones.
    pub(super) async fn adopt_all(
        self: &Arc<Self>,
        adopted: Vec<Adopted>,
        unfinished: &HashSet<String>,
        after_crash: bool,
    ) -> HashSet<String> {
        let is_accused = |adopted: &Adopted| self.services.holder.deaths_at(adopted.slot) > 0;
        let (accused, others): (Vec<_>, Vec<_>) = adopted.into_iter().partition(is_accused);
        let mut alive = HashSet::new();
        // One after the other, so that a worker that dies accuses only one.
        for adopted in accused {
            alive.extend(self.adopt_or_kill(adopted, unfinished, after_crash).await);
        }
        let adopting = others
            .into_iter()
            .map(|adopted| self.adopt_or_kill(adopted, unfinished, after_crash));
        alive.extend(join_all(adopting).await.into_iter().flatten());
        alive
    }

    /// Continues a session, or kills its program; returns the id of a continued one.
    async fn adopt_or_kill(
        self: &Arc<Self>,
        adopted: Adopted,
        unfinished: &HashSet<String>,
        after_crash: bool,
    ) -> Option<String> {
        let (pid, slot) = (adopted.pid, adopted.slot);
        let ring = adopted.opened.as_ref().ok().map(|(_, ring)| ring);
        let has_ended = ring.is_some_and(|ring| ring.status().is_some());
        let at_work = self.services.holder.works_at(slot);
        let spares_log = at_work.deaths() >= DEATHS;
        let adopting = self.adopt(adopted, unfinished, after_crash, spares_log);
        let id = adopting.await;
        drop(at_work);
        if let Err(problem) = &id {
            tracing::error!(
                pid,
                problem,
                "could not take over a program, so it is killed"
            );
            // If the program was reaped, its process id may belong to another process.
            if !has_ended {
                signal_group(pid, Signal::KILL);
            }
            self.services.holder.release(slot);
        }
        id.ok()
    }

    /// Continues a session, or returns why it cannot.
    async fn adopt(
        self: &Arc<Self>,
        adopted: Adopted,
        unfinished: &HashSet<String>,
        after_crash: bool,
        spares_log: bool,
    ) -> Result<String, String> {
        let mut kept = KeptSession::read(&adopted.kept_state).map_err(text)?;
        let id = kept.row.session_id.clone();
        if !kept.row.transient && !unfinished.contains(&id) {
            return Err(format!(
                "{id}: the session has ended, or was never reported to a client"
            ));
        }
        let facts = SessionFacts {
            pid: adopted.pid,
            slot: Some(adopted.slot),
            tty_device: adopted.tty_device,
            ..kept.facts().ok_or("its saved state cannot be used")?
        };
        let (master, ring) = adopted.opened.map_err(text)?;
        let folder = self.services.folders.sessions.join(&id);
        let rotation = facts.rotation_bytes(self.services.settings().log_rotation_size);
        if !spares_log {
            die_if_asked("CCD_TEST_ABORT_AT_ADOPTION", &id);
        }
        let resumed = if spares_log {
            Resumed::without_log(folder, ring)
        } else {
            blocking(move || resume(folder, ring, rotation)).await
        };
        if resumed.holder_waits {
            self.services.holder.space_freed(adopted.slot);
        }
        let size = rustix::termios::tcgetwinsize(&master);
        let size = size.map_or((kept.row.terminal_rows, kept.row.terminal_cols), |size| {
            (size.ws_row, size.ws_col)
        });
        let modes = postcard::from_bytes::<Modes>(&resumed.note).unwrap_or_default();
        let output = Output::adopted(
            resumed.folder,
            resumed.ring,
            facts.output_limit,
            resumed.lines,
            &resumed.tail,
        );
        let lost_bytes = output.note_lost([resumed.lost]);
        let age = ccd_base::clock::age_s(&kept.row.created_at).unwrap_or(0.0);
        let age = Duration::try_from_secs_f64(age).unwrap_or_default();
        let flusher = Flusher::new(resumed.writer);
        let tape = match kept.tape.take() {
            Some(tape) if !spares_log || tape.plays() => {
                self.adopt_tape(tape, &facts.id, &output).await?
            }
            _ => None,
        };
        let input = SessionInput::new(Some(master), self.services.leaving.clone(), tape)
            .over_pipes(facts.pipes);
        let services = Arc::clone(&self.services);
        let session = Session::live(services, facts, output, flusher, input, size)
            .kept_in(adopted.kept_file)
            .resumed(kept.sizes.clone(), modes, resumed.answered, age);
        for text in &kept.hidden {
            session.hidden.remember(text);
        }
        session.hidden.set_typed_lines(kept.lines);
        let recorded = recorded_upto(&self.services.store, &id).await.unwrap_or(0);
        session.recorded_upto.store(recorded, Ordering::Release);
        let silent = resumed
            .silent
            .or_else(|| ccd_base::clock::age_s(&kept.row.last_activity));
        session.set_last_activity(silent.unwrap_or(0.0));
        let session = Arc::new(session);
        self.insert(Arc::clone(&session));
        session.resume_questions(&resumed.tail, resumed.logged);
        drop(resumed.tail);
        if after_crash {
            let text = "the worker was killed and another one took over; history of the last 250 ms may be missing";
            session.note(None, HistoryEvent::Trouble(text.into()));
        }
        let lost = (lost_bytes > 0).then(|| format!("{lost_bytes} bytes of the log are lost: a file is missing, cut short or not a regular file"));
        if let Some(trouble) = resumed.trouble.or(lost) {
            tracing::error!(
                session = id,
                trouble,
                "a part of the log is lost; the session continues"
            );
            session.note(None, HistoryEvent::Trouble(trouble));
        }
        self.carry_on(session, kept, after_crash).await?;
        Ok(id)
    }

    /// Continues a tape; `None` if it was a recording that cannot go on.
    async fn adopt_tape(
        self: &Arc<Self>,
        tape: KeptTape,
        id: &SessionId,
        output: &Output,
    ) -> Result<Option<Arc<SessionTape>>, String> {
        let plays = tape.plays();
        match self.resume_tape(tape, id, output).await {
            Ok(tape) => Ok(Some(tape)),
            Err(error) if plays => Err(text(error)),
            Err(error) => {
                tracing::error!(session = %id, %error, "recording has stopped; the session continues");
                Ok(None)
            }
        }
    }

    /// Goes on with what an earlier worker was doing for a session.
    async fn carry_on(
        self: &Arc<Self>,
        session: Arc<Session>,
        kept: KeptSession,
        after_crash: bool,
    ) -> Result<(), String> {
        session.take_output(usize::MAX);
        // The earlier worker may have left a mask in place of an input whose echo is in the log. If nothing more is
        // printed, nothing else would write the input before everything is killed.
        session.with_recording(Recording::flush);
        session.play().map_err(text)?;
        if let Some(pipe) = kept.pipe {
            session.resume_pipe(pipe).await;
        }
        if let Some(command) = kept.command
            && let Err(error) = session.resume_command(command).await
        {
            tracing::warn!(session = %session.id(), %error, "the command that was running is not followed any more");
        }
        if kept.input_has_ended {
            session.end_input(LastLine::Whole);
        }
        if session.facts.transient {
            self.await_owner(Arc::clone(&session), kept.orphaned_at);
        }
        if let Some(order) = kept.close {
            let reason = reason_of(&order.reason).unwrap_or(EndReason::Closed);
            session.order_close(reason, Duration::from_millis(order.grace_ms));
        } else if kept.is_starting {
            // The input that was still to be typed is lost, and no client knows this session as ready.
            session.start_up.fail();
            let reason = if after_crash {
                EndReason::DaemonKilled
            } else {
                EndReason::Closed
            };
            session.order_close(reason, CLOSE_GRACE);
        }
        let run = crate::live::end::run(session, Arc::clone(self));
        self.services.tracker.spawn(run);
        Ok(())
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns the ids of held sessions whose facts can be read.
pub fn ids_of(adopted: &[Adopted]) -> Vec<String> {
    let kept = adopted
        .iter()
        .filter_map(|adopted| KeptSession::read(&adopted.kept_state).ok());
    kept.map(|kept| kept.row.session_id).collect()
}

/// The output of a session, as far as it was kept.
struct Resumed {
    folder: PathBuf,
    /// `None` if its log is left alone.
    writer: Option<LogWriter>,
    ring: Ring,
    tail: Vec<u8>,
    /// Every byte before this offset is in the log or in a gap.
    logged: u64,
    /// What an earlier process logged or gave up and is in no file; empty if the end is before the start.
    lost: Range<u64>,
    lines: u64,
    answered: u64,
    note: Vec<u8>,
    holder_waits: bool,
    /// Seconds since the last output was logged.
    silent: Option<f64>,
    /// Why the log of an earlier process cannot be continued.
    trouble: Option<String>,
}

impl Resumed {
    /// Continues with the ring alone.
    fn without_log(folder: PathBuf, ring: Ring) -> Self {
        let logged = ring.tail();
        Self {
            folder,
            writer: None,
            tail: Vec::new(),
            logged,
            lost: logged..logged,
            lines: ring.output_lines(),
            answered: ring.answered(),
            note: ring.note(),
            holder_waits: false,
            silent: None,
            ring,
            trouble: Some(format!(
                "{DEATHS} workers died while they worked on the log, so it is left alone from now on, and output is not logged"
            )),
        }
    }
}

/// Combines ring and log. A log that cannot be used is given up, and a new one begins. Blocks.
fn resume(folder: PathBuf, mut ring: Ring, rotation: u64) -> Resumed {
    let modified = std::fs::metadata(log::current_path(&folder)).and_then(|file| file.modified());
    let silent = modified.ok().and_then(|at| at.elapsed().ok());
    let mut trouble = None;
    let base = ring.log_base();
    let writer = LogWriter::resume(folder.clone(), base, rotation).unwrap_or_else(|error| {
        trouble = Some(format!("the log cannot be continued: {error}"));
        LogWriter::new(folder.clone(), base, rotation)
    });
    // The log's length decides, except that output given up after it counts as logged, and bytes that something else
    // appended do not.
    let logged = writer.end().max(ring.tail()).min(ring.head());
    let tail = if logged <= writer.end() {
        tail_of(&folder, logged).unwrap_or_else(|error| {
            trouble.get_or_insert_with(|| format!("the log cannot be read: {error}"));
            Vec::new()
        })
    } else {
        Vec::new()
    };
    let noted = ring.tail();
    let counted = usize::try_from(logged - noted).unwrap_or(0);
    let lines = ring.output_lines()
        + memchr::memchr_iter(b'\n', &ring.bytes(noted)[..counted]).count() as u64;
    let holder_waits = ring.set_tail(logged);
    Resumed {
        folder,
        lost: writer.end()..ring.tail(),
        writer: Some(writer),
        tail,
        logged,
        lines,
        answered: ring.answered(),
        note: ring.note(),
        holder_waits,
        silent: silent.map(|silent| silent.as_secs_f64()),
        ring,
        trouble,
    }
}

/// Returns the end of a log, from after its last gap.
fn tail_of(folder: &Path, end: u64) -> io::Result<Vec<u8>> {
    let mut at = end.saturating_sub(TAIL_BYTES);
    let mut tail = Vec::new();
    while at < end {
        match log::read(folder, at, (end - at) as usize, end)? {
            Logged::Bytes(bytes) => {
                at += bytes.len() as u64;
                tail.extend_from_slice(&bytes);
            }
            Logged::Missing { resume } => {
                tail.clear();
                at = resume;
            }
        }
    }
    Ok(tail)
}
