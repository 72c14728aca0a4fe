//! Walks a project as git sees it and looks into its sources.

use super::language::language;
use super::scan::scan;
use crate::collect::facts::{Finding, masked};
use crate::collect::open_point::{Comment, Keyword};
use crate::collect::paths::relative;
use crate::collect::project::Project;
use crate::disk::read;
use ignore::{WalkBuilder, WalkState};
use parking_lot::Mutex;
use regex::bytes::Regex;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
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

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let words = Keyword::ALL.map(|(_, word, _)| word);
    Regex::new(&words.join("|")).expect("the words are a pattern")
});

pub(in crate::collect) fn comments(project: &Project) -> Result<Finding<Vec<Comment>>, String> {
    let root = &project.root;
    let tree = project.work_tree.as_ref();
    let is_part = tree.is_some_and(|tree| tree.root != *root);
    // Rules are for a directory of a repository, too, if they are above it, and those of the repository of a linked work tree.
    let main = tree.and_then(|tree| tree.common_dir.parent());
    let above = root.ancestors().take(if is_part { usize::MAX } else { 1 });
    if let Some(bad) = above.chain(main).find_map(bad_rules) {
        return Err(format!("{} {UNFIT}", bad.display()));
    }
    let found = Mutex::new(Finding::<Vec<Comment>>::default());
    let is_late = AtomicBool::new(false);
    let bad = Arc::new(Mutex::new(Vec::new()));
    walk(root, is_part, &bad).run(|| {
        Box::new(|entry| {
            if Instant::now() >= project.deadline {
                is_late.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && let Some((comments, redacted)) = in_file(root, entry.path())
            {
                let mut found = found.lock();
                if found.value.len() < MAX_COMMENTS {
                    found.value.extend(comments);
                    found.redacted += redacted;
                }
            }
            WalkState::Continue
        })
    });
    if is_late.load(Ordering::Relaxed) {
        return Err("the project has too many files for the time it has".to_owned());
    }
    let mut found = found.into_inner();
    super::age::mark_old(project, &mut found.value);
    found.value.sort_by(|a, b| rank(a).cmp(&rank(b)));
    let inside = |path: &PathBuf| relative(root, &path.to_string_lossy());
    let why = |path| format!("{} {UNFIT}", inside(path));
    found.left_out.extend(bad.lock().iter().map(why));
    Ok(found)
}

/// The newest first.
fn rank(one: &Comment) -> (bool, u8, Keyword, &str, u64) {
    let is_other = one.keyword != Keyword::Blocked;
    (is_other, one.age, one.keyword, &one.path, one.line)
}

/// Limits on a file of ignore rules and on one line of it: the walk reads the file whole, and recurses for each part of a
/// pattern.
const RULES_BYTES: u64 = 1024 * 1024;
const RULE_BYTES: usize = 4096;
const UNFIT: &str = "is not a regular file of at most 1 MiB, with lines of at most 4 KiB";

/// Returns the first file in a directory that has rules about what is ignored and is not fit to be read. Opening a named
/// pipe would wait for ever.
fn bad_rules(folder: &Path) -> Option<PathBuf> {
    let rules = [".gitignore", ".ignore", ".git/info/exclude"].map(|name| folder.join(name));
    let is_fit = |path: &PathBuf| match path.metadata() {
        Ok(about) if !about.is_file() => false,
        Ok(_) => {
            // Some files say that they are empty, and never end.
            let mut rules = Vec::new();
            let open = File::open(path).map(|file| file.take(RULES_BYTES + 1));
            let read = open.and_then(|mut file| file.read_to_end(&mut rules));
            let mut lines = rules.split(|byte| *byte == b'\n');
            read.is_ok_and(|len| len as u64 <= RULES_BYTES)
                && lines.all(|line| line.len() <= RULE_BYTES)
        }
        Err(_) => true,
    };
    rules.into_iter().find(|path| !is_fit(path))
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
fn in_file(root: &Path, path: &Path) -> Option<(Vec<Comment>, u64)> {
    let name = path.file_name()?.to_string_lossy();
    let language = language(&name)?;
    let lower = name.to_lowercase();
    if GENERATED.split(' ').any(|part| lower.contains(part)) {
        return None;
    }
    let path = path.strip_prefix(root).ok()?;
    let content = read(root, path, FILE_BYTES).ok()?;
    if content.is_cut || !WORDS.is_match(&content.bytes) || content.bytes.contains(&0) {
        return None;
    }
    let text = content.text();
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let is_comment = |line: &&str| {
        line.trim_start()
            .starts_with(['/', '#', '*', '-', ';', '<', '"'])
    };
    let mut comments = head.lines().filter(is_comment);
    if comments.any(|line| GENERATED_HEAD.iter().any(|mark| line.contains(mark))) {
        return None;
    }
    let found = scan(&path.to_string_lossy(), language, &text);
    let redacted = masked(found.iter().map(|one| &*one.text), &text);
    Some((found, redacted))
}
