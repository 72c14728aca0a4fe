//! The plan of a project: the file with the boxes, its phases and its open tasks.

use super::facts::{Finding, Part, Sourced, masked, stamp};
use super::project::{Collector, Project};
use super::read::{Content, names, read, too_long};
use ccd_protocol::memory::{PhaseStatus, TaskReference};
use ccd_text::redact::redact;
use regex::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

/// What a plan says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) phases: Vec<PhaseStatus>,
    /// In the order of the file.
    pub(super) open: Vec<TaskReference>,
    /// Of all tasks; the title of one that has none.
    pub(super) ids: Vec<String>,
    /// Points below headings such as "Later", in the plan and in the spec beside it.
    pub(super) later: Vec<String>,
}

impl Plan {
    pub(super) fn completed(&self) -> u64 {
        self.phases.iter().map(|phase| phase.completed).sum()
    }

    pub(super) fn total(&self) -> u64 {
        self.phases.iter().map(|phase| phase.total).sum()
    }

    /// Returns the texts that are without secrets already.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let phases = self.phases.iter().map(|phase| &*phase.name);
        phases.chain(self.open.iter().map(|task| &*task.title))
    }
}

/// Of a plan: counts of half a longer one would be wrong.
const PLAN_BYTES: u64 = 4 * 1024 * 1024;
/// Directories and files of each that are looked at for plans.
const MAX_ENTRIES: usize = 1000;

pub(super) struct TaskCollector;

impl Collector for TaskCollector {
    fn name(&self) -> &'static str {
        "tasks"
    }

    fn collect(&self, project: &Project, _deadline: Instant) -> Result<Part, String> {
        let root = &project.root;
        let branch = project
            .work_tree
            .as_ref()
            .and_then(|tree| tree.branch().ok());
        let mut left_out = Vec::new();
        let mut best: Option<Candidate> = None;
        for path in places(root) {
            let Ok(content) = read(root, &path, PLAN_BYTES) else {
                continue;
            };
            if content.is_cut {
                left_out.push(too_long(&path, content.len, PLAN_BYTES));
                continue;
            }
            let candidate = Candidate::of(path, &content, branch.as_deref());
            if candidate.plan.total() > 0
                && best.as_ref().is_none_or(|best| best.rank <= candidate.rank)
            {
                best = Some(candidate);
            }
        }
        let redacted = best.as_ref().map_or(0, |best| best.redacted);
        let value = best.map(|mut best| {
            best.plan.later.extend(later_of_spec(root, &best.path));
            Sourced {
                value: best.plan,
                source: best.path.to_string_lossy().into_owned(),
                at: Some(stamp(best.changed)),
            }
        });
        Ok(Part::Tasks(Finding {
            value,
            left_out,
            redacted,
        }))
    }
}

/// A file that may be the plan.
struct Candidate {
    path: PathBuf,
    plan: Plan,
    changed: SystemTime,
    /// That of the branch comes first, then the one changed last, then the one with most open tasks.
    rank: (bool, u64, usize),
    redacted: u64,
}

impl Candidate {
    fn of(path: PathBuf, content: &Content, branch: Option<&str>) -> Self {
        let text = content.text();
        let plan = parse(&text);
        let is_of_branch = branch.is_some_and(|branch| is_folder_of(&path, branch));
        let changed = content.modified.unwrap_or(SystemTime::UNIX_EPOCH);
        // Files of one checkout have one time, more or less: whole seconds decide.
        let seconds = changed
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |time| time.as_secs());
        Self {
            rank: (is_of_branch, seconds, plan.open.len()),
            redacted: masked(plan.texts(), &text),
            path,
            plan,
            changed,
        }
    }
}

/// `specs/BRANCH/tasks.md` is the plan of a branch; of `feat/x` also that of `feat-x` and of `x`.
fn is_folder_of(path: &Path, branch: &str) -> bool {
    let last = branch.rsplit('/').next().unwrap_or(branch);
    let Some(folder) = path.parent() else {
        return false;
    };
    let is_named = |name: &str| folder.file_name().is_some_and(|folder| folder == name);
    folder.ends_with(branch) || is_named(&branch.replace('/', "-")) || is_named(last)
}

/// Returns where plans may be, relative to the project.
fn places(root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = [
        "tasks.md",
        "TASKS.md",
        "TODO.md",
        "PLAN.md",
        "specs/tasks.md",
    ]
    .iter()
    .map(PathBuf::from)
    .collect();
    for (folder, depth) in [
        ("specs", 3),
        ("docs", 3),
        (".specify", 3),
        (".kiro/specs", 1),
    ] {
        below(root, Path::new(folder), depth, &mut places);
    }
    // A file system that does not tell capitals apart has one file for two names.
    places.dedup_by(|a, b| {
        a.as_os_str().eq_ignore_ascii_case(b.as_os_str()) && root.join(&*a) == root.join(&*b)
    });
    places
}

