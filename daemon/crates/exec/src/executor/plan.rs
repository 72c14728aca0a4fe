//! From a request to a run that may be started.

use super::Executor;
use super::sessions::new_id;
use crate::command::{RunStart, is_removed};
use crate::error::ExecError;
use crate::record::{ExecWrite, ExecutionRow};
use crate::request::{Defaults, RunRequest};
use crate::run::before::RunDirectory;
use crate::run::{answered, plain, program};
use crate::tape::RunTapes;
use ccd_protocol::exec::ExecRunParams;
use ccd_repository::WorkTree;
use ccd_store::blocking;
use ccd_terminal::ProcessSettings;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How long opening a repository may take. It takes milliseconds.
pub(super) const FIND_LIMIT: Duration = Duration::from_secs(20);

/// The variable that marks processes of the daemon's sessions: a run belongs to none, even if its caller does.
const SESSION_VARIABLE: &str = ccd_terminal::holder::SESSION_VARIABLE;

/// A run that has its place in the audit log, and waits to be carried out.
#[derive(Debug)]
pub struct Planned {
    pub request_id: String,
    pub session_id: String,
    pub(super) request: RunRequest,
    pub(super) start: RunStart,
    pub(super) place: RunDirectory,
    pub(super) repository: String,
    /// Not needed if a tape answers.
    pub(super) claude: Option<PathBuf>,
    pub(super) run_tapes: Option<RunTapes>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) settings: ProcessSettings,
    pub(super) warnings: Vec<String>,
}

impl Executor {
    /// Checks a request, and records it. `client` is the name of the client.
    pub async fn plan(
        &self,
        mut params: ExecRunParams,
        client: Option<String>,
        job: String,
    ) -> Result<Planned, ExecError> {
        let settings = self.settings();
        let (program_settings, warnings) = ProcessSettings::allowed(&params.inherited);
        let (env, tape) = (params.inherited.caller_env.take(), params.tape.take());
        let env = environment(env.unwrap_or_else(|| std::env::vars().collect()));
        let defaults = Defaults {
            timeout: settings.timeout,
            lock_timeout: settings.lock_timeout,
        };
        let request = RunRequest::parse(params, &defaults)?;
        let path = request.repo_path.clone();
        let root = path.clone();
        let place = blocking(move || {
            let tree = WorkTree::find(&path)?;
            let cwd = path.canonicalize().unwrap_or(path);
            Ok::<_, ExecError>(RunDirectory { tree, cwd })
        });
        let place = answered(&root, FIND_LIMIT, place).await?;
        let repository = place.tree.repository().to_string_lossy().into_owned();
        let start = self
            .conversation(&request.conversation, &repository)
            .await?;
        let run_tapes = match tape {
            Some(options) => Some(self.run_tapes(options, &request, &start, &place).await?),
            None => None,
        };
        let claude = match &run_tapes {
            Some(run_tapes) if run_tapes.answers() => None,
            _ => {
                let search = env.get("PATH").map_or("", String::as_str);
                Some(program::find(&settings.claude, search)?)
            }
        };
        let session_id = match &start {
            RunStart::New(id) | RunStart::Resume(id) => id.as_str().to_owned(),
        };
        let planned = Planned {
            request_id: new_id(),
            session_id,
            request,
            start,
            place,
            repository,
            claude,
            run_tapes,
            env,
            settings: program_settings,
            warnings,
        };
        let row = planned.row(client, job);
        let request = ExecWrite::Request(Box::new(row));
        self.database().await?.commit(request).await?;
        Ok(planned)
    }
}

impl Planned {
    #[must_use]
    pub fn cwd(&self) -> &str {
        self.place.cwd.to_str().unwrap_or("/")
    }

    /// Returns it as the audit log has it.
    fn row(&self, client: Option<String>, job: String) -> ExecutionRow {
        let request = &self.request;
        let rules: Vec<&str> = request
            .tools
            .rules
            .iter()
            .map(ccd_policy::Rule::as_str)
            .collect();
        ExecutionRow {
            request_id: self.request_id.clone(),
            job,
            status: "queued".into(),
            instruction: plain::text(&request.instruction),
            session_id: self.session_id.clone(),
            timestamp: ccd_base::clock::now(),
            repo_path: self.place.tree.root.to_string_lossy().into_owned(),
            repository: self.repository.clone(),
            output_format: word(&request.output_format),
            mode: word(&request.tools.mode),
            tools: serde_json::to_string(&rules).unwrap_or_default(),
            permission_mode: request.permission_mode.map(str::to_owned),
            model: request.model.clone(),
            max_turns: request.max_turns.map(|turns| i64::from(turns.get())),
            timeout: i64::try_from(request.timeout.as_secs()).unwrap_or(i64::MAX),
            dirty_worktree: word(&request.dirty_worktree),
            client,
        }
    }
}

/// Returns the name of a choice as it is written in JSON.
fn word<T: Serialize>(choice: &T) -> String {
    let value = serde_json::to_value(choice).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn environment(mut env: BTreeMap<String, String>) -> BTreeMap<String, String> {
    env.retain(|name, value| {
        let is_good = !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0');
        is_good && !is_removed(name) && name != SESSION_VARIABLE
    });
    env
}
