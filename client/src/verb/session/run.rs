//! `ccctl session run`.

use crate::args::SessionRunArgs;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{SessionRun, SessionRunParams};

/// Runs a command in a session's shell, prints exactly its output and returns its exit status.
///
/// # Errors
///
/// Errors of the call; after a timeout, the output so far is printed too.
pub(crate) fn run(args: &SessionRunArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionRunParams {
        session: args.session.clone(),
        command: args.command.clone(),
        isolate: args.isolate,
        timeout_ms: args.timeout.unwrap_or_default(),
    };
    let answer = match context.call::<SessionRun>(&params) {
        Ok(answer) => answer,
        Err(failure) => {
            let data = failure.refusal().and_then(|error| error.data.as_ref());
            let so_far = data.and_then(|data| data.get("output")?.as_str());
            if let (Some(output), false) = (so_far, context.global.json) {
                context.write_bytes(output.as_bytes())?;
            }
            return Err(failure);
        }
    };
    let reply = &answer.value;
    context.warn(&reply.warnings);
    context.print_output(&answer, &reply.output, reply.output_b64.as_deref())?;
    if reply.truncated {
        context.note(&format!(
            "session.run: the output was truncated; ccctl session read {} --since {} prints all of it",
            args.session, reply.start
        ));
    }
    if reply.session_ended {
        context.note("session.run: the command ended the session");
    }
    Ok(match reply.exit_code {
        Some(_) => Exit::of_program(reply.exit_code, None),
        None => Exit::Failed,
    })
}
