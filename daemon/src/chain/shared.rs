//! The shell that all steps of a chain share.

use super::job_context::{CommandEnd, JobContext, Order, whole_lines};
use ccd_protocol::Timeout;
use ccd_protocol::chain::CommandResult;
use ccd_protocol::session::{
    EndReason, Pattern, SessionCreateParams, SessionRunParams, SessionRunReply, SessionSignalParams,
};
use ccd_session::{OneShot, SessionError, last_line};
use std::time::{Duration, Instant};

/// How long the shell may take to return to its prompt after a step was interrupted, in milliseconds.
const BACK_MS: f64 = 2000.0;

/// Turns echo on, for a program that may turn it off itself.
const WITH_ECHO: &str = "{ stty echo; } 2>/dev/null\n";

/// The end of the shell's prompt. It contains blanks that hardly any program prints, which distinguish the shell's
/// prompt from a program's.
const PROMPT_END: &str = ">\u{a0}\u{a0}";

/// A shell that runs the steps in order.
pub(super) struct SharedShell<'a> {
    context: &'a JobContext,
    shot: OneShot,
    prompt: String,
    pub(super) lost: Option<String>,
}

impl<'a> SharedShell<'a> {
    /// Starts `sh`, for which it waits as [`JobContext::start`] does.
    pub(super) async fn start(
        context: &'a JobContext,
        timeout: Timeout,
    ) -> Result<Self, SessionError> {
        let mut env = context.work.env.clone();
        // Its own prompt, and no start-up file of the user, which could print something.
        let prompt = format!("ccd-{:08x}{PROMPT_END}", rand::random::<u32>());
        env.insert("PS1".into(), prompt.clone());
        env.insert("ENV".into(), String::new());
        let params = SessionCreateParams {
            program: Some("sh".into()),
            env,
            ..SessionCreateParams::default()
        };
        Ok(Self {
            shot: context.start(params, timeout).await?,
            context,
            prompt,
            lost: None,
        })
    }

    /// Runs a step. If the job is cancelled, the shell is ended too.
    pub(super) async fn run(&mut self, step: i64, order: Order<'_>) -> CommandEnd {
        let started = Instant::now();
        let params = SessionRunParams {
            run_id: None,
            session: self.shot.session.id().to_string(),
            command: command_of(order),
            isolate: false,
            timeout_ms: match (order.timeout, self.context.runtime_limit()) {
                (Timeout::Default, None) => Timeout::Forever,
                (Timeout::Default, Some(limit)) => Timeout::After(limit.as_secs_f64() * 1000.0),
                (given, _) => given,
            },
        };
        let (shell, peer) = (&self.shot.session, &self.context.work.peer);
        let mut has_come = order.expect.is_none();
        let done = tokio::select! {
            done = shell.run(peer, &params) => Some(done),
            () = self.context.handle.cancelled().cancelled() => None,
            () = self.talk(order, &mut has_come) => None, // it never ends
        };
        let timed_out = matches!(done, Some(Err(SessionError::RunTimeout { .. })));
        self.shot.session.input.switch_echo(false);
        let mut ended = match done {
            Some(Ok(reply)) => self.ended(step, order, &reply, has_come),
            Some(Err(SessionError::RunTimeout {
                output, truncated, ..
            })) => {
                self.interrupt(step).await;
                let why = "timed out and was interrupted";
                let mut ended = self.result(order, output, Some(why));
                (ended.result.truncated, ended.is_cut) = (truncated, truncated);
                ended
            }
            Some(Err(error)) => {
                if self.shot.session.is_dead() {
                    self.lost = Some(format!("the shell exited before step {step}"));
                }
                self.context.not_run(order.command, &error.to_string())
            }
            None => self.result(order, String::new(), Some("cancelled")),
        };
        ended.result.timed_out = timed_out;
        ended.result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        ended
    }

