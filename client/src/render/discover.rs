//! Investigations and tests of programs. All their texts come from the program: nothing reaches the terminal unchanged.

use super::Printer;
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
    let mut page = map.clone();
    for state in list_mut(&mut page, "states") {
        let all = map.list("transitions").iter();
        let leads = all.filter(|one| one["from"] == state["id"]).map(|one| {
            let mut states = map.list("states").iter();
            let to = states.find(|state| state["id"] == one["to"]);
            json!({"commands": one["commands"], "to": to.map_or("?", |to| to.text("name"))})
        });
        state["leads"] = leads.collect();
    }
    out.reply("investigate.map", &page)
}
