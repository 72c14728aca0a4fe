//! Writes a rule to its file.

use super::block::{HEADING, MARK_START, Words, block_of, mark_in};
use super::patch::patch;
use super::target::target;
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::coach::Scope;
use ccd_repository::distrust;
use ccd_store::own_file;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A file of instructions with more lines is hardly followed any more.
const LONG_LINES: usize = 200;

/// Instructions for other agents, which Claude Code reads only if its own file imports them.
const OTHER_INSTRUCTIONS: &str = "AGENTS.md";
pub(super) const OTHERS_IMPORT: &str = "@AGENTS.md\n";

/// A change of a file that was not made yet.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
    /// `None` if there is no file.
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Vec<u8>,
    pub(crate) block: String,
    pub(crate) diff: String,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error("{}: not text in UTF-8; nothing was changed", .0.display())]
    NotText(PathBuf),
    #[error("{}: {source}; nothing was changed", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: edited since the rule was written; remove the rule by hand:\n{block}", .path.display())]
    Changed { path: PathBuf, block: String },
}

pub(crate) fn plan(
    claude: &Path,
    words: Words<'_>,
    scope: Scope,
    root: &Path,
) -> Result<Plan, PlaceError> {
    let target = target(claude, words.kind, words.title, scope, root);
    if let Some(why) = distrust(&target.root, &target.path) {
        return Err(failed(&target.path, io::Error::other(why)));
    }
    let before = read(&target.path)?;
    let text = before.as_deref().map(std::str::from_utf8).transpose();
    let text = text.map_err(|_| PlaceError::NotText(target.path.clone()))?;
    let block = block_of(words);
    let has_others = || target.root.join(OTHER_INSTRUCTIONS).is_file();
    let after = match (target.is_shared, text) {
        (true, Some(text)) => listed(text, &block),
        (true, None) if has_others() => listed(OTHERS_IMPORT, &block),
        (true, None) => listed("", &block),
        (false, _) => block.clone(),
    };
    let lines = after.lines().count();
    let warnings = (target.is_shared && lines > LONG_LINES).then(|| {
        format!(
            "{} now has {lines} lines; long instructions are followed less",
            target.path.display()
        )
    });
    Ok(Plan {
        diff: patch(&target.root, &target.path, text, &after),
        root: target.root,
        path: target.path,
        after: after.into_bytes(),
        before,
        block,
        warnings: warnings.into_iter().collect(),
    })
}

/// Returns the place of the heading; one in a block of code is an example.
pub(super) fn heading_of(lines: &[&str]) -> Option<usize> {
    let mut fence = None;
    lines.iter().position(|line| {
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        fence.is_none() && line.trim_end() == HEADING
    })
}

