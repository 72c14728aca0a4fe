//! What stops progress. The most urgent comes first.

use super::super::comments::{Comment, Keyword};
use crate::collect::facts::Facts;
use crate::collect::project::Project;
use crate::collect::tasks::Plan;
use crate::model::{TITLE_CHARS, clip};
use ccd_protocol::memory::{
    BlockerEntry, BuildState, BuildStatus, Priority, SessionMemory, TaskReference, TaskStatus,
    TestFailure, TestResults,
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn blockers(
    project: &Project,
    facts: &Facts,
    tasks: &TaskStatus,
    tests: &TestResults,
    build: &BuildStatus,
    previous: Option<&SessionMemory>,
    now: &str,
) -> Vec<Blocker> {
    let plan = facts.plan.as_ref().map(|plan| &plan.value);
    let mut found: Vec<Found> = Vec::new();
    found.extend(conflicts(facts).map(Found::everywhere));
    found.extend(
        missing_files(project, plan)
            .into_iter()
            .map(Found::everywhere),
    );
    found.extend(broken_build(build).map(Found::everywhere));
    let open = chosen(&facts.comments, plan);
    let comments = |keyword| {
        let all = open.iter().copied();
        all.filter(move |comment| comment.keyword == keyword)
    };
    let current = tasks.current_task.as_ref().map(|task| &*task.id);
    let blocker = |comment| of_comment(comment, plan, current);
    found.extend(comments(Keyword::Blocked).map(blocker));
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    found.extend(failures.map(of_failure));
    for keyword in [Keyword::Fixme, Keyword::Needs, Keyword::Todo, Keyword::Hack] {
        found.extend(comments(keyword).map(blocker));
    }
    found.sort_by_key(|found| found.blocker.priority);
    let before = previous.map_or(&[][..], |memory| &memory.blockers);
    let dated = |mut found: Found| {
        let at = found.detected_at(before);
        found.blocker.detected_at = Some(at.unwrap_or_else(|| now.to_owned()));
        Blocker {
            is_step: found.is_step && found.blocker.priority == Priority::High,
            entry: found.blocker,
        }
    };
    found.into_iter().map(dated).collect()
}

/// Returns the comments that count: those that say that something is blocked, and the first of the others. Those that name an
/// open task come first; then the newest.
pub(super) fn chosen<'a>(comments: &'a [Comment], plan: Option<&Plan>) -> Vec<&'a Comment> {
    let is_open = |id: String| plan.is_some_and(|plan| plan.open.iter().any(|task| task.id == id));
    let is_of_task = |comment: &Comment| task_of(comment, plan).is_some_and(is_open);
    let mut chosen: Vec<&Comment> = comments.iter().collect();
    chosen.sort_by_key(|comment| !is_of_task(comment));
    let mut others = 0;
    chosen.retain(|comment| {
        others += usize::from(comment.keyword != Keyword::Blocked);
        comment.keyword == Keyword::Blocked || others <= MAX_COMMENTS
    });
    chosen
}

/// A blocker, and whether what it requires is a step of its own.
pub(super) struct Blocker {
    pub(super) entry: BlockerEntry,
    pub(super) is_step: bool,
}

/// A blocker, and what its description has as long as it is in the same file: the line may change, and what is after it.
struct Found {
    blocker: BlockerEntry,
    place: String,
    /// Failing tests are one step together, and a comment that names no task is none, unless it says `BLOCKED`.
    is_step: bool,
}

impl Found {
    /// One that its title says all about.
    fn everywhere(blocker: BlockerEntry) -> Self {
        let place = String::new();
        Self {
            blocker,
            place,
            is_step: true,
        }
    }

    /// Returns when a save first saw it: one of the same title in the same file, at the same line if there are more.
    fn detected_at(&self, before: &[BlockerEntry]) -> Option<String> {
        let is_it = |old: &&BlockerEntry| {
            old.title == self.blocker.title && old.description.contains(&self.place)
        };
        let mut all = before.iter().filter(is_it);
        let same = all
            .clone()
            .find(|old| old.description == self.blocker.description);
        same.or_else(|| all.next())?.detected_at.clone()
    }
}

fn conflicts(facts: &Facts) -> impl Iterator<Item = BlockerEntry> + '_ {
    let conflicts = facts.git.iter().flat_map(|git| &git.value.conflicts);
    conflicts.map(|path| BlockerEntry {
        priority: Priority::High,
        title: clip(&format!("Merge conflict in {path}"), TITLE_CHARS),
        description: format!("git has an unresolved conflict in {path}"),
        required_action: format!("Resolve the conflict in {path}"),
        ..BlockerEntry::default()
    })
}

fn broken_build(build: &BuildStatus) -> Option<BlockerEntry> {
    let first = build.errors.iter().flatten().next();
    (build.status == BuildState::Failed).then(|| BlockerEntry {
        priority: Priority::High,
        title: "The build fails".to_owned(),
        description: first
            .cloned()
            .unwrap_or_else(|| "The last build ended with an error".to_owned()),
        required_action: "Fix the build".to_owned(),
        ..BlockerEntry::default()
    })
}

/// Open points of comments.
const MAX_COMMENTS: usize = 10;

/// What stands for a file that everyone has to make for themselves.
const TEMPLATES: [&str; 4] = ["example", "sample", "template", "dist"];

