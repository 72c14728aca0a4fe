//! Random inputs and growth: time limits, and what is near a bound.

use super::runs::{findings, result, run};
use crate::support::{Daemon, executable};
use serde_json::{Value, json};
use std::path::Path;

fn report(content: &str, test: &str, limits: &Value) -> Value {
    let daemon = Daemon::start();
    let program = daemon.home().join("limited");
    executable::write_script(&program, content);
    let params = json!({"program": program, "types": [test], "seed": 7, "limits": limits});
    let report = run(&daemon, params);
    if test != "fuzz" {
        return report;
    }
    for finding in result(&report, test)["details"]["findings"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let tape = finding["tape"].as_str().unwrap();
        assert!(Path::new(tape).is_file(), "{tape}");
    }
    report
}

/// Reads lines, and runs commands for each.
fn reader(each: &str) -> String {
    format!("#!/bin/sh\nprintf '> '\nwhile read -r word; do\n{each}\nprintf '> '\ndone\n")
}

#[test]
fn a_finding_that_takes_long_to_shorten_is_reported() {
    let script = reader("[ ${#word} -gt 300 ] && { sleep 0.05; kill -SEGV $$; }");
    let report = report(
        &script,
        "fuzz",
        &json!({"fuzz_inputs": 400, "timeout_s": 6}),
    );
    let found = findings(&report, "fuzz");
    assert!(!found.is_empty(), "{report}");
    assert!(found.iter().all(|(kind, _)| kind == "crash"), "{report}");
    let details = &result(&report, "fuzz")["details"];
    assert!(details["not_minimal"].as_u64() > Some(0), "{details}");
}

#[test]
fn a_program_that_ends_often_is_not_failed_for_it() {
    let report = report(
        &reader("exit 1"),
        "fuzz",
        &json!({"fuzz_inputs": 1_000_000, "timeout_s": 2}),
    );
    let result = result(&report, "fuzz");
    assert_eq!(result["passed"], true, "{report}");
    assert_eq!(result["details"]["complete"], false);
    let note = result["details"]["note"].as_str().unwrap();
    assert!(note.contains(" of 1000000 inputs within "), "{note}");
}

#[test]
fn the_same_bytes_in_another_order_are_one_finding() {
    let script = reader("case $word in *%*'('* | *'('*%*) kill -SEGV $$ ;; esac");
    let report = report(&script, "fuzz", &json!({"fuzz_inputs": 600}));
    let found = findings(&report, "fuzz");
    assert_eq!(found.len(), 1, "{report}");
}

#[test]
fn growth_is_measured_and_is_a_leak_if_it_is_steady() {
    if !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let script = |bytes: u64| {
        format!(
            "#!/usr/bin/python3\nimport sys\nkept = []\nprint('> ', end='', flush=True)\n\
             for line in sys.stdin:\n    kept.append(b'x' * {bytes})\n    print('> ', end='', flush=True)\n"
        )
    };
    let check = |bytes: u64, is_leak: bool| {
        let report = report(&script(bytes), "resource", &json!({}));
        let found = findings(&report, "resource");
        assert_eq!(!found.is_empty(), is_leak, "{bytes}: {report}");
        let growth = &result(&report, "resource")["details"]["growth_bytes_per_input"];
        let growth = growth.as_u64().unwrap();
        assert!(
            growth.abs_diff(bytes) <= bytes / 4 + 10_000,
            "{bytes}: {growth}"
        );
    };
    std::thread::scope(|scope| {
        for (bytes, is_leak) in [(100_000, true), (60_000, true), (10_000, false), (0, false)] {
            scope.spawn(move || check(bytes, is_leak));
        }
    });
}
