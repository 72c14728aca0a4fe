//! `session_signal`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use ccd_protocol::session::{SessionSignal, SessionSignalParams};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Signal {
    /// Id or name.
    session: String,
    /// Such as INT, TERM, HUP, USR1, KILL.
    signal: String,
}

impl Tool for Signal {
    const NAME: &'static str = "session_signal";
    const TITLE: &'static str = "Send a signal";
    const DESCRIPTION: &'static str =
        "Sends a signal to the program in the foreground of a session's terminal.";
    const READS: bool = false;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let session = call.session(&self.session).await?;
        let done = format!(
            "[sent {} to the foreground program of session {session}]",
            self.signal
        );
        let params = SessionSignalParams {
            session,
            signal: self.signal,
        };
        call.calls.call::<SessionSignal>(&params).await?;
        Ok(done.into())
    }
}
