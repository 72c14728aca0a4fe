//! Information about processes of this machine.

use std::fs;

/// Returns whether a process with this id exists and is not a zombie.
pub(crate) fn lives(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.trim_start().chars().next());
        !matches!(state, Some('Z' | 'X') | None)
    })
}

/// Returns whether a process has no thread any more but a zombie. Until then, its files are open.
pub(crate) fn has_ended(pid: i32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    threads <= 1 && !lives(pid)
}

/// Returns the processes whose command line contains `text`.
pub(crate) fn with_command_line(text: &str) -> Vec<i32> {
    let own = i32::try_from(std::process::id()).unwrap();
    processes(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(text) && pid != own
    })
}

/// Returns the live processes for which `is_wanted` holds.
fn processes(is_wanted: impl Fn(i32) -> bool) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|&pid| is_wanted(pid) && lives(pid)).collect()
}

/// Returns whether a process whose command line contains `text` is in the foreground of its terminal, whose keys are then
/// for it: some shells bring it there only after it has begun.
pub(crate) fn is_in_foreground(text: &str) -> bool {
    const GROUP: usize = 2;
    const FOREGROUND: usize = 5;
    with_command_line(text).into_iter().any(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<&str> = rest.split_whitespace().collect();
        fields.len() > FOREGROUND && fields[GROUP] == fields[FOREGROUND]
    })
}

/// Returns the processes that were started with `name=value` in their environment.
pub(crate) fn with_variable(entry: &str) -> Vec<i32> {
    processes(|pid| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environ.split(|&byte| byte == 0);
        variables.any(|variable| variable == entry.as_bytes())
    })
}

/// Returns the number of open descriptors of a process.
pub(crate) fn descriptors(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// Returns the number of threads of a process.
pub(crate) fn threads(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).unwrap().count()
}

/// Returns the worker of the daemon whose holder is `holder`; `None` if both are one process.
pub(crate) fn worker_of(holder: i32) -> Option<i32> {
    let children = fs::read_to_string(format!("/proc/{holder}/task/{holder}/children")).ok()?;
    let mut children = children.split_ascii_whitespace().flat_map(str::parse);
    children.find(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|arg| arg == b"--worker")
    })
}

/// Returns the anonymous memory of a process, in bytes.
pub(crate) fn private_memory(pid: i32) -> u64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = rollup.lines().find(|line| line.starts_with("Anonymous:"));
    let kib: u64 = line
        .and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .unwrap();
    kib * 1024
}
