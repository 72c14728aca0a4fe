//! Walks a project as git sees it and looks into its sources.

use super::language::language;
use super::scan::scan;
use crate::collect::facts::{Finding, masked};
use crate::collect::open_point::{Comment, Keyword};
use crate::collect::paths::relative;
use crate::collect::project::Project;
use crate::disk::read;
use ccd_repository::IgnoreRules;
use regex::bytes::Regex;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

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
    let mut rule_files = RuleFiles {
        steps_left: MATCH_STEPS,
    };
    if let Some(bad) = above
        .chain(main)
        .find_map(|folder| rule_files.unfit(folder))
    {
        return Err(format!("{} {UNFIT}", bad.display()));
    }
    let rules = IgnoreRules::of(root, tree).map_err(|error| error.to_string())?;
    let mut bad = Vec::new();
    let files = sources(project, &rules, &mut rule_files, &mut bad);
    let mut found = Finding::<Vec<Comment>>::default();
    for (path, comments, redacted) in in_files(project, &files) {
        if found.value.len() < MAX_COMMENTS && !project.is_late() && !rules.ignores(path) {
            found.value.extend(comments);
            found.redacted += redacted;
        }
    }
    if project.is_late() {
        return Err("the project has too many files for the time it has".to_owned());
    }
    super::age::mark_old(project, &mut found.value);
    found.value.sort_by(|a, b| rank(a).cmp(&rank(b)));
    let inside = |path: &PathBuf| relative(root, &path.to_string_lossy());
    let why = |path| format!("{} {UNFIT}", inside(path));
    found.left_out.extend(bad.iter().map(why));
    Ok(found)
}

/// The newest first.
fn rank(one: &Comment) -> (bool, u8, Keyword, &str, u64) {
    let is_other = one.keyword != Keyword::Blocked;
    (is_other, one.age, one.keyword, &one.path, one.line)
}

/// Limits on a file of ignore rules and on one line of it: libgit2 reads the file whole, and tries each of its lines.
const RULES_BYTES: u64 = 1024 * 1024;
const RULE_BYTES: usize = 4096;

/// Limit on what all rules of a project together may take for one name; a rule with four stars exceeds it.
const MATCH_STEPS: u64 = 20_000_000;

const NAME_CHARS: u64 = 255;

const UNFIT: &str =
    "is not a regular file of at most 1 MiB, with lines of at most 4 KiB and few stars in each";

/// Files of ignore rules, as long as they are fit to be read.
struct RuleFiles {
    steps_left: u64,
}

impl RuleFiles {
    /// Returns the first file in a directory that has rules about what is ignored and is not fit to be read. Opening a named
    /// pipe would wait for ever, and so would matching many stars: libgit2 tries each place for each of them.
    fn unfit(&mut self, folder: &Path) -> Option<PathBuf> {
        let mut files = [".gitignore", ".git/info/exclude"]
            .map(|name| folder.join(name))
            .into_iter();
        files.find(|path| !self.is_fit(path))
    }

    fn is_fit(&mut self, path: &Path) -> bool {
        match path.metadata() {
            Ok(about) if !about.is_file() => return false,
            Ok(_) => {}
            Err(_) => return true,
        }
        // Some files say that they are empty, and never end.
        let mut rules = Vec::new();
        let open = File::open(path).map(|file| file.take(RULES_BYTES + 1));
        let Ok(len) = open.and_then(|mut file| file.read_to_end(&mut rules)) else {
            return false;
        };
        let mut lines = rules.split(|byte| *byte == b'\n');
        let is_rule = |line: &&[u8]| !line.starts_with(b"#");
        let steps = (lines.clone().filter(is_rule).map(steps_of)).fold(0, u64::saturating_add);
        let left = self.steps_left.checked_sub(steps);
        self.steps_left = left.unwrap_or(self.steps_left);
        left.is_some() && len as u64 <= RULES_BYTES && lines.all(|line| line.len() <= RULE_BYTES)
    }
}

/// Returns how many ways there are to place the stars of a rule in a long name. `**` between slashes only stands at slashes.
fn steps_of(rule: &[u8]) -> u64 {
    let segments = rule
        .split(|byte| *byte == b'/')
        .filter(|segment| *segment != b"**");
    let runs = |segment: &[u8]| {
        segment
            .chunk_by(|a, b| (*a == b'*') == (*b == b'*'))
            .filter(|run| run[0] == b'*')
            .count()
    };
    let stars = segments.map(runs).sum::<usize>() as u64;
    (1..=stars.min(8)).fold(1, |ways, star| ways * (NAME_CHARS + 1 - star) / star)
}

/// Returns the project's files in known languages, without hidden files and links, and without what is in directories that git
/// ignores or that others wrote. A directory whose rules cannot be read is left out, too; their files are put into `bad`.
fn sources(
    project: &Project,
    rules: &IgnoreRules,
    rule_files: &mut RuleFiles,
    bad: &mut Vec<PathBuf>,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![project.root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            if project.is_late() {
                return files;
            }
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            match entry.file_type() {
                _ if name.starts_with('.') => {}
                Ok(kind) if kind.is_file() && language(&name).is_some() => files.push(path),
                Ok(kind) if kind.is_dir() && is_ours(&project.root, &path, &name) => {
                    match rule_files.unfit(&path) {
                        _ if rules.ignores(&path) => {}
                        Some(rules) => bad.push(rules),
                        None => folders.push(path),
                    }
                }
                _ => {}
            }
        }
    }
    files
}

fn is_ours(root: &Path, folder: &Path, name: &str) -> bool {
    // A repository in it, such as a submodule, is another project.
    if folder.join(".git").symlink_metadata().is_ok() {
        return false;
    }
    let name = name.to_lowercase();
    let is_in_sources = || {
        let above = folder.strip_prefix(root).unwrap_or(folder).parent();
        let mut above = above.into_iter().flat_map(Path::components);
        above.any(|part| is_of(SOURCES, &part.as_os_str().to_string_lossy()))
    };
    !is_of(OTHERS, &name) && (!is_of(BESIDE, &name) || is_in_sources())
}

fn is_of(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

type FoundInFile<'a> = (&'a PathBuf, Vec<Comment>, u64);

/// Returns the open points of files, and how many secrets were removed from those of each. Does nothing more once it is late.
fn in_files<'a>(project: &Project, files: &'a [PathBuf]) -> Vec<FoundInFile<'a>> {
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get().min(4));
    let look = |path: &'a PathBuf| {
        let (comments, redacted) = (!project.is_late()).then(|| in_file(&project.root, path))??;
        (!comments.is_empty()).then_some((path, comments, redacted))
    };
    let look = |files: &'a [PathBuf]| files.iter().filter_map(look).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(threads).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || look(part))).collect();
        let found = parts.into_iter().filter_map(|part| part.join().ok());
        found.flatten().collect()
    })
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
