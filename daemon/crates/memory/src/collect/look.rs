//! Looks again at what is quick to look at.

use super::facts::Part;
use super::project::{Collector, Project};
use super::servers::listening_ports;
use super::tasks::{Plan, TaskCollector};
use crate::error::Result;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

/// What a project looks like now. A part that cannot be read is nothing.
#[derive(Debug, Default)]
pub(crate) struct Now {
    pub(crate) branch: Option<String>,
    /// How many commits came after the given one.
    pub(crate) commits: Option<usize>,
    /// Ports that something listens on.
    pub(crate) ports: Option<Vec<u16>>,
    plan: Option<Plan>,
    /// Parts that were not known at the deadline.
    pub(crate) late: Vec<&'static str>,
}

/// Puts one part into its place.
type Take = Box<dyn FnOnce(&mut Now) + Send>;
/// Looks at one part.
type Look = Box<dyn FnOnce(&Project) -> Take + Send>;

impl Now {
    /// Looks at the parts side by side. Commits after `commit` are counted, up to the number beside it. A part that is late is
    /// not waited for.
    ///
    /// # Errors
    ///
    /// `NoProject`.
    pub(crate) fn of(
        directory: &Path,
        commit: Option<(&str, usize)>,
        deadline: Instant,
    ) -> Result<Self> {
        let project = Project::find(directory)?;
        let mut parts: Vec<(&'static str, Look)> = vec![
            ("branch", Box::new(branch)),
            ("tasks", Box::new(move |project| tasks(project, deadline))),
            ("servers", Box::new(|_| ports())),
        ];
        if let Some((commit, max)) = commit {
            let commit = commit.to_owned();
            let look = move |project: &Project| commits(project, &commit, max);
            parts.push(("commits", Box::new(look)));
        }
        Ok(look(&project, parts, deadline))
    }

    /// Says whether a task is open; nothing without a plan or without this task in it.
    pub(crate) fn is_open(&self, id: &str) -> Option<bool> {
        let plan = self.plan.as_ref()?;
        let is_known = plan.ids.iter().any(|known| known == id);
        is_known.then(|| plan.open.iter().any(|task| task.id == id))
    }
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
        Ok(Part::Tasks(Some(plan))) => Some(plan.value),
        _ => None,
    };
    Box::new(|now| now.plan = plan)
}

fn commits(project: &Project, commit: &str, max: usize) -> Take {
    let tree = project.work_tree.as_ref();
    let number = tree.and_then(|tree| tree.commits_since(commit, max).ok()?);
    Box::new(move |now| now.commits = number)
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
