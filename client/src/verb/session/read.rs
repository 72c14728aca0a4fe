//! `ccctl read`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use serde_json::json;

/// Prints output; a note on standard error reports what is omitted.
pub(crate) fn read(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("session.read", &args.params())?;
    let reply = &answer.value;
    let is_whole = !args.is_given("lines") && !args.is_given("max_bytes");
    let about = json!({
        // A user who asked for a part knows that there is more.
        "is_told": is_whole || context.global.verbose,
        "is_recent": is_whole && !args.is_given("since"),
        "omitted_bytes": reply["omitted_bytes"], "truncated": reply["truncated"],
        "start": reply["start"], "end": reply["end"],
    });
    context.print_page("session.read", &about, None)?;
    context.print_output(&answer, args.has("raw"))
}
