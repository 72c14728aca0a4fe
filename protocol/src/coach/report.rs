//! Overviews.

use super::{Candidate, CandidateStatus, Effect, Promotion, SignalType};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;

/// Reply of `coach.status`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachStatusReply {
    /// False if `hooks.enabled` is off.
    pub enabled: bool,
    /// Value of `coach.record`.
    pub record: Option<bool>,
    /// When recording started, RFC 3339: at `ccctl hooks install`, the first hook, or `coach.record: true`. Null if nothing is
    /// recorded.
    pub recording_since: Option<String>,
    /// Recorded events that do not belong to a candidate yet.
    pub pending_events: u64,
    pub processed_events: u64,
    /// All recorded events by type.
    pub events_by_type: BTreeMap<String, u64>,
    /// Candidates by status.
    pub candidates: BTreeMap<String, u64>,
    /// Pending candidates that were seen in enough projects to be promoted.
    pub eligible: u64,
    /// When events were last turned into candidates.
    pub last_proposal: Option<String>,
    /// Bytes of payloads that were received and not processed yet.
    pub backlog_bytes: u64,
    /// The coach's directory.
    pub home: String,
    /// Bytes of its files by name.
    pub sizes: BTreeMap<String, u64>,
    /// True if another program or person has changed `candidates.json`, which is only a mirror of the ledger.
    pub mirror_edited: bool,
    /// Problems of the coach's configuration and databases, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The mutes in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutes: Vec<super::Mute>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<super::Guard>,
}

/// Parameters of `coach.ledger`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachLedgerParams {
    /// Only candidates whose title, trigger or action contains this text, in any case.
    pub search: Option<String>,
    pub status: Option<CandidateStatus>,
    /// 1 to 1,000, default 100.
    pub limit: Option<u32>,
}

/// Reply of `coach.ledger`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachLedgerReply {
    /// Last seen first.
    pub candidates: Vec<Candidate>,
    /// Newest first.
    pub promotions: Vec<Promotion>,
}

/// Parameters of `coach.report`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachReportParams {
    /// Only events from this time on, RFC 3339. Default: the last 12 weeks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Reply of `coach.report`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachReportReply {
    pub since: String,
    /// Most frequent first.
    pub by_type: Vec<TypeCount>,
    pub by_project: Vec<ProjectCount>,
    /// Oldest first; weeks without events are listed too.
    pub weeks: Vec<WeekCount>,
    /// Approved and promoted rules, the newest first.
    pub rules: Vec<RuleReport>,
}

/// Events of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TypeCount {
    pub signal_type: SignalType,
    pub count: u64,
}

/// Events of one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProjectCount {
    pub repo_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub count: u64,
}

/// Events of one week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WeekCount {
    /// The Monday on which it starts, `YYYY-MM-DD`, UTC.
    pub week: String,
    pub count: u64,
}

/// The effect of an approved rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RuleReport {
    pub id: String,
    pub title: String,
    pub status: CandidateStatus,
    pub effect: Effect,
    /// Occurrences by week, oldest first, from the first one until now; at most 104 weeks.
    pub weeks: Vec<WeekCount>,
    pub guarded: bool,
}
