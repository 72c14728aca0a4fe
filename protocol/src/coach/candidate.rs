//! Candidates: what may become a rule.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

named! {
    /// What a candidate becomes when it is approved.
    CandidateType {
        /// A block in the project's instructions: when this happens, do that.
        Rule = "rule",
        /// A file of steps.
        Checklist = "checklist",
        /// A file with a piece of knowledge.
        Snippet = "snippet",
        /// A skill.
        Skill = "skill",
        /// A block in the project's instructions: never do that.
        Antipattern = "antipattern",
    }
}

named! {
    /// Where a candidate applies.
    Scope {
        /// In its project.
        Project = "project",
        /// In all projects of the user.
        Global = "global",
    }
}

named! {
    /// The state of a candidate.
    CandidateStatus {
        /// Waits for a decision.
        Pending = "pending",
        /// Written to a file of its project, or of the user.
        Approved = "approved",
        Rejected = "rejected",
        /// Written to the user's own rules after several projects needed it.
        Promoted = "promoted",
    }
}

/// A row of the ledger's table `candidates`, with further data.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The first 8 digits of the fingerprint; more if two candidates share them.
    pub id: String,
    /// SHA-256 of type, trigger and action, normalised.
    pub fingerprint: String,
    /// Trigger and action, normalised.
    pub normalized_text: String,
    pub title: String,
    pub candidate_type: CandidateType,
    /// "When …".
    pub trigger_condition: String,
    /// What to do.
    pub action: String,
    pub current_scope: Scope,
    /// The repositories that it was seen in.
    pub repo_ids: Vec<String>,
    /// The first piece of evidence and the 20 newest, oldest first.
    pub evidence: Vec<Evidence>,
    /// 0.0 to 1.0.
    pub confidence: f64,
    /// 1 when it was proposed, and one more for each event since.
    pub count: u64,
    pub status: CandidateStatus,
    /// RFC 3339, UTC.
    pub first_seen: String,
    pub last_seen: String,
    pub promoted_at: Option<String>,
    /// The scope that its words suggest.
    pub scope_guess: Scope,
    /// True if it was seen in enough projects to be promoted.
    pub eligible: bool,
    /// True if it was rejected, but is seen again and again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mention: bool,
    /// The file that it was written to.
    pub applied_to: Option<String>,
    /// What has changed since it was approved.
    pub effect: Option<Effect>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guarded: bool,
}

/// A piece of evidence.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    pub event_id: String,
    /// At most 200 characters of the message or the error, without secrets.
    pub quote: String,
    pub timestamp: String,
    pub session_id: Option<String>,
    pub repo_id: Option<String>,
}

/// How often the friction occurred before and after a rule was approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effect {
    /// When the rule was approved.
    pub since: String,
    /// Occurrences before.
    pub before: u64,
    /// Occurrences after.
    pub after: u64,
    /// Days from the first occurrence to the approval, and from then until now; both with fractions.
    pub days_before: f64,
    pub days_after: f64,
}

/// A row of the ledger's table `promotions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Promotion {
    pub id: String,
    pub fingerprint: String,
    pub from_scope: Scope,
    pub to_scope: Scope,
    pub reason: String,
    pub promoted_at: String,
}
