//! Checks the facts of a memory at the moment it is read.

mod blockers;
mod results;
mod tasks;

use crate::collect::{Look, Project, is_in, look, plan, reports, side_by_side, sockets};
use crate::error::Result;
use crate::file::Parsed;
use crate::model::since;
use ccd_protocol::memory::{
    BlockerEntry, MemoryCheck, MemoryRecent, NextStep, Priority, ServerStatus,
};
use ccd_repository::CommitsSince;
use ccd_text::redact::redact;
use std::path::Path;
use std::time::{Duration, Instant};

const MAX_COMMITS: usize = 1000;
/// Time that it takes at most for a caller who can wait.
pub const VERIFY_LIMIT: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Default)]
pub struct Verified {
    pub checks: Vec<MemoryCheck>,
    /// What was not known at the deadline: `branch`, `commits`, `servers`, `tasks`, `tests`, `files`, `conflicts`,
    /// `commands`, `uncommitted`, `recent`.
    pub late: Vec<&'static str>,
    /// The memory without what is no longer true, and with what is known instead.
    pub current: Parsed,
    pub recent: Vec<MemoryRecent>,
}

/// Returns the facts that can be looked at quickly, and whether they still hold: branch, commits, servers, the plan
/// and its tasks, new reports of tests, files and conflicts of blockers. What is not known at the deadline is named
/// instead.
pub fn verify(directory: &Path, parsed: &Parsed, deadline: Instant) -> Result<Verified> {
    let project = Project::find(directory, deadline)?;
    let mut verified = Verified {
        current: parsed.clone(),
        ..Verified::default()
    };
    verified.late = side_by_side(&project, wanted(parsed), &mut verified);
    Ok(verified)
}

/// Returns the looks at what the memory has; the results are compared in this order.
fn wanted(parsed: &Parsed) -> Vec<Look<Verified>> {
    let memory = &parsed.memory;
    let branch = |project: &Project| project.branch().ok();
    let mut wanted = vec![part("branch", branch, Verified::branch)];
    if let Some(commit) = saved_commit(parsed) {
        let (commit, branch) = (commit.to_owned(), memory.metadata.branch.clone());
        let find = move |project: &Project| {
            let is_other = project.branch().is_ok_and(|now| now != branch);
            let tree = project.work_tree.as_ref()?;
            Some((tree.commits_since(&commit, MAX_COMMITS).ok()?, is_other))
        };
        wanted.push(part("commits", find, Verified::commits));
    }
    if !memory.environment.servers.is_empty() {
        wanted.push(part("servers", |_| sockets(), Verified::servers));
    }
    if !memory.task_status.source_file.is_empty() {
        let find = |project: &Project| plan(project).ok();
        wanted.push(part("tasks", find, Verified::tasks));
    }
    if let Some(since) = since(&memory.metadata.generated_at) {
        let find = move |project: &Project| reports(project, Some(since)).ok();
        wanted.push(part("tests", find, |verified, found| {
            verified.reports(found.value);
        }));
    }
    let (files, conflicts) = blockers::subjects(memory);
    if !conflicts.is_empty() {
        let find = move |project: &Project| blockers::conflicts(project, conflicts);
        wanted.push(part("conflicts", find, Verified::subjects));
    }
    if !files.is_empty() {
        let find = move |project: &Project| Some(blockers::present(project, files));
        wanted.push(part("files", find, Verified::subjects));
    }
    wanted
}

fn part<T: Send + 'static>(
    name: &'static str,
    find: impl FnOnce(&Project) -> Option<T> + Send + 'static,
    compare: fn(&mut Verified, T),
) -> Look<Verified> {
    look(name, find, move |verified: &mut Verified, found| {
        if let Some(found) = found {
            compare(verified, found);
        }
    })
}

/// The commit of the last save is in the source of the branch.
fn saved_commit(parsed: &Parsed) -> Option<&str> {
    let source = &parsed.notes.provenance.get("metadata.branch")?.source;
    source.strip_prefix("git ")
}

impl Verified {
    fn add(&mut self, fact: String, holds: bool, was: &str, now: &str) {
        self.checks.push(MemoryCheck {
            fact,
            holds,
            was: was.to_owned(),
            now: now.to_owned(),
        });
    }

    fn branch(&mut self, now: String) {
        // The memory has it without secrets too.
        let now = redact(&now).text;
        let was = self.current.memory.metadata.branch.clone();
        let fact = if now == was {
            format!("the branch is still {now}")
        } else {
            format!("the branch is now {now}, not {was}")
        };
        self.add(fact, now == was, &was, &now);
    }

    fn commits(&mut self, (since, is_other_branch): (Option<CommitsSince>, bool)) {
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
        let fact = match since.number {
            _ if since.is_descendant => number,
            _ if is_other_branch => "this branch does not have the commit of the save".to_owned(),
            0 => "HEAD has moved back: it no longer has the commit of the save".to_owned(),
            _ => format!(
                "the history was rewritten: it no longer has the commit of the save; {number}"
            ),
        };
        let holds = since.is_descendant && since.number == 0;
        self.add(fact, holds, "0", &since.number.to_string());
    }

    fn servers(&mut self, sockets: Vec<(u16, u64)>) {
        let word = |is_open| if is_open { "running" } else { "stopped" };
        let mut servers = std::mem::take(&mut self.current.memory.environment.servers);
        // A port that was closed may be of another program now.
        servers.retain(|server| {
            let was_open = server.status == ServerStatus::Running;
            let is_open = sockets.iter().any(|(port, _)| *port == server.port);
            let fact = match (was_open, is_open) {
                (true, true) => "still answers",
                (true, false) => "no longer answers",
                (false, true) => "answers again",
                (false, false) => "still does not answer",
            };
            let fact = format!("port {} {fact}", server.port);
            self.add(fact, was_open == is_open, word(was_open), word(is_open));
            was_open == is_open
        });
        self.current.memory.environment.servers = servers;
    }

    /// Leaves out blockers that are none any more, with their files and what was to be done about them.
    fn drop_blockers(&mut self, is_gone: impl Fn(&BlockerEntry) -> bool) {
        let memory = &mut self.current.memory;
        let (gone, left): (Vec<_>, Vec<_>) = memory.blockers.drain(..).partition(is_gone);
        memory.blockers = left;
        let major = memory.summary.major_blocker.as_ref();
        if gone.iter().any(|blocker| Some(&blocker.title) == major) {
            let mut left = memory.blockers.iter();
            let next = left.find(|blocker| blocker.priority == Priority::High);
            memory.summary.major_blocker = next.map(|blocker| blocker.title.clone());
        }
        let files = &mut memory.files_needing_attention;
        files.retain(|file| !gone.iter().any(|one| is_in(one, &file.path)));
        self.drop_steps(|step| gone.iter().any(|one| one.required_action == step.action));
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
