//! `ccctl read`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure};
use ccd_protocol::Method as _;
use ccd_protocol::session::SessionRead;

/// Prints output; a note on standard error reports what is omitted.
pub(crate) fn read(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch(SessionRead::NAME, &args.params())?;
    let reply = &answer.value;
    let was_bounded = args.is_given("lines") || args.is_given("max_bytes");
    // A user who asked for a part knows that there is more.
    let is_told = !was_bounded || context.global.verbose;
    let is_recent = !args.is_given("since") && !was_bounded;
    for (is_told, note) in [
        (
            is_told,
            "[{omitted_bytes?}{omitted_bytes} bytes are omitted; this is {start}-{end}]",
        ),
        (
            is_told,
            "[{truncated?}there is more output; --since {end} continues]",
        ),
        (
            is_recent,
            "[{start?}output before offset {start} is omitted; --since 0 prints what the log has of it]",
        ),
    ] {
        let note = filled(note, reply);
        if is_told && !note.is_empty() {
            context.note(&note);
        }
    }
    context.print_output(&answer, args.has("raw"))
}
