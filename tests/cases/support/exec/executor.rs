//! A daemon that runs Claude Code, and what a run left.

use super::claude::Claude;
use super::repository::Repository;
use crate::support::processes::with_variable;
use crate::support::{Daemon, eventually, eventually_within, kind};
use ccd_protocol::exec::{
    ExecGet, ExecRun, ExecRunParams, ExecStarted, ExecutionParams, ExecutionResult,
};
use serde_json::{Value, json};
use std::time::Duration;

/// The daemon's own promise: no process of a run lives longer after its end.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// A daemon and the environment of its runs.
pub(crate) struct Executor {
    pub(crate) daemon: Daemon,
    pub(crate) claude: Claude,
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) result: ExecutionResult,
    /// The files of the work tree and of `.git` that are not as before, sorted; without objects and the lock.
    pub(crate) changed: Vec<String>,
}

impl Executor {
    pub(crate) fn new(claude: Claude) -> Self {
        Self::configured(claude, &json!({}))
    }

    /// Starts a daemon with settings of the executor.
    pub(crate) fn configured(claude: Claude, exec: &Value) -> Self {
        let config = json!({ "exec": exec }).to_string();
        let builder = Daemon::builder().config(&config);
        let daemon = builder.env("PATH", &claude.path_of_daemon()).start();
        Self { daemon, claude }
    }

    /// Returns one whose Claude Code is a script (see [`Claude::script`]).
    pub(crate) fn with_script(body: &str) -> Self {
        Self::new(Claude::script(body))
    }

    /// Returns one with the real Claude Code (see [`Claude::real`]).
    pub(crate) fn with_answers(answers: &Value) -> Option<Self> {
        Claude::real(answers).map(Self::new)
    }

    fn params(&self, repository: &Repository, more: &Value) -> ExecRunParams {
        let mut params = json!({
            "instruction": "do it", "output_format": "json", "timeout": 60, "repo_path": repository.path(),
            "caller_env": self.claude.env,
        });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        serde_json::from_value(params).unwrap()
    }

    pub(crate) fn try_start(
        &self,
        repository: &Repository,
        more: &Value,
    ) -> Result<ExecStarted, Value> {
        self.daemon.call::<ExecRun>(&self.params(repository, more))
    }

    /// Starts a run.
    pub(crate) fn start(&self, repository: &Repository, more: &Value) -> ExecStarted {
        self.try_start(repository, more).unwrap()
    }

    pub(crate) fn job(&self, started: &ExecStarted, wait_ms: u32) -> Value {
        let params = json!({"job": started.job, "wait_ms": wait_ms});
        self.daemon.call_value("job.get", &params).unwrap()
    }

    /// Waits for the progress of a run to be as wanted.
    pub(crate) fn wait_for_progress(
        &self,
        started: &ExecStarted,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        eventually("the run gets there", || {
            let job = self.job(started, 0);
            assert!(job["ended_at"].is_null(), "it has ended: {job}");
            Some(job["progress"].clone()).filter(|progress| wanted(progress))
        })
    }

    /// Waits for a file that the run creates in its home.
    pub(crate) fn wait_for_file(&self, name: &str) -> String {
        eventually(name, || {
            std::fs::read_to_string(self.claude.home().join(name)).ok()
        })
    }

    pub(crate) fn get(&self, started: &ExecStarted) -> ExecutionResult {
        let request_id = started.request_id.clone();
        self.daemon
            .call::<ExecGet>(&ExecutionParams { request_id })
            .unwrap()
    }

    /// Waits for the end of a run, asserts that no process of it is left, and returns its result.
    pub(crate) fn result(&self, started: &ExecStarted) -> ExecutionResult {
        let job = self.job(started, 50_000);
        assert!(job["ended_at"].is_string(), "it has not ended: {job}");
        let result = self.get(started);
        assert!(result.status.has_ended(), "{result:?}");
        // The job, the list of runs, and the run itself say the same.
        let listed = self.daemon.call_value("exec.list", &json!({})).unwrap();
        let runs = listed["executions"].as_array().unwrap();
        let listed = runs
            .iter()
            .find(|run| run["request_id"] == started.request_id)
            .unwrap();
        for summary in [&job["result"], listed] {
            assert_eq!(summary["status"], result.status.name(), "{job}");
            assert_eq!(
                summary["error_message"],
                json!(result.error_message),
                "{job}"
            );
            assert_eq!(
                summary["instruction"],
                result.instruction.chars().take(1000).collect::<String>()
            );
        }
        result
    }

    /// Asserts that the processes of all runs are gone.
    pub(crate) fn assert_nothing_runs(&self) {
        let mark = self.claude.mark();
        let gone = eventually_within(GONE_WITHIN, || {
            with_variable(&mark).is_empty().then_some(())
        });
        assert!(gone.is_some(), "these still run: {}", self.processes());
    }

    /// Returns the processes of all runs, for a person.
    pub(crate) fn processes(&self) -> String {
        let pids = with_variable(&self.claude.mark());
        let line = |pid: i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            format!(
                "{pid} {}",
                String::from_utf8_lossy(&line).replace('\0', " ")
            )
        };
        pids.into_iter().map(line).collect::<Vec<_>>().join(", ")
    }

    /// Runs Claude Code to its end, and asserts that no process of it is left.
    pub(crate) fn run(&self, repository: &Repository, more: &Value) -> Ran {
        let before = repository.state();
        let started = self.start(repository, more);
        let result = self.result(&started);
        self.assert_nothing_runs();
        let changed = before.changed(&repository.state());
        Ran { result, changed }
    }

    /// Asserts that a run is refused or fails with this kind before it changed anything, and returns the message.
    pub(crate) fn refused(&self, repository: &Repository, more: &Value, expected: &str) -> String {
        let before = repository.state();
        let (found, message) = match self.try_start(repository, more) {
            Err(error) => (
                kind(&error).to_owned(),
                error["message"].as_str().unwrap().to_owned(),
            ),
            Ok(started) => {
                let result = self.result(&started);
                (
                    result.error_kind.unwrap_or_default(),
                    result.error_message.unwrap_or_default(),
                )
            }
        };
        assert_eq!(found, expected, "{message}");
        assert!(!message.is_empty());
        assert_eq!(before.changed(&repository.state()), [""; 0]);
        message
    }
}

impl Ran {
    /// Asserts that the run succeeded, and that nothing changed but these files.
    #[track_caller]
    pub(crate) fn succeeded_and_changed(&self, files: &[&str]) -> &ExecutionResult {
        assert_eq!(self.result.error_message, None, "{:?}", self.result);
        assert_eq!(self.result.status.name(), "success");
        assert_eq!(self.changed, files);
        &self.result
    }

    /// Asserts that the run has this verdict, with this in its message, and that nothing changed.
    #[track_caller]
    pub(crate) fn ended_as(&self, status: &str, message: &str) -> &ExecutionResult {
        assert_eq!(self.result.status.name(), status, "{:?}", self.result);
        let text = self.result.error_message.as_deref().unwrap_or_default();
        assert!(
            text.contains(message),
            "{text:?} should contain {message:?}"
        );
        assert_eq!(self.changed, [""; 0]);
        &self.result
    }
}
