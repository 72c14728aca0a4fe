//! Reports on disk: parameters and replies of the other methods `investigate.*`.

use super::report::InvestigationEnd;
use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Names a report of an investigation or of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportParams {
    /// Id, a unique prefix of it (at least 4 characters), or the name of the report's file; to read a report, also a
    /// program, for its newest report.
    pub report: String,
}

/// Parameters of `investigate.list` and `test.list`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportListParams {
    /// Only reports of this program: a name, or a path whose last part counts.
    pub program: Option<String>,
    /// Maximum number of reports; default 100, at most 1,000.
    pub limit: Option<u64>,
}

/// Reply of `investigate.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateListReply {
    /// Newest first.
    pub reports: Vec<InvestigationSummary>,
    /// Files in the directory of reports that are not reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Summary of a report of an investigation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigationSummary {
    pub id: String,
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    pub started_at: String,
    pub completed_at: String,
    pub version: Option<String>,
    pub interactive: bool,
    pub end: InvestigationEnd,
    /// Number of commands.
    pub commands: u64,
    /// Number of states.
    pub states: u64,
    /// Number of findings.
    pub findings: u64,
    /// The file of the report.
    pub path: String,
    /// Size of the file.
    pub bytes: u64,
}

/// Reply of `investigate.delete` and `test.delete`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportDeleteReply {
    /// The file that was deleted.
    pub path: String,
}

/// Parameters of `investigate.cleanup` and `test.cleanup`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportCleanupParams {
    /// Delete reports that were completed more than this many seconds ago.
    pub older_than_s: f64,
}

/// Reply of `investigate.cleanup` and `test.cleanup`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportCleanupReply {
    /// Number of reports that were deleted.
    pub removed: u64,
    /// Size of their files.
    pub bytes: u64,
    /// Files in the directory of reports that are not reports, and reports that could not be deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `investigate.map`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateMapParams {
    /// Id, a unique prefix of it (at least 4 characters), or the name of the report's file.
    pub report: String,
    /// Default: `json`.
    #[serde(default)]
    pub format: MapFormat,
}

named! {
    /// The format of a map.
    #[derive(Default)]
    MapFormat {
        /// A StateMap as JSON.
        #[default]
        Json = "json",
        /// For Graphviz.
        Dot = "dot",
        /// For Mermaid, which Markdown viewers draw.
        Mermaid = "mermaid",
    }
}

/// Reply of `investigate.map`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InvestigateMapReply {
    pub format: MapFormat,
    /// The map in this format.
    pub text: String,
}

/// The states of a program and the commands that lead from one to another: the map in the format `json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StateMap {
    /// Id of the report.
    pub report: String,
    pub program: String,
    pub states: Vec<MapState>,
    pub transitions: Vec<MapTransition>,
}

/// A state on a map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MapState {
    pub id: String,
    pub name: String,
    pub prompt: Option<String>,
    /// The program starts in this state.
    pub is_entry: bool,
    /// Smallest number of commands that lead to it; null if none do.
    pub depth: Option<u64>,
    /// Number of its commands.
    pub commands: u64,
}

/// All commands that lead from one state to another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MapTransition {
    /// Id of the state in which the commands are typed.
    pub from: String,
    /// Id of the state that they lead to.
    pub to: String,
    pub commands: Vec<String>,
}
