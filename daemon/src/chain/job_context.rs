//! Runs the commands of a job: limits, environment, and results.

use super::error::ChainError;
use super::job_context_state::JobContextState;
use crate::failure::{Failure, require_absolute};
use crate::job::{JobHandle, Jobs, Outcome};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_base::shell::split;
use ccd_protocol::chain::CommandResult;
use ccd_protocol::run::RunOnceParams;
use ccd_protocol::session::{Pattern, SessionCreateParams};
use ccd_protocol::{Inherited, Reportable as _, Timeout};
use ccd_session::durations::Deadline;
use ccd_session::peer::Peer;
use ccd_session::{OnceResult, OneShot, OutputPart, Runner, Session, SessionError, Sessions};
use ccd_terminal::ProcessSettings;
use ccd_text::redact::redact;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum stored output of one command in a job, and of all commands together, as JSON.
const MAX_OUTPUT_BYTES: usize = 256 << 10;
const MAX_OUTPUTS_BYTES: usize = 4 << 20;

/// Output that each command can always store, whatever earlier commands have stored, because the last command is often
/// the one that failed. For 1,000 commands this is 3 MiB, so a job's list (8 MiB) contains all of them.
const MIN_OUTPUT_BYTES: usize = 3 << 10;

/// Length of the end of an output that is searched for hidden input. It is longer than the stored part; output beyond
/// it is not shown.
const MASKED_BYTES: usize = 4 * MAX_OUTPUT_BYTES;

const BEFORE_IT_BEGAN: &str = "cancelled before it started";

/// Environment variable with the nesting depth of jobs, for the programs of a job.
const DEPTH: &str = "CCD_JOB_DEPTH";

/// Maximum nesting depth of jobs; a job that starts itself would otherwise use up all sessions.
const MAX_DEPTH: u32 = 8;

/// The client that requested a job, and what its programs inherit.
pub(crate) struct Work {
    sessions: Arc<Sessions>,
    pub(super) peer: Peer,
    cwd: Option<String>,
    pub(super) env: BTreeMap<String, String>,
    inherited: Inherited,
}

impl Work {
    /// Also returns a warning for each limit of the caller that its programs cannot have.
    pub(crate) fn new(
        sessions: &Arc<Sessions>,
        peer: Peer,
        cwd: Option<String>,
        mut env: BTreeMap<String, String>,
        inherited: Inherited,
    ) -> Result<(Self, Vec<String>), Failure> {
        if let Some(cwd) = &cwd {
            require_absolute("cwd", cwd)?;
        }
        let caller_env = inherited.caller_env.as_ref();
        let of_caller = caller_env.and_then(|env| env.get(DEPTH));
        let depth = env.get(DEPTH).or(of_caller);
        let depth: u32 = depth.and_then(|depth| depth.parse().ok()).unwrap_or(0);
        if depth >= MAX_DEPTH {
            return Err(ChainError::TooDeep(depth).into());
        }
        env.insert(DEPTH.to_owned(), (depth + 1).to_string());
        let (_, warnings) = ProcessSettings::allowed(&inherited);
        let work = Self {
            sessions: Arc::clone(sessions),
            peer,
            cwd,
            env,
            inherited,
        };
        Ok((work, warnings))
    }

    /// Starts the job of a method; `list` is the name of the list in its result.
    pub(super) async fn start<Fut>(
        self,
        jobs: &Jobs,
        method: &'static str,
        list: &'static str,
        run: impl FnOnce(JobContext) -> Fut + Send + 'static,
    ) -> Result<String, Failure>
    where
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let start = move |handle| run(JobContext::new(self, handle, method));
        Ok(jobs.start(method, Some(list), start).await?)
    }
}

pub(super) struct JobContext {
    pub(super) work: Work,
    pub(super) handle: JobHandle,
    method: &'static str,
    state: Mutex<JobContextState>,
    /// Ends the job's programs when the work ends, whatever its result.
    _ends_programs: DropGuard,
}

