//! `shell_run`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::daemon::Calls;
use crate::output::{DEFAULT_BYTES, between, clean, cut, or_none, report};
use crate::wait::{Waited, checked_s, seconds};
use ccd_protocol::session::{
    InputVerdict, SessionClose, SessionCloseParams, SessionCreate, SessionCreateParams, SessionRun,
    SessionRunParams, SessionRunReply, SessionState, WaitFor,
};
use ccd_protocol::{ErrorCode, ErrorObject, Timeout};
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::pin::pin;
use std::time::Duration;

/// Start of the id of an agent's own shell.
const OWN: &str = "shell-";

const DEFAULT_S: f64 = 60.0;
const MAX_S: f64 = 600.0;

/// How often a command that takes long is looked at, and how many looks in succession must find that it waits for input. A
/// program that accepts input among other events must also have been silent since the look before.
const LOOK_PERIOD: Duration = Duration::from_millis(700);
const LOOKS: u32 = 2;

/// How long the shell of an agent that is gone may take to finish its last command and show its prompt.
const LAST_PROMPT_MS: f64 = 10_000.0;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RunInShell {
    /// Command line for the shell.
    command: String,
    /// A session whose program is a shell, including one over ssh or in a container. Default: a shell of your own, kept
    /// for later calls.
    session: Option<String>,
    /// Maximum wait in seconds, 0 to 600; default 60. Afterwards the command keeps running.
    timeout_s: Option<f64>,
}

impl Tool for RunInShell {
    const NAME: &'static str = "shell_run";
    const TITLE: &'static str = "Run a command in a shell";
    const DESCRIPTION: &'static str = "Runs a command in a shell that keeps its state (directory, variables, ssh connection), \
        and returns exactly its output and exit status. A command that is not done after timeout_s keeps \
        running: wait with session_read, or answer it with session_send.";
    const READS: bool = false;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);
    // A repetition waits for the command of the first call.
    const REPEATS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let timeout_s = checked_s(self.timeout_s, DEFAULT_S, MAX_S)?;
        let (session, is_new) = match &self.session {
            Some(session) => (call.session(session).await?, false),
            None => own_shell(call).await?,
        };
        let params = SessionRunParams {
            session: session.clone(),
            run_id: Some(run_id(call, &self.command)),
            command: self.command,
            isolate: false,
            timeout_ms: Timeout::After(timeout_s * 1000.0),
        };
        let (ran, waits) = run(call, &params).await;
        let said = match ran {
            Ok(ran) => {
                let output = if ran.session_ended {
                    // What the shell prints at its end is in the same range.
                    cut(&clean(&ran.output), DEFAULT_BYTES as usize)
                } else {
                    between(call.calls, &session, (ran.start, ran.end), DEFAULT_BYTES).await?
                };
                said(&output, &session, &ran)
            }
            Err(error) => match error.known() {
                Some(ErrorCode::Timeout) => {
                    let why = if waits {
                        "the command waits for input".to_owned()
                    } else {
                        format!("the command is still running after {timeout_s} s")
                    };
                    still_running(call, &session, &why, &error).await?
                }
                Some(ErrorCode::HandedOver) => return Err(Mistake::next_worker_answers()),
                _ => return Err(error.into()),
            },
        };
        if !is_new {
            return Ok(said.into());
        }
        let head = format!("[session {session}: ");
        let new = format!("{head}new shell; ");
        Ok(said.replacen(&head, &new, 1).into())
    }
}

fn said(output: &str, session: &str, ran: &SessionRunReply) -> String {
    let output = or_none(output.trim_end_matches('\n'));
    let took = seconds(Duration::from_millis(ran.duration_ms));
    let status = match ran.exit_code {
        Some(status) => format!("exit status {status}"),
        None => "exit status unknown".to_owned(),
    };
    let ended = if ran.session_ended {
        "; the command ended the shell and its session"
    } else {
        ""
    };
    format!(
        "{output}\n[session {session}: {status} after {took}{ended}; next offset {}]",
        ran.end
    )
}

/// Runs the command. If the program in the shell waits for input, which the caller must give, this ends as at the timeout, and
/// the flag is set.
async fn run(
    call: &Call<'_>,
    params: &SessionRunParams,
) -> (Result<SessionRunReply, ErrorObject>, bool) {
    let mut running = pin!(call.calls.call::<SessionRun>(params));
    let (mut looks, mut seen) = (0, None);
    loop {
        if let Ok(ran) = tokio::time::timeout(LOOK_PERIOD, running.as_mut()).await {
            return (ran, false);
        }
        let session = match call.calls.look(&params.session).await {
            Ok(session) => session,
            Err(error) => return (Err(error), false),
        };
        let end = Some(session.output.output_bytes);
        let waits = match session.waiting_for_input.map(|waiting| waiting.verdict) {
            Some(InputVerdict::Blocked) => true,
            Some(InputVerdict::Accepts) => seen == end,
            _ => false,
        };
        seen = end;
        looks = if waits { looks + 1 } else { 0 };
        if looks == LOOKS {
            // The program that waits may be that of an earlier command; this request knows, by its id.
            let params = SessionRunParams {
                timeout_ms: Timeout::After(0.0),
                ..params.clone()
            };
            return (call.calls.call::<SessionRun>(&params).await, true);
        }
    }
}

/// What the command has printed, as the error says, and what it does now.
async fn still_running(
    call: &Call<'_>,
    session: &str,
    why: &str,
    error: &ErrorObject,
) -> Result<String, ErrorObject> {
    let output = (error.data.as_ref()).and_then(|data| data.get("output")?.as_str());
    let output = cut(&clean(output.unwrap_or_default()), DEFAULT_BYTES as usize);
    let record = call.calls.look(session).await?;
    let waited = Waited {
        why: format!(
            "{why}; to continue to wait, call session_read with from and until; to answer it, session_send; to stop it, \
             session_send with the key C-c"
        ),
        matched_end: None,
        session: record,
    };
    let next = waited.session.output.output_bytes;
    Ok(report(&output, &waited, next))
}

/// Names the command, so that the next worker recognises it. Clients that use an id twice get another command's outcome for
/// none but the same command.
fn run_id(call: &Call<'_>, command: &str) -> String {
    let mut hasher = DefaultHasher::new();
    command.hash(&mut hasher);
    format!("{}-{:x}", call.key, hasher.finish())
}

/// Returns the agent's own shell, and whether it has just been started.
async fn own_shell(call: &Call<'_>) -> Result<(String, bool), Mistake> {
    call.require_shell()?;
    // Calls that arrive together run in their order.
    let _turn = call.shell.lock().await;
    let id = format!("{OWN}{}", call.opening.instance);
    if let Ok(session) = call.calls.record(&id).await
        && session.state == SessionState::Alive
    {
        return Ok((id, false));
    }
    let params = SessionCreateParams {
        id: Some(id.clone()),
        ..call.create_shell(None, false)
    };
    call.calls.call::<SessionCreate>(&params).await?;
    Ok((id, true))
}

/// Ends the shell of an agent that is gone, unless a command runs in it.
pub(crate) async fn end_own_shell(calls: Calls<'_>, instance: &str) {
    let session = format!("{OWN}{instance}");
    let limit = Timeout::After(LAST_PROMPT_MS);
    // It ends after an hour otherwise.
    if calls.wait(&session, WaitFor::Input, limit).await.is_ok() {
        let params = SessionCloseParams {
            session,
            grace_ms: None,
        };
        let _ = calls.call::<SessionClose>(&params).await;
    }
}
