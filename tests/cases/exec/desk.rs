//! A repository, a script in place of Claude Code, and `ccctl` in between.

use crate::support::client::Ran;
use crate::support::exec::{Executor, Repository};
use crate::support::{Ccctl, Daemon};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How each script begins, after what [`Claude::script`](crate::support::exec::Claude::script) gives it: it keeps what it
/// was given in its home, and has more functions.
const PRELUDE: &str = r#"
printf '%s\n' "$arguments" > "$HOME/arguments"
printf '%s' "$instruction" > "$HOME/instruction"
line() { printf '%s\n' "$1"; }
bash_call() { line '{"type":"assistant","parent_tool_use_id":null,"message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"'"$1"'"}}]}}'; }
wait_for_go() { touch "$HOME/started"; while ! [ -e "$HOME/go" ]; do sleep 0.05; done; }
"#;

/// Where a user of `ccctl exec` sits.
pub(super) struct Desk {
    executor: Executor,
    repository: Repository,
}

impl Desk {
    /// Starts a daemon, and makes a repository with one commit; `script` is what Claude Code does.
    pub(super) fn with_script(script: &str) -> Self {
        let executor = Executor::with_script(&format!("{PRELUDE}{script}"));
        let repository = Repository::unborn();
        repository.write("a.txt", "one\n");
        repository.commit("First");
        Self {
            executor,
            repository,
        }
    }

    pub(super) fn daemon(&mut self) -> &mut Daemon {
        &mut self.executor.daemon
    }

    pub(super) fn repository(&self) -> &Path {
        self.repository.root()
    }

    /// Where the script leaves files.
    pub(super) fn home(&self) -> PathBuf {
        self.executor.claude.home()
    }

    /// Writes a file of the repository.
    pub(super) fn write(&self, name: &str, content: &str) {
        self.repository.write(name, content);
    }

    pub(super) fn remove_claude(&self) {
        std::fs::remove_file(self.executor.claude.program()).unwrap();
    }

    /// Returns `ccctl`, run in the repository, with the script on its `PATH`.
    pub(super) fn ccctl(&self, args: &[&str]) -> Command {
        let mut command = Ccctl::new(&self.executor.daemon).command(args);
        command
            .current_dir(self.repository())
            .envs(&self.executor.claude.env)
            .env("NO_COLOR", "1");
        command
    }

    /// Returns `ccctl exec`.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        self.ccctl(&[&["exec"], args].concat())
    }

    /// Runs `ccctl exec` until it exits.
    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    /// Runs it with this standard input.
    pub(super) fn run_with(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Runs it with `--output-format json`, and returns its exit status and its document.
    pub(super) fn document(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(&[args, &["--output-format", "json"]].concat());
        let document = serde_json::from_str(&ran.stdout);
        let document = document.unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!(ran.stderr, "", "{args:?}");
        (ran.code.unwrap(), document)
    }

    /// Runs it in the same way, and asserts that it fails with this exit status and kind.
    #[track_caller]
    pub(super) fn failed(&self, args: &[&str], code: i32, kind: &str) -> Value {
        let (exit, document) = self.document(args);
        let found = (exit, document["error_kind"].as_str());
        assert_eq!(found, (code, Some(kind)), "{args:?}: {document}");
        assert_eq!(document["status"], "failed");
        document
    }
}
