//! What one event says about one group.

use super::Settings;
use super::correction::{self, Said};
use super::failure::{self, Failure};
use super::known::GroupKind;
use super::reminder::{self, Repeated, Skill, Verified};
use super::violation::{self, Violation};
use super::wording::{Wording, one_line, quote};
use crate::event::Event;
use crate::signal::SignalType;
use crate::similarity::Keywords;
use serde_json::Value;

#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) kind: GroupKind,
    pub(super) key: String,
    /// What a group of alike texts compares; the command of a failure; what a violation did. At most [`MAX_SAMPLE`] characters.
    pub(super) sample: String,
    /// What is compared: the sample as a whole, and its core. Empty when the key alone decides.
    pub(super) texts: Vec<Keywords>,
    pub(super) detail: Detail,
}

/// What the wording is made from.
#[derive(Debug, Clone)]
pub(super) enum Detail {
    Failure(Failure),
    Said(Said),
    Repeated(Repeated),
    Skill(Skill),
    Verified(Verified),
    Violation(Violation),
}

/// What it takes to make a candidate of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) events: usize,
    pub(super) sessions: usize,
}

const MAX_SAMPLE: usize = 300;

/// Returns what an event says. Nothing means that it can never be evidence: it is decided.
pub(super) fn findings(event: &Event) -> Vec<Finding> {
    match event.signal_type {
        // Anger says that something is wrong and not what, and a tool that asks for another version not what to do.
        SignalType::ToneEscalation | SignalType::VersionIssue => Vec::new(),
        SignalType::UserCorrection => correction::finding(event).into_iter().collect(),
        SignalType::Repetition => reminder::repetition(event).into_iter().collect(),
        SignalType::SkillSupplement => reminder::skill(event).into_iter().collect(),
        SignalType::VerificationQuestion => reminder::verification(event).into_iter().collect(),
        SignalType::CommandFailure => failure::finding(event).into_iter().collect(),
        SignalType::ProcessViolation => violation::findings(event),
    }
}

impl Finding {
    pub(super) fn new(kind: GroupKind, key: String, sample: &str, detail: Detail) -> Self {
        let sample = one_line(sample, MAX_SAMPLE);
        let texts = match &detail {
            Detail::Said(said) => of_correction(&sample, said),
            _ => compared(kind, &sample),
        };
        Self {
            kind,
            key,
            texts,
            sample,
            detail,
        }
    }

    pub(super) fn quote(&self, event: &Event) -> String {
        match &self.detail {
            Detail::Failure(_) => quote(&format!("{}: {}", command(event), stderr(event))),
            Detail::Violation(_) => quote(&self.sample),
            Detail::Said(said) => quote(said.in_text(content(event))),
            _ => quote(content(event)),
        }
    }

    /// Returns whether it has enough words to be about anything.
    pub(super) fn has_matter(&self) -> bool {
        self.texts.len() > 1 || self.texts.first().is_some_and(|whole| whole.len() >= 2)
    }

    pub(super) fn needed(&self, settings: &Settings) -> Needed {
        let least = settings.min_evidence_count.max(1);
        let (events, sessions) = match &self.detail {
            Detail::Failure(Failure::Known { .. }) | Detail::Violation(_) | Detail::Repeated(_) => {
                (1, 1)
            }
            Detail::Said(said) => said.needed(least),
            // What worked in one session may be chance.
            Detail::Failure(Failure::Solved(_)) => (least.max(2), 2),
            _ => (least, 1),
        };
        Needed { events, sessions }
    }

    /// Returns whether more events of its group can make a wording of what has none now.
    pub(super) fn may_wait(&self) -> bool {
        matches!(self.detail, Detail::Said(_) | Detail::Skill(_))
    }

    /// Returns the confidence of a candidate with `events` events of which this is the last.
    pub(super) fn confidence(&self, events: u64) -> f64 {
        // Past a hundred events every formula has reached its limit.
        let n = events.min(100) as f64;
        let value = match &self.detail {
            Detail::Failure(failure) => failure::confidence(n, failure.lesson()),
            Detail::Said(_) => (0.5 + 0.1 * n).min(0.95),
            Detail::Repeated(repeated) => {
                (0.5 + 0.15 * repeated.similar_count.min(100) as f64).min(0.9)
            }
            Detail::Skill(_) => 0.65,
            Detail::Verified(_) => (0.5 + 0.15 * n).min(0.85),
            Detail::Violation(violation) => violation.confidence(n),
        };
        // 0.7 + 0.05 * 3 is not 0.85 in binary; a reader of the ledger should see 0.85.
        (value * 1000.0).round() / 1000.0
    }
}

/// Returns what a text is compared by: all of it and, for a correction, what it forbids. Some users add what they want
/// instead, and some do not.
pub(super) fn compared(kind: GroupKind, sample: &str) -> Vec<Keywords> {
    match kind {
        GroupKind::Repetition | GroupKind::Skill => vec![Keywords::of(sample)],
        GroupKind::Correction => of_correction(sample, &Said::of(sample)),
        GroupKind::Failure
        | GroupKind::Verification
        | GroupKind::Version
        | GroupKind::Violation => Vec::new(),
    }
}

fn of_correction(sample: &str, said: &Said) -> Vec<Keywords> {
    let whole = Keywords::of(sample);
    let core = said.core().map(|core| match Keywords::of(&core) {
        // "Tell me what to do" is all small words: such a phrase counts as one.
        words if words.len() < 2 && core.split(' ').count() > 3 => {
            Keywords::of(&core.replace(' ', "_"))
        }
        words if words.len() < 2 => Keywords::default(),
        words => words,
    });
    let core = core.filter(|core| !core.is_empty() && *core != whole);
    std::iter::once(whole).chain(core).collect()
}

/// Returns what the candidate of these findings says, or none when they say too little.
pub(super) fn wording(findings: &[&Finding]) -> Option<Wording> {
    let first = findings.first()?;
    match &first.detail {
        Detail::Failure(failure) => failure.wording(),
        Detail::Said(_) => correction::wording(findings),
        Detail::Violation(violation) => violation.wording(),
        Detail::Repeated(_) | Detail::Skill(_) | Detail::Verified(_) => reminder::wording(findings),
    }
}

/// What findings read of an event's context. The rest of it is not even loaded.
pub(crate) const CONTEXT_KEYS: [&str; 11] = [
    "command",
    "content",
    "file",
    "file_path",
    "similar_count",
    "similar_messages",
    "skill_name",
    "stderr",
    "stderr_preview",
    "verified_action",
    "violations",
];

pub(super) fn value_of<'a>(event: &'a Event, key: &str) -> Option<&'a Value> {
    debug_assert!(CONTEXT_KEYS.contains(&key), "{key}");
    event.context.get(key)
}

/// Returns a text of an event's context, or an empty one.
pub(super) fn text_of<'a>(event: &'a Event, key: &str) -> &'a str {
    value_of(event, key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(super) fn content(event: &Event) -> &str {
    if event.content.trim().is_empty() {
        text_of(event, "content")
    } else {
        &event.content
    }
}

pub(super) fn stderr(event: &Event) -> &str {
    ["stderr", "stderr_preview"]
        .into_iter()
        .map(|key| text_of(event, key))
        .find(|text| !text.is_empty())
        .unwrap_or_else(|| content(event))
}

/// Returns the command that an event is about. Events of this program's own sessions have it, like those of hooks.
pub(super) fn command(event: &Event) -> &str {
    text_of(event, "command")
}
