//! `ccctl daemon`, except `stop`, `restart`, `upgrade` and `logs`.

use super::{job, logs, over_there, stop, upgrade};
use crate::args::Given;
use crate::call::fetch_within;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::NoParams;
use std::time::{Duration, Instant};

/// How long the daemon may take to reply to a status request or a ping before it is asked whether it still replies.
const REPLY_LIMIT: Duration = Duration::from_millis(1500);

/// The same for a daemon that may just be starting, and restores the sessions of an earlier one.
const START_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?;
    if let Some(host) = place.host()
        && let Some(words) = over_there::words(verb, args, &context.global)
    {
        if verb == "stop" {
            stop::ask_first(args.has("force"), &place)?;
        }
        return over_there::run(host, &words);
    }
    match verb {
        "start" => start(context),
        "stop" => stop::stop(args.has("force"), context),
        "restart" => upgrade::restart(context),
        "upgrade" => upgrade::upgrade(args.path("binary"), context),
        "status" => status(context),
        "reload" => reload(context),
        "logs" => logs::logs(args, context),
        "log-level" => {
            let mut params = args.params();
            if args.is_given("level_option") {
                params["level"] = args.at("level_option").clone();
            }
            context.show("daemon.log", &params)
        }
        "check" => {
            let started = context.fetch("daemon.check", &NoParams {})?.value;
            job::wait_for(started.text("job"), context)
        }
        _ => ping(context),
    }
}

fn start(context: &mut Context) -> Result<Exit, Failure> {
    let mut place = context.place()?;
    let was_running = place.try_connect()?.is_some();
    // The user asked for a start; $CCD_NO_START is only about automatic starts.
    place.may_start = true;
    let answer = fetch_within(&place, "daemon.status", &NoParams {}, Some(START_LIMIT))?;
    let page = if was_running {
        "daemon.status without a start"
    } else {
        "daemon.status after a start"
    };
    context.print_as(page, &answer)
}

/// Never starts a daemon.
fn status(context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let answer = fetch_within(&place, "daemon.status", &NoParams {}, Some(REPLY_LIMIT))?;
    context.print(&answer, render::status)
}

/// Never starts a daemon: a new one would read the configuration anyway.
fn reload(context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let answer = fetch_within(&place, "daemon.reload", &NoParams {}, None)?;
    context.print_as("daemon.reload", &answer)
}

fn ping(context: &mut Context) -> Result<Exit, Failure> {
    let mut connection = context.connect()?.within(Some(REPLY_LIMIT))?;
    let start = Instant::now();
    let answer = match connection.fetch("daemon.ping", &NoParams {}) {
        Err(Failure::Lost { .. }) => context.fetch("daemon.ping", &NoParams {}),
        answer => answer,
    }?;
    let elapsed_ms = start.elapsed().as_secs_f64() * 1000.0;
    context.print(&answer, |_, out| {
        writeln!(out, "the daemon replied after {elapsed_ms:.3} ms")
    })
}
