//! Events: the signals that were recorded.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

/// The kind of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SignalType {
    /// The user corrects what the assistant did.
    #[serde(rename = "USER_CORRECTION", alias = "user_correction")]
    UserCorrection,
    /// The user is annoyed.
    #[serde(rename = "TONE_ESCALATION", alias = "tone_escalation")]
    ToneEscalation,
    /// The user has said nearly the same three times.
    #[serde(rename = "REPETITION", alias = "repetition")]
    Repetition,
    /// The user adds what a skill lacks.
    #[serde(rename = "SKILL_SUPPLEMENT", alias = "skill_supplement")]
    SkillSupplement,
    /// The user asks whether something was done that should be done unasked.
    #[serde(rename = "VERIFICATION_QUESTION", alias = "verification_question")]
    VerificationQuestion,
    /// A command failed.
    #[serde(rename = "COMMAND_FAILURE", alias = "command_failure")]
    CommandFailure,
    /// A program or package is too old.
    #[serde(rename = "VERSION_ISSUE", alias = "version_issue")]
    VersionIssue,
    /// A rule of work was broken: a squash merge, an edit of an installed copy, a claim of success without a check.
    #[serde(rename = "PROCESS_VIOLATION", alias = "process_violation")]
    ProcessViolation,
}

impl SignalType {
    /// All of them, in the order in which the signals of one payload are listed.
    pub const ALL: [SignalType; 8] = [
        SignalType::UserCorrection,
        SignalType::ToneEscalation,
        SignalType::Repetition,
        SignalType::SkillSupplement,
        SignalType::VerificationQuestion,
        SignalType::CommandFailure,
        SignalType::VersionIssue,
        SignalType::ProcessViolation,
    ];

    /// The name on the wire and in the column `signal_type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SignalType::UserCorrection => "USER_CORRECTION",
            SignalType::ToneEscalation => "TONE_ESCALATION",
            SignalType::Repetition => "REPETITION",
            SignalType::SkillSupplement => "SKILL_SUPPLEMENT",
            SignalType::VerificationQuestion => "VERIFICATION_QUESTION",
            SignalType::CommandFailure => "COMMAND_FAILURE",
            SignalType::VersionIssue => "VERSION_ISSUE",
            SignalType::ProcessViolation => "PROCESS_VIOLATION",
        }
    }

    /// The type with this name, in upper or lower case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|one| one.name().eq_ignore_ascii_case(name))
    }
}

/// When an event happened within a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EventType {
    /// A prompt of the user.
    Pre,
    /// A tool call or a permission.
    Tool,
    /// Everything else, for example the end of a turn.
    Post,
}

impl EventType {
    /// The name on the wire and in the column `event_type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EventType::Pre => "pre",
            EventType::Tool => "tool",
            EventType::Post => "post",
        }
    }
}

/// A recorded event.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachEvent {
    /// 8 characters.
    pub id: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    pub event_type: EventType,
    pub signal_type: SignalType,
    /// The first 16 hexadecimal digits of SHA-256 of the repository's URL or, without one, of its directory.
    pub repo_id: String,
    /// The repository's directory, or the working directory outside one.
    pub project: Option<String>,
    pub session_id: Option<String>,
    /// The call of a tool that it is about, and the prompt that came before. `ccctl conversation show SESSION --at ID` starts
    /// there.
    pub tool_use_id: Option<String>,
    pub prompt_id: Option<String>,
    /// The message or the error, at most 500 characters, without secrets.
    pub content: String,
    /// What else is known: `matches`, `confidence`, `command`, `exit_code`, …
    pub context: Map<String, Value>,
    /// True once the event belongs to a candidate, or was found to support none.
    pub processed: bool,
}

/// Parameters of `coach.events`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachEventsParams {
    /// Only events from this time on, RFC 3339.
    pub since: Option<String>,
    /// Only this type.
    #[serde(
        default,
        rename = "type",
        deserialize_with = "crate::spelling::any_case_or_none"
    )]
    pub signal_type: Option<SignalType>,
    /// Only this project: a `repo_id`, or a directory in it.
    pub project: Option<String>,
    /// 1 to 1,000, default 100.
    pub limit: Option<u32>,
    /// Only events older than the event with this id.
    pub before: Option<String>,
}

/// Reply of `coach.events`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CoachEventsReply {
    /// Newest first.
    pub events: Vec<CoachEvent>,
}
