//! What collectors find, each part with its source and its time.

use super::open_point::Comment;
use crate::model::{Notes, READ_FAILURES};
use ccd_protocol::memory::{
    BuildStatus, DependencyStatus, MemoryFact, PhaseStatus, ServerInfo, SessionMemory,
    TaskReference, TestFailure, TestSuite,
};
use ccd_text::redact::{MASK, redact};
use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::time::SystemTime;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub memory: SessionMemory,
    pub notes: Notes,
    /// Secrets that were removed.
    pub redacted: u64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    /// A path relative to the project, or what else said so.
    pub(crate) source: String,
    pub(crate) at: Option<String>,
}

impl<T> Sourced<T> {
    pub(super) fn new(value: T, source: impl Into<String>, at: Option<String>) -> Self {
        let source = source.into();
        Self { value, source, at }
    }

    pub(super) fn nothing(source: &str) -> Self
    where
        T: Default,
    {
        Self::new(T::default(), source, None)
    }

    pub(crate) fn fact(&self) -> MemoryFact {
        MemoryFact {
            source: self.source.clone(),
            at: self.at.clone(),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct GitFacts {
    pub(super) branch: String,
    pub(super) conflicts: Vec<String>,
}

/// Open tasks, and later points, that are kept.
pub(super) const MAX_OPEN_TASKS: usize = 1000;

/// What a plan says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    pub(super) phases: Vec<PhaseStatus>,
    /// The first [`MAX_OPEN_TASKS`], in the order of the file.
    pub(crate) open: Vec<TaskReference>,
    /// The last open task that Kiro marks as begun.
    pub(super) begun: Option<TaskReference>,
    /// Whether a task is open, by a hash of its id, or of its title if it has none: a plan may have half a million tasks.
    pub(super) names: HashMap<u64, bool>,
    /// Points below headings such as "Later", in the plan and in the spec beside it.
    pub(super) later: Vec<String>,
    /// Secrets that were removed from phases and open tasks.
    pub(super) redacted: u64,
}

impl Plan {
    /// Returns whether the task with this id, or with this title and no id, is open; nothing if the plan has no such task.
    pub(crate) fn is_open(&self, name: &str) -> Option<bool> {
        self.names.get(&name_hash(name)).copied()
    }

    pub(super) fn completed(&self) -> u64 {
        self.phases.iter().map(|phase| phase.completed).sum()
    }

    pub(super) fn total(&self) -> u64 {
        self.phases.iter().map(|phase| phase.total).sum()
    }
}

pub(super) fn name_hash(name: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(name)
}

/// What the manifests say.
#[derive(Debug, Clone, Default)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// The file that the name is from.
    pub(super) source: Option<String>,
    pub(super) unit: Runner,
    pub(super) e2e: Runner,
}

/// What runs a suite of tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Runner {
    pub(super) framework: Option<&'static str>,
    pub(super) command: Option<String>,
}

/// Results of one suite of tests.
#[derive(Debug, Clone, Default)]
pub(crate) struct SuiteFacts {
    pub(crate) suite: TestSuite,
    pub(crate) is_e2e: bool,
    /// When the tests ran, RFC 3339.
    pub(super) last_run: Option<String>,
    /// Why the run as a whole failed, whatever its tests did.
    pub(super) broken: Option<String>,
}

impl SuiteFacts {
    /// Adds a failure, unless it is known or there are enough.
    pub(super) fn add(&mut self, failure: TestFailure) {
        let known = &mut self.suite.failures;
        if known.len() < READ_FAILURES && !known.contains(&failure) {
            known.push(failure);
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Finding<T> {
    pub(crate) value: T,
    /// Why something is not in it, a sentence each.
    pub(crate) left_out: Vec<String>,
    /// Secrets that were removed while it was read.
    pub(super) redacted: u64,
}

/// Returns how many secrets of `source` are masked in the texts from it.
pub(super) fn masked<'a>(texts: impl IntoIterator<Item = &'a str>, source: &str) -> u64 {
    let masks = |text: &str| text.matches(MASK).count() as u64;
    let found: u64 = texts.into_iter().map(masks).sum();
    // What the source has itself is no secret that was removed.
    found.saturating_sub(masks(source))
}

/// Everything that was found in time. A part without a source was not.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) git: Sourced<GitFacts>,
    pub(super) plan: Sourced<Plan>,
    pub(super) comments: Vec<Comment>,
    /// Newest first.
    pub(super) reports: Vec<Sourced<SuiteFacts>>,
    pub(super) servers: Sourced<Vec<ServerInfo>>,
    pub(super) manifest: Manifest,
    pub(super) dependencies: Sourced<DependencyStatus>,
    pub(super) build: Sourced<BuildStatus>,
    /// Parts that are missing, and why.
    left_out: Vec<(&'static str, String)>,
    redacted: u64,
}

impl Facts {
    pub(super) fn warnings(&self) -> Vec<String> {
        let warning = |(part, reason): &(&str, String)| format!("{part}: left out: {reason}");
        self.left_out.iter().map(warning).collect()
    }

    /// The part has no facts because it could not be looked at.
    pub(super) fn is_unknown(&self, part: &str) -> bool {
        self.left_out.iter().any(|(other, _)| *other == part)
    }

    pub(super) fn leave_out(&mut self, part: &'static str, reason: String) {
        self.left_out.push((part, reason));
    }

    pub(super) fn unpack<T>(&mut self, part: &'static str, finding: Finding<T>) -> T {
        self.redacted += finding.redacted;
        for reason in finding.left_out {
            self.leave_out(part, reason);
        }
        finding.value
    }

    /// Removes the secrets of each text and returns how many, with those that collectors removed: beside other words, some
    /// are not recognised any more.
    pub(super) fn redact(&mut self) -> u64 {
        let mut texts = vec![&mut self.git.value.branch];
        texts.extend(&mut self.git.value.conflicts);
        // Its tasks and phases have none any more.
        texts.extend(&mut self.plan.value.later);
        for comment in &mut self.comments {
            texts.extend([&mut comment.path, &mut comment.text]);
        }
        let reports = self.reports.iter_mut();
        for failure in reports.flat_map(|report| &mut report.value.suite.failures) {
            texts.extend([&mut failure.file, &mut failure.test_name]);
            texts.extend(&mut failure.message);
        }
        texts.extend(&mut self.manifest.name);
        texts.extend(&mut self.manifest.description);
        texts.extend(self.left_out.iter_mut().map(|(_, reason)| reason));
        let mut removed = self.redacted;
        for text in texts {
            let redacted = redact(text);
            if redacted.removed > 0 {
                removed += redacted.removed as u64;
                *text = redacted.text.into_owned();
            }
        }
        removed
    }
}

/// Returns a time of a file in whole seconds, RFC 3339.
pub(super) fn stamp(time: SystemTime) -> String {
    rfc3339(ccd_base::clock::date_of(time))
}

pub(super) fn rfc3339(time: OffsetDateTime) -> String {
    let whole = time.replace_nanosecond(0).unwrap_or(time);
    let text = whole.to_offset(time::UtcOffset::UTC).format(&Rfc3339);
    text.unwrap_or_else(|_| "unknown".to_owned())
}
