//! What two reports differ in.

use crate::fields::Fields as _;
use crate::render::{Printer, fill};
use serde_json::{Value, json};
use std::io;

const LISTS: [(&str, &str); 8] = [
    ("command ", "commands"),
    ("option ", "options"),
    ("prompt ", "prompts"),
    ("help ", "help_commands"),
    ("exit ", "exit_commands"),
    ("format ", "data_formats"),
    ("state ", "states"),
    ("finding ", "findings"),
];

/// Writes a line for each difference: `+` is only in the second report, `-` only in the first, `~` is different.
pub(crate) fn investigation_diff(diff: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    if diff.has("equal") {
        return writeln!(out, "no differences");
    }
    let mut lines = |template: &str, what: &str, all: &[Value]| {
        let mut all = all.iter().map(|one| json!({"what": what, "one": one}));
        all.try_for_each(|one| out.lines([fill(template, &one, 0, out.style)], ""))
    };
    let changed = "<notice>~ {what}{one.name:line}: [{one.a:line}|–] → [{one.b:line}|–]</>";
    lines(changed, "", diff.list("properties"))?;
    for (what, name) in LISTS {
        let list = diff.at(name);
        lines("<bad>- {what}{one:line}</>", what, list.list("removed"))?;
        lines("<good>+ {what}{one:line}</>", what, list.list("added"))?;
        lines(changed, what, list.list("changed"))?;
    }
    Ok(())
}
