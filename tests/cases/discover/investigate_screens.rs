//! Investigations of programs that draw on the whole screen, and of Claude Code.

use super::investigated::{investigate_together, investigate_with};
use crate::hook::claude::claude;
use crate::support::processes::with_variable;
use crate::support::session::lacks;
use crate::support::{Daemon, assert_has, eventually, is_long_run};
use serde_json::json;

#[test]
fn vim_and_less_draw_on_the_whole_screen() {
    if lacks(&["vim", "less"]) {
        return;
    }
    let daemon = Daemon::start();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a file"), "hello\n".repeat(1000)).unwrap();
    let cwd = json!({"cwd": folder.path()});
    let programs = [&["less", "a file"][..], &["vim", "-u", "NONE", "a file"]];
    let [less, vim] = investigate_together(&daemon, programs, &cwd);
    less.is(true, true, &[]);
    less.version_starts("less ");
    less.ends_by(&["q"]);
    assert_eq!(less.report.exit_commands.len(), 1);
    assert!(less.notes("it draws on the whole screen"));

    vim.is(true, true, &[]);
    vim.version_starts("VIM - Vi IMproved");
    vim.ends_by(&[":q"]);
    assert_eq!(vim.report.exit_commands.len(), 1);
    vim.helps(&["--help"]);
    vim.has_flags(&["-R"]);
    assert!(vim.report.commands.is_empty());
    let text = std::fs::read_to_string(folder.path().join("a file")).unwrap();
    assert_eq!(text, "hello\n".repeat(1000));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn tmux_leaves_no_server() {
    if lacks(&["tmux"]) {
        return;
    }
    let daemon = Daemon::start();
    let mark = format!("CCD_TEST_MARK={}", daemon.home().display());
    let (name, value) = mark.split_once('=').unwrap();
    let env = json!({"env": {name: value}});
    let tmux = investigate_with(&daemon, &["tmux"], &env);
    tmux.is(true, true, &[]);
    tmux.version_starts("tmux ");
    tmux.ends_by(&["exit"]);
    assert!(tmux.notes("it draws on the whole screen"));
    eventually("no server is left", || {
        with_variable(&mark).is_empty().then_some(())
    });
}

#[test]
fn claude_is_interactive_and_has_sub_commands_and_no_exit_that_fails() {
    // It starts slowly and often, which takes twelve seconds of processor time.
    if !is_long_run() {
        return;
    }
    let Some(path) = claude() else {
        eprintln!("skipped: Claude Code is not installed; .ci/run installs it");
        return;
    };
    // It starts slowly beside others.
    let daemon = Daemon::with_config(&json!({"investigation": {"step_timeout": 30}}).to_string());
    // Its proxy never answers. With one that refuses, it would end before it is seen to wait, if the machine is busy.
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}", proxy.local_addr().unwrap());
    let env = json!({"env": {"HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere}});
    let claude = investigate_with(&daemon, &[path.to_str().unwrap()], &env);
    let report = &claude.report;
    assert!(report.interactive && !report.full_screen, "{report:?}");
    assert_has(report.version.as_ref().unwrap(), ["Claude Code"]);
    claude.describes(&["mcp", "doctor", "update"]);
    claude.helps(&["--help", "-h"]);
    claude.has_flags(&["--print", "--model", "--resume", "--permission-mode"]);
    let exits = &claude.report.exit_commands;
    assert!(exits.iter().all(|exit| exit.exit_status != 1), "{exits:?}");
    let name = claude.path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("claude_"), "{name}");
    assert!(name.ends_with(".json"), "{name}");
}
