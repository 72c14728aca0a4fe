//! What stops progress. The most urgent comes first.

use super::KnownProject;
use crate::collect::facts::Plan;
use crate::collect::open_point::{Comment, Keyword};
use crate::model::{TITLE_CHARS, clip, pattern};
use ccd_protocol::memory::{
    BlockerEntry, BuildState, BuildStatus, FileReference, Priority, SessionMemory, TaskReference,
    TestFailure,
};
use regex::Regex;
use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

/// A blocker, and the file that needs attention because of it.
pub(super) struct Blocker {
    pub(super) entry: BlockerEntry,
    file: Option<FileReference>,
    /// What it requires is a step of its own. Failing tests are one step together, and a comment that names no task is
    /// none, unless it says `BLOCKED`.
    pub(super) is_step: bool,
}

impl Blocker {
    /// An urgent one.
    fn new(title: &str, description: String, required_action: String) -> Self {
        Self {
            entry: BlockerEntry {
                priority: Priority::High,
                title: clip(title, TITLE_CHARS),
                description,
                required_action,
                ..BlockerEntry::default()
            },
            file: None,
            is_step: true,
        }
    }

    fn at(mut self, path: &str, line: Option<u64>, reason: String) -> Self {
        self.file = Some(FileReference {
            path: path.to_owned(),
            line,
            reason,
            priority: self.entry.priority,
        });
        self
    }

    /// Returns when a save first saw it: one of the same title in the same file.
    fn detected_at(&self, before: &[BlockerEntry]) -> Option<String> {
        let file = self.file.as_ref();
        let is_in = |old: &BlockerEntry| file.is_none_or(|file| is_in(old, &file.path));
        let is_it = |old: &&BlockerEntry| old.title == self.entry.title && is_in(old);
        before.iter().find(is_it)?.detected_at.clone()
    }
}

/// True for a blocker of a file, on whatever line.
pub(crate) fn is_in(blocker: &BlockerEntry, path: &str) -> bool {
    // A conflict has no line after its path.
    let text = format!("{}:", blocker.description);
    text.starts_with(&format!("{path}:")) || text.contains(&format!(" in {path}:"))
}

/// Returns the files that need attention, by urgency. Many tests fail in one place; it is named once.
pub(super) fn files(blockers: &[Blocker]) -> Vec<FileReference> {
    let mut seen = HashSet::new();
    let files = blockers.iter().filter_map(|blocker| blocker.file.as_ref());
    let files = files.filter(|file| seen.insert((&file.path, file.line)));
    files.cloned().collect()
}

pub(super) fn blockers(known: &KnownProject<'_>, memory: &SessionMemory) -> Vec<Blocker> {
    let (facts, plan) = (&known.facts, &known.facts.plan.value);
    let conflicts = facts.git.value.conflicts.iter();
    let mut found: Vec<Blocker> = conflicts.map(|path| conflict(path)).collect();
    found.extend(missing_files(&known.project.root, plan));
    found.extend(broken_build(&memory.environment.build));
    let (blocked, others) = chosen(&facts.comments, plan);
    let current = memory.task_status.current_task.as_ref().and_then(id);
    let blocker = |comment: &&Comment| of_comment(comment, plan, current.as_ref());
    found.extend(blocked.iter().map(blocker));
    let tests = &memory.test_results;
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    found.extend(failures.map(of_failure));
    found.extend(others.iter().map(blocker));
    found.sort_by_key(|found| found.entry.priority);
    let before = known.previous.map_or(&[][..], |memory| &memory.blockers);
    for one in &mut found {
        let at = one.detected_at(before);
        one.entry.detected_at = at.or_else(|| Some(memory.metadata.generated_at.clone()));
    }
    found
}

/// Open points of comments.
const MAX_COMMENTS: usize = 10;

/// Returns the comments that count: those that say that something is blocked, and the first of the others. Those that name an
/// open task come first; then the newest.
fn chosen<'a>(comments: &'a [Comment], plan: &Plan) -> (Vec<&'a Comment>, Vec<&'a Comment>) {
    let is_open = |id: String| plan.is_open(&id) == Some(true);
    let mut all: Vec<&Comment> = comments.iter().collect();
    all.sort_by_cached_key(|comment| !task_of(comment, plan).is_some_and(is_open));
    let is_blocked = |comment: &&Comment| comment.keyword == Keyword::Blocked;
    let (blocked, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_blocked);
    others.truncate(MAX_COMMENTS);
    others.sort_by_key(|comment| comment.keyword);
    (blocked, others)
}

fn conflict(path: &str) -> Blocker {
    Blocker::new(
        &format!("Merge conflict in {path}"),
        format!("git has an unresolved conflict in {path}"),
        format!("Resolve the conflict in {path}"),
    )
    .at(path, None, "Merge conflict".to_owned())
}

fn broken_build(build: &BuildStatus) -> Option<Blocker> {
    let first = build.errors.iter().flatten().next();
    let first = first.map_or("The last build ended with an error", |error| error);
    let action = "Fix the build".to_owned();
    let blocker = Blocker::new("The build fails", first.to_owned(), action);
    (build.status == BuildState::Failed).then_some(blocker)
}

/// What stands for a file that everyone has to make for themselves.
const TEMPLATES: [&str; 4] = ["example", "sample", "template", "dist"];

