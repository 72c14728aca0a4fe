//! Any other tool, also of an MCP server: the values of its input and its result.

use super::{Call, Shown, line_count};
use crate::colour::Colours;
use crate::lines;
use crate::markup::Markup;
use crate::value::text;
use serde_json::Value;

/// A longer value of an input is a block of its own.
const SHORT: usize = 200;

pub(super) fn show(call: &Call<'_>) -> Shown {
    let mut shown = Shown::default();
    // The first short text of the input says most often what the call is about.
    let fields = call.input.as_object().into_iter().flatten();
    let first = fields
        .filter_map(|(_, value)| value.as_str())
        .find(|text| !text.is_empty());
    shown.target = first.unwrap_or_default().to_owned();
    let body = &mut shown.body;
    match call.input {
        Value::Object(fields) if fields.is_empty() => body.note("The input is empty."),
        Value::Object(fields) => {
            for (name, value) in fields {
                add_value(body, name, value);
            }
        }
        other => lines::plain_text(body, &text(other), "pre.text"),
    }
    body.leaf("div.label", "Result");
    let result = call.result_text();
    if call.is_done() && result.trim_start().starts_with(['{', '[']) {
        lines::code(body, &result, None, Colours::of_name("json"));
    } else {
        call.add_result(body);
    }
    let meta = call.meta();
    if meta.is_object() || meta.is_array() {
        let json = text(meta);
        let title = format!("Details of the result, {}", lines::size(&json));
        body.fold(&title, |body| {
            lines::code(body, &json, None, Colours::of_name("json"))
        });
    }
    if call.is_done() && result.lines().count() > 1 {
        shown.outcome = line_count(&result);
    }
    shown
}

fn add_value(body: &mut Markup, name: &str, value: &Value) {
    let shown = text(value);
    let is_long =
        value.is_object() || value.is_array() || shown.len() > SHORT || shown.contains('\n');
    if is_long {
        body.leaf("div.label", name);
        let colours = Colours::of_name("json").filter(|_| !value.is_string());
        lines::code(body, &shown, None, colours);
    } else {
        body.facts(&[(
            name,
            if shown.is_empty() {
                "(empty)".to_owned()
            } else {
                shown
            },
        )]);
    }
}
