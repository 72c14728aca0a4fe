//! Task and Agent: what the sub-agent was asked, its own conversation, and its report.

use super::{Call, Shown};
use crate::prose;
use crate::shown::duration;
use crate::value::{field, first, list, number, text, text_of};
use ccd_base::number::grouped;

/// Length of a report that is shown at once.
const FOLD_BYTES: usize = 4000;

pub(super) fn show(call: &Call<'_>) -> Shown {
    let (input, meta) = (call.input, call.meta());
    let kind = text(first(input, &["subagent_type"]));
    let names = [kind, text_of(input, "description")];
    let names: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let mut shown = Shown {
        target: names.join(": "),
        ..Shown::default()
    };
    let status = text_of(meta, "status").replace('_', " ");
    let took = number(meta, "totalDurationMs")
        .map(duration)
        .unwrap_or_default();
    let tokens =
        number(meta, "totalTokens").map(|tokens| format!("{} tokens", grouped(tokens as u64)));
    let calls = number(meta, "totalToolUseCount")
        .map(|calls| grouped(calls as u64))
        .unwrap_or_default();
    let outcome = [
        Some(status.clone()).filter(|status| status != "completed"),
        tokens.clone(),
    ];
    let outcome: Vec<String> = outcome
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    shown.outcome = outcome.join(", ");
    let body = &mut shown.body;
    let prompt = text(first(input, &["prompt"]));
    let prompt = if prompt.is_empty() {
        text_of(meta, "prompt")
    } else {
        prompt
    };
    if !prompt.is_empty() {
        body.fold("Prompt", |body| prose::add(body, &prompt, FOLD_BYTES));
    }
    // The script puts the turns of the sub-agent here.
    body.leaf("div.agent", "");
    if call.is_done() {
        body.open("div.report");
        body.leaf("div.label", "Report");
        let said = list(field(meta, "content"))
            .iter()
            .filter(|part| field(part, "type") == "text");
        let said: Vec<String> = said.map(|part| text_of(part, "text")).collect();
        let report = if said.is_empty() {
            call.result_text()
        } else {
            said.join("\n\n")
        };
        if report.trim().is_empty() {
            call.add_result(body);
        } else {
            prose::add(body, &report, FOLD_BYTES);
        }
        body.close();
    } else {
        call.add_result(body);
    }
    body.facts(&[
        ("status", status),
        ("duration", took),
        ("used", tokens.unwrap_or_default()),
        ("tool calls", calls),
        ("model", text(first(meta, &["resolvedModel"]))),
        ("agent", text_of(meta, "agentId")),
        ("type", text_of(meta, "agentType")),
    ]);
    shown
}
