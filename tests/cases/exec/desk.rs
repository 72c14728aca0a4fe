//! A repository, a script in place of Claude Code, and `ccctl` in between.

use crate::support::client::Ran;
use crate::support::executable::write_script;
use crate::support::{Ccctl, Daemon};
use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// How the script begins: it reads its arguments and its standard input as Claude Code does.
const STAND_IN: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.330 (Claude Code)'; exit; fi
printf '%s\n' "$*" > "$HOME/arguments"
while [ $# -gt 0 ]; do
    case $1 in --session-id|--resume) id=$2;; esac
    shift
done
cat > "$HOME/instruction"
line() { printf '%s\n' "$1"; }
init() { line '{"type":"system","subtype":"init","session_id":"'"$id"'","model":"opus","claude_code_version":"2.1.330","tools":[]}'; }
say() { line '{"type":"assistant","parent_tool_use_id":null,"message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"'"$1"'"}]}}'; }
bash_call() { line '{"type":"assistant","parent_tool_use_id":null,"message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"'"$1"'"}}]}}'; }
result() { line '{"type":"result","subtype":"success","is_error":false,"result":"'"${1:-Done.}"'","num_turns":1,"total_cost_usd":0.25,"session_id":"'"$id"'","terminal_reason":"completed","permission_denials":[]}'; }
wait_for_go() { touch "$HOME/started"; while ! [ -e "$HOME/go" ]; do sleep 0.05; done; }
"#;

/// Where a user of `ccctl exec` sits.
pub(super) struct Desk {
    pub(super) daemon: Daemon,
    folder: TempDir,
}

impl Desk {
    /// Starts a daemon, and makes a repository with one commit; `script` is what Claude Code does.
    pub(super) fn with_script(script: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ccd-desk-")
            .tempdir()
            .unwrap();
        for name in ["bin", "home", "repository"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let claude = folder.path().join("bin/claude");
        write_script(&claude, &format!("{STAND_IN}{script}\n"));
        let desk = Self {
            daemon: Daemon::start(),
            folder,
        };
        desk.write("a.txt", "one\n");
        desk.git(&["init", "-q", "-b", "main"]);
        desk.git(&["add", "."]);
        desk.git(&["commit", "-q", "-m", "first"]);
        desk
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.folder
            .path()
            .join("repository")
            .canonicalize()
            .unwrap()
    }

    /// Where the script leaves files.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file of the repository.
    pub(super) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.repository().join(name), content).unwrap();
    }

    pub(super) fn remove_claude(&self) {
        std::fs::remove_file(self.folder.path().join("bin/claude")).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
        let status = git.args(args).current_dir(self.repository()).status();
        assert!(status.unwrap().success(), "git {args:?}");
    }

    /// Returns `ccctl exec` in the repository.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Ccctl::new(&self.daemon).command(&[&["exec"], args].concat());
        self.place(&mut command);
        command
    }

    /// Runs a command in the repository, with the script on its `PATH`.
    pub(super) fn place(&self, command: &mut Command) {
        let bin = self.folder.path().join("bin");
        command
            .current_dir(self.repository())
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()),
            )
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("NO_COLOR", "1")
            .env("LANG", "C.UTF-8");
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
}
