//! `ccctl new`.

use crate::args::{CreateArgs, params};
use crate::fields::Fields as _;
use crate::terminal::terminal_size;
use crate::{Context, Exit, Failure, attach, caller, render, secrets, tape};
use ccd_protocol::session::{SessionAttachParams, SessionCreate, SessionCreateParams};

/// Starts a session and prints its id; warnings go to standard error.
pub(crate) fn create(args: &CreateArgs, context: &mut Context) -> Result<Exit, Failure> {
    if args.attach {
        attach::require_terminal()?;
    }
    let mut params = params(args)?;
    params.secrets = secrets::given(&args.config.secret)?;
    let answer =
        secrets::with_secrets(&mut params, |params| context.fetch::<SessionCreate>(params))?;
    let session = &answer.value;
    let id = session.text("session_id");
    context.warn_of(session);
    if session.has("reused") {
        context.note("an existing session is reused");
    }
    let limits = render::will_end(session);
    if !limits.is_empty() {
        context.note(&limits);
    }
    if args.attach {
        let keys = &args.detach.detach_keys;
        // Even if it has ended by now.
        let created = SessionAttachParams {
            session: id.to_owned(),
            ended: true,
            ..SessionAttachParams::default()
        };
        let exit = attach::attach_to(created, keys, context)?;
        let summary = tape::Summary::of(params.tape.as_ref());
        if summary == tape::Summary::Told {
            tape::print_summary_if_ended(summary, &context.place()?, id, context);
        }
        return Ok(exit);
    }
    context.print(&answer, |session, out| match session["name"].as_str() {
        // Scripts expect one word.
        Some(name) if out.style.is_terminal => writeln!(out, "{id} ({name})"),
        _ => writeln!(out, "{id}"),
    })
}

fn params(args: &CreateArgs) -> Result<SessionCreateParams, Failure> {
    let own_size = args.attach.then(terminal_size).flatten();
    let size = args.size.or(own_size);
    let mut words = args.program.iter().cloned();
    Ok(params!(SessionCreateParams {
        shell, name, id, encoding, reuse, stream, max_output_size, output_limit
    } of args,
        program: words.next(),
        args: words.collect(),
        cwd: caller::working_directory(args.caller.cwd.as_deref())?,
        env: args.caller.variables(),
        inherited: caller::inherited(args.caller.clean_env)?,
        rows: args.rows.or(size.map(|size| size.rows)),
        cols: args.cols.or(size.map(|size| size.cols)),
        echo: args.no_echo.then_some(false),
        persist: args.persist(),
        timeout_s: args.timeout,
        session_timeout_s: args.session_timeout,
        max_session_runtime_s: args.max_runtime,
        config: args.config.config.clone(),
        set: args.config.set.iter().cloned().collect(),
        tape: tape::named(&args.tape)?,
        ..SessionCreateParams::default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Noun, parsed};

    fn params_of(line: &str) -> SessionCreateParams {
        match parsed(&format!("new {line}")).unwrap() {
            Noun::New(args) => params(&args).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn program_and_arguments_go_as_they_are() {
        let params = params_of("--name a -- sh -c 'echo  $X' --name b");
        assert_eq!(params.program.as_deref(), Some("sh"));
        assert_eq!(params.args, ["-c", "echo  $X", "--name", "b"]);
        assert_eq!(params.name.as_deref(), Some("a"));
        let env = params.inherited.caller_env.unwrap();
        assert!(env.contains_key("PATH"));
        assert!(params.cwd.is_some_and(|cwd| cwd.starts_with('/')));
    }

    #[test]
    fn what_is_not_given_is_not_sent() {
        let params = params_of("--shell --clean-env");
        let json = serde_json::to_value(params).unwrap();
        let mut keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, ["cwd", "limits", "shell", "umask"]);
    }

    #[test]
    fn persistence_and_the_terminal_are_as_they_are_asked_for() {
        for (line, persist) in [
            ("sh", None),
            ("--persist sh", Some(true)),
            ("--no-persist sh", Some(false)),
        ] {
            assert_eq!(params_of(line).persist, persist, "{line}");
        }
        let params = params_of("--term vt100 --env TERM=dumb --no-echo sh");
        assert_eq!(params.env["TERM"], "vt100");
        assert_eq!(params.echo, Some(false));
        assert_eq!(params_of("sh").echo, None);
    }

    #[test]
    fn sizes_come_together_or_alone() {
        for (line, rows, cols) in [
            ("--size 20x10 sh", Some(10), Some(20)),
            ("--cols 132 sh", None, Some(132)),
        ] {
            let params = params_of(line);
            assert_eq!((params.rows, params.cols), (rows, cols), "{line}");
        }
    }
}
