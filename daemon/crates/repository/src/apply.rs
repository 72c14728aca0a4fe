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
    use crate::test_repository::{commit, git_folder, repository, sh};
    use std::fs;
    use std::path::Path;

    /// Returns what a script changes in a work tree, which is as before afterwards.
    fn patch_of(folder: &Path, script: &str) -> Vec<u8> {
        let tree = WorkTree::find(folder).unwrap();
        let before = tree.snapshot().unwrap();
        sh(folder, script);
        let patch = tree.diff(&before, &tree.snapshot().unwrap()).unwrap();
        sh(folder, "git reset -q --hard; git clean -qfd");
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
        let script = r#"
            printf 'a\r\nlatin \344  \n' > a.txt; printf '\0\1\2\377\0\n' > binary; mkdir d; mv old.txt 'd/new name.txt'
            rm gone.txt; chmod 755 tool.sh; ln -s a.txt link; printf 'no line end' > "$(printf 'odd "\n\377')""#;
        let patch = patch_of(root, script);
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
        let patch = patch_of(root, "echo other > a.txt; echo two > b.txt");
        fs::write(root.join("b.txt"), "three\n").unwrap();
        let tree = WorkTree::find(root).unwrap();
        let error = tree.apply(&patch).unwrap_err();
        let told = error.to_string();
        assert!(
            matches!(error, RepositoryError::PatchRefused { .. }),
            "{told}"
        );
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
        let patch = patch_of(root, r"echo 'after  ' > x.big; printf 'new \t\n' > new.big");
        let settings = "git config apply.whitespace error; git config filter.big.required true
            for key in clean smudge; do git config filter.big.$key 'echo spoiled'; done";
        sh(root, settings);
        WorkTree::find(root).unwrap().apply(&patch).unwrap();
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        assert_eq!(read("x.big"), "after  \n");
        assert_eq!(read("new.big"), "new \t\n");
    }
}
