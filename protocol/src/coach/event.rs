//! Events: the signals that were recorded.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

named! {
    /// The kind of a signal.
    SignalType {
        /// The user corrects what the assistant did.
        UserCorrection = "USER_CORRECTION",
        /// The user is annoyed.
        ToneEscalation = "TONE_ESCALATION",
        /// The user has said nearly the same thing three times.
        Repetition = "REPETITION",
        /// The user adds what a skill lacks.
        SkillSupplement = "SKILL_SUPPLEMENT",
        /// The user asks whether something was done that should be done unasked.
        VerificationQuestion = "VERIFICATION_QUESTION",
        /// A command failed.
        CommandFailure = "COMMAND_FAILURE",
        /// A program or package is too old.
        VersionIssue = "VERSION_ISSUE",
        /// A rule of work was broken: a squash merge, an edit of an installed copy, a claim of success without a check.
        ProcessViolation = "PROCESS_VIOLATION",
    }
}

named! {
    /// When an event happened within a turn.
    EventType {
        /// A prompt of the user.
        Pre = "pre",
        /// A tool call or a permission.
        Tool = "tool",
        /// Everything else, for example the end of a turn.
        Post = "post",
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
    /// The call of a tool that it is about, and the prompt before it. `ccctl conversation show SESSION --at ID` starts
    /// there.
    pub tool_use_id: Option<String>,
    pub prompt_id: Option<String>,
    /// The message or the error, at most 500 characters, without secrets.
    pub content: String,
    /// Further data: `matches`, `confidence`, `command`, `exit_code`, …
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
    #[serde(rename = "type")]
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
