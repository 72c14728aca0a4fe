//! The task of one session: logs its output, keeps its limits, sees to its end.

use super::live::{CloseOrder, Session};
use super::registry::Sessions;
use crate::holder::{Process, descendants, signal_all};
use crate::interaction::Event;
use crate::output::log::LogWriter;
use crate::output::{FLUSH_BYTES, Flushed, Flusher};
use ccd_protocol::session::{EndReason, SessionState};
use rustix::process::{Pid, Signal, kill_process_group};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Output waits so long for more before it is logged.
const LOG_DELAY: Duration = Duration::from_millis(1);

/// How long output is awaited after the program has ended.
pub(crate) const DRAIN: Duration = Duration::from_millis(300);

/// Time between asking and killing when a limit ends a session.
pub(crate) const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// How long killed processes may take to be gone.
const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// A session that has been silent for so long gives its ring's memory back.
const RING_IDLE: Duration = Duration::from_secs(1);

/// What the task holds.
struct Task {
    session: Arc<Session>,
    sessions: Arc<Sessions>,
    flusher: Flusher,
}

/// Runs a session to its end.
pub(super) async fn run(session: Arc<Session>, sessions: Arc<Sessions>, writer: LogWriter) {
    let mut task = Task {
        session,
        sessions,
        flusher: Flusher::new(writer),
    };
    task.live().await;
    task.session.state().phase = SessionState::Zombie;
    task.session.output.announce();
    let reason = task.end_processes().await;
    task.drain().await;
    task.hang_up().await;
    task.bury(reason).await;
}

impl Task {
    /// Until the program has ended or somebody orders its end.
    async fn live(&mut self) {
        let mut logged = false;
        loop {
            let limit = self.session.next_limit();
            let session = Arc::clone(&self.session);
            tokio::select! {
                () = session.output.unlogged() => {
                    self.log_batch().await;
                    logged = true;
                }
                holder_waits = self.flusher.stall_over(&session.output) => {
                    self.flushed(Flushed { holder_waits, trouble: None });
                    self.log_batch().await;
                }
                () = tokio::time::sleep(RING_IDLE), if logged => {
                    logged = false;
                    if let Some(slot) = session.facts.slot {
                        self.sessions.holder.idle(slot);
                    }
                }
                () = session.ending.notified() => {
                    if session.close_order().is_some() || session.output.exit().is_some() {
                        return;
                    }
                }
                () = sleep_until(limit.map(|limit| limit.0)) => {
                    if let Some((at, reason)) = session.next_limit()
                        && at <= Instant::now()
                    {
                        session.order_close(CloseOrder { reason, grace: CLOSE_GRACE });
                    }
                }
            }
        }
    }

    async fn log_batch(&mut self) {
        if self.session.output.unlogged_bytes() < FLUSH_BYTES {
            let _ = tokio::time::timeout(LOG_DELAY, self.session.output.unlogged()).await;
        }
        let flushed = self.flusher.flush(&self.session.output).await;
        self.flushed(flushed);
        self.keep_log_limit().await;
    }

    fn flushed(&self, flushed: Flushed) {
        if flushed.holder_waits
            && let Some(slot) = self.session.facts.slot
        {
            self.sessions.holder.space_freed(slot);
        }
        if let Some(trouble) = flushed.trouble {
            tracing::error!(session = %self.session.id(), trouble, "output is not logged; the session goes on");
            self.sessions
                .recorder
                .note(&self.session, None, Event::Trouble(trouble));
        }
    }

    async fn keep_log_limit(&mut self) {
        let limit = self.session.facts.log_limit_bytes;
        if limit == 0 || self.session.output.facts().bytes <= limit {
            return;
        }
        if !self.session.facts.persist {
            self.session.order_close(CloseOrder {
                reason: EndReason::OutputLimit,
                grace: CLOSE_GRACE,
            });
        } else if let Err(error) = self.flusher.drop_oldest(limit).await {
            tracing::error!(session = %self.session.id(), %error, "old log files could not be deleted");
        }
    }

