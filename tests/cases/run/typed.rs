//! `session.run` in integrated shells: the command looks as if a person had typed it.

use crate::support::processes::is_in_foreground;
use crate::support::session::{OpenSession, assert_error, lacks, program};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::{SessionCreateParams, SessionRunParams};
use ccd_protocol::{ErrorCode, Timeout};

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

fn open<'a>(daemon: &'a Daemon, shell: &str, integrated: bool) -> OpenSession<'a> {
    // With a start-up file, zsh does not run its wizard for new users.
    std::fs::write(daemon.home().join(".zshrc"), "PS1='zsh> '\n").unwrap();
    std::fs::write(daemon.home().join(".bashrc"), "PS1='bash> '\n").unwrap();
    daemon.open_with(&SessionCreateParams {
        shell: integrated,
        ..program(daemon, shell, &[])
    })
}

/// Passes each integrated shell that is installed to `check`.
fn each_shell(check: impl Fn(&str, &OpenSession<'_>)) {
    for shell in SHELLS {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        check(shell, &open(&daemon, shell, true));
    }
}

fn within(command: &str, timeout_ms: f64) -> SessionRunParams {
    SessionRunParams {
        command: command.to_owned(),
        timeout_ms: Timeout::After(timeout_ms),
        ..SessionRunParams::default()
    }
}

#[test]
fn prompt_history_trace_and_jobs_show_the_command_and_nothing_else() {
    each_shell(|shell, session| {
        session.run("echo hello there");
        let lines = session.shows("hello there");
        let typed: Vec<&String> = lines.iter().filter(|line| line.contains("echo")).collect();
        assert_eq!(typed.len(), 1, "{shell}: {lines:?}");
        assert!(
            typed[0].ends_with("> echo hello there") || typed[0].ends_with("# echo hello there"),
            "{shell}: {lines:?}"
        );
        let text = session.output();
        for part in ["133;", "printf", "command-", "builtin", "eval"] {
            assert!(!text.contains(part), "{shell}: {part} in {text:?}");
        }
        session.run("sleep 600 &");
        let reply = session.run("jobs");
        let line = reply.output.lines().last().unwrap_or_default();
        assert!(
            line.starts_with("[1]") || (shell == "fish" && line.starts_with("1\t")),
            "{shell}: {reply:?}"
        );
        let list = match shell {
            "zsh" => "fc -l -10",
            _ => "history",
        };
        let reply = session.run(list);
        assert!(
            reply.output.contains("echo hello there"),
            "{shell}: {reply:?}"
        );
        assert!(!reply.output.contains("133;"), "{shell}: {reply:?}");
        if shell == "fish" {
            return;
        }
        session.run("set -x");
        let reply = session.run("echo traced");
        let lines: Vec<&str> = reply.output.lines().collect();
        assert_eq!(lines.len(), 2, "{shell}: {reply:?}");
        assert!(lines[0].starts_with('+') && lines[0].ends_with(" echo traced"));
        assert_eq!(session.run("set +x").exit_code, Some(0));
    });
}

#[test]
fn an_interrupt_ends_all_lines_of_a_command() {
    each_shell(|shell, session| {
        let sleep = format!("sleep 4716.{}", std::process::id());
        let reply = std::thread::scope(|scope| {
            let command = format!("echo begun\n{sleep}\necho not reached");
            let run = scope.spawn(move || session.run(&command));
            eventually("sleep is in the foreground", || {
                is_in_foreground(&sleep).then_some(())
            });
            session.keys(&["C-c"]);
            run.join().unwrap()
        });
        assert_eq!(reply.exit_code, Some(130), "{shell}: {reply:?}");
        assert!(!reply.output.contains("not reached"), "{shell}: {reply:?}");
        assert_eq!(session.run("echo on").output, "on\n", "{shell}");
    });
}

#[test]
fn a_command_with_a_syntax_error_does_nothing_and_has_its_message_as_output() {
    each_shell(|shell, session| {
        let reply = session.run(if shell == "fish" {
            "echo )"
        } else {
            "echo a; fi"
        });
        assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
        let message = reply.output.lines().next().unwrap_or_default();
        assert!(
            ["syntax error", "parse error", "Unexpected"]
                .iter()
                .any(|words| message.contains(words)),
            "{shell}: {reply:?}"
        );
        assert!(!reply.truncated, "{shell}: {reply:?}");
        let folder = session.daemon.home().to_owned();
        session.run(&format!("cd {}", folder.display()));
        let command = match shell {
            "fish" => "touch danger; (exit 9)",
            _ => "echo a )\ntouch danger\necho b",
        };
        let reply = session.run(command);
        assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
        assert!(!reply.output.is_empty(), "{shell}");
        for part in ["ccd", "}'", "\nb\n", "eval"] {
            assert!(!reply.output.contains(part), "{shell}: {reply:?}");
        }
        assert!(!folder.join("danger").exists(), "{shell}: {reply:?}");
        session.shows(command.lines().next().unwrap());
        assert_eq!(session.run("echo on").output, "on\n", "{shell}");
    });
}

#[test]
fn an_incomplete_command_is_cancelled_with_a_warning() {
    each_shell(|shell, session| {
        if shell == "fish" {
            return; // it says itself what is missing
        }
        for command in [
            "echo 'abc",
            "for i in 1 2; do",
            "cat <<E\nfoo",
            "touch danger\nif true; then echo b",
        ] {
            let reply = session.run(command);
            assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
            let warning = reply.warnings.first().expect(command);
            assert!(warning.contains("asked for the rest"), "{warning}");
        }
        assert_eq!(session.run("echo on").output, "on\n", "{shell}");
    });
}

#[test]
fn half_a_line_of_a_person_is_left_alone_until_it_is_cleared() {
    each_shell(|shell, session| {
        session.run("true");
        session.text("echo half");
        session.shows("echo half");
        let error = session.try_run(within("echo other", 5000.0)).unwrap_err();
        assert_error(&error, ErrorCode::ShellBusy);
        session.ask("", "half\n");
        assert_eq!(session.run("echo on").output, "on\n", "{shell}");
        assert!(!session.output().contains("other"), "{shell}");

        // Once it was cleared, the line editor takes the command.
        session.text("echo cleared");
        session.shows("echo cleared");
        let reply = session.try_run(within("echo x", 500.0));
        assert_error(&reply.unwrap_err(), ErrorCode::ShellBusy);
        session.text("\x15");
        let reply = eventually("the line is empty", || {
            session.try_run(within("echo taken", 5000.0)).ok()
        });
        assert_eq!(reply.output, "taken\n", "{shell}");
        let text = session.output();
        assert!(!text.contains("printf"), "{shell}: {text:?}");
    });
}

#[test]
fn nothing_is_typed_into_a_command_that_still_runs() {
    let mut shells = vec![("dash", false)];
    shells.extend(SHELLS.map(|shell| (shell, true)));
    for (shell, integrated) in shells {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let session = open(&daemon, shell, integrated);
        // A slow shell is at its prompt then.
        session.run("true");
        let error = session
            .try_run(within("read v; echo got $v", 300.0))
            .unwrap_err();
        assert_error(&error, ErrorCode::Timeout);
        let made = daemon.home().join("made");
        let touch = format!("touch {}; echo done", made.display());
        let error = session.try_run(within(&touch, 300.0)).unwrap_err();
        assert_error(&error, ErrorCode::ShellBusy);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("read v; echo got $v"), "{message}");
        assert!(error["data"]["hint"].as_str().unwrap().contains("C-c"));
        assert!(!made.exists(), "{shell}");
        session.ask("answer", "got answer\n");
        let reply = session.run(&touch);
        assert_eq!(
            (reply.output.as_str(), reply.exit_code, made.exists()),
            ("done\n", Some(0), true),
            "{shell}"
        );
    }
}

