//! The service of systemd or launchd, if it is installed.

use super::places::Places;
use super::program::{output, version};
use crate::call::installed_unit;
use crate::check::{Check, checks as found, shown};
use crate::fields::Fields as _;
use crate::hooks::Survey;
use crate::program::is_executable;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PROPERTIES: &str =
    "--property=Id,LoadState,ActiveState,UnitFileState,NeedDaemonReload,MainPID,ExecStart,Listen";

pub(super) fn checks(survey: &Survey, places: &Places) -> Vec<Check> {
    let user = rustix::process::geteuid().as_raw().to_string();
    if cfg!(target_os = "macos") {
        return found("service/launchd", launchd(&user));
    }
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let mut facts = json!({
        "file": installed_unit().map(shown),
        // As sd_booted(3) does it.
        "systemd": Path::new("/run/systemd/system").is_dir(),
        "is_named": places.socket_is_named || !set("CCD_HOME").is_empty(),
        "runtime": set("XDG_RUNTIME_DIR"),
        "user": user,
    });
    let unused = found("service", facts.clone());
    if !unused.is_empty() {
        return unused;
    }
    facts["socket"] = json!(places.socket.as_ref().ok().map(shown));
    facts["holder"] = survey.daemon.status()["holder_pid"].clone();
    let words = ["--user", "show", "ccd.socket", "ccd.service", PROPERTIES];
    let printed = output("systemctl", &words).unwrap_or_default();
    let mut checks = of_units(&printed, facts, version);
    let linger = output("loginctl", &["show-user", &user, "--property=Linger"]);
    let linger = linger.unwrap_or_default();
    let linger = linger.trim().strip_prefix("Linger=");
    checks.extend(found("linger", json!({ "linger": linger })));
    checks
}

/// Checks the units as `systemctl show` prints them: lines of `NAME=VALUE`, and a blank line between two units.
fn of_units(
    printed: &str,
    mut facts: Value,
    version: impl Fn(&Path) -> Option<String>,
) -> Vec<Check> {
    let unit = |text: &str| {
        text.lines()
            .filter_map(|line| line.split_once('='))
            .collect()
    };
    let units: Vec<Value> = printed.split("\n\n").map(unit).collect();
    let unit = |id: &str| units.iter().find(|unit| unit["Id"] == id);
    let (Some(socket), Some(service)) = (unit("ccd.socket"), unit("ccd.service")) else {
        return found("service/silent", facts);
    };
    let both = json!([socket, service]);
    facts["listens"] = listens_at(socket).into();
    facts["MainPID"] = service["MainPID"].clone();
    let program = program(service).map(|program| {
        json!({
            "path": shown(&program),
            "is_program": is_executable(&program),
            "version": version(&program),
        })
    });
    let checks = [
        found("service/unit", both.clone()),
        found("service/reload", both),
        found("service/program", program.unwrap_or_default()),
        found("service/listen", facts.clone()),
        found("service/owner", facts),
    ]
    .concat();
    if checks.is_empty() {
        found("service/sound", socket.clone())
    } else {
        checks
    }
}

/// The program of `ExecStart={ path=/usr/bin/ccd ; argv[]=… }`.
fn program(service: &Value) -> Option<PathBuf> {
    let (_, rest) = service.text("ExecStart").split_once("path=")?;
    let path = rest.split(" ;").next()?;
    Some(path.trim().into())
}

/// The path of `Listen=/run/user/1000/ccd/ccd.sock (Stream)`.
fn listens_at(socket: &Value) -> &str {
    let listen = socket.text("Listen");
    listen.rsplit_once(" (").map_or(listen, |(path, _)| path)
}

/// The label of the agent in launchd/ccd.plist.
const LAUNCHD_LABEL: &str = "local.ccd";

fn launchd(user: &str) -> Value {
    let file = format!("Library/LaunchAgents/{LAUNCHD_LABEL}.plist");
    let agent = std::env::var_os("HOME")
        .map(|home| PathBuf::from(home).join(file))
        .filter(|agent| agent.exists());
    let target = format!("gui/{user}/{LAUNCHD_LABEL}");
    let printed = output("launchctl", &["print", &target]);
    let is_loaded = printed.is_some_and(|text| !text.trim().is_empty());
    json!({"agent": agent.map(shown), "is_loaded": is_loaded, "user": user})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;

    const VERSION: &str = env!("CARGO_PKG_VERSION");

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
        let facts = json!({"file": "/u/ccd.socket", "socket": "/run/user/1/ccd/ccd.sock", "holder": daemon});
        let version = |_: &Path| Some(version.to_owned());
        of_units(&SOUND.replace(old, new), facts, version)
    }

    #[test]
    fn sound_units_are_one_line() {
        let checks = after("", "", Some(7), VERSION);
        assert_eq!(checks[0].text, "ccd.socket is enabled");
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
}
