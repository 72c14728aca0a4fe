//! Limits of the system that the daemon can meet.

use super::processes;
use crate::check::{Check, checks as found};
use crate::fields::Fields as _;
use crate::hooks::Survey;
use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};
use std::fs;

/// Descriptors that a terminal takes in the daemon.
const PER_TERMINAL: u64 = 4;

/// Descriptors for databases, logs and everything else that does not grow.
const FIXED: u64 = 64;

/// With fewer left, a few people or agents may use up the terminals.
const FEW_TERMINALS: u64 = 32;

/// Checks each limit: that of the running daemon, otherwise that of this process, which a daemon would inherit.
pub(super) fn checks(survey: &Survey) -> Vec<Check> {
    let status = survey.daemon.status();
    let pid = status["pid"]
        .as_i64()
        .map_or("self".to_owned(), |pid| pid.to_string());
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let own = |resource| getrlimit(resource).maximum;
    let files = hard_limit(&limits, "Max open files").unwrap_or_else(|| own(Resource::Nofile));
    let user = hard_limit(&limits, "Max processes").unwrap_or_else(|| own(Resource::Nproc));
    let number = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let terminals = number("kernel/pty/nr").zip(number("kernel/pty/max"));
    let terminals = terminals.map(|(used, max)| terminal_count(used, max));
    // Whether the daemon may see in which call a program waits.
    let is_root = rustix::process::geteuid().is_root();
    let scope = number("kernel/yama/ptrace_scope").filter(|scope| *scope > 1 && !is_root);
    [
        found("open files", open_files(files, status)),
        found("terminals", terminals.unwrap_or_default()),
        found("inotify", inotify(number("fs/inotify/max_user_instances"))),
        found("processes", processes::facts(user, &pid)),
        found("waiting", json!({ "scope": scope })),
    ]
    .concat()
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
fn open_files(limit: Option<u64>, status: &Value) -> Value {
    let sessions = status.at("sessions.max").as_u64().unwrap_or(20);
    let connections = status.at("limits.connections").as_u64();
    let needed = FIXED + PER_TERMINAL * sessions + connections.unwrap_or(1024);
    json!({
        "limit": limit,
        "sessions": sessions,
        "needed": needed,
        "is_low": limit.is_some_and(|limit| limit < needed),
    })
}

fn terminal_count(used: u64, max: u64) -> Value {
    let left = max.saturating_sub(used);
    json!({"used": used, "max": max, "left": left, "is_low": left < FEW_TERMINALS})
}

#[cfg(target_os = "linux")]
fn inotify(max_instances: Option<u64>) -> Value {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let failed = |what| move |error: rustix::io::Errno| (error.to_string(), what);
    let watched = init(CreateFlags::CLOEXEC)
        .map_err(failed("instances"))
        .and_then(|watcher| {
            let added = add_watch(&watcher, "/", WatchFlags::DELETE_SELF);
            added.map_err(failed("watches"))
        });
    let (error, what) = watched.err().unzip();
    json!({"max": max_instances, "error": error, "what": what})
}

#[cfg(not(target_os = "linux"))]
fn inotify(_: Option<u64>) -> Value {
    Value::Null
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
        let files = |limit| open_files(limit, &Value::Null);
        for (name, facts, state) in [
            ("open files", files(Some(524_288)), CheckState::Ok),
            ("open files", files(None), CheckState::Ok),
            ("open files", files(Some(256)), CheckState::Warning),
            ("terminals", terminal_count(3, 4096), CheckState::Ok),
            ("terminals", terminal_count(4090, 4096), CheckState::Warning),
            ("terminals", terminal_count(4096, 4096), CheckState::Wrong),
        ] {
            assert_eq!(found(name, facts)[0].state, state, "{name}");
        }
        let exhausted = json!({"error": "no space", "what": "watches", "max": 128});
        assert!(
            found("inotify", exhausted)[0]
                .text
                .ends_with("max_user_watches")
        );
    }
}
