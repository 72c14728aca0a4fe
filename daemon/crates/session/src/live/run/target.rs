//! Finds the shell that a `session.run` command goes to: the program in the foreground, and whether it shows a prompt.

use super::typing::Shell;
use crate::durations::Deadline;
use crate::live::error::{Busy, SessionError};
use crate::live::session::Session;
use crate::live::shell::{
    Printer, ShellKind, ShellPrompt, asks_for_rest, edits_a_line, is_at_mark, is_before_prompt,
    is_integrated,
};
use crate::live::wait::{Silence, is_fresh, is_of_tape, last_line, recent_bytes};
use ccd_terminal::probe::{InputWait, Probe, STALE_AFTER_WRITE};
use ccd_text::pattern::Compiled;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Programs that lead to a shell elsewhere: the command itself is typed, because a file may not exist there.
const RELAYS: &str = "ssh su sudo doas docker podman kubectl nsenter chroot lxc machinectl toolbox distrobox \
    mosh-client script";

/// Options with which a shell reads its lines as they come from the terminal.
const NO_EDITING: &[&[u8]] = &[b"--noediting", b"+Z", b"--no-zle"];

/// How the prompts of shells end.
const PROMPT_ENDS: &[char] = &['$', '#', '%', '>', '❯', '➜', '»', 'λ'];

/// Silence before the first check of the shell.
pub(super) const FIRST_LOOK: Duration = Duration::from_millis(10);

/// How long a waiting shell may seem to print; after that, the output is taken to be a background job's.
const NOISE_LIMIT: Duration = Duration::from_millis(100);

/// How long an integrated shell may wait without its prompt's mark; after that, the mark is taken to be gone.
const MARK_LIMIT: Duration = Duration::from_millis(500);

#[derive(Clone, Copy)]
pub(super) struct RunTarget {
    pub(super) shell: Shell,
    pub(super) printer: Printer,
    /// The foreground process: the shell, or what leads to it; 0 with a tape.
    pub(super) pid: i32,
    /// Its line editor takes commands at a key, also without the mark of a prompt, and says so if it is at none.
    pub(super) has_key: bool,
}

/// What a check shows of the program in the foreground.
struct Foreground {
    probe: Probe,
    /// Its base name.
    program: Option<String>,
    /// It has read its input and printed everything.
    is_settled: bool,
    waits: bool,
    waited: Duration,
}

impl Session {
    /// Waits for a shell's prompt, and returns the shell.
    pub(super) async fn target(
        self: &Arc<Self>,
        deadline: Deadline,
    ) -> Result<RunTarget, SessionError> {
        let own_shell = self.own_shell().is_some();
        let mut silence = Silence::new(self);
        let mut waits_since = None;
        let mut answer = None;
        // A tape plays at the pace of its recording.
        let mark_limit = if self.is_replay() {
            10 * MARK_LIMIT
        } else {
            MARK_LIMIT
        };
        loop {
            let Some(probe) = self.probe().await else {
                self.require_alive()?;
                return Err(self.no_prompt(&deadline).await);
            };
            let seen = self.seen(probe, &mut waits_since, &mut silence, mark_limit);
            let program = seen.program.as_deref();
            if seen.waits && self.is_question(&seen.probe, program) {
                if seen.waited < mark_limit && !deadline.is_over() {
                    self.look_again(&deadline).await;
                    continue;
                }
                return Err(self.shell_busy(Busy::Question(last_line(self))));
            }
            // A start-up file runs its programs in the shell's own process group.
            let is_leader = seen.probe.foreground == self.facts.pid;
            if let Some(program) = self.program_before_prompt(&seen.probe)
                && seen.waits
                && is_leader
                && own_shell
            {
                return Err(self.no_shell(own_shell, &program, false));
            }
            if own_shell && is_leader && !was_replaced(self, program) {
                if seen.waits && asks_for_rest(&tail(self)) {
                    return Err(self.shell_busy(Busy::HalfLine));
                }
                if seen.waits {
                    return Ok(self.target_at(&seen, Shell::Own));
                }
            } else if program.is_some_and(is_relay_or_shell) {
                if seen.waits || (seen.is_settled && seen.probe.verdict == InputWait::Unknown) {
                    let target = self.other_target(&seen, &mut answer, &deadline).await?;
                    if let Some(target) = target {
                        return Ok(target);
                    }
                    silence = Silence::new(self);
                }
            } else if let Some(program) = program
                && (seen.waits || !own_shell)
            {
                return Err(self.no_shell(own_shell, program, is_leader));
            }
            // Otherwise wait: a program that the shell runs gives the terminal back.
            if deadline.is_over() {
                return Err(match program {
                    Some(program) if own_shell && !is_leader => {
                        self.no_shell(own_shell, program, is_leader)
                    }
                    _ => self.no_prompt(&deadline).await,
                });
            }
            self.look_again(&deadline).await;
        }
    }

