//! What is known of a run.

use super::calls::{Denial, StreamCall, StreamCalls};
use super::outcome::TurnOutcome;
use ccd_policy::{Policy, ToolCall, ToolMode};
use std::collections::BTreeSet;

/// Tokens of a run, sub-agents included as far as the CLI counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_creation: u64,
}

/// The facts of one run, from its stream. Everything that can grow has a limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamFacts {
    /// Of Claude Code.
    pub version: Option<String>,
    pub model: Option<String>,
    /// Names of the tools that the model has.
    pub tools: BTreeSet<String>,
    /// Messages of the main conversation so far, for progress; the outcome has the CLI's own number.
    pub turns: u64,
    pub calls: StreamCalls,
    /// The last message of the main conversation is the CLI's own, not the model's.
    pub is_own_words: bool,
    /// Errors of the API as the CLI named them in its messages, for example `rate_limit`.
    pub errors: Vec<String>,
    /// The last record of type `result`.
    pub outcome: Option<TurnOutcome>,
    /// Nothing has begun after it; the end of a background task begins another turn.
    pub is_answered: bool,
    /// The last one of a turn that nobody interrupted.
    pub finished: Option<TurnOutcome>,
    /// Texts of all of them, in order: what the format `text` prints.
    pub answers: Vec<String>,
    /// What the model has said in the main conversation, one message a paragraph.
    pub said: String,
    pub tokens: Tokens,
    pub too_long_lines: u64,
    pub(super) last_message: String,
}

impl StreamFacts {
    /// Returns the calls that the run tried although they were forbidden, each once: `policy_violations`.
    /// Claude Code has many texts for what it does not do, and versions differ in which they mark as denied. So a call that
    /// is not marked counts if it did not succeed and the policy forbids it; a tool that does not exist is no violation
    /// without such a rule.
    pub fn violations<'a>(&'a self, policy: &'a Policy) -> impl Iterator<Item = &'a StreamCall> {
        let marked = self.calls.denied.iter().filter(|denied| {
            denied.denial == Denial::Permission || is_forbidden(policy, &denied.call)
        });
        // An input that was too large to keep says nothing of its call.
        let unmarked = self
            .calls
            .unsuccessful()
            .filter(|call| !call.input.is_null() && is_forbidden(policy, call));
        marked.map(|denied| &denied.call).chain(unmarked)
    }
}

fn is_forbidden(policy: &Policy, call: &StreamCall) -> bool {
    let call = ToolCall {
        tool_name: call.name.clone(),
        tool_input: call.input.clone(),
        // The stream does not have it; it is the project unless the run went elsewhere.
        cwd: policy.project.clone(),
    };
    policy.mode != ToolMode::All && !policy.judge(&call).is_allowed()
}
