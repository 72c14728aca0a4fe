//! `ccctl expect`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{ExpectResult, Pattern, SessionExpect, SessionExpectParams};

/// Waits for a pattern and prints the output up to the end of the match.
pub(crate) fn expect(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut patterns = args.patterns("patterns");
    if args.has("eof") {
        patterns.push(Pattern::Eof(true));
    }
    let timeout = args.timeout("timeout");
    let params = SessionExpectParams {
        session: args.text("session").to_owned(),
        from: args.count("from"),
        raw: args.has("raw"),
        patterns,
        timeout_ms: timeout,
    };
    let answer = context.call_waiting::<SessionExpect>(&params, timeout)?;
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else {
        print_match(&answer.value, args.has("raw"), context)?;
    }
    Ok(Exit::Done)
}

/// Prints the text from the start of the search to the end of the match, and a final newline.
pub(crate) fn print_match(
    found: &ExpectResult,
    is_raw: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    context.warn(&found.warnings);
    if found.before_omitted_bytes > 0 {
        context.note(&format!(
            "{} bytes before this are omitted; ccctl read prints them",
            found.before_omitted_bytes
        ));
    }
    if context.global.verbose {
        context.note(&format!(
            "pattern {} matched {:?} at {}-{}",
            found.index, found.matched, found.start, found.end
        ));
    }
    let mut text = format!("{}{}", found.before, found.matched);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    context.write_output(text.as_bytes(), is_raw)
}