    /// Evaluates a check; `waits_since` is since when the checks show that the program waits.
    fn seen(
        &self,
        probe: Probe,
        waits_since: &mut Option<Instant>,
        silence: &mut Silence,
        mark_limit: Duration,
    ) -> Foreground {
        // Just after a send, the shell may not have read its input yet.
        let is_fresh = is_fresh(self, &probe);
        let blocked = shell_waits(self, &probe, &self.services.library.current());
        *waits_since = (is_fresh && blocked).then(|| waits_since.unwrap_or_else(Instant::now));
        let waited = waits_since.map_or(Duration::ZERO, |since| since.elapsed());
        let has_printed = if self.is_before_marks(probe.foreground) {
            waited >= mark_limit
        } else {
            has_prompt(self, silence) || waited >= NOISE_LIMIT
        };
        let is_settled = is_fresh && has_printed;
        Foreground {
            program: foreground_of(self, &probe),
            probe,
            is_settled,
            waits: is_settled && blocked,
            waited,
        }
    }

    fn target_at(&self, seen: &Foreground, shell: Shell) -> RunTarget {
        let pid = seen.probe.foreground;
        let printer = Printer::for_process(pid, seen.program.as_deref());
        RunTarget {
            shell,
            printer,
            pid: if self.tape().is_none() { pid } else { 0 },
            has_key: shell == Shell::Own
                && self.facts.shell
                && matches!(printer, Printer::BuiltinPrintf | Printer::Zsh),
        }
    }

    /// Returns the shell that is not the session's own. `None` if the one at the far end of a connection has only now
    /// given its `answer`.
    async fn other_target(
        &self,
        seen: &Foreground,
        answer: &mut Option<Printer>,
        deadline: &Deadline,
    ) -> Result<Option<RunTarget>, SessionError> {
        let program = seen.program.as_deref().unwrap_or_default();
        if !is_relay(program) {
            return Ok(Some(self.target_at(seen, Shell::Inside)));
        }
        if self.tape().is_some() {
            return Ok(Some(self.target_at(seen, Shell::Far)));
        }
        let relay = seen.probe.foreground;
        if let Some(printer) = answer.or_else(|| self.far_printer(relay)) {
            self.set_far_printer(relay, printer);
            return Ok(Some(RunTarget {
                shell: Shell::Far,
                printer,
                pid: relay,
                has_key: false,
            }));
        }
        *answer = self.ask_far_shell(deadline).await?;
        if answer.is_some() {
            return Ok(None);
        }
        self.require_alive()?;
        Err(SessionError::NotAShell {
            program: format!("the program behind {program}"),
        })
    }

    /// Returns the program that reads the terminal in place of the shell, in its process group.
    fn program_before_prompt(&self, probe: &Probe) -> Option<String> {
        let reader = probe.reader.as_ref()?.pid;
        let is_other = reader != self.facts.pid && self.tape().is_none();
        program_of(reader).filter(|program| is_other && !is_relay_or_shell(program))
    }

    async fn look_again(&self, deadline: &Deadline) {
        let soon = (tokio::time::Instant::now() + FIRST_LOOK).min(deadline.instant());
        let _ = tokio::time::timeout_at(soon, self.output.changed()).await;
    }

    /// Returns the error for a command, while the session's own shell waits for the answer to a question that it shows.
    pub(super) async fn question(&self) -> Option<SessionError> {
        let probe = self.probe().await?;
        let foreground = foreground_of(self, &probe);
        let is_asked = probe.foreground == self.facts.pid
            && shell_waits(self, &probe, &self.services.library.current())
            && self.is_question(&probe, foreground.as_deref());
        let question = Some(last_line(self)).filter(|line| is_asked && !line.trim().is_empty())?;
        Some(self.shell_busy(Busy::Question(question)))
    }

    /// Returns whether a shell that waits for input reads the answer to a question (`read`), not a command.
    /// A shell with a line editor reads its commands in raw mode, with bracketed paste. dash and its like read them in blocks,
    /// and answers byte by byte. For any other, a prompt must look like one.
    fn is_question(&self, probe: &Probe, foreground: Option<&str>) -> bool {
        let Some(reader) = &probe.reader else {
            return false;
        };
        if self.tape().is_some() {
            return false;
        }
        if !probe.line.canonical {
            return self.is_key_question(probe, foreground);
        }
        let looks_so = || !last_line(self).trim_end().ends_with(PROMPT_ENDS);
        match ShellKind::from_process(probe.foreground, foreground) {
            Some(ShellKind::Posix) => reader.reads_one_byte,
            _ if is_at_mark(&tail(self)) => false,
            Some(ShellKind::Ksh | ShellKind::Zsh) => looks_so(),
            Some(_) => !edits_no_lines(probe.foreground) || looks_so(),
            None => false,
        }
    }

