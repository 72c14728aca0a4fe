//! `tape_session`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use super::start::started;
use crate::wait::{DEFAULT_S, Until, Wait};
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeOptions};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Tape {
    /// record: run the program and write its exchanges to a tape. play: a tape answers in place of the program.
    action: Action,
    /// Program to record, or to replace with the tape.
    program: String,
    /// Its arguments, one per entry; a tape is replayed only for the same arguments.
    #[serde(default)]
    args: Vec<String>,
    /// Absolute path; default: the directory of this MCP client.
    cwd: Option<String>,
    /// Absolute path of the directory with tapes; default: the configured one.
    root: Option<String>,
    /// Name of the new tape: a path relative to root, without .json5. For record only.
    name: Option<String>,
    /// Maximum wait in seconds until the program waits for input, 0 to 600; default 30.
    timeout_s: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, schemars(inline))]
enum Action {
    Record,
    Play,
}

impl Tool for Tape {
    const NAME: &'static str = "tape_session";
    const TITLE: &'static str = "Record a program, or play a tape";
    const DESCRIPTION: &'static str = "Starts a session that is recorded to a tape, or in which a tape answers in place of the \
        program: for tests without the real program. Use the other session tools with it; the tape is written when the \
        program has exited or is closed.";
    const READS: bool = false;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let wait = Wait::new(None, Until::Input, None, self.timeout_s)?;
        call.require_program(&self.program)?;
        let (record, fallback) = match self.action {
            Action::Record => (RecordMode::New, FallbackMode::Proxy),
            Action::Play => (RecordMode::Disabled, FallbackMode::NotFound),
        };
        let tape = TapeOptions {
            root: self.root,
            record: Some(record),
            fallback: Some(fallback),
            name: self.name,
            ..TapeOptions::default()
        };
        let params = SessionCreateParams {
            program: Some(self.program),
            args: self.args,
            tape: Some(tape),
            ..call.create(self.cwd, false)
        };
        started(call, &params, &wait).await
    }
}
