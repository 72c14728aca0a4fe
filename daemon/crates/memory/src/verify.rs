//! Checks the facts of a memory at the moment it is read.

use crate::collect::Now;
use crate::error::Result;
use crate::file::Parsed;
use ccd_protocol::memory::{MemoryCheck, ServerStatus};
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
    /// What was not known at the deadline: `branch`, `commits`, `servers`, `tasks`.
    pub late: Vec<&'static str>,
}

/// Returns the facts that can be looked at quickly, and whether they still hold: branch, commits, servers, the current
/// task. What is not known at the deadline is named instead.
///
/// # Errors
///
/// `NoProject`.
pub fn verify(directory: &Path, parsed: &Parsed, deadline: Instant) -> Result<Verified> {
    let commit = saved_commit(parsed).map(|commit| (commit, MAX_COMMITS));
    let now = Now::of(directory, commit, deadline)?;
    let mut checks = Vec::new();
    checks.extend(branch(&now, &parsed.memory.metadata.branch));
    checks.extend(commits(&now));
    checks.extend(servers(&now, parsed));
    let current = parsed.memory.task_status.current_task.as_ref();
    checks.extend(current.and_then(|task| {
        let is_open = now.is_open(&task.id)?;
        let fact = if is_open {
            "is still open"
        } else {
            "is now done"
        };
        Some(check(
            format!("{} {fact}", task.id),
            is_open,
            "open",
            if is_open { "open" } else { "done" },
        ))
    }));
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
    let now = now.branch.as_deref()?;
    let fact = match now == was {
        true => format!("the branch is still {now}"),
        false => format!("the branch is now {now}, not {was}"),
    };
    Some(check(fact, now == was, was, now))
}

/// The commit of the last save is in the source of the branch.
fn saved_commit(parsed: &Parsed) -> Option<&str> {
    let source = &parsed.provenance.get("metadata.branch")?.source;
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

fn servers(now: &Now, parsed: &Parsed) -> Vec<MemoryCheck> {
    let Some(listening) = &now.ports else {
        return Vec::new();
    };
    let before = parsed.memory.environment.servers.iter();
    let before = before.filter(|server| server.status == ServerStatus::Running);
    let check = |server: &ccd_protocol::memory::ServerInfo| {
        let port = server.port;
        match listening.contains(&port) {
            true => check(
                format!("port {port} still answers"),
                true,
                "running",
                "running",
            ),
            false => check(
                format!("port {port} no longer answers"),
                false,
                "running",
                "stopped",
            ),
        }
    };
    before.map(check).collect()
}
