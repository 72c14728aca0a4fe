//! The checked request to start a session.

use super::environment::{Environment, reuse_hash};
use super::start_up::Origin;
use crate::durations::seconds;
use crate::program::Script;
use crate::session::error::SessionError;
use crate::session::registry::Sessions;
use crate::session::settings::SessionSettings;
use crate::session::shell::{KNOWN, ShellKind, reads_start_files};
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_tape::format::{Meta, PtySize};
use ccd_terminal::ProcessSettings;
use ccd_text::expect::encoding_for;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Maximum length of a terminal type; the longest in the terminfo database has 28.
const MAX_TERM_BYTES: usize = 64;

pub(crate) struct Plan {
    pub(super) name: Option<SessionId>,
    pub(super) id: Option<SessionId>,
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) env: Environment,
    pub(super) settings: ProcessSettings,
    pub(super) rows: u16,
    pub(super) cols: u16,
    pub(super) encoding: &'static encoding_rs::Encoding,
    pub(super) persist: bool,
    pub(super) timeout: Duration,
    pub(super) idle_limit: Duration,
    pub(super) runtime_limit: Duration,
    pub(super) log_limit_bytes: u64,
    pub(super) output_limit: u64,
    pub(super) warnings: Vec<String>,
    pub(super) reuse_hash: [u8; 32],
    pub(super) origin: Option<Arc<Origin>>,
    /// See [`Facts::started_by`](crate::session::facts::Facts::started_by).
    pub(super) started_by: Option<&'static str>,
    /// See [`Facts::created_by`](crate::session::facts::Facts::created_by).
    pub(super) created_by: Option<String>,
}

impl Sessions {
    /// Checks a request, and fills in what it omits.
    pub(super) fn plan(
        &self,
        params: &SessionCreateParams,
        script: Option<&Script>,
        settings: &SessionSettings,
    ) -> Result<Plan, SessionError> {
        let mut warnings = Vec::new();
        let id = params
            .id
            .as_deref()
            .map(|id| checked_id("id", id))
            .transpose()?;
        let name = params
            .name
            .as_deref()
            .map(|name| checked_id("name", name))
            .transpose()?;
        let rows = size("rows", params.rows, 24, settings.max_rows)?;
        let cols = size("cols", params.cols, 80, settings.max_cols)?;
        let label = params.encoding.as_deref().unwrap_or("utf-8");
        let encoding = encoding_for(label)
            .map_err(|error| SessionError::InvalidArgument(error.to_string()))?;
        let env = Environment::of(params)?;
        let (settings_of_program, mut more) = ProcessSettings::of(&params.inherited);
        warnings.append(&mut more);
        let cwd = match &params.cwd {
            Some(cwd) if cwd.starts_with('/') => PathBuf::from(cwd),
            Some(cwd) => {
                return Err(SessionError::InvalidArgument(format!(
                    "cwd {cwd:?} is not absolute: the daemon does not know which directory it is relative to"
                )));
            }
            None => env.home(),
        };
        let program = match (&params.program, params.shell) {
            (Some(program), _) => program.clone(),
            (None, true) => env
                .get("SHELL")
                .filter(|shell| !shell.is_empty())
                .unwrap_or("/bin/sh")
                .to_owned(),
            (None, false) => {
                return Err(SessionError::InvalidArgument("program is missing".into()));
            }
        };
        if params.pipes && params.shell {
            return Err(SessionError::InvalidArgument(
                "shell needs a terminal: omit either shell or pipes".into(),
            ));
        }
        check_echo(params)?;
        let persist = params.persist.unwrap_or(name.is_some());
        let limit = |given: Option<f64>,
                     default: Option<Duration>,
                     what: &str,
                     warnings: &mut Vec<String>| match given {
            Some(value) => seconds(value, what, warnings),
            None if persist => Ok(Duration::ZERO),
            None => Ok(default.unwrap_or(Duration::ZERO)),
        };
        let idle_limit = limit(
            params.session_timeout_s,
            settings.session_timeout,
            "session_timeout_s",
            &mut warnings,
        )?;
        let runtime_limit = limit(
            params.max_session_runtime_s,
            settings.max_session_runtime,
            "max_session_runtime_s",
            &mut warnings,
        )?;
        let timeout = match params.timeout_s {
            Some(value) => seconds(value, "timeout_s", &mut warnings)?,
            // The configuration file takes precedence over the program's own configuration.
            None => match script.and_then(|script| script.timeout) {
                Some(timeout) if !settings.has_default_timeout => timeout,
                _ => settings.default_timeout,
            },
        };
        let mut plan = Plan {
            id,
            name,
            program,
            args: params.args.clone(),
            cwd,
            env,
            settings: settings_of_program,
            rows,
            cols,
            encoding,
            persist,
            timeout,
            idle_limit,
            runtime_limit,
            log_limit_bytes: count(
                "max_output_size",
                params.max_output_size,
                settings.max_output_size.unwrap_or(0),
            )?,
            output_limit: count(
                "output_limit",
                params.output_limit,
                settings.output_limit as u64,
            )?
            .max(1),
            warnings,
            reuse_hash: [0; 32],
            origin: script.map(|script| Arc::new(Origin::of(script))),
            started_by: None,
            created_by: None,
        };
        plan.reuse_hash = reuse_hash(
            &self.reuse_key,
            params,
            &plan.program,
            &plan.cwd,
            (rows, cols),
        );
        Ok(plan)
    }
}

