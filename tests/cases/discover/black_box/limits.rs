//! Random inputs and growth: time limits, and what is near a bound.

use super::runs::{assert_on_tape, findings, result, run_script};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_fields, assert_has};
use serde_json::{Value, json};

fn report(content: &str, test: &str, limits: &Value) -> Value {
    let daemon = Daemon::start();
    let params = json!({"types": [test], "seed": 7, "limits": limits});
    let report = run_script(&daemon, content, params);
    if test == "fuzz" {
        assert_on_tape(&report, test);
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
    // A slow machine comes to the first such input too late to shorten it.
    let within = |timeout_s: u64| {
        let extra = json!({"fuzz_inputs": 400, "timeout_s": timeout_s});
        let report = report(&script, "fuzz", &extra);
        let details = &result(&report, "fuzz")["details"];
        (details["not_minimal"].as_u64() > Some(0)).then_some(report)
    };
    let report = [6, 30, 90].into_iter().find_map(within).unwrap();
    let found = findings(&report, "fuzz");
    assert!(!found.is_empty(), "{report}");
    assert!(found.iter().all(|(kind, _)| kind == "crash"), "{report}");
}

#[test]
fn a_program_that_ends_often_is_not_failed_for_it() {
    // On a busy machine the time may be over before the first input.
    let begun = |timeout_s: u64| {
        let options = json!({"fuzz_inputs": 1_000_000, "timeout_s": timeout_s});
        let report = report(&reader("exit 1"), "fuzz", &options);
        let result = result(&report, "fuzz").clone();
        (result["details"]["inputs"].as_u64() > Some(0)).then_some(result)
    };
    let result = [2, 10, 30].into_iter().find_map(begun).unwrap();
    assert_fields(
        &result,
        json!({"passed": true, "details": {"complete": false}}),
    );
    let note = result["details"]["note"].as_str().unwrap();
    assert!(note.contains(" of 1000000 inputs within "), "{note}");
}

#[test]
fn the_same_bytes_in_another_order_are_one_finding() {
    let script = reader("case $word in *%*'('* | *'('*%*) kill -SEGV $$ ;; esac");
    let report = report(&script, "fuzz", &json!({"fuzz_inputs": 300}));
    let found = findings(&report, "fuzz");
    assert_eq!(found.len(), 1, "{report}");
}

#[test]
fn growth_is_measured_and_is_a_leak_if_it_is_steady() {
    if lacks(&["python3"]) {
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
        let error = growth.as_u64().unwrap().abs_diff(bytes);
        assert!(error <= bytes / 4 + 10_000, "{bytes}: {growth}");
    };
    std::thread::scope(|scope| {
        for (bytes, is_leak) in [(60_000, true), (10_000, false)] {
            scope.spawn(move || check(bytes, is_leak));
        }
    });
}

#[test]
fn a_test_that_has_not_begun_at_the_time_limit_fails() {
    let daemon = Daemon::with_config("{ testing: { timeout: 1 } }");
    let slow = "#!/bin/sh\nsleep 3\n";
    let report = run_script(
        &daemon,
        slow,
        json!({"types": ["fuzz"], "limits": {"timeout_s": null}}),
    );
    let fuzz = result(&report, "fuzz");
    let why = "not begun: the time limit of 1 s was reached";
    assert_eq!(fuzz["error"], why, "{report}");
    assert_eq!(report["summary"]["failed"], 1, "{report}");
}

#[test]
fn the_configuration_limits_memory_processor_time_and_copies() {
    let daemon = Daemon::with_config("{ testing: { memory_mb: 1, cpu_percent: 1, copies: 2 } }");
    let busy =
        "#!/bin/sh\nwhile :; do :; done &\nprintf '> '\nwhile read -r word; do printf '> '; done\n";
    let types = json!(["resource", "concurrent"]);
    let report = run_script(&daemon, busy, json!({"types": types}));
    assert_has(&result(&report, "resource")["error"], ["testing.memory_mb"]);
    assert_eq!(result(&report, "concurrent")["details"]["copies"], 2);
    // A request has limits of its own.
    let params = json!({"types": types, "limits": {"memory_mb": 1000, "copies": 3}});
    let report = run_script(&daemon, busy, params);
    assert_has(
        &result(&report, "resource")["error"],
        ["testing.cpu_percent"],
    );
    assert_eq!(result(&report, "concurrent")["details"]["copies"], 3);
}

#[test]
fn a_long_input_that_breaks_a_program_is_shortened_also_on_its_command_line() {
    let read = reader("[ ${#word} -gt 30 ] && kill -SEGV $$");
    let argument = "#!/bin/sh\n[ ${#1} -gt 700 ] && kill -SEGV $$\nexit 1\n";
    for (script, len) in [(&*read, 31), (argument, 701)] {
        let report = report(script, "invalid_input", &json!({}));
        let found = findings(&report, "invalid_input").into_iter();
        let found: Vec<_> = found.map(|(kind, input)| (kind, input.len())).collect();
        assert_eq!(found, [("crash".to_owned(), len)], "{report}");
    }
}

/// Carries out the first word of each line, and appends it to a file.
const DANGEROUS: &str = r#"#!/usr/bin/env python3
import sys
names = {'factory_reset': 'Restore factory settings', 'wipe': 'Wipe all data', 'drop': 'Drop the database',
         'nuke': 'Erase everything', 'add': 'Add an item'}
while True:
    print('> ', end='', flush=True)
    line = sys.stdin.readline()
    if not line:
        break
    words = line.split()
    if words[:1] == ['help']:
        print('Commands:')
        for name, text in names.items():
            print(f'  {name:14} {text}')
    elif words and words[0] in names:
        with open(sys.argv[0] + '.log', 'a') as log:
            log.write(words[0] + '\n')
"#;

#[test]
fn a_random_input_never_becomes_a_refused_command() {
    let daemon = Daemon::start();
    for seed in [2, 4] {
        let params = json!({"types": ["fuzz"], "seed": seed, "limits": {"fuzz_inputs": 400}});
        let report = run_script(&daemon, DANGEROUS, params);
        let refused = &result(&report, "fuzz")["details"]["refused"];
        assert!(refused.as_u64() > Some(0), "{report}");
    }
    let log = std::fs::read_to_string(daemon.home().join("script.log")).unwrap();
    let carried_out: std::collections::BTreeSet<&str> = log.lines().collect();
    assert_eq!(carried_out.into_iter().collect::<Vec<_>>(), ["add"]);
}
