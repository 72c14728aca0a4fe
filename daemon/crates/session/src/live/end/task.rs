//! The task of one session: keeps its limits, and carries out its end.

use super::kill::{Daemon, kill};
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_protocol::session::{EndReason, SessionState};
use ccd_terminal::holder::{Process, signal_all};
use rustix::process::{Pid, Signal, kill_process_group};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for output after the program has ended.
pub(super) const DRAIN: Duration = Duration::from_millis(300);

/// Time between SIGTERM and SIGKILL when a limit ends a session.
pub(crate) const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// How long the status of a killed program may take.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);

struct SessionTask {
    session: Arc<Session>,
    sessions: Arc<Sessions>,
}

pub(crate) async fn run(session: Arc<Session>, sessions: Arc<Sessions>) {
    let task = SessionTask { session, sessions };
    task.live().await;
    task.session.state().phase = SessionState::Zombie;
    task.sessions.places.notify_waiters();
    task.sessions.changes.send_replace(());
    task.session.input.end();
    task.session.output.announce();
    let reason = task.end_processes().await;
    task.drain().await;
    task.hang_up().await;
    task.bury(reason).await;
}

impl SessionTask {
    /// Waits until the program has ended or its end is ordered.
    async fn live(&self) {
        let session = &self.session;
        loop {
            let limit = session.next_limit();
            tokio::select! {
                () = session.ending.notified() => {
                    if session.close_order().is_some() || session.output.exit().is_some() {
                        return;
                    }
                }
                () = sleep_until(limit.map(|limit| limit.0)) => {
                    if let Some((at, reason)) = session.next_limit()
                        && at <= Instant::now()
                    {
                        session.order_close(reason, CLOSE_GRACE);
                    }
                }
            }
        }
    }

    /// Ends what is still running, if an end was ordered; returns why the session ended.
    async fn end_processes(&self) -> EndReason {
        let Some(order) = self.session.close_order() else {
            return match self.session.output.exit() {
                Some(exit) if exit.signal.is_some() => EndReason::Signalled,
                _ => EndReason::Exited,
            };
        };
        self.session.take_output(usize::MAX);
        self.session.stop_recording(order.reason);
        let deadline = Instant::now() + order.grace;
        let tables = &self.session.services.processes;
        let table = tables.current().await;
        let processes = table.processes_of(&self.session.traces());
        signal_group(self.session.facts.pid, Signal::HUP);
        signal_group(self.session.facts.pid, Signal::CONT);
        ask(&processes);
        self.wait_gone(&processes, deadline).await;
        let sessions = || vec![self.session.traces()];
        let killed = kill(Daemon::Own(tables), sessions, |_| true).await;
        // What was killed is gone, but the holder may not have reaped the leader yet.
        self.wait_gone(&[], Instant::now() + EXIT_PATIENCE).await;
        let mut state = self.session.state();
        state.killed = killed.pids();
        state.left = killed.left;
        order.reason
    }

    async fn wait_gone(&self, processes: &[Process], deadline: Instant) {
        let mut pause = Duration::from_millis(1);
        loop {
            let output = &self.session.output;
            let has_exited = output.exit().is_some() || !output.has_ring();
            let gone = processes.iter().all(Process::is_gone) && has_exited;
            if gone || Instant::now() >= deadline {
                return;
            }
            tokio::select! {
                () = self.session.ending.notified() => {}
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_millis(50)),
            }
        }
    }

    /// Takes the last output, until every process has closed the terminal, for at most [`DRAIN`].
    async fn drain(&self) {
        let deadline = Instant::now() + DRAIN;
        loop {
            let session = &self.session;
            session.take_output(usize::MAX);
            if session.output.is_drained() || Instant::now() >= deadline {
                return;
            }
            let changed = session.output.changed();
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    }

    /// Hangs up the terminal for the rest of the program's process group.
    async fn hang_up(&self) {
        signal_group(self.session.facts.pid, Signal::HUP);
        self.session.input.close();
        self.session.services.logger.finish(&self.session).await;
    }

    /// Writes the end to the database and frees the session's slot. Only then does the session count as dead, because
    /// its id, and with it the name of its ring file, may be reused.
    async fn bury(&self, reason: EndReason) {
        let session = &self.session;
        let success = session.judge().await;
        session.set_ended(reason, success);
        session.end_pipe().await;
        session
            .finish_tape(reason, || self.sessions.filters())
            .await;
        session.note_end();
        if !session.facts.transient {
            session.screen.write_sizes(session.output.dir()).await;
        }
        // Freed, the slot would not show the next process that its client still has to learn of the end.
        if session.facts.transient {
            session.save_soon();
        } else {
            self.sessions.record_end(session).await;
        }
        session.state().phase = SessionState::Dead;
        session.output.finish();
        session.screen.end();
        session.output.announce();
        self.sessions.count_end();
        tracing::info!(session = %session.id(), reason = crate::live::error::reason_text(reason), "session ended");
    }
}

/// Asks processes to exit. SIGCONT makes stopped ones notice.
pub(super) fn ask(processes: &[Process]) {
    signal_all(processes, Signal::TERM);
    signal_all(processes, Signal::CONT);
}

/// Signals the program's process group. After the program was reaped, the group may still exist without it and is
/// signalled as intended; or the group is gone, and nothing happens.
pub(crate) fn signal_group(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process_group(pid, signal);
    }
}

pub(crate) async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
