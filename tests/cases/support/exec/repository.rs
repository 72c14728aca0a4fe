//! A git repository in which Claude Code runs.

use super::state::WorkTreeFiles;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What a commit changes in `.git`, besides objects.
pub(crate) const COMMITTED: [&str; 5] = [
    ".git/COMMIT_EDITMSG",
    ".git/index",
    ".git/logs/HEAD",
    ".git/logs/refs/heads/main",
    ".git/refs/heads/main",
];

/// A repository; it ends with the test.
pub(crate) struct Repository {
    root: PathBuf,
    /// The directory that contains it. A linked work tree has none of its own.
    folder: Option<TempDir>,
}

impl Repository {
    /// Creates one with a commit on `main`: `kept.txt` with 50 lines, `old.txt`, and `.gitignore` for `*.ignored`.
    pub(crate) fn new() -> Self {
        let repository = Self::unborn();
        let lines: String = (1..=50).map(|line| format!("line {line}\n")).collect();
        let others = lines.replace("line", "old line");
        repository.write("kept.txt", lines);
        repository.write("old.txt", others);
        repository.write(".gitignore", "*.ignored\n");
        repository.commit("First");
        repository
    }

    /// Creates one without a commit.
    pub(crate) fn unborn() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ccd-repo-")
            .tempdir()
            .unwrap();
        let repository = Self {
            root: folder.path().canonicalize().unwrap().join("project"),
            folder: Some(folder),
        };
        fs::create_dir(repository.root()).unwrap();
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["config", "user.name", "Test"]);
        repository.git(&["config", "user.email", "test@example.org"]);
        repository
    }

    /// Returns the same repository as its work tree `root` sees it.
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root, folder: None }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder
            .as_ref()
            .unwrap()
            .path()
            .canonicalize()
            .unwrap()
            .join(name)
    }

    /// Runs git, which must succeed, and returns its output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {errors}");
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    /// Runs git without the user's configuration; it writes to the index only if it must.
    pub(crate) fn try_git(&self, args: &[&str]) -> Output {
        let mut git = Command::new("git");
        git.args(args).current_dir(&self.root);
        git.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]);
        git.env("GIT_OPTIONAL_LOCKS", "0").output().unwrap()
    }

    /// Writes a file, and the directories that it needs.
    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Adds another repository as a submodule, and commits that.
    pub(crate) fn add_submodule(&self, other: &Self, name: &str) {
        let allow = "protocol.file.allow=always";
        let add = ["-c", allow, "submodule", "add", "-q", &other.path(), name];
        self.git(&add);
        self.commit("Submodule");
    }

    /// Returns what git itself says of the changes since a commit: those in the work tree, untracked files included. It
    /// works with another index.
    pub(crate) fn diff_since(&self, commit: &str) -> String {
        let index = self.beside("index-of-the-test");
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(args)
                .current_dir(&self.root)
                .env("GIT_INDEX_FILE", &index);
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap()
        };
        git(&["read-tree", commit]);
        git(&["add", "-A"]);
        let output = git(&["diff", "--cached", "-M", "--binary", commit]);
        let _ = fs::remove_file(&index);
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Returns what the user sees of the changes: which are staged, which are not, and stashes.
    pub(crate) fn changes(&self) -> String {
        let unstaged = self.git(&["diff", "--binary"]);
        let staged = self.git(&["diff", "--cached", "--binary"]);
        let status = self.git(&["status", "--porcelain", "--ignored"]);
        let stashes = self.git(&["stash", "list"]);
        format!("{status}\n-- staged\n{staged}\n-- unstaged\n{unstaged}\n-- stashes\n{stashes}")
    }

    pub(super) fn state(&self) -> WorkTreeFiles {
        WorkTreeFiles::of(&self.root)
    }

    /// Returns the root as a path of the protocol.
    pub(crate) fn path(&self) -> String {
        String::from_utf8(self.root.as_os_str().as_bytes().to_vec()).unwrap()
    }
}
