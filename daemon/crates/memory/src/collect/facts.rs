//! What collectors find, each part with its source and its time.

use super::comments::Comment;
use super::manifest::Manifest;
use super::tasks::Plan;
use crate::model::Provenance;
use ccd_protocol::memory::{
    BuildStatus, DependencyStatus, MemoryFact, ServerInfo, SessionMemory, TestSuite,
};
use std::time::SystemTime;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A memory, and where its facts are from.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub memory: SessionMemory,
    pub provenance: Provenance,
    /// Parts that are missing, and why.
    pub warnings: Vec<String>,
}

/// A fact with its source and its time.
#[derive(Debug, Clone, Default)]
pub(super) struct Sourced<T> {
    pub(super) value: T,
    /// A path relative to the project, or what else said so.
    pub(super) source: String,
    pub(super) at: Option<String>,
}

impl<T> Sourced<T> {
    pub(super) fn fact(&self) -> MemoryFact {
        MemoryFact {
            source: self.source.clone(),
            at: self.at.clone(),
        }
    }
}

/// What git says.
#[derive(Debug, Clone, Default)]
pub(super) struct GitFacts {
    pub(super) branch: String,
    pub(super) conflicts: Vec<String>,
}

/// Results of one suite of tests.
#[derive(Debug, Clone, Default)]
pub(super) struct SuiteFacts {
    pub(super) suite: TestSuite,
    pub(super) is_e2e: bool,
    /// When the tests ran, RFC 3339.
    pub(super) last_run: Option<String>,
}

/// What one collector returns.
#[derive(Debug)]
pub(super) enum Part {
    Git(Sourced<GitFacts>),
    Tasks(Option<Sourced<Plan>>),
    Comments(Vec<Comment>),
    /// Newest first.
    Reports(Vec<Sourced<SuiteFacts>>),
    Servers(Sourced<Vec<ServerInfo>>),
    Manifest(Box<Manifest>),
    Dependencies(Sourced<DependencyStatus>),
    Build(Sourced<BuildStatus>),
}

/// Everything that was found in time.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) git: Option<Sourced<GitFacts>>,
    pub(super) plan: Option<Sourced<Plan>>,
    pub(super) comments: Vec<Comment>,
    pub(super) reports: Vec<Sourced<SuiteFacts>>,
    pub(super) servers: Option<Sourced<Vec<ServerInfo>>>,
    pub(super) manifest: Manifest,
    pub(super) dependencies: Option<Sourced<DependencyStatus>>,
    pub(super) build: Option<Sourced<BuildStatus>>,
}

impl Facts {
    pub(super) fn take(&mut self, part: Part) {
        match part {
            Part::Git(git) => self.git = Some(git),
            Part::Tasks(plan) => self.plan = plan,
            Part::Comments(comments) => self.comments = comments,
            Part::Reports(reports) => self.reports = reports,
            Part::Servers(servers) => self.servers = Some(servers),
            Part::Manifest(manifest) => self.manifest = *manifest,
            Part::Dependencies(dependencies) => self.dependencies = Some(dependencies),
            Part::Build(build) => self.build = Some(build),
        }
    }
}

/// Returns a time of a file in whole seconds, RFC 3339.
pub(super) fn stamp(time: SystemTime) -> String {
    rfc3339(OffsetDateTime::from(time))
}

pub(super) fn rfc3339(time: OffsetDateTime) -> String {
    let whole = time
        .replace_nanosecond(0)
        .unwrap_or(time)
        .to_offset(time::UtcOffset::UTC);
    whole
        .format(&Rfc3339)
        .unwrap_or_else(|_| "unknown".to_owned())
}
