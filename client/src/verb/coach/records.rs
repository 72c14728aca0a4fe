//! What the coach keeps: `forget`, `export`, `import`.

use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::render::filled;
use crate::verb::file::read;
use crate::{Context, Exit, Failure};
use ccd_protocol::coach::{CoachExport, CoachForget, CoachImport, CoachImportParams};
use ccd_protocol::{Method as _, NoParams};
use serde_json::{Value, json};
use std::path::Path;

const QUESTION: &str = "this deletes all events and payloads[ of project {project}][ of session {session}][ before {before}][{all?}, and candidates that were not approved]. Continue?";

/// Longest document: the most that the daemon accepts in one request.
const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// Deletes events and payloads, at a terminal after a question.
pub(super) fn forget(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({
        "project": args.at("project"),
        "session": args.at("session"),
        "before": args.at("before"),
        "all": args.at("all"),
    });
    if !args.has("yes") && is_at_terminal() && !confirm(&filled(QUESTION, &params)) {
        return Failure::failed("coach.forget: cancelled; nothing was deleted");
    }
    context.show(CoachForget::NAME, &params)
}

pub(super) fn export(output: Option<&Path>, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch(CoachExport::NAME, &NoParams {})?;
    context.print_json();
    let text = format!("{}\n", answer.json.get());
    context.write_to(output.unwrap_or(Path::new("-")), text.as_bytes())?;
    Ok(Exit::Done)
}

/// Merges a document into the ledger; fails if some of its entries cannot be used.
pub(super) fn import(name: &str, context: &mut Context) -> Result<Exit, Failure> {
    let bytes = read(Path::new(name), MAX_DOCUMENT_BYTES)?;
    let document = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::Usage(format!("{name} is not JSON: {error}")))?;
    let answer = context.fetch(CoachImport::NAME, &CoachImportParams { document })?;
    context.print_as(CoachImport::NAME, &answer)?;
    let refused = answer
        .value
        .list("refused")
        .iter()
        .filter_map(Value::as_str);
    refused.for_each(|why| context.remark(why));
    Ok(Exit::of_success(!answer.value.has("refused")))
}

#[cfg(test)]
mod tests {
    use super::*;

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
