//! `docs/ccd_pexpect.py`, the interface of pexpect, with real programs.

use crate::support::Daemon;
use crate::support::session::lacks;
use std::path::Path;
use std::process::Command;

#[test]
fn scripts_for_pexpect_run_with_its_module() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("/usr/bin/env")
        .args(["python3", "-W", "error", "-B", "-m", "unittest", "discover"])
        .arg(here.join("fixtures/pexpect"))
        .env("PYTHONPATH", here.join("../docs"))
        .env("CCD_SOCKET", daemon.socket())
        .env("CCD_NO_START", "1")
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("\nOK"), "{report}");
}
