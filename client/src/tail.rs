//! `ccctl logs`.

use crate::args::{TailArgs, params};
use crate::fields::Fields as _;
use crate::output::{Follow, Output, OutputChunk, OutputForm};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::session::{OutputEvent, SessionRead, SessionReadParams, SessionSubscribeParams};

/// Prints the last lines, or the output from an offset; with `--follow`, until the session ends.
pub(crate) fn tail(args: &TailArgs, context: &mut Context) -> Result<Exit, Failure> {
    let follow = args.follow;
    if follow && let Some(since) = args.since {
        return follow_from(since, args, context);
    }
    let params = params!(SessionReadParams { session, since, raw } of args,
        lines: args.since.is_none().then_some(args.lines), max_bytes: None);
    let answer = context.fetch::<SessionRead>(&params)?;
    if follow {
        return follow_from(answer.value.number("start"), args, context);
    }
    context.print_output(&answer, args.raw)
}

fn follow_from(since: u64, args: &TailArgs, context: &mut Context) -> Result<Exit, Failure> {
    if context.global.json {
        return follow_items(since, args, context);
    }
    let connection = context.connect()?;
    let content = if args.raw {
        OutputForm::Raw
    } else {
        OutputForm::Text
    };
    let place = context.place()?;
    let mut output = Output::start(place, connection, &args.session, since, content, None)?;
    loop {
        match output.next()? {
            OutputChunk::Output(bytes) | OutputChunk::Error(bytes) => {
                context.write_output(&bytes, args.raw)?
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
fn follow_items(since: u64, args: &TailArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionSubscribeParams {
        session: args.session.clone(),
        since: Some(since),
        strip_queries: false,
        text: !args.raw,
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
