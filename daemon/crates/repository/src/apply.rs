//! Changes a work tree as a diff says.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use std::io::Write as _;
use std::process::{Output, Stdio};

/// How much of git's messages is kept.
const MESSAGE_LEN: usize = 2000;

/// The exit status of git if a patch does not fit.
const REFUSED: i32 = 1;

impl WorkTree {
    /// Changes the files of the work tree as `patch` says, which [`Self::diff`] has returned. Index, commits and branches stay
    /// as they are. If a part of it does not fit, nothing is changed.
    /// The git program does it. It runs no filters, because the diff has the files as they are, and it leaves white space alone,
    /// whatever the user's settings say.
    pub fn apply(&self, patch: &[u8]) -> Result<()> {
        let (mut git, _folder) = self.program()?;
        if patch.is_empty() {
            return Ok(());
        }
        let mut child = git
            .args(["apply", "--whitespace=nowarn", "--no-ignore-whitespace"])
            .args(["-p1", "--binary", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(RepositoryError::GitMissing)?;
        // git reads all of it before it says anything; if it ends before that, its messages say why.
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(patch);
        }
        let output = child.wait_with_output();
        let output = output.map_err(|error| self.not_applied(error.to_string()))?;
        match output.status.code() {
            Some(0) => Ok(()),
            Some(REFUSED) => Err(RepositoryError::PatchRefused {
                root: self.root.clone(),
                message: messages(&output),
            }),
            _ => Err(self.not_applied(messages(&output))),
        }
    }

    fn not_applied(&self, message: String) -> RepositoryError {
        RepositoryError::GitFailed {
            root: self.root.clone(),
            command: "apply",
            message,
        }
    }
}

/// Returns git's messages in one line, without the word that starts each.
fn messages(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(|line| line.trim_start_matches("error: "));
    let all = lines.collect::<Vec<_>>().join("; ");
    all.chars().take(MESSAGE_LEN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_repository::{commit, git, git_folder, repository};
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    /// Returns what `change` changes in a work tree, which is as before afterwards.
    fn patch_of(folder: &Path, change: impl FnOnce()) -> Vec<u8> {
        let tree = WorkTree::find(folder).unwrap();
        let before = tree.snapshot().unwrap();
        change();
        let patch = tree.diff(&before, &tree.snapshot().unwrap()).unwrap();
        git(folder, &["reset", "-q", "--hard"]);
        git(folder, &["clean", "-qfd"]);
        assert_eq!(tree.snapshot().unwrap(), before);
        patch
    }

    #[test]
    fn a_diff_applies_to_the_files_alone() {
        let folder = repository();
        let root = folder.path();
        commit(root, "old.txt", &"line\n".repeat(30));
        commit(root, "gone.txt", "gone");
        commit(root, "tool.sh", "#!/bin/sh\n");
        let change = || {
            fs::write(root.join("a.txt"), b"a\r\nlatin \xe4  \n").unwrap();
            fs::write(root.join("binary"), [0, 1, 2, 255, 0, 10]).unwrap();
            fs::create_dir(root.join("d")).unwrap();
            fs::rename(root.join("old.txt"), root.join("d/new name.txt")).unwrap();
            fs::remove_file(root.join("gone.txt")).unwrap();
            fs::set_permissions(root.join("tool.sh"), PermissionsExt::from_mode(0o755)).unwrap();
            symlink("a.txt", root.join("link")).unwrap();
            let odd = std::ffi::OsStr::from_bytes(b"odd \"\n\xff");
            fs::write(root.join(odd), "no line end").unwrap();
        };
        let patch = patch_of(root, change);
        assert!(std::str::from_utf8(&patch).is_err());
        let tree = WorkTree::find(root).unwrap();
        let (before, files) = (tree.snapshot().unwrap(), git_folder(root));
        tree.apply(&patch).unwrap();
        let after = tree.snapshot().unwrap();
        assert_eq!(tree.diff(&before, &after).unwrap(), patch);
        assert_eq!(git_folder(root), files);
    }

    #[test]
    fn a_patch_of_which_a_part_does_not_fit_changes_nothing() {
        let folder = repository();
        let root = folder.path();
        commit(root, "b.txt", "one\n");
        let patch = patch_of(root, || {
            fs::write(root.join("a.txt"), "other\n").unwrap();
            fs::write(root.join("b.txt"), "two\n").unwrap();
        });
        fs::write(root.join("b.txt"), "three\n").unwrap();
        let tree = WorkTree::find(root).unwrap();
        let error = tree.apply(&patch).unwrap_err();
        assert!(
            matches!(error, RepositoryError::PatchRefused { .. }),
            "{error}"
        );
        let told = error.to_string();
        assert!(told.contains("b.txt: patch does not apply"), "{told}");
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "a\n");
        for outside in ["../not there", ".git/hooks/post-checkout"] {
            let patch = format!("--- /dev/null\n+++ b/{outside}\n@@ -0,0 +1 @@\n+x\n");
            let error = tree.apply(patch.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("invalid path"), "{error}");
        }
        assert!(tree.apply(b"no patch").is_err());
        tree.apply(b"").unwrap();
    }

    #[test]
    fn settings_for_white_space_and_filters_do_not_count() {
        let folder = repository();
        let root = folder.path();
        commit(root, ".gitattributes", "*.big filter=big\n");
        commit(root, "x.big", "before\n");
        let patch = patch_of(root, || {
            fs::write(root.join("x.big"), "after  \n").unwrap();
            fs::write(root.join("new.big"), "new \t\n").unwrap();
        });
        git(root, &["config", "apply.whitespace", "error"]);
        for key in ["clean", "smudge"] {
            git(
                root,
                &["config", &format!("filter.big.{key}"), "echo spoiled"],
            );
        }
        git(root, &["config", "filter.big.required", "true"]);
        WorkTree::find(root).unwrap().apply(&patch).unwrap();
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        assert_eq!(
            (read("x.big"), read("new.big")),
            ("after  \n".into(), "new \t\n".into())
        );
    }
}
