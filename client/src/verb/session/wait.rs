//! `ccctl wait`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::session::{SessionWait, SessionWaitParams, WaitFor};

/// Waits for a condition and prints which one was met. Fails if the program exits before the condition is met.
pub(crate) fn wait(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let wanted = if args.has("exit") {
        WaitFor::Exit
    } else if args.has("prompt") {
        WaitFor::Prompt
    } else if args.has("input") {
        WaitFor::Input
    } else if args.is_given("output") {
        WaitFor::Output
    } else {
        WaitFor::Idle
    };
    let timeout = args.timeout("timeout");
    let params = SessionWaitParams {
        session: args.text("session").to_owned(),
        condition: wanted,
        idle_ms: args.seconds("idle"),
        since: args.count("output"),
        timeout_ms: timeout,
    };
    let answer = context.fetch_waiting(SessionWait::NAME, &params, timeout)?;
    let reply = &answer.value;
    let has_ended = reply.text("reason") == "exit";
    context.print(&answer, |_, out| {
        if has_ended {
            return writeln!(out, "{}", render::end(reply));
        }
        out.reply(SessionWait::NAME, reply)
    })?;
    if has_ended {
        super::print_tapes(reply.at("tape"), context);
    }
    if has_ended && wanted != WaitFor::Exit {
        context.note("session.wait: the program exited first");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}
