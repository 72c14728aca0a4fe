//! States and the commands between them, as text.

use crate::render::style::{Colour, Style};
use crate::render::{on_one_line, printable};
use ccd_protocol::investigate::StateMap;
use std::collections::HashMap;
use std::io::{self, Write};

/// Writes each state with its prompt, and below it where its commands lead.
pub(crate) fn state_map(map: &StateMap, out: &mut dyn Write, style: Style) -> io::Result<()> {
    if map.states.is_empty() {
        return writeln!(
            out,
            "{}: no states; it never waited for input",
            printable(&map.program)
        );
    }
    let names: HashMap<&str, &str> = map
        .states
        .iter()
        .map(|state| (&*state.id, &*state.name))
        .collect();
    for state in &map.states {
        let name = style.paint(Colour::Heading, &printable(&state.name));
        let prompt = state.prompt.as_deref().map(on_one_line);
        let start = if state.is_entry { "  (start)" } else { "" };
        let line = format!("{name}  {}{start}", prompt.unwrap_or_default());
        writeln!(out, "{}", line.trim_end())?;
        for transition in map.transitions.iter().filter(|one| one.from == state.id) {
            let to = names.get(&*transition.to).copied().unwrap_or("?");
            let commands = on_one_line(&transition.commands.join(", "));
            writeln!(out, "  {commands} → {}", printable(to))?;
        }
    }
    Ok(())
}
