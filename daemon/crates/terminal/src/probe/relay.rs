//! Programs that pass on what is typed to a program on another terminal, so that only their near end is visible.

use std::fs::File;
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;

use super::line_modes::LineModes;
use super::proc::{ProcFiles, TaskId};

/// Programs whose far end is not another terminal in their own hands, by the name that the kernel keeps (15 bytes).
const RELAYS: &[&str] = &[
    "ssh",
    "mosh-client",
    "telnet",
    "rlogin",
    "docker",
    "docker-compose",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "incus",
    "machinectl",
    "adb",
    "dtach",
    "abduco",
];

/// Programs that draw a screen of their own, in which other programs run.
const MULTIPLEXERS: &[&str] = &["tmux", "screen", "zellij", "dvtm"];

/// Returns whether the program of this name is known as a relay.
pub(super) fn is_relay(name: &str) -> bool {
    RELAYS.contains(&name)
}

/// Returns whether the program of this name is a multiplexer; tmux calls its processes `tmux: client` and
/// `tmux: server`.
pub(super) fn is_multiplexer(name: &str) -> bool {
    MULTIPLEXERS.contains(&name.split(':').next().unwrap_or_default())
}

/// Returns the modes of the terminal whose master side is this descriptor of the task; `None` if they are not visible.
pub(super) fn line_behind(task: TaskId, master: i32, files: &mut ProcFiles) -> Option<LineModes> {
    let info = std::str::from_utf8(files.descriptor_info(task, master).ok()?).ok()?;
    let index = info
        .lines()
        .find_map(|line| line.strip_prefix("tty-index:"))?;
    let index: u32 = index.trim().parse().ok()?;
    let mut options = File::options();
    options
        .read(true)
        .custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK);
    let terminal = options.open(format!("/dev/pts/{index}")).ok()?;
    Some(LineModes::read(terminal.as_fd()))
}
