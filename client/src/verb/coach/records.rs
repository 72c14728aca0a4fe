//! What the coach keeps: `forget`, `export`.

use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure};
use ccd_protocol::NoParams;
use std::path::Path;

const QUESTION: &str = "this deletes all events and payloads[ of project {project}][ of session {session}][ before {before}][{all?}, and candidates that were not approved]. Continue?";

/// Deletes events and payloads, at a terminal after a question.
pub(super) fn forget(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = args.params();
    if !args.has("yes") && is_at_terminal() && !confirm(&filled(QUESTION, &params)) {
        return Failure::failed("coach.forget: cancelled; nothing was deleted");
    }
    context.show("coach.forget", &params)
}

pub(super) fn export(output: Option<&Path>, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("coach.export", &NoParams {})?;
    context.print_json();
    let text = format!("{}\n", answer.json.get());
    context.write_to(output.unwrap_or(Path::new("-")), text.as_bytes())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_question_names_what_is_deleted() {
        for (params, what) in [
            (
                json!({"all": true}),
                ", and candidates that were not approved",
            ),
            (
                json!({"project": "/p", "before": "2026"}),
                " of project /p before 2026",
            ),
        ] {
            let expected = format!("this deletes all events and payloads{what}. Continue?");
            assert_eq!(filled(QUESTION, &params), expected);
        }
    }
}
