//! Tests of maps.

use super::*;
use ccd_protocol::investigate::{InvestigationReport, ProgramState};
use proptest::prelude::*;

fn state(id: &str, prompt: &str, transitions: &[(&str, &str)]) -> ProgramState {
    ProgramState {
        id: id.to_owned(),
        name: id.to_owned(),
        prompt: Some(prompt.to_owned()),
        transitions: transitions
            .iter()
            .map(|(command, to)| ((*command).to_owned(), (*to).to_owned()))
            .collect(),
        ..ProgramState::default()
    }
}

fn report(states: Vec<ProgramState>) -> InvestigationReport {
    InvestigationReport {
        program: "router".to_owned(),
        entry_state_id: states.first().map(|state| state.id.clone()),
        states,
        ..InvestigationReport::default()
    }
}

/// A menu with a mode in a mode, ways back, a state beside another, and one that nothing leads to.
fn router() -> InvestigationReport {
    report(vec![
        state(
            "main",
            "router>",
            &[
                ("configure", "config"),
                ("conf t", "config"),
                ("data", "data"),
                ("shell", "sh"),
            ],
        ),
        state(
            "config",
            "router(config)#",
            &[("exit", "main"), ("interface", "if"), ("do data", "data")],
        ),
        state("data", "data>", &[("done", "main"), ("again", "data")]),
        state("sh", "$", &[("exit", "main"), ("exit all", "gone")]),
        state(
            "if",
            "router(config-if)#",
            &[("exit", "config"), ("end", "main")],
        ),
        state("lost", "?", &[]),
    ])
}

#[test]
fn a_map_has_the_states_and_what_leads_to_them() {
    let map = from_report(&router());
    let depths: Vec<_> = map.states.iter().map(|state| state.depth).collect();
    assert_eq!(depths, [Some(0), Some(1), Some(1), Some(1), Some(2), None]);
    assert_eq!(map.transitions[0].commands, ["conf t", "configure"]);
    assert_eq!(map.transitions.len(), 11);
    assert!(map.transitions.iter().all(|one| one.to != "gone"));
}

#[test]
fn dot_and_mermaid_have_a_line_for_each_state_and_arrow() {
    let mut report = report(vec![
        state("main", "a\"b\\c>", &[("say \"hi\"", "two")]),
        state("two", "<b>`x`", &[("quit", "main")]),
    ]);
    report.program = "x\"\n".to_owned();
    let map = from_report(&report);
    assert_eq!(
        write(&map, MapFormat::Dot),
        "digraph \"x\\\" \" {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n\
         \x20 s0 [label=\"main\\na\\\"b\\\\c>\", penwidth=2];\n\
         \x20 s1 [label=\"two\\n<b>`x`\"];\n\
         \x20 s0 -> s1 [label=\"say \\\"hi\\\"\"];\n\
         \x20 s1 -> s0 [label=\"quit\"];\n}\n"
    );
    assert_eq!(
        write(&map, MapFormat::Mermaid),
        "flowchart LR\n\
         \x20 s0([\"main<br/>a#34;b#92;c#62;\"])\n\
         \x20 s1[\"two<br/>#60;b#62;#96;x#96;\"]\n\
         \x20 s0 -->|\"say #34;hi#34;\"| s1\n\
         \x20 s1 -->|\"quit\"| s0\n"
    );
}

#[test]
fn many_commands_on_an_arrow_are_counted() {
    let commands: Vec<String> = (0..9).map(|at| format!("command-{at}")).collect();
    let transitions: Vec<(&str, &str)> = commands.iter().map(|one| (one.as_str(), "b")).collect();
    let map = from_report(&report(vec![
        state("a", ">", &transitions),
        state("b", "", &[]),
    ]));
    let label = write::commands_on(&map.transitions[0]);
    assert_eq!(label, "command-0, command-1 +7");
}

proptest! {
    #[test]
    fn any_report_has_a_map(
        names in proptest::collection::vec("(?s).{0,12}", 0..6),
        edges in proptest::collection::vec((0..8usize, "(?s).{0,8}", 0..8usize), 0..12),
        entry in proptest::option::of(0..8usize),
    ) {
        let mut states: Vec<ProgramState> = names
            .iter()
            .enumerate()
            .map(|(at, name)| ProgramState { id: (at / 2 * 2).to_string(), name: name.clone(), ..state("x", name, &[]) })
            .collect();
        for (from, command, to) in edges {
            if let Some(state) = states.get_mut(from) {
                state.transitions.insert(command, to.to_string());
            }
        }
        let report = InvestigationReport { entry_state_id: entry.map(|at| at.to_string()), ..report(states) };
        let map = from_report(&report);
        for format in [MapFormat::Json, MapFormat::Dot, MapFormat::Mermaid] {
            prop_assert!(!write(&map, format).is_empty());
        }
    }
}
