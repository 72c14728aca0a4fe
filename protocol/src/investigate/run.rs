//! Starting an investigation.

use super::report::InvestigationReport;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of `investigate.run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateRunParams {
    /// Program to investigate; looked up on the caller's PATH if it contains no slash.
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Directory in which the program is looked up, absolute. In safe mode it runs in a directory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
    /// Refuse dangerous commands before they are sent. Default: the configuration key `safe_mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_mode: Option<bool>,
    /// Longest path of commands from the start to a state, 1 to 20. Default: `investigation.max_depth`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u32>,
    /// Time limit in seconds; the report then has what was found. Default: `investigation.timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<f64>,
    /// Run the program under bubblewrap. Default: `investigation.sandbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
    /// Record everything that is seen on tapes, in a directory beside the report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tape: bool,
}

/// Reply of `investigate.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateStarted {
    /// Its progress is an InvestigationProgress, its result an InvestigationResult, also if the job was cancelled or failed
    /// after the program had been started.
    pub job: String,
}

/// Progress of the job of an investigation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigationProgress {
    /// The command that the program is being given.
    pub asking: String,
    /// Name of the state in which it is given.
    pub state: String,
    /// Numbers of commands, states and findings so far.
    pub commands: u64,
    pub states: u64,
    pub findings: u64,
}

/// Result of the job of an investigation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigationResult {
    pub id: String,
    /// The file of the report.
    pub path: String,
    pub report: InvestigationReport,
}

/// Parameters of `investigate.probe`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateProbeParams {
    /// As in `investigate.run`.
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
}

/// Reply of `investigate.probe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateProbeReply {
    /// The program waits for input.
    pub interactive: bool,
    pub prompt: Option<String>,
    /// What `--version` prints, first line.
    pub version: Option<String>,
    /// Arguments with which the program prints help, such as `--help`.
    pub help_forms: Vec<String>,
    /// The program draws on the whole screen, as editors do.
    pub full_screen: bool,
    /// Time from the start to the first output; null if it prints nothing.
    pub first_output_ms: Option<u64>,
}

/// Parameters of `investigate.learn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvestigateLearnParams {
    /// Id, name or unique prefix of a session, live or ended.
    pub session: String,
}
