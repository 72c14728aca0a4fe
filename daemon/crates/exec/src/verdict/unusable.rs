//! Why Claude Code could not work, whatever the instruction: the causes of `claude_unusable`.

use super::ending::RunEnding;
use crate::stream::{StreamFacts, TurnOutcome};
use ccd_terminal::supervised::ProgramEnd;
use std::fmt;

/// A cause that the user has to remove outside of ccd. The text is the start of a message that says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    NotLoggedIn,
    OutOfQuota,
    RateLimited,
    Overloaded,
    ApiError,
    RequestRefused,
    NetworkDown,
    RootRefused,
    TooOld,
    NotRunnable,
}

/// Texts of the CLI's own messages that name a cause, in lower case: it has no code for these. An answer of the model may
/// have the same words.
const TEXTS: [(Unusable, &str); 4] = [
    (Unusable::NotLoggedIn, include_str!("not_logged_in.txt")),
    (Unusable::OutOfQuota, include_str!("out_of_quota.txt")),
    (Unusable::Overloaded, include_str!("overloaded.txt")),
    (Unusable::NetworkDown, include_str!("network_down.txt")),
];

impl Unusable {
    /// Returns the cause of a failed run, if it is one of these.
    pub(super) fn from_run(
        facts: &StreamFacts,
        outcome: Option<&TurnOutcome>,
        ending: &RunEnding<'_>,
    ) -> Option<Self> {
        match outcome {
            Some(outcome) => Self::from_result(facts, outcome),
            None => Self::from_start(ending),
        }
    }

    /// A run with a result reached the API, or tried to.
    fn from_result(facts: &StreamFacts, outcome: &TurnOutcome) -> Option<Self> {
        let is_about_the_request = outcome.terminal_reason == "prompt_too_long"
            || outcome.stop_reason == "refusal"
            || outcome.api_error_status == Some(413);
        if !outcome.is_error || outcome.subtype != "success" || is_about_the_request {
            return None; // the instruction is what failed
        }
        let text = outcome.text.as_deref().unwrap_or_default();
        let named = facts.errors.last().map_or("", String::as_str);
        let by_name = match (outcome.api_error_status, named) {
            (Some(401), _) | (None, "authentication_failed" | "oauth_org_not_allowed") => {
                Some(Self::NotLoggedIn)
            }
            (Some(402), _) | (_, "billing_error") => Some(Self::OutOfQuota),
            (Some(529), _) | (_, "overloaded") => Some(Self::Overloaded),
            _ => None,
        };
        let is_api = outcome.api_error_status.is_some()
            || outcome.terminal_reason == "api_error"
            || !named.is_empty()
            || text.starts_with("API Error");
        // A status of 429, and the name `rate_limit`, say of a quota that is used up too, which only the text tells apart.
        let by_text = || by_text(text).filter(|_| is_api || facts.is_own_words);
        by_name
            .or_else(by_text)
            .or(is_api.then_some(match (outcome.api_error_status, named) {
                (Some(429), _) | (_, "rate_limit") => Self::RateLimited,
                (Some(400..=499), _) => Self::RequestRefused,
                _ => Self::ApiError,
            }))
    }

    /// A run without a result did not get that far.
    fn from_start(ending: &RunEnding<'_>) -> Option<Self> {
        let text = ending.stderr.to_lowercase();
        if text.contains("cannot be used with root")
            || (text.contains("root") && text.contains("privileges"))
        {
            Some(Self::RootRefused)
        } else if text.contains("error: unknown option") || text.contains("needs an update") {
            Some(Self::TooOld)
        } else if matches!(ending.exit, ProgramEnd::Code(126 | 127)) {
            // A shell, or `env` in the first line of a script, did not find or could not start what it needs.
            Some(Self::NotRunnable)
        } else {
            // A hook or a tool that reached nobody or is not logged in says so there too.
            text.contains("please run /login")
                .then_some(Self::NotLoggedIn)
        }
    }
}

fn by_text(text: &str) -> Option<Unusable> {
    let text = text.to_lowercase();
    let is_named = |known: &str| known.lines().any(|known| text.contains(known));
    let found = TEXTS.iter().find(|(_, known)| is_named(known));
    found.map(|(cause, _)| *cause)
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotLoggedIn => "Claude Code is not logged in; run `claude` and log in, or set ANTHROPIC_API_KEY",
            Self::OutOfQuota => "the quota or credit of the account is used up; wait, or add credit",
            Self::RateLimited => "the API of Claude limits the rate of requests; wait a minute, and try again",
            Self::Overloaded => "the API of Claude is overloaded; try again later",
            Self::ApiError => "the API of Claude answered with an error; try again later",
            Self::RequestRefused => "the API of Claude refused the request; check the model, ANTHROPIC_BASE_URL, and what your account may use",
            Self::NetworkDown => "the API of Claude cannot be reached; check the network",
            Self::RootRefused => "Claude Code does not bypass permissions as root; choose another permission mode or user",
            Self::NotRunnable => "claude cannot be started; check that `claude --version` works",
            Self::TooOld => "this version of Claude Code is too old; update it",
        })
    }
}
