//! Which file a candidate belongs to.

use ccd_protocol::coach::{CandidateType, Scope};
use std::path::{Path, PathBuf};

/// Most characters of a file's name that is made of a title.
const MAX_SLUG_LEN: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// What the paths in a patch start from.
    pub(super) root: PathBuf,
    /// Absolute; a link has been followed.
    pub(super) path: PathBuf,
    /// The block is added to the file's other content, instead of being all of it.
    pub(super) is_shared: bool,
}

/// Returns the file for a candidate. `claude` has Claude Code's user-wide files (`~/.claude`), `root` the project.
pub(super) fn target(
    claude: &Path,
    kind: CandidateType,
    title: &str,
    scope: Scope,
    root: &Path,
) -> Target {
    let (root, folder) = match scope {
        Scope::Project => (root.to_owned(), root.join(".claude")),
        Scope::Global => (claude.to_owned(), claude.to_owned()),
    };
    let (path, is_shared) = match kind {
        CandidateType::Skill => (unused(&folder.join("skills"), &slug(title)), false),
        _ => (instructions(&root, scope), true),
    };
    Target {
        root: root.canonicalize().unwrap_or(root),
        path: path.canonicalize().unwrap_or(path),
        is_shared,
    }
}

/// Returns the file with instructions that Claude Code reads, otherwise the one to create.
fn instructions(root: &Path, scope: Scope) -> PathBuf {
    let inner = root.join(".claude/CLAUDE.md");
    if scope == Scope::Project && inner.is_file() && !root.join("CLAUDE.md").is_file() {
        inner
    } else {
        root.join("CLAUDE.md")
    }
}

pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' | '_' => slug.push(letter),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(MAX_SLUG_LEN);
    match slug.trim_end_matches('-') {
        "" => "rule".to_owned(),
        slug => slug.to_owned(),
    }
}

/// Returns the path of a skill that does not exist: `SLUG/SKILL.md`, with a number if it does.
fn unused(folder: &Path, slug: &str) -> PathBuf {
    let numbers = std::iter::once(String::new()).chain((2..).map(|number| format!("-{number}")));
    for number in numbers {
        let path = folder.join(format!("{slug}{number}")).join("SKILL.md");
        if !path.exists() {
            return path;
        }
    }
    unreachable!("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_for_the_title() {
        for (title, expected) in [
            (
                "Use `npm ci`, not npm install!",
                "use-npm-ci-not-npm-install",
            ),
            ("  ../../etc/passwd  ", "etc-passwd"),
            ("", "rule"),
            ("日本語", "rule"),
            ("a_b", "a_b"),
        ] {
            assert_eq!(slug(title), expected);
        }
        assert_eq!(slug(&"x y ".repeat(40)).len(), 49);
    }

    #[test]
    fn rules_go_where_the_project_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let target = |kind, scope| {
            let target = target(&root.join("home"), kind, "Some title", scope, &root);
            let path = target.path.strip_prefix(&root).unwrap();
            (path.to_str().unwrap().to_owned(), target.is_shared)
        };
        let rule = || target(CandidateType::Rule, Scope::Project);
        assert_eq!(rule(), ("CLAUDE.md".into(), true));
        std::fs::create_dir(root.join(".claude")).unwrap();
        std::fs::write(root.join(".claude/CLAUDE.md"), "").unwrap();
        assert_eq!(rule(), (".claude/CLAUDE.md".into(), true));
        std::fs::create_dir(root.join("docs")).unwrap();
        std::fs::write(root.join("docs/x.md"), "").unwrap();
        std::os::unix::fs::symlink("docs/x.md", root.join("CLAUDE.md")).unwrap();
        assert_eq!(rule(), ("docs/x.md".into(), true));
        assert_eq!(target(CandidateType::Checklist, Scope::Project), rule());
        let skill = target(CandidateType::Skill, Scope::Global);
        assert_eq!(skill, ("home/skills/some-title/SKILL.md".into(), false));
    }
}
