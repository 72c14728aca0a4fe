//! The report of an investigation.

use super::finding::Finding;
use super::state::ProgramState;
use serde::{Deserialize, Serialize};
use serde_with::apply;
use std::collections::BTreeMap;

/// What an investigation found.
#[apply(_ => #[serde(default)])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigationReport {
    /// A UUID.
    #[serde_with(skip_apply)]
    pub id: String,
    #[serde_with(skip_apply)]
    pub program: String,
    pub args: Vec<String>,
    #[serde_with(skip_apply)]
    pub started_at: String,
    #[serde_with(skip_apply)]
    pub completed_at: String,
    /// Id of the state in which the program starts; null if it never waited for input.
    #[serde_with(skip_apply)]
    pub entry_state_id: Option<String>,
    /// By name: sub-commands, words of help lists, and dot-commands of all states.
    pub commands: BTreeMap<String, CommandReport>,
    /// Prompts of all states, without duplicates.
    pub prompts: Vec<String>,
    pub error_messages: Vec<ErrorMessage>,
    /// Command lines and words that print help.
    pub help_commands: Vec<String>,
    /// Words and keys that end the program.
    pub exit_commands: Vec<ExitCommand>,
    /// Categories of the pattern library: `json`, `xml`, `yaml`, `ini`, `csv`, `table`, `key_value`, and your own.
    pub data_formats: Vec<String>,
    /// What safe mode refused and by which rule, what was not tried and why, and other notes.
    pub safety_notes: Vec<String>,
    pub states: Vec<ProgramState>,
    pub findings: Vec<Finding>,
    pub options: Vec<OptionFound>,
    /// Usage lines of the help text.
    pub usage: Vec<String>,
    /// The program waits for input.
    pub interactive: bool,
    /// The program draws on the whole screen, as editors do.
    pub full_screen: bool,
    /// The first line with a digit that `--version`, `-V` or `version` prints.
    pub version: Option<String>,
    /// False if dangerous commands were sent as well.
    #[serde_with(skip_apply)]
    pub safe_mode: bool,
    pub end: InvestigationEnd,
    /// Directory with the tapes of the copies that were started on a terminal, deleted with the report; absent without the
    /// parameter `tape`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
}

/// Why an investigation ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum InvestigationEnd {
    /// Everything within the limits was tried.
    #[default]
    Complete,
    TimedOut,
    Cancelled,
    /// The program could not be started again, or the daemon stopped.
    Failed,
}

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandReport {
    /// From the program's help; empty if the help only names it.
    pub description: String,
    /// It was typed.
    pub tested: bool,
    /// Number of characters that it printed; null if it was not tested.
    pub output_length: Option<u64>,
}

/// An option of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OptionFound {
    /// All spellings, for example `-q` and `--quiet`.
    pub flags: Vec<String>,
    /// The name of its value in the help, for example `FILE`; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub description: String,
}

/// An error message of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorMessage {
    /// A category of the pattern library, for example `command_not_found`.
    pub category: String,
    /// The line that reports the error, redacted.
    pub message: String,
    /// The input that caused it.
    pub command: String,
}

/// A word or key that ends the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExitCommand {
    /// A word, or a key such as `C-d`.
    pub command: String,
    /// As shells report it: 128 + N after signal N.
    pub exit_status: i32,
}
