//! A daemon in a container, where its own session can have the number 0, as what was never started.

use crate::support::assert_has;
use crate::support::session::lacks;
use rustix::process::geteuid;
use std::process::Command;

const START: &str = r#" > "$HOME/log" 2>&1 &
daemon=$!
for _ in $(seq 200); do "$1" --no-start daemon ping > "$HOME/ping" 2>&1 && break; sleep 0.1; done
"#;

const INSIDE: &str = r#"
echo "session $(cut -d' ' -f6 /proc/$daemon/stat)"
"$1" --no-start session create -- sleep 1000 > "$HOME/created" || echo not created
"$1" --no-start run -- no-such-program 2> "$HOME/failed"
echo "status $?"
"$1" --no-start data forget sessions --yes > "$HOME/forgotten" 2>&1
"$1" --no-start ls
timeout 60 "$1" --no-start daemon stop || kill -9 $daemon
wait $daemon
echo "ended $?"
"#;

const OUTSIDE: &str = r#"
timeout 10 "$1" --no-start daemon stop
echo "status $?"
"#;

const CONTAINER: [&str; 5] = ["unshare", "-p", "-f", "--kill-child", "--mount-proc"];

/// Runs a script with a daemon and a home of its own.
fn run(program: &[&str], script: &str) -> String {
    let home = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
    let (first, rest) = program.split_first().unwrap();
    let output = Command::new(first)
        .args(rest)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_ccd_under_test"))
        .arg(env!("CARGO_BIN_EXE_ccctl_under_test"))
        .env("HOME", home.path())
        .env("CCD_HOME", home.path().join("ccd"))
        .env("XDG_RUNTIME_DIR", home.path())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_daemon_in_a_container_survives_a_failed_start_and_is_stopped_from_outside() {
    if !geteuid().is_root() || lacks(&["unshare"]) {
        eprintln!("skipped: it needs root");
        return;
    }
    let shell = [&CONTAINER[..], &["sh", "-c"]].concat();
    let said = run(&shell, &format!("\"$0\"{START}{INSIDE}"));
    assert_has(&said, ["session 0\n", "status 127\n", "sleep", "ended 0\n"]);
    // From outside, the number that the daemon says is another process.
    let contained = CONTAINER.join(" ");
    let said = run(
        &["sh", "-c"],
        &format!("{contained} \"$0\"{START}{OUTSIDE}"),
    );
    assert_has(&said, ["ccd stopped: pid 1\n", "status 0\n"]);
}
