//! Typing.

use super::expect::{ExpectResult, Pattern};
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};

/// Parameters of `session.send`: exactly one of `text`, `data_b64`, `keys`; none is needed with `eof`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSendParams {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Raw bytes in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_b64: Option<String>,
    /// Key names as tmux spells them: `C-c`, `Up`, `F5`, `M-x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// Adds the carriage return of the Enter key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newline: bool,
    /// Sends `text` as a bracketed paste when the program asked for those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paste: bool,
    /// The input ends here, for good: the terminal's key for that (`^D`) is typed now if the program reads lines, and again
    /// whenever the program waits for input, until it has ended or something else is sent. A program that
    /// takes it as a key gets it three times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub eof: bool,
    /// Never record what is typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// Wait for a pattern from the offset at which the input was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<SendExpect>,
}

/// What `session.send` shall wait for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SendExpect {
    pub patterns: Vec<Pattern>,
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// Match bytes as they came, control sequences included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.send`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSendReply {
    /// Offset of the output at which the input was written.
    pub offset: u64,
    pub written_bytes: u64,
    /// The terminal did not echo: the text is recorded as `<hidden>`.
    pub hidden: bool,
    /// True when the program is known to have thrown all of the input away before it read any of it. Only a send with
    /// `expect` waits long enough to find out, and only on Linux; when that times out, the error's data has `discarded`
    /// too. Of input with control characters it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discarded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectResult>,
}
