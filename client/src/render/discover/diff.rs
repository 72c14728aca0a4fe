//! What two reports differ in.

use crate::render::on_one_line;
use crate::render::style::{Colour, Style};
use ccd_protocol::investigate::{Change, InvestigationDiff};
use std::io::{self, Write};

/// Writes a line for each difference: `+` is only in the second report, `-` only in the first, `~` is different.
pub(crate) fn investigation_diff(
    diff: &InvestigationDiff,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    if diff.equal {
        return writeln!(out, "no differences");
    }
    for change in &diff.properties {
        changed("", change, out, style)?;
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
            let line = format!("- {what}{}", on_one_line(name));
            writeln!(out, "{}", style.paint(Colour::Bad, &line))?;
        }
        for name in &list.added {
            let line = format!("+ {what}{}", on_one_line(name));
            writeln!(out, "{}", style.paint(Colour::Good, &line))?;
        }
        for change in &list.changed {
            changed(what, change, out, style)?;
        }
    }
    Ok(())
}

fn changed(what: &str, change: &Change, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let [name, a, b] = [&change.name, &change.a, &change.b].map(|text| on_one_line(text));
    let [a, b] = [a, b].map(|text| {
        if text.is_empty() {
            "–".to_owned()
        } else {
            text
        }
    });
    let line = format!("~ {what}{name}: {a} → {b}");
    writeln!(out, "{}", style.paint(Colour::Notice, &line))
}
