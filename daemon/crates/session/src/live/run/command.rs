//! `session.run`: one command in a session's shell, its exact output and status.

use super::on_tape::{CommandOnTape, PRINTER};
use super::running::{Follower, RunResult, RunningCommand, line_of};
use super::second_terminal::SecondTerminal;
use super::target::{RunTarget, tail};
use super::typing::{RunTyping, Shell, untypeable};
use crate::durations::Deadline;
use crate::interaction::{InputForm, TypedText};
use crate::live::error::{Busy, SessionError};
use crate::live::input::TerminalInput;
use crate::live::session::Session;
use crate::live::shell::{
    CommandOutcome, CommandRefusal, Nonce, Printer, command_file, editor_file, has_text_at_mark,
    is_integrated, takes_commands,
};
use crate::live::temporary_file::TemporaryFile;
use crate::live::wait::last_line;
use crate::peer::Peer;
use base64::Engine;
use ccd_protocol::session::{SessionRunParams, SessionRunReply};
use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{OwnedMutexGuard, watch};

/// The keys that remove what stands in a shell's line: `^U`, in bash after `^G`, which ends a search that an answer began.
const KILL_KEY: &[u8] = b"\x15";
const KILL_KEYS_OF_BASH: &[u8] = b"\x07\x15";

impl Session {
    /// Runs a command in a shell that is at its prompt. A failure is added to the history; the task that follows the
    /// command notes its status.
    /// A request with the `run_id` of the last command waits for that one.
    /// [`SessionError::RunTimeout`] has the output so far; the command then keeps running.
    pub fn run<'a>(
        self: &'a Arc<Self>,
        peer: &'a Peer,
        params: &'a SessionRunParams,
    ) -> BoxFuture<'a, Result<SessionRunReply, SessionError>> {
        async move {
            let began = Instant::now();
            let ran = self.run_in_shell(peer, params).await;
            if let Err(error) = &ran {
                self.note_failure(peer, error, began, None, Some(&params.command));
            }
            ran
        }
        .boxed()
    }

    async fn run_in_shell(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionRunParams,
    ) -> Result<SessionRunReply, SessionError> {
        let mut warnings = Vec::new();
        let default = Some(self.facts.timeout);
        let deadline = Deadline::start(params.timeout_ms, default, &mut warnings)?;
        let known = params.run_id.as_deref().and_then(|id| self.runs.find(id));
        let warned = &mut warnings;
        let running = match known {
            Some(running) => running,
            None => self.start_run(peer, params, deadline, warned).await?,
        };
        let outcome = self.outcome_of(&running, &deadline).await?;
        let doubts = [
            (
                outcome.exit_code.is_none(),
                "the shell that ran the command has ended, and its exit status is not known",
            ),
            (
                outcome.is_replaced,
                "the command replaced the shell by one that ccd did not set up; session run types into that from now on",
            ),
            (
                outcome.is_incomplete,
                "the shell asked for the rest of the command (a quote, a block or a here-document is open), so it was cancelled with ^C",
            ),
        ];
        let doubts = doubts.into_iter().filter(|(is_so, _)| *is_so);
        warnings.extend(doubts.map(|(_, doubt)| doubt.to_owned()));
        Ok(reply_of(&outcome, running.started, warnings))
    }

    /// Types a command and has it followed.
    async fn start_run(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionRunParams,
        deadline: Deadline,
        warnings: &mut Vec<String>,
    ) -> Result<Arc<RunningCommand>, SessionError> {
        self.require_alive()?;
        let started = Instant::now();
        let turn = match self.runs.turn(self, &deadline).await {
            Ok(turn) => turn,
            Err(error) => return Err(self.question().await.unwrap_or(error)),
        };
        let target = self.target(deadline).await?;
        crate::live::output::wait_for_published(self).await;
        let (typing, tools) = self.tools(params, target, warnings)?;
        let isolate = tools.second.as_ref().map(|second| &*second.path);
        let run = typing.start(&tail(self), &params.command, isolate, false)?;
        let running = Arc::new(RunningCommand {
            run_id: params.run_id.clone(),
            command: params.command.clone(),
            started,
            run: Mutex::new(run),
            end: watch::Sender::new(None),
            is_isolated: isolate.is_some(),
            typing,
        });
        self.runs.set_last(&running);
        if !running.is_isolated {
            // Before it is typed, so that the next worker types it if this one does not.
            self.keep();
        }
        self.type_run(peer, running, tools, target, turn).await
    }

    async fn type_run(
        self: &Arc<Self>,
        peer: &Peer,
        running: Arc<RunningCommand>,
        tools: RunTools,
        target: RunTarget,
        turn: OwnedMutexGuard<()>,
    ) -> Result<Arc<RunningCommand>, SessionError> {
        let mut line = running.run.lock().typed().to_vec();
        if self.half_line.is_answer() && target.shell != Shell::Far {
            let keys = match target.printer {
                Printer::BuiltinPrintf => KILL_KEYS_OF_BASH,
                _ => KILL_KEY,
            };
            line.splice(..0, keys.iter().copied());
        }
        let terminal_input = TerminalInput {
            bytes: &line,
            is_secret: false,
            command: tools.on_tape.as_ref(),
        };
        let written = match self.type_input(terminal_input).await {
            Ok(written) => written,
            Err(error) => {
                self.runs.forget(&running);
                self.keep();
                return Err(error);
            }
        };
        self.half_line.entered();
        self.touch();
        let typed = TypedText {
            text: running.command.clone(),
            offset: written.offset,
            hidden: false,
            echo: None,
            form: InputForm::Line,
        };
        self.note_send(peer, typed);
        let follower = Follower {
            session: Arc::clone(self),
            running: Arc::clone(&running),
            second: tools.second,
            file: tools.file,
            turn,
            at: written.offset,
            is_over: false,
            interrupts: self.half_line.interrupts(),
        };
        self.services.tracker.spawn(follower.follow());
        Ok(running)
    }

    async fn outcome_of(
        &self,
        running: &RunningCommand,
        deadline: &Deadline,
    ) -> Result<Arc<CommandOutcome>, SessionError> {
        let mut end = running.end.subscribe();
        let ended =
            tokio::time::timeout_at(deadline.instant(), end.wait_for(Option::is_some)).await;
        let end = match ended {
            Ok(Ok(end)) => end.clone(),
            // The one that follows it ends with the worker.
            Ok(Err(_)) => return Err(SessionError::ShuttingDown),
            Err(_) => None,
        };
        match end {
            Some(RunResult::Done(outcome)) => Ok(outcome),
            Some(RunResult::Refused(refusal)) => {
                let with = match refusal {
                    CommandRefusal::HalfLine => Busy::HalfLine,
                    CommandRefusal::Question => Busy::Question(last_line(self)),
                    CommandRefusal::NotStarted => return Err(dropped(self)),
                };
                Err(self.shell_busy(with))
            }
            Some(RunResult::Failed(error)) => {
                Err(error.lock().take().unwrap_or(SessionError::ShuttingDown))
            }
            None => {
                let (output, truncated) =
                    running.run.lock().output_so_far(line_of(self).opost_onlcr);
                Err(SessionError::RunTimeout {
                    waited_ms: deadline.elapsed_ms(),
                    output: String::from_utf8_lossy(&output).into_owned(),
                    truncated,
                    injected: self.tape().is_some_and(|tape| tape.has_cut_answer()),
                })
            }
        }
    }

    /// Decides how to type a command, and makes what that needs.
    fn tools(
        &self,
        params: &SessionRunParams,
        target: RunTarget,
        warnings: &mut Vec<String>,
    ) -> Result<(RunTyping, RunTools), SessionError> {
        let is_isolated = params.isolate && self.tape().is_none();
        if params.isolate && !is_isolated {
            warnings.push(String::from(
                "isolate has no effect with tapes, which have only the session's own terminal",
            ));
        }
        self.require_empty_line(target.shell)?;
        let is_replay = self.is_replay();
        let is_marked = takes_commands(&tail(self));
        let has_editor = target.shell == Shell::Own
            && !is_isolated
            && if is_replay {
                is_marked
            } else {
                // A shell may have the prompt, with its mark, of one that it has replaced.
                !line_of(self).canonical
                    && (is_marked || target.has_key)
                    && is_integrated(self.facts.pid)
            };
        let on_tape = self
            .tape()
            .map(|tape| CommandOnTape::new(&tape, &params.command, has_editor))
            .transpose()
            .map_err(untypeable)?;
        let nonce = match &on_tape {
            Some(on_tape) => on_tape.nonce.clone(),
            None => Nonce::random().map_err(SessionError::Files)?,
        };
        let (dir, text) = (self.output.dir(), params.command.as_bytes());
        let file = match (has_editor, &on_tape) {
            _ if is_replay => None,
            (true, _) => Some(editor_file(dir, &nonce, text)),
            (false, None) if target.shell == Shell::Own => Some(command_file(dir, &nonce, text)),
            (false, _) => None,
        };
        let file = file.transpose().map_err(unwritable)?;
        let typing = RunTyping {
            nonce,
            printer: match on_tape {
                Some(_) if !has_editor => PRINTER,
                _ => target.printer,
            },
            shell: target.shell,
            pid: target.pid,
            has_editor,
            file: file.as_ref().map(|file| file.0.clone()),
            line_editing: !line_of(self).canonical,
            is_on_tape: on_tape.is_some(),
            offset: self.output.end(),
        };
        let second = is_isolated.then(|| SecondTerminal::open(self));
        let tools = RunTools {
            file,
            on_tape,
            second: second.transpose()?,
        };
        Ok((typing, tools))
    }

    /// Fails if half a line is typed at the shell's prompt: the command would continue it. The line editor of an
    /// integrated shell says so itself.
    fn require_empty_line(&self, shell: Shell) -> Result<(), SessionError> {
        let tail = tail(self);
        let is_half = if takes_commands(&tail) {
            // The line editor refuses half a line itself, but not while it asks a question about it.
            self.half_line.is_begun() && has_text_at_mark(&tail)
        } else {
            self.half_line.is_shown(&last_line(self))
        };
        if is_half && shell != Shell::Far {
            Err(self.shell_busy(Busy::HalfLine))
        } else {
            Ok(())
        }
    }
}

struct RunTools {
    file: Option<TemporaryFile>,
    on_tape: Option<CommandOnTape>,
    second: Option<SecondTerminal>,
}

fn dropped(session: &Session) -> SessionError {
    SessionError::Unavailable(format!(
        "the shell dropped the line that session.run typed, so the command did not run; ccctl screen {} shows \
         the terminal",
        session.id()
    ))
}

fn unwritable(error: std::io::Error) -> SessionError {
    match error.kind() {
        std::io::ErrorKind::InvalidInput => SessionError::InvalidArgument(error.to_string()),
        _ => SessionError::Files(error),
    }
}

fn reply_of(outcome: &CommandOutcome, started: Instant, warnings: Vec<String>) -> SessionRunReply {
    let output_b64 = std::str::from_utf8(&outcome.output)
        .is_err()
        .then(|| base64::engine::general_purpose::STANDARD.encode(&outcome.output));
    SessionRunReply {
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        output_b64,
        exit_code: outcome.exit_code,
        exitstatus: outcome.exit_code,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        truncated: outcome.truncated,
        rest: outcome.rest,
        start: outcome.start,
        end: outcome.end,
        session_ended: outcome.session_ended,
        warnings,
    }
}
