//! `shell_run`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::output::{DEFAULT_BYTES, between};
use crate::wait::seconds;
use ccd_protocol::session::{
    SessionCreate, SessionCreateParams, SessionGet, SessionParams, SessionRun, SessionRunParams,
    SessionRunReply,
};
use ccd_protocol::{ErrorCode, Timeout};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

const DEFAULT_S: f64 = 60.0;
const MAX_S: f64 = 600.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunInShell {
    /// Command line for the shell.
    command: String,
    /// A session whose program is a shell, also behind ssh or in a container. Absent: a shell of your own, which is kept
    /// for the next call.
    session: Option<String>,
    /// Longest wait in seconds, up to 600; default 60. Then the command goes on.
    timeout_s: Option<f64>,
}

impl Tool for RunInShell {
    const NAME: &'static str = "shell_run";
    const TITLE: &'static str = "Run a command in a shell";
    const DESCRIPTION: &'static str = "Runs a command in a shell that keeps its state (directory, variables, ssh connection), \
        and returns exactly its output and exit status. A command that asks for something goes on after the time: answer it \
        with session_send.";
    const READS: bool = false;
    // A repetition waits for the command of the first call.
    const REPEATS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let timeout_s = self.timeout_s.unwrap_or(DEFAULT_S);
        if !(0.0..=MAX_S).contains(&timeout_s) {
            let text = format!("timeout_s is {timeout_s}; it must be from 0 to {MAX_S}");
            return Err(Mistake(text));
        }
        let session = match &self.session {
            Some(session) => call.session(session).await?,
            None => own_shell(call).await?,
        };
        let params = SessionRunParams {
            session: session.clone(),
            command: self.command,
            isolate: false,
            timeout_ms: Timeout::After(timeout_s * 1000.0),
            run_id: Some(call.key.clone()),
        };
        match call.calls.call::<SessionRun>(&params).await {
            Ok(ran) => {
                let text = between(call.calls, &session, (ran.start, ran.end), DEFAULT_BYTES);
                Ok(said(&text.await?, &session, &ran).into())
            }
            Err(error) if error.known() == Some(ErrorCode::Timeout) => {
                let output = (error.data.as_ref()).and_then(|data| data.get("output")?.as_str());
                let output = crate::output::cut(output.unwrap_or_default(), DEFAULT_BYTES as usize);
                Ok(format!(
                    "{}\n[session {session}: the command still runs after {timeout_s} s; wait on with \
                     session_read and until, answer it with session_send, or stop it with the key C-c]",
                    crate::output::tidy(&output).trim_end_matches('\n')
                )
                .into())
            }
            Err(error) => Err(error.into()),
        }
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
        None => "no exit status".to_owned(),
    };
    let ended = match ran.session_ended {
        true => "; the command has ended the session",
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

/// Returns the agent's own shell, which is started by the first call.
async fn own_shell(call: &Call<'_>) -> Result<String, Mistake> {
    call.require_shell()?;
    let id = format!("shell-{}", call.opening.instance);
    let params = SessionParams {
        session: id.clone(),
    };
    if let Ok(session) = call.calls.call::<SessionGet>(&params).await
        && super::call::is_alive(&session)
    {
        return Ok(id);
    }
    let params = SessionCreateParams {
        id: Some(id.clone()),
        shell: true,
        ..call.create(None, false)
    };
    match call.calls.call::<SessionCreate>(&params).await {
        Ok(_) => Ok(id),
        // Another call was faster.
        Err(error) if error.known() == Some(ErrorCode::SessionConflict) => Ok(id),
        Err(error) => Err(error.into()),
    }
}
