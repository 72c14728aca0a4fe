//! How signals are put together.

use crate::patterns::MatchedPattern;
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use serde_json::{Map, Value, json};

const MAX_CONTENT_CHARS: usize = 500;

/// How a confidence grows with what was found: `base + step * count`, at most `most`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formula {
    base: f64,
    step: f64,
    pub(super) most: f64,
}

/// What a command inside a sub-agent counts: the user does not see it, and sub-agents explore.
const IN_SUB_AGENT: f64 = 0.75;

impl Formula {
    pub(super) const fn new(base: f64, step: f64, most: f64) -> Self {
        Self { base, step, most }
    }

    /// Returns the confidence of what a command has printed.
    pub(super) fn confidence_of(self, count: usize, payload: &Payload) -> f64 {
        match payload.agent_id {
            Some(_) => rounded(self.confidence(count) * IN_SUB_AGENT),
            None => self.confidence(count),
        }
    }

    pub(super) fn confidence(self, count: usize) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts are at most some hundreds"
        )]
        let value = self.base + self.step * count as f64;
        rounded(value.min(self.most))
    }
}

/// Returns the value without the noise of binary fractions: 0.7 instead of 0.7000000000000001.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

pub(super) fn signal(
    signal_type: SignalType,
    matches: Vec<Value>,
    confidence: f64,
    content: &str,
) -> Signal {
    let content = first_chars(content.trim(), MAX_CONTENT_CHARS).to_owned();
    let event_type = match signal_type {
        SignalType::CommandFailure | SignalType::VersionIssue | SignalType::ProcessViolation => {
            EventType::Tool
        }
        _ => EventType::Pre,
    };
    Signal {
        signal_type,
        event_type,
        matches,
        confidence,
        detail: Map::new(),
        content,
    }
}

pub(super) fn patterns(found: &[MatchedPattern<'_, '_>]) -> Vec<Value> {
    found
        .iter()
        .map(|found| Value::from(found.pattern))
        .collect()
}

pub(super) fn patterns_with_texts(found: &[MatchedPattern<'_, '_>]) -> Vec<Value> {
    found
        .iter()
        .map(|found| json!({"pattern": found.pattern, "text": found.text.as_str()}))
        .collect()
}

pub(super) fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(end, _)| &text[..end])
}
