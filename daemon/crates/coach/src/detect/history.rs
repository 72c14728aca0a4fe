//! What is remembered of a session: a bounded number of tool calls and messages.

use crate::command::{Failed, Simple, base, difference, primary};
use std::collections::VecDeque;

/// Number of tool calls and of messages that are remembered.
const MAX_REMEMBERED: usize = 10;

/// Number of prompts for which a skill that was started counts as the topic.
const SKILL_PROMPTS: u8 = 2;

#[derive(Debug, Default)]
pub(super) struct History {
    calls: VecDeque<Call>,
    messages: VecDeque<String>,
    rejected: VecDeque<String>,
    /// Number of tool results since the last prompt of the user.
    pub(super) turn_tool_outputs: usize,
    skill: Option<(String, u8)>,
    pub(super) assistant: Assistant,
}

/// What the assistant is known to have done in the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Assistant {
    /// The start of the session was not seen, and no act since.
    #[default]
    Unknown,
    /// The session is new: there is nothing to correct yet.
    Idle,
    /// It called a tool or ended a turn.
    Acted,
}

#[derive(Debug)]
struct Call {
    /// What commands are compared by; the whole line when it is about no program.
    key: String,
    /// If it failed.
    attempt: Option<(Simple, Failed)>,
    failed: bool,
    is_solved: bool,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            assistant: Assistant::Idle,
            ..Self::default()
        }
    }

    /// Returns how many of the remembered commands failed and are about the same as `line`.
    pub(super) fn similar_failures(&self, line: &str) -> usize {
        let key = key(line);
        self.calls
            .iter()
            .filter(|call| call.failed && call.key == key)
            .count()
    }

    /// Returns whether `line`, which succeeded, may be what a remembered failure should have been; each only once.
    pub(super) fn solve(&mut self, line: &str) -> bool {
        let Some(worked) = primary(line) else {
            return false;
        };
        let key = base(&worked);
        let is_other_form = |failed: &Option<(Simple, Failed)>| {
            let failed = failed.as_ref();
            failed.is_some_and(|(failed, how)| difference(failed, &worked, *how).is_some())
        };
        let mut is_first = false;
        for call in self.calls.iter_mut().filter(|call| {
            call.failed && !call.is_solved && (call.key == key || is_other_form(&call.attempt))
        }) {
            call.is_solved = true;
            is_first = true;
        }
        is_first
    }

    /// `failed` is what a command that failed has printed.
    pub(super) fn add_call(&mut self, line: &str, failed: Option<&str>) {
        let attempt = failed.and_then(|output| {
            let attempt = primary(line)?;
            let how = Failed::new(&output.to_lowercase(), &attempt);
            Some((attempt, how))
        });
        push(
            &mut self.calls,
            Call {
                key: key(line),
                attempt,
                failed: failed.is_some(),
                is_solved: false,
            },
        );
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().map(String::as_str)
    }

    pub(super) fn add_message(&mut self, message: &str) {
        push(&mut self.messages, message.to_owned());
    }

    /// Remembers that a call was rejected; returns whether that was not known: two events report the same rejection.
    pub(super) fn add_rejected(&mut self, tool_use_id: Option<&str>) -> bool {
        let Some(id) = tool_use_id else { return true };
        let is_new = !self.rejected.iter().any(|known| known == id);
        if is_new {
            push(&mut self.rejected, id.to_owned());
        }
        is_new
    }

    pub(super) fn skill(&self) -> Option<&str> {
        self.skill.as_ref().map(|(name, _)| name.as_str())
    }

    pub(super) fn start_skill(&mut self, name: &str) {
        self.skill = Some((name.to_owned(), SKILL_PROMPTS));
    }

    /// A prompt of the user has been handled: a new turn starts.
    pub(super) fn end_prompt(&mut self) {
        self.turn_tool_outputs = 0;
        self.skill = self
            .skill
            .take()
            .filter(|(_, left)| *left > 1)
            .map(|(name, left)| (name, left - 1));
    }
}

fn key(line: &str) -> String {
    let named = primary(line).as_ref().map(base);
    named.unwrap_or_else(|| line.trim()[..line.trim().floor_char_boundary(200)].to_owned())
}

fn push<T>(queue: &mut VecDeque<T>, value: T) {
    if queue.len() == MAX_REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(value);
}
