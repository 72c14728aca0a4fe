//! Commands in a shell, from the typed line to their end, whether or not a client still waits.

use super::second_terminal::SecondTerminal;
use super::target::{FIRST_LOOK, base_name, is_relay_or_shell, program_of, shell_waits};
use super::typing::{RunTyping, Shell};
use crate::durations::Deadline;
use crate::interaction::HistoryEvent;
use crate::live::error::{Busy, SessionError};
use crate::live::input::TerminalInput;
use crate::live::session::Session;
use crate::live::shell::{
    CommandOutcome, CommandRefusal, Quiet, ShellAction, ShellGone, ShellRun, is_integrated,
};
use crate::live::temporary_file::TemporaryFile;
use crate::output::{PIECE_BYTES, Piece};
use ccd_terminal::probe::{LineModes, Probe};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedMutexGuard, watch};

/// Silence after which an interrupted command without its marks is given up.
const LOST_QUIET: Duration = Duration::from_millis(500);

/// Programs that do not end with the status of the shell that they lead to.
const STATUS_HIDING: &[&str] = &["script", "mosh-client"];

/// How long the outcome of a command is kept for a client whose connection broke.
const KEPT_FOR: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Only one command at a time runs in a shell: this is locked until its end mark was seen.
    turn: Arc<tokio::sync::Mutex<()>>,
    last: Mutex<Option<Arc<RunningCommand>>>,
}

impl Runs {
    /// Waits for the turn of a command; [`SessionError::ShellBusy`] if an earlier one keeps running.
    pub(super) async fn turn(
        &self,
        session: &Session,
        deadline: &Deadline,
    ) -> Result<OwnedMutexGuard<()>, SessionError> {
        let turn = Arc::clone(&self.turn).lock_owned();
        match tokio::time::timeout_at(deadline.instant(), turn).await {
            Ok(turn) => Ok(turn),
            Err(_) => {
                let running = self.last.lock().clone();
                Err(
                    session.shell_busy(running.map_or(Busy::Starting, |running| Busy::Run {
                        command: running.command.clone(),
                        since_s: running.started.elapsed().as_secs(),
                    })),
                )
            }
        }
    }

    /// Locks the turn of a command that an earlier worker typed.
    pub(super) fn turn_now(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.turn).try_lock_owned().ok()
    }

    /// Returns the command that a client started under this id of its own.
    pub(super) fn find(&self, run_id: &str) -> Option<Arc<RunningCommand>> {
        let last = self.last.lock();
        last.as_ref()
            .filter(|running| running.run_id.as_deref() == Some(run_id))
            .cloned()
    }

    pub(super) fn set_last(&self, running: &Arc<RunningCommand>) {
        *self.last.lock() = Some(Arc::clone(running));
    }

    pub(super) fn last(&self) -> Option<Arc<RunningCommand>> {
        self.last.lock().clone()
    }

    /// Drops the outcome of `running`, unless another command has followed.
    pub(super) fn forget(&self, running: &Arc<RunningCommand>) {
        let mut last = self.last.lock();
        if last.as_ref().is_some_and(|last| Arc::ptr_eq(last, running)) {
            *last = None;
        }
    }
}

#[derive(Debug)]
pub(super) struct RunningCommand {
    /// The client's own id of the request.
    pub(super) run_id: Option<String>,
    pub(super) command: String,
    pub(super) started: Instant,
    pub(super) run: Mutex<ShellRun>,
    pub(super) end: watch::Sender<Option<RunResult>>,
    pub(super) typing: RunTyping,
    /// Its output goes to a second terminal, which the next worker would not have.
    pub(super) is_isolated: bool,
}

#[derive(Clone, Debug)]
pub(super) enum RunResult {
    Done(Arc<CommandOutcome>),
    /// The shell's line editor did not take it, so nothing was run.
    Refused(CommandRefusal),
    /// It cannot be followed any more. The first waiter gets the error.
    Failed(Arc<Mutex<Option<SessionError>>>),
}

