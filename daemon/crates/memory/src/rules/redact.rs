//! No secret in a memory: every text is redacted, and the finished file is looked at once more.

use crate::file::plain;
use crate::model::is_time;
use ccd_protocol::memory::SessionMemory;
use ccd_text::redact::{MASK, Secrets, redact as redact_text};
use serde_json::Value;

/// Returns the memory without secrets, and how many were removed.
#[must_use]
pub fn redact(memory: SessionMemory) -> (SessionMemory, u64) {
    let mut removed = 0;
    let Ok(mut value) = serde_json::to_value(&memory) else {
        return (memory, 0);
    };
    each_text(&mut value, &mut |text| {
        if is_time(text) {
            return;
        }
        let redacted = redact_text(text);
        if redacted.removed > 0 {
            removed += redacted.removed as u64;
            *text = redacted.text.into_owned();
        }
    });
    match serde_json::from_value(value) {
        Ok(redacted) => (redacted, removed),
        // A word of an enum is no secret, so this does not happen; without the texts nothing can leak.
        Err(_) => (SessionMemory::default(), removed),
    }
}

fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| each_text(value, change)),
        _ => (),
    }
}

/// Returns the line, from 1, of the first secret of a finished file and the section that it is in.
pub(crate) fn first_secret(file: &str) -> Option<(usize, String)> {
    let shown = plain(file);
    let secrets = Secrets::of(&shown);
    let place = secrets
        .places()
        .iter()
        .find(|place| &shown[(*place).clone()] != MASK)?;
    let before = &shown[..place.start];
    let heading = before
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("## "));
    let section = heading.unwrap_or("header").to_owned();
    Some((before.matches('\n').count() + 1, section))
}
