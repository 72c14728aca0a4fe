//! `ccctl daemon`, except `stop`, `restart`, `upgrade` and `logs`.

use super::{job, logs, over_there, stop, upgrade};
use crate::args::{DaemonVerb, LogLevelArgs, params};
use crate::call::{call_at, call_within};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::NoParams;
use ccd_protocol::daemon::{
    DaemonCheck, DaemonLog, DaemonLogParams, DaemonPing, DaemonReload, DaemonStatus,
};
use std::time::{Duration, Instant};

/// How long the daemon may take to reply to a status request or a ping before it is asked whether it still replies.
const REPLY_LIMIT: Duration = Duration::from_millis(1500);

/// The same for a daemon that may just be starting, and restores the sessions of an earlier one.
const START_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn dispatch(verb: &DaemonVerb, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?;
    if let Some(host) = place.host()
        && let Some(words) = over_there::words(verb, &context.global)
    {
        if let DaemonVerb::Stop(args) = verb {
            stop::ask_first(args, &place)?;
        }
        return over_there::run(host, &words);
    }
    match verb {
        DaemonVerb::Start => start(context),
        DaemonVerb::Stop(args) => stop::stop(args, context),
        DaemonVerb::Restart => upgrade::restart(context),
        DaemonVerb::Upgrade(args) => upgrade::upgrade(args, context),
        DaemonVerb::Status => status(context),
        DaemonVerb::Reload => reload(context),
        DaemonVerb::Logs(args) => logs::logs(args, context),
        DaemonVerb::LogLevel(args) => log_level(args, context),
        DaemonVerb::Check => {
            let started = context.call::<DaemonCheck>(&NoParams {})?.value;
            job::wait_for(&started.job, context)
        }
        DaemonVerb::Ping => ping(context),
    }
}

fn start(context: &mut Context) -> Result<Exit, Failure> {
    let mut place = context.place()?;
    let was_running = place.try_connect()?.is_some();
    // The user asked for a start; $CCD_NO_START is only about automatic starts.
    place.may_start = true;
    let answer = call_within::<DaemonStatus>(&place, &NoParams {}, Some(START_LIMIT))?;
    context.print(&answer, |status, out| {
        let how = if was_running {
            "is already running"
        } else {
            "started"
        };
        writeln!(
            out,
            "ccd {how}: pid {}, socket {}",
            status.pid, status.socket
        )
    })
}

/// Never starts a daemon.
fn status(context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let answer = call_within::<DaemonStatus>(&place, &NoParams {}, Some(REPLY_LIMIT))?;
    context.print(&answer, render::status)
}

/// Never starts a daemon: a new one would read the configuration anyway.
fn reload(context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let answer = call_at::<DaemonReload>(&place, &NoParams {})?;
    context.warn(&answer.value.warnings);
    context.print(&answer, |reply, out| match &reply.path {
        Some(path) => writeln!(out, "read {path}"),
        None => writeln!(out, "there is no configuration file; the defaults apply"),
    })
}

fn log_level(args: &LogLevelArgs, context: &mut Context) -> Result<Exit, Failure> {
    let level = args.level.clone().or_else(|| args.level_option.clone());
    let params = params!(DaemonLogParams { debug } of args, level: level);
    context.show::<DaemonLog>(&params, |reply, out| {
        let debug = if reply.debug { "on" } else { "off" };
        writeln!(out, "level {}, debug {debug}", reply.level)?;
        match &reply.path {
            Some(path) => writeln!(out, "file {path}"),
            None => Ok(()),
        }
    })
}

fn ping(context: &mut Context) -> Result<Exit, Failure> {
    let mut connection = context.connect()?.within(Some(REPLY_LIMIT))?;
    let start = Instant::now();
    let answer = match connection.call::<DaemonPing>(&NoParams {}) {
        Err(Failure::Lost { .. }) => context.call::<DaemonPing>(&NoParams {}),
        answer => answer,
    }?;
    let elapsed_ms = start.elapsed().as_secs_f64() * 1000.0;
    context.print(&answer, |_, out| {
        writeln!(out, "the daemon replied after {elapsed_ms:.3} ms")
    })
}
