//! `program_run`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::output::{DEFAULT_BYTES, between, clean, ended, or_none};
use crate::wait::{checked_s, seconds};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::Timeout;
use ccd_protocol::run::{RunOnce, RunOnceParams, RunOnceReply};
use ccd_protocol::session::Session;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

const DEFAULT_S: f64 = 60.0;
const MAX_S: f64 = 3600.0;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RunProgram {
    /// Program to run.
    program: String,
    /// Its arguments, one per entry; no shell interprets them.
    #[serde(default)]
    args: Vec<String>,
    /// Text for its standard input, followed by the end of input.
    stdin: Option<String>,
    /// Absolute path; default: the directory of this MCP client.
    cwd: Option<String>,
    /// Additional environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Seconds after which the program is ended; default 60, at most 3600.
    timeout_s: Option<f64>,
}

impl Tool for RunProgram {
    const NAME: &'static str = "program_run";
    const TITLE: &'static str = "Run one program to its end";
    const DESCRIPTION: &'static str = "Runs one program on a terminal until it exits, and returns its output and exit \
        status. Everything that it started is ended too.";
    const READS: bool = false;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        call.require_program(&self.program)?;
        let timeout_s = checked_s(self.timeout_s, DEFAULT_S, MAX_S)?;
        let params = RunOnceParams {
            program: self.program,
            args: self.args,
            stdin_b64: self.stdin.map(|text| STANDARD.encode(text)),
            cwd: self.cwd.or_else(|| call.opening.cwd.clone()),
            env: self.env,
            inherited: call.opening.inherited(),
            timeout_ms: Timeout::After(timeout_s * 1000.0),
            keep_output: true,
            ..RunOnceParams::default()
        };
        let ran = call.calls.call::<RunOnce>(&params).await?;
        let session = ran.session_id.clone().unwrap_or_default();
        let record = call.calls.record(&session).await?;
        let output = if ran.output.len() as u64 > DEFAULT_BYTES {
            let range = (0, record.output.output_bytes);
            between(call.calls, &session, range, DEFAULT_BYTES).await?
        } else {
            clean(&ran.output)
        };
        Ok(said(&output, &ran, &record).into())
    }
}

fn said(output: &str, ran: &RunOnceReply, record: &Session) -> String {
    let took = seconds(Duration::from_millis(ran.duration_ms));
    let how = match ran.exit_code {
        _ if ran.timed_out => "ended because timeout_s was reached".to_owned(),
        Some(status) => format!("exit status {status}"),
        None => ended(record),
    };
    let output = or_none(output.trim_end_matches('\n'));
    format!(
        "{output}\n[session {}: {how} after {took}]",
        record.session_id
    )
}
