//! The units with a real systemd of a user: what `ccctl` does where systemd listens in the daemon's place.

use crate::support::session::lacks;
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const SYSTEMD: &str = "/usr/lib/systemd/systemd";

/// Runs in a mount namespace: systemd wants a control group, which is removed in the end, and a system that it has started.
const OUTSIDE: &str = r#"
mount -t tmpfs none /run && mkdir -p /run/systemd/system || exit 77
mount -t tmpfs none /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup || exit 77
group=/sys/fs/cgroup/ccd-test-$$
mkdir "$group" || exit 77
unshare -p -f --kill-child --mount-proc sh -c "echo 0 > $group/cgroup.procs && $0"
result=$?
find "$group" -depth -type d -exec rmdir {} \;
exit $result
"#;

/// Runs in that control group, and in a namespace of processes that ends with it.
const SCRIPT: &str = r#"
/usr/lib/systemd/systemd --user > "$HOME/log" 2>&1 &
for _ in $(seq 100); do systemctl --user is-active -q basic.target && break; sleep 0.1; done
systemctl --user is-active -q basic.target || exit 77
set -e
say() { printf '%s: ' "$1"; shift; "$@" 2>&1 | tail -1; }
service() { env "$@" ccctl doctor > "$HOME/doctor" || true; grep ' service ' "$HOME/doctor"; }
say installed service
systemctl --user enable -q --now ccd.socket
say enabled service
say version ccctl version
say forbidden ccctl --no-start daemon ping
say unstarted systemctl --user is-active ccd.service
say list ccctl --json ls
say started systemctl --user is-active ccd.service
say running service
say stopped ccctl daemon stop
say afterwards systemctl --user is-active ccd.service
sed -i 's|^ExecStart=.*|ExecStart=%h/nowhere/ccd|' "$HOME/.config/systemd/user/ccd.service"
systemctl --user daemon-reload
say missing service
say named service CCD_HOME="$HOME/ccd"
say unset service -u XDG_RUNTIME_DIR
"#;

/// Makes a home in which the programs and the units are installed; returns the directory of the units.
pub(super) fn install(home: &Path) -> PathBuf {
    let (bin, units) = (home.join(".local/bin"), home.join(".config/systemd/user"));
    for folder in [&bin, &units, &home.join("r")] {
        fs::create_dir_all(folder).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_ccd_under_test"), bin.join("ccd")).unwrap();
    symlink(env!("CARGO_BIN_EXE_ccctl_under_test"), bin.join("ccctl")).unwrap();
    let ours = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../systemd");
    for unit in ["ccd.service", "ccd.socket"] {
        fs::copy(ours.join(unit), units.join(unit)).unwrap();
    }
    units
}

#[test]
fn with_systemd_only_what_needs_a_daemon_starts_one_and_stop_stops_it() {
    if !geteuid().is_root() || lacks(&["unshare", "systemctl", SYSTEMD]) {
        eprintln!("skipped: it needs root and systemd");
        return;
    }
    let home = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
    install(home.path());
    let bin = home.path().join(".local/bin");
    let script = home.path().join("script");
    fs::write(&script, SCRIPT).unwrap();
    let path = format!("{}:/usr/bin:/bin:/usr/sbin:/sbin", bin.display());
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", OUTSIDE])
        .arg(format!("sh '{}'", script.display()))
        .env_clear()
        .env("PATH", path)
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path().join("r"))
        .output()
        .unwrap();
    if output.status.code() == Some(77) {
        eprintln!("skipped: a systemd of a user cannot be started here");
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let said = |name: &str| {
        let name = format!("{name}: ");
        let line = said.lines().find_map(|line| line.strip_prefix(&name));
        line.unwrap_or_else(|| panic!("{name}{output:?}"))
            .to_owned()
    };
    let first = "✓ service     ccd.socket starts with the first ccctl";
    for (name, words) in [
        ("installed", first),
        ("enabled", "✓ service     ccd.socket is enabled"),
        ("forbidden", "no daemon is running"),
        ("unstarted", "inactive"),
        ("started", "active"),
        ("running", "✓ service     ccd.socket is enabled"),
        ("stopped", "ccd stopped: pid "),
        ("afterwards", "inactive"),
        ("missing", "nowhere/ccd, which is not a program"),
        ("named", "not used: --socket, $CCD_SOCKET or $CCD_HOME"),
        ("unset", "! service     "),
    ] {
        assert!(said(name).contains(words), "{name}: {}", said(name));
    }
    assert!(said("missing").starts_with('✗'));
}
