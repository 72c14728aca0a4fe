//! Real programs pass.

use super::runs::{failed, result, run};
use crate::discover::investigated::is_missing;
use crate::support::Daemon;
use crate::support::session::lacks;
use serde_json::{Value, json};

/// Returns the report of a program; none if it is not installed.
fn report(program: &str) -> Option<Value> {
    if is_missing(program) {
        return None;
    }
    let params = json!({"program": program, "seed": 5, "limits": {"fuzz_inputs": 40}});
    let report = run(&Daemon::start(), params);
    assert_eq!(failed(&report), [""; 0], "{program}: {report}");
    Some(report)
}

fn list(result: &Value, key: &str) -> Vec<String> {
    serde_json::from_value(result["details"][key].clone()).unwrap()
}

#[test]
fn cat_passes() {
    let Some(report) = report("cat") else { return };
    assert_eq!(list(result(&report, "help"), "forms"), ["--help"]);
    assert_eq!(list(result(&report, "exit"), "working_exits"), ["C-d"]);
    assert_eq!(result(&report, "fuzz")["details"]["inputs"], 40);
}

#[test]
fn sqlite3_passes() {
    let Some(report) = report("sqlite3") else {
        return;
    };
    assert_eq!(list(result(&report, "help"), "inside"), [".help"]);
    let exits = list(result(&report, "exit"), "working_exits");
    assert_eq!(exits, ["C-d", ".exit", ".quit"]);
    let fuzz = &result(&report, "fuzz")["details"];
    assert!(fuzz["refused"].as_u64().unwrap() > 0, "{fuzz}");
}

#[test]
fn python3_passes() {
    let Some(report) = report("python3") else {
        return;
    };
    let forms = list(result(&report, "help"), "forms");
    assert!(forms.contains(&"--help".to_owned()), "{forms:?}");
}

#[test]
fn bash_passes_and_is_given_nothing_random() {
    let Some(report) = report("bash") else { return };
    let skipped = result(&report, "fuzz")["details"]["skipped"].as_str();
    assert!(skipped.unwrap().contains("shell"), "{report}");
}

#[test]
fn full_screen_programs_end_by_a_word() {
    for (argv, way) in [
        (&["less", "a file"][..], "q"),
        (&["vim", "-u", "NONE"], ":q"),
    ] {
        if lacks(&argv[..1]) {
            continue;
        }
        let daemon = Daemon::start();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a file"), "hello\n".repeat(1000)).unwrap();
        let params =
            json!({"program": argv[0], "args": argv[1..], "cwd": folder.path(), "types": ["exit"]});
        let report = run(&daemon, params);
        assert_eq!(failed(&report), [""; 0], "{report}");
        let exits = list(result(&report, "exit"), "working_exits");
        assert!(exits.contains(&way.to_owned()), "{exits:?}");
    }
}
