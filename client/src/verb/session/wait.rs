//! `ccctl wait`.

use crate::args::WaitArgs;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::session::{SessionWait, SessionWaitParams, WaitFor};

/// Waits for a condition and prints which one was met. Fails if the program exits before the condition is met.
pub(crate) fn wait(args: &WaitArgs, context: &mut Context) -> Result<Exit, Failure> {
    let condition = &args.condition;
    let wanted = if condition.exit {
        WaitFor::Exit
    } else if condition.prompt {
        WaitFor::Prompt
    } else if condition.input {
        WaitFor::Input
    } else if condition.output.is_some() {
        WaitFor::Output
    } else {
        WaitFor::Idle
    };
    let params = SessionWaitParams {
        session: args.session.clone(),
        condition: wanted,
        idle_ms: condition.idle,
        since: condition.output,
        timeout_ms: args.timeout.unwrap_or_default(),
    };
    let answer = context.fetch_waiting::<SessionWait>(&params, args.timeout)?;
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
