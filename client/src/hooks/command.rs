//! The command that Claude Code runs, and how it is recognised.

use crate::program::{is_same, on_path};
use ccd_base::shell;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "ccctl";

const VERB: &str = "hook";

pub(super) fn command(program: &str, options: &[String]) -> String {
    let words = [program, VERB].map(str::to_owned);
    shell::line(words.iter().chain(options))
}

/// True for a command that [`command()`] makes, of any `ccctl`: it may have been moved since.
pub(super) fn is_ours(command: &str) -> bool {
    let words = shell::split(command).unwrap_or_default().words;
    let program = words.first().map(|program| Path::new(program).file_name());
    program == Some(Some(OsStr::new(PROGRAM))) && words.get(1).is_some_and(|word| word == VERB)
}

pub(super) fn program_of(command: &str) -> Option<PathBuf> {
    let words = shell::split(command).ok()?.words;
    words.into_iter().next().map(PathBuf::from)
}

/// Returns the path of this program under which it will be found after an update: as it was called, or as it is on PATH,
/// if that is this program. The path of the file itself may contain a version.
pub(super) fn own_path() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let called = std::env::args_os()
        .next()
        .map(PathBuf::from)
        .unwrap_or_default();
    let called = match called.components().count() {
        0 | 1 if !called.is_absolute() => on_path(called.as_os_str()),
        _ => std::path::absolute(called).ok(),
    };
    let is_own = |path: &PathBuf| is_same(path, &own);
    Ok(called.filter(is_own).unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::unusual;

    #[test]
    fn a_command_of_ours_is_recognised_wherever_it_is() {
        let plain = command("/usr/bin/ccctl", &unusual(Some(100), None, false));
        assert_eq!(plain, "/usr/bin/ccctl hook");
        let args = unusual(Some(50), Some(1 << 20), true);
        let spaced = command("/my tools/ccctl", &args);
        let expected = "'/my tools/ccctl' hook --timeout-ms 50 --spool-bytes 1048576 --no-memory";
        assert_eq!(spaced, expected);
        assert_eq!(program_of(&spaced).unwrap(), Path::new("/my tools/ccctl"));
        for ours in [&*plain, &spaced, "ccctl hook", "\"$HOME/ccctl\" hook"] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in [
            "ccctl hooks",
            "ccctl",
            "xccctl hook",
            "echo ccctl hook",
            "",
            "it's",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
