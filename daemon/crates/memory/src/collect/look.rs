//! Looks again at what is quick to look at.

use super::assemble::{Progress, progress};
use super::facts::{Finding, Part, Sourced, SuiteFacts};
use super::git::conflicts;
use super::project::{Collector, Project};
use super::reports::reports;
use super::servers::listening_ports;
use super::tasks::{Plan, TaskCollector};
use crate::error::Result;
use ccd_protocol::memory::{MemoryFact, TaskReference, TestSuite};
use ccd_repository::CommitsSince;
use ccd_text::redact::redact;
use std::collections::HashSet;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Instant, SystemTime};

/// What of a project is looked at, besides its branch.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// Commits after this one are counted, up to the number beside it.
    pub(crate) commit: Option<(String, usize)>,
    pub(crate) servers: bool,
    pub(crate) plan: bool,
    /// Reports of tests that were written after this time.
    pub(crate) reports_since: Option<SystemTime>,
    /// Paths in the project, to see whether something is there.
    pub(crate) paths: Vec<String>,
    pub(crate) conflicts: bool,
}

/// What a project looks like now. A part that cannot be read is nothing.
#[derive(Debug, Default)]
pub(crate) struct Now {
    pub(crate) branch: Option<String>,
    /// How `HEAD` differs from the given commit; nothing inside if that does not exist any more.
    pub(crate) commits: Option<Option<CommitsSince>>,
    /// Ports that something listens on.
    pub(crate) ports: Option<Vec<u16>>,
    plan: Option<Finding<Option<Sourced<Plan>>>>,
    reports: Vec<Sourced<SuiteFacts>>,
    /// Of the given paths, those where something is.
    pub(crate) present: Option<HashSet<String>>,
    /// Files with an unresolved conflict.
    pub(crate) conflicts: Option<Vec<String>>,
    /// Parts that were not known at the deadline.
    pub(crate) late: Vec<&'static str>,
}

/// Puts one part into its place.
type Take = Box<dyn FnOnce(&mut Now) + Send>;
/// Looks at one part.
type Look = Box<dyn FnOnce(&Project) -> Take + Send>;

