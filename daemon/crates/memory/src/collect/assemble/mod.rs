//! Makes a memory of the facts.

mod blockers;
mod steps;
mod summary;
mod tasks;
mod tests;

pub(crate) use blockers::{is_in, place};
pub(crate) use summary::DESCRIBE;

use super::facts::{Collected, Facts, Manifest, Plan, Sourced, stamp};
use super::project::Project;
use super::recorded::Recorded;
use crate::model::{Notes, Provenance, since};
use ccd_protocol::memory::{
    BuildState, BuildStatus, EnvironmentState, ServerInfo, ServerStatus, SessionMemory,
    SessionMetadata, TaskReference,
};
use std::time::SystemTime;

const VERSION: &str = "1.0";

/// What is known of a project. `previous` is the memory of the last save.
pub(super) struct KnownProject<'a> {
    pub(super) project: &'a Project,
    pub(super) facts: Facts,
    pub(super) previous: Option<&'a SessionMemory>,
    pub(super) recorded: &'a Recorded,
}

pub(super) fn assemble(mut known: KnownProject<'_>) -> Collected {
    let redacted = known.facts.redact();
    let mut provenance = Provenance::new();
    let mut memory = SessionMemory {
        metadata: metadata(&known, &mut provenance),
        task_status: tasks::status(&known, &mut provenance),
        test_results: tests::results(&known, &mut provenance),
        environment: environment(&known, &mut provenance),
        ..SessionMemory::default()
    };
    let blockers = blockers::blockers(&known, &memory);
    memory.files_needing_attention = blockers::files(&blockers);
    memory.next_steps = steps::steps(&known.facts, &memory, &blockers);
    memory.blockers = blockers.into_iter().map(|one| one.entry).collect();
    memory.summary = summary::summary(&known.facts, &memory);
    let notes = Notes {
        provenance,
        warnings: known.facts.warnings(),
    };
    Collected {
        memory,
        notes,
        redacted,
    }
}

fn metadata(known: &KnownProject<'_>, provenance: &mut Provenance) -> SessionMetadata {
    let now = stamp(SystemTime::now());
    let Manifest { name, source, .. } = &known.facts.manifest;
    let name = name.clone().unwrap_or_else(|| known.project.name());
    let source = source.as_deref().unwrap_or("name of the directory");
    let name = Sourced::new(name, source, None);
    let before = known.previous.map(|memory| &memory.metadata.generated_at);
    SessionMetadata {
        session_duration: before.and_then(|before| duration(before, &now)),
        project_name: noted(provenance, "metadata.projectName", &name).clone(),
        generated_at: now,
        branch: match &*noted(provenance, "metadata.branch", &known.facts.git).branch {
            "" => "unknown".to_owned(),
            branch => branch.to_owned(),
        },
        version: VERSION.to_owned(),
    }
}

/// Puts where a plan stands into a memory without its steps, as a save would, with the current task if that is of no plan.
pub(crate) fn put_plan(
    memory: &mut SessionMemory,
    plan: &Sourced<Plan>,
    current: Option<TaskReference>,
) {
    let mut tasks = tasks::of_plan(plan);
    tasks.current_task = current.or(tasks.current_task);
    let planned = steps::planned(&plan.value, &tasks);
    memory.next_steps.extend(planned);
    memory.next_steps.sort_by_key(|step| step.priority);
    let summary = &mut memory.summary;
    let next = memory.next_steps.first();
    if let Some(next) = next.filter(|_| summary.next_action.is_empty()) {
        summary.next_action.clone_from(&next.action);
    }
    summary.completion_status = summary::completion(&plan.value);
    summary.current_phase = summary::phase(&tasks.phases);
    memory.task_status = tasks;
}

/// Returns the value of a fact, whose source goes into the provenance.
fn noted<'f, T>(provenance: &mut Provenance, part: &str, found: &'f Sourced<T>) -> &'f T {
    if !found.source.is_empty() {
        provenance.insert(part.to_owned(), found.fact());
    }
    &found.value
}

fn environment(known: &KnownProject<'_>, provenance: &mut Provenance) -> EnvironmentState {
    let facts = &known.facts;
    let mut servers = noted(provenance, "environment.servers", &facts.servers).clone();
    if !facts.servers.source.is_empty() {
        servers.extend(stopped(known.previous, &servers));
        servers.sort_by_key(|server| server.port);
    }
    let built = &facts.build;
    let is_newer = |build: &Sourced<BuildStatus>| build.at >= built.at;
    let failed = known.recorded.build().filter(is_newer);
    let failed = failed.filter(|build| build.value.status == BuildState::Failed);
    let last = failed.as_ref().unwrap_or(built);
    let mut build = noted(provenance, "environment.build", last).clone();
    build.output_dir.clone_from(&built.value.output_dir);
    EnvironmentState {
        servers,
        dependencies: noted(provenance, "environment.dependencies", &facts.dependencies).clone(),
        build,
    }
}

/// Servers that ran at the last save and of whose ports nothing listens now.
fn stopped(previous: Option<&SessionMemory>, running: &[ServerInfo]) -> Vec<ServerInfo> {
    let before = previous.map(|memory| memory.environment.servers.clone());
    let mut servers = before.unwrap_or_default();
    servers.retain(|server| {
        let is_it = |other: &ServerInfo| other.port == server.port;
        server.status == ServerStatus::Running && !running.iter().any(is_it)
    });
    for server in &mut servers {
        server.status = ServerStatus::Stopped;
        server.pid = None;
    }
    servers
}

/// Returns the time between two times as `2h 15m`; nothing if the first is later or unknown.
fn duration(from: &str, to: &str) -> Option<String> {
    let seconds = since(to)?.duration_since(since(from)?).ok()?.as_secs();
    let minutes = seconds / 60;
    Some(match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, minutes) => format!("{hours}h {minutes}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    })
}
