//! The checked request to start a session.

use super::environment::{Environment, reuse_hash};
use super::start_up::Origin;
use crate::durations::seconds;
use crate::live::attach::Size;
use crate::live::error::SessionError;
use crate::live::facts::SessionFacts;
use crate::live::registry::Sessions;
use crate::live::services::SessionSettings;
use crate::live::shell::{KNOWN, ShellKind, reads_start_files};
use crate::program::{Script, ScriptRequest, tape_laid_over};
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_tape::format::{Meta, PtySize};
use ccd_terminal::ProcessSettings;
use ccd_text::expect::encoding_for;
use ccd_text::redact;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Maximum length of a terminal type; the longest in the terminfo database has 28.
const MAX_TERM_BYTES: usize = 64;

pub(crate) struct StartPlan {
    /// The id that the request wants.
    pub(super) id: Option<SessionId>,
    /// Without what is known only once the program is started.
    pub(crate) facts: SessionFacts,
    pub(super) env: Environment,
    pub(super) settings: ProcessSettings,
    pub(super) size: Size,
    pub(super) warnings: Vec<String>,
}

impl Sessions {
    /// Returns how to start a request that names a configuration, and sets its program; `None` if it names none.
    pub(super) async fn script(
        &self,
        params: &mut SessionCreateParams,
    ) -> Result<Option<Script>, SessionError> {
        let Some(name) = &params.config else {
            return if params.set.is_empty() && params.secrets.is_empty() {
                Ok(None)
            } else {
                Err(SessionError::InvalidArgument(
                    "set and secrets are for the placeholders of a config: give config too".into(),
                ))
            };
        };
        if params.program.is_none() && !params.args.is_empty() {
            return Err(SessionError::InvalidArgument(
                "args need program: the config has its own arguments".into(),
            ));
        }
        let name = checked_id("config", name)?;
        let wanted = ScriptRequest {
            name: &name,
            set: &params.set,
            secrets: &params.secrets.0,
            has_program: params.program.is_some(),
        };
        let script = self.programs.script(wanted).await?;
        if params.program.is_none() {
            params.program = Some(script.program.clone());
            params.args.clone_from(&script.args);
        }
        if let Some(tape) = &script.tape {
            params.tape = Some(tape_laid_over(params.tape.take(), tape.clone()));
        }
        Ok(Some(script))
    }

    /// Checks a request, and fills in what it omits.
    pub(super) fn plan(
        &self,
        params: &SessionCreateParams,
        script: Option<&Script>,
        settings: &SessionSettings,
    ) -> Result<StartPlan, SessionError> {
        let checked = |what: &str, id: &Option<String>| {
            let id = id.as_deref().map(|id| checked_id(what, id));
            id.transpose()
        };
        let id = checked("id", &params.id)?;
        let name = checked("name", &params.name)?;
        let size = checked_size(params.rows, params.cols, settings)?;
        let label = params.encoding.as_deref().unwrap_or("utf-8");
        let encoding = encoding_for(label)
            .map_err(|error| SessionError::InvalidArgument(error.to_string()))?;
        let env = Environment::from_params(params)?;
        let (settings_of_program, mut warnings) = ProcessSettings::allowed(&params.inherited);
        let cwd = cwd_of(params, &env)?;
        let program = program_of(params, &env)?;
        check_echo(params)?;
        let persist = params.persist.unwrap_or(name.is_some());
        let mut limit = |what: &str, given: Option<f64>, default: Option<Duration>| match given {
            Some(value) => seconds(value, what, &mut warnings),
            None => Ok(default.filter(|_| !persist).unwrap_or_default()),
        };
        let (idle, runtime) = (params.session_timeout_s, params.max_session_runtime_s);
        let idle_limit = limit("session_timeout_s", idle, settings.session_timeout)?;
        let most = settings.max_session_runtime;
        let runtime_limit = limit("max_session_runtime_s", runtime, most)?;
        let of_script = script.and_then(|script| script.timeout);
        let timeout = match params.timeout_s {
            Some(value) => seconds(value, "timeout_s", &mut warnings)?,
            // The configuration file takes precedence over the program's own configuration.
            None => of_script
                .filter(|_| !settings.has_default_timeout)
                .unwrap_or(settings.default_timeout),
        };
        let most_log_bytes = settings.max_output_size.unwrap_or(0);
        let most_lines = settings.output_limit as u64;
        let facts = SessionFacts {
            id: id.clone().unwrap_or_else(|| self.free_id()),
            name,
            reuse_hash: reuse_hash(&self.reuse_key, params, &program, Path::new(&cwd), size),
            program,
            args: params.args.clone(),
            cwd,
            created_at: String::new(),
            persist,
            encoding,
            timeout,
            idle_limit,
            runtime_limit,
            log_limit_bytes: count("max_output_size", params.max_output_size, most_log_bytes)?,
            shell: params.shell,
            transient: params.transient,
            started_by: None,
            start_error: None,
            created_by: None,
            plain: params.plain,
            pipes: params.pipes,
            pid: 0,
            slot: None,
            tty_device: 0,
            is_of_this_holder: true,
            output_limit: count("output_limit", params.output_limit, most_lines)?.max(1),
            origin: script.map(|script| Arc::new(Origin::from(script))),
            redacts_log: redact::is_on(params.tape.as_ref().and_then(|tape| tape.redact)),
        };
        Ok(StartPlan {
            id,
            facts,
            env,
            settings: settings_of_program,
            size,
            warnings,
        })
    }
}

