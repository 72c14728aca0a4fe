//! Probes, reports of what a person did, and the user's own patterns.

use super::MOCK_TARGET;
use super::investigated::{folder, investigate_script, params, saved};
use crate::support::Daemon;
use crate::support::session::{assert_error, lacks};
use ccd_protocol::ErrorCode;
use ccd_protocol::investigate::{InvestigateProbeReply, InvestigationReport};
use serde_json::json;
use std::fs;

fn probe(daemon: &Daemon, argv: &[&str]) -> InvestigateProbeReply {
    let params = params(argv, &json!({}));
    let reply = daemon.ok("investigate.probe", &params);
    serde_json::from_value(reply).unwrap()
}

#[test]
fn a_probe_says_whether_a_program_waits_for_input() {
    let daemon = Daemon::start();
    let cat = probe(&daemon, &["cat"]);
    assert!(cat.interactive && cat.prompt.is_none() && cat.first_output_ms.is_none());
    assert_eq!(cat.help_forms, ["--help"]);
    let echo = probe(&daemon, &["echo", "hi"]);
    assert!(!echo.interactive && echo.prompt.is_none() && echo.first_output_ms.is_some());
    assert_eq!((echo.exit_status, echo.signal), (Some(0), None));
    let crashed = probe(&daemon, &["sh", "-c", "kill -SEGV $$"]);
    let signal = crashed.signal.as_deref();
    assert_eq!((crashed.exit_status, signal), (Some(139), Some("SIGSEGV")));
    let mock = probe(&daemon, &[MOCK_TARGET]);
    assert!(mock.interactive && !mock.full_screen && mock.exit_status.is_none());
    assert_eq!(mock.prompt.as_deref(), Some("main>"));
    assert_eq!(mock.version.as_deref(), Some("mock_target 1.2.3"));
    assert_eq!(mock.help_forms, ["--help", "-h"]);
    if !lacks(&["vim"]) {
        let vim = probe(&daemon, &["vim", "-u", "NONE"]);
        assert!(vim.interactive && vim.full_screen && vim.prompt.is_none());
    }
    // A probe leaves no report.
    assert_eq!(fs::read_dir(folder(&daemon)).map_or(0, Iterator::count), 0);
}

#[test]
fn what_a_person_did_in_a_session_gives_a_report() {
    let daemon = Daemon::start();
    let session = daemon.open(MOCK_TARGET, &[]);
    session.expect("main> $");
    let learn = |session: &str| {
        let params = json!({"session": session});
        daemon.call_value("investigate.learn", &params)
    };
    let error = learn(session.id()).unwrap_err();
    assert_error(&error, ErrorCode::TargetEnded);
    for (line, prompt) in [
        ("help", "main> $"),
        ("config", "config> $"),
        ("set a b", "config> $"),
        ("back", "main> $"),
        ("error", "main> $"),
        ("login", "Password: $"),
        ("sesame", "main> $"),
    ] {
        session.ask(line, prompt);
    }
    session.line("quit");
    session.ended();
    let report: InvestigationReport = serde_json::from_value(learn(session.id()).unwrap()).unwrap();
    let names: Vec<_> = report.states.iter().map(|state| &*state.name).collect();
    assert_eq!(names, ["main", "config", "password"]);
    assert_eq!(report.prompts, ["main>", "config>", "Password:"]);
    let [main, config, password] = [0, 1, 2].map(|at| &report.states[at]);
    assert_eq!(main.transitions["config"], config.id);
    assert_eq!(main.transitions["login"], password.id);
    assert_eq!(config.transitions["back"], main.id);
    assert_eq!(report.entry_state_id, Some(main.id.clone()));
    assert!(report.commands["set"].tested && !report.commands["json"].tested);
    let json = &report.commands["json"].description;
    assert_eq!(json, "Print the settings as JSON");
    assert_eq!(report.help_commands, ["help"]);
    assert_eq!(report.error_messages[0].message, "error: permission denied");
    let [exit] = &report.exit_commands[..] else {
        panic!("{report:?}");
    };
    assert_eq!((&*exit.command, exit.exit_status), ("quit", 0));
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("sesame"), "{text}");
    let mut files = fs::read_dir(folder(&daemon)).unwrap();
    assert_eq!(saved(&files.next().unwrap().unwrap().path()), report);
    let unknown = learn("no-session").unwrap_err();
    assert_error(&unknown, ErrorCode::SessionNotFound);
}

#[test]
fn the_users_own_patterns_are_used() {
    let daemon = Daemon::start();
    let patterns = json!([
        {"pattern_type": "state", "category": "mine", "patterns": ["^You stand in the (?P<state>[a-z]+)"]},
        {"pattern_type": "prompt", "category": "mine", "patterns": ["^what now, captain$"]},
        {"pattern_type": "error", "category": "seasick", "patterns": ["^Arr"]},
    ]);
    fs::write(daemon.home().join("patterns.json"), patterns.to_string()).unwrap();
    // The prompt after an input that makes no sense is another one, so only the pattern shows which is one.
    let text = r#"#!/bin/sh
where=deck
prompt='what now, captain '
while printf "$prompt" && IFS= read -r line; do
    prompt='what now, captain '
    case $where$line in
        deckhelp) printf 'Commands:\n  down  Go down\n  look  Look around\n' ;;
        cabinhelp) printf 'Commands:\n  sing  Sing\n  up    Go up\n' ;;
        deckdown) where=cabin; echo 'You stand in the cabin' ;;
        cabinup) where=deck ;;
        decklook) echo '/o\ sea /o\' ;;
        cabinsing) echo la ;;
        *) n=$((n+1)); echo "Arr, no $line"; prompt="($n times) " ;;
    esac
done
"#;
    let found = investigate_script(&daemon, "ship", text);
    let prompt = found.state("main").prompt.as_deref();
    assert_eq!(prompt, Some("what now, captain"));
    let cabin = found.state("cabin");
    assert_eq!(found.state("main").transitions["down"], cabin.id);
    assert_eq!(cabin.commands, ["sing", "up"]);
    assert!(found.report.commands["sing"].tested);
    let mut errors = found.report.error_messages.iter();
    let own = errors.find(|error| error.message == "Arr, no xyzzyq");
    assert_eq!(own.unwrap().category, "seasick");
}
