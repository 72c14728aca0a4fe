//! The real Claude Code, started directly with the arguments, the standard input and the settings of a run, against a
//! stand-in for its API, without any network.

use crate::hook::claude::{NOBODY, claude};
use crate::support::executable::copy_program;
use crate::support::session::lacks;
use ccd_exec::command::{ConversationId, RunStart, arguments, settings};
use ccd_exec::request::{Defaults, RunRequest};
use ccd_exec::stream::{StreamFacts, StreamReader};
use ccd_policy::Policy;
use ccd_protocol::exec::ExecRunParams;
use rustix::process::geteuid;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Where `ccctl` is: in a directory whose name has to be quoted.
const CCCTL: &str = "it's {a b}/ccctl";

/// A server of tools for the project's `.mcp.json`. Both tools make a file.
const MCP_SERVER: &str = r#"
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, reply = request["method"], {}
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        reply = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        reply = {"tools": [{"name": name, "description": "makes a file", "inputSchema": schema} for name in ("make", "drop")]}
    elif method == "tools/call":
        open(request["params"]["arguments"]["name"], "w").close()
        reply = {"content": [{"type": "text", "text": "made"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": reply}), flush=True)
"#;

/// Runs as nobody in a network namespace; standard input and output are those of Claude Code.
const SCRIPT: &str = r#"
ip link set lo up && cd "$HOME/repo" && exec setpriv --reuid="$0" --regid="$0" --clear-groups \
    python3 "$API" run --script "$HOME/script.json" -- "$@"
"#;

/// Variables that keep Claude Code from the network.
const QUIET: &str = "DISABLE_AUTOUPDATER DISABLE_TELEMETRY DISABLE_ERROR_REPORTING \
                     CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_MAX_RETRIES";

/// Everything that runs share.
pub(super) struct Headless {
    folder: TempDir,
    claude: PathBuf,
}

/// A run. In all texts, `@REPO@` is its repository.
#[derive(Default)]
pub(super) struct Run<'a> {
    pub(super) params: ExecRunParams,
    /// What the stand-in answers: the long form of its scenarios.
    pub(super) script: Value,
    /// Files in the home directory, among them those in `repo/`.
    pub(super) files: Vec<(&'a str, String)>,
    pub(super) env: Vec<(&'a str, &'a str)>,
    /// A file that is missing when Claude Code starts: the policy, or `ccctl`.
    pub(super) missing: Option<&'a str>,
}

/// What was left of a run.
pub(super) struct Ended {
    pub(super) facts: StreamFacts,
    pub(super) policy: Policy,
    /// The files in the repository, hidden ones excepted.
    pub(super) made: BTreeSet<String>,
    pub(super) script: Value,
    pub(super) stderr: String,
}

impl Headless {
    /// Returns `None`, and says why, if such runs are not possible here.
    pub(super) fn new() -> Option<Self> {
        let Some(claude) = claude() else {
            eprintln!("skipped: Claude Code is not installed; .ci/run installs it");
            return None;
        };
        if !geteuid().is_root() || lacks(&["unshare", "setpriv", "ip", "python3"]) {
            eprintln!("skipped: it needs root to make a network namespace");
            return None;
        }
        let folder = tempfile::Builder::new()
            .prefix("ccd-policy-")
            .tempdir()
            .unwrap();
        let ccctl = folder.path().join(CCCTL);
        fs::create_dir(ccctl.parent().unwrap()).unwrap();
        copy_program(env!("CARGO_BIN_EXE_ccctl_under_test"), &ccctl);
        let api = include_str!("../../fixtures/fake_messages_api.py");
        fs::write(folder.path().join("api.py"), api).unwrap();
        fs::write(folder.path().join("mcp.py"), MCP_SERVER).unwrap();
        Some(Self { folder, claude })
    }

    /// As [`Self::run_with`], without files and variables.
    pub(super) fn run(&self, name: &str, params: ExecRunParams, script: Value) -> Ended {
        let run = Run {
            params,
            script,
            ..Run::default()
        };
        self.run_with(name, &run)
    }

    /// Carries a run out; `name` is not used twice.
    pub(super) fn run_with(&self, name: &str, run: &Run<'_>) -> Ended {
        let home = self.folder.path().join(name);
        let script = self.write_files(&home, run);
        let (arguments, policy) = self.prepare(&home, run);
        if let Some(missing) = run.missing {
            fs::rename(home.join(missing), home.join("moved")).unwrap();
        }
        self.give_to_nobody();
        let output = Command::new("unshare")
            .args(["-n", "-p", "-f", "--kill-child", "sh", "-c", SCRIPT])
            .arg(NOBODY.to_string())
            .arg(&self.claude)
            .args(&arguments)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", &home)
            .env("API", self.folder.path().join("api.py"))
            .env("ANTHROPIC_API_KEY", "dummy")
            .envs(QUIET.split_whitespace().map(|name| (name, "1")))
            .envs(run.env.iter().copied())
            .stdin(Stdio::from(File::open(home.join("instruction")).unwrap()))
            .output()
            .unwrap();
        let mut reader = StreamReader::default();
        reader.feed(&output.stdout, |_, _| ());
        Ended {
            facts: reader.finish(|_, _| ()),
            policy,
            made: names(&home.join("repo")),
            script,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Writes what belongs to the run except for its policy, and returns its script.
    fn write_files(&self, home: &Path, run: &Run<'_>) -> Value {
        let repo = home.join("repo");
        fs::create_dir_all(&repo).unwrap();
        let init = Command::new("git").args(["init", "-q"]).arg(&repo).status();
        assert!(init.unwrap().success());
        let own = |text: &str| text.replace("@REPO@", repo.to_str().unwrap());
        let server = json!({"command": "python3", "args": [self.folder.path().join("mcp.py")]});
        let servers = json!({"mcpServers": {"files": server}}).to_string();
        let script = own(&run.script.to_string());
        let always = [("repo/.mcp.json", servers), ("script.json", script.clone())];
        for (file, content) in always.iter().chain(&run.files) {
            let path = home.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, own(content)).unwrap();
        }
        serde_json::from_str(&script).unwrap()
    }

    /// Writes instruction, policy and settings.
    fn prepare(&self, home: &Path, run: &Run<'_>) -> (Vec<String>, Policy) {
        let repo = home.join("repo").to_str().unwrap().to_owned();
        let params = ExecRunParams {
            repo_path: Some(repo.clone()),
            ..run.params.clone()
        };
        let defaults = Defaults {
            timeout: Duration::from_secs(60),
            lock_timeout: Duration::from_secs(1),
        };
        let request = RunRequest::parse(params, &defaults).unwrap();
        let policy = request.tools.at(&repo, home.to_str());
        let [policy_file, settings_file] =
            ["policy.json", "settings.json"].map(|file| home.join(file));
        fs::write(&policy_file, serde_json::to_vec(&policy).unwrap()).unwrap();
        let ccctl = match run.missing {
            Some("ccctl") => home.join("ccctl"),
            _ => self.folder.path().join(CCCTL),
        };
        if run.missing == Some("ccctl") {
            fs::write(&ccctl, "").unwrap();
        }
        let settings = settings(ccctl.to_str().unwrap(), policy_file.to_str().unwrap());
        fs::write(&settings_file, settings.to_string()).unwrap();
        let id = ConversationId::parse("11111111-2222-4333-8444-555555555555").unwrap();
        fs::write(home.join("instruction"), &request.instruction).unwrap();
        let arguments = arguments(&request, &RunStart::New(id), settings_file.to_str());
        (arguments, policy)
    }

    fn give_to_nobody(&self) {
        let chown = Command::new("chown")
            .args(["-R", &format!("{NOBODY}:{NOBODY}")])
            .arg(self.folder.path())
            .status();
        assert!(chown.unwrap().success());
    }
}

impl Ended {
    /// Returns the ids of the violations, sorted, after comparing their names and inputs with the script.
    pub(super) fn violations(&self) -> Vec<&str> {
        let mut ids = Vec::new();
        for call in self.facts.violations(&self.policy) {
            let scripted = find(&self.script, &call.id).expect("the script has the call");
            assert_eq!(scripted["name"], *call.name);
            assert_eq!(scripted["input"], call.input);
            ids.push(&*call.id);
        }
        ids.sort_unstable();
        ids
    }
}

/// Returns the object with this id.
fn find<'a>(value: &'a Value, id: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) if members.get("id").is_some_and(|it| it == id) => Some(value),
        Value::Object(members) => members.values().find_map(|value| find(value, id)),
        Value::Array(values) => values.iter().find_map(|value| find(value, id)),
        _ => None,
    }
}

/// Returns the names in a directory, in order; none if it does not exist.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect()
}
