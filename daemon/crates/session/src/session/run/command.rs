//! `session.run`: one command in a session's shell, its exact output and status.

use super::on_tape::CommandOnTape;
use super::second_terminal::SecondTerminal;
use super::target::{FIRST_LOOK, Target, is_relay_or_shell, program_of, shell_waits, tail};
use crate::durations::Deadline;
use crate::interaction::{Event, Form, Typed};
use crate::output::Piece;
use crate::peer::Peer;
use crate::session::error::SessionError;
use crate::session::input::Stroke;
use crate::session::live::Session;
use crate::session::shell::{
    Action, CommandFile, LineError, Nonce, Outcome, Prompt, Quiet, ShellRun, Start, Way,
};
use base64::Engine;
use ccd_protocol::session::{SessionRunParams, SessionRunReply};
use ccd_terminal::probe::{Line, Probe};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PIECE_BYTES: usize = 256 << 10;

/// A command that is running.
struct Command<'a> {
    session: &'a Arc<Session>,
    run: ShellRun,
    /// It was typed into the session's own shell, not into a shell that runs inside it.
    is_of_session_shell: bool,
    second: Option<SecondTerminal>,
    at: u64,
    quiet_since: Instant,
    next_look: Duration,
    onlcr: bool,
}

impl Session {
    /// Runs a command in a shell that is at its prompt.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAShell`]; [`SessionError::RunTimeout`] with the output so far, in which case the command
    /// keeps running.
    pub async fn run(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionRunParams,
    ) -> Result<SessionRunReply, SessionError> {
        self.require_alive()?;
        let started = Instant::now();
        let mut warnings = Vec::new();
        let default = Some(self.facts.timeout);
        let deadline = Deadline::start(params.timeout_ms, default, &mut warnings)?;
        let inside = tokio::time::timeout_at(deadline.instant(), self.run_turn.lock()).await;
        let Ok(_turn) = inside else {
            return Err(self.no_prompt(&deadline).await);
        };
        let target = self.target(deadline).await?;
        let on_tape = self
            .tape()
            .map(|tape| CommandOnTape::of(tape, &params.command))
            .transpose()
            .map_err(untypeable)?;
        let nonce = match &on_tape {
            Some(on_tape) => on_tape.nonce.clone(),
            None => Nonce::random().map_err(SessionError::Files)?,
        };
        let file = match on_tape.is_none() && target.is_of_session {
            true => Some(command_file(self, &nonce, &params.command)?),
            false => None,
        };
        if params.isolate && on_tape.is_some() {
            warnings.push(String::from(
                "isolate has no effect with tapes, which have only the session's own terminal",
            ));
        }
        let second = (params.isolate && on_tape.is_none())
            .then(|| SecondTerminal::open(self))
            .transpose()?;
        let line = CommandLine {
            nonce,
            target,
            file: file.as_ref(),
            on_tape: on_tape.as_ref(),
        };
        let mut command = self.type_command(peer, params, line, second).await?;
        let outcome = command.follow(deadline).await;
        match outcome {
            Ok(outcome) => Ok(reply_of(outcome, started, warnings)),
            Err(error) => {
                if let Some(file) = file {
                    // The command keeps running and may read its file until the session ends.
                    let session = Arc::clone(self);
                    self.services.tracker.spawn(async move {
                        session.wait_dead().await;
                        drop(file);
                    });
                }
                Err(error)
            }
        }
    }

    async fn type_command<'a>(
        self: &'a Arc<Self>,
        peer: &Peer,
        params: &SessionRunParams,
        command: CommandLine<'_>,
        second: Option<SecondTerminal>,
    ) -> Result<Command<'a>, SessionError> {
        crate::session::output::wait_for_published(self).await;
        let line = line_of(self);
        let prompt = Prompt::at_end_of(&tail(self), !line.canonical);
        let run = ShellRun::new(Start {
            nonce: command.nonce,
            printer: command.target.printer,
            way: match command.file {
                Some(file) => Way::File(&file.path),
                None => Way::Inline(params.command.as_bytes()),
            },
            prompt,
            isolate: second.as_ref().map(|second| &*second.path),
        })
        .map_err(untypeable)?;
        let stroke = Stroke {
            bytes: run.typed(),
            is_secret: false,
            command: command.on_tape,
        };
        let written = self.strike(stroke).await?;
        self.touch();
        let typed = Typed {
            text: params.command.clone(),
            offset: written.offset,
            hidden: false,
            echo: None,
            form: Form::Line,
        };
        self.note(Some(peer), Event::Send(typed.into()));
        Ok(Command {
            session: self,
            run,
            is_of_session_shell: command.target.is_of_session,
            second,
            at: written.offset,
            quiet_since: Instant::now(),
            next_look: FIRST_LOOK,
            onlcr: line.opost_onlcr,
        })
    }
}

/// How to type a command.
struct CommandLine<'a> {
    nonce: Nonce,
    target: Target,
    /// The file that a shell on this machine reads; without one the command itself is typed.
    file: Option<&'a CommandFile>,
    on_tape: Option<&'a CommandOnTape>,
}

