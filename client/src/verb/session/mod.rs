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
use crate::tape::{LastMiss, print_use};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::session::{
    PipeState, SessionClose, SessionCloseParams, SessionEcho, SessionEchoParams, SessionGet,
    SessionGetParams, SessionHistory, SessionHistoryParams, SessionList, SessionListParams,
    SessionPipe, SessionPipeParams, SessionRename, SessionRenameParams, SessionResize,
    SessionResizeParams, SessionSignal, SessionSignalParams,
};
use ccd_protocol::tape::TapeUse;

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
            context.show::<SessionGet>(&params, render::session)
        }
        SessionVerb::Run(args) => run::run(args, context),
        SessionVerb::Signal { session, signal } => {
            let params = SessionSignalParams {
                session: session.clone(),
                signal: signal.clone(),
            };
            context.show::<SessionSignal>(&params, |_, _| Ok(()))
        }
        SessionVerb::Resize { session, size } => {
            let params = SessionResizeParams {
                session: session.clone(),
                rows: size.rows,
                cols: size.cols,
            };
            context.show::<SessionResize>(&params, |_, _| Ok(()))
        }
        SessionVerb::Rename { session, name } => {
            let params = SessionRenameParams {
                session: session.clone(),
                name: name.clone(),
            };
            context.show::<SessionRename>(&params, |_, _| Ok(()))
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
    let answer = context.call::<SessionList>(&params)?;
    let what = if all {
        "no sessions"
    } else {
        "no live sessions (--all shows ended ones)"
    };
    let note = format!("{what}; start one with ccctl new --name py -- python3");
    context.note_if_empty(&answer.value.sessions, &note);
    context.print(&answer, |reply, out| render::sessions(&reply.sessions, out))
}

/// Sets the echo; without a new state, prints `on` or `off`.
fn echo(session: &str, state: Option<Switch>, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionEchoParams {
        session: session.to_owned(),
        on: state.map(|state| state == Switch::On),
    };
    context.show::<SessionEcho>(&params, |reply, out| match state {
        None if reply.on => writeln!(out, "on"),
        None => writeln!(out, "off"),
        Some(_) => Ok(()),
    })
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
    let answer = context.call::<SessionClose>(&params)?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out| {
        let end = render::ended(reply.exitstatus, reply.signal);
        write!(out, "{end}")?;
        for (what, pids) in [("killed", &reply.killed), ("could not end", &reply.left)] {
            let pids: Vec<String> = pids.iter().map(i32::to_string).collect();
            if !pids.is_empty() {
                write!(out, "; {what} {}", pids.join(" "))?;
            }
        }
        writeln!(out)
    })?;
    print_tapes(answer.value.tape.as_ref(), context);
    Ok(())
}

/// Prints the summary of the tapes of a session that has ended.
fn print_tapes(tape: Option<&TapeUse>, context: &Context) {
    if let Some(tape) = tape.filter(|_| !context.global.json) {
        print_use(tape, LastMiss::Told);
    }
}

fn pipe(args: &PipeArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionPipeParams {
        session: args.session.clone(),
        open: !args.close,
        raw: args.raw.then_some(true),
    };
    let answer = context.call::<SessionPipe>(&params)?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |pipe, out| match pipe.state {
        PipeState::Active => writeln!(out, "{}", pipe.pipe_path),
        PipeState::Closed => Ok(()),
    })
}

fn history(args: &HistoryArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(SessionHistoryParams { session, limit, before } of args);
    context.list::<SessionHistory, _>(
        &params,
        |reply| &reply.interactions,
        render::HISTORY,
        "no history",
    )
}
