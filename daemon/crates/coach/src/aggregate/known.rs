//! What the ledger already has.

use crate::fingerprint::Fingerprint;
pub(crate) use ccd_protocol::coach::CandidateStatus as Status;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GroupKind {
    /// Key: base command and error class.
    Failure,
    /// Alike texts.
    Correction,
    /// Alike texts.
    Repetition,
    /// Key: the skill, and alike texts.
    Skill,
    /// Key: the action.
    Verification,
    /// Key: the kind of violation, and the command or the kind of folder.
    Violation,
}

impl GroupKind {
    /// Returns whether alike texts make a group, and not the key alone.
    pub(super) fn is_by_text(self) -> bool {
        matches!(self, Self::Correction | Self::Repetition | Self::Skill)
    }
}

/// Where the advice about a failing command comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lesson {
    /// It only says that the command fails. Older builds had lessons of commands that succeeded when they were repeated.
    #[default]
    #[serde(alias = "retry")]
    None,
    /// The built-in table has a remedy.
    Table,
    /// The command succeeded with other options.
    Flags,
    /// Another sub-command succeeded.
    Subcommand,
    /// The command succeeded in another form.
    Command,
}

/// One group that stands for a candidate: a row of `ccd_groups`.
/// A candidate has several when groups led to the same fingerprint. `(kind, key, fingerprint)` is unique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownGroup {
    pub(crate) kind: GroupKind,
    pub(crate) key: String,
    /// Texts that later ones are compared with (corrections, repetitions, skills), or the last commands that failed. At most
    /// five of 300 characters; a JSON array in the table.
    pub(crate) samples: Vec<String>,
    pub(crate) lesson: Lesson,
    /// Events of this group so far. The confidence grows with it.
    pub(crate) events: u64,
}

impl KnownGroup {
    /// Adds the events and samples of another group with the same kind and key.
    pub(super) fn join(&mut self, other: Self) {
        self.events = self.events.saturating_add(other.events);
        for sample in other.samples {
            if self.samples.len() < MAX_SAMPLES && !self.samples.contains(&sample) {
                self.samples.push(sample);
            }
        }
        if self.lesson == Lesson::None {
            self.lesson = other.lesson;
        }
    }
}

/// How many texts of a group later ones are compared with.
pub(super) const MAX_SAMPLES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownCandidate {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) status: Status,
    pub(crate) count: u64,
    /// The count when it was rejected.
    pub(crate) rejected_at_count: u64,
    /// Different repositories in which it was seen, by `repo_key`.
    pub(crate) repo_keys: Vec<String>,
    /// Ids of events that it has counted: none of them counts again. Only those that are given once more are needed.
    pub(crate) evidence_ids: Vec<String>,
    /// Empty for a candidate that another tool wrote: it is found by its fingerprint alone.
    pub(crate) groups: Vec<KnownGroup>,
}
