//! Looks at the parts of a project side by side.

use super::assemble::assemble;
use super::build::BuildCollector;
use super::comments::CommentCollector;
use super::dependencies::DependencyCollector;
use super::facts::{Collected, Facts};
use super::git::GitCollector;
use super::manifest::ManifestCollector;
use super::project::{Collector, Project};
use super::recorded::Recorded;
use super::reports::ReportCollector;
use super::servers::ServerCollector;
use super::tasks::TaskCollector;
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

/// The same with another time for each collector.
pub(super) fn collect_within(
    directory: &Path,
    previous: Option<&SessionMemory>,
    recorded: &Recorded,
    limit: Duration,
) -> Result<Collected> {
    let project = Project::find(directory)?;
    let collectors: Vec<Box<dyn Collector>> = vec![
        Box::new(CommentCollector),
        Box::new(GitCollector),
        Box::new(TaskCollector),
        Box::new(ReportCollector),
        Box::new(ServerCollector),
        Box::new(ManifestCollector),
        Box::new(DependencyCollector),
        Box::new(BuildCollector),
    ];
    let facts = run(&project, collectors, limit);
    Ok(assemble(&project, facts, previous, recorded))
}

pub(super) fn run(
    project: &Project,
    collectors: Vec<Box<dyn Collector>>,
    limit: Duration,
) -> Facts {
    let deadline = Instant::now() + limit;
    let looks = collectors.into_iter().map(|collector| -> Look<_> {
        let name = collector.name();
        let look = move |project: &Project| collector.collect(project, deadline);
        (name, Box::new(look))
    });
    let mut facts = Facts::default();
    for (name, part) in side_by_side(project, looks.collect(), deadline) {
        let late = || Err(format!("not done within {} s", limit.as_secs_f32()));
        match part.unwrap_or_else(late) {
            Ok(part) => facts.take(name, part),
            Err(reason) => facts.leave_out(name, reason),
        }
    }
    facts
}

/// The name of a part, and what looks at it.
pub(crate) type Look<T> = (&'static str, Box<dyn FnOnce(&Project) -> T + Send>);

/// Returns what each look found until the deadline, in their order. A thread that is late is not waited for: it ends when it
/// next looks at its deadline.
pub(crate) fn side_by_side<T: Send + 'static>(
    project: &Project,
    looks: Vec<Look<T>>,
    deadline: Instant,
) -> Vec<(&'static str, Option<T>)> {
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
    let left = || deadline.saturating_duration_since(Instant::now());
    while let Ok((at, part)) = results.recv_timeout(left()) {
        found[at].1 = Some(part);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_late_is_named_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::find(folder.path()).unwrap();
        let (release, held) = sync_channel::<()>(0);
        let slow = move |_: &Project| {
            let _ = held.recv();
            "late"
        };
        let looks: Vec<Look<&str>> =
            vec![("slow", Box::new(slow)), ("quick", Box::new(|_| "found"))];
        let deadline = Instant::now() + Duration::from_secs(1);
        let found = side_by_side(&project, looks, deadline);
        assert_eq!(found, [("slow", None), ("quick", Some("found"))]);
        drop(release);
    }
}
