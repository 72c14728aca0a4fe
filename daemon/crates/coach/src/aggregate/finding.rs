//! What one event says about one group.

use super::Settings;
use super::correction::{self, Said};
use super::failure::{self, Failure};
use super::known::GroupKind;
use super::reminder::{self, Repeated, Skill, Verified};
use super::violation::{self, Violation};
use super::wording::{Wording, one_line, quote};
use crate::command::Difference;
use crate::event::Event;
use crate::signal::SignalType;
use crate::similarity::Keywords;

#[derive(Debug, Clone)]
pub(super) struct Finding {
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

impl Detail {
    pub(super) fn kind(&self) -> GroupKind {
        match self {
            Self::Failure(_) => GroupKind::Failure,
            Self::Said(_) => GroupKind::Correction,
            Self::Repeated(_) => GroupKind::Repetition,
            Self::Skill(_) => GroupKind::Skill,
            Self::Verified(_) => GroupKind::Verification,
            Self::Violation(_) => GroupKind::Violation,
        }
    }
}

/// What it takes to make a candidate of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) events: usize,
    pub(super) sessions: usize,
}

const MAX_SAMPLE: usize = 300;

const MAX_CORRECTION_KEYWORDS: usize = 60;

/// Returns what an event says. Nothing means that it can never be evidence: it is decided.
pub(super) fn findings(event: &Event) -> Vec<Finding> {
    let (kind, unnamed) = (event.signal_type, String::new());
    let finding = match kind {
        // Anger says that something is wrong and not what, and a tool that asks for another version not what to do.
        None | Some(SignalType::ToneEscalation | SignalType::VersionIssue) => None,
        Some(SignalType::UserCorrection) => correction::said(event)
            .map(|(sample, said)| Finding::new(unnamed, &sample, Detail::Said(said))),
        Some(SignalType::Repetition) => reminder::repetition(event).map(|repeated| {
            let sample = repeated.text.clone();
            Finding::new(unnamed, &sample, Detail::Repeated(repeated))
        }),
        Some(SignalType::SkillSupplement) => reminder::skill(event).map(|skill| {
            let (name, sample) = (skill.name.clone(), skill.text.clone());
            Finding::new(name, &sample, Detail::Skill(skill))
        }),
        Some(SignalType::VerificationQuestion) => reminder::verification(event)
            .map(|verified| Finding::new(verified.key(), "", Detail::Verified(verified))),
        Some(SignalType::CommandFailure) => failure::failure(event).map(|(key, failure)| {
            Finding::new(key, &event.context.command, Detail::Failure(failure))
        }),
        Some(SignalType::ProcessViolation) => {
            let violations = violation::violations(event).into_iter();
            let finding = |(key, violation, quoted): (String, _, String)| {
                Finding::new(key, &quoted, Detail::Violation(violation))
            };
            return violations.map(finding).collect();
        }
    };
    finding.filter(Finding::has_matter).into_iter().collect()
}

impl Finding {
    fn new(key: String, sample: &str, detail: Detail) -> Self {
        let sample = one_line(sample, MAX_SAMPLE);
        let texts = match &detail {
            Detail::Said(said) => correction::compared(&sample, said),
            _ => compared(detail.kind(), &sample),
        };
        Self {
            key,
            texts,
            sample,
            detail,
        }
    }

    /// Returns what a failed command says once another one has worked.
    pub(super) fn solved(failed: String, difference: Difference) -> Self {
        Self {
            key: failure::key(&difference),
            texts: Vec::new(),
            sample: failed,
            detail: Detail::Failure(Failure::Solved(difference)),
        }
    }

    pub(super) fn quote(&self, event: &Event) -> String {
        match &self.detail {
            Detail::Failure(_) => {
                quote(&format!("{}: {}", &*event.context.command, event.stderr()))
            }
            Detail::Violation(_) => quote(&self.sample),
            Detail::Said(said) => quote(said.in_text(event.message())),
            _ => quote(event.message()),
        }
    }

    /// Returns whether its texts have enough words to be about anything, and few enough for a correction: more are a task
    /// or a document. What is grouped by its key alone has no texts.
    fn has_matter(&self) -> bool {
        let Some(whole) = self.texts.first() else {
            return true;
        };
        let is_correction = matches!(self.detail, Detail::Said(_));
        let is_task = is_correction && whole.len() > MAX_CORRECTION_KEYWORDS;
        !is_task && (self.texts.len() > 1 || whole.len() >= 2)
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
            Detail::Violation(_) => Violation::confidence(n),
        };
        // 0.7 + 0.05 * 3 is not 0.85 in binary; a reader of the ledger should see 0.85.
        (value * 1000.0).round() / 1000.0
    }
}

/// Returns what a text is compared by: all of it and, for a correction, what it forbids. Some users add what they want
/// instead, and some do not.
pub(super) fn compared(kind: GroupKind, sample: &str) -> Vec<Keywords> {
    match kind {
        GroupKind::Repetition | GroupKind::Skill => vec![Keywords::new(sample)],
        GroupKind::Correction => correction::compared(sample, &Said::new(sample)),
        GroupKind::Failure | GroupKind::Verification | GroupKind::Violation => Vec::new(),
    }
}

/// Returns what the candidate of these findings says, or none when they say too little.
pub(super) fn wording(findings: &[&Finding]) -> Option<Wording> {
    match &findings.first()?.detail {
        Detail::Failure(failure) => failure.wording(),
        Detail::Said(_) => {
            let corrections = findings.iter().filter_map(|finding| match &finding.detail {
                Detail::Said(said) => Some((said, finding.sample.as_str())),
                _ => None,
            });
            correction::wording(&corrections.collect::<Vec<_>>())
        }
        Detail::Violation(violation) => violation.wording(),
        Detail::Repeated(repeated) => repeated.wording(),
        Detail::Skill(skill) => skill.wording(),
        Detail::Verified(verified) => verified.wording(),
    }
}
