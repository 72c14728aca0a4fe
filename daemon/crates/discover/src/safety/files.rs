//! Files and devices that must not be written to.

use super::rule::Rule;

pub(super) fn written(file: &str) -> Option<Rule> {
    const CREDENTIALS: &[&str] = &[
        "/etc/passwd",
        "/etc/shadow",
        "/etc/sudoers",
        "/etc/group",
        "/etc/gshadow",
    ];
    const NETWORK: &[&str] = &["/etc/resolv.conf", "/etc/hosts", "/etc/hostname"];
    if is_device(file) {
        return Some(Rule::Disk);
    }
    let file = &*normal(file);
    if CREDENTIALS.contains(&file)
        || file.starts_with("/etc/sudoers.d/")
        || file.ends_with("/authorized_keys")
    {
        return Some(Rule::Credentials);
    }
    if file == "/proc/sysrq-trigger" {
        return Some(Rule::Shutdown);
    }
    let is_network = NETWORK.contains(&file)
        || file.starts_with("/proc/sys/net/")
        || file.starts_with("/etc/network/");
    is_network.then_some(Rule::Network)
}

/// Returns whether a path names a device that must not be written to. Disks have too many names to list them: all but
/// those that keep nothing are refused.
pub(super) fn is_device(path: &str) -> bool {
    const HARMLESS: &[&str] = &[
        "null", "zero", "full", "stdin", "stdout", "stderr", "tty", "pts", "fd", "shm",
    ];
    const FOLDERS: &[&str] = &["pts/", "fd/", "shm/"];
    let path = normal(path);
    let name = path.strip_prefix("/dev/");
    name.is_some_and(|name| {
        !HARMLESS.contains(&name) && !FOLDERS.iter().any(|folder| name.starts_with(folder))
    })
}

/// Returns a path without `//`, `.` and `..`. One that starts with `..` may lead up to the root.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let root = if path.starts_with('/') || path.starts_with("../") {
        "/"
    } else {
        ""
    };
    format!("{root}{}", parts.join("/"))
}
