//! Disks that are formatted, partitioned or overwritten.

use super::rule::Rule;

/// Programs that do nothing else.
const ALWAYS: &[&str] = &[
    "mke2fs",
    "mkdosfs",
    "mkntfs",
    "mkswap",
    "newfs",
    "wipefs",
    "blkdiscard",
    "diskpart",
    "cfdisk",
    "gdisk",
    "pvcreate",
    "pvremove",
    "vgremove",
    "lvremove",
    "lvreduce",
    "tune2fs",
    "mkfs",
    "nwipe",
    "dban",
    "zerofree",
];

/// Programs with an option that only lists.
const UNLESS_LISTING: &[&str] = &["fdisk", "sfdisk", "sgdisk", "parted"];

/// Sub-commands and options, in lower case.
const WITH: &[(&str, &[&str])] = &[
    (
        "cryptsetup",
        &[
            "luksformat",
            "erase",
            "luksErase",
            "luksremovekey",
            "luksaddkey",
        ],
    ),
    ("zpool", &["destroy", "create", "labelclear"]),
    ("zfs", &["destroy", "rollback"]),
    ("mdadm", &["--zero-superblock", "--create", "--stop"]),
    ("nvme", &["format", "sanitize"]),
    (
        "hdparm",
        &[
            "--security-erase",
            "--security-erase-enhanced",
            "--trim-sector-ranges",
        ],
    ),
    ("badblocks", &["-w", "-wsv", "-n"]),
    (
        "diskutil",
        &[
            "erasedisk",
            "erasevolume",
            "partitiondisk",
            "zerodisk",
            "secureerase",
        ],
    ),
    ("btrfs", &["device", "balance"]),
    ("losetup", &["-d", "-D"]),
];

pub(super) fn refusal(name: &str, arguments: &[&str]) -> Option<Rule> {
    let lists = || {
        arguments.iter().any(|word| {
            matches!(
                *word,
                "-l" | "--list" | "-p" | "--print" | "-d" | "--dump" | "-s" | "print"
            )
        })
    };
    let has = |wanted: &[&str]| {
        arguments
            .iter()
            .any(|word| wanted.iter().any(|other| other.eq_ignore_ascii_case(word)))
    };
    let is_dangerous = match name {
        "dd" => arguments
            .iter()
            .any(|word| word.strip_prefix("of=").is_some_and(is_device)),
        "format" => arguments.first().is_some_and(|word| is_drive(word)),
        "tee" | "cp" | "mv" | "install" | "ln" => arguments
            .iter()
            .skip(usize::from(name != "tee"))
            .any(|word| is_device(word)),
        _ if UNLESS_LISTING.contains(&name) => {
            !lists() && !arguments.is_empty() || name != "parted" && arguments.is_empty()
        }
        _ => {
            ALWAYS.contains(&name)
                || name.starts_with("mkfs.")
                || name.starts_with("newfs_")
                || WITH
                    .iter()
                    .any(|(program, words)| *program == name && has(words))
        }
    };
    if is_dangerous {
        return Some(Rule::Disk);
    }
    let writes = matches!(name, "tee" | "cp" | "mv" | "install");
    if writes {
        arguments.iter().find_map(|file| written(file))
    } else {
        None
    }
}

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
fn is_device(path: &str) -> bool {
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

/// Returns whether a word is a drive of Windows, such as `c:`.
fn is_drive(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic()) && characters.next() == Some(':')
}
