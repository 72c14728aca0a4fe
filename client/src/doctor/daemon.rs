//! The daemon that runs, and the program that the next one will be.

use super::program::{output, version};
use crate::Context;
use crate::call::find_program;
use crate::check::Check;
use crate::fields::Fields as _;
use crate::hooks::{Daemon, Survey, connection, is_same};
use crate::render::counted;
use ccd_base::shell;
use ccd_protocol::Method as _;
use ccd_protocol::NoParams;
use ccd_protocol::coach::CoachStatus;
use ccd_protocol::daemon::{DaemonStatusReply, HandOver, HandOverCause};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Checks the program; a running daemon is also asked for what it has noticed itself.
pub(super) fn checks(survey: &Survey, context: &Context) -> Vec<Check> {
    let program = find_program();
    let version = program.as_deref().and_then(version);
    let mut checks = vec![of_program(program.as_deref(), version).of("ccd")];
    match &survey.daemon {
        Daemon::Running(status) => {
            checks.extend(running(status, program.as_deref()));
            checks.extend(reported(status));
            checks.extend(coach(context));
        }
        _ => checks.extend(program.as_deref().map(config).unwrap_or_default()),
    }
    checks
}

/// Finds the daemon that uses the same base directory and listens on another socket: cron, for one, has no `XDG_RUNTIME_DIR`.
pub(super) fn elsewhere(survey: &Survey) -> Option<Check> {
    let is_here = !matches!(survey.daemon, Daemon::NotRunning);
    let base = survey.base.as_deref().filter(|_| !is_here)?;
    let holder = std::fs::read_to_string(base.join("ccd.lock")).ok()?;
    let (pid, socket) = holder.trim().split_once(", socket ")?;
    UnixStream::connect(socket).ok()?;
    let text = format!(
        "the daemon ({pid}) listens on another socket, {socket}; set CCD_SOCKET to it, or XDG_RUNTIME_DIR as in your login; ccctl --socket {} doctor lists what it reports",
        shell::line([&socket.to_owned()])
    );
    Some(Check::wrong(text).of("daemon"))
}

/// Lets the program check the configuration that the next daemon will use.
fn config(program: &Path) -> Vec<Check> {
    let said = output(program, &["--check-config"]).unwrap_or_default();
    said.lines().filter_map(of_config).collect()
}

fn of_config(line: &str) -> Option<Check> {
    let (word, text) = line.split_once(": ")?;
    match word {
        "error" => {
            let text = format!("{text}; no daemon starts until this is corrected");
            Some(Check::wrong(text).of("config"))
        }
        "warning" => Some(Check::warning(text).of("config")),
        "ok" => Some(Check::ok(text).of("config")),
        _ => None,
    }
}

fn of_program(program: Option<&Path>, version: Option<String>) -> Check {
    let Some(program) = program else {
        return Check::wrong("neither next to ccctl nor on PATH; install both in one directory");
    };
    let shown = program.display();
    match version {
        None => Check::wrong(format!(
            "{shown}: does not print its version; install it again"
        )),
        Some(version) if version != VERSION => Check::warning(format!(
            "{shown}: version {version}, but ccctl is {VERSION}; install both from one build"
        )),
        Some(version) => Check::ok(format!("{shown}, version {version}")),
    }
}

/// Compares the program that runs with the one that is installed.
fn running(status: &DaemonStatusReply, installed: Option<&Path>) -> Option<Check> {
    let link = std::fs::read_link(format!("/proc/{}/exe", status.pid)).ok()?;
    of_running(&link, installed)
}

fn of_running(link: &Path, installed: Option<&Path>) -> Option<Check> {
    let shown = link.to_string_lossy();
    if let Some(path) = shown.strip_suffix(" (deleted)") {
        let text =
            format!("{path} was replaced since the daemon started; run ccctl daemon upgrade");
        return Some(Check::warning(text).of("running"));
    }
    let installed = installed.filter(|installed| !is_same(link, installed))?;
    let text = format!(
        "the daemon runs {shown}, but ccctl would start {}; keep one of them",
        installed.display()
    );
    Some(Check::warning(text).of("running"))
}