#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) command: &'a str,
    /// Program and arguments; empty for a shell.
    pub(super) words: &'a [String],
    pub(super) expect: Option<&'a str>,
    pub(super) send: Option<&'a str>,
    pub(super) timeout: Timeout,
}

/// How a command ended, with all of its output.
pub(super) struct CommandEnd {
    pub(super) result: CommandResult,
    /// The unredacted output, for conditions only.
    pub(super) output: String,
    /// The output was longer than this.
    pub(super) is_cut: bool,
}

impl JobContext {
    fn new(work: Work, handle: JobHandle, method: &'static str) -> Self {
        let gone = CancellationToken::new();
        let peer = work.peer.until(gone.clone());
        Self {
            work: Work { peer, ..work },
            handle,
            method,
            state: Mutex::new(JobContextState::new()),
            _ends_programs: gone.drop_guard(),
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.handle.cancelled().is_cancelled()
    }

    /// How long each program may run if the request does not say it; `None`: without a limit.
    pub(super) fn runtime_limit(&self) -> Option<Duration> {
        self.work.sessions.services.settings().max_session_runtime
    }

    pub(super) fn tell(&self, progress: Value) {
        let mut state = self.state.lock();
        state.progress = progress;
        self.tell_state(&state);
    }

    /// Runs a command in its own terminal, as soon as the limit on sessions allows; if it does not in time, that is the
    /// result. If the job is cancelled, the command is killed.
    pub(super) async fn run(&self, order: Order<'_>) -> CommandEnd {
        let params = self.params(order);
        loop {
            let Some(running) = self.begin() else {
                return self.not_run(order.command, BEFORE_IT_BEGAN);
            };
            let cancel = self.handle.cancelled();
            let runner = Runner {
                peer: &self.work.peer,
                method: self.method,
                part: OutputPart::End,
            };
            let done = self.work.sessions.once(runner, &params, cancel).await;
            drop(running);
            match done {
                Ok(once) => {
                    self.state.lock().idle_since = Instant::now();
                    return self.ended(order.command, once);
                }
                Err(error @ SessionError::MaxSessions { .. }) => {
                    if !self.has_place(order.timeout).await {
                        return self.without_place(order, &error);
                    }
                }
                Err(error) => return self.not_run(order.command, &error.to_string()),
            }
        }
    }

    /// Starts a session that lives at most as long as the job, as soon as the limit on sessions allows.
    /// [`SessionError::MaxSessions`] only after a wait of `timeout`.
    pub(super) async fn start(
        &self,
        params: SessionCreateParams,
        timeout: Timeout,
    ) -> Result<OneShot, SessionError> {
        loop {
            let Some(running) = self.begin() else {
                return Err(SessionError::Unavailable(BEFORE_IT_BEGAN.into()));
            };
            let params = SessionCreateParams {
                cwd: self.work.cwd.clone(),
                inherited: self.work.inherited.clone(),
                // At the limit, the oldest output is dropped instead of ending the session.
                persist: Some(true),
                plain: true,
                transient: true,
                ..params.clone()
            };
            let (sessions, peer) = (&self.work.sessions, &self.work.peer);
            let started = OneShot::start_for(sessions, peer, params, Some(self.method)).await;
            drop(running);
            match started {
                Err(SessionError::MaxSessions { .. }) if self.has_place(timeout).await => {}
                started => return started,
            }
        }
    }

    /// Counts a running command; `None` if no more commands may start.
    fn begin(&self) -> Option<Counted<'_>> {
        (!self.is_cancelled()).then(|| Counted::new(self, |state| &mut state.running))
    }

