//! Texts on a map. They come from the program, so each format escapes them.

use ccd_base::clip::clip;
use ccd_protocol::investigate::{MapState, MapTransition, StateMap};
use std::collections::HashMap;

/// Maximum characters of a state's name, of a prompt, and of the commands on an arrow.
const MAX_NAME: usize = 24;
const MAX_COMMANDS: usize = 28;

/// Returns the name and the prompt of a state.
pub(super) fn of_state(state: &MapState) -> (String, Option<String>) {
    let prompt = state.prompt.as_deref().map(|text| clipped(text, MAX_NAME));
    let prompt = prompt.filter(|prompt| !prompt.is_empty());
    (clipped(&state.name, MAX_NAME), prompt)
}

/// Returns the commands of a transition, and how many further ones there are: `config, cfg +2`.
pub(super) fn of_transition(transition: &MapTransition) -> String {
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
pub(super) fn numbered(map: &StateMap) -> Vec<(usize, usize, String)> {
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
            of_transition(transition),
        ))
    });
    numbered.collect()
}

/// Returns a text on one line, of at most `max` characters, without characters that nobody sees.
fn clipped(text: &str, max: usize) -> String {
    let text = crate::markup::visible(text);
    clip(text.trim(), max)
}
