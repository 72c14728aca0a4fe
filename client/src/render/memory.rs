//! A session memory as a page.

use super::Printer;
use super::clean::on_one_line;
use super::short::age;
use ccd_base::clock;
use ccd_protocol::memory::{
    BlockerEntry, BuildState, DependencyState, MemoryGetReply, MemorySaveReply, MemoryStatusReply,
    Priority, ServerStatus, TestStatus, TestSuite,
};
use std::io;
use std::time::{Duration, SystemTime};

/// Writes a memory with the source and the age of each part.
pub(crate) fn memory(reply: &MemoryGetReply, out: &mut Printer<'_>) -> io::Result<()> {
    let memory = &reply.memory;
    let (about, summary, tasks) = (&memory.metadata, &memory.summary, &memory.task_status);
    if summary.project_description == "No session data" {
        return line(out, "No session data");
    }
    let branch = match &*about.branch {
        "unknown" => String::new(),
        branch => format!(" on {branch}"),
    };
    let saved = ago(&about.generated_at);
    line(
        out,
        &format!("{}{branch}, saved {saved}", about.project_name),
    )?;
    line(out, &summary.project_description)?;
    for recent in &reply.recent {
        let at = recent.at.as_deref().map(|at| format!(", {}", ago(at)));
        let (label, at) = (recent.kind.label(), at.unwrap_or_default());
        line(out, &format!("{label}{at}: {}", recent.text))?;
    }
    let from = |part| from(reply, part);
    line(
        out,
        &format!("tasks: {}{}", summary.completion_status, from("taskStatus")),
    )?;
    line(out, &format!("phase: {}", summary.current_phase))?;
    if let Some(task) = &tasks.current_task {
        line(out, &format!("current: {} {}", task.id, task.title))?;
    }
    let results = &memory.test_results;
    suite("tests", &results.unit, &from("testResults.unit"), out)?;
    suite("e2e tests", &results.e2e, &from("testResults.e2e"), out)?;
    environment(reply, out)?;
    let is_urgent = |blocker: &&BlockerEntry| blocker.priority == Priority::High;
    let urgent = memory.blockers.iter().filter(is_urgent);
    for blocker in urgent.clone().take(10) {
        line(
            out,
            &format!("blocker: {} ({})", blocker.title, blocker.description),
        )?;
    }
    let others = memory.blockers.len() - urgent.count().min(10);
    if others > 0 {
        line(out, &format!("blockers: {others} more"))?;
    }
    for step in &memory.next_steps {
        line(out, &format!("next: {}", step.action))?;
    }
    for warning in &reply.warnings {
        line(out, &format!("warning: {warning}"))?;
    }
    Ok(())
}

fn suite(name: &str, suite: &TestSuite, from: &str, out: &mut Printer<'_>) -> io::Result<()> {
    let (failed, passed) = (suite.failed, suite.passed);
    match suite.status {
        TestStatus::NotRun => Ok(()),
        TestStatus::Passed => line(out, &format!("{name}: {passed} passed{from}")),
        TestStatus::Failed => line(
            out,
            &format!("{name}: {failed} failed, {passed} passed{from}"),
        ),
    }
}

fn environment(reply: &MemoryGetReply, out: &mut Printer<'_>) -> io::Result<()> {
    let environment = &reply.memory.environment;
    for server in &environment.servers {
        let what = match server.status {
            ServerStatus::Running => "server",
            ServerStatus::Stopped => "stopped server",
        };
        let from = from(reply, "environment.servers");
        line(
            out,
            &format!("{what}: {} on {}{from}", server.process, server.url),
        )?;
    }
    let dependencies = match environment.dependencies.status {
        DependencyState::UpToDate => Some("up to date"),
        DependencyState::Outdated => Some("outdated"),
        DependencyState::Unknown => None,
    };
    if let Some(state) = dependencies {
        let from = from(reply, "environment.dependencies");
        line(out, &format!("dependencies: {state}{from}"))?;
    }
    let build = match environment.build.status {
        BuildState::Success => "built",
        BuildState::Failed => "fails",
        BuildState::NotRun => return Ok(()),
    };
    line(
        out,
        &format!("build: {build}{}", from(reply, "environment.build")),
    )
}

/// Writes a line. Texts of the project, such as names and titles, may have control characters and line ends.
fn line(out: &mut Printer<'_>, text: &str) -> io::Result<()> {
    writeln!(out, "{}", on_one_line(text))
}

/// Returns `, from SOURCE, AGE ago` for a part, as far as it is known.
fn from(reply: &MemoryGetReply, part: &str) -> String {
    let Some(fact) = reply.provenance.get(part) else {
        return String::new();
    };
    match &fact.at {
        Some(at) => format!(", from {}, {}", fact.source, ago(at)),
        None => format!(", from {}", fact.source),
    }
}

fn ago(time: &str) -> String {
    match time {
        "unknown" => "at an unknown time".to_owned(),
        time if is_future(time) => format!("in the future, at {time}: check the clock"),
        time => format!("{} ago", age(time, SystemTime::now())),
    }
}

fn is_future(time: &str) -> bool {
    // Clocks may differ slightly.
    let soon = SystemTime::now() + Duration::from_secs(60);
    clock::parse(time).is_some_and(|time| time > soon)
}

pub(crate) fn memory_saved(reply: &MemorySaveReply, out: &mut Printer<'_>) -> io::Result<()> {
    line(out, &format!("{} ({} bytes)", reply.path, reply.bytes))?;
    if reply.redacted > 0 {
        line(out, &format!("secrets removed: {}", reply.redacted))?;
    }
    let mut cut = reply.cut.iter();
    cut.try_for_each(|(field, number)| line(out, &format!("left out: {number} of {field}")))
}

pub(crate) fn memory_status(reply: &MemoryStatusReply, out: &mut Printer<'_>) -> io::Result<()> {
    if reply.has_data {
        line(
            out,
            &format!("{}, saved {}", reply.path, ago(&reply.generated_at)),
        )?;
    }
    if reply.changes.is_empty() {
        return line(out, "no change found since");
    }
    let mut changes = reply.changes.iter();
    changes.try_for_each(|change| line(out, change))
}