    /// Waits for room for another session. False if other sessions have taken all of it for `timeout`, or for
    /// `default_timeout` if the request has no timeout; the time in which the job's own commands run does not count.
    async fn has_place(&self, timeout: Timeout) -> bool {
        let _waiting = Counted::new(self, |state| &mut state.waiting);
        let default = self.work.sessions.services.settings().default_timeout;
        // The request was checked, and so has no wrong timeout.
        let wait = Deadline::start(timeout, Some(default), &mut Vec::new());
        let limit = wait.ok().and_then(|wait| wait.limit);
        let mut place = pin!(self.work.sessions.place());
        loop {
            let left = self.state.lock().patience(limit);
            if left == Some(Duration::ZERO) {
                return false;
            }
            tokio::select! {
                () = &mut place => return true,
                () = self.handle.cancelled().cancelled() => return true,
                () = tokio::time::sleep(left.unwrap_or(Duration::MAX)) => {}
            }
        }
    }

    /// Returns the result of a command for which there was no room in time.
    fn without_place(&self, order: Order<'_>, error: &SessionError) -> CommandEnd {
        let hint = error.hint().unwrap_or_default();
        let Timeout::After(ms) = order.timeout else {
            return self.not_run(order.command, &format!("{error}; {hint}"));
        };
        let seconds = ms / 1000.0;
        let why = format!("timed out after {seconds:.1} s before it could start: {error}; {hint}");
        let mut ended = self.not_run(order.command, &why);
        ended.result.timed_out = true;
        ended
    }

    fn params(&self, order: Order<'_>) -> RunOnceParams {
        let (program, args) = match order.words.split_first() {
            Some((program, args)) => (program.clone(), args.to_vec()),
            None => (order.command.to_owned(), Vec::new()),
        };
        let pattern = order.expect.map(|regex| Pattern::Regex(regex.to_owned()));
        let send = order.send.filter(|_| order.expect.is_some());
        let input = order.send.filter(|_| order.expect.is_none());
        RunOnceParams {
            program,
            args,
            shell: order.words.is_empty(),
            expect: pattern.into_iter().collect(),
            send: send.map(str::to_owned).into_iter().collect(),
            end_input: true,
            stdin_b64: input.map(|input| STANDARD.encode(whole_lines(input))),
            timeout_ms: order.timeout,
            cwd: self.work.cwd.clone(),
            env: self.work.env.clone(),
            inherited: self.work.inherited.clone(),
            ..RunOnceParams::default()
        }
    }

    fn ended(&self, command: &str, once: OnceResult) -> CommandEnd {
        let OnceResult { reply, .. } = once;
        let seconds = Duration::from_millis(reply.duration_ms).as_secs_f64();
        let error = if reply.timed_out {
            Some(format!("timed out after {seconds:.1} s and was ended"))
        } else if self.is_cancelled() {
            Some(String::from("cancelled"))
        } else if let Some(missing) = reply.missing.first() {
            Some(format!("{missing:?} did not appear"))
        } else {
            reply
                .signal
                .map(|signal| format!("ended by signal {signal}"))
        };
        let (output, omitted_bytes) = self.kept(&reply.output, &once.session);
        CommandEnd {
            result: CommandResult {
                command: command.to_owned(),
                output,
                omitted_bytes: once.before_bytes + omitted_bytes,
                truncated: false,
                exit_code: reply.exit_code,
                signal: reply.signal,
                success: error.is_none() && reply.exit_code == Some(0),
                error,
                timed_out: reply.timed_out,
                duration_ms: reply.duration_ms,
                session_id: reply.session_id,
            },
            output: reply.output,
            is_cut: reply.truncated,
        }
    }

    pub(super) fn not_run(&self, command: &str, why: &str) -> CommandEnd {
        CommandEnd {
            result: CommandResult {
                command: command.to_owned(),
                error: Some(why.to_owned()),
                ..CommandResult::default()
            },
            output: String::new(),
            is_cut: false,
        }
    }

