//! What went wrong with a program.

use serde::{Deserialize, Serialize};

/// How a program broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum FindingKind {
    /// It was ended by a signal.
    Crash,
    /// It neither answered nor waited for input.
    Hang,
    /// It did not stop printing.
    Flood,
    /// Its memory grew with each input.
    Leak,
    /// It printed what a terminal cannot show, such as invalid UTF-8.
    BrokenOutput,
    /// Processes that it started outlived it.
    ProcessLeft,
    /// It left the terminal in another mode.
    TerminalChanged,
}

/// One finding of an investigation or a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    pub kind: FindingKind,
    /// The command of an investigation that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Id of the state in which the command was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The shortest input of a test that causes it; `input_b64` has its bytes if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_b64: Option<String>,
    /// The signal that ended the program, for example `SIGSEGV`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<i32>,
    /// One sentence: what happened.
    pub message: String,
    /// Path of the tape that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
}
