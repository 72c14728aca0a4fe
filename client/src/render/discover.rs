//! Investigations and tests of programs. All their texts come from the program: nothing reaches the terminal unchanged.

use super::{Printer, fill, filled};
use crate::fields::Fields as _;
use serde_json::{Map, Value, json};
use std::io;

/// Writes a report. `path` is its file.
pub(crate) fn investigation(
    report: &Value,
    path: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let states = report.list("states").iter();
    let names: Map<String, Value> = states
        .map(|state| (state.text("id").to_owned(), state["name"].clone()))
        .collect();
    let mut report = report.clone();
    report["path"] = json!(path);
    for state in list_mut(&mut report, "states") {
        for (_, to) in state["transitions"].as_object_mut().into_iter().flatten() {
            *to = names.get(to.text(".")).cloned().unwrap_or(json!("?"));
        }
    }
    for finding in list_mut(&mut report, "findings") {
        finding["state"] = json!(names.get(finding.text("state")));
    }
    out.reply("investigate.get", &report)
}

fn list_mut<'a>(report: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    report[name].as_array_mut().into_iter().flatten()
}

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

/// What is compared of two reports: how it is named, and its member.
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