impl Now {
    /// Looks at the parts side by side. A part that is late is not waited for.
    ///
    /// # Errors
    ///
    /// `NoProject`.
    pub(crate) fn of(directory: &Path, wanted: Wanted, deadline: Instant) -> Result<Self> {
        let project = Project::find(directory)?;
        let mut parts: Vec<(&'static str, Look)> = vec![("branch", Box::new(branch))];
        if wanted.plan {
            parts.push(("tasks", Box::new(move |project| tasks(project, deadline))));
        }
        if wanted.servers {
            parts.push(("servers", Box::new(|_| ports())));
        }
        if let Some(since) = wanted.reports_since {
            let look = move |project: &Project| results(project, since, deadline);
            parts.push(("tests", Box::new(look)));
        }
        if !wanted.paths.is_empty() {
            parts.push(("files", Box::new(|project| present(project, wanted.paths))));
        }
        if wanted.conflicts {
            parts.push(("conflicts", Box::new(conflicts_now)));
        }
        if let Some((commit, max)) = wanted.commit {
            let look = move |project: &Project| commits(project, &commit, max);
            parts.push(("commits", Box::new(look)));
        }
        Ok(look(&project, parts, deadline))
    }

    /// Returns the plan's file, as a memory has it; nothing if it is not known. Without a plan, an error says why.
    pub(crate) fn plan(&self) -> Option<std::result::Result<String, Option<&str>>> {
        let plan = self.plan.as_ref()?;
        Some(match &plan.value {
            Some(plan) => Ok(redact(&plan.source).text.into_owned()),
            None => Err(plan.left_out.first().map(String::as_str)),
        })
    }

    /// Returns where the plan stands, and its source; nothing without a plan.
    pub(crate) fn progress(&self) -> Option<(Progress, MemoryFact)> {
        let plan = self.plan.as_ref()?.value.as_ref()?;
        Some((progress(&plan.value, &plan.source), plan.fact()))
    }

    /// Returns what became of a task of the plan.
    pub(crate) fn state(&self, task: &TaskReference) -> TaskState {
        let is_it = |id: &str, title: &str| match task.id.is_empty() {
            // The memory has it without secrets.
            true => title == task.title || redact(title).text == task.title,
            false => id == task.id,
        };
        let plan = self.plan.iter().flat_map(|plan| &plan.value);
        let plan = plan.map(|plan| &plan.value).next();
        match plan {
            Some(plan) if plan.open.iter().any(|one| is_it(&one.id, &one.title)) => TaskState::Open,
            Some(plan) if plan.ids.iter().any(|one| is_it(one, one)) => TaskState::Done,
            _ => TaskState::Gone,
        }
    }

    /// Returns the newest results of unit or of e2e tests among the new reports, and their report.
    pub(crate) fn results(&self, is_e2e: bool) -> Option<(TestSuite, MemoryFact)> {
        let mut reports = self.reports.iter();
        let report = reports.find(|report| report.value.is_e2e == is_e2e)?;
        Some((report.value.suite.clone(), report.fact()))
    }
}

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskState {
    Open,
    Done,
    Gone,
}

fn look(project: &Project, parts: Vec<(&'static str, Look)>, deadline: Instant) -> Now {
    let (sender, results) = sync_channel(parts.len());
    let mut now = Now::default();
    for (name, look) in parts {
        now.late.push(name);
        let (project, sender) = (project.clone(), sender.clone());
        let work = move || {
            let _ = sender.send((name, look(&project)));
        };
        // A part without a thread is late.
        let _ = std::thread::Builder::new()
            .name(format!("memory {name}"))
            .spawn(work);
    }
    drop(sender);
    while !now.late.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok((name, take)) = results.recv_timeout(left) else {
            break;
        };
        take(&mut now);
        now.late.retain(|late| *late != name);
    }
    now
}

fn branch(project: &Project) -> Take {
    let branch = match &project.work_tree {
        Some(tree) => tree.branch().ok(),
        None => Some("unknown".to_owned()),
    };
    Box::new(|now| now.branch = branch)
}

fn tasks(project: &Project, deadline: Instant) -> Take {
    let plan = match TaskCollector.collect(project, deadline) {
        Ok(Part::Tasks(plan)) => Some(plan),
        _ => None,
    };
    Box::new(|now| now.plan = plan)
}

fn results(project: &Project, since: SystemTime, deadline: Instant) -> Take {
    let found = reports(&project.root, Some(since), deadline);
    let found = found.map_or_else(|_| Vec::new(), |found| found.value);
    Box::new(|now| now.reports = found)
}

fn commits(project: &Project, commit: &str, max: usize) -> Take {
    let tree = project.work_tree.as_ref();
    let since = tree.and_then(|tree| tree.commits_since(commit, max).ok());
    Box::new(move |now| now.commits = since)
}

fn present(project: &Project, mut paths: Vec<String>) -> Take {
    paths.retain(|path| project.root.join(path).symlink_metadata().is_ok());
    Box::new(|now| now.present = Some(paths.into_iter().collect()))
}

fn conflicts_now(project: &Project) -> Take {
    let tree = project.work_tree.as_ref();
    let found = tree.and_then(|tree| conflicts(tree, &project.root).ok());
    Box::new(|now| now.conflicts = found)
}

fn ports() -> Take {
    let ports = listening_ports();
    Box::new(|now| now.ports = ports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_part_that_is_late_is_named_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::find(folder.path()).unwrap();
        let (release, held) = sync_channel::<()>(0);
        let slow = move |_: &Project| {
            let _ = held.recv();
            branch_of("late")
        };
        let quick = |_: &Project| branch_of("quick");
        let parts: Vec<(&'static str, Look)> =
            vec![("slow", Box::new(slow)), ("quick", Box::new(quick))];
        let deadline = Instant::now() + Duration::from_secs(1);
        let now = look(&project, parts, deadline);
        assert_eq!(
            (&*now.late, now.branch.as_deref()),
            (&["slow"][..], Some("quick"))
        );
        drop(release);
    }

    fn branch_of(name: &'static str) -> Take {
        Box::new(|now| now.branch = Some(name.to_owned()))
    }
}
