//! How signals are put together.

use crate::patterns::MatchedPattern;
use crate::signal::{EventType, Signal, SignalType};
use serde_json::{Map, Value, json};

const MAX_CONTENT_CHARS: usize = 500;

/// How a confidence grows with what was found: `base + step * count`, at most `most`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Formula {
    pub(super) base: f64,
    pub(super) step: f64,
    pub(super) most: f64,
}

impl Formula {
    pub(super) fn of(self, count: usize) -> f64 {
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
    event_type: EventType,
    matches: Vec<Value>,
    confidence: f64,
    content: &str,
) -> Signal {
    let content = first_chars(content.trim(), MAX_CONTENT_CHARS).to_owned();
    Signal {
        signal_type,
        event_type,
        matches,
        confidence,
        detail: Map::new(),
        content,
    }
}

/// Returns the column `context` of a signal's event: its details, with what each kind has, and without nulls.
pub fn context(signal: &Signal) -> Map<String, Value> {
    let mut context = signal.detail.clone();
    context.retain(|_, value| !value.is_null());
    context.insert("signal_type".into(), json!(signal.signal_type));
    context.insert("matches".into(), json!(signal.matches));
    context.insert("confidence".into(), json!(signal.confidence));
    context
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
