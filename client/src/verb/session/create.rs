//! `ccctl new`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::terminal::terminal_size;
use crate::{Context, Exit, Failure, attach, caller, secrets, tape};
use ccd_protocol::session::{SessionAttachParams, SessionCreateParams};

/// Starts a session and prints its id; warnings go to standard error.
pub(crate) fn create(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if args.has("attach") {
        attach::require_terminal()?;
    }
    let mut params = params(args)?;
    params.secrets = secrets::given(&args.words("secret"))?;
    let answer = secrets::with_secrets(&mut params, |params| {
        context.fetch("session.create", params)
    })?;
    let session = &answer.value;
    let id = session.text("session_id");
    context.warn_of(session);
    context.print_page("session.create", session, None)?;
    if args.has("attach") {
        let keys = &args.detach_keys();
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

fn params(args: &Given) -> Result<SessionCreateParams, Failure> {
    let own_size = args.has("attach").then(terminal_size).flatten();
    let size = args.size().or(own_size);
    let flag = |name, value| args.has(name).then_some(value);
    let mut params: SessionCreateParams = caller::of(
        args,
        "shell name id encoding reuse stream max_output_size output_limit rows cols timeout_s \
         session_timeout_s max_session_runtime_s config",
    )?;
    (params.program, params.args) = args.program();
    params.rows = params.rows.or(size.map(|size| size.rows));
    params.cols = params.cols.or(size.map(|size| size.cols));
    params.echo = flag("no_echo", false);
    params.persist = flag("persist", true).or_else(|| flag("no_persist", false));
    params.set = args.pairs("set");
    params.tape = tape::named(args)?;
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    fn params_of(line: &str) -> SessionCreateParams {
        params(&parsed(&format!("new {line}")).unwrap()).unwrap()
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