/// Files that open tasks name and that are not there, although a template is, they are files of settings, or the task works
/// on them.
fn missing_files(root: &Path, plan: &Plan) -> Vec<Blocker> {
    let named = plan
        .open
        .iter()
        .flat_map(|task| named_files(&task.title).map(move |name| (task, name)));
    let missing = named.filter(|(_, name)| root.join(name).symlink_metadata().is_err());
    let mut seen = HashSet::new();
    let mut is_new = |one: &Blocker| seen.insert(one.entry.title.clone());
    let current = plan.begun.as_ref().or(plan.open.first());
    let found =
        missing.filter_map(|(task, name)| missing_file(root, task, name, Some(task) == current));
    found.filter(|one| is_new(one)).collect()
}

fn missing_file(
    root: &Path,
    task: &TaskReference,
    name: &str,
    is_current: bool,
) -> Option<Blocker> {
    let template = template(root, name);
    let is_needed = name.contains('/') && is_use(&task.title);
    if template.is_none() && !name.starts_with(".env") && !is_needed {
        return None;
    }
    let from = template.map(|template| format!(" from {template}"));
    let from = from.unwrap_or_default();
    let task_id = id(task);
    let task = task_id.as_ref().unwrap_or(&task.title);
    let mut blocker = Blocker::new(
        &format!("Missing file {name}"),
        format!("The open task {task} names {name}, which does not exist"),
        format!("Create {name}{from}"),
    );
    blocker.entry.task_id = task_id;
    // What a later task needs is for later.
    blocker.is_step = is_current;
    Some(blocker)
}

/// Says whether a task works on what is there, so that a file it names should be; others make their files.
fn is_use(title: &str) -> bool {
    const USES: &str = "fix update change edit refactor extend load read parse import needs use run migrate review";
    // "Fix the crash when config/app.yml is missing", "Update imports after src/a.ts moved to src/b.ts"
    const GONE: &str = "missing removed removal remove deleted delete moved gone renamed";
    let title = title.to_lowercase();
    let is_in = |list: &str, word: &str| list.split(' ').any(|one| one == word);
    let mut words = title.split(|c: char| c.is_whitespace() || "(),;".contains(c));
    words.next().is_some_and(|verb| is_in(USES, verb)) && !words.any(|word| is_in(GONE, word))
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

fn template(root: &Path, name: &str) -> Option<String> {
    // `.env.example` is for `.env.local`, too.
    let short = name.find(".env").map(|at| &name[..at + 4]);
    let names = [Some(name), short].into_iter().flatten();
    let mut names = names.flat_map(|name| TEMPLATES.map(|end| format!("{name}.{end}")));
    names.find(|name| root.join(name).is_file())
}

/// Returns the id of a task; nothing for one that has none.
pub(super) fn id(task: &TaskReference) -> Option<String> {
    Some(task.id.clone()).filter(|id| !id.is_empty())
}

pub(crate) fn place(file: &str, line: Option<u64>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

fn of_failure(failure: &TestFailure) -> Blocker {
    let at = place(&failure.file, failure.line);
    let (start, what) = if at.is_empty() {
        (String::new(), failure.test_name.clone())
    } else {
        (format!("{at}: "), format!("in {at}"))
    };
    let message = failure.message.as_deref();
    let message = message.unwrap_or("the report has no message");
    let mut blocker = Blocker::new(
        &format!("Failing test: {}", failure.test_name),
        format!("{start}{message}"),
        format!("Fix the failing test {what}"),
    );
    blocker.is_step = false;
    match &*failure.file {
        "" => blocker,
        file => blocker.at(file, failure.line, "Failing test".to_owned()),
    }
}

static ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]{1,8}-?\d+[a-z]?\b"));
static T_ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"^T\d{2,}$"));

/// Returns the task that a comment is about: the one in its brackets, else one that its text names. `UTF8` looks like a
/// task too, so in the text only those of the plan count, and `T` with digits.
fn task_of(comment: &Comment, plan: &Plan) -> Option<String> {
    let about = comment.about.as_deref().unwrap_or("");
    let about = ID.find(about).filter(|found| found.len() == about.len());
    let others = ID.find_iter(&comment.text).map(|found| found.as_str());
    let mut others = others.filter(|id| plan.is_open(id).is_some() || T_ID.is_match(id));
    let found = about.map(|found| found.as_str()).or_else(|| others.next());
    found.map(str::to_owned)
}

/// The text of a comment is data: it is the title, and never part of what to do.
fn of_comment(comment: &Comment, plan: &Plan, current: Option<&String>) -> Blocker {
    let (word, verb) = comment.keyword.words();
    let place = place(&comment.path, Some(comment.line));
    let title = match &*comment.text {
        "" => &format!("{word} comment in {}", comment.path),
        text => text,
    };
    let mut blocker = Blocker::new(
        title,
        format!("{word} comment in {place}"),
        format!("{verb} what the {word} comment in {place} names"),
    );
    let task_id = task_of(comment, plan);
    blocker.is_step = task_id.is_some() || comment.keyword == Keyword::Blocked;
    let is_of_current = task_id.is_some() && task_id.as_ref() == current;
    if comment.keyword != Keyword::Needs || !is_of_current {
        blocker.entry.priority = comment.priority();
    }
    blocker.entry.task_id = task_id;
    blocker.at(&comment.path, Some(comment.line), format!("{word} comment"))
}
