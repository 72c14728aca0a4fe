//! Sending input.

use super::expect::{ExpectResult, Pattern};
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};

/// Parameters of `session.send`: exactly one of `text`, `data_b64` and `keys`; with `eof`, none is required.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionSendParams {
    #[serde_with(skip_apply)]
    pub session: String,
    pub text: Option<String>,
    /// Raw bytes in base64.
    pub data_b64: Option<String>,
    /// Key names as in tmux: `C-c`, `Up`, `F5`, `M-x`.
    pub keys: Option<Vec<String>>,
    /// Append the carriage return of the Enter key.
    pub newline: bool,
    /// Send `text` as a bracketed paste, if the program has enabled bracketed paste.
    pub paste: bool,
    /// End the input for good: the terminal's end-of-file key (`^D`) is typed now if the program reads whole lines, and
    /// again each time the program waits for input, until it exits or something else is sent. A program that reads
    /// single keys gets the key three times.
    pub eof: bool,
    /// Never record the input.
    pub secret: bool,
    /// Wait for a pattern, starting at the offset at which the input was written.
    pub expect: Option<SendExpect>,
}

/// The patterns that `session.send` waits for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SendExpect {
    pub patterns: Vec<Pattern>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
    /// Match raw bytes, including control sequences.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.send`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionSendReply {
    /// Offset in the output at which the input was written.
    pub offset: u64,
    pub written_bytes: u64,
    /// The text is recorded as `<hidden>`: the terminal did not echo, the program asked for a secret, or the request has
    /// `secret`.
    pub hidden: bool,
    /// The text is a secret, but the terminal echoes: it is on the screen and in the session's log.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shown: bool,
    /// True if the program is known to have discarded all of the input before it read any of it. Only a send with
    /// `expect` waits long enough to find out, and only on Linux; if it times out, the error's data has `discarded`.
    /// For input that contains control characters, this is unknown.
    pub discarded: Option<bool>,
    pub expect: Option<ExpectResult>,
}
