//! USER_CORRECTION: the user rejects, corrects or forbids what the assistant did or may do.

use super::correction_guards::accepts;
use super::correction_phrases::phrase;
use super::found::{Formula, patterns, rounded, signal};
use super::history::Assistant;
use super::prose::Prose;
use super::spot::Spot;
use crate::patterns::{PatternGroup, PatternSet};
use crate::signal::{Signal, SignalType};
use serde_json::Value;

const FORMULA: Formula = Formula::new(0.3, 0.2, 1.0);

/// Returns the signal of a prompt.
/// A correction needs something to correct. As long as the assistant of a new session has not acted, it counts half: it may
/// be about an earlier session. Where the start of the session was not seen, the assistant is taken to have acted.
pub(super) fn detect(
    prompt: &str,
    prose: &Prose,
    set: &PatternSet,
    assistant: Assistant,
) -> Option<Signal> {
    let group = PatternGroup::Correction;
    let found = set.find(group, &prose.text, |found| {
        accepts(&Spot::new(&prose.text, found.text), prose)
    });
    let mut matches = patterns(&found);
    if matches.is_empty() && set.has_built_ins(group) {
        matches.extend(phrase(prose, assistant).map(Value::from));
    }
    if matches.is_empty() {
        return None;
    }
    let confidence = FORMULA.confidence(matches.len());
    let confidence = if assistant == Assistant::Idle {
        rounded(confidence / 2.0)
    } else {
        confidence
    };
    let kind = SignalType::UserCorrection;
    Some(signal(kind, matches, confidence, prompt))
}