fn reported(status: &DaemonStatusReply) -> Vec<Check> {
    let mut checks = Vec::new();
    for text in &status.config_warnings {
        checks.push(Check::warning(text).of("config"));
    }
    if status.config_warnings.is_empty() && status.config_error.is_none() {
        let path = status.paths.get("config").map(PathBuf::from);
        let path = path.map_or("no file, the defaults apply".to_owned(), |path| {
            path.display().to_string()
        });
        checks.push(Check::ok(path).of("config"));
    }
    if let Some(last) = status.last_errors.last() {
        let count = counted(status.last_errors.len() as u64, "error");
        let text =
            format!("{count} since the start, the last: {last}; ccctl daemon logs prints them");
        checks.push(Check::warning(text).of("log"));
    }
    checks.extend(status.last_hand_over.as_ref().and_then(of_hand_over));
    for (what, count) in &status.drops {
        let text = format!(
            "{count} {what} were dropped since the start; the disk or the machine was too slow"
        );
        checks.push(Check::warning(text).of("dropped"));
    }
    checks
}

/// How the last handover went, if it did not go as it should.
fn of_hand_over(last: &HandOver) -> Option<Check> {
    let reason = last.reason.as_deref().unwrap_or("no reason is known");
    let what = match (last.rolled_back, last.cause) {
        (true, _) => "the last upgrade was rolled back",
        (false, HandOverCause::Crash) => "the worker ended unexpectedly, and another one took over",
        (false, HandOverCause::Upgrade) => return None,
    };
    let text = format!(
        "{what} ({}): {reason}; ccctl daemon logs may say more",
        last.at
    );
    Some(Check::warning(text).of("handover"))
}

fn coach(context: &Context) -> Vec<Check> {
    let Ok(Some(mut connection)) = connection(context) else {
        return Vec::new();
    };
    let problems = match connection.fetch(CoachStatus::NAME, &NoParams {}) {
        Ok(status) => {
            let problems = status.value.list("problems").iter();
            problems
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        }
        Err(failure) => vec![failure.to_string()],
    };
    let warnings = problems.iter().map(|text| Check::warning(text).of("coach"));
    warnings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;

    #[test]
    fn the_program_must_be_there_and_be_of_this_version() {
        let path = Path::new("/bin/ccd");
        for (program, version, state) in [
            (Some(path), Some(VERSION), CheckState::Ok),
            (Some(path), Some("9.9.9"), CheckState::Warning),
            (Some(path), None, CheckState::Wrong),
            (None, None, CheckState::Wrong),
        ] {
            let check = of_program(program, version.map(str::to_owned));
            assert_eq!(check.state, state, "{check:?}");
        }
    }

    #[test]
    fn a_crash_and_a_rollback_are_warnings() {
        for (cause, rolled_back, state) in [
            (HandOverCause::Crash, false, Some(CheckState::Warning)),
            (HandOverCause::Upgrade, true, Some(CheckState::Warning)),
            (HandOverCause::Upgrade, false, None),
        ] {
            let last = HandOver {
                number: 1,
                cause,
                rolled_back,
                reason: None,
                at: "2026-01-31T12:00:00Z".into(),
            };
            assert_eq!(of_hand_over(&last).map(|check| check.state), state);
        }
    }

    #[test]
    fn a_program_that_was_replaced_or_is_another_one_is_a_warning() {
        let shell = Path::new("/bin/sh");
        assert_eq!(of_running(shell, Some(shell)), None);
        assert_eq!(of_running(shell, None), None);
        let replaced = of_running(Path::new("/x/ccd (deleted)"), Some(shell)).unwrap();
        assert!(
            replaced.text.starts_with("/x/ccd was replaced"),
            "{replaced:?}"
        );
        let other = of_running(shell, Some(Path::new("/bin/cat"))).unwrap();
        assert!(other.text.contains("/bin/cat"), "{other:?}");
    }
}
