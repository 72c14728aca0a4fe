//! A call of a tool: who calls, what is allowed, and what comes of it.

use crate::daemon::Calls;
use crate::policy::{Policy, Reach};
use ccd_protocol::mcp::Opening;
use ccd_protocol::session::{Session, SessionCreateParams};
use ccd_protocol::{ErrorCode, ErrorObject};
use rmcp::model::ToolAnnotations;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Ends a session of an agent after an hour without input or output, and after a day: agents forget them.
const IDLE_S: f64 = 3600.0;
const RUNTIME_S: f64 = 86_400.0;

/// A test writes tools.json from the types of the arguments; the program does not contain their schemas.
#[cfg(test)]
pub(crate) use schemars::JsonSchema as Described;
#[cfg(not(test))]
pub(crate) trait Described {}
#[cfg(not(test))]
impl<T> Described for T {}

/// A tool.
pub(crate) trait Tool: DeserializeOwned + Described + Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    /// It changes nothing.
    const READS: bool;
    /// If a worker ends during a call, the next one carries it out again.
    const REPEATS: bool = Self::READS;
    /// How long it may wait without an argument `timeout_s`, in seconds, for the progress that clients show.
    const WAIT_S: Option<f64> = None;

    /// What clients are told of its effects.
    fn hints() -> ToolAnnotations {
        ToolAnnotations::with_title(Self::TITLE)
            .read_only(Self::READS)
            .destructive(!Self::READS)
            .open_world(!Self::READS)
    }

    /// Carries out the call.
    fn run(self, call: &Call<'_>) -> impl Future<Output = Result<ToolOutput, Mistake>> + Send;
}

/// What a tool returns.
pub(crate) struct ToolOutput {
    pub(crate) text: String,
    /// A PNG in base64.
    pub(crate) image: Option<String>,
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self { text, image: None }
    }
}

/// Why a tool did nothing, as a sentence for the agent.
pub(crate) struct Mistake(pub(crate) String);

impl Mistake {
    /// Nothing is said: this worker ends, and the next one carries out the call again.
    pub(crate) fn next_worker_answers() -> Self {
        Self(String::new())
    }
}

impl From<String> for Mistake {
    fn from(sentence: String) -> Self {
        Self(sentence)
    }
}

impl From<ErrorObject> for Mistake {
    fn from(error: ErrorObject) -> Self {
        let hint = match error.known() {
            // The hints of these are commands for people.
            Some(ErrorCode::SessionNotFound) => Some("session_list shows the sessions"),
            Some(ErrorCode::ShellBusy) => Some(
                "this command was not run; wait for the running one with session_read, answer it with session_send, or stop it with the key C-c",
            ),
            Some(ErrorCode::NotAShell) => Some(
                "shell_run needs bash, zsh, fish or a POSIX shell; use session_send with pattern for other programs",
            ),
            Some(ErrorCode::SessionNotAlive) => Some("session_read still returns its output"),
            _ => error.hint(),
        };
        Self(match hint {
            Some(hint) => format!("{}; {hint}", error.message),
            None => error.message,
        })
    }
}

/// The circumstances of a call.
pub(crate) struct Call<'a> {
    pub(crate) calls: Calls<'a>,
    pub(crate) opening: &'a Opening,
    pub(crate) policy: Arc<Policy>,
    /// The same for a repetition of the call by the next worker.
    pub(crate) key: String,
    /// Held while the agent's own shell is looked up or started.
    pub(crate) shell: &'a tokio::sync::Mutex<()>,
}

impl Call<'_> {
    /// Returns the id of a session that the agent may use.
    /// An error if there is none, or if it is not the agent's and the agent may use only its own.
    pub(crate) async fn session(&self, session: &str) -> Result<String, Mistake> {
        if self.policy.sessions == Reach::All {
            return Ok(session.to_owned());
        }
        let record = self.calls.record(session).await?;
        if self.sees(&record) {
            Ok(record.session_id)
        } else {
            Err(Mistake(format!(
                "{session}: you did not start this session, and the configuration key mcp.sessions is \"own\""
            )))
        }
    }

    /// Returns whether the agent may use the session.
    pub(crate) fn sees(&self, session: &Session) -> bool {
        let is_own = || session.created_by.as_deref() == Some(self.calls.agent);
        self.policy.sessions == Reach::All || is_own()
    }

    /// Fails unless the agent may start the program.
    pub(crate) fn require_program(&self, program: &str) -> Result<(), Mistake> {
        if self.policy.allows(program) {
            Ok(())
        } else {
            Err(self.refused(program))
        }
    }

    /// Returns the user's shell, which the agent may start.
    pub(crate) fn require_shell(&self) -> Result<(), Mistake> {
        let env = self.opening.env.as_ref();
        let shell = env.and_then(|env| env.get("SHELL"));
        let shell = shell.map_or("/bin/sh", String::as_str);
        if self.policy.allows_shell(shell) {
            Ok(())
        } else {
            Err(self.refused(shell))
        }
    }

    fn refused(&self, program: &str) -> Mistake {
        let allowed = if self.policy.programs.is_empty() {
            "no program".to_owned()
        } else {
            format!("only {}", self.policy.programs.join(", "))
        };
        Mistake(format!(
            "{program} is not allowed: the configuration key mcp.programs allows {allowed}"
        ))
    }

    /// Returns what starts the user's shell. What an agent types does not belong into the user's own history, and `git log`
    /// is not to wait in a pager.
    pub(crate) fn create_shell(&self, cwd: Option<String>, keep: bool) -> SessionCreateParams {
        let mut params = self.create(cwd, keep);
        params.shell = true;
        for (name, value) in [
            ("HISTFILE", "/dev/null"),
            ("PAGER", "cat"),
            ("GIT_PAGER", "cat"),
        ] {
            params.env.insert(name.to_owned(), value.to_owned());
        }
        params
    }

    /// Returns what starts a session in the client's directory and environment.
    pub(crate) fn create(&self, cwd: Option<String>, keep: bool) -> SessionCreateParams {
        SessionCreateParams {
            cwd: cwd.or_else(|| self.opening.cwd.clone()),
            inherited: self.opening.inherited(),
            persist: Some(keep),
            session_timeout_s: (!keep).then_some(IDLE_S),
            max_session_runtime_s: (!keep).then_some(RUNTIME_S),
            ..SessionCreateParams::default()
        }
    }
}

/// Returns the offset after the output of a session so far.
pub(super) async fn end_of(call: &Call<'_>, session: &str) -> Result<u64, Mistake> {
    Ok(call.calls.record(session).await?.output.output_bytes)
}
