//! `ccctl session`.

mod cleanup;
mod create;
mod expect;
mod read;
mod run;
mod screen;
mod send;
mod wait;

use crate::args::{CloseArgs, HistoryArgs, PipeArgs, SessionVerb, Switch, params};
use crate::fields::Fields as _;
use crate::tape::{LastMiss, print_use};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::session::{
    SessionClose, SessionCloseParams, SessionEcho, SessionEchoParams, SessionGet, SessionGetParams,
    SessionHistory, SessionHistoryParams, SessionList, SessionListParams, SessionPipe,
    SessionPipeParams, SessionRename, SessionRenameParams, SessionResize, SessionResizeParams,
    SessionSignal, SessionSignalParams,
};
use serde_json::Value;

pub(crate) use create::create;
pub(crate) use expect::expect;
pub(crate) use read::read;
pub(crate) use screen::screen;
pub(crate) use send::send;
pub(crate) use wait::wait;

pub(crate) fn dispatch(verb: &SessionVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        SessionVerb::Get(args) => {
            let params = SessionGetParams::of(&args.session);
            context.show::<SessionGet>(&params)
        }
        SessionVerb::Run(args) => run::run(args, context),
        SessionVerb::Signal { session, signal } => {
            let params = SessionSignalParams {
                session: session.clone(),
                signal: signal.clone(),
            };
            context.show::<SessionSignal>(&params)
        }
        SessionVerb::Resize { session, size } => {
            let params = SessionResizeParams {
                session: session.clone(),
                rows: size.rows,
                cols: size.cols,
            };
            context.show::<SessionResize>(&params)
        }
        SessionVerb::Rename { session, name } => {
            let params = SessionRenameParams {
                session: session.clone(),
                name: name.clone(),
            };
            context.show::<SessionRename>(&params)
        }
        SessionVerb::Echo { session, state } => echo(session, *state, context),
        SessionVerb::Pipe(args) => pipe(args, context),
        SessionVerb::History(args) => history(args, context),
        SessionVerb::Cleanup(args) => cleanup::cleanup(args, context),
    }
}

/// Lists sessions; if there are none, a note on standard error says how to start one.
pub(crate) fn list(all: bool, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionListParams { all, waiting: true };
    let answer = context.fetch::<SessionList>(&params)?;
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

/// Sets the echo; without a new state, prints `on` or `off`.
fn echo(session: &str, state: Option<Switch>, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionEchoParams {
        session: session.to_owned(),
        on: state.map(|state| state == Switch::On),
    };
    // A new state goes without saying.
    let page = if state.is_none() {
        SessionEcho::NAME
    } else {
        ""
    };
    context.show_as::<SessionEcho>(page, &params)
}

/// Closes sessions one after the other, whether or not one fails.
pub(crate) fn close(args: &CloseArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut failed = None;
    for session in &args.sessions {
        if let Err(failure) = close_one(session, args.grace, context) {
            // The last one is reported by the caller.
            if let Some(earlier) = failed.replace(failure) {
                context.report(&earlier);
            }
        }
    }
    failed.map_or(Ok(Exit::Done), Err)
}

fn close_one(session: &str, grace: Option<f64>, context: &mut Context) -> Result<(), Failure> {
    let params = SessionCloseParams {
        session: session.to_owned(),
        grace_ms: grace.map(|seconds| seconds * 1000.0),
    };
    let answer = context.fetch::<SessionClose>(&params)?;
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

fn pipe(args: &PipeArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionPipeParams {
        session: args.session.clone(),
        open: !args.close,
        raw: args.raw.then_some(true),
    };
    context.show::<SessionPipe>(&params)
}

fn history(args: &HistoryArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(SessionHistoryParams { session, limit, before } of args);
    context.show::<SessionHistory>(&params)
}