/// What follows a command, and owns what it needs until its end.
pub(super) struct Follower {
    pub(super) session: Arc<Session>,
    pub(super) running: Arc<RunningCommand>,
    pub(super) second: Option<SecondTerminal>,
    /// Removed at the end: a command that keeps running may still read it.
    pub(super) file: Option<TemporaryFile>,
    pub(super) turn: OwnedMutexGuard<()>,
    /// The offset up to which the output was passed to the run.
    pub(super) at: u64,
    /// The output has the end already, if it has one at all.
    pub(super) is_over: bool,
    /// How often the session was interrupted before the command was typed.
    pub(super) interrupts: u64,
}

impl Follower {
    /// Follows the command to its end, then lets the next one have the shell.
    pub(super) async fn follow(mut self) {
        let end = match self.until_end().await {
            Ok(Ok(outcome)) => {
                let finished = HistoryEvent::Finished {
                    upto: outcome.end,
                    exit_code: outcome.exit_code,
                };
                self.session.note(None, finished);
                RunResult::Done(Arc::new(outcome))
            }
            Ok(Err(refusal)) => RunResult::Refused(refusal),
            Err(error) => RunResult::Failed(Arc::new(Mutex::new(Some(error)))),
        };
        drop((self.file, self.second));
        self.running.end.send_replace(Some(end));
        drop(self.turn);
        self.session.keep();
        let services = Arc::clone(&self.session.services);
        tokio::select! {
            () = self.session.forgotten.cancelled() => {}
            () = services.stop.cancelled() => {}
            () = services.leaving.cancelled() => return,
            () = tokio::time::sleep(KEPT_FOR) => {}
        }
        self.session.runs.forget(&self.running);
        self.session.keep();
    }

    /// Passes output to the run until it has an outcome, or the shell refused the command.
    async fn until_end(&mut self) -> Result<Result<CommandOutcome, CommandRefusal>, SessionError> {
        let session = Arc::clone(&self.session);
        let onlcr_before = self.adds_returns();
        let mut pause = OutputPause::new();
        loop {
            let changed = session.output.changed();
            match session.read_piece(self.at, PIECE_BYTES).await? {
                Piece::Bytes(bytes) => {
                    self.running.run.lock().on_output(&bytes, self.at);
                    self.at += bytes.len() as u64;
                    pause = OutputPause::new();
                    if bytes.len() == PIECE_BYTES {
                        tokio::task::yield_now().await;
                    }
                }
                Piece::Missing { resume } => self.at = resume,
                Piece::End => {
                    let status = self.is_own().then(|| status_of(&session));
                    let mut run = self.running.run.lock();
                    return Ok(Ok(run.on_session_end(status, onlcr_before)));
                }
                Piece::Pending if self.is_over => return Err(lost(&session)),
                Piece::Pending => tokio::select! {
                    // After a stall both may be ready, and waiting output means that there was no silence.
                    biased;
                    () = changed => continue,
                    bytes = SecondTerminal::read(self.second.as_mut()) => {
                        self.running.run.lock().on_isolated_output(&bytes?);
                        pause = OutputPause::new();
                    }
                    () = tokio::time::sleep_until(pause.end()) => self.look_at_shell(&mut pause).await?,
                },
            }
            let onlcr = onlcr_before && self.adds_returns();
            let run = self.running.run.lock();
            if let Some(refusal) = run.refusal() {
                return Ok(Err(refusal));
            }
            if let Some(outcome) = run.outcome(onlcr) {
                return Ok(Ok(outcome));
            }
        }
    }

    async fn look_at_shell(&mut self, pause: &mut OutputPause) -> Result<(), SessionError> {
        let session = &self.session;
        let quiet = pause.since.elapsed();
        let Some(probe) = session.probe().await else {
            pause.next_look += FIRST_LOOK;
            return Ok(());
        };
        let quiet = Quiet {
            quiet,
            shell_is_foreground: self.is_at_shell(&probe),
            shell_waits: shell_waits(session, &probe, &session.services.library.current()),
            line_editing: !probe.line.canonical,
            shell_is_gone: self.shell_is_gone(),
        };
        if self.is_lost(quiet) {
            return Err(unmarked(session));
        }
        let action = self.running.run.lock().on_quiet(quiet);
        match action {
            ShellAction::Wait(more) => {
                pause.next_look = quiet.quiet + more.max(Duration::from_millis(1));
            }
            ShellAction::Type(bytes) => {
                session
                    .type_input(TerminalInput::new(&bytes, false))
                    .await?;
                session.half_line.entered();
                *pause = OutputPause::new();
            }
            ShellAction::Done => {}
        }
        Ok(())
    }

