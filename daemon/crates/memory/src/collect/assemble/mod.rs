//! Makes a memory of the facts.

mod blockers;
mod files;
mod steps;
mod summary;
mod tasks;
mod tests;

pub(crate) use steps::name as task_name;
pub(crate) use summary::DESCRIBE;

use super::facts::{Collected, Facts, Sourced};
use super::project::Project;
use super::recorded::Recorded;
use super::tasks::Plan;
use crate::model::{Notes, Provenance};
use ccd_protocol::memory::{
    BuildStatus, EnvironmentState, MemoryFact, ServerInfo, ServerStatus, SessionMemory,
    SessionMetadata, TaskStatus,
};
use time::OffsetDateTime;

/// Version of the format that is written.
const VERSION: &str = "1.0";

pub(super) fn assemble(
    project: &Project,
    mut facts: Facts,
    previous: Option<&SessionMemory>,
    recorded: &Recorded,
) -> Collected {
    let redacted = facts.redact();
    let now = super::facts::rfc3339(OffsetDateTime::now_utc());
    let mut provenance = Provenance::new();
    let tasks = tasks::status(&facts, recorded, &mut provenance);
    let tests = tests::results(project, &facts, recorded, &mut provenance);
    let environment = environment(&facts, previous, recorded, &mut provenance);
    let blockers = blockers::blockers(
        project,
        &facts,
        &tasks,
        &tests,
        &environment.build,
        previous,
        &now,
    );
    let files = files::files(&facts, &tests);
    let next_steps = steps::steps(&facts, &tasks, &tests, &blockers);
    let blockers: Vec<_> = blockers.into_iter().map(|blocker| blocker.entry).collect();
    let manifest = &facts.manifest;
    let project_name = manifest.name.clone().unwrap_or_else(|| project.name());
    let git = facts.git.as_ref();
    if let Some(git) = git {
        provenance.insert("metadata.branch".to_owned(), git.fact());
    }
    let source = manifest
        .source
        .clone()
        .unwrap_or_else(|| "name of the directory".to_owned());
    provenance.insert(
        "metadata.projectName".to_owned(),
        MemoryFact { source, at: None },
    );
    let summary = summary::summary(
        &project_name,
        manifest,
        &facts,
        &tasks,
        &blockers,
        &next_steps,
    );
    let metadata = SessionMetadata {
        session_duration: previous.and_then(|memory| duration(&memory.metadata.generated_at, &now)),
        project_name,
        generated_at: now,
        branch: git.map_or_else(|| "unknown".to_owned(), |git| git.value.branch.clone()),
        version: VERSION.to_owned(),
    };
    let memory = SessionMemory {
        metadata,
        summary,
        task_status: tasks,
        blockers,
        test_results: tests,
        environment,
        files_needing_attention: files,
        next_steps,
    };
    Collected {
        memory,
        notes: Notes {
            provenance,
            warnings: facts.warnings(),
        },
        redacted,
    }
}

/// Where a plan stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    pub(crate) tasks: TaskStatus,
    pub(crate) completion: String,
    pub(crate) phase: String,
}

/// Returns where a plan stands, as a memory of now would say it.
pub(super) fn progress(plan: &Plan, source: &str) -> Progress {
    let mut tasks = tasks::of_plan(plan, source);
    tasks.next_tasks = tasks::next(&plan.open, tasks.current_task.as_ref());
    Progress {
        completion: summary::completion(plan.completed(), plan.total()),
        phase: summary::phase(&tasks.phases),
        tasks,
    }
}

fn environment(
    facts: &Facts,
    previous: Option<&SessionMemory>,
    recorded: &Recorded,
    provenance: &mut Provenance,
) -> EnvironmentState {
    let mut fact = |name: &str, fact: MemoryFact| {
        provenance.insert(format!("environment.{name}"), fact);
    };
    let mut servers = Vec::new();
    if let Some(found) = &facts.servers {
        fact("servers", found.fact());
        servers.clone_from(&found.value);
        servers.extend(stopped(previous, &servers));
        servers.sort_by_key(|server| server.port);
    }
    let dependencies = facts.dependencies.clone().unwrap_or_default();
    if facts.dependencies.is_some() {
        fact("dependencies", dependencies.fact());
    }
    let built = facts.build.clone().unwrap_or_default();
    let failed = recorded
        .failed_build()
        .filter(|failed| failed.at >= built.at);
    let build = match failed {
        Some(failed) => Sourced {
            value: BuildStatus {
                output_dir: built.value.output_dir,
                ..failed.value
            },
            ..failed
        },
        None => built,
    };
    if facts.build.is_some() {
        fact("build", build.fact());
    }
    EnvironmentState {
        servers,
        dependencies: dependencies.value,
        build: build.value,
    }
}

/// Servers that ran at the last save and of whose ports nothing listens now.
fn stopped(previous: Option<&SessionMemory>, running: &[ServerInfo]) -> Vec<ServerInfo> {
    let before = previous.map_or(&[][..], |memory| &memory.environment.servers);
    let is_gone = |server: &&ServerInfo| {
        server.status == ServerStatus::Running
            && running.iter().all(|other| other.port != server.port)
    };
    let stop = |server: &ServerInfo| ServerInfo {
        status: ServerStatus::Stopped,
        pid: None,
        ..server.clone()
    };
    before.iter().filter(is_gone).map(stop).collect()
}

/// Returns the time between two times as `2h 15m`; nothing if the first is later or unknown.
fn duration(from: &str, to: &str) -> Option<String> {
    use time::format_description::well_known::Rfc3339;
    let parse = |text: &str| OffsetDateTime::parse(text, &Rfc3339).ok();
    let minutes = (parse(to)? - parse(from)?).whole_minutes();
    let text = match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        _ if minutes < 0 => return None,
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, minutes) => format!("{hours}h {minutes}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    };
    Some(text)
}
