//! States and the commands between them, as text.

use crate::render::style::Colour;
use crate::render::{Printer, on_one_line, printable};
use ccd_protocol::investigate::StateMap;
use std::collections::HashMap;
use std::io;

/// Writes each state with its prompt, and below it where its commands lead.
pub(crate) fn state_map(map: &StateMap, out: &mut Printer<'_>) -> io::Result<()> {
    if map.states.is_empty() {
        let program = printable(&map.program);
        return writeln!(out, "{program}: no states; it never waited for input");
    }
    let names = map.states.iter().map(|state| (&*state.id, &*state.name));
    let names: HashMap<&str, &str> = names.collect();
    for state in &map.states {
        let name = out.paint(Colour::Heading, &printable(&state.name));
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
