//! Maps for Mermaid.

use super::label::{numbered, of_state};
use ccd_protocol::investigate::StateMap;
use std::fmt::Write as _;

pub(super) fn write(map: &StateMap) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, state) in map.states.iter().enumerate() {
        let (name, prompt) = of_state(state);
        let label = match prompt {
            Some(prompt) => format!("{}<br/>{}", escaped(&name), escaped(&prompt)),
            None => escaped(&name),
        };
        let (open, close) = if state.is_entry {
            ("([", "])")
        } else {
            ("[", "]")
        };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  s{at}{open}\"{label}\"{close}");
    }
    for (from, to, label) in numbered(map) {
        let _ = match escaped(&label) {
            label if label.is_empty() => writeln!(text, "  s{from} --> s{to}"),
            label => writeln!(text, "  s{from} -->|\"{label}\"| s{to}"),
        };
    }
    text
}

/// Mermaid writes characters as `#` and their number; everything that could be markup of Mermaid, Markdown or HTML is.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || " ,.:+-()/…".contains(c) => escaped.push(c),
            c => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
        }
    }
    escaped
}
