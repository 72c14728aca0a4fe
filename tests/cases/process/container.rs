//! A daemon in a container, where its own session can have the number 0, as what was never started.

use crate::support::assert_has;
use crate::support::session::lacks;
use rustix::process::geteuid;
use std::process::Command;

const SCRIPT: &str = r#"
"$0" > "$HOME/log" 2>&1 &
daemon=$!
for _ in $(seq 200); do "$1" --no-start daemon ping > "$HOME/ping" 2>&1 && break; sleep 0.1; done
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

#[test]
fn a_start_that_failed_does_not_stop_the_daemon_in_the_session_0() {
    if !geteuid().is_root() || lacks(&["unshare"]) {
        eprintln!("skipped: it needs root");
        return;
    }
    let home = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-p", "-f", "--kill-child", "--mount-proc"])
        .args(["sh", "-c", SCRIPT])
        .arg(env!("CARGO_BIN_EXE_ccd_under_test"))
        .arg(env!("CARGO_BIN_EXE_ccctl_under_test"))
        .env("HOME", home.path())
        .env("CCD_HOME", home.path().join("ccd"))
        .env("XDG_RUNTIME_DIR", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_has(&said, ["session 0\n", "status 127\n", "sleep", "ended 0\n"]);
}
