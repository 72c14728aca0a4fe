//! The files for service managers.

use super::user_manager::install;
use crate::support::session::lacks;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

#[test]
fn systemd_finds_nothing_to_say_about_the_units() {
    let home = tempfile::tempdir().unwrap();
    // The units are checked with the programs that they name.
    let units = install(home.path());
    let output = Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify", "ccd.service", "ccd.socket"])
        .current_dir(&units)
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env("SYSTEMD_UNIT_PATH", format!("{}:", units.display()))
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: systemd-analyze cannot be run: {output:?}");
        return;
    };
    // systemd-analyze exits with 0 even if it finds an unknown key, so there must be no output.
    let printed = [output.stdout, output.stderr].concat();
    assert_eq!(String::from_utf8_lossy(&printed), "");
    assert!(output.status.success());
}

#[test]
fn the_units_say_what_the_daemon_relies_on() {
    let read = |unit: &str| fs::read_to_string(file("systemd").join(unit)).unwrap();
    let (service, socket) = (read("ccd.service"), read("ccd.socket"));
    let settings = "Type=notify NotifyAccess=all KillMode=mixed OOMPolicy=continue RuntimeDirectoryPreserve=yes \
        RuntimeDirectoryMode=0700 WatchdogSec=30s Restart=on-failure";
    for setting in settings.split(' ') {
        assert!(service.lines().any(|line| line == setting), "{setting}");
    }
    for setting in [
        "ListenStream=%t/ccd/ccd.sock",
        "SocketMode=0600",
        "DirectoryMode=0700",
    ] {
        assert!(socket.lines().any(|line| line == setting), "{setting}");
    }
    // Sessions would be affected.
    for felt in [
        "PrivateTmp=",
        "NoNewPrivileges=",
        "ProtectHome=",
        "ProtectSystem=",
    ] {
        assert!(!service.contains(felt), "{felt}");
    }
}

/// Prints the values in a property list that the daemon relies on, one per line.
const READ_PLIST: &str = r#"
import plistlib, sys
with open(sys.argv[1], "rb") as file:
    agent = plistlib.load(file)
print(agent["Label"])
print(" ".join(agent["ProgramArguments"]))
print("RunAtLoad" in agent, "KeepAlive" in agent, agent["ExitTimeOut"] >= 10)
socket = agent["Sockets"]["rpc"]
print(socket["SockPathName"], oct(socket["SockPathMode"]))
print(agent["StandardErrorPath"])
"#;

#[test]
fn the_property_list_has_what_launchd_needs() {
    if lacks(&["python3"]) {
        return;
    }
    let mut python = Command::new("python3");
    python
        .args(["-c", READ_PLIST])
        .arg(file("launchd/ccd.plist"));
    let output = python.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let [label, program, keys, socket, log] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("{output:?}");
    };
    assert!(label == "local.ccd" && program.contains("/ccd"), "{said}");
    // Either key would start the daemon at login.
    assert_eq!(keys, "False False True");
    // Without other settings ccctl looks there; the comment in the file puts the user's home in.
    assert_eq!(socket, "/Users/me/.claude-control/run/ccd.sock 0o600");
    assert_eq!(log, "/Users/me/Library/Logs/ccd.log");
}
