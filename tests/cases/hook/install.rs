//! `ccctl hooks install` and what it leaves.

use crate::support::Daemon;
use crate::support::client::Ran;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Runs `ccctl`, by that name, in a home directory. Hooks are recognised by the name of their program.
pub(crate) fn at_home(daemon: &Daemon, home: &Path, words: &[&str]) -> Ran {
    let program = daemon.home().join("ccctl");
    if !program.exists() {
        symlink(env!("CARGO_BIN_EXE_ccctl_under_test"), &program).unwrap();
    }
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(home)
        .env("HOME", home)
        .env("CCD_HOME", daemon.home())
        .env("CCD_NO_START", "1")
        .env_remove("CCD_SOCKET")
        .env_remove("CLAUDE_CONFIG_DIR");
    Ran::of(command.output().unwrap())
}

#[test]
fn hooks_that_were_installed_twice_are_there_once_and_are_removed_completely() {
    let daemon = Daemon::start();
    let home = daemon.home().join("user");
    let settings = home.join(".claude/settings.json");
    for original in [None, Some("{\"model\": \"opus\"}\n")] {
        std::fs::create_dir_all(home.join(".claude")).unwrap();
        if let Some(text) = original {
            std::fs::write(&settings, text).unwrap();
        }
        let first = at_home(&daemon, &home, &["hooks", "install"]);
        assert!(first.stdout.contains("14 hooks installed"), "{first:?}");
        let status = at_home(&daemon, &home, &["hooks", "status"]);
        assert!(status.stdout.contains("installed (user)"), "{status:?}");
        assert!(!status.stdout.contains("twice"), "{status:?}");
        let second = at_home(&daemon, &home, &["hooks", "install", "--timeout-ms", "200"]);
        assert!(second.stdout.contains("14 hooks updated"), "{second:?}");
        let removed = at_home(&daemon, &home, &["hooks", "uninstall"]);
        assert!(removed.stdout.contains("14 hooks removed"), "{removed:?}");
        assert_eq!(std::fs::read_to_string(&settings).ok().as_deref(), original);
        let left = std::fs::read_dir(home.join(".claude")).unwrap().count();
        assert_eq!(left, usize::from(original.is_some()));
    }
}
