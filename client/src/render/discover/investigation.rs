//! A report of an investigation.

use super::{heading, rows};
use crate::render::words::{program_line, yes_or_no};
use crate::render::{Printer, joined, on_one_line, printable};
use ccd_base::shell;
use ccd_protocol::investigate::{
    Finding, InvestigateProbeReply, InvestigationEnd, InvestigationReport, OptionFound,
    ProgramState,
};
use std::collections::HashMap;
use std::io;

/// Writes a report: what the program is, then its commands, states, options and findings. `path` is its file.
pub(crate) fn investigation(
    report: &InvestigationReport,
    path: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let names = report.states.iter().map(|state| (&*state.id, &*state.name));
    let names: HashMap<&str, &str> = names.collect();
    out.fields(10, &about(report, path))?;
    let commands: Vec<(String, String)> = report
        .commands
        .iter()
        .map(|(name, command)| (printable(name), on_one_line(&command.description)))
        .collect();
    part("commands", &commands, out)?;
    let options: Vec<_> = report.options.iter().map(option).collect();
    part("options", &options, out)?;
    let states: Vec<_> = report.states.iter().map(|one| state(one, &names)).collect();
    part("states", &states, out)?;
    let findings = report.findings.iter();
    let findings: Vec<_> = findings.map(|one| finding(one, &names)).collect();
    part("findings", &findings, out)?;
    let note = |note: &String| (on_one_line(note), String::new());
    let notes: Vec<_> = report.safety_notes.iter().map(note).collect();
    part("notes", &notes, out)
}

fn about(report: &InvestigationReport, path: Option<&str>) -> Vec<(&'static str, String)> {
    let kind = match (report.full_screen, report.interactive) {
        (true, _) => "full-screen",
        (false, true) => "interactive",
        (false, false) => "not interactive",
    };
    let end = match report.end {
        InvestigationEnd::Complete => "",
        InvestigationEnd::TimedOut => "timed out: not everything was asked",
        InvestigationEnd::Cancelled => "cancelled: not everything was asked",
        InvestigationEnd::Failed => "broken off: not everything was asked",
    };
    let exits = report.exit_commands.iter();
    let exits = exits.map(|exit| match exit.exit_status {
        0 => exit.command.clone(),
        status => format!("{} (status {status})", exit.command),
    });
    let prompts = report.prompts.iter().map(|one| format!("{one:?}"));
    vec![
        ("program", program_line(&report.program, &report.args)),
        ("version", report.version.clone().unwrap_or_default()),
        ("kind", kind.to_owned()),
        ("usage", report.usage.join("; ")),
        ("prompts", joined(", ", prompts)),
        ("help", report.help_commands.join(", ")),
        ("exits", joined(", ", exits)),
        ("formats", report.data_formats.join(", ")),
        (
            "mode",
            if report.safe_mode { "" } else { "unsafe" }.to_owned(),
        ),
        ("end", end.to_owned()),
        ("report", report.id.clone()),
        ("file", path.unwrap_or_default().to_owned()),
        ("tape", report.tape.clone().unwrap_or_default()),
    ]
}

fn part(name: &str, all: &[(String, String)], out: &mut Printer<'_>) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    heading(name, all.len(), out)?;
    rows(all, out)
}

fn option(option: &OptionFound) -> (String, String) {
    let mut flags = option.flags.join(", ");
    if let Some(value) = &option.value {
        flags.push(' ');
        flags.push_str(value);
    }
    (printable(&flags), on_one_line(&option.description))
}

/// The name and the prompt of a state, and where its commands lead.
fn state(state: &ProgramState, names: &HashMap<&str, &str>) -> (String, String) {
    let mut parts = Vec::new();
    parts.extend(state.prompt.as_ref().map(|prompt| format!("{prompt:?}")));
    for (command, to) in &state.transitions {
        let to = names.get(to.as_str()).copied().unwrap_or("?");
        parts.push(format!("{command} → {to}"));
    }
    (printable(&state.name), on_one_line(&parts.join("  ")))
}

fn finding(finding: &Finding, names: &HashMap<&str, &str>) -> (String, String) {
    let kind = serde_json::to_value(finding.kind).unwrap_or_default();
    let mut text = finding.message.clone();
    if let Some(command) = finding.command.as_ref().or(finding.input.as_ref()) {
        text = format!("{command:?}: {text}");
    }
    let state = finding.state.as_deref().and_then(|id| names.get(id));
    if let Some(state) = state {
        text = format!("{text} (in {state})");
    }
    if let Some(tape) = &finding.tape {
        text = format!("{text}; ccctl tape play {}", shell::line([tape]));
    }
    (
        kind.as_str().unwrap_or_default().to_owned(),
        on_one_line(&text),
    )
}

pub(crate) fn probed(reply: &InvestigateProbeReply, out: &mut Printer<'_>) -> io::Result<()> {
    let prompt = reply.prompt.as_ref().map(|prompt| format!("{prompt:?}"));
    let first = reply.first_output_ms.map(|ms| format!("{ms} ms"));
    let exit = match (&reply.signal, reply.exit_status) {
        (Some(signal), _) => format!("by {signal}"),
        (None, Some(status)) => format!("with status {status}"),
        (None, None) => String::new(),
    };
    let fields = [
        ("interactive", yes_or_no(reply.interactive)),
        ("full screen", yes_or_no(reply.full_screen)),
        ("prompt", prompt.unwrap_or_default()),
        ("version", reply.version.clone().unwrap_or_default()),
        ("help", reply.help_forms.join(", ")),
        ("first output", first.unwrap_or_default()),
        ("ended", exit),
    ];
    out.fields(14, &fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn a_report_is_a_page_and_controls_no_terminal() {
        let report: InvestigationReport = serde_json::from_value(serde_json::json!({
            "id": "3f2a", "program": "mock", "args": ["-q"], "started_at": "", "completed_at": "",
            "entry_state_id": "s1", "version": "1.0", "interactive": true, "safe_mode": true, "end": "timed_out",
            "commands": {"add": {"description": "Add \u{1b}[2Jone\n", "tested": true, "output_length": 1}},
            "prompts": ["mock>"], "exit_commands": [{"command": "quit", "exit_status": 3}],
            "states": [{"id": "s1", "report_id": "", "name": "main", "prompt": "mock>", "transitions": {"config": "s2"}},
                {"id": "s2", "report_id": "", "name": "config", "prompt": null}],
            "options": [{"flags": ["-q", "--quiet"], "description": "Be quiet"}],
            "findings": [{"kind": "crash", "command": "boom\u{7}", "state": "s1", "message": "ended by SIGSEGV"}],
        }))
        .unwrap();
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
