//! What went wrong with a program.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// How a program broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FindingKind {
    /// It was killed by a signal such as `SIGSEGV`.
    Crash,
    /// It neither answered nor waited for input.
    Hang,
    /// It printed without end.
    Flood,
    /// Its memory grew with each input.
    Leak,
    /// It printed invalid UTF-8 that was not in its input.
    BrokenOutput,
    /// Processes that it had started were still running after it exited.
    ProcessLeft,
    /// It left the terminal in another mode.
    TerminalChanged,
}

/// One finding of an investigation or a test.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    pub kind: FindingKind,
    /// The command that caused it, in an investigation.
    pub command: Option<String>,
    /// Id of the state in which the command was typed.
    pub state: Option<String>,
    /// The input that caused it, in a test; shortened for `fuzz`. If it is not UTF-8, `input_b64` has it instead.
    pub input: Option<String>,
    /// The same input in base64.
    pub input_b64: Option<String>,
    /// The signal that killed the program, for example `SIGSEGV`.
    pub signal: Option<String>,
    /// As shells report it: 128 + N after signal N.
    pub exit_status: Option<i32>,
    /// What happened, in one sentence.
    pub message: String,
    /// Path of the tape that shows it.
    pub tape: Option<String>,
}
