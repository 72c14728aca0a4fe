//! A session memory as a page.

use super::clean::on_one_line;
use super::short::age;
use super::style::Style;
use crate::clock;
use ccd_protocol::memory::{
    BuildState, DependencyState, MemoryGetReply, MemorySaveReply, MemoryStatusReply, Priority,
    ServerStatus, TestStatus, TestSuite,
};
use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

/// Writes a memory with the source and the age of each part.
pub(crate) fn memory(reply: &MemoryGetReply, out: &mut dyn Write, _style: Style) -> io::Result<()> {
    let memory = &reply.memory;
    let (about, summary, tasks) = (&memory.metadata, &memory.summary, &memory.task_status);
    if summary.project_description == "No session data" {
        return line(out, format_args!("No session data"));
    }
    line(
        out,
        format_args!(
            "{}{}, saved {}",
            about.project_name,
            match &*about.branch {
                "unknown" => String::new(),
                branch => format!(" on {branch}"),
            },
            ago(&about.generated_at)
        ),
    )?;
    line(out, format_args!("{}", summary.project_description))?;
    for recent in &reply.recent {
        let at = recent.at.as_deref().map(|at| format!(", {}", ago(at)));
        let (label, at) = (recent.kind.label(), at.unwrap_or_default());
        line(out, format_args!("{label}{at}: {}", recent.text))?;
    }
    line(
        out,
        format_args!(
            "tasks: {}{}",
            summary.completion_status,
            from(reply, "taskStatus")
        ),
    )?;
    line(out, format_args!("phase: {}", summary.current_phase))?;
    if let Some(task) = &tasks.current_task {
        line(out, format_args!("current: {} {}", task.id, task.title))?;
    }
    suite(
        "tests",
        &memory.test_results.unit,
        &from(reply, "testResults.unit"),
        out,
    )?;
    suite(
        "e2e tests",
        &memory.test_results.e2e,
        &from(reply, "testResults.e2e"),
        out,
    )?;
    environment(reply, out)?;
    let urgent = memory
        .blockers
        .iter()
        .filter(|blocker| blocker.priority == Priority::High);
    for blocker in urgent.clone().take(10) {
        line(
            out,
            format_args!("blocker: {} ({})", blocker.title, blocker.description),
        )?;
    }
    let others = memory.blockers.len() - urgent.count().min(10);
    if others > 0 {
        line(out, format_args!("blockers: {others} more"))?;
    }
    for step in &memory.next_steps {
        line(out, format_args!("next: {}", step.action))?;
    }
    for warning in &reply.warnings {
        line(out, format_args!("warning: {warning}"))?;
    }
    Ok(())
}

fn suite(name: &str, suite: &TestSuite, from: &str, out: &mut dyn Write) -> io::Result<()> {
    match suite.status {
        TestStatus::NotRun => Ok(()),
        TestStatus::Passed => line(out, format_args!("{name}: {} passed{from}", suite.passed)),
        TestStatus::Failed => line(
            out,
            format_args!(
                "{name}: {} failed, {} passed{from}",
                suite.failed, suite.passed
            ),
        ),
    }
}

fn environment(reply: &MemoryGetReply, out: &mut dyn Write) -> io::Result<()> {
    let environment = &reply.memory.environment;
    for server in &environment.servers {
        line(
            out,
            format_args!(
                "{}: {} on {}{}",
                match server.status {
                    ServerStatus::Running => "server",
                    ServerStatus::Stopped => "stopped server",
                },
                server.process,
                server.url,
                from(reply, "environment.servers")
            ),
        )?;
    }
    let dependencies = match environment.dependencies.status {
        DependencyState::UpToDate => Some("up to date"),
        DependencyState::Outdated => Some("outdated"),
        DependencyState::Unknown => None,
    };
    if let Some(state) = dependencies {
        line(
            out,
            format_args!(
                "dependencies: {state}{}",
                from(reply, "environment.dependencies")
            ),
        )?;
    }
    let build = match environment.build.status {
        BuildState::Success => "built",
        BuildState::Failed => "fails",
        BuildState::NotRun => return Ok(()),
    };
    line(
        out,
        format_args!("build: {build}{}", from(reply, "environment.build")),
    )
}

/// Writes a line. Texts of the project, such as names and titles, may have control characters and line ends.
fn line(out: &mut dyn Write, text: fmt::Arguments<'_>) -> io::Result<()> {
    writeln!(out, "{}", on_one_line(&text.to_string()))
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

pub(crate) fn memory_saved(reply: &MemorySaveReply, out: &mut dyn Write) -> io::Result<()> {
    line(out, format_args!("{} ({} bytes)", reply.path, reply.bytes))?;
    if reply.redacted > 0 {
        line(out, format_args!("secrets removed: {}", reply.redacted))?;
    }
    for (field, number) in &reply.cut {
        line(out, format_args!("left out: {number} of {field}"))?;
    }
    Ok(())
}

pub(crate) fn memory_status(reply: &MemoryStatusReply, out: &mut dyn Write) -> io::Result<()> {
    if reply.has_data {
        let saved = ago(&reply.generated_at);
        line(out, format_args!("{}, saved {saved}", reply.path))?;
    }
    if reply.changes.is_empty() {
        line(out, format_args!("no change found since"))
    } else {
        reply
            .changes
            .iter()
            .try_for_each(|change| line(out, format_args!("{change}")))
    }
}
