//! Recognises shells by their program.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The shells of all families, as people call them.
pub(crate) const KNOWN: &str = "bash, zsh, fish, dash, ksh, mksh, yash and busybox sh";

/// The family of a shell that `session.run` can type commands into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShellKind {
    Bash,
    Zsh,
    /// dash, the ash of busybox, and any shell installed as `sh`.
    Posix,
    Ksh,
    /// mksh and its relatives.
    Mksh,
    Yash,
    /// Not a POSIX shell: it has its own quoting and `$status`.
    Fish,
}

impl ShellKind {
    /// Returns whether an integrated shell of this family has a line editor that takes commands.
    pub(crate) fn has_editor(self) -> bool {
        matches!(self, Self::Bash | Self::Zsh | Self::Fish)
    }

    /// Returns the family of `program` by its base name, or `None` if it is not a shell of these families.
    /// A version (`bash-5.2`, `bash-static`) and the dash of a login shell (`-zsh`) are ignored. `args` matter only for
    /// busybox, which is a shell if its first argument says so.
    pub(crate) fn from_program(program: &Path, args: &[OsString]) -> Option<Self> {
        let name = program.file_name()?.to_str()?;
        let name = name.strip_prefix('-').unwrap_or(name);
        if name == "busybox" {
            let applet = args
                .first()
                .map(OsString::as_os_str)
                .and_then(OsStr::to_str);
            return matches!(applet, Some("sh" | "ash" | "hush")).then_some(Self::Posix);
        }
        match without_version(name) {
            "bash" | "rbash" => Some(Self::Bash),
            "zsh" | "rzsh" => Some(Self::Zsh),
            "sh" | "dash" | "ash" | "posh" => Some(Self::Posix),
            "ksh" | "ksh93" | "rksh" => Some(Self::Ksh),
            "mksh" | "lksh" | "oksh" | "loksh" => Some(Self::Mksh),
            "yash" => Some(Self::Yash),
            "fish" => Some(Self::Fish),
            _ => None,
        }
    }

    /// Returns the family of the process `pid`. Its executable takes precedence over the name it was called by, because mksh
    /// may be called `sh` or `ksh`.
    pub(crate) fn from_process(pid: i32, called: Option<&str>) -> Option<Self> {
        let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let by_file = file.and_then(|file| Self::from_program(&file, &[]));
        by_file.or_else(|| Self::from_program(Path::new(called?), &[]))
    }
}

fn without_version(name: &str) -> &str {
    match name.split_once('-') {
        Some((shell, version)) if is_version(version) => shell,
        _ => name,
    }
}

fn is_version(text: &str) -> bool {
    let is_number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    text == "static" || (!text.is_empty() && is_number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(program: &str, args: &[&str]) -> Option<ShellKind> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        ShellKind::from_program(Path::new(program), &args)
    }

    #[test]
    fn shells_are_known_by_their_base_name() {
        assert_eq!(kind("/bin/bash", &[]), Some(ShellKind::Bash));
        assert_eq!(kind("bash-5.2", &[]), Some(ShellKind::Bash));
        assert_eq!(kind("mksh-static", &[]), Some(ShellKind::Mksh));
        assert_eq!(kind("-zsh", &["-l"]), Some(ShellKind::Zsh));
        assert_eq!(kind("/usr/bin/dash", &[]), Some(ShellKind::Posix));
        assert_eq!(kind("mksh", &[]), Some(ShellKind::Mksh));
        assert_eq!(kind("fish", &["-l"]), Some(ShellKind::Fish));
    }

    #[test]
    fn busybox_is_a_shell_only_as_one() {
        assert_eq!(kind("busybox", &["sh"]), Some(ShellKind::Posix));
        assert_eq!(kind("busybox", &["vi"]), None);
        assert_eq!(kind("busybox", &[]), None);
    }

    #[test]
    fn other_programs_are_no_shells() {
        let others = "python3 bash-completion shellcheck  / csh nu";
        for program in others.split(' ') {
            assert_eq!(kind(program, &[]), None, "{program}");
        }
    }
}
