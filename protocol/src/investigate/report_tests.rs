//! Tests that reports keep the seed's names and forms.

use super::*;
use serde_json::{Value, json};

/// A report with every field of the seed, as JSON.
fn report() -> Value {
    json!({
        "id": "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f60",
        "program": "sqlite3",
        "args": [],
        "started_at": "2025-09-23T12:34:56.789Z",
        "completed_at": "2025-09-23T12:34:58.001Z",
        "entry_state_id": "6a0c2f1e-0000-4000-8000-000000000001",
        "commands": { "help": { "description": "Show help message", "tested": true, "output_length": 523 } },
        "prompts": ["sqlite>"],
        "error_messages": [{ "category": "generic", "message": "Error: unknown command", "command": "nonsense" }],
        "help_commands": ["--help", ".help"],
        "exit_commands": [{ "command": ".quit", "exit_status": 0 }],
        "data_formats": ["json"],
        "safety_notes": ["refused .restore: its help says that it overwrites"],
        "states": [{
            "id": "6a0c2f1e-0000-4000-8000-000000000001",
            "report_id": "0b87dd6c-8a5b-4c2e-9f0e-1d2c3b4a5f60",
            "name": "main",
            "prompt": "sqlite>",
            "commands": [".help"],
            "transitions": { "config": "6a0c2f1e-0000-4000-8000-000000000002" },
            "output_samples": [{ "command": ".show", "output": "echo: off" }],
            "error_patterns": ["Error: unknown command"],
        }],
        "findings": [{ "kind": "crash", "command": "crash", "state": "6a0c2f1e-0000-4000-8000-000000000001",
            "signal": "SIGSEGV", "message": "ended by SIGSEGV" }],
        "options": [{ "flags": ["-q", "--quiet"], "description": "be quiet" }],
        "usage": ["sqlite3 [OPTIONS] FILENAME [SQL]"],
        "interactive": true,
        "full_screen": false,
        "version": "3.40.1",
        "safe_mode": true,
        "end": "complete",
    })
}

#[test]
fn a_report_has_the_names_of_the_seed_and_comes_back() {
    let json = report();
    let report: InvestigationReport = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(report.commands["help"].output_length, Some(523));
    assert_eq!(report.findings[0].kind, FindingKind::Crash);
    assert_eq!(serde_json::to_value(&report).unwrap(), json);
}

#[test]
fn the_fields_of_the_seed_suffice() {
    let mut json = report();
    let fields = json.as_object_mut().unwrap();
    for added in [
        "args",
        "states",
        "findings",
        "options",
        "usage",
        "interactive",
        "full_screen",
        "version",
        "end",
    ] {
        fields.remove(added).unwrap();
    }
    let report: InvestigationReport = serde_json::from_value(json).unwrap();
    assert_eq!(report.end, InvestigationEnd::Complete);
    assert!(!report.interactive && report.states.is_empty());
}
