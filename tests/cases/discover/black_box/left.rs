//! Processes that a program leaves when it ends by itself.

use super::runs::run;
use crate::support::processes::with_command_line;
use crate::support::{Daemon, executable};
use serde_json::json;

/// Each copy starts a process that leaves its terminal, and outlives it.
const SCRIPT: &str = "#!/bin/sh
setsid sleep 4711.MARK >/dev/null 2>&1 </dev/null &
printf '> '
while read -r word; do
  case $word in quit) exit 0 ;; ?*) exit 1 ;; esac
  printf '> '
done
";

fn none_is_left(timeout_s: f64) {
    let daemon = Daemon::start();
    let program = daemon.home().join("leaver");
    let mark = std::process::id().to_string();
    executable::write_script(&program, &SCRIPT.replace("MARK", &mark));
    let limits = json!({"fuzz_inputs": 1000, "timeout_s": timeout_s});
    let report = run(&daemon, json!({"program": program, "limits": limits}));
    let left = with_command_line(&format!("4711.{mark}"));
    assert!(left.is_empty(), "{left:?} {report}");
}

#[test]
fn none_outlives_a_run_that_is_cut_off() {
    for timeout_s in [0.7, 1.6, 2.3] {
        none_is_left(timeout_s);
    }
}
