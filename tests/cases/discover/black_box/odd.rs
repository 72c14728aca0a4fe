//! Programs that are not made to be asked.

use super::runs::{failed, findings, result, run};
use crate::support::{Daemon, executable, kind};
use serde_json::{Value, json};

/// Tests a script.
fn report(content: &str, types: &[&str]) -> Value {
    let daemon = Daemon::start();
    let program = daemon.home().join("odd");
    executable::write_script(&program, content);
    let config = json!({"program": program, "types": types, "limits": {"fuzz_inputs": 50}});
    run(&daemon, config)
}

#[test]
fn a_program_that_prints_nothing_is_not_failed_for_it() {
    let report = report("#!/bin/sh\nexec sleep 1000\n", &[]);
    let startup = &result(&report, "startup")["details"];
    assert_eq!(
        (&startup["has_output"], &startup["running"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        failed(&report),
        ["\"help\": \"no way of asking for help prints any\""]
    );
}

#[test]
fn a_program_that_never_stops_printing_is_a_flood() {
    let report = report("#!/bin/sh\nexec yes\n", &["startup", "exit", "fuzz"]);
    let found = findings(&report, "startup");
    assert_eq!(found, [("flood".to_owned(), String::new())]);
    assert_eq!(result(&report, "exit")["passed"], true, "{report}");
}

#[test]
fn a_program_that_asks_for_a_password_waits() {
    let script = "#!/bin/sh
stty -echo
trap 'stty echo' EXIT
trap 'exit 130' INT
printf 'Password: '
read -r word
echo
echo wrong
";
    let types = ["startup", "invalid_input", "exit", "concurrent", "fuzz"];
    let report = report(script, &types);
    assert_eq!(failed(&report), [""; 0], "{report}");
    assert_eq!(result(&report, "startup")["details"]["hidden_input"], true);
    for test in &types[1..] {
        let skipped = result(&report, test)["details"]["skipped"].as_str();
        assert!(
            skipped.is_some_and(|why| why.contains("hidden")),
            "{test} {report}"
        );
    }
}

#[test]
fn a_program_that_ignores_every_word_has_no_exit() {
    let script = "#!/bin/sh
trap '' INT
while :; do read -r word || sleep 0.01; done
";
    let report = report(script, &["exit", "invalid_input", "fuzz"]);
    let failed = failed(&report);
    assert_eq!(failed, ["\"exit\": \"no word and no key ends it\""]);
}

#[test]
fn a_program_that_leaves_the_terminal_changed_or_a_process_behind_is_found() {
    let script = "#!/bin/sh
printf '> '
while read -r word; do
  case $word in
    quit) stty -echo; exit 0 ;;
    bye) trap '' HUP; sleep 300 >/dev/null 2>&1 </dev/null & exit 0 ;;
  esac
  printf '> '
done
";
    let report = report(script, &["exit"]);
    let found = findings(&report, "exit");
    let wanted = [("terminal_changed", "quit"), ("process_left", "bye")];
    let wanted = wanted.map(|(kind, input)| (kind.to_owned(), input.to_owned()));
    assert_eq!(found, wanted, "{report}");
    let clean = &result(&report, "exit")["details"]["working_exits"];
    assert_eq!(*clean, json!(["C-d"]));
}

#[test]
fn a_program_that_ends_at_once_is_judged_by_its_status() {
    let good = report("#!/bin/sh\necho done\n", &[]);
    assert_eq!(
        failed(&good),
        ["\"help\": \"no way of asking for help prints any\""]
    );
    let bad = report("#!/bin/sh\nexit 3\n", &["startup"]);
    assert_eq!(
        failed(&bad),
        ["\"startup\": \"it ended at once with exit status 3\""]
    );
}

#[test]
fn a_missing_program_is_reported_before_a_job_starts() {
    let daemon = Daemon::start();
    let params = json!({"program": "no-such-program-4711"});
    let error = daemon.call_value("test.run", &params).unwrap_err();
    assert_eq!(kind(&error), "target_not_found");
    for wrong in [json!({"copies": 0}), json!({"timeout_s": -1.0})] {
        let params = json!({"program": "cat", "limits": wrong});
        let error = daemon.call_value("test.run", &params).unwrap_err();
        assert_eq!(kind(&error), "invalid_argument", "{error}");
    }
}
