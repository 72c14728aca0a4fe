//! Which open points were there a year ago.

use super::language::language;
use super::scan::{Comment, Keyword, scan};
use crate::collect::project::Project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use time::OffsetDateTime;

const OLD_S: i64 = 365 * 86_400;
/// It only ranks, so it must not cost much.
const LIMIT: Duration = Duration::from_millis(100);

/// Marks every TODO that its file had in the last commit of a year ago. That is quicker than to blame each line; in a file
/// that was renamed since, none is old.
pub(super) fn mark_old(project: &Project, comments: &mut [Comment], deadline: Instant) {
    let Some(tree) = &project.work_tree else {
        return;
    };
    let Ok(inside) = project.root.strip_prefix(&tree.root) else {
        return;
    };
    let mut of_file: BTreeMap<PathBuf, Vec<&mut Comment>> = BTreeMap::new();
    for comment in comments {
        if comment.keyword == Keyword::Todo {
            let path = inside.join(&comment.path);
            of_file.entry(path).or_default().push(comment);
        }
    }
    let (paths, mut groups): (Vec<PathBuf>, Vec<Vec<&mut Comment>>) = of_file.into_iter().unzip();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let year_ago = OffsetDateTime::now_utc().unix_timestamp() - OLD_S;
    let deadline = deadline.min(Instant::now() + LIMIT);
    // Without the history, none is known to be old.
    let _ = tree.files_at(year_ago, &paths, deadline, |at, content| {
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
            comment.is_old = before.iter().any(is_it);
        }
    });
}