impl StartPlan {
    /// Warns if `session.run` cannot type commands into the program, or cannot set up the shell for them.
    pub(crate) fn warn_of_plain_shell(&mut self) {
        let SessionFacts { program, args, .. } = &self.facts;
        let words: Vec<OsString> = args.iter().map(OsString::from).collect();
        let path = Path::new(program);
        let why = match ShellKind::from_program(path, &words) {
            None => format!(
                "{program} is not a shell that session run knows ({KNOWN}), so it is started as it is"
            ),
            Some(_) if !reads_start_files(path, &words) => format!(
                "{} reads no start file of ccd, so it is started as it is; session run works, but types a longer line",
                [std::slice::from_ref(program), args].concat().join(" ")
            ),
            Some(_) => return,
        };
        self.warnings.push(why);
    }

    /// Returns the start as a recording stores it, including the whole environment.
    pub(crate) fn meta(&self) -> Meta {
        let (rows, cols) = self.size;
        let facts = &self.facts;
        Meta {
            created_at: ccd_base::clock::now(),
            program: facts.program.clone(),
            args: facts.args.clone(),
            env: self.env.texts(),
            cwd: facts.cwd.clone(),
            pty: (!facts.pipes).then_some(PtySize { rows, cols }),
            plain: facts.plain && !facts.pipes,
            ..Meta::default()
        }
    }
}

fn cwd_of(params: &SessionCreateParams, env: &Environment) -> Result<String, SessionError> {
    match &params.cwd {
        Some(cwd) if !cwd.starts_with('/') => Err(SessionError::InvalidArgument(format!(
            "cwd {cwd:?} is not absolute: the daemon does not know which directory it is relative to"
        ))),
        Some(cwd) => Ok(cwd.clone()),
        None => Ok(env.get("HOME").unwrap_or("/").to_owned()),
    }
}

fn program_of(params: &SessionCreateParams, env: &Environment) -> Result<String, SessionError> {
    let mistake = match (&params.program, params.shell) {
        (_, true) if params.pipes => "shell needs a terminal: omit either shell or pipes",
        (Some(program), _) => return Ok(program.clone()),
        (None, true) => {
            let shell = env.get("SHELL").filter(|shell| !shell.is_empty());
            return Ok(shell.unwrap_or("/bin/sh").to_owned());
        }
        (None, false) => "program is missing",
    };
    Err(SessionError::InvalidArgument(mistake.into()))
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
pub(in crate::live) fn checked_id(what: &str, text: &str) -> Result<SessionId, SessionError> {
    SessionId::parse(text)
        .map_err(|error| SessionError::InvalidArgument(format!("the {what} {text:?} {error}")))
}

/// Checks the size of a terminal; without one it is 24 by 80.
pub(crate) fn checked_size(
    rows: Option<i64>,
    cols: Option<i64>,
    settings: &SessionSettings,
) -> Result<Size, SessionError> {
    let checked = |what: &str, value: i64, max: u16| match u16::try_from(value) {
        Ok(value) if (1..=max).contains(&value) => Ok(value),
        _ => Err(SessionError::InvalidArgument(format!(
            "{what} is {value}: give 1 to {max}"
        ))),
    };
    Ok((
        checked("rows", rows.unwrap_or(24), settings.max_rows)?,
        checked("cols", cols.unwrap_or(80), settings.max_cols)?,
    ))
}

fn count(what: &str, given: Option<i64>, default: u64) -> Result<u64, SessionError> {
    match given {
        None => Ok(default),
        Some(value) => u64::try_from(value).map_err(|_| {
            SessionError::InvalidArgument(format!("{what} is {value}: give 0 or more"))
        }),
    }
}
