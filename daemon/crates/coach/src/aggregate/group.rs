//! Groups of events that speak for one candidate.

use super::finding::{Detail, Finding, Needed, wording};
use super::known::{GroupKind, KnownGroup, Lesson, MAX_SAMPLES};
use super::like_index::Words;
use super::wording::{Wording, one_line};
use std::collections::BTreeSet;

#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) event: usize,
    pub(super) at_ms: i64,
    pub(super) session: &'a str,
    /// Its texts are in `texts`.
    pub(super) finding: Finding,
    pub(super) texts: Vec<Words>,
    /// Its entries in the index of texts: one for each of `texts`, or none.
    pub(super) entries: Vec<usize>,
}

#[derive(Debug)]
pub(super) enum GroupState {
    Waiting,
    Formed {
        wording: Wording,
    },
    /// It belongs to a candidate of the ledger, by index.
    Known {
        candidate: usize,
    },
}

#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) kind: GroupKind,
    pub(super) key: String,
    pub(super) state: GroupState,
    /// Events of earlier runs.
    pub(super) known_events: u64,
    /// Events of this run, oldest first.
    pub(super) members: Vec<Member<'a>>,
    pub(super) samples: Vec<String>,
    pub(super) indexed: usize,
    pub(super) lesson: Lesson,
}

/// How many failed commands are kept for comparing with a success.
const MAX_COMMANDS: usize = 3;

impl Group<'_> {
    pub(super) fn new(kind: GroupKind, key: String) -> Self {
        Self {
            kind,
            key,
            state: GroupState::Waiting,
            known_events: 0,
            members: Vec::new(),
            samples: Vec::new(),
            indexed: 0,
            lesson: Lesson::None,
        }
    }

    pub(super) fn known(known: &KnownGroup, candidate: usize) -> Self {
        Self {
            state: GroupState::Known { candidate },
            known_events: known.events,
            samples: known
                .samples
                .iter()
                .map(|sample| one_line(sample, 300))
                .take(MAX_SAMPLES)
                .collect(),
            lesson: known.lesson,
            ..Self::new(known.kind, known.key.clone())
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, GroupState::Waiting)
    }

    pub(super) fn has(&self, needed: Needed) -> bool {
        let sessions: BTreeSet<&str> = self.members.iter().map(|one| one.session).collect();
        self.members.len() >= needed.events
            && (sessions.len() >= needed.sessions || self.is_said_again())
    }

    /// Returns whether somebody has said the same twice, in the same words.
    fn is_said_again(&self) -> bool {
        fn said<'m>(member: &'m Member<'_>) -> Option<&'m Words> {
            match &member.finding.detail {
                // What is forbidden counts, whatever else the message says.
                Detail::Said(said) if said.forbids() => member.texts.last(),
                _ => member.texts.first(),
            }
        }
        let Some((last, before)) = self.members.split_last() else {
            return false;
        };
        let is_said = matches!(&last.finding.detail, Detail::Said(said) if said.standing.is_none());
        is_said && before.iter().any(|member| said(member) == said(last))
    }

    /// Makes a candidate of the members there are, if they say enough to word it. Returns whether they do.
    pub(super) fn form(&mut self) -> bool {
        let findings: Vec<&Finding> = self.members.iter().map(|member| &member.finding).collect();
        let Some(wording) = wording(&findings) else {
            return false;
        };
        self.state = GroupState::Formed { wording };
        true
    }

    /// Returns the confidence of a candidate with `counted` events of this run.
    pub(super) fn confidence(&self, counted: u64) -> f64 {
        let events = self.known_events + counted;
        self.members
            .iter()
            .map(|member| member.finding.confidence(events))
            .fold(0.0, f64::max)
    }

    /// Remembers what later events or successes are compared with.
    pub(super) fn remember(&mut self, sample: &str) {
        if self.kind == GroupKind::Failure {
            self.samples.retain(|known| known != sample);
            self.samples.push(sample.to_owned());
            let surplus = self.samples.len().saturating_sub(MAX_COMMANDS);
            self.samples.drain(..surplus);
        } else if self.kind.is_by_text() && self.samples.len() < MAX_SAMPLES {
            self.samples.push(sample.to_owned());
        }
    }

    /// Returns the row of `ccd_groups` with `counted` events of this run added.
    pub(super) fn row(&self, counted: u64) -> KnownGroup {
        KnownGroup {
            kind: self.kind,
            key: self.key.clone(),
            samples: self.samples.clone(),
            lesson: match self.members.first().map(|member| &member.finding.detail) {
                Some(Detail::Failure(failure)) => failure.lesson(),
                _ => self.lesson,
            },
            events: self.known_events + counted,
        }
    }
}
