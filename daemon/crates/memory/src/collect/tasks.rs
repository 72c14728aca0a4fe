//! The plan of a project: the file with the boxes, its phases and its open tasks.

use super::facts::{Finding, Part, Sourced, masked, stamp};
use super::project::{Collector, Project};
use super::read::{Content, names, read, too_long};
use crate::model::clip;
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
    /// The last open task that Kiro marks as begun.
    pub(super) begun: Option<TaskReference>,
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
/// Of the title of a task: a longer one would leave no room for anything else.
const MAX_TITLE_CHARS: usize = 500;
/// Directories and files of each that are looked at for plans.
const MAX_ENTRIES: usize = 1000;

pub(super) struct TaskCollector;

impl Collector for TaskCollector {
    fn name(&self) -> &'static str {
        "tasks"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<Part, String> {
        let root = &project.root;
        let branch = project
            .work_tree
            .as_ref()
            .and_then(|tree| tree.branch().ok());
        let mut left_out = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        for path in places(root) {
            let Ok(content) = read(root, &path, PLAN_BYTES) else {
                continue;
            };
            if content.is_cut {
                left_out.push(too_long(&path, content.len, PLAN_BYTES));
                continue;
            }
            let candidate = Candidate::of(path, &content, branch.as_deref());
            if candidate.plan.total() > 0 {
                candidates.push(candidate);
            }
        }
        if candidates.len() > 1 {
            ask_git(project, &mut candidates, deadline);
        }
        let best = candidates
            .into_iter()
            .max_by_key(|candidate| candidate.rank);
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

/// Ranks files that are as the last commit has them by the commit that changed them: those of a fresh clone have one time.
fn ask_git(project: &Project, candidates: &mut [Candidate], deadline: Instant) {
    let Some(tree) = &project.work_tree else {
        return;
    };
    let inside = project
        .root
        .strip_prefix(&tree.root)
        .unwrap_or(Path::new(""));
    let paths = candidates
        .iter()
        .map(|candidate| inside.join(&candidate.path));
    let paths: Vec<PathBuf> = paths.collect();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    // The rest of the time is for the other parts.
    let now = Instant::now();
    let deadline = now + deadline.saturating_duration_since(now) / 2;
    let changes = tree.last_changes(&paths, deadline).unwrap_or_default();
    for (candidate, change) in candidates.iter_mut().zip(changes) {
        if let Some(seconds) = change.and_then(|seconds| u64::try_from(seconds).ok()) {
            candidate.rank.1 = seconds;
        }
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
        let plan = parse(&text, path.starts_with(".kiro"));
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

/// `specs/BRANCH/tasks.md` is the plan of a branch; of `feat/x` also that of `feat-x` and of `x`, and of `003-x` any that
/// starts with the same number.
fn is_folder_of(path: &Path, branch: &str) -> bool {
    let last = branch.rsplit('/').next().unwrap_or(branch);
    let Some(folder) = path.parent() else {
        return false;
    };
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let number = |name: &str| {
        let (number, _) = name.split_once('-')?;
        let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.to_owned())
    };
    let is_numbered = number(last).is_some_and(|of_branch| number(&name) == Some(of_branch));
    folder.ends_with(branch) || name == branch.replace('/', "-") || name == last || is_numbered
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
        Ok(content) => parse(&content.text(), false).later,
        Err(_) => Vec::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Done,
    Begun,
    Open,
    /// Not counted: struck through, cancelled or optional.
    Dropped,
}

/// Reads a plan. Fences and comments are skipped. Secrets go before a line is taken apart: half of one is not recognised.
pub(super) fn parse(text: &str, is_kiro: bool) -> Plan {
    let mut plan = Plan::default();
    let mut phase = String::new();
    let (mut fence, mut is_comment, mut is_later) = (None, false, false);
    // Where the headings say `Phase`, those below them are no phases of their own.
    let headings = text.lines().filter_map(|line| heading(line.trim()));
    let numbered = headings.filter(|(_, text)| NUMBERED.is_match(text));
    let numbered = numbered.map(|(level, _)| level).min();
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
            if numbered.map_or((2..=4).contains(&level), |only| level == only) {
                phase = phase_name(&redact(heading).text);
            }
            is_later = LATER.is_match(heading);
            continue;
        }
        let Some((state, rest)) = task(line, is_kiro) else {
            let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            if let Some(point) = bullet.filter(|_| is_later) {
                plan.later.push(point.to_owned());
            }
            continue;
        };
        let (id, title) = title(&redact(rest).text);
        plan.add(state, (id, clip(&title, MAX_TITLE_CHARS)), &phase);
    }
    plan
}

impl Plan {
    fn add(&mut self, state: State, (id, title): (String, String), phase: &str) {
        let is_struck = title.starts_with("~~") && title.ends_with("~~");
        if state == State::Dropped || is_struck || PUT_OFF.is_match(&title) {
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
        if state != State::Done {
            let task = TaskReference {
                id,
                title,
                phase: phase.to_owned(),
            };
            if state == State::Begun {
                self.begun = Some(task.clone());
            }
            self.open.push(task);
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
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^phase\s*\d"));
/// A task that is put off.
static PUT_OFF: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[\W_]*(?:DEFERRED|SKIPPED|CANCELLED|CANCELED|WONTFIX)\b"));
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[-*+]|\d{1,9}[.)])\s+(.*)$"));
static ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:\*\*|__|`)?(?:([A-Z]{1,8}-?\d+[a-z]?)|(\d+(?:\.\d+)+)\.?|(\d+)\.)(?:\*\*|__|`)?:?(?:\*\*)?(?:\s+|$)",
    )
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
fn task(line: &str, is_kiro: bool) -> Option<(State, &str)> {
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
    let mark = mark.trim();
    let state = match mark {
        "x" | "X" | "v" | "V" | "✅" | "✓" | "✔" => State::Done,
        "-" if is_kiro => State::Begun,
        "-" => State::Dropped,
        // A marker that is not known is not done; a number or a word in brackets is something else.
        "" | "🔄" => State::Open,
        _ if mark.chars().count() == 1 && !mark.contains(char::is_numeric) => State::Open,
        _ => return None,
    };
    // With Kiro, a task with `]*` is optional.
    let (state, rest) = match rest.strip_prefix('*') {
        Some(rest) => (State::Dropped, rest),
        None => (state, rest),
    };
    Some((state, rest.strip_prefix([' ', '\t'])?.trim()))
}

/// Splits a task into its id and its title.
fn title(text: &str) -> (String, String) {
    let mut rest = text;
    let mut id = String::new();
    if let Some(found) = ID.captures(rest) {
        let number = found.get(1).or(found.get(2)).or(found.get(3));
        id = number.map_or("", |id| id.as_str()).to_owned();
        rest = &rest[found[0].len()..];
    }
    while let Some(mark) = MARK.find(rest) {
        rest = &rest[mark.end()..];
    }
    (id, rest.trim().to_owned())
}