    /// Returns true if the shell edits a line after the command was interrupted, and no mark has come: the command has
    /// removed what prints the marks. Without an interrupt, it may be the command that reads a line (`read -e`).
    fn is_lost(&self, facts: Quiet) -> bool {
        self.session.half_line.interrupts() > self.interrupts
            && facts.shell_is_foreground
            && facts.shell_waits
            && facts.line_editing
            && facts.quiet >= LOST_QUIET
    }

    /// Returns true if the shell that got the command is in the terminal's foreground. A shell that the command started
    /// counts as a program.
    fn is_at_shell(&self, probe: &Probe) -> bool {
        let is_shell = |pid| program_of(pid).as_deref().is_some_and(is_relay_or_shell);
        probe.foreground == self.session.facts.pid
            || (self.running.typing.shell != Shell::Own && is_shell(probe.foreground))
    }

    /// Returns whether the exit status of the shell that got the command is the session's.
    fn is_own(&self) -> bool {
        let passes_none = |name: String| STATUS_HIDING.contains(&name.as_str());
        let RunTyping { shell, pid, .. } = self.running.typing;
        shell == Shell::Own
            || pid == 0
            || pid == self.session.facts.pid
                && !base_name(&self.session.facts.program).is_some_and(passes_none)
    }

    fn shell_is_gone(&self) -> ShellGone {
        let typing = &self.running.typing;
        if typing.shell == Shell::Own
            && typing.has_editor
            && !typing.is_on_tape
            && !is_integrated(self.session.facts.pid)
        {
            return ShellGone::Replaced;
        }
        let pid = rustix::process::Pid::from_raw(typing.pid);
        let is_gone = |pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
        if typing.shell == Shell::Inside && pid.is_some_and(is_gone) {
            ShellGone::Ended
        } else {
            ShellGone::No
        }
    }

    /// Returns true if the command's terminal turns newlines into `\r\n`.
    fn adds_returns(&self) -> bool {
        match &self.second {
            Some(second) => second.line().opost_onlcr,
            // The near terminal is raw; the far one is taken to be as terminals are.
            None if self.running.typing.shell == Shell::Far => true,
            None => line_of(&self.session).opost_onlcr,
        }
    }
}

/// Since when there was no output, and how much longer to wait until the shell is looked at.
struct OutputPause {
    since: Instant,
    next_look: Duration,
}

impl OutputPause {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            next_look: FIRST_LOOK,
        }
    }

    fn end(&self) -> tokio::time::Instant {
        tokio::time::Instant::from(self.since) + self.next_look
    }
}

pub(super) fn line_of(session: &Session) -> LineModes {
    let mut line = session.input.line().unwrap_or(LineModes {
        canonical: true,
        echo: true,
        opost_onlcr: true,
    });
    // A tape's output was processed by the terminal of its recording.
    line.opost_onlcr |= session.is_replay();
    line
}

fn unmarked(session: &Session) -> SessionError {
    SessionError::Unavailable(format!(
        "the shell did not report the end of the command, because its prompt was changed, so the status is unknown; \
         ccctl read {} prints the output",
        session.id()
    ))
}

fn lost(session: &Session) -> SessionError {
    SessionError::Unavailable(format!(
        "the output of the command is gone; what is left of it: ccctl read {}",
        session.id()
    ))
}

fn status_of(session: &Session) -> i32 {
    let exit = session.state().exit;
    let status = exit.and_then(|exit| exit.code.or(exit.signal.map(|signal| 128 + signal)));
    status.unwrap_or(-1)
}
