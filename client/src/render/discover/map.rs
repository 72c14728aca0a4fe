//! States and the commands between them, as text.

use crate::fields::Fields as _;
use crate::render::{Printer, fill, filled};
use serde_json::{Value, json};
use std::io;

/// Writes each state with its prompt, and below it where its commands lead.
pub(crate) fn state_map(map: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let states = map.list("states");
    if states.is_empty() {
        let nothing = "{program}: no states; it never waited for input";
        return writeln!(out, "{}", filled(nothing, map));
    }
    for state in states {
        let line = "<bold>{name}</>[  {prompt:line}][{is_entry?}[{prompt!}  ]  (start)]";
        out.lines([fill(line, state, 0, out.style)], "")?;
        let all = map.list("transitions").iter();
        for transition in all.filter(|one| one["from"] == state["id"]) {
            let to = states.iter().find(|one| one["id"] == transition["to"]);
            let to = to.map_or("?", |to| to.text("name"));
            let leads = json!({"commands": transition["commands"], "to": to});
            writeln!(
                out,
                "{}",
                filled("  {commands:join , :line} → {to}", &leads)
            )?;
        }
    }
    Ok(())
}
