//! Checks the facts of a memory at the moment it is read.

use crate::collect::{Now, OWN_LIST, TaskState, Wanted};
use crate::error::Result;
use crate::file::Parsed;
use crate::model::{clip, since};
use ccd_protocol::memory::{MemoryCheck, ServerInfo, ServerStatus, TestSuite};
use ccd_text::redact::redact;
use std::path::Path;
use std::time::{Duration, Instant};

/// Commits that are counted.
const MAX_COMMITS: usize = 1000;
/// Time that it takes at most for a caller who can wait.
pub const VERIFY_LIMIT: Duration = Duration::from_millis(200);

/// What was looked at again.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    pub checks: Vec<MemoryCheck>,
    /// What was not known at the deadline: `branch`, `commits`, `servers`, `tasks`, `tests`.
    pub late: Vec<&'static str>,
}

/// Returns the facts that can be looked at quickly, and whether they still hold: branch, commits, servers, the plan
/// and its current task, new reports of tests. What is not known at the deadline is named instead.
///
/// # Errors
///
/// `NoProject`.
pub fn verify(directory: &Path, parsed: &Parsed, deadline: Instant) -> Result<Verified> {
    let commit = saved_commit(parsed).map(|commit| (commit.to_owned(), MAX_COMMITS));
    let wanted = Wanted {
        commit,
        servers: running(parsed).next().is_some(),
        plan: !parsed.memory.task_status.source_file.is_empty(),
        reports_since: since(&parsed.memory.metadata.generated_at),
    };
    let now = Now::of(directory, wanted, deadline)?;
    let mut checks = Vec::new();
    checks.extend(branch(&now, &parsed.memory.metadata.branch));
    checks.extend(commits(&now));
    checks.extend(servers(&now, parsed));
    checks.extend(plan(&now, parsed));
    let tests = &parsed.memory.test_results;
    checks.extend(results(&now, false, "unit tests", &tests.unit));
    checks.extend(results(&now, true, "e2e tests", &tests.e2e));
    Ok(Verified {
        checks,
        late: now.late,
    })
}

fn check(fact: String, holds: bool, was: &str, now: &str) -> MemoryCheck {
    MemoryCheck {
        fact,
        holds,
        was: was.to_owned(),
        now: now.to_owned(),
    }
}

fn branch(now: &Now, was: &str) -> Option<MemoryCheck> {
    // The memory has it without secrets too.
    let now = &*redact(now.branch.as_deref()?).text;
    let fact = match now == was {
        true => format!("the branch is still {now}"),
        false => format!("the branch is now {now}, not {was}"),
    };
    Some(check(fact, now == was, was, now))
}

/// The commit of the last save is in the source of the branch.
fn saved_commit(parsed: &Parsed) -> Option<&str> {
    let source = &parsed.notes.provenance.get("metadata.branch")?.source;
    source.strip_prefix("git ")
}

fn commits(now: &Now) -> Option<MemoryCheck> {
    let number = now.commits?;
    let fact = match number {
        0 => "no commit since".to_owned(),
        1 => "1 commit since".to_owned(),
        MAX_COMMITS => format!("{MAX_COMMITS} or more commits since"),
        number => format!("{number} commits since"),
    };
    Some(check(fact, number == 0, "0", &number.to_string()))
}

fn running(parsed: &Parsed) -> impl Iterator<Item = &ServerInfo> {
    let servers = parsed.memory.environment.servers.iter();
    servers.filter(|server| server.status == ServerStatus::Running)
}

fn servers(now: &Now, parsed: &Parsed) -> Vec<MemoryCheck> {
    let Some(listening) = &now.ports else {
        return Vec::new();
    };
    let check = |server: &ServerInfo| {
        let port = server.port;
        let (fact, now) = match listening.contains(&port) {
            true => ("still answers", "running"),
            false => ("no longer answers", "stopped"),
        };
        let holds = now == "running";
        check(format!("port {port} {fact}"), holds, "running", now)
    };
    running(parsed).map(check).collect()
}

/// Looks for the plan, and for the current task in it. A task of Claude Code's own list is in no plan.
fn plan(now: &Now, parsed: &Parsed) -> Option<MemoryCheck> {
    const NAME_CHARS: usize = 80;
    let status = &parsed.memory.task_status;
    let was = &*status.source_file;
    let plan = match now.plan()? {
        Ok(plan) => plan,
        Err(Some(reason)) => return Some(check(redact(reason).text.into_owned(), false, was, "")),
        Err(None) => return Some(check(format!("{was} is gone"), false, was, "")),
    };
    if plan != was {
        let fact = format!("the plan is now {plan}, not {was}");
        return Some(check(fact, false, was, &plan));
    }
    let task = status.current_task.as_ref();
    let task = task.filter(|task| task.phase != OWN_LIST)?;
    let name = match task.id.is_empty() {
        true => clip(&task.title, NAME_CHARS),
        false => task.id.clone(),
    };
    let (fact, now) = match now.state(task) {
        TaskState::Open => (format!("{name} is still open"), "open"),
        TaskState::Done => (format!("{name} is now done"), "done"),
        TaskState::Gone => (format!("{name} is no longer in {plan}"), "gone"),
    };
    Some(check(fact, now == "open", "open", now))
}

fn results(now: &Now, is_e2e: bool, name: &str, saved: &TestSuite) -> Option<MemoryCheck> {
    let (suite, report) = now.results(is_e2e)?;
    let counts = |suite: &TestSuite| format!("{} failed, {} passed", suite.failed, suite.passed);
    let fact = format!("{name} ran again: {}, from {report}", counts(suite));
    Some(check(fact, false, &counts(saved), &counts(suite)))
}
