//! `session.run` in integrated shells: the command looks as if a person had typed it.

use super::shells::{
    assert_busy, assert_late, assert_runs, each_shell as each_of, open_fresh, try_run,
};
use crate::support::processes::is_in_foreground;
use crate::support::session::{OpenSession, assert_has, assert_lacks, program};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::SessionCreateParams;

const INTEGRATED: [(&str, bool); 3] = [("bash", true), ("zsh", true), ("fish", true)];

/// Passes each integrated shell that is installed to `check`.
fn each_shell(check: impl Fn(&str, &OpenSession<'_>)) {
    each_of(&INTEGRATED, |shell, _, session| check(shell, session));
}

#[test]
fn prompt_history_trace_and_jobs_show_the_command_and_nothing_else() {
    each_shell(|shell, session| {
        session.run("echo hello there");
        let lines = session.shows("hello there");
        let typed: Vec<&String> = lines.iter().filter(|line| line.contains("echo")).collect();
        assert_eq!(typed.len(), 1, "{shell}: {lines:?}");
        let is_typed = |mark| typed[0].ends_with(&format!("{mark} echo hello there"));
        assert!(is_typed('>') || is_typed('#'), "{shell}: {lines:?}");
        assert_lacks(
            &session.output(),
            ["133;", "printf", "command-", "builtin", "eval"],
        );
        session.run("sleep 600 &");
        let jobs = session.run("jobs").output;
        let line = jobs.lines().last().unwrap_or_default();
        let is_first = line.starts_with("[1]") || (shell == "fish" && line.starts_with("1\t"));
        assert!(is_first, "{shell}: {jobs}");
        let list = match shell {
            "zsh" => "fc -l -10",
            _ => "history",
        };
        let history = session.run(list).output;
        assert_has(&history, ["echo hello there"]);
        assert_lacks(&history, ["133;"]);
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
        assert_lacks(&reply.output, ["not reached"]);
        assert_runs(session, "echo on", "on\n", 0);
    });
}

#[test]
fn a_command_with_a_syntax_error_does_nothing_and_has_its_message_as_output() {
    each_shell(|shell, session| {
        let (wrong, dangerous) = match shell {
            "fish" => ("echo )", "touch danger; (exit 9)"),
            _ => ("echo a; fi", "echo a )\ntouch danger\necho b"),
        };
        let reply = session.run(wrong);
        assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
        let message = reply.output.lines().next().unwrap_or_default();
        let mut wordings = ["syntax error", "parse error", "Unexpected"].into_iter();
        let is_message = wordings.any(|words| message.contains(words));
        assert!(is_message && !reply.truncated, "{shell}: {reply:?}");
        let folder = session.daemon.home().to_owned();
        session.run(&format!("cd {}", folder.display()));
        let reply = session.run(dangerous);
        assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
        assert!(!reply.output.is_empty(), "{shell}");
        assert_lacks(&reply.output, ["ccd", "}'", "\nb\n", "eval"]);
        assert!(!folder.join("danger").exists(), "{shell}: {reply:?}");
        session.shows(dangerous.lines().next().unwrap());
        assert_runs(session, "echo on", "on\n", 0);
    });
}

#[test]
fn an_incomplete_command_is_cancelled_with_a_warning() {
    // fish says itself what is missing.
    each_of(&INTEGRATED[..2], |shell, _, session| {
        for command in [
            "echo 'abc",
            "for i in 1 2; do",
            "cat <<E\nfoo",
            "touch danger\nif true; then echo b",
        ] {
            let reply = session.run(command);
            assert!(reply.exit_code > Some(0), "{shell}: {reply:?}");
            let warning = reply.warnings.first().expect(command);
            assert_has(warning, ["asked for the rest"]);
        }
        assert_runs(session, "echo on", "on\n", 0);
    });
}

#[test]
fn half_a_line_of_a_person_is_left_alone_until_it_is_cleared() {
    each_shell(|shell, session| {
        session.run("true");
        session.text("echo half");
        session.shows("echo half");
        assert_busy(session, "echo other", 5000.0);
        session.ask("", "half\n");
        assert_runs(session, "echo on", "on\n", 0);
        assert_lacks(&session.output(), ["other"]);

        // Once it was cleared, the line editor takes the command.
        session.text("echo cleared");
        session.shows("echo cleared");
        assert_busy(session, "echo x", 500.0);
        session.text("\x15");
        let reply = eventually("the line is empty", || {
            try_run(session, "echo taken", 5000.0).ok()
        });
        assert_eq!(reply.output, "taken\n", "{shell}");
        assert_lacks(&session.output(), ["printf"]);
    });
}

#[test]
fn nothing_is_typed_into_a_command_that_still_runs() {
    let shells = [&INTEGRATED[..], &[("dash", false)]].concat();
    each_of(&shells, |shell, daemon, session| {
        // A slow shell is at its prompt then.
        session.run("true");
        assert_late(session, "read v; echo got $v", 300.0);
        let made = daemon.home().join("made");
        let touch = format!("touch {}; echo done", made.display());
        let error = try_run(session, &touch, 300.0).unwrap_err();
        assert_eq!(error["data"]["kind"], "shell_busy", "{error}");
        assert_has(&error.to_string(), ["read v; echo got $v", "C-c"]);
        assert!(!made.exists(), "{shell}");
        session.ask("answer", "got answer\n");
        assert_runs(session, &touch, "done\n", 0);
        assert!(made.exists(), "{shell}");
    });
}

#[test]
fn a_shell_that_lost_the_key_gets_the_command_as_a_line() {
    each_shell(|shell, session| {
        session.run(match shell {
            "bash" => {
                "for map in emacs vi-insert vi-command; do bind -m $map -r '\\C-x\\C-_'; done"
            }
            "zsh" => "bindkey -d",
            _ => "bind --erase --all \\cx\\c_",
        });
        assert_runs(session, "echo still; sh -c 'exit 3'", "still\n", 3);
    });
}

#[test]
fn a_prompt_command_that_comes_first_does_not_change_the_status() {
    let daemon = Daemon::start();
    let bash = open_fresh(&daemon, "bash", true);
    for _ in 0..2 {
        bash.run(r#"PROMPT_COMMAND="history -a; $PROMPT_COMMAND""#);
        assert_runs(&bash, "false", "", 1);
        assert_runs(&bash, "(exit 9)", "", 9);
    }
}

#[test]
fn half_a_line_in_a_shell_without_marks_is_not_continued() {
    each_of(
        &[("dash", false), ("mksh", false)],
        |shell, daemon, session| {
            let kept = daemon.home().join("kept");
            std::fs::write(&kept, "").unwrap();
            session.run("true");
            session.text(&format!("rm {}", kept.display()));
            session.shows("kept");
            assert_busy(session, "echo ok", 5000.0);
            session.keys(&["C-u"]);
            assert_runs(session, "echo ok", "ok\n", 0);
            assert!(kept.exists(), "{shell}");
        },
    );
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
        assert_busy(session, "echo in", 5000.0);
        // A shell that is just starting to read loses a key.
        eventually("the line is cancelled", || {
            session.keys(&["C-c"]);
            try_run(session, "true", 5000.0).ok()
        });
        assert_runs(session, "echo on", "on\n", 0);
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
        let bash = open_fresh(&daemon, "bash", true);
        if let Err(error) = try_run(&bash, command, 1000.0) {
            assert_eq!(error["data"]["kind"], "timeout", "{command}: {error}");
        }
        bash.keys(&["C-c"]);
        assert_runs(&bash, "echo on; (exit 3)", "on\n", 3);
    }
}

#[test]
fn a_command_that_edits_a_line_keeps_the_shell() {
    let daemon = Daemon::start();
    let bash = open_fresh(&daemon, "bash", true);
    assert_late(&bash, "read -e v; echo got $v", 1000.0);
    assert_busy(&bash, "echo other", 1500.0);
    bash.ask("answer", "got answer\n");
    assert_runs(&bash, "echo on", "on\n", 0);
}

#[test]
fn a_program_that_is_no_shell_is_started_with_a_warning() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        shell: true,
        ..program(&daemon, "cat", &[])
    });
    let warning = session.record.warnings.first().expect("a warning");
    assert_has(warning, ["bash, zsh, fish"]);
}
