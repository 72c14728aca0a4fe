//! The files for service managers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

#[test]
fn systemd_finds_nothing_to_say_about_the_units() {
    let home = tempfile::tempdir().unwrap();
    let (bin, units) = (home.path().join(".local/bin"), home.path().join("units"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir(&units).unwrap();
    // The units are checked with the programs that they name.
    symlink(env!("CARGO_BIN_EXE_ccd_under_test"), bin.join("ccd")).unwrap();
    symlink(env!("CARGO_BIN_EXE_ccctl_under_test"), bin.join("ccctl")).unwrap();
    for unit in ["ccd.service", "ccd.socket"] {
        fs::copy(file("systemd").join(unit), units.join(unit)).unwrap();
    }
    let output = Command::new("systemd-analyze")
        .args(["--user", "verify", "ccd.service", "ccd.socket"])
        .current_dir(&units)
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env("SYSTEMD_UNIT_PATH", format!("{}:", units.display()))
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: systemd-analyze is not installed");
            return;
        }
        output => output.unwrap(),
    };
    // systemd-analyze exits with 0 even if it finds an unknown key, so there must be no output.
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "");
    assert!(output.status.success());
}

/// Returns the value of a key in a unit.
fn setting(unit: &str, key: &str) -> String {
    let text = fs::read_to_string(file("systemd").join(unit)).unwrap();
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    value
        .unwrap_or_else(|| panic!("{unit} does not set {key}"))
        .to_owned()
}

#[test]
fn the_units_say_what_the_daemon_relies_on() {
    for (unit, key, value) in [
        ("ccd.service", "Type", "notify"),
        ("ccd.service", "NotifyAccess", "all"),
        ("ccd.service", "KillMode", "mixed"),
        ("ccd.service", "OOMPolicy", "continue"),
        ("ccd.service", "RuntimeDirectoryPreserve", "yes"),
        ("ccd.service", "RuntimeDirectoryMode", "0700"),
        ("ccd.service", "WatchdogSec", "30s"),
        ("ccd.service", "Restart", "on-failure"),
        ("ccd.socket", "ListenStream", "%t/ccd/ccd.sock"),
        ("ccd.socket", "SocketMode", "0600"),
        ("ccd.socket", "DirectoryMode", "0700"),
    ] {
        assert_eq!(setting(unit, key), value, "{unit}: {key}");
    }
    let text = fs::read_to_string(file("systemd/ccd.service")).unwrap();
    for felt in [
        "PrivateTmp=",
        "NoNewPrivileges=",
        "ProtectHome=",
        "ProtectSystem=",
    ] {
        assert!(
            !text.contains(felt),
            "the unit sets {felt}, which would affect sessions"
        );
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
"#;

#[test]
fn the_property_list_has_what_launchd_needs() {
    let output = Command::new("python3")
        .args(["-c", READ_PLIST])
        .arg(file("launchd/ccd.plist"))
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: python3 is not installed");
            return;
        }
        output => output.unwrap(),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines.len(),
        4,
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        lines[0].contains("ccd") && lines[1].contains("/ccd"),
        "{said}"
    );
    // Either key would start the daemon at login.
    assert_eq!(lines[2], "False False True");
    // Without other settings ccctl looks there; the comment in the file puts the user's home in.
    assert_eq!(lines[3], "/Users/me/.claude-control/run/ccd.sock 0o600");
}
