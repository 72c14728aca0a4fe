//! The daemon that runs, and the program that the next one will be.

use super::program::{output, version};
use crate::Context;
use crate::check::{Check, checks as found, shown};
use crate::fields::Fields as _;
use crate::hooks::{Daemon, Survey, connection};
use crate::program::{find_ccd, is_same};
use ccd_protocol::coach::CoachStatus;
use ccd_protocol::{Method as _, NoParams};
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Checks the program; a running daemon is also asked for what it has noticed itself.
pub(super) fn checks(survey: &Survey, context: &Context) -> Vec<Check> {
    let program = find_ccd();
    let installed = program.as_deref();
    let facts = json!({"path": installed.map(shown), "version": installed.and_then(version)});
    let mut checks = found("ccd", facts);
    checks.extend(match &survey.daemon {
        Daemon::Running(status) => {
            [running(status, installed), reported(status), coach(context)].concat()
        }
        _ => found("config", installed.map(config).unwrap_or_default()),
    });
    checks
}

/// Finds the daemon that uses the same base directory and listens on another socket: cron, for one, has no `XDG_RUNTIME_DIR`.
pub(super) fn elsewhere(survey: &Survey) -> Vec<Check> {
    let find = || {
        let is_here = !matches!(survey.daemon, Daemon::NotRunning);
        let base = survey.base.as_deref().filter(|_| !is_here)?;
        let holder = std::fs::read_to_string(base.join("ccd.lock")).ok()?;
        let (pid, socket) = holder.trim().split_once(", socket ")?;
        UnixStream::connect(socket).ok()?;
        Some(json!({"holder": pid, "socket": socket}))
    };
    found("daemon/elsewhere", find().unwrap_or_default())
}

/// Lets the program check the configuration that the next daemon will use: each line is a word and a text.
fn config(program: &Path) -> Value {
    let said = output(program, &["--check-config"]).unwrap_or_default();
    let lines = said.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(word, text)| json!({word: text})).collect()
}

/// Compares the program that runs with the one that is installed.
fn running(status: &Value, installed: Option<&Path>) -> Vec<Check> {
    let link = std::fs::read_link(format!("/proc/{}/exe", status["pid"]));
    link.map(|link| of_running(&link, installed))
        .unwrap_or_default()
}

fn of_running(link: &Path, installed: Option<&Path>) -> Vec<Check> {
    let runs = link.to_string_lossy();
    let replaced = runs.strip_suffix(" (deleted)");
    let other = installed.filter(|installed| !is_same(link, installed));
    found(
        "running",
        json!({"replaced": replaced, "runs": runs, "installed": other.map(shown)}),
    )
}

fn reported(status: &Value) -> Vec<Check> {
    let warnings = status.list("config_warnings").iter();
    let mut config: Vec<Value> = warnings.map(|text| json!({ "warning": text })).collect();
    if config.is_empty() && !status.has("config_error") {
        let path = status.at("paths.config").as_str();
        config.push(json!({"ok": path.unwrap_or("no file, the defaults apply")}));
    }
    let mut log = status.clone();
    log["last"] = json!(status.list("last_errors").last());
    let dropped = status["drops"].as_object().into_iter().flatten();
    let dropped = dropped.map(|(what, count)| json!({"what": what, "count": count}));
    [
        found("config", config.into()),
        found("log", log),
        found("handover", status["last_hand_over"].clone()),
        found("dropped", dropped.collect()),
    ]
    .concat()
}

fn coach(context: &Context) -> Vec<Check> {
    let Ok(Some(mut connection)) = connection(context) else {
        return Vec::new();
    };
    let problems = match connection.fetch(CoachStatus::NAME, &NoParams {}) {
        Ok(status) => status.value.list("problems").to_vec(),
        Err(failure) => vec![failure.to_string().into()],
    };
    let problems = problems.iter().map(|text| json!({ "problem": text }));
    found("coach", problems.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;

    #[test]
    fn a_crash_and_a_rollback_are_warnings() {
        for (cause, rolled_back, state) in [
            ("crash", false, Some(CheckState::Warning)),
            ("upgrade", true, Some(CheckState::Warning)),
            ("upgrade", false, None),
        ] {
            let last =
                json!({"cause": cause, "rolled_back": rolled_back, "at": "2026-01-31T12:00:00Z"});
            let found = found("handover", last);
            assert_eq!(found.first().map(|check| check.state), state);
        }
    }

    #[test]
    fn a_program_that_was_replaced_or_is_another_one_is_a_warning() {
        let shell = Path::new("/bin/sh");
        assert_eq!(of_running(shell, Some(shell)), []);
        assert_eq!(of_running(shell, None), []);
        let replaced = of_running(Path::new("/x/ccd (deleted)"), Some(shell));
        let text = &replaced[0].text;
        assert!(text.starts_with("/x/ccd was replaced"), "{text}");
        let other = of_running(shell, Some(Path::new("/bin/cat")));
        assert!(other[0].text.contains("/bin/cat"), "{other:?}");
    }
}
