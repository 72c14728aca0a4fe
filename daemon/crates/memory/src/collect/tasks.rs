//! The plan of a project: the file with the boxes, its phases and its open tasks.

use super::facts::{Finding, MAX_OPEN_TASKS, Plan, Sourced, name_hash, stamp};
use super::project::Project;
use crate::disk::{modified, names, read, too_long};
use crate::model::{clip, pattern, percentage, prose_lines};
use ccd_protocol::memory::{PhaseStatus, TaskReference};
use ccd_text::redact::redact;
use regex::Regex;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

/// Of a plan: counts of half a longer one would be wrong.
const PLAN_BYTES: u64 = 4 * 1024 * 1024;
/// Of the title of a task: a longer one would leave no room for anything else.
const MAX_TITLE_CHARS: usize = 500;
/// Directories and files of each that are looked at for plans.
const MAX_ENTRIES: usize = 1000;
const MAX_DEPTH: usize = 3;
/// Plans of Kiro have marks of their own.
const KIRO: &str = ".kiro/specs";

/// Returns the plan of a project; without a source if it has none.
pub(crate) fn plan(project: &Project) -> Result<Finding<Sourced<Plan>>, String> {
    let root = &project.root;
    let tree = project.work_tree.as_ref();
    let branch = tree.and_then(|tree| tree.branch().ok());
    let mut finding = Finding::<Sourced<Plan>>::default();
    let mut candidates: Vec<(PlanRank, Sourced<Plan>)> = Vec::new();
    for path in places(root) {
        let Ok(content) = read(root, &path, PLAN_BYTES) else {
            continue;
        };
        if content.is_cut {
            let reason = too_long(&path, content.len, PLAN_BYTES);
            finding.left_out.push(reason);
            continue;
        }
        let plan = parse(&content.text(), path.starts_with(KIRO));
        if plan.total() > 0 {
            let is_of_branch = is_folder_of(&path, branch.as_deref().unwrap_or("HEAD"));
            let changed = content.modified.unwrap_or(SystemTime::UNIX_EPOCH);
            // Files of one checkout have one time, more or less: whole seconds decide.
            let seconds = ccd_base::clock::date_of(changed).unix_timestamp();
            let rank = (is_of_branch, seconds, plan.total() - plan.completed());
            let plan = Sourced::new(plan, path.to_string_lossy(), Some(stamp(changed)));
            candidates.push((rank, plan));
        }
    }
    if candidates.len() > 1 {
        ask_git(project, &mut candidates);
    }
    if let Some((_, mut plan)) = candidates.into_iter().max_by_key(|(rank, _)| *rank) {
        finding.redacted = plan.value.redacted;
        let spec = Path::new(&plan.source).with_file_name("spec.md");
        if let Ok(spec) = read(root, &spec, PLAN_BYTES) {
            plan.value.later.extend(parse(&spec.text(), false).later);
        }
        finding.value = plan;
    }
    Ok(finding)
}

/// That of the branch comes first, then the one changed last, then the one with most open tasks.
type PlanRank = (bool, i64, u64);

/// Ranks files that are as the last commit has them by the commit that changed them: those of a fresh clone have one time.
fn ask_git(project: &Project, candidates: &mut [(PlanRank, Sourced<Plan>)]) {
    let Some(tree) = &project.work_tree else {
        return;
    };
    let inside = project.root.strip_prefix(&tree.root).unwrap_or("".as_ref());
    let paths = candidates.iter().map(|(_, plan)| inside.join(&plan.source));
    let paths: Vec<PathBuf> = paths.collect();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    // The rest of the time is for the other parts.
    let now = Instant::now();
    let deadline = now + project.deadline.saturating_duration_since(now) / 2;
    let changes = tree.last_changes(&paths, deadline).unwrap_or_default();
    for ((rank, _), change) in candidates.iter_mut().zip(changes) {
        rank.1 = change.unwrap_or(rank.1);
    }
}

/// `specs/BRANCH/tasks.md` is the plan of a branch; of `feat/x` also that of `feat-x` and of `x`, and of `003-x` any that
/// starts with the same number.
fn is_folder_of(path: &Path, branch: &str) -> bool {
    let folder = path.parent().unwrap_or(path);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let last = branch.rsplit('/').next().unwrap_or(branch);
    let number = NUMBER.find(last).map(|number| number.as_str());
    folder.ends_with(branch)
        || name == branch.replace('/', "-")
        || name == last
        || number.is_some_and(|number| name.starts_with(number))
}

