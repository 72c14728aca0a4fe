//! Maps for Graphviz.

use super::label::{numbered, of_state};
use ccd_protocol::investigate::StateMap;
use std::fmt::Write as _;

pub(super) fn write(map: &StateMap) -> String {
    let mut text = format!(
        "digraph {} {{\n",
        quoted(&crate::markup::visible(&map.program))
    );
    text.push_str("  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for (at, state) in map.states.iter().enumerate() {
        let (name, prompt) = of_state(state);
        let label = match prompt {
            Some(prompt) => format!("{name}\n{prompt}"),
            None => name,
        };
        let entry = if state.is_entry { ", penwidth=2" } else { "" };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  s{at} [label={}{entry}];", quoted(&label));
    }
    for (from, to, label) in numbered(map) {
        let _ = writeln!(text, "  s{from} -> s{to} [label={}];", quoted(&label));
    }
    text.push_str("}\n");
    text
}

/// In a quoted text of dot, a backslash starts an escape.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
