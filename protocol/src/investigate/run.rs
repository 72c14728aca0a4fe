//! Parameters and results of investigations, probes and `investigate.learn`.

use super::report::InvestigationReport;
use crate::Inherited;
use serde::{Deserialize, Serialize};
use serde_with::apply;
use std::collections::BTreeMap;

/// Parameters of `investigate.run`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateRunParams {
    /// Program to investigate; looked up on the caller's PATH if it contains no slash.
    #[serde_with(skip_apply)]
    pub program: String,
    pub args: Vec<String>,
    /// Absolute directory in which `program` and relative paths among `args` are looked up. The program itself runs in an
    /// empty directory, which is deleted afterwards.
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
    /// Refuse dangerous commands before they are sent. Default: the configuration key `safe_mode`.
    pub safe_mode: Option<bool>,
    /// Maximum number of commands from the start of the program to a state, 1 to 20. Default: `investigation.max_depth`.
    pub max_depth: Option<u32>,
    /// Time limit in seconds; at the limit the investigation ends, and the report contains what was found so far. Default:
    /// `investigation.timeout`.
    pub timeout_s: Option<f64>,
    /// Run the program under bubblewrap. Default: `investigation.sandbox`.
    pub sandbox: Option<bool>,
    /// Record each copy of the program that is started on a terminal on a tape.
    pub tape: bool,
}

/// Progress of the job of an investigation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigationProgress {
    /// The command that is being tried.
    pub asking: String,
    /// Name of the state in which it is typed, or `command line`.
    pub state: String,
    /// Number of commands so far.
    pub commands: u64,
    /// Number of states so far.
    pub states: u64,
    /// Number of findings so far.
    pub findings: u64,
}

/// Result of the job of an investigation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigationResult {
    /// Id of the report.
    pub id: String,
    /// The file of the report.
    pub path: String,
    pub report: InvestigationReport,
}

/// Parameters of `investigate.probe`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateProbeParams {
    /// As in `investigate.run`.
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// As in `investigate.run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(flatten)]
    pub inherited: Inherited,
}

/// Reply of `investigate.probe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateProbeReply {
    /// The program was seen waiting for input, or draws on the whole screen.
    pub interactive: bool,
    pub prompt: Option<String>,
    /// The first line with a digit that `--version`, `-V` or `version` prints.
    pub version: Option<String>,
    /// Arguments with which the program prints help, such as `--help`; `man NAME` if only its man page was found.
    pub help_forms: Vec<String>,
    /// The program draws on the whole screen, as editors do.
    pub full_screen: bool,
    /// Time from the start to the first output; null if it prints nothing.
    pub first_output_ms: Option<u64>,
    /// Exit status of the program, as shells report it: 128 + N after signal N; null if it did not end by itself.
    #[serde(default)]
    pub exit_status: Option<i32>,
    /// The signal that ended it, for example `SIGSEGV`.
    #[serde(default)]
    pub signal: Option<String>,
}

/// Parameters of `investigate.learn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateLearnParams {
    /// Id, name or unique prefix of a session, live or ended.
    pub session: String,
}
