//! Looks again at what is quick to look at.

use super::facts::{GitFacts, Part};
use super::git::GitCollector;
use super::project::{Collector, Project};
use super::servers::ServerCollector;
use super::tasks::{Plan, TaskCollector};
use crate::error::Result;
use ccd_protocol::memory::ServerInfo;
use ccd_repository::WorkTree;
use std::path::Path;
use std::time::{Duration, Instant};

/// A session that starts waits for it.
const LIMIT: Duration = Duration::from_millis(200);

/// What a project looks like now. A part that cannot be read is nothing.
#[derive(Debug, Default)]
pub(crate) struct Now {
    pub(crate) branch: Option<String>,
    /// The listening servers.
    pub(crate) servers: Option<Vec<ServerInfo>>,
    plan: Option<Plan>,
    work_tree: Option<WorkTree>,
}

impl Now {
    /// # Errors
    ///
    /// `NoProject`.
    pub(crate) fn of(directory: &Path) -> Result<Self> {
        let project = Project::find(directory)?;
        let deadline = Instant::now() + LIMIT;
        let mut now = Self::default();
        if let Ok(Part::Git(git)) = GitCollector.collect(&project, deadline) {
            let GitFacts { branch, .. } = git.value;
            now.branch = Some(branch);
        }
        if let Ok(Part::Tasks(Some(plan))) = TaskCollector.collect(&project, deadline) {
            now.plan = Some(plan.value);
        }
        if let Ok(Part::Servers(servers)) = ServerCollector.collect(&project, deadline) {
            now.servers = Some(servers.value);
        }
        now.work_tree = project.work_tree;
        Ok(now)
    }

    /// Says whether a task is open; nothing without a plan or without this task in it.
    pub(crate) fn is_open(&self, id: &str) -> Option<bool> {
        let plan = self.plan.as_ref()?;
        let is_known = plan.ids.iter().any(|known| known == id);
        is_known.then(|| plan.open.iter().any(|task| task.id == id))
    }

    /// Returns how many commits came after `commit`, at most `max`; nothing if that is not known.
    pub(crate) fn commits_since(&self, commit: &str, max: usize) -> Option<usize> {
        self.work_tree.as_ref()?.commits_since(commit, max).ok()?
    }
}
