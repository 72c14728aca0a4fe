//! Walks a project as git sees it and looks into its sources.

use super::language::language;
use super::scan::scan;
use crate::collect::facts::{CollectedPart, Finding, masked};
use crate::collect::open_point::{Comment, Keyword};
use crate::collect::paths::relative;
use crate::collect::project::{Collector, Project};
use crate::collect::read::read;
use ignore::{WalkBuilder, WalkState};
use parking_lot::Mutex;
use regex::bytes::Regex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Longer files are not written by people.
const FILE_BYTES: u64 = 1024 * 1024;
/// Open points that are kept before the most urgent are chosen.
const MAX_COMMENTS: usize = 10_000;

/// Directories with what others wrote, and with data for tests.
const OTHERS: &str = "node_modules bower_components vendor third_party third-party target dist __pycache__ venv site-packages fixtures fixture __fixtures__ testdata test_data test-data __snapshots__ snapshots";

/// Directories that are not sources, unless they are below some: `com/example` is a usual package.
const BESIDE: &str = "external extern out testfiles examples example samples sample generated __generated__ mocks specs .specify";
const SOURCES: &str = "src lib app java kotlin pkg";

/// Parts of the names of files that programs wrote.
const GENERATED: &str = ".min. .pb. _pb2. _pb2_grpc. .generated. _generated. .gen. _gen. .g.dart .bundle. -bundle. .designer.";
/// How they begin.
const GENERATED_HEAD: [&str; 3] = ["DO NOT EDIT", "@generated", "auto-generated"];
const HEAD_BYTES: usize = 1024;

pub(in crate::collect) struct CommentCollector;

impl Collector for CommentCollector {
    fn name(&self) -> &'static str {
        "comments"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<CollectedPart, String> {
        // Rules are for a directory of a repository, too, if they are above it, and those of the repository of a linked work tree.
        let tree = project.work_tree.as_ref();
        let is_part = tree.is_some_and(|tree| tree.root != project.root);
        let main = tree.and_then(|tree| tree.common_dir.parent());
        let above = project.root.ancestors();
        let mut above = above.take(if is_part { usize::MAX } else { 1 }).chain(main);
        if let Some(bad) = above.find_map(bad_rules) {
            return Err(format!("{} is not a regular file", bad.display()));
        }
        let words = Keyword::ALL.map(|(_, word)| word);
        let words = Regex::new(&words.join("|")).map_err(|error| error.to_string())?;
        let found = Mutex::new(Finding::<Vec<Comment>>::default());
        let is_late = AtomicBool::new(false);
        let look = |path: &Path| {
            let (comments, redacted) = comments(&project.root, path, &words);
            let mut found = found.lock();
            if found.value.len() < MAX_COMMENTS {
                found.value.extend(comments);
                found.redacted += redacted;
            }
        };
        let bad = Arc::new(Mutex::new(Vec::new()));
        walk(&project.root, is_part, &bad).run(|| {
            Box::new(|entry| {
                if Instant::now() >= deadline {
                    is_late.store(true, Ordering::Relaxed);
                    return WalkState::Quit;
                }
                if let Ok(entry) = entry
                    && entry.file_type().is_some_and(|kind| kind.is_file())
                {
                    look(entry.path());
                }
                WalkState::Continue
            })
        });
        if is_late.load(Ordering::Relaxed) {
            return Err("the project has too many files for the time it has".to_owned());
        }
        let mut found = found.into_inner();
        super::age::mark_old(project, &mut found.value, deadline);
        // The newest first.
        let key = |one: &Comment| (one.keyword != Keyword::Blocked, one.age, one.keyword);
        found.value.sort_by(|a, b| {
            key(a)
                .cmp(&key(b))
                .then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line)))
        });
        let inside = |path: &PathBuf| relative(&project.root, &path.to_string_lossy());
        let why = |path| format!("{} is not a regular file", inside(path));
        found.left_out.extend(bad.lock().iter().map(why));
        Ok(CollectedPart::Comments(found))
    }
}

/// Returns the first file in a directory that has rules about what is ignored but is not a regular file: opening a named
/// pipe would wait for ever.
fn bad_rules(folder: &Path) -> Option<PathBuf> {
    let rules = [".gitignore", ".ignore", ".git/info/exclude"].map(|name| folder.join(name));
    let is_bad = |path: &PathBuf| path.metadata().is_ok_and(|about| !about.is_file());
    rules.into_iter().find(is_bad)
}

/// Ignored files, hidden files and links are left out, and what others wrote. A directory whose rules cannot be read is
/// left out, too; their files are put into `bad`. `is_part` says whether rules above the directory count.
fn walk(root: &Path, is_part: bool, bad: &Arc<Mutex<Vec<PathBuf>>>) -> ignore::WalkParallel {
    let (bad, top) = (Arc::clone(bad), root.to_owned());
    let is_ours = move |entry: &ignore::DirEntry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if !is_folder || entry.depth() == 0 {
            return true;
        }
        // A repository in it, such as a submodule, is another project.
        if entry.path().join(".git").symlink_metadata().is_ok() {
            return false;
        }
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_in_sources = || {
            let above = entry.path().strip_prefix(&top).unwrap_or(entry.path());
            let above = above.parent().unwrap_or(above);
            let mut above = above.components();
            above.any(|part| is_of(SOURCES, &part.as_os_str().to_string_lossy()))
        };
        if is_of(OTHERS, &name) || (is_of(BESIDE, &name) && !is_in_sources()) {
            return false;
        }
        let rules = bad_rules(entry.path());
        let is_good = rules.is_none();
        bad.lock().extend(rules);
        is_good
    };
    let mut walk = WalkBuilder::new(root);
    walk.require_git(false)
        .parents(is_part)
        .follow_links(false)
        .filter_entry(is_ours);
    walk.threads(std::thread::available_parallelism().map_or(2, |threads| threads.get().min(4)));
    walk.build_parallel()
}

fn is_of(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

/// Returns the open points of a file, and how many secrets were removed from them.
fn comments(root: &Path, path: &Path, words: &Regex) -> (Vec<Comment>, u64) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (Some(language), Ok(inside)) = (language(&name), path.strip_prefix(root)) else {
        return Default::default();
    };
    let lower = name.to_lowercase();
    if GENERATED.split(' ').any(|part| lower.contains(part)) {
        return Default::default();
    }
    let Ok(content) = read(root, inside, FILE_BYTES) else {
        return Default::default();
    };
    if content.is_cut || !words.is_match(&content.bytes) || content.bytes.contains(&0) {
        return Default::default();
    }
    let text = content.text();
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let is_comment = |line: &&str| {
        line.trim_start()
            .starts_with(['/', '#', '*', '-', ';', '<', '"'])
    };
    let mut comments = head.lines().filter(is_comment);
    if comments.any(|line| GENERATED_HEAD.iter().any(|mark| line.contains(mark))) {
        return Default::default();
    }
    let found = scan(&inside.to_string_lossy(), language, &text);
    let redacted = masked(found.iter().map(|one| &*one.text), &text);
    (found, redacted)
}
