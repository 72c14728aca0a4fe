//! The requests of `ccctl run`.

use crate::args::{CallerArgs, RunArgs, Size};
use crate::terminal::terminal_size;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::{ErrorCode, Timeout};

const NOT_EXECUTABLE: u8 = 126;

/// Shortest timeout: in a request, 0 means none.
const SHORTEST_S: f64 = 0.001;

/// Returns program and arguments: as given, a shell with a command line, or an interpreter with a script.
pub(crate) fn command(args: &RunArgs) -> Result<(String, Vec<String>), Failure> {
    if let (Some(script), Some(interpreter)) = (&args.script, &args.interpreter) {
        let script = caller::absolute(script)?;
        let words = std::iter::once(script).chain(args.program.iter().cloned());
        return Ok((interpreter.clone(), words.collect()));
    }
    if args.shell {
        let line = args.program.join(" ");
        return Ok(("sh".to_owned(), vec!["-c".to_owned(), line]));
    }
    let mut words = args.program.iter().cloned();
    Ok((words.next().unwrap_or_default(), words.collect()))
}

/// Returns the session to create: it ends with its connection, and at `--timeout` or, without it, at the configured limit.
pub(crate) fn session(args: &RunArgs, is_plain: bool) -> Result<SessionCreateParams, Failure> {
    let (program, words) = command(args)?;
    Ok(SessionCreateParams {
        // A configuration names its own program.
        program: Some(program)
            .filter(|program| args.config.config.is_none() || !program.is_empty()),
        args: words,
        config: args.config.config.clone(),
        set: args.config.set.iter().cloned().collect(),
        plain: is_plain,
        max_session_runtime_s: args.timeout.map(limit_s),
        ..for_one_run(args.timeout, args.size, &args.caller)?
    })
}

/// A session that ends with its connection, has no limit except this one, and by default the size of this terminal.
pub(crate) fn for_one_run(
    timeout: Option<Timeout>,
    size: Option<Size>,
    caller: &CallerArgs,
) -> Result<SessionCreateParams, Failure> {
    let size = size.or_else(terminal_size);
    Ok(SessionCreateParams {
        cwd: caller::working_directory(caller.cwd.as_deref())?,
        env: caller.variables(),
        inherited: caller::inherited(caller.clean_env)?,
        rows: size.map(|size| size.rows),
        cols: size.map(|size| size.cols),
        persist: Some(false),
        session_timeout_s: Some(0.0),
        max_session_runtime_s: Some(limit_s(timeout.unwrap_or_default())),
        max_output_size: Some(0),
        transient: true,
        ..SessionCreateParams::default()
    })
}

/// Returns a shell's exit status for a program that cannot be started; `None` for any other failure.
pub(crate) fn exit_of_failed_start(failure: &Failure) -> Option<Exit> {
    let error = failure.refusal()?;
    if error.known() != Some(ErrorCode::SpawnFailed) {
        return None;
    }
    let told = error.data.as_ref().and_then(|data| data.get("exit_code"));
    let code = told.and_then(|code| u8::try_from(code.as_u64()?).ok());
    Some(Exit::Program(code.unwrap_or(NOT_EXECUTABLE)))
}

/// Reports missing texts; `None` if there are none.
pub(crate) fn exit_of_missing(missing: &[String], context: &Context) -> Option<Exit> {
    if missing.is_empty() {
        return None;
    }
    let texts: Vec<String> = missing.iter().map(|text| format!("{text:?}")).collect();
    context.note(&format!(
        "run: the output does not contain {}",
        texts.join(", ")
    ));
    Some(Exit::Failed)
}

fn limit_s(timeout: Timeout) -> f64 {
    match timeout {
        Timeout::Default | Timeout::Forever => 0.0,
        Timeout::After(ms) => (ms / 1000.0).max(SHORTEST_S),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Ccctl, Noun};
    use clap::Parser as _;

    fn parse(line: &[&str]) -> RunArgs {
        match Ccctl::try_parse_from([&["ccctl", "run"], line].concat())
            .unwrap()
            .noun
        {
            Noun::Run(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_shell_gets_one_command_line() {
        let (program, args) = command(&parse(&["--shell", "--", "echo", "$HOME"])).unwrap();
        assert_eq!(
            (program.as_str(), args),
            ("sh", vec!["-c".into(), "echo $HOME".into()])
        );
    }

    #[test]
    fn a_script_comes_before_its_arguments() {
        let args = parse(&["--script", "/s.py", "--with", "python3", "--", "-x", "1"]);
        let (program, args) = command(&args).unwrap();
        assert_eq!(
            (program.as_str(), args),
            ("python3", vec!["/s.py".into(), "-x".into(), "1".into()])
        );
    }

    #[test]
    fn no_time_at_all_is_not_no_limit() {
        let limit = |line: &[&str]| session(&parse(line), true).unwrap().max_session_runtime_s;
        assert_eq!(limit(&["--timeout", "0", "ls"]), Some(SHORTEST_S));
        assert_eq!(limit(&["--timeout", "none", "ls"]), Some(0.0));
        assert_eq!(limit(&["--timeout", "1.5", "ls"]), Some(1.5));
        // The configuration's limit.
        assert_eq!(limit(&["ls"]), None);
    }

    #[test]
    fn a_failed_start_has_the_status_of_shells() {
        let failure = |json: serde_json::Value| Failure::Refused {
            method: "session.create".into(),
            error: serde_json::from_value(json).unwrap(),
        };
        let code = ErrorCode::SpawnFailed as i32;
        let found = |data| {
            exit_of_failed_start(&failure(
                serde_json::json!({"code": code, "message": "m", "data": data}),
            ))
        };
        assert_eq!(
            found(serde_json::json!({"exit_code": 127})),
            Some(Exit::Program(127))
        );
        assert_eq!(found(serde_json::json!({})), Some(Exit::Program(126)));
        let other =
            failure(serde_json::json!({"code": ErrorCode::MaxSessions as i32, "message": "m"}));
        assert_eq!(exit_of_failed_start(&other), None);
    }
}
