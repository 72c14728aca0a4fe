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
use ccd_protocol::Method as _;
use ccd_protocol::session::{
    SessionClose, SessionEcho, SessionList, SessionListParams, SessionPipe, SessionResize,
};
use serde_json::{Value, json};

pub(crate) use create::create;
pub(crate) use expect::expect;
pub(crate) use read::read;
pub(crate) use screen::screen;
pub(crate) use send::send;
pub(crate) use wait::wait;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let session = || args.at("session");
    match verb {
        "run" => run::run(args, context),
        "resize" => {
            let (rows, cols) = (args.at("size.rows"), args.at("size.cols"));
            let params = json!({"session": session(), "rows": rows, "cols": cols});
            context.show(SessionResize::NAME, &params)
        }
        "echo" => {
            let state = args.word("state");
            let params = json!({"session": session(), "on": state.map(|state| state == "on")});
            let answer = context.fetch(SessionEcho::NAME, &params)?;
            // A new state goes without saying.
            let page = if state.is_none() {
                SessionEcho::NAME
            } else {
                ""
            };
            context.print_as(page, &answer)
        }
        "pipe" => {
            let raw = args.has("raw").then_some(true);
            let params = json!({"session": session(), "open": !args.has("close"), "raw": raw});
            context.show(SessionPipe::NAME, &params)
        }
        "cleanup" => cleanup::cleanup(args, context),
        _ => context.carry_out(args),
    }
}

/// Lists sessions; if there are none, a note on standard error says how to start one.
pub(crate) fn list(all: bool, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionListParams { all, waiting: true };
    let answer = context.fetch(SessionList::NAME, &params)?;
    let what = if all {
        "no sessions"
    } else {
        "no live sessions (--all shows ended ones)"
    };
    let note = format!("{what}; start one with ccctl new --name py -- python3");
    let sessions = answer.value.list("sessions");
    context.note_if_empty(sessions, &note);
    context.print(&answer, |_, out| render::sessions(sessions, out))
}

/// Closes sessions one after the other, whether or not one fails.
pub(crate) fn close(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut failed = None;
    let mut sessions = args.list("sessions").to_vec();
    if args.has("all") {
        let live = context.fetch(SessionList::NAME, &SessionListParams::default())?;
        let live = live.value.list("sessions").iter();
        sessions = live.map(|one| one.at("session_id").clone()).collect();
        context.note_if_empty(&sessions, "no live sessions");
    }
    let grace_ms = args.seconds("grace").map(|seconds| seconds * 1000.0);
    for session in sessions {
        let params = json!({"session": session, "grace_ms": grace_ms});
        if let Err(failure) = close_one(&params, context) {
            // The last one is reported by the caller.
            if let Some(earlier) = failed.replace(failure) {
                context.report(&earlier);
            }
        }
    }
    failed.map_or(Ok(Exit::Done), Err)
}

fn close_one(params: &Value, context: &mut Context) -> Result<(), Failure> {
    let answer = context.fetch(SessionClose::NAME, params)?;
    context.print_as(SessionClose::NAME, &answer)?;
    print_tapes(answer.value.at("tape"), context);
    Ok(())
}

/// Prints the summary of the tapes of a session that has ended.
fn print_tapes(tape: &Value, context: &Context) {
    if tape.is_object() && !context.global.json {
        print_use(tape, LastMiss::Told);
    }
}
