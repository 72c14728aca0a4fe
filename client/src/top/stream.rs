//! `ccctl top` without a terminal: prints the list repeatedly, or once.

use super::{app, feed};
use crate::args::Given;
use crate::call::fetch_within;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};

/// Prints the list at each interval; waits while no daemon is running.
pub(super) fn stream(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = feed::params(args.has("all"));
    let mut place = context.place()?;
    let mut is_gone = false;
    loop {
        match fetch_within(&place, "session.list", &params, None) {
            Ok(answer) => {
                if std::mem::take(&mut is_gone) {
                    context.note("the daemon is running again");
                }
                let mut sessions = answer.value.list("sessions").to_vec();
                app::sort(&mut sessions, app::named(args.text("sort")));
                context.print(&answer, |_, out| render::sessions(&sessions, out))?;
            }
            Err(failure @ (Failure::Connect(_) | Failure::Lost { .. })) if !place.may_start => {
                if !std::mem::replace(&mut is_gone, true) {
                    context.note(&format!("{failure}; waiting for a daemon"));
                }
            }
            Err(failure) => return Err(failure),
        }
        if args.has("once") {
            return Ok(Exit::Done);
        }
        // Only the first request may start a daemon: a stopped one is not wanted.
        place = place.without_start();
        std::thread::sleep(super::interval(args));
    }
}
