//! Maps for Graphviz and Mermaid. Their texts come from the program, so each format escapes them.

use crate::markup::visible;
use ccd_base::clip::clip;
use ccd_protocol::investigate::{MapState, MapTransition, StateMap};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Maximum characters of a state's name, of a prompt, and of the commands on an arrow.
const MAX_NAME: usize = 24;
const MAX_COMMANDS: usize = 28;

// Writing to a text cannot fail.
pub(super) fn dot(map: &StateMap) -> String {
    let mut text = format!("digraph {} {{\n", quoted(&visible(&map.program)));
    text.push_str("  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for (at, state) in map.states.iter().enumerate() {
        let (name, prompt) = name_and_prompt(state);
        let label = match prompt {
            Some(prompt) => format!("{name}\n{prompt}"),
            None => name,
        };
        let entry = if state.is_entry { ", penwidth=2" } else { "" };
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

pub(super) fn mermaid(map: &StateMap) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, state) in map.states.iter().enumerate() {
        let (name, prompt) = name_and_prompt(state);
        let label = match prompt {
            Some(prompt) => format!("{}<br/>{}", escaped(&name), escaped(&prompt)),
            None => escaped(&name),
        };
        let (open, close) = if state.is_entry {
            ("([", "])")
        } else {
            ("[", "]")
        };
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

/// Returns the name and the prompt of a state.
fn name_and_prompt(state: &MapState) -> (String, Option<String>) {
    let prompt = state.prompt.as_deref().map(|text| clipped(text, MAX_NAME));
    let prompt = prompt.filter(|prompt| !prompt.is_empty());
    (clipped(&state.name, MAX_NAME), prompt)
}

/// Returns the commands of a transition, and how many further ones there are: `config, cfg +2`.
pub(super) fn commands_on(transition: &MapTransition) -> String {
    let commands = &transition.commands;
    let mut label = String::new();
    let mut shown = 0;
    for command in commands {
        let command = clipped(command, MAX_COMMANDS);
        let len = label.chars().count() + command.chars().count();
        if shown > 0 && len + 2 > MAX_COMMANDS {
            break;
        }
        if shown > 0 {
            label.push_str(", ");
        }
        label.push_str(&command);
        shown += 1;
    }
    match commands.len() - shown {
        0 => label,
        more => format!("{label} +{more}"),
    }
}

/// Returns the transitions with the numbers of their states.
fn numbered(map: &StateMap) -> Vec<(usize, usize, String)> {
    let numbers: HashMap<&str, usize> = map
        .states
        .iter()
        .enumerate()
        .map(|(at, state)| (state.id.as_str(), at))
        .collect();
    let number = |id: &String| numbers.get(id.as_str()).copied();
    let numbered = map.transitions.iter().filter_map(|transition| {
        Some((
            number(&transition.from)?,
            number(&transition.to)?,
            commands_on(transition),
        ))
    });
    numbered.collect()
}

/// Returns a text on one line, of at most `max` characters, without characters that nobody sees.
fn clipped(text: &str, max: usize) -> String {
    let text = visible(text);
    clip(text.trim(), max)
}
