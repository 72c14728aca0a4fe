//! What two reports differ in.

use crate::render::style::Colour;
use crate::render::{Printer, on_one_line};
use ccd_protocol::investigate::{Change, InvestigationDiff};
use std::io;

/// Writes a line for each difference: `+` is only in the second report, `-` only in the first, `~` is different.
pub(crate) fn investigation_diff(
    diff: &InvestigationDiff,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    if diff.equal {
        return writeln!(out, "no differences");
    }
    for change in &diff.properties {
        changed("", change, out)?;
    }
    for (what, list) in [
        ("command ", &diff.commands),
        ("option ", &diff.options),
        ("prompt ", &diff.prompts),
        ("help ", &diff.help_commands),
        ("exit ", &diff.exit_commands),
        ("format ", &diff.data_formats),
        ("state ", &diff.states),
        ("finding ", &diff.findings),
    ] {
        for name in &list.removed {
            out.line(Colour::Bad, &format!("- {what}{}", on_one_line(name)))?;
        }
        for name in &list.added {
            out.line(Colour::Good, &format!("+ {what}{}", on_one_line(name)))?;
        }
        for change in &list.changed {
            changed(what, change, out)?;
        }
    }
    Ok(())
}

fn changed(what: &str, change: &Change, out: &mut Printer<'_>) -> io::Result<()> {
    let [name, a, b] = [&change.name, &change.a, &change.b].map(|text| on_one_line(text));
    let [a, b] = [&a, &b].map(|text| if text.is_empty() { "–" } else { text });
    out.line(Colour::Notice, &format!("~ {what}{name}: {a} → {b}"))
}
