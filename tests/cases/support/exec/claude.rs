//! Claude Code itself, and a script in its place.

use super::api::Api;
use crate::support::client::CCCTL;
use crate::support::executable::write_script;
use crate::support::session::lacks;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How each stand-in begins: it reads its arguments and its standard input as Claude Code does.
const STAND_IN: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.330 (Claude Code)'; exit; fi
arguments="$*"
while [ $# -gt 0 ]; do
    case $1 in --session-id|--resume) id=$2;; esac
    shift
done
instruction=$(cat; echo .)
instruction=${instruction%.}
init() { printf '{"type":"system","subtype":"init","session_id":"%s","model":"m","claude_code_version":"2.1.330","tools":[]}\n' "$id"; }
say() { printf '{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"%s"}]},"parent_tool_use_id":null,"session_id":"%s"}\n' "$1" "$id"; }
result() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","num_turns":1,"total_cost_usd":0.25,"session_id":"%s","terminal_reason":"completed","permission_denials":[]}\n' "${1:-Done.}" "$id"; }
"#;

/// The environment of a run: a `PATH` with a program `claude`, and a home of its own.
pub(crate) struct Claude {
    folder: TempDir,
    pub(crate) env: BTreeMap<String, String>,
    _api: Option<Api>,
}

impl Claude {
    /// Returns a stand-in: a shell script that has read its arguments and its instruction, and has the functions `init`,
    /// `say` and `result`.
    pub(crate) fn script(body: &str) -> Self {
        let claude = Self::without_program();
        claude.stand_in(body);
        claude
    }

    /// Makes a stand-in with this script the program.
    pub(crate) fn stand_in(&self, body: &str) {
        self.replace(&format!("{STAND_IN}{body}\n"));
    }

    /// Returns Claude Code itself with the model's answers, allowed to use all tools; `None`, which is printed, if it is not
    /// installed.
    ///
    /// It can reach nothing but the loopback: it is told to talk to the API alone, and its proxy does not exist.
    pub(crate) fn real(answers: &Value) -> Option<Self> {
        let program = installed()?;
        if lacks(&["python3"]) {
            eprintln!("skipped: the stand-in for the API needs python3");
            return None;
        }
        let mut claude = Self::without_program();
        symlink(program, claude.folder.path().join("bin/claude")).unwrap();
        let api = Api::start(claude.folder.path(), answers);
        let config = claude.home().join(".claude");
        fs::create_dir(&config).unwrap();
        let tools = ["Bash", "Write", "Edit", "Read", "Agent", "Task"];
        let settings = json!({"permissions": {"allow": tools}}).to_string();
        fs::write(config.join("settings.json"), settings).unwrap();
        let nowhere = "http://127.0.0.1:9";
        for (name, value) in [
            ("ANTHROPIC_BASE_URL", &*api.url),
            ("ANTHROPIC_API_KEY", "dummy"),
            ("CLAUDE_CONFIG_DIR", config.to_str().unwrap()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("HTTP_PROXY", nowhere),
            ("HTTPS_PROXY", nowhere),
            ("NO_PROXY", "127.0.0.1"),
        ] {
            claude.set(name, value);
        }
        claude._api = Some(api);
        Some(claude)
    }

    /// Returns an environment in which there is no `claude`.
    pub(crate) fn without_program() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ccd-run-")
            .tempdir()
            .unwrap();
        for name in ["bin", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut claude = Self {
            folder,
            env: BTreeMap::new(),
            _api: None,
        };
        let path = claude.folder.path().to_str().unwrap().to_owned();
        claude.set("PATH", &format!("{path}/bin:/usr/local/bin:/usr/bin:/bin"));
        claude.set("HOME", &format!("{path}/home"));
        claude.set("GIT_CONFIG_NOSYSTEM", "1");
        claude.set("LANG", "C.UTF-8");
        // Every process of a run inherits it.
        claude.set("CCD_TEST_RUN", &path);
        claude
    }

    /// Sets a variable of the run.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// Makes this text the program.
    pub(crate) fn replace(&self, text: &str) {
        write_script(&self.folder.path().join("bin/claude"), text);
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.folder.path().join("bin/claude")
    }

    /// Returns the `PATH` of the daemon, which has `ccctl` for the hook that enforces a tool policy.
    pub(super) fn path_of_daemon(&self) -> String {
        let tools = self.folder.path().join("tools");
        fs::create_dir(&tools).unwrap();
        symlink(CCCTL, tools.join("ccctl")).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{path}", tools.display())
    }

    /// The home of the run, where a stand-in may put files.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns the variable that marks the processes of the run.
    pub(crate) fn mark(&self) -> String {
        format!("CCD_TEST_RUN={}", self.env["CCD_TEST_RUN"])
    }
}

/// The program that `.ci/run` installs, unless `$CCD_TEST_CLAUDE` names another one.
fn installed() -> Option<PathBuf> {
    let installed = "../target/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude";
    let path = match std::env::var_os("CCD_TEST_CLAUDE") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(installed),
    };
    if !path.exists() {
        eprintln!("skipped: Claude Code is not installed; .ci/run installs it");
        return None;
    }
    Some(path.canonicalize().unwrap())
}
