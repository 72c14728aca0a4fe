//! Looks at the parts of a project side by side.

use super::assemble::{KnownProject, assemble};
use super::build::build;
use super::comments::comments;
use super::dependencies::dependencies;
use super::facts::{Collected, Facts, Finding, Sourced, SuiteFacts};
use super::git::git;
use super::manifest::manifest;
use super::project::Project;
use super::recorded::Recorded;
use super::reports::reports;
use super::servers::servers;
use super::tasks::plan;
use crate::error::Result;
use ccd_protocol::memory::SessionMemory;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

pub const COLLECT_LIMIT: Duration = Duration::from_secs(2);

/// Returns where a project stands. `previous` is the memory of the last save, `recorded` what is known of its runs. A part
/// that fails or is not there in time is left out, with a warning.
pub fn collect(
    directory: &Path,
    previous: Option<&SessionMemory>,
    recorded: &Recorded,
) -> Result<Collected> {
    collect_within(directory, previous, recorded, COLLECT_LIMIT)
}

/// The same with another time for each part.
pub(super) fn collect_within(
    directory: &Path,
    previous: Option<&SessionMemory>,
    recorded: &Recorded,
    limit: Duration,
) -> Result<Collected> {
    let project = Project::find(directory, Instant::now() + limit)?;
    Ok(assemble(KnownProject {
        project: &project,
        facts: run(&project, parts(), limit),
        previous,
        recorded,
    }))
}

fn parts() -> Vec<Look<Facts>> {
    vec![
        part("comments", comments, |facts, found| {
            facts.comments = facts.unpack("comments", found);
        }),
        part("git", git, |facts, found| facts.git = found),
        part("tasks", plan, |facts, found| {
            facts.plan = facts.unpack("tasks", found);
        }),
        part("test reports", all_reports, |facts, found| {
            facts.reports = facts.unpack("test reports", found);
        }),
        part("servers", servers, |facts, found| facts.servers = found),
        part("manifests", manifest, |facts, found| facts.manifest = found),
        part("dependencies", dependencies, |facts, found| {
            facts.dependencies = found;
        }),
        part("build", build, |facts, found| facts.build = found),
    ]
}

fn all_reports(project: &Project) -> PartResult<Finding<Vec<Sourced<SuiteFacts>>>> {
    reports(project, None)
}

/// The error is a sentence for the user.
type PartResult<T> = std::result::Result<T, String>;

fn part<T: Send + 'static>(
    name: &'static str,
    find: fn(&Project) -> PartResult<T>,
    put: fn(&mut Facts, T),
) -> Look<Facts> {
    look(name, find, move |facts: &mut Facts, found| match found {
        Ok(found) => put(facts, found),
        Err(reason) => facts.leave_out(name, reason),
    })
}

fn run(project: &Project, parts: Vec<Look<Facts>>, limit: Duration) -> Facts {
    let mut facts = Facts::default();
    for name in side_by_side(project, parts, &mut facts) {
        let reason = format!("not done within {} s", limit.as_secs_f32());
        facts.leave_out(name, reason);
    }
    facts
}

type Update<S> = Box<dyn FnOnce(&mut S) + Send>;

/// The name of a part, and what looks at it and returns what that changes.
pub(crate) type Look<S> = (&'static str, Box<dyn FnOnce(&Project) -> Update<S> + Send>);

pub(crate) fn look<S, T: Send + 'static>(
    name: &'static str,
    find: impl FnOnce(&Project) -> T + Send + 'static,
    put: impl FnOnce(&mut S, T) + Send + 'static,
) -> Look<S> {
    let look = move |project: &Project| -> Update<S> {
        let found = find(project);
        Box::new(move |all| put(all, found))
    };
    (name, Box::new(look))
}

/// Puts what each look found until the deadline into `all`, in their order, and returns those that are late. Their threads
/// are not waited for: each ends when it next looks at its deadline.
pub(crate) fn side_by_side<S: 'static>(
    project: &Project,
    looks: Vec<Look<S>>,
    all: &mut S,
) -> Vec<&'static str> {
    let (sender, results) = sync_channel(looks.len());
    let mut found = Vec::new();
    for (at, (name, look)) in looks.into_iter().enumerate() {
        found.push((name, None));
        let (project, sender) = (project.clone(), sender.clone());
        let work = move || {
            let _ = sender.send((at, look(&project)));
        };
        // A part without a thread is late.
        let thread = std::thread::Builder::new().name(format!("memory {name}"));
        let _ = thread.spawn(work);
    }
    drop(sender);
    let left = || project.deadline.saturating_duration_since(Instant::now());
    while let Ok((at, update)) = results.recv_timeout(left()) {
        found[at].1 = Some(update);
    }
    let mut late = Vec::new();
    for (name, update) in found {
        match update {
            Some(update) => update(all),
            None => late.push(name),
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_that_fails_or_is_late_leaves_only_its_part_out() {
        let folder = tempfile::tempdir().unwrap();
        let limit = Duration::from_secs(1);
        let project = Project::find(folder.path(), Instant::now() + limit).unwrap();
        // The one that is late waits until the test ends.
        let (_keep, held) = sync_channel::<()>(0);
        let late = move |_: &Project| held.recv();
        let failing = |_: &Project| Err("the disk is on fire".to_owned());
        let parts = vec![
            look("late", late, |_: &mut Facts, _| ()),
            part("failing", failing, |_, ()| ()),
            part("panicking", |_| panic!("a bug"), |_, ()| ()),
            part("git", git, |facts, found| facts.git = found),
        ];
        let facts = run(&project, parts, limit);
        let warnings = facts.warnings();
        assert_eq!(facts.git.value.branch, "unknown");
        let expected = [
            "failing: left out: the disk is on fire",
            "late: left out: not done within 1 s",
            "panicking: left out: not done within 1 s",
        ];
        assert_eq!(warnings, expected);
    }
}
