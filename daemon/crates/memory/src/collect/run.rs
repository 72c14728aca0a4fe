//! Runs the collectors side by side.

use super::assemble::assemble;
use super::build::BuildCollector;
use super::comments::CommentCollector;
use super::dependencies::DependencyCollector;
use super::facts::{Collected, Facts, Part};
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

/// Time that each collector has.
pub const COLLECT_LIMIT: Duration = Duration::from_secs(2);

/// Returns where a project stands. `previous` is the memory of the last save, `recorded` what is known of its runs. A part
/// that fails or is not there in time is left out, with a warning.
///
/// # Errors
///
/// `NoProject`.
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
    let facts = run(&project, all(), limit);
    Ok(assemble(&project, facts, previous, recorded))
}

fn all() -> Vec<Box<dyn Collector>> {
    vec![
        Box::new(CommentCollector),
        Box::new(GitCollector),
        Box::new(TaskCollector),
        Box::new(ReportCollector),
        Box::new(ServerCollector),
        Box::new(ManifestCollector),
        Box::new(DependencyCollector),
        Box::new(BuildCollector),
    ]
}

/// A thread that is late is not waited for: it ends when it next looks at its deadline.
pub(super) fn run(
    project: &Project,
    collectors: Vec<Box<dyn Collector>>,
    limit: Duration,
) -> Facts {
    let deadline = Instant::now() + limit;
    let (sender, results) = sync_channel(collectors.len());
    let mut waiting: Vec<&'static str> = Vec::new();
    let mut facts = Facts::default();
    for collector in collectors {
        let (name, project, sender) = (collector.name(), project.clone(), sender.clone());
        let work = move || {
            let _ = sender.send((name, collector.collect(&project, deadline)));
        };
        let thread = std::thread::Builder::new()
            .name(format!("memory {name}"))
            .spawn(work);
        match thread {
            Ok(_) => waiting.push(name),
            Err(error) => facts.leave_out(name, error.to_string()),
        }
    }
    drop(sender);
    while !waiting.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok((name, result)) = results.recv_timeout(left) else {
            break;
        };
        waiting.retain(|other| *other != name);
        let part: std::result::Result<Part, String> = result;
        match part {
            Ok(part) => facts.take(name, part),
            Err(reason) => facts.leave_out(name, reason),
        }
    }
    for name in waiting {
        facts.leave_out(name, format!("not done within {} s", limit.as_secs_f32()));
    }
    facts
}
