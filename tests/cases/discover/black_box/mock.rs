//! Every planted fault of the mock is found, and none if it is sound.

use super::super::MOCK_TARGET;
use super::super::investigated::ended;
use super::runs::{assert_on_tape, failed, findings, result, run, run_script, start};
use crate::support::{Daemon, assert_fields, assert_has};
use serde_json::{Value, json};

fn of_kind(found: &[(String, String)], kind: &str) -> Vec<String> {
    let inputs = found.iter().filter(|(other, _)| other == kind);
    inputs.map(|(_, input)| input.clone()).collect()
}

#[test]
fn every_planted_fault_of_the_mock_is_found_and_known_afterwards() {
    let daemon = Daemon::start();
    let params = json!({"program": MOCK_TARGET, "seed": 7, "limits": {"fuzz_inputs": 200}});
    let report = run(&daemon, params);
    assert_fields(&report, json!({"seed": 7, "summary": {"total": 7}}));
    let fuzz = findings(&report, "fuzz");
    // Each is the shortest input that does it.
    for kind in ["crash", "hang", "flood"] {
        assert_eq!(of_kind(&fuzz, kind), [kind], "{report}");
    }
    assert_eq!(fuzz.len(), 3, "{fuzz:?}");
    assert_on_tape(&report, "fuzz");
    let crash = &result(&report, "fuzz")["details"]["findings"][0];
    assert_eq!(crash["signal"], "SIGSEGV");
    assert_eq!(of_kind(&findings(&report, "resource"), "leak").len(), 1);
    for test in ["startup", "help", "invalid_input", "exit", "concurrent"] {
        assert_eq!(result(&report, test)["passed"], true, "{report}");
    }
    let details = &result(&report, "help")["details"];
    assert_eq!(details["forms"], json!(["--help", "-h", "help", "?"]));
    let exits = &result(&report, "exit")["details"]["working_exits"];
    assert!(exits.as_array().unwrap().contains(&json!("quit")));

    // What is in a baseline is known.
    let params = json!({"program": MOCK_TARGET, "types": ["resource"], "baseline": report["id"]});
    let again = run(&daemon, params);
    assert_eq!(failed(&again), [""; 0]);
    let finding = &result(&again, "resource")["details"]["findings"][0];
    assert_eq!(finding["known"], true);
}

#[test]
fn nothing_is_found_in_a_sound_mock_and_nothing_dangerous_is_sent_to_it() {
    let daemon = Daemon::start();
    let log = daemon.home().join("typed");
    let args = json!(["--sound", "--log", log]);
    let params =
        json!({"program": MOCK_TARGET, "args": args, "seed": 7, "limits": {"fuzz_inputs": 200}});
    let report = run(&daemon, params);
    assert_eq!(failed(&report), [""; 0]);
    let typed = std::fs::read(log).unwrap();
    let lines = || typed.split(|byte| *byte == b'\n');
    assert!(lines().any(|line| line == b"help"));
    let is_zap = |line: &[u8]| line.trim_ascii().split(|byte| *byte == b' ').next() == Some(b"zap");
    assert!(!lines().any(is_zap));
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let daemon = Daemon::start();
    let once = || {
        let params = json!({"program": MOCK_TARGET, "types": ["fuzz"], "seed": 11,
            "limits": {"fuzz_inputs": 24}});
        let report = run(&daemon, params);
        let mut details = result(&report, "fuzz")["details"].clone();
        for finding in details["findings"].as_array_mut().unwrap() {
            finding["tape"].take();
        }
        for measured in ["inputs_per_second", "copies"] {
            details[measured].take();
        }
        details
    };
    assert_eq!(once(), once());
}

#[test]
fn a_run_reports_its_progress_and_is_listed() {
    let daemon = Daemon::start();
    let params = json!({"program": MOCK_TARGET, "types": ["exit"]});
    let job = ended(&daemon, &start(&daemon, params));
    let progress = &job["progress"];
    assert_eq!(progress["test"], "exit");
    assert_eq!(progress["done"], progress["of"]);
    let listed = daemon.ok("test.list", &json!({}));
    assert_eq!(listed["reports"][0]["id"], job["result"]["id"]);
    assert_eq!(listed["reports"][0]["path"], job["result"]["path"]);
}

/// A program with two commands of its own.
fn with_commands(daemon: &Daemon, help: &str, cases: &str, end: &str) -> Value {
    let text = format!(
        "#!/bin/sh
printf '> '
while read -r word rest; do
  case $word in
    help) printf 'Commands:\\n{help}' ;;
    {cases}
    *) echo \"error: unknown command: $word\" ;;
  esac
  printf '> '
done
{end}
"
    );
    let params = json!({"types": ["fuzz"], "seed": 3, "limits": {"fuzz_inputs": 64}});
    run_script(daemon, &text, params)
}

#[test]
fn a_crash_after_some_input_is_found_with_it() {
    let daemon = Daemon::start();
    let help = "  arm   Get ready\\n  fire  Do it\\n";
    let cases = "arm) armed=1 ;;
    fire) [ -n \"$armed\" ] && kill -SEGV $$ ;;";
    let report = with_commands(&daemon, help, cases, "");
    let wanted = [("crash".to_owned(), "arm\nfire".to_owned())];
    assert_eq!(findings(&report, "fuzz"), wanted, "{report}");

    // At the end of the input.
    let help = "  open   Begin\\n  close  End\\n";
    let cases = "open) open=1 ;;
    close) open= ;;";
    let end = "[ -n \"$open\" ] && kill -SEGV $$\nexit 0";
    let report = with_commands(&daemon, help, cases, end);
    let wanted = [("crash".to_owned(), "open\n\u{4}".to_owned())];
    assert_eq!(findings(&report, "fuzz"), wanted, "{report}");
    let finding = &result(&report, "fuzz")["details"]["findings"][0];
    assert_eq!(finding["signal"], "SIGSEGV");
    let tape = std::fs::read_to_string(finding["tape"].as_str().unwrap()).unwrap();
    assert_has(&tape, ["\"\\u0004\"", "signal: 11"]);
}
