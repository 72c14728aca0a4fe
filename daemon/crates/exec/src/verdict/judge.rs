//! The verdict on a run.

use super::ending::{EndCause, RunEnding};
use super::unusable::Unusable;
use crate::stream::{StreamFacts, TurnOutcome};
use ccd_protocol::exec::ExecutionStatus;
use ccd_terminal::supervised::ProgramEnd;

/// Maximum length of a message from standard error, in bytes; its end is kept.
const MAX_STDERR_BYTES: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunVerdict {
    pub(crate) status: ExecutionStatus,
    /// Always there unless the run succeeded.
    pub(crate) error_message: Option<String>,
    /// Set if Claude Code could not work, whatever the instruction.
    pub(crate) unusable: Option<Unusable>,
}

/// Returns the verdict on a run that has ended.
/// Success needs both, the exit code 0 and a last result without an error: an interrupted run exits with 0, and a run whose
/// calls could not be checked has a good result and the exit code 1.
pub(crate) fn verdict(facts: &StreamFacts, ending: &RunEnding<'_>) -> RunVerdict {
    let (status, message) = match ending.cause {
        Some(EndCause::TimeLimit { limit_s }) => (
            ExecutionStatus::Timeout,
            format!("the run exceeded its time limit of {limit_s} seconds"),
        ),
        Some(EndCause::Stalled { limit_s }) => (
            ExecutionStatus::Timeout,
            format!("the run printed nothing for {limit_s} seconds"),
        ),
        Some(EndCause::Cancelled) => (ExecutionStatus::Failed, "the run was cancelled".to_owned()),
        Some(EndCause::DaemonRestarted) => (
            ExecutionStatus::Failed,
            "the run was ended because the daemon restarted".to_owned(),
        ),
        // We ended it after its result, so only that counts, and not what the end itself made it print.
        Some(EndCause::Grace) => {
            let outcome = facts.finished.as_ref().or(facts.outcome.as_ref());
            return judge_outcome(facts, outcome, true, ending);
        }
        None => {
            let is_exit_good = ending.exit == ProgramEnd::Code(0);
            return judge_outcome(facts, facts.outcome.as_ref(), is_exit_good, ending);
        }
    };
    RunVerdict {
        status,
        error_message: Some(message),
        unusable: None,
    }
}

fn judge_outcome(
    facts: &StreamFacts,
    outcome: Option<&TurnOutcome>,
    is_exit_good: bool,
    ending: &RunEnding<'_>,
) -> RunVerdict {
    if is_exit_good && outcome.is_some_and(|outcome| !outcome.is_error) {
        return RunVerdict {
            status: ExecutionStatus::Success,
            error_message: None,
            unusable: None,
        };
    }
    let message = message(outcome, ending);
    let unusable = Unusable::from_run(facts, outcome, ending);
    RunVerdict {
        status: ExecutionStatus::Failed,
        error_message: Some(match unusable {
            Some(unusable) => format!("{unusable}: {message}"),
            None => message,
        }),
        unusable,
    }
}

/// Returns what the run said of its failure: its errors, else its result, else standard error, else the subtype.
fn message(outcome: Option<&TurnOutcome>, ending: &RunEnding<'_>) -> String {
    if let Some(outcome) = outcome {
        if outcome.is_aborted() {
            // Its errors alone are diagnostics for the CLI's own developers.
            return format!("the run was interrupted: {}", outcome.errors.join("; "));
        }
        if !outcome.errors.is_empty() {
            return outcome.errors.join("; ");
        }
        if outcome.subtype == "error_max_turns" {
            let limit = ending.max_turns.map(|turns| format!(" {turns}"));
            return format!(
                "turn limit reached (--max-turns{})",
                limit.unwrap_or_default()
            );
        }
        // The result of a turn without an error is an answer and says nothing of the failure.
        if let Some(text) = outcome
            .text
            .as_ref()
            .filter(|text| outcome.is_error && !text.trim().is_empty())
        {
            return text.trim().to_owned();
        }
    }
    let stderr = last_bytes(ending.stderr.trim(), MAX_STDERR_BYTES);
    match (stderr, ending.exit, outcome) {
        ("", ProgramEnd::Code(_), Some(outcome)) if outcome.subtype.starts_with("error") => {
            outcome.subtype.replace('_', " ")
        }
        ("", ProgramEnd::Code(0), Some(_)) => {
            "claude reported an error without a message".to_owned()
        }
        ("", ProgramEnd::Code(code), Some(_)) => format!("claude exited with code {code}"),
        ("", ProgramEnd::Code(code), None) => {
            format!("claude exited with code {code} and printed no result")
        }
        ("", ProgramEnd::Signal(signal), _) => format!("claude was ended by signal {signal}"),
        // A signal is the cause; what is on standard error may be older.
        (stderr, ProgramEnd::Signal(signal), _) => {
            format!("claude was ended by signal {signal}: {stderr}")
        }
        (stderr, ProgramEnd::Code(_), _) => stderr.to_owned(),
    }
}

fn last_bytes(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}
