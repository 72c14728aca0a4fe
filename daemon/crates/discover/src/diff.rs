//! What two reports of investigations differ in.

use ccd_base::shell;
use ccd_protocol::investigate::{
    Change, Finding, InvestigationDiff, InvestigationReport, ListDiff, OptionFound, ProgramState,
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Compares two reports. Times and ids do not count.
pub fn diff(a: &InvestigationReport, b: &InvestigationReport) -> InvestigationDiff {
    let mut diff = InvestigationDiff {
        a: a.id.clone(),
        b: b.id.clone(),
        equal: false,
        properties: properties(a, b),
        commands: lists(a, b, |report| {
            let commands = report.commands.iter();
            commands
                .map(|(name, command)| (name.clone(), command.description.clone()))
                .collect()
        }),
        options: lists(a, b, |report| report.options.iter().map(option).collect()),
        prompts: lists(a, b, |report| names(&report.prompts)),
        help_commands: lists(a, b, |report| names(&report.help_commands)),
        exit_commands: lists(a, b, |report| {
            let exits = report.exit_commands.iter();
            exits
                .map(|exit| (exit.command.clone(), exit.exit_status.to_string()))
                .collect()
        }),
        data_formats: lists(a, b, |report| names(&report.data_formats)),
        states: lists(a, b, states),
        findings: lists(a, b, |report| {
            let states: HashMap<&str, &str> = state_names(report);
            report
                .findings
                .iter()
                .map(|finding| (finding_name(finding, &states), finding.message.clone()))
                .collect()
        }),
    };
    diff.equal = diff
        == InvestigationDiff {
            a: a.id.clone(),
            b: b.id.clone(),
            ..InvestigationDiff::default()
        };
    diff
}

fn properties(a: &InvestigationReport, b: &InvestigationReport) -> Vec<Change> {
    let of = |report: &InvestigationReport| {
        let args: Vec<String> = report.args.iter().map(|arg| shell::quoted(arg)).collect();
        [
            ("program", report.program.clone()),
            ("args", args.join(" ")),
            ("version", report.version.clone().unwrap_or_default()),
            ("interactive", report.interactive.to_string()),
            ("full_screen", report.full_screen.to_string()),
            ("safe_mode", report.safe_mode.to_string()),
            ("end", word(&report.end)),
        ]
    };
    let pairs = of(a).into_iter().zip(of(b));
    let changed = pairs.filter(|((_, a), (_, b))| a != b);
    changed
        .map(|((name, a), (_, b))| Change {
            name: name.to_owned(),
            a,
            b,
        })
        .collect()
}

fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Compares what `entries` returns of each report: names, with what may change about them.
fn lists(
    a: &InvestigationReport,
    b: &InvestigationReport,
    entries: impl Fn(&InvestigationReport) -> Vec<(String, String)>,
) -> ListDiff {
    // Two entries of one name are one with both contents.
    let joined = |report| {
        let mut joined: BTreeMap<String, String> = BTreeMap::new();
        for (name, content) in entries(report) {
            let all = joined.entry(name).or_default();
            if !all.is_empty() && !content.is_empty() {
                all.push_str("; ");
            }
            all.push_str(&content);
        }
        joined
    };
    let (a, mut b) = (joined(a), joined(b));
    let mut diff = ListDiff::default();
    for (name, a) in a {
        match b.remove(&name) {
            None => diff.removed.push(name),
            Some(b) if a != b => diff.changed.push(Change { name, a, b }),
            Some(_) => {}
        }
    }
    diff.added = b.into_keys().collect();
    diff
}

fn names(list: &[String]) -> Vec<(String, String)> {
    list.iter()
        .map(|name| (name.clone(), String::new()))
        .collect()
}

fn option(option: &OptionFound) -> (String, String) {
    let value = option.value.as_deref().unwrap_or_default();
    let content = format!("{value} {}", option.description);
    (option.flags.join(", "), content.trim().to_owned())
}

/// States by name, with the prompt and where their commands lead.
fn states(report: &InvestigationReport) -> Vec<(String, String)> {
    let known = state_names(report);
    let content = |state: &ProgramState| {
        let prompt = state
            .prompt
            .iter()
            .map(|prompt| format!("prompt {prompt:?}"));
        let transitions = state.transitions.iter().map(|(command, to)| {
            let to = known.get(to.as_str()).copied().unwrap_or("?");
            format!("{command} → {to}")
        });
        prompt.chain(transitions).collect::<Vec<_>>().join(", ")
    };
    let states = report.states.iter();
    states
        .map(|state| (state.name.clone(), content(state)))
        .collect()
}

fn state_names(report: &InvestigationReport) -> HashMap<&str, &str> {
    let states = report.states.iter();
    states.map(|state| (&*state.id, &*state.name)).collect()
}

/// `crash of dump in config`.
fn finding_name(finding: &Finding, states: &HashMap<&str, &str>) -> String {
    let mut name = word(&finding.kind);
    let input = finding.input.as_ref();
    if let Some(command) = finding.command.as_ref().or(input) {
        name.push_str(" of ");
        name.push_str(command);
    }
    let state = finding.state.as_deref().and_then(|id| states.get(id));
    if let Some(state) = state {
        name.push_str(" in ");
        name.push_str(state);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::investigate::{CommandReport, ExitCommand, FindingKind};

    fn report(id: &str) -> InvestigationReport {
        let command = |description: &str| CommandReport {
            description: description.to_owned(),
            ..CommandReport::default()
        };
        InvestigationReport {
            id: id.to_owned(),
            program: "mock".to_owned(),
            started_at: id.to_owned(),
            version: Some("1.0".to_owned()),
            commands: [
                ("add".to_owned(), command("Add one")),
                ("del".to_owned(), command("")),
            ]
            .into(),
            prompts: vec!["mock>".to_owned()],
            exit_commands: vec![ExitCommand {
                command: "quit".to_owned(),
                exit_status: 0,
            }],
            states: vec![ProgramState {
                id: format!("{id}-main"),
                name: "main".to_owned(),
                prompt: Some("mock>".to_owned()),
                transitions: [("again".to_owned(), format!("{id}-main"))].into(),
                ..ProgramState::default()
            }],
            ..InvestigationReport::default()
        }
    }

    #[test]
    fn two_runs_of_the_same_program_are_equal() {
        let diff = diff(&report("a"), &report("b"));
        assert!(diff.equal, "{diff:?}");
        assert_eq!(
            serde_json::to_string(&diff).unwrap(),
            r#"{"a":"a","b":"b","equal":true}"#
        );
    }

    #[test]
    fn everything_that_differs_is_named() {
        let a = report("a");
        let mut b = report("b");
        b.version = Some("1.1".to_owned());
        b.commands.remove("del");
        b.commands.get_mut("add").unwrap().description = "Add many".to_owned();
        b.commands
            .insert("new".to_owned(), CommandReport::default());
        b.prompts.push("cfg>".to_owned());
        b.exit_commands[0].exit_status = 1;
        b.states[0].transitions.insert("x".into(), "nowhere".into());
        b.findings.push(Finding {
            kind: FindingKind::Crash,
            command: Some("boom".to_owned()),
            state: Some("b-main".to_owned()),
            input: None,
            input_b64: None,
            signal: Some("SIGSEGV".to_owned()),
            exit_status: None,
            message: "ended by SIGSEGV".to_owned(),
            tape: None,
        });
        let diff = diff(&a, &b);
        assert!(!diff.equal);
        assert_eq!(
            (&*diff.properties[0].name, &*diff.properties[0].b),
            ("version", "1.1")
        );
        assert_eq!(diff.commands.added, ["new"]);
        assert_eq!(diff.commands.removed, ["del"]);
        assert_eq!(diff.commands.changed[0].b, "Add many");
        assert_eq!(diff.prompts.added, ["cfg>"]);
        assert_eq!(diff.exit_commands.changed[0].a, "0");
        assert_eq!(
            diff.states.changed[0].b,
            "prompt \"mock>\", again → main, x → ?"
        );
        assert_eq!(diff.findings.added, ["crash of boom in main"]);
    }
}
