//! `ccctl investigate`, `map` and `test` on reports that are there.

use super::reports::{investigation, put, tests};
use crate::support::{Ccctl, Daemon};
use serde_json::Value;
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn reports_of_investigations_are_listed_shown_compared_mapped_and_deleted() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let mut old = investigation("aaaa1111-0000-4000-8000-000000000001", "mock", "1.0");
    old["commands"]["config"]["description"] = "Change \u{1b}[2Jsettings".into();
    let new = investigation("aaaa2222-0000-4000-8000-000000000002", "mock", "1.1");
    put(
        &daemon,
        "investigations",
        "mock_20250101T000000000Z.json",
        &old.to_string(),
    );
    put(
        &daemon,
        "investigations",
        "mock_20250102T000000000Z.json",
        &new.to_string(),
    );
    put(
        &daemon,
        "investigations",
        "\u{1b}[2Jdamaged.json",
        "no JSON",
    );

    let ran = client.run(&["investigate", "list"]);
    assert!(ran.stdout.starts_with("aaaa2222-"), "{}", ran.stdout);
    assert!(ran.stderr.contains("damaged.json"), "{}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    let listed = json(&client.ok(&[
        "investigate",
        "ls",
        "--program",
        "mock",
        "-n",
        "1",
        "--json",
    ]));
    assert_eq!(listed["reports"].as_array().unwrap().len(), 1);

    // The newest one of a program.
    let shown = client.ok(&["investigate", "show", "mock", "--json"]);
    assert_eq!(json(&shown)["version"], "1.1");
    let shown = client.ok(&["investigate", "show", "aaaa1"]);
    assert!(shown.contains("config  Change settings"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert_eq!(
        json(&client.ok(&["investigate", "get", "aaaa1", "--json"])),
        {
            let mut whole = old;
            for (added, value) in [
                ("error_messages", Value::Array(vec![])),
                ("data_formats", Value::Array(vec![])),
                ("safety_notes", Value::Array(vec![])),
                ("options", Value::Array(vec![])),
                ("usage", Value::Array(vec![])),
                ("full_screen", false.into()),
                ("end", "complete".into()),
            ] {
                whole[added] = value;
            }
            for state in whole["states"].as_array_mut().unwrap() {
                for list in ["commands", "output_samples", "error_patterns"] {
                    state[list] = Value::Array(vec![]);
                }
            }
            whole
        }
    );

    let ran = client.run(&["investigate", "diff", "aaaa1", "aaaa2"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stdout,
        "~ version: 1.0 → 1.1\n~ command config: Change settings → Change settings\n"
    );
    assert_eq!(
        client.ok(&["map", "mock"]),
        "main  mock>  (start)\n  config → config\nconfig  config>\n  end → main\n"
    );
    let refused = client.run(&["map", "--svg", "aaaa1"]);
    assert!(refused.stderr.contains("ccctl map --dot aaaa1 | dot -Tsvg"));
    assert!(client.ok(&["map", "--dot", "aaaa1"]).contains("s0 -> s1"));
    assert!(client.ok(&["map", "aaaa1", "--dot"]).contains("s0 -> s1"));
    assert_eq!(
        json(&client.ok(&["map", "--json", "aaaa1"]))["program"],
        "mock"
    );

    let deleted = client.ok(&["investigate", "delete", "aaaa1"]);
    assert!(deleted.starts_with("deleted /"), "{deleted}");
    assert_eq!(client.run(&["investigate", "show", "aaaa1"]).code, Some(4));
    assert_eq!(
        client.run(&["investigate", "--unsafe", "list", "x"]).code,
        Some(2)
    );
    let cleaned = client.ok(&["investigate", "cleanup", "--older-than", "30"]);
    assert!(cleaned.starts_with("deleted 1 report, "), "{cleaned}");
}

#[test]
fn reports_of_tests_are_listed_shown_and_written_as_files() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let report = tests("bbbb1111-0000-4000-8000-000000000001", "mock", None);
    put(
        &daemon,
        "test-reports",
        "mock_20250101T000000000Z.json",
        &report.to_string(),
    );
    let listed = client.ok(&["test", "list"]);
    assert!(
        listed.contains("1/2") && listed.contains("fuzz"),
        "{listed}"
    );
    let shown = client.ok(&["test", "show", "bbbb1"]);
    assert!(shown.contains("✓ startup\n✗ fuzz"), "{shown}");
    assert!(shown.contains("input  boom <\\u{1b}[2J>"), "{shown}");
    assert_eq!(client.ok(&["test", "show", "mock"]), shown);
    assert_eq!(
        json(&client.ok(&["test", "show", "bbbb1", "--json"]))["seed"],
        42
    );

    let folder = tempfile::tempdir().unwrap();
    let [junit, html] = ["r.xml", "r.html"].map(|name| folder.path().join(name));
    client.ok(&[
        "test",
        "show",
        "bbbb1",
        "--junit",
        junit.to_str().unwrap(),
        "--html",
        html.to_str().unwrap(),
    ]);
    assert!(fs::read_to_string(&junit).unwrap().starts_with("<?xml"));
    assert!(fs::read_to_string(&html).unwrap().ends_with("</html>\n"));
    assert!(
        client
            .ok(&["test", "get", "bbbb1", "--junit", "-"])
            .contains("<testsuite ")
    );
    client.ok(&["test", "rm", "mock_20250101T000000000Z.json"]);
    assert_eq!(client.run(&["test", "show", "bbbb1"]).code, Some(4));
}
