//! Waiting for what is no pattern.

use super::record::Session;
use crate::spelling::any_case;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};

/// What `session.wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WaitFor {
    /// The program has ended.
    Exit,
    /// No output for `idle_ms`.
    Idle,
    /// The program waits for input and shows a prompt. Where the system shows that it waits, a line that ends as prompts
    /// do is one; elsewhere the line must have the shape of one.
    Prompt,
    /// The program waits for input.
    Input,
}

/// Parameters of `session.wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionWaitParams {
    pub session: String,
    #[serde(rename = "for", deserialize_with = "any_case")]
    pub condition: WaitFor,
    /// Silence that counts as idle, in milliseconds; default 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
}

/// Reply of `session.wait`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionWaitReply {
    /// `exit`, `idle`, `prompt` or `input`; `exit` also when the program ended first.
    pub reason: String,
    /// How it was found out.
    pub how: String,
    #[serde(flatten)]
    pub session: Session,
}
