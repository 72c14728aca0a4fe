//! A session memory as a page.

use super::Printer;
use super::clean::on_one_line;
use super::short::age;
use crate::fields::Fields as _;
use ccd_base::clock;
use ccd_protocol::memory::{
    BlockerEntry, BuildState, DependencyState, MemoryGetReply, Priority, ServerStatus, TestStatus,
    TestSuite,
};
use serde_json::Value;
use std::io;
use std::time::{Duration, SystemTime};

/// Writes a memory with the source and the age of each part.
pub(crate) fn memory(reply: &MemoryGetReply, out: &mut Printer<'_>) -> io::Result<()> {
    let memory = &reply.memory;
    let (about, summary) = (&memory.metadata, &memory.summary);
    if summary.project_description == "No session data" {
        return lines(out, ["No session data".to_owned()]);
    }
    let from = |part| from(reply, part);
    let branch = match &*about.branch {
        "unknown" => String::new(),
        branch => format!(" on {branch}"),
    };
    let saved = ago(&about.generated_at);
    let mut page = vec![
        format!("{}{branch}, saved {saved}", about.project_name),
        summary.project_description.clone(),
    ];
    page.extend(reply.recent.iter().map(|recent| {
        let at = recent.at.as_deref().map(|at| format!(", {}", ago(at)));
        let (label, at) = (recent.kind.label(), at.unwrap_or_default());
        format!("{label}{at}: {}", recent.text)
    }));
    let tasks = from("taskStatus");
    page.push(format!("tasks: {}{tasks}", summary.completion_status));
    page.push(format!("phase: {}", summary.current_phase));
    let current = memory.task_status.current_task.iter();
    page.extend(current.map(|task| format!("current: {} {}", task.id, task.title)));
    let results = &memory.test_results;
    page.extend(suite("tests", &results.unit, &from("testResults.unit")));
    page.extend(suite("e2e tests", &results.e2e, &from("testResults.e2e")));
    page.extend(environment(reply));
    let is_urgent = |blocker: &&BlockerEntry| blocker.priority == Priority::High;
    let urgent: Vec<_> = memory.blockers.iter().filter(is_urgent).take(10).collect();
    let blocker = |one: &&BlockerEntry| format!("blocker: {} ({})", one.title, one.description);
    page.extend(urgent.iter().map(blocker));
    let others = memory.blockers.len() - urgent.len();
    page.extend((others > 0).then(|| format!("blockers: {others} more")));
    page.extend(
        memory
            .next_steps
            .iter()
            .map(|step| format!("next: {}", step.action)),
    );
    page.extend(
        reply
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    lines(out, page)
}

fn suite(name: &str, suite: &TestSuite, from: &str) -> Option<String> {
    let (failed, passed) = (suite.failed, suite.passed);
    match suite.status {
        TestStatus::NotRun => None,
        TestStatus::Passed => Some(format!("{name}: {passed} passed{from}")),
        TestStatus::Failed => Some(format!("{name}: {failed} failed, {passed} passed{from}")),
    }
}

fn environment(reply: &MemoryGetReply) -> Vec<String> {
    let environment = &reply.memory.environment;
    let servers = environment.servers.iter().map(|server| {
        let what = match server.status {
            ServerStatus::Running => "server",
            ServerStatus::Stopped => "stopped server",
        };
        let from = from(reply, "environment.servers");
        format!("{what}: {} on {}{from}", server.process, server.url)
    });
    let mut page: Vec<String> = servers.collect();
    let dependencies = match environment.dependencies.status {
        DependencyState::UpToDate => Some("up to date"),
        DependencyState::Outdated => Some("outdated"),
        DependencyState::Unknown => None,
    };
    let build = match environment.build.status {
        BuildState::Success => Some("built"),
        BuildState::Failed => Some("fails"),
        BuildState::NotRun => None,
    };
    for (name, state) in [("dependencies", dependencies), ("build", build)] {
        let from = from(reply, &format!("environment.{name}"));
        page.extend(state.map(|state| format!("{name}: {state}{from}")));
    }
    page
}

/// Writes lines. Texts of the project, such as names and titles, may have control characters and line ends.
fn lines(out: &mut Printer<'_>, page: impl IntoIterator<Item = String>) -> io::Result<()> {
    page.into_iter()
        .try_for_each(|line| writeln!(out, "{}", on_one_line(&line)))
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

pub(crate) fn memory_status(reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let saved = || {
        format!(
            "{}, saved {}",
            reply.text("path"),
            ago(reply.text("generated_at"))
        )
    };
    let mut page = Vec::from_iter(reply.has("has_data").then(saved));
    if !reply.has("changes") {
        page.push("no change found since".to_owned());
    }
    let changes = reply.list("changes").iter().filter_map(Value::as_str);
    page.extend(changes.map(str::to_owned));
    lines(out, page)
}
