//! `ccctl investigate learn`: a person demonstrates a program in the terminal.

use crate::args::Given;
use crate::attach::{self, Way};
use crate::call::{close, fetch_within};
use crate::render;
use crate::run;
use crate::terminal::can_draw;
use crate::{Context, Exit, Failure};
use ccd_base::shell;
use ccd_protocol::Timeout;
use ccd_protocol::investigate::InvestigateLearnParams;
use ccd_protocol::session::SessionCreateParams;

/// Attaches the terminal to a program until it exits or the user detaches, and prints the report of that.
pub(crate) fn learn(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let done = demonstrated(args, context);
    run::or_failed_start(done, "learn", context)
}

fn demonstrated(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if !can_draw() {
        return Failure::usage("learn: somebody must type; use it on a terminal");
    }
    let (program, words) = args.program();
    let params = SessionCreateParams {
        program,
        args: words,
        ..run::for_one_run(Timeout::Default, None, args)?
    };
    let place = context.place()?;
    // The program lives as long as this connection or, after a handover, the one that is attached.
    let (_owner, session) = run::create(&place, &params)?;
    context.warn(&session.warnings);
    let place = place.without_start();
    let title = shell::line(&args.words("program"));
    let keys = &args.detach_keys();
    let way = attach::attach_own(&session, &title, keys, &place, context)?;
    if !matches!(way, Way::Ended(_)) {
        close(&place, &session.session_id)?;
    }
    let params = InvestigateLearnParams {
        session: session.session_id,
    };
    let answer = fetch_within(&place, "investigate.learn", &params, None)?;
    context.print(&answer, |report, out| {
        render::investigation(report, None, out)
    })
}
