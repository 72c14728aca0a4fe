//! `session_close`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use ccd_protocol::session::{SessionClose, SessionCloseParams};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    /// Id or name.
    session: String,
}

impl Tool for Close {
    const NAME: &'static str = "session_close";
    const TITLE: &'static str = "End a session";
    const DESCRIPTION: &'static str = "Ends a session: its program and everything that it has started. Close what you \
        started once you are done. The output stays readable.";
    const READS: bool = false;
    const REPEATS: bool = true;

    fn hints() -> ToolAnnotations {
        ToolAnnotations::with_title(Self::TITLE)
            .read_only(false)
            .destructive(true)
            .idempotent(true)
            .open_world(false)
    }

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let session = call.session(&self.session).await?;
        let params = SessionCloseParams {
            session: session.clone(),
            grace_ms: None,
        };
        let closed = call.calls.call::<SessionClose>(&params).await?;
        let mut text = match (closed.exitstatus, closed.signal) {
            (Some(status), _) => format!("[session {session} closed; exit status {status}"),
            (None, Some(signal)) => format!("[session {session} closed; ended by signal {signal}"),
            (None, None) => format!("[session {session} closed"),
        };
        match closed.killed.len() {
            0 => {}
            1 => text.push_str("; 1 process was killed"),
            count => text.push_str(&format!("; {count} processes were killed")),
        }
        if !closed.left.is_empty() {
            text.push_str(&format!("; could not be killed: {:?}", closed.left));
        }
        if let Some(tape) = &closed.tape
            && !tape.new.is_empty()
        {
            text.push_str(&format!("; tapes written: {}", tape.new.join(", ")));
        }
        text.push(']');
        Ok(text.into())
    }
}
