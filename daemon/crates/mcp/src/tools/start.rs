//! `session_start`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use super::screen::text_of as screen_text;
use crate::output::{DEFAULT_BYTES, between, report};
use crate::wait::{DEFAULT_S, Until, Wait};
use ccd_protocol::session::{
    SessionCreate, SessionCreateParams, SessionScreen, SessionScreenParams,
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// Program to run; default: the user's shell, ready for shell_run.
    program: Option<String>,
    /// Its arguments, one per entry; no shell interprets them.
    #[serde(default)]
    args: Vec<String>,
    /// Absolute path; default: the directory of this MCP client.
    cwd: Option<String>,
    /// Additional environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// A name to use in place of the id.
    name: Option<String>,
    /// Height of the terminal; default 24.
    rows: Option<i64>,
    /// Width of the terminal; default 80.
    cols: Option<i64>,
    /// No time limits. Without it, the session ends after an hour without input or output, and after a day.
    #[serde(default)]
    keep: bool,
    /// What to wait for: input (the program waits for input; default), silence (no output for a second), exit, or none.
    until: Option<Until>,
    /// Instead of until: wait until the output matches this regular expression; ^ and $ match
    /// at lines.
    pattern: Option<String>,
    /// Maximum wait in seconds, 0 to 600; default 30.
    timeout_s: Option<f64>,
}

impl Tool for Start {
    const NAME: &'static str = "session_start";
    const TITLE: &'static str = "Start a terminal session";
    const DESCRIPTION: &'static str = "Starts a program in a terminal of its own that outlives this call, and waits until it asks for input. Use it for anything interactive or long-running: REPLs, debuggers, ssh, installers that ask questions, \
        full-screen programs, servers, watchers. Returns the output and one line that says what the program does now. A \
        person can watch and type too: ccctl attach ID.";
    const READS: bool = false;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let wait = Wait::new(self.until, Until::Input, self.pattern, self.timeout_s)?;
        match &self.program {
            Some(program) => call.require_program(program)?,
            None => call.require_shell()?,
        }
        let mut params = match &self.program {
            Some(_) => call.create(self.cwd, self.keep),
            None => call.create_shell(self.cwd, self.keep),
        };
        params.env.extend(self.env);
        let params = SessionCreateParams {
            program: self.program,
            args: self.args,
            name: self.name,
            rows: self.rows,
            cols: self.cols,
            ..params
        };
        started(call, &params, &wait).await
    }
}

/// Starts a session, waits, and reports.
pub(super) async fn started(
    call: &Call<'_>,
    params: &SessionCreateParams,
    wait: &Wait,
) -> Result<ToolOutput, Mistake> {
    let session = call.calls.call::<SessionCreate>(params).await?;
    let id = &session.session_id;
    let waited = wait.run(call.calls, id, 0).await?;
    let params = SessionScreenParams {
        session: id.clone(),
        ..SessionScreenParams::default()
    };
    let end = waited.end();
    let text = match call.calls.call::<SessionScreen>(&params).await {
        // What such a program prints is drawing.
        Ok(screen) if screen.alternate => screen_text(&screen),
        _ => between(call.calls, id, (0, end), DEFAULT_BYTES).await?,
    };
    Ok(report(&text, &waited, end).into())
}
