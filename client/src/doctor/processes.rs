//! How many processes the user may have, and has. The kernel counts threads.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// With fewer left, a program of a session, or a run of a few at once, may fail to start.
const FEW: u64 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Use {
    used: u64,
    max: u64,
}

/// The limit of the user, or that of the control groups in which the daemon is, whichever is nearer.
pub(super) fn facts(user_max: Option<u64>, pid: &str) -> Value {
    let is_root = rustix::process::geteuid().is_root();
    let of_user = user_max.filter(|_| !is_root).map(|max| Use {
        used: threads_of_user(Path::new("/proc")),
        max,
    });
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let of_group = of_groups(Path::new("/sys/fs/cgroup"), &groups);
    let by_user = ("of this user", "ulimit -u, /etc/security/limits.conf");
    let by_group = (
        "of the control group",
        "TasksMax of its unit or slice, or pids limit of the container",
    );
    let both = [(of_user, by_user), (of_group, by_group)];
    let known = both
        .into_iter()
        .filter_map(|(found, by)| Some((found?, by)));
    let least = known.min_by_key(|(found, _)| found.left());
    least.map_or(Value::Null, |(found, (whose, how))| {
        let (Use { used, max }, is_low) = (found, found.left() < FEW);
        json!({"used": used, "max": max, "is_low": is_low, "whose": whose, "how": how})
    })
}

impl Use {
    fn left(self) -> u64 {
        self.max.saturating_sub(self.used)
    }
}

fn threads_of_user(proc: &Path) -> u64 {
    let us = rustix::process::getuid().as_raw();
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let is_process = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
        is_process && entry.metadata().is_ok_and(|there| there.uid() == us)
    });
    let threads = ours.map(|entry| fs::read_to_string(entry.path().join("stat")));
    threads
        .map(|stat| threads_in(&stat.unwrap_or_default()))
        .sum()
}

/// The number of threads in `/proc/PID/stat`: the 20th field. The second, a name in parentheses, may have any characters.
fn threads_in(stat: &str) -> u64 {
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field = rest.split_whitespace().nth(17);
    field.and_then(|threads| threads.parse().ok()).unwrap_or(0)
}

/// The fewest processes left in a group or one above it; `groups` is `/proc/PID/cgroup`.
fn of_groups(root: &Path, groups: &str) -> Option<Use> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let above = Path::new(own).ancestors().map(|group| root.join(group));
    let limited = above.filter_map(|group| {
        let number = |name: &str| {
            let text = fs::read_to_string(group.join(name)).ok()?;
            text.trim().parse().ok()
        };
        Some(Use {
            used: number("pids.current")?,
            max: number("pids.max")?,
        })
    });
    limited.min_by_key(|found| found.left())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_in_spite_of_odd_names() {
        let rest = "S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 12 0 99";
        assert_eq!(threads_in(&format!("42 (a b) c) {rest}")), 12);
        assert_eq!(threads_in(""), 0);
        assert!(threads_of_user(Path::new("/proc")) > 0 || !cfg!(target_os = "linux"));
    }

    #[test]
    fn the_tightest_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let group = |path: &str, used: &str, max: &str| {
            let group = root.path().join(path);
            fs::create_dir_all(&group).unwrap();
            fs::write(group.join("pids.current"), used).unwrap();
            fs::write(group.join("pids.max"), max).unwrap();
        };
        group("user.slice/one", "10\n", "max\n");
        group("user.slice", "500\n", "512\n");
        group("", "600\n", "9000\n");
        let found = of_groups(root.path(), "9:cpu:/x\n0::/user.slice/one\n").unwrap();
        assert_eq!((found.used, found.max), (500, 512));
        assert_eq!(of_groups(root.path(), "9:cpu:/x\n"), None);
    }
}
