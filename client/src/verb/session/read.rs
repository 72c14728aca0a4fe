//! `ccctl read`.

use crate::args::{ReadArgs, params};
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{SessionRead, SessionReadParams};

/// Prints output; a note on standard error reports what is omitted.
pub(crate) fn read(args: &ReadArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = params!(SessionReadParams { session, since, lines, raw } of args,
        max_bytes: args.bytes);
    let answer = context.call::<SessionRead>(&params)?;
    let reply = &answer.value;
    let was_bounded = args.lines.is_some() || args.bytes.is_some();
    // A user who asked for a part knows that there is more.
    if reply.omitted_bytes > 0 && (!was_bounded || context.global.verbose) {
        context.note(&format!(
            "{} bytes are omitted; this is {}-{}",
            reply.omitted_bytes, reply.start, reply.end
        ));
    }
    if reply.truncated && (!was_bounded || context.global.verbose) {
        context.note(&format!(
            "there is more output; --since {} continues",
            reply.end
        ));
    }
    if args.since.is_none() && !was_bounded && reply.start > 0 {
        context.note(&format!(
            "output before offset {} is omitted; --since 0 prints what the log has of it",
            reply.start
        ));
    }
    let text = reply.text.as_deref().unwrap_or_default();
    context.print_output(&answer, text, reply.data_b64.as_deref(), args.raw)
}