/// Files that open tasks name and that are not there, although a template is, they are files of settings, or the task works
/// on them.
fn missing_files(project: &Project, plan: Option<&Plan>) -> Vec<BlockerEntry> {
    let mut found: Vec<BlockerEntry> = Vec::new();
    for task in plan.iter().flat_map(|plan| &plan.open) {
        for name in named_files(&task.title) {
            let title = clip(&format!("Missing file {name}"), TITLE_CHARS);
            if project.root.join(name).symlink_metadata().is_ok()
                || found.iter().any(|one| one.title == title)
            {
                continue;
            }
            let template = template(project, name);
            let is_needed = name.contains('/') && is_use(&task.title);
            if template.is_some() || name.starts_with(".env") || is_needed {
                found.push(missing(task, title, name, template));
            }
        }
    }
    found
}

/// Says whether a task works on what is there, so that a file it names should be; others make their files.
fn is_use(title: &str) -> bool {
    const USES: [&str; 20] = [
        "fix", "update", "change", "edit", "refactor", "rename", "remove", "delete", "move",
        "extend", "load", "read", "parse", "import", "needs", "use", "run", "migrate", "replace",
        "review",
    ];
    let first = title.split_whitespace().next().unwrap_or_default();
    USES.contains(&&*first.to_lowercase())
}

fn named_files(title: &str) -> impl Iterator<Item = &str> {
    let words = title.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '(' | ')' | ',' | ';' | '"' | '\'')
    });
    let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    words.filter(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_inside =
            !word.starts_with(['/', '~']) && !word.contains("..") && !word.contains("://");
        let has_end = name.chars().skip(1).any(|c| c == '.');
        is_inside && name.len() > 2 && (has_end || name.starts_with(".env"))
    })
}

fn template(project: &Project, name: &str) -> Option<String> {
    let is_file = |name: &String| project.root.join(name).is_file();
    let mut names: Vec<String> = TEMPLATES
        .iter()
        .map(|end| format!("{name}.{end}"))
        .collect();
    if let Some(at) = name.find(".env") {
        names.extend(
            TEMPLATES
                .iter()
                .map(|end| format!("{}.{end}", &name[..at + 4])),
        );
    }
    names.into_iter().find(is_file)
}

fn missing(
    task: &TaskReference,
    title: String,
    name: &str,
    template: Option<String>,
) -> BlockerEntry {
    let task_name = if task.id.is_empty() {
        &task.title
    } else {
        &task.id
    };
    let (beside, from) = match template {
        Some(template) => (
            format!("; only {template} is there"),
            format!(" from {template}"),
        ),
        None => Default::default(),
    };
    BlockerEntry {
        priority: Priority::High,
        task_id: Some(task.id.clone()).filter(|id| !id.is_empty()),
        title,
        description: format!(
            "The open task {task_name} names {name}, which does not exist{beside}"
        ),
        required_action: format!("Create {name}{from}"),
        detected_at: None,
    }
}

pub(super) fn place(file: &str, line: Option<u64>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

fn of_failure(failure: &TestFailure) -> Found {
    let place = place(&failure.file, failure.line);
    let (at, inside) = match place.is_empty() {
        true => (
            String::new(),
            format!("Fix the failing test {}", failure.test_name),
        ),
        false => (
            format!("{place}: "),
            format!("Fix the failing test in {place}"),
        ),
    };
    let message = failure
        .message
        .as_deref()
        .unwrap_or("the report has no message");
    let blocker = BlockerEntry {
        priority: Priority::High,
        title: clip(&format!("Failing test: {}", failure.test_name), TITLE_CHARS),
        description: format!("{at}{message}"),
        required_action: inside,
        ..BlockerEntry::default()
    };
    let place = match failure.file.is_empty() {
        true => String::new(),
        false => format!("{}:", failure.file),
    };
    Found {
        blocker,
        place,
        is_step: false,
    }
}

#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[A-Z]{1,8}-?\d+[a-z]?\b").unwrap());
#[expect(clippy::unwrap_used, reason = "compiled by the tests")]
static T_ID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^T\d{2,}$").unwrap());

/// Returns the task that a comment is about: the one in its brackets, else one that its text names. `UTF8` looks like a
/// task too, so in the text only those of the plan count, and `T` with digits.
fn task_of(comment: &Comment, plan: Option<&Plan>) -> Option<String> {
    let is_known = |id: &str| plan.is_some_and(|plan| plan.ids.iter().any(|known| known == id));
    let about = comment.about.as_deref().unwrap_or("");
    if let Some(found) = ID.find(about).filter(|found| found.len() == about.len()) {
        return Some(found.as_str().to_owned());
    }
    let mut ids = ID.find_iter(&comment.text).map(|found| found.as_str());
    ids.find(|id| is_known(id) || T_ID.is_match(id))
        .map(str::to_owned)
}

/// The text of a comment is data: it is the title, and never part of what to do.
fn of_comment(comment: &Comment, plan: Option<&Plan>, current: Option<&str>) -> Found {
    let word = comment.keyword.word();
    let place = place(&comment.path, Some(comment.line));
    let task_id = task_of(comment, plan);
    let priority = match comment.keyword {
        Keyword::Needs if task_id.is_some() && task_id.as_deref() == current => Priority::High,
        _ => comment.priority(),
    };
    let verb = match comment.keyword {
        Keyword::Blocked => "Unblock",
        Keyword::Fixme => "Fix",
        Keyword::Needs => "Provide",
        Keyword::Todo => "Complete",
        Keyword::Hack => "Replace",
    };
    let title = if comment.text.is_empty() {
        format!("{word} comment in {}", comment.path)
    } else {
        comment.text.clone()
    };
    let is_step = task_id.is_some() || comment.keyword == Keyword::Blocked;
    let blocker = BlockerEntry {
        priority,
        task_id,
        title: clip(&title, TITLE_CHARS),
        description: format!("{word} comment in {place}"),
        required_action: format!("{verb} what the {word} comment in {place} names"),
        detected_at: None,
    };
    Found {
        blocker,
        place: format!(" comment in {}:", comment.path),
        is_step,
    }
}