fn below(root: &Path, folder: &Path, depth: usize, places: &mut Vec<PathBuf>) {
    if root
        .join(folder)
        .symlink_metadata()
        .map_or(true, |about| about.is_symlink())
    {
        return;
    }
    for (name, is_folder) in names(&root.join(folder), MAX_ENTRIES) {
        if places.len() >= MAX_ENTRIES {
            return;
        }
        let path = folder.join(&name);
        if is_folder && depth > 0 {
            below(root, &path, depth - 1, places);
        } else if name.eq_ignore_ascii_case("tasks.md") {
            places.push(path);
        }
    }
}

fn later_of_spec(root: &Path, plan: &Path) -> Vec<String> {
    let spec = plan.with_file_name("spec.md");
    match read(root, &spec, PLAN_BYTES) {
        Ok(content) => parse(&content.text()).later,
        Err(_) => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Done,
    Open,
    Dropped,
}

/// Reads a plan. Fences and comments are skipped. Secrets go before a line is taken apart: half of one is not recognised.
pub(super) fn parse(text: &str) -> Plan {
    let mut plan = Plan::default();
    let mut phase = String::new();
    let (mut fence, mut is_comment, mut is_later) = (None, false, false);
    for line in text.lines() {
        let line = line.trim();
        if let Some(mark) = fence {
            if line.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if is_comment || line.starts_with("<!--") {
            is_comment = !line.contains("-->");
            continue;
        }
        fence = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        if fence.is_some() {
            continue;
        }
        if let Some((level, heading)) = heading(line) {
            if (2..=4).contains(&level) {
                phase = phase_name(&redact(heading).text);
            }
            is_later = LATER.is_match(heading);
            continue;
        }
        let Some((state, rest)) = task(line) else {
            let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            if let Some(point) = bullet.filter(|_| is_later) {
                plan.later.push(point.to_owned());
            }
            continue;
        };
        plan.add(state, title(&redact(rest).text), &phase);
    }
    plan
}

impl Plan {
    fn add(&mut self, state: State, (id, title): (String, String), phase: &str) {
        if state == State::Dropped || (title.starts_with("~~") && title.ends_with("~~")) {
            return;
        }
        let phase = if phase.is_empty() { "Tasks" } else { phase };
        let at = match self.phases.iter().position(|other| other.name == phase) {
            Some(at) => at,
            None => {
                self.phases.push(PhaseStatus {
                    name: phase.to_owned(),
                    ..PhaseStatus::default()
                });
                self.phases.len() - 1
            }
        };
        let found = &mut self.phases[at];
        found.total += 1;
        found.completed += u64::from(state == State::Done);
        found.percentage = crate::model::percentage(found.completed, found.total);
        let name = if id.is_empty() { &title } else { &id };
        self.ids.push(name.clone());
        if state == State::Open {
            self.open.push(TaskReference {
                id,
                title,
                phase: phase.to_owned(),
            });
        }
    }
}

fn pattern(pattern: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "each is compiled by the tests")]
    Regex::new(pattern).unwrap()
}

static LATER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:later|future|out of scope for now|ideas|backlog)\b"));
static PHASE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^phase\s*[\d.]*\s*[:\-–—]?\s*(\S.*)$"));
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[-*+]|\d{1,9}[.)])\s+(.*)$"));
static ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:\*\*|__|`)?([A-Z]{1,8}-?\d+[a-z]?)(?:\*\*|__|`)?:?(?:\*\*)?(?:\s+|$)")
});
static MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[(?:P|US\d+|[A-Za-z]+\d*)\]\s+"));

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[level..].strip_prefix([' ', '\t'])?;
    (1..=6)
        .contains(&level)
        .then(|| (level, text.trim_end_matches('#').trim()))
}

fn phase_name(heading: &str) -> String {
    let name = PHASE.captures(heading).map_or(heading, |found| {
        found.get(1).map_or("", |name| name.as_str())
    });
    name.trim().to_owned()
}

/// Reads a bullet with a box.
fn task(line: &str) -> Option<(State, &str)> {
    let rest = BULLET.captures(line)?.get(1)?.as_str();
    for (sign, state) in [
        ("✅", State::Done),
        ("☑", State::Done),
        ("🔄", State::Open),
        ("⬜", State::Open),
    ] {
        if let Some(rest) = rest.strip_prefix(sign) {
            return Some((state, rest.trim_start_matches('\u{fe0f}').trim()));
        }
    }
    let (mark, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let state = match mark {
        "x" | "X" | "✅" | "✓" => State::Done,
        " " | "" | "~" | ">" | "🔄" => State::Open,
        "-" => State::Dropped,
        _ => return None,
    };
    Some((state, rest.strip_prefix([' ', '\t'])?.trim()))
}

/// Splits a task into its id and its title.
fn title(text: &str) -> (String, String) {
    let mut rest = text;
    let mut id = String::new();
    if let Some(found) = ID.captures(rest) {
        id = found[1].to_owned();
        rest = &rest[found[0].len()..];
    }
    while let Some(mark) = MARK.find(rest) {
        rest = &rest[mark.end()..];
    }
    (id, rest.trim().to_owned())
}