    /// Returns whether a shell in raw mode reads the answer to a question: a single key (`read -n1`), or a line in an integrated
    /// fish, which has no key for commands elsewhere than at its prompt.
    fn is_key_question(&self, probe: &Probe, foreground: Option<&str>) -> bool {
        let tail = tail(self);
        if is_at_mark(&tail) || asks_for_rest(&tail) {
            return false;
        }
        let is_integrated = || self.facts.shell && is_integrated(probe.foreground);
        match ShellKind::from_process(probe.foreground, foreground) {
            // Its line editor waits for several things, where the platform shows that.
            Some(ShellKind::Bash) if probe.verdict == InputWait::Blocked => true,
            Some(ShellKind::Bash | ShellKind::Zsh) => is_integrated() && !edits_a_line(&tail),
            Some(ShellKind::Fish) => is_integrated(),
            _ => false,
        }
    }

    /// Returns whether the foreground is an integrated shell that marks its prompts, and none of them is the last thing
    /// that it marked.
    fn is_before_marks(&self, foreground: i32) -> bool {
        self.facts.shell
            && foreground == self.facts.pid
            && self.own_shell().is_some_and(ShellKind::has_editor)
            && !is_at_mark(&tail(self))
            && !asks_for_rest(&tail(self))
            && (self.is_replay() || is_integrated(foreground))
    }

    /// Returns the error for a command that cannot be typed, because `foreground` has the terminal.
    fn no_shell(&self, own_shell: bool, foreground: &str, is_leader: bool) -> SessionError {
        if own_shell && !is_leader {
            return self.shell_busy(Busy::Program(foreground.to_owned()));
        }
        let program = if own_shell {
            foreground
        } else {
            &self.facts.program
        };
        SessionError::NotAShell {
            program: program.to_owned(),
        }
    }

    /// Returns the error for a timeout before the command could be typed.
    pub(super) async fn no_prompt(self: &Arc<Self>, deadline: &Deadline) -> SessionError {
        SessionError::Timeout {
            what: "the shell's prompt",
            report: self.timeout_report(deadline).await,
        }
    }
}

/// Returns whether the foreground process, if it is a shell, waits for a command. On a platform that cannot report
/// this, it is guessed: a line editor uses the terminal only at a prompt, and without one the last line must look like
/// a prompt.
pub(super) fn shell_waits(session: &Session, probe: &Probe, library: &Compiled) -> bool {
    match probe.verdict {
        InputWait::Blocked | InputWait::Accepts => true,
        InputWait::Unknown if probe.is_relay() => true,
        InputWait::Unknown if probe.is_blind() => {
            !probe.line.canonical || library.is_prompt(&last_line(session))
        }
        InputWait::Unknown | InputWait::No => false,
    }
}

/// Returns the base name of the program in the foreground.
pub(super) fn foreground_of(session: &Session, probe: &Probe) -> Option<String> {
    if is_of_tape(probe) {
        // A tape replays in place of the session's own program, and knows no other.
        return base_name(&session.facts.program);
    }
    program_of(probe.foreground)
}

pub(super) fn base_name(program: &str) -> Option<String> {
    let name = Path::new(program).file_name()?;
    Some(name.to_string_lossy().trim_start_matches('-').to_owned())
}

/// Returns the base name of a process's program, as it was called.
#[cfg(target_os = "linux")]
pub(super) fn program_of(pid: i32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let first = line.split(|&byte| byte == 0).next()?;
    base_name(std::str::from_utf8(first).ok()?)
}

#[cfg(target_os = "macos")]
pub(super) use ccd_terminal::macos::name as program_of;

/// Returns whether a process was started as a shell that does not edit its lines: `bash --noediting`, `zsh +Z`.
fn edits_no_lines(pid: i32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return false;
    };
    let mut args = line.split(|&byte| byte == 0).skip(1);
    args.any(|arg| NO_EDITING.contains(&arg))
}

/// Returns whether a session's shell was replaced by `program`, which is not a shell, with `exec`.
pub(super) fn was_replaced(session: &Session, program: Option<&str>) -> bool {
    let started = Path::new(&session.facts.program).file_name();
    program
        .is_some_and(|program| started != Some(OsStr::new(program)) && !is_relay_or_shell(program))
}

fn is_relay(name: &str) -> bool {
    RELAYS.split(' ').any(|relay| relay == name)
}

pub(super) fn is_relay_or_shell(name: &str) -> bool {
    is_relay(name) || ShellKind::from_program(Path::new(name), &[]).is_some()
}

/// Returns whether a waiting shell has printed everything: the output ends in a prompt, or there was silence. A kernel
/// worker hands output over, so on a busy machine the prompt may arrive after the shell starts to wait.
pub(super) fn has_prompt(session: &Session, silence: &mut Silence) -> bool {
    silence.update(session);
    (silence.since.elapsed() >= STALE_AFTER_WRITE || shows_prompt(session))
        && !is_before_prompt(&tail(session))
}

/// Returns whether something stands on the last line.
pub(super) fn shows_prompt(session: &Session) -> bool {
    !ShellPrompt::at_end_of(&tail(session), true).is_empty()
}

/// Returns the newest output, which ends with the prompt.
pub(super) fn tail(session: &Session) -> Vec<u8> {
    recent_bytes(session, 0)
}
