//! The service of systemd or launchd, if it is installed.

use super::places::Places;
use super::program::{output, version};
use super::systemd::{PROPERTIES, Unit};
use crate::call::installed_unit;
use crate::check::{Check, CheckState};
use crate::hooks::{Daemon, Survey};
use std::path::{Path, PathBuf};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const NAME: &str = "service";

struct Facts<'a> {
    socket: &'a Path,
    daemon: Option<i32>,
    version: &'a dyn Fn(&Path) -> Option<String>,
}

pub(super) fn checks(survey: &Survey, places: &Places) -> Vec<Check> {
    if cfg!(target_os = "macos") {
        return vec![launchd().of(NAME)];
    }
    let Some(unit) = installed_unit() else {
        let text = "not installed; ccctl starts the daemon when it is needed";
        return vec![Check::absent(text).of(NAME)];
    };
    let user = rustix::process::geteuid().as_raw().to_string();
    if let Some((state, text)) = unused(places, &user) {
        let text = format!("{} is installed, but {text}", unit.display());
        return vec![Check::found(state, text).of(NAME)];
    }
    let words = ["--user", "show", "ccd.socket", "ccd.service", PROPERTIES];
    let shown = output("systemctl", &words).unwrap_or_default();
    let facts = Facts {
        socket: places.socket.as_deref().unwrap_or(Path::new("")),
        daemon: match &survey.daemon {
            Daemon::Running(status) => Some(status.holder_pid),
            _ => None,
        },
        version: &version,
    };
    let linger = output("loginctl", &["show-user", &user, "--property=Linger"]);
    let mut checks = of_units(&shown, &unit, &facts);
    checks.extend(of_linger(&linger.unwrap_or_default()));
    checks
}

/// Why `ccctl` does not use the units, if it does not.
fn unused(places: &Places, user: &str) -> Option<(CheckState, String)> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // As sd_booted(3) does it.
    if !Path::new("/run/systemd/system").is_dir() {
        let text = "this system does not run systemd, so ccctl starts the daemon";
        return Some((CheckState::Ok, text.to_owned()));
    }
    if places.socket_is_named || is_set("CCD_HOME") {
        let text = "not used: --socket, $CCD_SOCKET or $CCD_HOME names another socket";
        return Some((CheckState::Ok, text.to_owned()));
    }
    let text = format!(
        "XDG_RUNTIME_DIR is not set, so ccctl does not find its socket; export XDG_RUNTIME_DIR=/run/user/{user}"
    );
    (!is_set("XDG_RUNTIME_DIR")).then_some((CheckState::Warning, text))
}

fn of_units(shown: &str, unit: &Path, facts: &Facts<'_>) -> Vec<Check> {
    let found = (
        Unit::find(shown, "ccd.socket"),
        Unit::find(shown, "ccd.service"),
    );
    let (Some(socket), Some(service)) = found else {
        let text = format!(
            "{} is installed, but systemctl --user does not answer; try systemctl --user status",
            unit.display()
        );
        return vec![Check::warning(text).of(NAME)];
    };
    let mut checks = Vec::new();
    for unit in [socket, service] {
        let id = unit.get("Id");
        let state = match unit.get("LoadState") {
            "loaded" => unit.get("ActiveState"),
            state => state,
        };
        if unit.get("LoadState") != "loaded" || state == "failed" {
            let text = format!("{id}: {state}; systemctl --user status {id} shows why");
            checks.push(Check::wrong(text).of(NAME));
        }
        if unit.get("NeedDaemonReload") == "yes" {
            let text = format!("{id} has changed on disk; run systemctl --user daemon-reload");
            checks.push(Check::warning(text).of(NAME));
        }
    }
    checks.extend(of_program(service, facts));
    checks.extend(of_socket(socket, service, facts));
    if checks.is_empty() {
        let is_enabled = socket.get("UnitFileState") == "enabled";
        let enabled = if is_enabled {
            "ccd.socket is enabled"
        } else {
            "ccd.socket starts with the first ccctl; systemctl --user enable ccd.socket starts it at login"
        };
        checks.push(Check::ok(enabled.to_owned()).of(NAME));
    }
    checks
}

fn of_program(service: Unit<'_>, facts: &Facts<'_>) -> Option<Check> {
    let program = service.program()?;
    let shown = program.display();
    if !crate::hooks::is_executable(&program) {
        let text = format!(
            "ccd.service starts {shown}, which is not a program; install ccd there, or change ExecStart (systemctl --user edit ccd.service)"
        );
        return Some(Check::wrong(text).of(NAME));
    }
    let version = (facts.version)(&program).filter(|version| version != VERSION)?;
    let text = format!(
        "ccd.service starts {shown}, version {version}, but ccctl is {VERSION}; install both from one build"
    );
    Some(Check::warning(text).of(NAME))
}

