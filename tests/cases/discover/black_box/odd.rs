//! Programs that are not made to be asked, and line editors that draw their line again for each key.

use super::runs::{failed, findings, result, run_script};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_fields, assert_has};
use serde_json::{Value, json};

const NO_HELP: &str = r#""help": "no way of asking for help prints any""#;

/// Tests a script.
fn report(content: &str, types: &[&str]) -> Value {
    let params = json!({"types": types, "limits": {"fuzz_inputs": 50}});
    run_script(&Daemon::start(), content, params)
}

#[test]
fn a_program_that_prints_nothing_is_not_failed_for_it() {
    let report = report("#!/bin/sh\nexec sleep 1000\n", &[]);
    let startup = &result(&report, "startup")["details"];
    assert_fields(startup, json!({"has_output": false, "running": true}));
    assert_eq!(failed(&report), [NO_HELP]);
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
        let skipped = &result(&report, test)["details"]["skipped"];
        assert_has(skipped, ["hidden"]);
    }
}

#[test]
fn a_program_that_ignores_every_word_has_no_exit() {
    let script = "#!/bin/sh
trap '' INT
while :; do read -r word || sleep 0.01; done
";
    let report = report(script, &["exit", "invalid_input", "fuzz"]);
    let no_exit = r#""exit": "no word and no key ends it""#;
    assert_eq!(failed(&report), [no_exit]);
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
    assert_eq!(failed(&good), [NO_HELP]);
    let bad = report("#!/bin/sh\nexit 3\n", &["startup"]);
    let status = r#""startup": "it ended at once with exit status 3""#;
    assert_eq!(failed(&bad), [status]);
}

#[test]
fn a_missing_program_is_reported_before_a_job_starts() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    for (params, kind) in [
        (
            json!({"program": "no-such-program-4711"}),
            "target_not_found",
        ),
        (
            json!({"program": "cat", "limits": {"copies": 0}}),
            "invalid_argument",
        ),
        (
            json!({"program": "cat", "limits": {"timeout_s": -1.0}}),
            "invalid_argument",
        ),
    ] {
        connection.refused("test.run", &params, kind);
    }
}

/// Draws `width` bytes for each key, and in addition prints without end after an empty line, if asked to.
fn editor(width: usize, is_endless: bool) -> String {
    let after = ["pass", "while not line: draw()"][usize::from(is_endless)];
    format!(
        r#"#!/usr/bin/env python3
import os, tty
tty.setraw(0)
row = b'\r' + b'x' * {width}
def draw(times=1):
    data = row * times
    while data:
        data = data[os.write(1, data):]
os.write(1, b'> ')
line = b''
while keys := os.read(0, 4096):
    if b'\x04' in keys: break
    for part in keys.split(b'\r')[:-1]:
        line += part
        draw(len(part))
        {after}
        line = b''
        os.write(1, b'\r\nunknown\r\n> ')
    last = keys.split(b'\r')[-1]
    line += last
    draw(len(last))
os.write(1, b'\r\n')
"#
    )
}

#[test]
fn a_line_that_is_drawn_again_for_each_key_is_not_a_flood() {
    if lacks(&["python3"]) {
        return;
    }
    for (width, is_endless, wanted) in [(120, false, &[][..]), (10, true, &["flood"])] {
        let params = json!({"types": ["invalid_input"], "seed": 7});
        let report = run_script(&Daemon::start(), &editor(width, is_endless), params);
        let found = findings(&report, "invalid_input");
        let kinds: Vec<&str> = found.iter().map(|(kind, _)| &**kind).collect();
        assert_eq!(kinds, wanted, "{report}");
    }
}
