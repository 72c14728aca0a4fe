//! `shell_run`.

use super::call::{Call, Mistake, Tool, ToolOutput, end_of};
use crate::output::{DEFAULT_BYTES, between, cut, tidy};
use crate::wait::seconds;
use ccd_protocol::session::{
    SessionCreate, SessionCreateParams, SessionGet, SessionParams, SessionRun, SessionRunParams,
    SessionRunReply,
};
use ccd_protocol::{ErrorCode, ErrorObject, Timeout};
use schemars::JsonSchema;
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

const DEFAULT_S: f64 = 60.0;
const MAX_S: f64 = 600.0;

#[derive(Deserialize, JsonSchema)]
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
    // A repetition waits for the command of the first call.
    const REPEATS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let timeout_s = self.timeout_s.unwrap_or(DEFAULT_S);
        if !(0.0..=MAX_S).contains(&timeout_s) {
            let text = format!("timeout_s is {timeout_s}; it must be from 0 to {MAX_S}");
            return Err(Mistake(text));
        }
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
        let said = match call.calls.call::<SessionRun>(&params).await {
            Ok(ran) => {
                let text = between(call.calls, &session, (ran.start, ran.end), DEFAULT_BYTES);
                said(&text.await?, &session, &ran)
            }
            Err(error) if error.known() == Some(ErrorCode::Timeout) => {
                let next = end_of(call, &session).await?;
                still_running(&error, &session, timeout_s, next)
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match is_new {
            true => format!("{said}\n[this is a new shell]"),
            false => said,
        }
        .into())
    }

    fn longest_s(&self) -> Option<f64> {
        Some(self.timeout_s.unwrap_or(DEFAULT_S))
    }
}

fn said(output: &str, session: &str, ran: &SessionRunReply) -> String {
    let output = output.trim_end_matches('\n');
    let took = seconds(Duration::from_millis(ran.duration_ms));
    let status = match ran.exit_code {
        Some(status) => format!("exit status {status}"),
        None => "exit status unknown".to_owned(),
    };
    let ended = match ran.session_ended {
        true => "; the command ended the shell and its session",
        false => "",
    };
    let output = if output.is_empty() {
        "(no output)"
    } else {
        output
    };
    format!(
        "{output}\n[session {session}: {status} after {took}{ended}; next offset {}]",
        ran.end
    )
}

/// What the command has printed before it took too long.
fn still_running(error: &ErrorObject, session: &str, timeout_s: f64, next: u64) -> String {
    let output = (error.data.as_ref()).and_then(|data| data.get("output")?.as_str());
    let output = cut(&tidy(output.unwrap_or_default()), DEFAULT_BYTES as usize);
    let output = output.trim_end_matches('\n');
    let output = if output.is_empty() {
        "(no output)"
    } else {
        output
    };
    format!(
        "{output}\n[session {session}: the command is still running after {timeout_s} s; to continue to wait, call \
         session_read with until; to answer it, session_send; to stop it, session_send with the key C-c; next offset {next}]"
    )
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
    let id = format!("shell-{}", call.opening.instance);
    let params = SessionParams {
        session: id.clone(),
    };
    if let Ok(session) = call.calls.call::<SessionGet>(&params).await
        && super::call::is_alive(&session)
    {
        return Ok((id, false));
    }
    let params = SessionCreateParams {
        id: Some(id.clone()),
        shell: true,
        ..call.create(None, false)
    };
    match call.calls.call::<SessionCreate>(&params).await {
        Ok(_) => Ok((id, true)),
        // Another call was faster.
        Err(error) if error.known() == Some(ErrorCode::SessionConflict) => Ok((id, false)),
        Err(error) => Err(error.into()),
    }
}