/// Adds a rule to those below the heading, which is added if there is none, with the line ends of the file. One that is
/// there, such as a rule that was promoted after it was approved, is not added again.
pub(super) fn listed(text: &str, rule: &str) -> String {
    if text.contains(mark_in(rule)) {
        return text.to_owned();
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let rule = rule.replace('\n', end);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(heading) = heading_of(&lines) else {
        let gap = match text {
            "" => String::new(),
            text if text.ends_with('\n') => end.to_owned(),
            _ => end.repeat(2),
        };
        return format!("{text}{gap}{HEADING}{end}{end}{rule}");
    };
    let below = &lines[heading + 1..];
    let is_rule = |line: &&str| line.contains(MARK_START);
    let rules = below
        .iter()
        .take_while(|line| is_rule(line) || line.trim().is_empty())
        .count();
    let last = below[..rules].iter().rposition(is_rule);
    let at = heading + 1 + last.map_or(rules, |last| last + 1);
    let (before, after) = (lines[..at].concat(), lines[at..].concat());
    let line_end = if before.ends_with('\n') { "" } else { end };
    format!("{before}{line_end}{rule}{after}")
}

/// Makes the change. Returns the topmost directory that was created for it. On an error, the file is unchanged.
pub(crate) fn write(
    path: &Path,
    before: Option<&[u8]>,
    after: &[u8],
) -> Result<Option<PathBuf>, PlaceError> {
    if read(path)?.as_deref() != before {
        return Err(PlaceError::Io {
            path: path.to_owned(),
            source: io::Error::other("changed at this moment; try again"),
        });
    }
    let made = path.parent().and_then(topmost_missing);
    replace(path, after).map_err(|source| {
        if let Some(made) = &made {
            remove_empty(path, made);
        }
        failed(path, source)
    })?;
    Ok(made)
}

pub(super) fn failed(path: &Path, source: io::Error) -> PlaceError {
    PlaceError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Most bytes of a file that rules are written to.
pub(crate) const FILE_BYTES: u64 = 4 << 20;

pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, PlaceError> {
    match own_file::document(path, FILE_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            let dangling = "a link to a file that does not exist";
            Err(failed(path, io::Error::new(error.kind(), dangling)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

fn topmost_missing(folder: &Path) -> Option<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !folder.exists());
    missing.last().map(Path::to_owned)
}

/// Removes the directories of `path` up to `made`, as far as they are empty.
pub(super) fn remove_empty(path: &Path, made: &Path) {
    for folder in path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(made))
    {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Replaces the file at once, and keeps its mode.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_read_only = |meta: fs::Metadata| meta.permissions().mode() & 0o200 == 0;
    if fs::metadata(path).is_ok_and(is_read_only) {
        let why = "read-only; make it writable with `chmod u+w`";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = fs::metadata(path).map_or(0o644, |meta| meta.permissions().mode());
    whole_file::replace(path, content, mode & 0o7777, Durability::Now)
}

#[cfg(test)]
mod tests {
    use super::super::restore::{Written, restore};
    use super::*;
    use ccd_protocol::coach::CandidateType;

    const WORDS: Words<'static> = Words {
        fingerprint: "0123456789abcdef",
        kind: CandidateType::Rule,
        title: "Title",
        trigger: "when x",
        action: "do y",
    };

    fn written(plan: &Plan) -> Written {
        Written {
            before: plan.before.clone(),
            after: plan.after.clone(),
            block: plan.block.clone(),
            is_in_force: true,
        }
    }

    #[test]
    fn a_link_to_nowhere_is_no_place_for_a_rule() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::os::unix::fs::symlink("nowhere", root.join("CLAUDE.md")).unwrap();
        let error = plan(&root.join("home"), WORDS, Scope::Project, root).unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
    }

    #[test]
    fn writing_and_restoring_leaves_every_byte_as_it_was() {
        for before in [
            None,
            Some(""),
            Some("# A\n"),
            Some("no end"),
            Some("a\r\nb\r\n"),
        ] {
            for kind in CandidateType::ALL {
                let folder = tempfile::tempdir().unwrap();
                let root = folder.path().canonicalize().unwrap();
                if let Some(before) = before {
                    fs::write(root.join("CLAUDE.md"), before).unwrap();
                    let mode = fs::Permissions::from_mode(0o640);
                    fs::set_permissions(root.join("CLAUDE.md"), mode).unwrap();
                }
                let words = Words { kind, ..WORDS };
                let plan = plan(&root.join("home"), words, Scope::Project, &root).unwrap();
                let made = write(&plan.path, plan.before.as_deref(), &plan.after).unwrap();
                assert_eq!(fs::read(&plan.path).unwrap(), plan.after);
                restore(&plan.path, &[written(&plan)], 0, made.as_deref()).unwrap();
                let left: Vec<_> = fs::read_dir(&root).unwrap().flatten().collect();
                assert_eq!(left.len(), usize::from(before.is_some()), "{left:?}");
                if let Some(before) = before {
                    let path = root.join("CLAUDE.md");
                    assert_eq!(fs::read_to_string(&path).unwrap(), before);
                    assert_eq!(
                        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                        0o640
                    );
                }
            }
        }
    }

    #[test]
    fn rules_are_a_list_and_each_can_be_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = root.join("CLAUDE.md");
        let approve = |fingerprint: &'static str, title: &'static str| {
            let words = Words {
                fingerprint,
                title,
                ..WORDS
            };
            let plan = plan(&root.join("home"), words, Scope::Project, &root).unwrap();
            write(&plan.path, plan.before.as_deref(), &plan.after).unwrap();
            plan
        };
        let undo = |plan: &Plan| restore(&plan.path, &[written(plan)], 0, None);
        let text = || fs::read_to_string(&path).unwrap();
        fs::write(root.join("AGENTS.md"), "").unwrap();
        let first = approve("111111111111", "Use pnpm");
        assert_eq!(
            text(),
            "@AGENTS.md\n\n## Learned rules\n\n- Use pnpm. <!-- ccd:rule 111111111111 -->\n"
        );
        let own = text() + "\n# Mine\n\n- Be brief.\n";
        fs::write(&path, &own).unwrap();
        let second = approve("222222222222", "Run `make lint`");
        let listed = "- Use pnpm. <!-- ccd:rule 111111111111 -->\n- Run `make lint`. <!-- ccd:rule 222222222222 -->\n\n# Mine";
        assert!(text().contains(listed), "{}", text());
        // A rule that is there already is not written again.
        assert_eq!(
            approve("222222222222", "Run `make lint`").after,
            second.after
        );
        let undone = |plan: &Plan| Written {
            is_in_force: false,
            ..written(plan)
        };
        undo(&first).unwrap();
        let all = [undone(&first), written(&second)];
        restore(&path, &all, 1, None).unwrap();
        assert_eq!(text(), "@AGENTS.md\n\n# Mine\n\n- Be brief.\n");
        let example = "```\n## Learned rules\n```\n";
        fs::write(&path, example).unwrap();
        let other = approve("444444444444", "Other");
        assert_eq!(
            text(),
            format!("{example}\n## Learned rules\n\n- Other. <!-- ccd:rule 444444444444 -->\n")
        );
        undo(&other).unwrap();
        assert_eq!(text(), example);
        let third = approve("333333333333", "Third");
        fs::write(&path, text().replace("Third", "The third")).unwrap();
        assert!(matches!(undo(&third), Err(PlaceError::Changed { .. })));
    }

    #[test]
    fn rules_that_are_undone_in_any_order_leave_the_bytes_of_before() {
        const ORDERS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        for before in [
            None,
            Some(""),
            Some("no end"),
            Some("a\r\nb\r\n"),
            Some("# Mine\n\n## Learned rules\n\nText of mine.\n"),
            Some("## Learned rules"),
        ] {
            for order in ORDERS {
                let folder = tempfile::tempdir().unwrap();
                let root = folder.path().canonicalize().unwrap();
                let path = root.join("CLAUDE.md");
                before
                    .iter()
                    .for_each(|before| fs::write(&path, before).unwrap());
                let mut all: Vec<Written> = Vec::new();
                for (fingerprint, title) in [
                    ("11111111111a", "One"),
                    ("22222222222a", "Two"),
                    ("33333333333a", "Three"),
                ] {
                    let words = Words {
                        fingerprint,
                        title,
                        ..WORDS
                    };
                    let plan = plan(&root.join("home"), words, Scope::Project, &root).unwrap();
                    write(&plan.path, plan.before.as_deref(), &plan.after).unwrap();
                    all.push(written(&plan));
                }
                for target in order {
                    restore(&path, &all, target, None).unwrap();
                    all[target].is_in_force = false;
                }
                assert_eq!(
                    fs::read_to_string(&path).ok().as_deref(),
                    before,
                    "{order:?}"
                );
            }
        }
    }

    #[test]
    fn a_rule_that_was_undone_and_approved_again_leaves_the_bytes_of_before() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = root.join("CLAUDE.md");
        fs::write(&path, "# P\n\ntext\n").unwrap();
        let mut all: Vec<Written> = Vec::new();
        let approve = |title: &'static str, all: &mut Vec<Written>| {
            let fingerprint = title;
            let words = Words {
                fingerprint,
                title,
                ..WORDS
            };
            let plan = plan(&root.join("home"), words, Scope::Project, &root).unwrap();
            write(&plan.path, plan.before.as_deref(), &plan.after).unwrap();
            all.push(written(&plan));
        };
        let undo = |target: usize, all: &mut Vec<Written>| {
            restore(&path, all, target, None).unwrap();
            all[target].is_in_force = false;
        };
        approve("aaaaaaaaaaaa", &mut all);
        approve("bbbbbbbbbbbb", &mut all);
        undo(1, &mut all);
        approve("bbbbbbbbbbbb", &mut all);
        undo(0, &mut all);
        approve("cccccccccccc", &mut all);
        undo(2, &mut all);
        undo(3, &mut all);
        assert_eq!(fs::read_to_string(&path).unwrap(), "# P\n\ntext\n");
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("CLAUDE.md");
        fs::write(&path, "mine").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = write(&path, Some(b"mine"), b"x").unwrap_err();
        assert!(refused.to_string().contains("read-only"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn a_file_that_came_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("CLAUDE.md");
        fs::write(&path, "theirs").unwrap();
        let refused = write(&path, None, b"x").unwrap_err();
        assert!(matches!(refused, PlaceError::Io { .. }), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_file_that_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("CLAUDE.md"), b"\xff\xfe").unwrap();
        let refused = plan(
            &folder.path().join("home"),
            WORDS,
            Scope::Project,
            folder.path(),
        )
        .unwrap_err();
        assert!(matches!(refused, PlaceError::NotText(_)), "{refused}");
    }
}