    /// Returns the end of an output, as much as there is room for, with secrets and the session's hidden input
    /// redacted, and the number of bytes left out before it.
    pub(super) fn kept(&self, output: &str, session: &Session) -> (String, u64) {
        let (shown, before) = without_hidden(output, session);
        // Redacted as a whole, because half a secret is not recognised.
        let clean = redact(&shown).text;
        let mut state = self.state.lock();
        let room = MAX_OUTPUTS_BYTES
            .saturating_sub(state.output_bytes)
            .clamp(MIN_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
        let (end, bytes) = end_of(&clean, room);
        state.output_bytes += bytes;
        (end.to_owned(), (before + clean.len() - end.len()) as u64)
    }

    fn tell_state(&self, state: &JobContextState) {
        let mut progress = state.progress.clone();
        if let Value::Object(progress) = &mut progress
            && state.waiting > 0
        {
            let settings = self.work.sessions.services.settings();
            let max = settings.max_sessions.unwrap_or_default();
            let what = format!("a free session: {max} are alive (max_sessions)");
            progress.insert("waits_for".into(), json!(what));
        }
        self.handle.queued(state.waiting > 0 && state.running == 0);
        self.handle.progress(progress);
    }
}

/// Counts a command while it is running or waiting.
struct Counted<'a> {
    context: &'a JobContext,
    counter: fn(&mut JobContextState) -> &mut usize,
}

impl<'a> Counted<'a> {
    fn new(context: &'a JobContext, counter: fn(&mut JobContextState) -> &mut usize) -> Self {
        *counter(&mut context.state.lock()) += 1;
        context.tell_state(&context.state.lock());
        Self { context, counter }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        *(self.counter)(&mut self.context.state.lock()) -= 1;
    }
}

/// Returns the program and arguments of a command that is not passed to a shell.
/// The error is a message: the command cannot be split, or needs a shell.
pub(super) fn words_of(command: &str) -> Result<Vec<String>, String> {
    let words = split(command)?;
    match words.needs_shell {
        Some(what) => Err(format!(
            "{what} needs a shell, and commands are not passed to one: use --shell (`shell` in requests), or quote it"
        )),
        None => Ok(words.words),
    }
}

pub(super) fn whole_lines(text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}")
}

/// Returns the end of an output with hidden input masked, and the number of bytes left out before it; the whole output
/// if there was no hidden input.
fn without_hidden<'a>(output: &'a str, session: &Session) -> (Cow<'a, str>, usize) {
    if session.hidden.is_empty() {
        return (Cow::Borrowed(output), 0);
    }
    let end_from = |bytes: usize| output.ceil_char_boundary(output.len().saturating_sub(bytes));
    // Including the text before it, because a hidden input may start there.
    let looked_at = &output[end_from(MASKED_BYTES + MAX_OUTPUT_BYTES)..];
    let shown = looked_at.len() - output[end_from(MASKED_BYTES)..].len()..looked_at.len();
    let before = output.len() - shown.len();
    (Cow::Owned(session.hidden.mask(looked_at, shown)), before)
}

/// Returns the longest end of `text` that takes at most `room` bytes as JSON, and how many bytes it takes.
fn end_of(text: &str, room: usize) -> (&str, usize) {
    let mut bytes = 0;
    for (at, c) in text.char_indices().rev() {
        let cost = match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c < ' ' => 6,
            c => c.len_utf8(),
        };
        if bytes + cost > room {
            return (&text[at + c.len_utf8()..], bytes);
        }
        bytes += cost;
    }
    (text, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept_by_its_size_as_json() {
        assert_eq!(end_of("abc", 10), ("abc", 3));
        assert_eq!(end_of("abc", 2), ("bc", 2));
        assert_eq!(end_of("a\u{1b}", 6), ("\u{1b}", 6));
        assert_eq!(end_of("a\u{1b}", 5), ("", 0));
        assert_eq!(end_of("aé\n", 4), ("é\n", 4));
        assert_eq!(end_of("aé\n", 3), ("\n", 2));
        let text = "a\"\n\u{1}é".repeat(50);
        for room in 0..300 {
            let (end, bytes) = end_of(&text, room);
            assert_eq!(serde_json::to_string(end).unwrap().len() - 2, bytes);
            assert!(bytes <= room);
        }
    }
}
