//! What Claude Code would have printed in another format.

use crate::stream::StreamFacts;
use ccd_protocol::exec::OutputFormat;

/// Returns the member `stdout` of a result. `stream` is what Claude Code did print.
/// `text` without a finished answer is what the model had said until then: Claude Code itself would only print that there
/// was an error, and an ended run keeps what it had.
pub(crate) fn stdout_as(format: OutputFormat, facts: &StreamFacts, stream: &str) -> String {
    match format {
        OutputFormat::StreamJson => stream.to_owned(),
        OutputFormat::Json => facts
            .outcome
            .as_ref()
            .map(|outcome| format!("{}\n", outcome.line))
            .unwrap_or_default(),
        OutputFormat::Text => as_text(facts),
    }
}

fn as_text(facts: &StreamFacts) -> String {
    if facts.answers.is_empty() && !facts.said.is_empty() {
        return ended(&facts.said);
    }
    let answers = &facts.answers;
    match facts
        .outcome
        .as_ref()
        .filter(|outcome| outcome.text.is_none())
    {
        None if answers.is_empty() => String::new(),
        None => ended(&answers.join("\n\n")),
        Some(outcome) => {
            let answers = answers.iter().map(|answer| format!("{answer}\n\n"));
            let errors = match &*outcome.subtype {
                "error_during_execution" => "Execution error".to_owned(),
                _ if outcome.errors.is_empty() => String::new(),
                _ => format!("Error: {}", outcome.errors.join("; ")),
            };
            answers.collect::<String>() + &errors
        }
    }
}

/// Returns a text with a line end.
fn ended(text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}")
}