/// Returns where plans may be, relative to the project.
fn places(root: &Path) -> Vec<PathBuf> {
    // On a file system that does not tell capitals apart, two names are one file, and the last counts.
    let places = ["TASKS.md", "tasks.md", "TODO.md", "PLAN.md"];
    let mut places = places.map(PathBuf::from).to_vec();
    let mut folders = VecDeque::from(["specs", "docs", ".specify", KIRO].map(PathBuf::from));
    // Links have no time.
    folders.retain(|folder| modified(&root.join(folder)).is_some());
    while let Some(folder) = folders.pop_front() {
        let is_deep = folder.components().count() > MAX_DEPTH;
        for (name, is_folder) in names(&root.join(&folder), MAX_ENTRIES) {
            let path = folder.join(&name);
            if is_folder && !is_deep {
                folders.push_back(path);
            } else if name.eq_ignore_ascii_case("tasks.md") {
                places.push(path);
            }
        }
        if places.len() >= MAX_ENTRIES {
            break;
        }
    }
    places
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TaskState {
    Done,
    Begun,
    Open,
    /// Not counted: struck through, cancelled or optional.
    Dropped,
}

/// Reads a plan. Secrets go before a line is taken apart: half of one is not recognised.
pub(super) fn parse(text: &str, is_kiro: bool) -> Plan {
    let mut plan = Plan::default();
    let (mut phase, mut is_later) = ("Tasks".to_owned(), false);
    // Where the headings say `Phase`, those below them are no phases of their own.
    let headings = prose_lines(text).filter_map(heading);
    let numbered = headings.filter(|(_, text)| NUMBERED.is_match(text));
    let numbered = numbered.map(|(level, _)| level).min();
    for line in prose_lines(text) {
        if let Some((level, heading)) = heading(line) {
            if numbered.map_or((2..=4).contains(&level), |only| level == only) {
                let name = redact(heading);
                plan.redacted += name.removed as u64;
                phase = PHASE.replace(&name.text, "$1").into_owned();
            }
            is_later = LATER.is_match(heading);
        } else if let Some((state, rest)) = task(line, is_kiro) {
            plan.add(state, rest, &phase);
        } else if let Some(point) = line.strip_prefix("- ").or(line.strip_prefix("* "))
            && is_later
            && plan.later.len() < MAX_OPEN_TASKS
        {
            plan.later.push(point.to_owned());
        }
    }
    plan
}

impl Plan {
    fn add(&mut self, state: TaskState, text: &str, phase: &str) {
        let text = redact(text);
        let Some(start) = START.captures(&text.text) else {
            return;
        };
        let id = start.get(1).map_or("", |id| id.as_str());
        let title = &text.text[start[0].len()..];
        let task = TaskReference {
            id: id.trim_end_matches('.').to_owned(),
            title: clip(title.trim(), MAX_TITLE_CHARS),
            phase: phase.to_owned(),
        };
        if state == TaskState::Dropped || PUT_OFF.is_match(&task.title) {
            return;
        }
        let known = self.phases.iter().position(|other| other.name == phase);
        let at = known.unwrap_or_else(|| {
            self.phases.push(PhaseStatus {
                name: phase.to_owned(),
                ..PhaseStatus::default()
            });
            self.phases.len() - 1
        });
        let found = &mut self.phases[at];
        found.total += 1;
        found.completed += u64::from(state == TaskState::Done);
        found.percentage = percentage(found.completed, found.total);
        let is_open = state != TaskState::Done;
        let name = match &*task.id {
            "" => &task.title,
            id => id,
        };
        *self.names.entry(name_hash(name)).or_default() |= is_open;
        if state == TaskState::Begun {
            self.begun = Some(task.clone());
        }
        if is_open {
            self.redacted += text.removed as u64;
            if self.open.len() < MAX_OPEN_TASKS {
                self.open.push(task);
            }
        }
    }
}

/// What the directories of numbered features start with.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[0-9]{3}-"));
static LATER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:later|future|out of scope for now|ideas|backlog)\b"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^phase\s*\d"));
static PHASE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^phase\s*[\d.]*\s*[:\-–—]?\s*(\S.*)$"));
static PUT_OFF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[\W_]*(?:DEFERRED|SKIPPED|CANCELLED|CANCELED|WONTFIX)\b|^~~.*~~$"));
/// A bullet with a box: its mark, and a sign that the task is optional; or a sign in place of the box.
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[-*+]|\d{1,9}[.)])\s+(?:\[([^\]]*)\](\*?)\s|([✅☑🔄⬜])\x{fe0f}?)")
});
/// The id of a task, and marks of its kind after it.
static START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:\*\*|__|`)?([A-Z]{1,8}-?\d+[a-z]?|\d+(?:\.\d+)+\.?|\d+\.)(?:\*\*|__|`)?:?(?:\*\*)?(?:\s+|$))?(?:\[[A-Za-z]+\d*\]\s+)*",
    )
});

/// Returns the level of a heading and its text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    let text = text.trim_end_matches('#').trim();
    (is_heading && !text.is_empty()).then_some((level, text))
}

/// Reads a bullet with a box.
fn task(line: &str, is_kiro: bool) -> Option<(TaskState, &str)> {
    let found = TASK.captures(line)?;
    let part = |at| found.get(at).map_or("", |part| part.as_str().trim());
    let state = match part(1) {
        // With Kiro.
        _ if part(2) == "*" => TaskState::Dropped,
        "" if matches!(part(3), "✅" | "☑") => TaskState::Done,
        "x" | "X" | "v" | "V" | "✅" | "☑" | "✓" | "✔" => TaskState::Done,
        "-" if is_kiro => TaskState::Begun,
        "-" => TaskState::Dropped,
        "" => TaskState::Open,
        // A marker that is not known is not done; a number or a word in brackets is something else.
        mark if mark.chars().count() == 1 && !mark.contains(char::is_numeric) => TaskState::Open,
        _ => return None,
    };
    Some((state, line[found[0].len()..].trim()))
}
