//! The requests of `ccctl run`.

use crate::args::{Given, Size};
use crate::fields::Fields as _;
use crate::render::joined;
use crate::terminal::terminal_size;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::{ErrorCode, Timeout};

const NOT_EXECUTABLE: u8 = 126;

/// Shortest timeout: in a request, 0 means none.
const SHORTEST_S: f64 = 0.001;

/// Returns program and arguments: as given, a shell with a command line, or an interpreter with a script.
pub(crate) fn command(args: &Given) -> Result<(String, Vec<String>), Failure> {
    if let (Some(script), Some(interpreter)) = (args.path("script"), args.word("with")) {
        let script = caller::absolute(script)?;
        let words = std::iter::once(script).chain(args.words("program"));
        return Ok((interpreter.to_owned(), words.collect()));
    }
    if args.has("shell") {
        let line = args.words("program").join(" ");
        return Ok(("sh".to_owned(), vec!["-c".to_owned(), line]));
    }
    let (program, words) = args.program();
    Ok((program.unwrap_or_default(), words))
}

/// Returns the session to create: it ends with its connection, and at `--timeout` or, without it, at the configured limit.
pub(crate) fn session(args: &Given, is_plain: bool) -> Result<SessionCreateParams, Failure> {
    let (program, words) = command(args)?;
    let config = args.word("config");
    let timeout = args.timeout("timeout_ms");
    Ok(SessionCreateParams {
        // A configuration names its own program.
        program: Some(program).filter(|program| config.is_none() || !program.is_empty()),
        args: words,
        config: config.map(str::to_owned),
        set: args.pairs("set"),
        plain: is_plain,
        max_session_runtime_s: (timeout != Timeout::Default).then(|| limit_s(timeout)),
        ..for_one_run(timeout, args.size(), args)?
    })
}

/// A session that ends with its connection, has no limit except this one, and by default the size of this terminal.
pub(crate) fn for_one_run(
    timeout: Timeout,
    size: Option<Size>,
    args: &Given,
) -> Result<SessionCreateParams, Failure> {
    let size = size.or_else(terminal_size);
    Ok(SessionCreateParams {
        rows: size.map(|size| size.rows),
        cols: size.map(|size| size.cols),
        persist: Some(false),
        session_timeout_s: Some(0.0),
        max_session_runtime_s: Some(limit_s(timeout)),
        max_output_size: Some(0),
        transient: true,
        ..caller::of(args, "")?
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
    let texts = joined(", ", missing.iter().map(|text| format!("{text:?}")));
    context.note(&format!("run: the output does not contain {texts}"));
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
    use crate::args::parsed;
    use serde_json::json;

    fn parse(line: &str) -> Given {
        parsed(&format!("run {line}")).unwrap()
    }

    #[test]
    fn a_shell_gets_one_command_line_and_a_script_comes_before_its_arguments() {
        for (line, program, args) in [
            ("--shell -- echo '$HOME'", "sh", &["-c", "echo $HOME"][..]),
            (
                "--script /s.py --with python3 -- -x 1",
                "python3",
                &["/s.py", "-x", "1"],
            ),
        ] {
            let (found, found_args) = command(&parse(line)).unwrap();
            assert_eq!(found, program);
            assert_eq!(found_args, args);
        }
    }

    #[test]
    fn no_time_at_all_is_not_no_limit() {
        for (line, limit) in [
            ("--timeout 0 ls", Some(SHORTEST_S)),
            ("--timeout none ls", Some(0.0)),
            ("--timeout 1.5 ls", Some(1.5)),
            // The configuration's limit.
            ("ls", None),
        ] {
            let params = session(&parse(line), true).unwrap();
            assert_eq!(params.max_session_runtime_s, limit, "{line}");
        }
    }

    #[test]
    fn a_failed_start_has_the_status_of_shells() {
        for (code, data, exit) in [
            (ErrorCode::SpawnFailed, json!({"exit_code": 127}), Some(127)),
            (ErrorCode::SpawnFailed, json!({}), Some(126)),
            (ErrorCode::MaxSessions, json!({}), None),
        ] {
            let error = json!({"code": code as i32, "message": "m", "data": data});
            let failure = Failure::Refused {
                method: "session.create".into(),
                error: serde_json::from_value(error).unwrap(),
            };
            assert_eq!(exit_of_failed_start(&failure), exit.map(Exit::Program));
        }
    }
}
