//! `ccctl logs`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::output::{Follow, Output, OutputChunk, OutputForm};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::session::{OutputEvent, SessionSubscribeParams};

/// Prints the last lines, or the output from an offset; with `--follow`, until the session ends.
pub(crate) fn tail(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let follow = args.has("follow");
    if follow && let Some(since) = args.count("since") {
        return follow_from(since, args, context);
    }
    let mut params = args.pick("session since raw");
    if !args.is_given("since") {
        params["lines"] = args.at("lines").clone();
    }
    let answer = context.fetch("session.read", &params)?;
    if follow {
        return follow_from(answer.value.number("start"), args, context);
    }
    context.print_output(&answer, args.has("raw"))
}

fn follow_from(since: u64, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if context.global.json {
        return follow_items(since, args, context);
    }
    let connection = context.connect()?;
    let content = if args.has("raw") {
        OutputForm::Raw
    } else {
        OutputForm::Text
    };
    let place = context.place()?;
    let mut output = Output::start(
        place,
        connection,
        args.text("session"),
        since,
        content,
        None,
    )?;
    loop {
        match output.next()? {
            OutputChunk::Output(bytes) | OutputChunk::Error(bytes) => {
                context.write_output(&bytes, args.has("raw"))?
            }
            OutputChunk::Missing(len) => context.note(&format!("{len} bytes of output were lost")),
            OutputChunk::Ended(ended) => {
                if context.global.verbose {
                    let end = render::ended(&ended);
                    context.note(&format!("the session has ended: {end}"));
                }
                return Ok(Exit::Done);
            }
        }
    }
}

/// Prints items as they arrive, including those that report missed output; `seq` restarts from 0 after a handover.
fn follow_items(since: u64, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionSubscribeParams {
        session: args.text("session").to_owned(),
        since: Some(since),
        strip_queries: false,
        text: !args.has("raw"),
    };
    let connection = context.connect()?;
    let mut follow = Follow::start(context.place()?, connection, params, None)?;
    loop {
        let next = follow.next()?;
        match &next.json {
            Some(json) => context.write_line(json.get())?,
            None => context.write_json(&next.item)?,
        }
        if matches!(next.item.event, OutputEvent::Ended { .. }) {
            return Ok(Exit::Done);
        }
    }
}
