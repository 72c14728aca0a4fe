//! Processes that are not ours: who has called, whether it still runs, and what it does.

use crate::process_stat::ProcessStat;
use rustix::process::{Pid, getpgid};
use std::path::Path;

/// Programs that start others for somebody; the one that has called is above them.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"];

/// Programs that run scripts start with one of these; the script is the program that one sees.
const INTERPRETERS: [&str; 4] = ["node", "python", "bun", "deno"];

/// So far up a caller is looked for.
const MAX_PARENTS: usize = 8;

/// Processes below one whose time is counted.
#[cfg(target_os = "linux")]
const MAX_DESCENDANTS: usize = 256;

/// A program that runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    pub pid: i32,
    /// As [`lives`] takes it.
    pub started: u64,
    /// The device number of its terminal; 0 if it has none.
    pub tty_device: u64,
}

/// Returns the program that has started the process `pid`: the nearest above it whose name `is_meant`, otherwise the nearest
/// that is not a shell.
pub fn caller(pid: i32, is_meant: impl Fn(&str) -> bool) -> Option<Running> {
    let mut parent = ProcessStat::read(pid)?.parent;
    let mut nearest = None;
    for _ in 0..MAX_PARENTS {
        let Some(process) = ProcessStat::read(parent).filter(|_| parent > 1) else {
            break;
        };
        let found = Running {
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

/// Returns the program in the foreground of the terminal of `pid`, and what is `known` by its name or, if an interpreter runs it,
/// by the name of the script.
pub fn foreground<T>(pid: i32, known: impl Fn(&str) -> Option<T>) -> Option<(T, Running)> {
    let leader = ProcessStat::read(pid)?.foreground;
    let found = known(&name(leader)?).or_else(|| known(&script(leader)?))?;
    Some((found, running(leader)?))
}

/// Returns whether what is typed on its terminal goes to a process: its group is in the foreground there.
pub fn is_in_foreground(pid: i32) -> bool {
    let group = Pid::from_raw(pid).and_then(|pid| getpgid(Some(pid)).ok());
    let foreground = ProcessStat::read(pid).map(|process| process.foreground);
    group.is_some_and(|group| foreground == Some(group.as_raw_nonzero().get()))
}

/// Returns the directory that a process works in; `None` if the system does not say.
pub fn cwd(pid: i32) -> Option<String> {
    let path = std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
    path.into_os_string().into_string().ok()
}

/// Returns a variable of the environment that a process started with; `None` if the system does not say.
pub fn variable(pid: i32, name: &str) -> Option<String> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|one| one.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Returns the name of the script that an interpreter runs.
fn script(pid: i32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split('\0');
    let name = |path: &str| Some(Path::new(path).file_name()?.to_str()?.to_owned());
    let program = name(words.next()?)?;
    let is_interpreter = INTERPRETERS.iter().any(|one| program.starts_with(one));
    let script = words.find(|word| !word.starts_with('-'))?;
    is_interpreter.then(|| name(script)).flatten()
}

/// Returns a process that runs.
pub fn running(pid: i32) -> Option<Running> {
    let process = ProcessStat::read(pid).filter(|process| process.lives)?;
    Some(Running {
        pid,
        started: process.started_ticks,
        tty_device: process.tty_device,
    })
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
        assert_eq!(running(own).map(|own| own.started), Some(start));
        if let Some(ticks) = used_ticks(own) {
            assert!(ticks < 1 << 40);
        }
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert!(!lives(shell.id().cast_signed(), 0));
    }
}