impl Command<'_> {
    /// Passes output to the run until it has an outcome.
    async fn follow(&mut self, deadline: Deadline) -> Result<Outcome, SessionError> {
        let session = self.session;
        loop {
            let changed = session.output.changed();
            match session
                .output
                .read(self.at, PIECE_BYTES)
                .await
                .map_err(SessionError::Files)?
            {
                Piece::Bytes(bytes) => {
                    self.take(&bytes);
                    if bytes.len() == PIECE_BYTES {
                        tokio::task::yield_now().await;
                    }
                }
                Piece::Missing { resume } => self.at = resume,
                Piece::End => {
                    let status = status_of(session);
                    let onlcr = self.onlcr();
                    return Ok(self.run.on_session_end(status, onlcr));
                }
                Piece::Pending => {
                    let until = (tokio::time::Instant::from(self.quiet_since) + self.next_look)
                        .min(deadline.instant());
                    tokio::select! {
                        // After a stall both may be ready, and waiting output means that there was no silence.
                        biased;
                        () = changed => continue,
                        bytes = SecondTerminal::read(self.second.as_mut()) => self.take_isolated(&bytes?),
                        () = tokio::time::sleep_until(until) => self.look_at_shell().await?,
                    }
                }
            }
            if self.run.is_done() {
                let onlcr = self.onlcr();
                if let Some(outcome) = self.run.outcome(onlcr) {
                    return Ok(outcome);
                }
            }
            if deadline.is_over() {
                let (output, truncated) = self.run.output_so_far(self.onlcr());
                return Err(timed_out(
                    &deadline,
                    String::from_utf8_lossy(&output).into_owned(),
                    truncated,
                    session.tape().is_some_and(|tape| tape.has_cut_answer()),
                ));
            }
        }
    }

    /// Checks what the shell is doing, when output pauses.
    async fn look_at_shell(&mut self) -> Result<(), SessionError> {
        let session = self.session;
        let quiet = self.quiet_since.elapsed();
        let Some(probe) = session.probe().await else {
            self.next_look += FIRST_LOOK;
            return Ok(());
        };
        match self.run.on_quiet(Quiet {
            quiet,
            shell_is_foreground: self.is_at_shell(&probe),
            shell_waits: shell_waits(session, &probe, &session.services.library.current()),
            line_editing: !probe.line.canonical,
        }) {
            Action::Wait(more) => self.next_look = quiet + more.max(Duration::from_millis(1)),
            Action::Type(bytes) => {
                session.strike(Stroke::new(&bytes, false)).await?;
                self.quiet_since = Instant::now();
                self.next_look = FIRST_LOOK;
            }
            Action::Done => {}
        }
        Ok(())
    }

    /// Returns true if the shell that got the command is in the terminal's foreground. A shell that the command started
    /// counts as a program.
    fn is_at_shell(&self, probe: &Probe) -> bool {
        let is_shell = |pid| program_of(pid).as_deref().is_some_and(is_relay_or_shell);
        probe.foreground == self.session.facts.pid
            || (!self.is_of_session_shell && is_shell(probe.foreground))
    }

    fn take(&mut self, bytes: &[u8]) {
        self.run.on_output(bytes, self.at);
        self.at += bytes.len() as u64;
        self.quiet_since = Instant::now();
        self.next_look = FIRST_LOOK;
    }

    fn take_isolated(&mut self, bytes: &[u8]) {
        self.run.on_isolated_output(bytes);
        self.quiet_since = Instant::now();
        self.next_look = FIRST_LOOK;
    }

    /// Returns true if the terminal turned newlines into `\r\n` both before and after the command.
    fn onlcr(&self) -> bool {
        match &self.second {
            Some(second) => second.line().opost_onlcr,
            None => {
                self.onlcr
                    && (self.session.input.master().is_none() || line_of(self.session).opost_onlcr)
            }
        }
    }
}

fn line_of(session: &Session) -> Line {
    match session.input.master() {
        // A tape's output was processed by the terminal of its recording.
        Some(master) if session.tape().is_some_and(|tape| tape.is_replay()) => Line {
            opost_onlcr: true,
            ..Line::of(master.as_fd())
        },
        Some(master) => Line::of(master.as_fd()),
        None => Line {
            canonical: true,
            echo: true,
            opost_onlcr: true,
        },
    }
}

fn untypeable(error: LineError) -> SessionError {
    SessionError::InvalidArgument(error.to_string())
}

fn command_file(
    session: &Session,
    nonce: &Nonce,
    command: &str,
) -> Result<CommandFile, SessionError> {
    let dir: PathBuf = session.output.dir().to_owned();
    CommandFile::create(&dir, nonce, command.as_bytes()).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => SessionError::InvalidArgument(error.to_string()),
        _ => SessionError::Files(error),
    })
}

fn status_of(session: &Session) -> i32 {
    let exit = session.state().exit;
    match exit {
        Some(exit) => exit
            .code
            .or(exit.signal.map(|signal| 128 + signal))
            .unwrap_or(-1),
        None => -1,
    }
}

fn timed_out(deadline: &Deadline, output: String, truncated: bool, injected: bool) -> SessionError {
    SessionError::RunTimeout {
        waited_ms: deadline.elapsed_ms(),
        output,
        truncated,
        injected,
    }
}

fn reply_of(outcome: Outcome, started: Instant, warnings: Vec<String>) -> SessionRunReply {
    let output_b64 = std::str::from_utf8(&outcome.output)
        .is_err()
        .then(|| base64::engine::general_purpose::STANDARD.encode(&outcome.output));
    SessionRunReply {
        output: String::from_utf8_lossy(&outcome.output).into_owned(),
        output_b64,
        exit_code: Some(outcome.exit_code),
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        truncated: outcome.truncated,
        start: outcome.start,
        end: outcome.end,
        session_ended: outcome.session_ended,
        warnings,
    }
}
