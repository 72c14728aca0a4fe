//! A report of an investigation.

use crate::fields::Fields as _;
use crate::render::Printer;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn a_report_is_a_page_and_controls_no_terminal() {
        let report = json!({
            "id": "3f2a", "program": "mock", "args": ["-q"], "started_at": "", "completed_at": "",
            "entry_state_id": "s1", "version": "1.0", "interactive": true, "safe_mode": true, "end": "timed_out",
            "commands": {"add": {"description": "Add \u{1b}[2Jone\n", "tested": true, "output_length": 1}},
            "prompts": ["mock>"], "exit_commands": [{"command": "quit", "exit_status": 3}],
            "states": [{"id": "s1", "report_id": "", "name": "main", "prompt": "mock>", "transitions": {"config": "s2"}},
                {"id": "s2", "report_id": "", "name": "config", "prompt": null}],
            "options": [{"flags": ["-q", "--quiet"], "description": "Be quiet"}],
            "findings": [{"kind": "crash", "command": "boom\u{7}", "state": "s1", "message": "ended by SIGSEGV"}],
        });
        let text = printed(|out| investigation(&report, Some("/r.json"), out));
        assert_eq!(
            text,
            "program   mock -q\nversion   1.0\nkind      interactive\nprompts   \"mock>\"\nexits     quit (status 3)\n\
             end       timed out: not everything was asked\nreport    3f2a\nfile      /r.json\n\n\
             commands (1)\n  add  Add one\n\noptions (1)\n  -q, --quiet  Be quiet\n\n\
             states (2)\n  main    \"mock>\" config → config\n  config\n\n\
             findings (1)\n  crash  \"boom\\u{7}\": ended by SIGSEGV (in main)\n"
        );
    }
}
