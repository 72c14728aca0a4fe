//! Decisions on candidates.

use super::{Candidate, CandidateType, Evidence, Promotion, Scope};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Parameters of `coach.review`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachReviewParams {
    /// Only candidates seen in this project: a `repo_id`, or a directory in it.
    pub project: Option<String>,
    /// 1 to 1,000, default 100.
    pub limit: Option<u32>,
}

/// Reply of `coach.review`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachReviewReply {
    pub candidates: Vec<Candidate>,
}

/// Parameters of `coach.get`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachGetParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    /// The caller's directory, which determines the project whose file the diff changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Reply of `coach.get`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachGetReply {
    pub candidate: Candidate,
    /// All pieces of evidence that are kept, oldest first, at most 1,000.
    pub evidence: Vec<Evidence>,
    /// Oldest first.
    pub decisions: Vec<Decision>,
    /// The file that approving it would change, or that it was written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The change of that file as a patch; empty if it is written already.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// A decision on a candidate.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Decision {
    pub at: String,
    /// `approve`, `reject`, `edit`, `promote`, `guard` or `undo`.
    pub decision: String,
    pub reason: Option<String>,
    /// The file that was changed.
    pub file: Option<String>,
    /// True if it was undone later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// New words for a candidate. Members that are absent keep their old value.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CandidateWords {
    pub title: Option<String>,
    pub trigger_condition: Option<String>,
    pub action: Option<String>,
    pub candidate_type: Option<CandidateType>,
}

/// Parameters of `coach.approve`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachApproveParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    /// New words for the candidate, used before it is written.
    pub edit: Option<CandidateWords>,
    /// Default: the candidate's `scope_guess`.
    pub scope: Option<Scope>,
    /// Only return the diff; nothing is written or decided.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub diff: bool,
    /// Commit the change to a new branch of this name, without touching the work tree.
    pub branch: Option<String>,
    /// The caller's directory: the candidate is written to its project, if it was seen there. Default: the project
    /// of the newest evidence.
    pub cwd: Option<String>,
}

/// Reply of `coach.approve`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachApproveReply {
    pub candidate: Candidate,
    /// The file that was changed, or would be.
    pub file: String,
    /// The change as a patch for `git apply`, relative to the project's directory (`~/.claude` for global rules).
    pub diff: String,
    /// Warnings about the file, for example that it has become long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `coach.reject`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachRejectParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Parameters of `coach.edit`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachEditParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    #[serde(flatten)]
    pub edit: CandidateWords,
}

/// Reply of `coach.reject` and `coach.edit`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Decided {
    pub candidate: Candidate,
}

/// Parameters of `coach.promote`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachPromoteParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    /// Why it is promoted although fewer projects than `promotion_threshold_repos` have seen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<String>,
}

/// Reply of `coach.promote`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachPromoteReply {
    pub candidate: Candidate,
    pub promotion: Promotion,
    pub file: String,
    pub diff: String,
}

/// Parameters of `coach.undo`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachUndoParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
}

/// Reply of `coach.undo`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachUndoReply {
    pub candidate: Candidate,
    /// The decision that was undone.
    pub undone: Decision,
    /// The file from which a rule was removed. Null if the decision changed no file, or the file no longer contained the
    /// rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
}

/// Parameters of `coach.guard`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachGuardParams {
    /// Id, fingerprint, or a unique prefix of the fingerprint.
    pub id: String,
    /// A regular expression for the commands (or, with `tool`, the paths) that are refused. Default: derived from the
    /// rule's evidence.
    pub pattern: Option<String>,
    /// The tool that is guarded, default `Bash`. For other tools, the pattern is matched with the file's path.
    pub tool: Option<String>,
    /// Remove the guard.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub off: bool,
}

/// A guard: refuses tool calls before they run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guard {
    pub fingerprint: String,
    pub tool: String,
    pub pattern: String,
    /// What the assistant is told.
    pub reason: String,
    /// Only in these repositories; in all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_ids: Option<Vec<String>>,
    pub created_at: String,
    /// How often it has refused a call.
    pub hits: u64,
}

/// Reply of `coach.guard`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachGuardReply {
    pub candidate: Candidate,
    /// Absent if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
}
