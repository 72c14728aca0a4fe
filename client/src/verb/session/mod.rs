//! `ccctl session`.

mod cleanup;
mod create;
mod expect;
mod read;
mod run;
mod screen;
mod send;
mod wait;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::tape::{LastMiss, print_use};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::session::SessionListParams;
use serde_json::{Value, json};

pub(crate) use create::create;
pub(crate) use expect::expect;
pub(crate) use read::read;
pub(crate) use screen::screen;
pub(crate) use send::send;
pub(crate) use wait::wait;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "run" => run::run(args, context),
        "cleanup" => cleanup::cleanup(args, context),
        _ => context.carry_out(args),
    }
}

/// Lists sessions; if there are none, a note on standard error says how to start one.
pub(crate) fn list(all: bool, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("session.list", &json!({"all": all, "waiting": true}))?;
    let sessions = answer.value.list("sessions");
    context.print_page(
        "session.list note",
        &json!({"all": all, "sessions": sessions}),
        None,
    )?;
    context.print(&answer, |_, out| render::sessions(sessions, out))
}

/// Closes sessions one after the other, whether or not one fails.
pub(crate) fn close(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut failed = None;
    let mut sessions = args.list("sessions").to_vec();
    if args.has("all") {
        let live = context.fetch("session.list", &SessionListParams::default())?;
        let live = live.value.list("sessions").iter();
        let name = |one: &Value| match one.at("name") {
            Value::Null => one.at("session_id").clone(),
            name => name.clone(),
        };
        sessions = live.map(name).collect();
        context.note_if_empty(&sessions, "no live sessions");
    }
    let is_named = sessions.len() > 1 && !context.global.json;
    for session in sessions {
        let params = json!({"session": session, "grace_ms": args.at("grace_ms")});
        let label = session.as_str().filter(|_| is_named);
        if let Err(failure) = close_one(&params, label, context) {
            // The last one is reported by the caller.
            if let Some(earlier) = failed.replace(failure) {
                context.report(&earlier);
            }
        }
    }
    failed.map_or(Ok(Exit::Done), Err)
}

fn close_one(params: &Value, label: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let answer = context.fetch("session.close", params)?;
    if let Some(label) = label {
        context.write_bytes(format!("{label}: ").as_bytes())?;
    }
    context.print_as("session.close", &answer)?;
    print_tapes(answer.value.at("tape"), context);
    Ok(())
}

/// Prints the summary of the tapes of a session that has ended.
fn print_tapes(tape: &Value, context: &Context) {
    if tape.is_object() && !context.global.json {
        print_use(tape, LastMiss::Told);
    }
}
