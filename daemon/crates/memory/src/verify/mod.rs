//! Checks the facts of a memory at the moment it is read.

mod blockers;
mod results;
mod tasks;

use crate::collect::{Now, Wanted};
use crate::error::Result;
use crate::file::Parsed;
use crate::model::since;
use ccd_protocol::memory::{
    BlockerEntry, MemoryCheck, MemoryRecent, NextStep, Priority, ServerInfo, ServerStatus,
};
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
    /// What was not known at the deadline: `branch`, `commits`, `servers`, `tasks`, `tests`, `files`, `conflicts`,
    /// `commands`, `uncommitted`, `recent`.
    pub late: Vec<&'static str>,
    /// The memory without what is no longer true, and with what is known instead.
    pub current: Parsed,
    /// What was done last.
    pub recent: Vec<MemoryRecent>,
}

/// Returns the facts that can be looked at quickly, and whether they still hold: branch, commits, servers, the plan
/// and its tasks, new reports of tests, files and conflicts of blockers. What is not known at the deadline is named
/// instead.
///
/// # Errors
///
/// `NoProject`.
pub fn verify(directory: &Path, parsed: &Parsed, deadline: Instant) -> Result<Verified> {
    let memory = &parsed.memory;
    let commit = saved_commit(parsed).map(|commit| (commit.to_owned(), MAX_COMMITS));
    let wanted = Wanted {
        commit,
        servers: !memory.environment.servers.is_empty(),
        plan: !memory.task_status.source_file.is_empty(),
        reports_since: since(&memory.metadata.generated_at),
        paths: blockers::paths(memory),
        conflicts: memory.blockers.iter().any(blockers::is_conflict),
    };
    let now = Now::of(directory, wanted, deadline)?;
    let mut verified = Verified {
        checks: Vec::new(),
        late: now.late.clone(),
        current: parsed.clone(),
        recent: Vec::new(),
    };
    verified.branch(&now, &memory.metadata.branch);
    verified.commits(&now, &memory.metadata.branch);
    verified.servers(&now);
    verified.tasks(&now);
    verified.reports(&now);
    verified.conflicts(&now);
    verified.files(&now);
    Ok(verified)
}

fn check(fact: String, holds: bool, was: &str, now: &str) -> MemoryCheck {
    MemoryCheck {
        fact,
        holds,
        was: was.to_owned(),
        now: now.to_owned(),
    }
}

/// The commit of the last save is in the source of the branch.
fn saved_commit(parsed: &Parsed) -> Option<&str> {
    let source = &parsed.notes.provenance.get("metadata.branch")?.source;
    source.strip_prefix("git ")
}

impl Verified {
    fn add(&mut self, fact: String, holds: bool, was: &str, now: &str) {
        self.checks.push(check(fact, holds, was, now));
    }

    fn branch(&mut self, now: &Now, was: &str) {
        let Some(now) = now.branch.as_deref() else {
            return;
        };
        // The memory has it without secrets too.
        let now = &*redact(now).text;
        let fact = match now == was {
            true => format!("the branch is still {now}"),
            false => format!("the branch is now {now}, not {was}"),
        };
        self.add(fact, now == was, was, now);
    }

    fn commits(&mut self, now: &Now, branch: &str) {
        let Some(since) = now.commits else {
            return;
        };
        let Some(since) = since else {
            let fact = "the commit of the save no longer exists: the history was rewritten";
            return self.add(fact.to_owned(), false, "0", "");
        };
        let number = match since.number {
            0 => "no commit since".to_owned(),
            1 => "1 commit since".to_owned(),
            MAX_COMMITS => format!("{MAX_COMMITS} or more commits since"),
            number => format!("{number} commits since"),
        };
        let is_other = now.branch.as_deref().is_some_and(|now| now != branch);
        let fact = match since.number {
            _ if since.is_descendant => number,
            _ if is_other => "this branch does not have the commit of the save".to_owned(),
            0 => "HEAD has moved back: it no longer has the commit of the save".to_owned(),
            _ => format!(
                "the history was rewritten: it no longer has the commit of the save; {number}"
            ),
        };
        let holds = since.is_descendant && since.number == 0;
        self.add(fact, holds, "0", &since.number.to_string());
    }

    fn servers(&mut self, now: &Now) {
        let Some(listening) = &now.ports else {
            return;
        };
        let servers = &mut self.current.memory.environment.servers;
        for server in servers.iter_mut() {
            let port = server.port;
            let was = server.status;
            let is_open = listening.contains(&port);
            let (fact, now) = match (was, is_open) {
                (ServerStatus::Running, true) => ("still answers", "running"),
                (ServerStatus::Running, false) => ("no longer answers", "stopped"),
                (_, true) => ("answers again", "running"),
                (_, false) => ("still does not answer", "stopped"),
            };
            let was_open = was == ServerStatus::Running;
            let before = if was_open { "running" } else { "stopped" };
            let fact = format!("port {port} {fact}");
            self.checks
                .push(check(fact, was_open == is_open, before, now));
        }
        // A port that was closed may be of another program now.
        let is_known = |server: &ServerInfo| {
            (server.status == ServerStatus::Running) == listening.contains(&server.port)
        };
        servers.retain(is_known);
    }

    /// Removes secrets from what was read anew, as a save does.
    fn redact(&mut self) {
        let memory = std::mem::take(&mut self.current.memory);
        self.current.memory = crate::rules::redact(memory).0;
    }

    /// Leaves out blockers that are none any more, with what was to be done about them.
    fn drop_blockers(&mut self, is_gone: impl Fn(&BlockerEntry) -> bool) {
        let memory = &mut self.current.memory;
        let (gone, left): (Vec<_>, Vec<_>) = memory.blockers.drain(..).partition(is_gone);
        memory.blockers = left;
        if gone.is_empty() {
            return;
        }
        let is_major = |blocker: &BlockerEntry| {
            memory.summary.major_blocker.as_deref() == Some(&*blocker.title)
        };
        if gone.iter().any(is_major) {
            let urgent = |blocker: &&BlockerEntry| blocker.priority == Priority::High;
            let next = memory.blockers.iter().find(urgent);
            memory.summary.major_blocker = next.map(|blocker| blocker.title.clone());
        }
        let left: Vec<String> = memory
            .blockers
            .iter()
            .map(|blocker| blocker.required_action.clone())
            .collect();
        self.drop_steps(|step| {
            let is_of = |blocker: &BlockerEntry| blocker.required_action == step.action;
            gone.iter().any(is_of) && !left.contains(&step.action)
        });
    }

    fn drop_steps(&mut self, is_gone: impl Fn(&NextStep) -> bool) {
        let memory = &mut self.current.memory;
        let before = memory.next_steps.len();
        memory.next_steps.retain(|step| !is_gone(step));
        if memory.next_steps.len() < before {
            let next = memory.next_steps.first();
            memory.summary.next_action = next.map_or_else(String::new, |step| step.action.clone());
        }
    }
}