/// Where systemd listens, and whether the running daemon is the one of the service.
fn of_socket(socket: Unit<'_>, service: Unit<'_>, facts: &Facts<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    let listens_at = socket.listens_at();
    if listens_at != facts.socket {
        let text = format!(
            "ccd.socket listens at {}, but ccctl connects to {}; change ListenStream (systemctl --user edit ccd.socket)",
            listens_at.display(),
            facts.socket.display()
        );
        checks.push(Check::warning(text).of(NAME));
    }
    let of_service = service.get("MainPID").parse().ok();
    if facts.daemon.is_some() && facts.daemon != of_service {
        let text = "the running daemon does not belong to the service; after ccctl daemon stop, the next one does";
        checks.push(Check::warning(text).of(NAME));
    }
    checks
}

fn of_linger(shown: &str) -> Option<Check> {
    let text = "off, so the service and its sessions end when you log out; loginctl enable-linger keeps them";
    match shown.trim() {
        "Linger=no" => Some(Check::warning(text).of("linger")),
        "Linger=yes" => Some(Check::ok("on").of("linger")),
        _ => None,
    }
}

fn launchd() -> Check {
    let agent = std::env::var_os("HOME")
        .map(|home| PathBuf::from(home).join("Library/LaunchAgents/ccd.plist"))
        .filter(|agent| agent.exists());
    let Some(agent) = agent else {
        let text = "not installed; ccctl starts the daemon when it is needed";
        return Check::absent(text);
    };
    let agent = agent.display();
    let user = rustix::process::geteuid().as_raw();
    let printed = output("launchctl", &["print", &format!("gui/{user}/ccd")]);
    if printed.is_some_and(|text| !text.trim().is_empty()) {
        Check::ok(format!("{agent} is loaded"))
    } else {
        Check::warning(format!(
            "{agent} is not loaded; launchctl bootstrap gui/{user} {agent} loads it"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "\
Id=ccd.socket
LoadState=loaded
ActiveState=active
UnitFileState=enabled
NeedDaemonReload=no
Listen=/run/user/1/ccd/ccd.sock (Stream)

Id=ccd.service
LoadState=loaded
ActiveState=active
NeedDaemonReload=no
MainPID=7
ExecStart={ path=/bin/sh ; argv[]=/bin/sh }
";

    /// The checks of the units after a change of the text.
    fn after(old: &str, new: &str, daemon: Option<i32>, version: &str) -> Vec<Check> {
        assert!(SOUND.contains(old), "{old}");
        let facts = Facts {
            socket: Path::new("/run/user/1/ccd/ccd.sock"),
            daemon,
            version: &|_| Some(version.to_owned()),
        };
        of_units(&SOUND.replace(old, new), Path::new("/u/ccd.socket"), &facts)
    }

    #[test]
    fn sound_units_are_one_line() {
        let checks = after("", "", Some(7), VERSION);
        assert_eq!(checks, [Check::ok("ccd.socket is enabled").of(NAME)]);
        let checks = after("=enabled", "=disabled", None, VERSION);
        assert_eq!((checks.len(), checks[0].state), (1, CheckState::Ok));
    }

    #[test]
    fn what_keeps_the_service_from_serving_is_named() {
        for row in [
            "ccd.service\nLoadState=loaded | ccd.service\nLoadState=bad-setting | wrong | ccd.service: bad-setting",
            "ActiveState=active\nUnit | ActiveState=failed\nUnit | wrong | ccd.socket: failed",
            "path=/bin/sh | path=/no/ccd | wrong | /no/ccd, which is not a program",
            "Reload=no\nMain | Reload=yes\nMain | warning | daemon-reload",
            "/run/user/1/ccd | /elsewhere | warning | listens at /elsewhere",
            "MainPID=7 | MainPID=0 | warning | does not belong to the service",
            &format!("{SOUND} |  | warning | does not answer"),
        ] {
            let [old, new, state, words] = row.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let checks = after(old, new, Some(7), VERSION);
            assert_eq!(checks.len(), 1, "{checks:?}");
            assert_eq!(format!("{:?}", checks[0].state).to_lowercase(), state);
            assert!(checks[0].text.contains(words), "{checks:?}");
        }
        let older = after("", "", Some(7), "0.0.1");
        assert!(older[0].text.contains("version 0.0.1, but ccctl"));
    }

    #[test]
    fn lingering_is_reported_if_it_is_known() {
        assert_eq!(of_linger("Linger=no\n").unwrap().state, CheckState::Warning);
        assert_eq!(of_linger("Linger=yes\n").unwrap().state, CheckState::Ok);
        assert_eq!(of_linger(""), None);
    }
}
