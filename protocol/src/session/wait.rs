//! Waiting for conditions other than patterns.

use super::record::Session;
use crate::named::named;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

named! {
    /// What `session.wait` waits for.
    WaitFor {
        /// The program has exited.
        Exit = "exit",
        /// No output for `idle_ms`.
        Idle = "idle",
        /// The program waits for input and shows a prompt. If the daemon can see that the program is waiting, a line that
        /// ends in a prompt character counts as a prompt; otherwise the line must match a prompt pattern.
        Prompt = "prompt",
        /// The program waits for input.
        Input = "input",
        /// There is output after the offset `since`.
        Output = "output",
    }
}

/// Parameters of `session.wait`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionWaitParams {
    pub session: String,
    #[serde(rename = "for")]
    pub condition: WaitFor,
    /// Milliseconds of silence that count as idle; default 500.
    pub idle_ms: Option<f64>,
    /// With `output`: the offset. Default: the end of the output.
    pub since: Option<u64>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
}

/// Reply of `session.wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionWaitReply {
    /// `exit`, `idle`, `prompt`, `input` or `output`; `exit` also if the program exited first.
    pub reason: String,
    /// What the result is based on: `exit`, `no output for N ms`, or as in WaitingForInput.
    pub how: String,
    #[serde(flatten)]
    pub session: Session,
}