#[test]
fn a_command_waits_for_the_one_before() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let late = bash.try_run(within("sleep 1; echo late", 100.0));
    assert_error(&late.unwrap_err(), ErrorCode::Timeout);
    assert_eq!(bash.run("echo next").output, "next\n");
}

#[test]
fn a_shell_that_lost_the_key_gets_the_command_as_a_line() {
    if lacks(&["zsh"]) {
        return;
    }
    each_shell(|shell, session| {
        session.run(match shell {
            "bash" => {
                "for map in emacs vi-insert vi-command; do bind -m $map -r '\\C-x\\C-_'; done"
            }
            "zsh" => "bindkey -d",
            _ => "bind --erase --all \\cx\\c_",
        });
        let reply = session.run("echo still; sh -c 'exit 3'");
        assert_eq!(
            (reply.output.as_str(), reply.exit_code),
            ("still\n", Some(3)),
            "{shell}"
        );
    });
}

#[test]
fn a_prompt_command_that_comes_first_does_not_change_the_status() {
    let daemon = Daemon::start();
    let bash = open(&daemon, "bash", true);
    for _ in 0..2 {
        bash.run(r#"PROMPT_COMMAND="history -a; $PROMPT_COMMAND""#);
        assert_eq!(bash.run("false").exit_code, Some(1));
        assert_eq!(bash.run("(exit 9)").exit_code, Some(9));
    }
}

#[test]
fn half_a_line_in_a_shell_without_marks_is_not_continued() {
    for shell in ["dash", "mksh"] {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        let kept = daemon.home().join("kept");
        std::fs::write(&kept, "").unwrap();
        let session = daemon.open(shell, &[]);
        session.run("true");
        session.text(&format!("rm {}", kept.display()));
        session.shows("kept");
        let error = session.try_run(within("echo ok", 5000.0)).unwrap_err();
        assert_error(&error, ErrorCode::ShellBusy);
        session.keys(&["C-u"]);
        assert_eq!(session.run("echo ok").output, "ok\n", "{shell}");
        assert!(kept.exists(), "{shell}");
    }
}

#[test]
fn a_line_that_a_person_has_not_finished_is_not_continued() {
    each_shell(|shell, session| {
        session.run("true");
        session.line("echo 'open");
        if shell == "fish" {
            session.shows("open");
        } else {
            session.expect("(\\n\\r?> |quote> )$");
        }
        let error = session.try_run(within("echo in", 5000.0)).unwrap_err();
        assert_error(&error, ErrorCode::ShellBusy);
        // A shell that is just starting to read loses a key.
        eventually("the line is cancelled", || {
            session.keys(&["C-c"]);
            session.try_run(within("true", 5000.0)).ok()
        });
        assert_eq!(session.run("echo on").output, "on\n", "{shell}");
    });
}

#[test]
fn a_command_that_removes_the_marks_is_given_up_after_an_interrupt() {
    let daemon = Daemon::start();
    for command in [
        "PS1='n> '; PROMPT_COMMAND=:",
        "unset PROMPT_COMMAND PS1",
        "exec bash --norc",
    ] {
        let bash = open(&daemon, "bash", true);
        let late = bash.try_run(within(command, 1000.0));
        assert!(
            late.as_ref()
                .err()
                .is_none_or(|error| error["data"]["kind"] == "timeout"),
            "{command}: {late:?}"
        );
        bash.keys(&["C-c"]);
        let reply = bash.run("echo on; (exit 3)");
        assert_eq!(
            (reply.output.as_str(), reply.exit_code),
            ("on\n", Some(3)),
            "{command}"
        );
    }
}

#[test]
fn a_command_that_edits_a_line_keeps_the_shell() {
    let daemon = Daemon::start();
    let bash = open(&daemon, "bash", true);
    let late = bash.try_run(within("read -e v; echo got $v", 1000.0));
    assert_error(&late.unwrap_err(), ErrorCode::Timeout);
    let error = bash.try_run(within("echo other", 1500.0)).unwrap_err();
    assert_error(&error, ErrorCode::ShellBusy);
    bash.ask("answer", "got answer\n");
    assert_eq!(bash.run("echo on").output, "on\n");
}

#[test]
fn a_program_that_is_no_shell_is_started_with_a_warning() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        shell: true,
        ..program(&daemon, "cat", &[])
    });
    let warning = session.record.warnings.first().expect("a warning");
    assert!(warning.contains("bash, zsh, fish"), "{warning}");
}
