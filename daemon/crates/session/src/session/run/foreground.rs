//! Which program has the terminal, as far as `session.run` must know it.

use crate::session::error::SessionError;
use crate::session::live::Session;
use crate::session::shell::ShellKind;
use crate::session::wait::is_of_tape;
use ccd_terminal::probe::Probe;
use std::ffi::OsStr;
use std::path::Path;

/// Programs behind which a shell may be: the command is typed, because its file may not be there.
const RELAYS: &[&str] = &[
    "ssh",
    "su",
    "sudo",
    "doas",
    "docker",
    "podman",
    "kubectl",
    "nsenter",
    "chroot",
    "lxc",
    "machinectl",
    "toolbox",
    "distrobox",
    "mosh-client",
];

/// Base name of the program in the foreground.
pub(super) fn foreground_of(session: &Session, probe: &Probe) -> Option<String> {
    if is_of_tape(probe) {
        // A tape stands in for the session's own program, and knows no other.
        return base_name(&session.facts.program);
    }
    program_of(probe.foreground)
}

fn base_name(program: &str) -> Option<String> {
    let name = Path::new(program).file_name()?;
    Some(name.to_string_lossy().trim_start_matches('-').to_owned())
}

/// Base name of a process's program, as it was called.
#[cfg(target_os = "linux")]
pub(super) fn program_of(pid: i32) -> Option<String> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let first = line.split(|&byte| byte == 0).next()?;
    base_name(std::str::from_utf8(first).ok()?)
}

#[cfg(target_os = "macos")]
pub(super) use ccd_terminal::macos::name as program_of;

/// Tells whether a session's shell made way for `program`, which is no shell, with `exec`.
pub(super) fn was_replaced(session: &Session, program: Option<&str>) -> bool {
    let started = Path::new(&session.facts.program).file_name();
    program
        .is_some_and(|program| started != Some(OsStr::new(program)) && !is_relay_or_shell(program))
}

pub(super) fn is_relay_or_shell(name: &str) -> bool {
    RELAYS.contains(&name) || ShellKind::of(Path::new(name), &[]).is_some()
}

pub(super) fn not_a_shell(
    session: &Session,
    own_shell: bool,
    foreground: Option<String>,
) -> SessionError {
    let program = match foreground {
        Some(foreground) if own_shell => foreground,
        _ => session.facts.program.clone(),
    };
    SessionError::NotAShell { program }
}