    /// Ends what still runs, if an end was ordered; returns why the session ended.
    async fn end_processes(&mut self) -> EndReason {
        let Some(order) = self.session.close_order() else {
            return match self.session.output.exit() {
                Some(exit) if exit.signal.is_some() => EndReason::Signalled,
                _ => EndReason::Exited,
            };
        };
        let deadline = Instant::now() + order.grace;
        let mut processes = self.processes().await;
        signal_group(self.session.facts.pid, Signal::HUP);
        signal_group(self.session.facts.pid, Signal::CONT);
        ask(&processes);
        self.wait_gone(&processes, deadline).await;
        let mut killed = Vec::new();
        let patience = Instant::now() + KILL_PATIENCE;
        // Until nothing is left: what is killed may have forked in between.
        loop {
            processes = self.processes().await;
            if processes.is_empty() && self.session.output.exit().is_some() {
                break;
            }
            killed.extend(signal_all(&processes, Signal::KILL));
            if Instant::now() > patience {
                tracing::error!(session = %self.session.id(), left = processes.len(), "processes survive KILL");
                break;
            }
            let soon = Instant::now() + Duration::from_millis(50);
            self.wait_gone(&processes, soon).await;
        }
        killed.sort_unstable();
        killed.dedup();
        let mut state = self.session.state();
        state.forced = !killed.is_empty();
        state.killed = killed;
        order.reason
    }

    async fn processes(&self) -> Vec<Process> {
        let leader = self
            .session
            .output
            .exit()
            .is_none()
            .then_some(self.session.facts.pid);
        let marker = format!("CCD_SESSION_ID={}", self.session.id());
        tokio::task::spawn_blocking(move || descendants(leader, &marker))
            .await
            .unwrap_or_default()
    }

    /// Goes on logging until all of `processes` have ended or the time is over.
    async fn wait_gone(&mut self, processes: &[Process], deadline: Instant) {
        let mut pause = Duration::from_millis(1);
        loop {
            let gone =
                processes.iter().all(Process::is_gone) && self.session.output.exit().is_some();
            if gone || Instant::now() >= deadline {
                return;
            }
            let session = Arc::clone(&self.session);
            tokio::select! {
                () = session.output.unlogged() => self.log_batch().await,
                () = session.ending.notified() => {}
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_millis(50)),
            }
        }
    }

    /// Takes the last output: until the terminal is closed by everybody, at most [`DRAIN`].
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        loop {
            let session = Arc::clone(&self.session);
            self.sessions.take_output(&session, usize::MAX);
            if session.output.is_drained() || Instant::now() >= deadline {
                return;
            }
            let changed = session.output.changed();
            tokio::select! {
                () = session.output.unlogged() => self.log_batch().await,
                () = changed => {}
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    }

    /// The rest of the program's process group loses its terminal.
    async fn hang_up(&mut self) {
        signal_group(self.session.facts.pid, Signal::HUP);
        self.session.input.close();
        let flushed = self.flusher.finish(&self.session.output).await;
        self.flushed(flushed);
    }

    /// Writes the end down and gives everything back.
    async fn bury(&mut self, reason: EndReason) {
        let session = &self.session;
        {
            let mut state = session.state();
            state.exit = session.output.exit();
            state.end_reason = Some(reason);
            state.ended_at = Some(crate::clock::now());
            state.phase = SessionState::Dead;
        }
        self.sessions.recorder.note(session, None, Event::End);
        if !session.facts.transient
            && let Err(error) = self.sessions.save(session).await
        {
            tracing::error!(session = %session.id(), %error, "the session's end is not in the database");
        }
        self.sessions.clear_slot(session);
        session.output.finish();
        if let Some(slot) = session.facts.slot {
            self.sessions.holder.release(slot);
        }
        session.output.announce();
        tracing::info!(session = %session.id(), reason = super::error::reason_text(reason), "session ended");
    }
}

/// Asks processes to end: stopped ones too.
fn ask(processes: &[Process]) {
    signal_all(processes, Signal::TERM);
    signal_all(processes, Signal::CONT);
}

/// Signals the program's process group. Once the program was reaped the number may belong to a
/// group without it, which is what is meant, or to nobody.
fn signal_group(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process_group(pid, signal);
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
