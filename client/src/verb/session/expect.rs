//! `ccctl expect`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::Pattern;
use serde_json::{Value, json};

/// Waits for a pattern and prints the output up to the end of the match.
pub(crate) fn expect(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut patterns = args.patterns("patterns");
    if args.has("eof") {
        patterns.push(Pattern::Eof(true));
    }
    let mut params = args.params();
    params["patterns"] = json!(patterns);
    let timeout = args.timeout("timeout_ms");
    let answer = context.fetch_waiting("session.expect", &params, timeout)?;
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else {
        print_match(&answer.value, args.has("raw"), context)?;
    }
    Ok(Exit::Done)
}

/// Prints the text from the start of the search to the end of the match, and a final newline.
pub(crate) fn print_match(
    found: &Value,
    is_raw: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    context.warn_of(found);
    let page = if context.global.verbose {
        "match in detail"
    } else {
        "match"
    };
    context.print_page(page, found, None)?;
    let mut text = format!("{}{}", found.text("before"), found.text("matched"));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    context.write_output(text.as_bytes(), is_raw)
}
