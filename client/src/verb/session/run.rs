//! `ccctl session run`.

use crate::args::SessionRunArgs;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{SessionRun, SessionRunParams};
use std::time::{SystemTime, UNIX_EPOCH};

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
        run_id: Some(new_run_id()),
    };
    let answer = match context.call_waiting::<SessionRun>(&params, args.timeout) {
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

/// Returns an id that no other request has: if the connection breaks, the repetition gets the outcome of the first one.
fn new_run_id() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    format!("{}-{nanos}", std::process::id())
}
