//! Limits of the system that the daemon can meet.

use super::processes;
use crate::check::Check;
use crate::hooks::{Daemon, Survey};
use ccd_protocol::daemon::DaemonStatusReply;
use rustix::process::{Resource, getrlimit};
use std::fs;

/// Descriptors that a terminal takes in the daemon.
const PER_TERMINAL: u64 = 4;

/// Descriptors for databases, logs and everything else that does not grow.
const FIXED: u64 = 64;

/// With fewer left, a few people or agents may use up the terminals.
const FEW_TERMINALS: u64 = 32;

/// Checks each limit: that of the running daemon, otherwise that of this process, which a daemon would inherit.
pub(super) fn checks(survey: &Survey) -> Vec<Check> {
    let status = match &survey.daemon {
        Daemon::Running(status) => Some(&**status),
        _ => None,
    };
    let pid = status.map_or("self".to_owned(), |status| status.pid.to_string());
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let own = |resource| getrlimit(resource).maximum;
    let files = hard_limit(&limits, "Max open files").unwrap_or_else(|| own(Resource::Nofile));
    let user = hard_limit(&limits, "Max processes").unwrap_or_else(|| own(Resource::Nproc));
    let number = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let terminals = number("kernel/pty/nr").zip(number("kernel/pty/max"));
    [
        Some(open_files(files, status).of("open files")),
        terminals.map(|(used, max)| terminal_count(used, max).of("terminals")),
        inotify(number("fs/inotify/max_user_instances")),
        processes::check(user, &pid),
        number("kernel/yama/ptrace_scope").and_then(probe),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The hard limit in a line of `/proc/PID/limits`, to which the daemon raises the other; the inner `None` is no limit.
fn hard_limit(limits: &str, name: &str) -> Option<Option<u64>> {
    let rest = limits.lines().find_map(|line| line.strip_prefix(name))?;
    match rest.split_whitespace().nth(1)? {
        "unlimited" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// Whether there are enough descriptors for as many sessions and connections as the configuration allows.
fn open_files(limit: Option<u64>, status: Option<&DaemonStatusReply>) -> Check {
    let sessions = status.map_or(20, |status| status.sessions.max);
    let connections = status.and_then(|status| status.limits.get("connections"));
    let needed = FIXED + PER_TERMINAL * sessions + connections.unwrap_or(&1024);
    match limit {
        None => Check::ok("no limit"),
        Some(limit) if limit < needed => Check::warning(format!(
            "at most {limit}, but {sessions} sessions and their clients may need {needed}; raise the hard limit (ulimit -Hn, /etc/security/limits.conf, LimitNOFILE of the service) and restart the daemon"
        )),
        Some(limit) => Check::ok(format!("at most {limit}, {needed} may be needed")),
    }
}

fn terminal_count(used: u64, max: u64) -> Check {
    let text = format!("{used} of {max} in use on this system");
    let advice = "end some, or raise sysctl kernel.pty.max";
    match max.saturating_sub(used) {
        0 => Check::wrong(format!("{text}, so no session can start; {advice}")),
        1..FEW_TERMINALS => Check::warning(format!("{text}; {advice}")),
        _ => Check::ok(text),
    }
}

#[cfg(target_os = "linux")]
fn inotify(max_instances: Option<u64>) -> Option<Check> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let watched = init(CreateFlags::CLOEXEC)
        .map_err(|error| (error, "instances"))
        .and_then(|watcher| {
            let added = add_watch(&watcher, "/", WatchFlags::DELETE_SELF);
            added.map_err(|error| (error, "watches"))
        });
    Some(of_inotify(watched.err(), max_instances?).of("inotify"))
}

#[cfg(not(target_os = "linux"))]
fn inotify(_: Option<u64>) -> Option<Check> {
    None
}

#[cfg(target_os = "linux")]
fn of_inotify(failed: Option<(rustix::io::Errno, &str)>, max_instances: u64) -> Check {
    match failed {
        None => Check::ok(format!("at most {max_instances} instances, not used up")),
        Some((error, what)) => Check::warning(format!(
            "{error}: no {what} left, so changed files are noticed late; raise sysctl fs.inotify.max_user_{what}"
        )),
    }
}

/// Whether the daemon may see in which call a program waits; nothing to say if it may.
fn probe(ptrace_scope: u64) -> Option<Check> {
    let text = format!(
        "kernel.yama.ptrace_scope is {ptrace_scope}, so whether a program waits for input is guessed; with 1 or 0 it is known"
    );
    (ptrace_scope > 1 && !rustix::process::geteuid().is_root())
        .then(|| Check::warning(text).of("waiting"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;

    #[test]
    fn hard_limits_are_found_in_proc() {
        let limits = "\
Limit                     Soft Limit           Hard Limit           Units
Max processes             96365                unlimited            processes
Max open files            1024                 524288               files
";
        assert_eq!(hard_limit(limits, "Max open files"), Some(Some(524_288)));
        assert_eq!(hard_limit(limits, "Max processes"), Some(None));
        assert_eq!(hard_limit(limits, "Max file locks"), None);
    }

    #[test]
    fn limits_that_are_near_are_warnings() {
        for (check, state) in [
            (open_files(Some(524_288), None), CheckState::Ok),
            (open_files(None, None), CheckState::Ok),
            (open_files(Some(256), None), CheckState::Warning),
            (terminal_count(3, 4096), CheckState::Ok),
            (terminal_count(4090, 4096), CheckState::Warning),
            (terminal_count(4096, 4096), CheckState::Wrong),
        ] {
            assert_eq!(check.state, state, "{check:?}");
        }
        assert_eq!(probe(1), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_exhausted_inotify_names_what_to_raise() {
        let failed = |what| of_inotify(Some((rustix::io::Errno::NOSPC, what)), 128);
        assert!(failed("watches").text.ends_with("max_user_watches"));
        assert!(failed("instances").text.ends_with("max_user_instances"));
        assert_eq!(of_inotify(None, 128).state, CheckState::Ok);
    }
}