impl Plan {
    /// Warns if `session.run` cannot type commands into the program, or cannot set up the shell for them.
    pub(crate) fn warn_of_plain_shell(&mut self) {
        let args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
        let program = Path::new(&self.program);
        let why = match ShellKind::of(program, &args) {
            None => format!(
                "{} is not a shell that session run knows ({KNOWN}), so it is started as it is",
                self.program
            ),
            Some(_) if !reads_start_files(program, &args) => format!(
                "{} reads no start file of ccd, so it is started as it is; session run works, but types a longer line",
                [std::slice::from_ref(&self.program), &self.args[..]]
                    .concat()
                    .join(" ")
            ),
            Some(_) => return,
        };
        self.warnings.push(why);
    }

    /// Returns the start as a recording stores it, including the whole environment.
    pub(crate) fn meta(&self, params: &SessionCreateParams) -> Meta {
        let (rows, cols) = (self.rows, self.cols);
        Meta {
            created_at: ccd_text::clock::now(),
            program: self.program.clone(),
            args: self.args.clone(),
            env: self.env.texts(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            pty: (!params.pipes).then_some(PtySize { rows, cols }),
            plain: params.plain && !params.pipes,
            ..Meta::default()
        }
    }
}

/// Checks that a terminal type can be one: the terminfo database has none with other characters or of this length.
pub(super) fn check_term(term: &str) -> Result<(), SessionError> {
    let is_name = |byte: u8| byte.is_ascii_graphic() && byte != b'/';
    if (1..=MAX_TERM_BYTES).contains(&term.len()) && term.bytes().all(is_name) {
        return Ok(());
    }
    Err(SessionError::InvalidArgument(format!(
        "term is 1 to {MAX_TERM_BYTES} printable ASCII characters without blanks and slashes, not {:?}",
        term.chars().take(MAX_TERM_BYTES).collect::<String>()
    )))
}

/// Checks the request's `echo` against what it cannot be combined with.
fn check_echo(params: &SessionCreateParams) -> Result<(), SessionError> {
    let mistake = match params.echo {
        Some(_) if params.pipes => "pipes do not echo: omit either echo or pipes",
        Some(true) if params.plain => "plain turns the echo off: omit either echo or plain",
        // Without the echo, a recording cannot distinguish passwords from other input.
        Some(false) if params.tape.is_some() => {
            "tapes need a terminal that echoes: omit either echo or tape"
        }
        _ => return Ok(()),
    };
    Err(SessionError::InvalidArgument(mistake.into()))
}

/// Parses an id or name; `what` names it in the error.
pub(super) fn checked_id(what: &str, text: &str) -> Result<SessionId, SessionError> {
    SessionId::parse(text)
        .map_err(|error| SessionError::InvalidArgument(format!("the {what} {text:?} {error}")))
}

pub(crate) fn size(
    what: &str,
    given: Option<i64>,
    default: u16,
    max: u16,
) -> Result<u16, SessionError> {
    let value = given.unwrap_or_else(|| i64::from(default));
    match u16::try_from(value) {
        Ok(value) if (1..=max).contains(&value) => Ok(value),
        _ => Err(SessionError::InvalidArgument(format!(
            "{what} is {value}: give 1 to {max}"
        ))),
    }
}

fn count(what: &str, given: Option<i64>, default: u64) -> Result<u64, SessionError> {
    match given {
        None => Ok(default),
        Some(value) => u64::try_from(value).map_err(|_| {
            SessionError::InvalidArgument(format!("{what} is {value}: give 0 or more"))
        }),
    }
}
