//! Files and devices that must not be written to.

use super::rule::Rule;
use super::tables::TABLES;

/// Returns the rule against writing to a file.
pub(super) fn written(file: &str) -> Option<Rule> {
    if is_device(file) {
        return Some(Rule::Disk);
    }
    let file = &*normal(file);
    let mut rules = TABLES.files.iter();
    let found = rules.find(|rule| {
        rule.files.contains(file)
            || rule.starts.iter().any(|start| file.starts_with(start))
            || rule.ends.iter().any(|end| file.ends_with(end))
    });
    found.map(|found| found.rule)
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