    pub(super) async fn end(self) {
        self.shot.end(EndReason::Closed).await;
        if let Err(error) = self.shot.collect().await {
            tracing::warn!(%error, "could not clean up after the shell of a chain");
        }
    }

    /// Waits for the pattern, types the text, and then never completes.
    async fn talk(&self, order: Order<'_>, has_come: &mut bool) {
        if let Some(regex) = order.expect {
            let pattern = Pattern::Regex(regex.to_owned());
            let peer = &self.context.work.peer;
            *has_come = self.shot.answer(peer, pattern, order.send).await;
        }
        std::future::pending().await
    }

    fn ended(
        &mut self,
        step: i64,
        order: Order<'_>,
        reply: &SessionRunReply,
        has_come: bool,
    ) -> CommandEnd {
        if reply.session_ended {
            self.lost = Some(format!("the shell exited in step {step}"));
        }
        let missing = order.expect.filter(|_| !has_come);
        let error = missing.map(|regex| format!("{regex:?} did not appear"));
        let mut ended = self.result(order, reply.output.clone(), error.as_deref());
        (ended.result.truncated, ended.is_cut) = (reply.truncated, reply.truncated);
        ended.result.exit_code = reply.exit_code;
        ended.result.success = error.is_none() && reply.exit_code == Some(0);
        ended
    }

    fn result(&self, order: Order<'_>, output: String, error: Option<&str>) -> CommandEnd {
        let (kept, omitted_bytes) = self.context.kept(&output, &self.shot.session);
        CommandEnd {
            result: CommandResult {
                command: order.command.to_owned(),
                output: kept,
                omitted_bytes,
                error: error.map(str::to_owned),
                session_id: Some(self.shot.session.id().to_string()),
                ..CommandResult::default()
            },
            output,
            is_cut: false,
        }
    }

    /// Interrupts the command that the shell is running. If the shell does not return to its prompt, it is ended too.
    async fn interrupt(&mut self, step: i64) {
        let (shell, peer) = (&self.shot.session, &self.context.work.peer);
        let session = self.shot.session.id().to_string();
        // It may just have ended by itself.
        let _ = shell.signal(&SessionSignalParams {
            session: session.clone(),
            signal: "INT".into(),
        });
        let params = SessionRunParams {
            session,
            run_id: None,
            command: ":".into(),
            isolate: false,
            timeout_ms: Timeout::After(BACK_MS),
        };
        // A program that keeps running must not receive input that is meant for the shell.
        if !self.is_back().await || shell.run(peer, &params).await.is_err() {
            self.shot.end(EndReason::Runtime).await;
            self.lost = Some(format!(
                "the shell was killed, because step {step} did not stop"
            ));
        }
    }

    /// Waits for the shell's prompt at the end of the output; false if it does not appear.
    async fn is_back(&self) -> bool {
        let back = async {
            loop {
                let changed = self.shot.session.output.changed();
                if last_line(&self.shot.session).ends_with(&self.prompt) {
                    return;
                }
                changed.await;
            }
        };
        tokio::time::timeout(Duration::from_secs_f64(BACK_MS / 1000.0), back)
            .await
            .is_ok()
    }
}

/// Returns the command, with its input, if it has one. Only a step with a pattern reads the terminal: any other command
/// gets end-of-file, as in its own terminal.
fn command_of(order: Order<'_>) -> String {
    let command = order.command;
    match (order.expect, order.send) {
        (Some(_), Some(_)) => format!("{WITH_ECHO}{command}"),
        (None, Some(input)) => {
            let end = format!("ccd-{:016x}", rand::random::<u64>());
            let input = whole_lines(input);
            format!("{{ {command}\n}} <<'{end}'\n{input}{end}\n")
        }
        // Braces must contain a command, and a command that continues on the next line would include the closing brace.
        (_, None) if command.trim_start().starts_with('#') || command.ends_with('\\') => {
            command.to_owned()
        }
        (_, None) => format!("{{ {command}\n}} </dev/null\n"),
    }
}
