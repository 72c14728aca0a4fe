//! How long open points have been there.

use super::language::language;
use super::scan::scan;
use crate::collect::open_point::Comment;
use crate::collect::project::Project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const DAY_S: i64 = 86_400;
/// A point that was there so many days before the last commit is older by one step.
const STEPS: [i64; 4] = [1, 7, 30, 365];
/// It only ranks, so it must not cost much.
const LIMIT: Duration = Duration::from_millis(200);

/// Says of each point for how many of the steps it has been there: its file had it in the last commit of that time. That is
/// quicker than to blame each line; a point in a file that was renamed since is new.
pub(super) fn mark_old(project: &Project, comments: &mut [Comment]) {
    let Some(tree) = &project.work_tree else {
        return;
    };
    let Ok(inside) = project.root.strip_prefix(&tree.root) else {
        return;
    };
    let mut of_file: BTreeMap<PathBuf, Vec<&mut Comment>> = BTreeMap::new();
    for comment in comments {
        let path = inside.join(&comment.path);
        of_file.entry(path).or_default().push(comment);
    }
    let (paths, mut groups): (Vec<PathBuf>, Vec<Vec<&mut Comment>>) = of_file.into_iter().unzip();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let Ok(Some(now)) = tree.head_time() else {
        return;
    };
    let deadline = project.deadline.min(Instant::now() + LIMIT);
    for days in STEPS {
        // Without the history, none is known to be old.
        let _ = tree.files_at(now - days * DAY_S, &paths, deadline, |at, content| {
            let name = paths[at].file_name().unwrap_or_default().to_string_lossy();
            let Some(language) = language(&name) else {
                return;
            };
            let before = scan("", language, &String::from_utf8_lossy(content));
            for comment in &mut groups[at] {
                let is_it = |old: &Comment| {
                    (old.keyword, &old.about, &old.text)
                        == (comment.keyword, &comment.about, &comment.text)
                };
                comment.age += u8::from(before.iter().any(is_it));
            }
        });
    }
}
