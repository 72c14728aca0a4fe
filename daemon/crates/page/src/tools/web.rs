//! WebFetch: the address, what was asked about it, and the answer.

use super::{Call, Shown};
use crate::prose;
use crate::shown::{bytes, duration};
use crate::value::{number, text_of};

const FOLD_BYTES: usize = 4000;

pub(super) fn show(call: &Call<'_>) -> Shown {
    let meta = call.meta();
    let address = text_of(call.input, "url");
    let status = [text_of(meta, "code"), text_of(meta, "codeText")].join(" ");
    let len = number(meta, "bytes").map(bytes).unwrap_or_default();
    let mut shown = Shown {
        target: address.clone(),
        ..Shown::default()
    };
    let outcome = [text_of(meta, "code"), len.clone()];
    shown.outcome = outcome
        .iter()
        .filter(|text| !text.is_empty())
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let body = &mut shown.body;
    body.facts(&[
        ("address", address),
        ("asked", text_of(call.input, "prompt")),
        ("status", status.trim().to_owned()),
        ("size", len),
        (
            "duration",
            number(meta, "durationMs").map(duration).unwrap_or_default(),
        ),
    ]);
    let answer = text_of(meta, "result");
    let answer = if answer.is_empty() && call.is_done() {
        call.result_text()
    } else {
        answer
    };
    if answer.is_empty() || !call.is_done() {
        call.add_result(body);
    } else {
        prose::add(body, &answer, FOLD_BYTES);
    }
    shown
}
