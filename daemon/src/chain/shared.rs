//! The one shell of a chain whose steps share it.

use super::bench::{Bench, Ended, Order, whole_lines};
use crate::session::{OneShot, SessionError};
use ccd_protocol::Timeout;
use ccd_protocol::chain::CommandResult;
use ccd_protocol::session::{
    EndReason, Pattern, SessionCreateParams, SessionRunParams, SessionRunReply, SessionSignalParams,
};
use std::time::Instant;

/// How long the shell may take to be back after a step that was interrupted, in milliseconds.
const BACK_MS: f64 = 2000.0;

/// A shell that runs one step after the other.
pub(super) struct SharedShell<'a> {
    bench: &'a Bench,
    shot: OneShot,
    /// Why it takes no further step.
    pub(super) lost: Option<String>,
}

impl<'a> SharedShell<'a> {
    /// Starts `sh`.
    ///
    /// # Errors
    ///
    /// As for any program.
    pub(super) async fn start(bench: &'a Bench) -> Result<Self, SessionError> {
        let mut env = bench.work.env.clone();
        // Its own prompt, and no file of the user's that could print something.
        env.insert("PS1".into(), "$ ".into());
        env.insert("ENV".into(), String::new());
        let params = SessionCreateParams {
            program: Some("sh".into()),
            env,
            ..SessionCreateParams::default()
        };
        Ok(Self {
            shot: bench.start(params).await?,
            bench,
            lost: None,
        })
    }

    /// Runs a step; cancelled, the shell is ended with it.
    pub(super) async fn run(&mut self, step: i64, order: Order<'_>) -> Ended {
        let started = Instant::now();
        let params = SessionRunParams {
            session: self.shot.session.id().to_string(),
            command: command_of(order),
            isolate: false,
            timeout_ms: match order.timeout {
                Timeout::Default => Timeout::Forever,
                given => given,
            },
        };
        let (sessions, peer) = (&self.bench.work.sessions, &self.bench.work.peer);
        let mut has_come = order.expect.is_none();
        let done = tokio::select! {
            done = sessions.run(peer, &params) => Some(done),
            () = self.bench.handle.cancelled().cancelled() => None,
            () = self.talk(order, &mut has_come) => None, // it never ends
        };
        let timed_out = matches!(done, Some(Err(SessionError::RunTimeout { .. })));
        let mut ended = match done {
            Some(Ok(reply)) => self.ended(step, order, &reply, has_come),
            Some(Err(SessionError::RunTimeout {
                output, truncated, ..
            })) => {
                self.interrupt(step).await;
                let why = "not done in its time, and interrupted";
                let mut ended = self.result(order, output, Some(why));
                ended.result.truncated = truncated;
                ended
            }
            Some(Err(error)) => {
                if self.shot.session.is_dead() {
                    self.lost = Some(format!("the shell has ended before step {step}"));
                }
                self.bench.not_run(order.command, &error.to_string())
            }
            None => self.result(order, String::new(), Some("cancelled")),
        };
        ended.result.timed_out = timed_out;
        ended.result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        ended
    }

    /// Ends the shell and what it has left.
    pub(super) async fn end(self) {
        self.shot.end(EndReason::Closed).await;
        if let Err(error) = self.shot.collect().await {
            tracing::warn!(%error, "the shell of a chain left something behind");
        }
    }

    /// Waits for the pattern, types the text, and then does nothing more.
    async fn talk(&self, order: Order<'_>, has_come: &mut bool) {
        if let Some(regex) = order.expect {
            let pattern = Pattern::Regex(regex.to_owned());
            *has_come = self
                .shot
                .answer(&self.bench.work.peer, pattern, order.send)
                .await;
        }
        std::future::pending().await
    }

    fn ended(
        &mut self,
        step: i64,
        order: Order<'_>,
        reply: &SessionRunReply,
        has_come: bool,
    ) -> Ended {
        if reply.session_ended {
            self.lost = Some(format!("the shell has ended with step {step}"));
        }
        let missing = order.expect.filter(|_| !has_come);
        let error = missing.map(|regex| format!("{regex:?} did not come"));
        let mut ended = self.result(order, reply.output.clone(), error.as_deref());
        ended.result.truncated = reply.truncated;
        ended.result.exit_code = reply.exit_code;
        ended.result.success = error.is_none() && reply.exit_code == Some(0);
        ended
    }

    fn result(&self, order: Order<'_>, output: String, error: Option<&str>) -> Ended {
        let (kept, omitted_bytes) = self.bench.kept(&output);
        Ended {
            result: CommandResult {
                command: order.command.to_owned(),
                output: kept,
                omitted_bytes,
                error: error.map(str::to_owned),
                ..CommandResult::default()
            },
            output,
        }
    }

    /// Ends the command that the shell runs; the shell goes with it if it does not come back.
    async fn interrupt(&mut self, step: i64) {
        let (sessions, peer) = (&self.bench.work.sessions, &self.bench.work.peer);
        let session = self.shot.session.id().to_string();
        // It may just have ended by itself.
        let _ = sessions.signal(&SessionSignalParams {
            session: session.clone(),
            signal: "INT".into(),
        });
        let params = SessionRunParams {
            session,
            command: ":".into(),
            isolate: false,
            timeout_ms: Timeout::After(BACK_MS),
        };
        if sessions.run(peer, &params).await.is_err() {
            self.shot.end(EndReason::Runtime).await;
            self.lost = Some(format!(
                "the shell was ended, because step {step} did not end"
            ));
        }
    }
}

/// The command, with its input where it has one.
fn command_of(order: Order<'_>) -> String {
    match order.send {
        Some(input) if order.expect.is_none() => {
            let end = format!("ccd-{:016x}", rand::random::<u64>());
            let input = whole_lines(input);
            format!("{{ {}\n}} <<'{end}'\n{input}{end}\n", order.command)
        }
        _ => order.command.to_owned(),
    }
}
