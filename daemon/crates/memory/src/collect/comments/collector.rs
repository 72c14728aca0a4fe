//! Walks a project as git sees it and looks into its sources.

use super::language::language;
use super::scan::{Comment, Keyword, scan};
use crate::collect::facts::Part;
use crate::collect::project::{Collector, Project};
use crate::collect::read::read;
use ignore::{WalkBuilder, WalkState};
use regex::bytes::Regex;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Longer files are not written by people.
const FILE_BYTES: u64 = 1024 * 1024;
/// Open points that are kept before the most urgent are chosen.
const MAX_COMMENTS: usize = 10_000;

pub(in crate::collect) struct CommentCollector;

impl Collector for CommentCollector {
    fn name(&self) -> &'static str {
        "comments"
    }

    fn collect(&self, project: &Project, deadline: Instant) -> Result<Part, String> {
        let words = Keyword::ALL.map(|(_, word)| word);
        let words = Regex::new(&words.join("|")).map_err(|error| error.to_string())?;
        let found = Mutex::new(Vec::new());
        let is_late = AtomicBool::new(false);
        let look = |path: &Path| {
            let comments = comments(&project.root, path, &words);
            if let Ok(mut found) = found.lock()
                && found.len() < MAX_COMMENTS
            {
                found.extend(comments);
            }
        };
        walk(&project.root).run(|| {
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
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by(|a, b| (a.keyword, &a.path, a.line).cmp(&(b.keyword, &b.path, b.line)));
        Ok(Part::Comments(found))
    }
}

/// Ignored files, hidden files and links are left out, and what others wrote.
fn walk(root: &Path) -> ignore::WalkParallel {
    let is_ours = |entry: &ignore::DirEntry| {
        const OTHERS: [&str; 7] = [
            "node_modules",
            "vendor",
            "third_party",
            "target",
            "dist",
            "__pycache__",
            "venv",
        ];
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_folder || entry.depth() == 0 || !OTHERS.iter().any(|name| entry.file_name() == *name)
    };
    let mut walk = WalkBuilder::new(root);
    walk.require_git(false)
        .follow_links(false)
        .filter_entry(is_ours);
    walk.threads(std::thread::available_parallelism().map_or(2, |threads| threads.get().min(4)));
    walk.build_parallel()
}

fn comments(root: &Path, path: &Path, words: &Regex) -> Vec<Comment> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (Some(language), Ok(inside)) = (language(&name), path.strip_prefix(root)) else {
        return Vec::new();
    };
    let Ok(content) = read(root, inside, FILE_BYTES) else {
        return Vec::new();
    };
    if content.is_cut || !words.is_match(&content.bytes) || content.bytes.contains(&0) {
        return Vec::new();
    }
    scan(&inside.to_string_lossy(), language, &content.text())
}
