//! Processes that are not ours: who has called, whether it still runs, and what it does.

use crate::process_stat::ProcessStat;

/// Programs that start others for somebody; the one that has called is above them.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"];

/// So far up a caller is looked for.
const MAX_PARENTS: usize = 8;

/// Processes below one whose time is counted.
#[cfg(target_os = "linux")]
const MAX_DESCENDANTS: usize = 256;

/// A program that has called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    pub pid: i32,
    /// As [`lives`] takes it.
    pub started: u64,
    /// The device number of its terminal; 0 if it has none.
    pub tty_device: u64,
}

/// Returns the program that has started the process `pid`: the nearest above it whose name `is_meant`, otherwise the nearest
/// that is not a shell.
pub fn caller(pid: i32, is_meant: impl Fn(&str) -> bool) -> Option<Caller> {
    let mut parent = ProcessStat::read(pid)?.parent;
    let mut nearest = None;
    for _ in 0..MAX_PARENTS {
        let Some(process) = ProcessStat::read(parent).filter(|_| parent > 1) else {
            break;
        };
        let found = Caller {
            pid: parent,
            started: process.started_ticks,
            tty_device: process.tty_device,
        };
        if is_meant(&process.name) {
            return Some(found);
        }
        if !SHELLS.contains(&&*process.name) {
            nearest = nearest.or(Some(found));
        }
        parent = process.parent;
    }
    nearest
}

/// Returns when a process started, as [`lives`] takes it.
pub fn started(pid: i32) -> Option<u64> {
    ProcessStat::read(pid).map(|process| process.started_ticks)
}

/// Returns whether the process `pid` that started then still runs.
pub fn lives(pid: i32, started: u64) -> bool {
    ProcessStat::read(pid).is_some_and(|process| process.lives && process.started_ticks == started)
}

/// Returns the name of a process's program, at most 15 bytes of it.
pub fn name(pid: i32) -> Option<String> {
    ProcessStat::read(pid).map(|process| process.name)
}

/// Returns the processor time that a process and those below it have used, in clock ticks; `None` if the system does not
/// say.
#[cfg(target_os = "linux")]
pub fn used_ticks(pid: i32) -> Option<u64> {
    let mut sum = 0;
    let mut left = vec![pid];
    for _ in 0..MAX_DESCENDANTS {
        let Some(pid) = left.pop() else { break };
        let Some(process) = ProcessStat::read(pid) else {
            continue;
        };
        sum += process.used_ticks;
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten();
        for task in tasks.flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            left.extend(
                children
                    .split_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            );
        }
    }
    Some(sum)
}

#[cfg(not(target_os = "linux"))]
pub fn used_ticks(_pid: i32) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_above_the_shell_that_it_has_started() {
        let shell = std::process::Command::new("sh")
            .args(["-c", "sh -c 'echo $$; read line; exit'; true"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn();
        let mut shell = shell.unwrap();
        let mut line = String::new();
        let mut out = std::io::BufReader::new(shell.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        let pid: i32 = line.trim().parse().unwrap();
        let own = std::process::id().cast_signed();
        let found = caller(pid, |_| false).unwrap();
        assert_eq!(found.pid, own);
        assert_eq!(
            caller(pid, |name| name == "sh").map(|found| found.pid),
            Some(shell.id().cast_signed())
        );
        let start = found.started;
        assert!(lives(own, start) && !lives(own, start + 1));
        assert_eq!(started(own), Some(start));
        if let Some(ticks) = used_ticks(own) {
            assert!(ticks < 1 << 40);
        }
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert!(!lives(shell.id().cast_signed(), 0));
    }
}
