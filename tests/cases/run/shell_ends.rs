//! `session.run` when a command does not simply exit: `exit`, timeouts, other clients. Its signals, in all shells, are tests
//! of ccd-session.

use super::shells::{assert_late, assert_runs, try_run};
use crate::support::processes::with_command_line;
use crate::support::session::{
    assert_error, assert_has, assert_lacks, guesses, lacks, message_of, program,
};
use crate::support::{Ccctl, Daemon, eventually, rounds_or};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    EndReason, SessionCreateParams, SessionRunParams, SessionState, WaitFor,
};
use std::time::{Duration, Instant};

/// Shells to test, if they are installed.
const SHELLS: &[(&str, &[&str])] = &[
    ("bash", &["--norc", "--noprofile"]),
    ("dash", &[]),
    ("zsh", &["-f"]),
    ("mksh", &[]),
];

#[test]
fn exit_ends_the_session_and_its_status_is_the_commands() {
    let daemon = Daemon::start();
    for (command, output, status) in [
        ("echo bye; exit 5", "bye\n", 5),
        // The shell ends by becoming another program.
        ("echo last; exec true", "last\n", 0),
    ] {
        let bash = daemon.open_bash();
        let reply = bash.run(command);
        let found = (&*reply.output, reply.exit_code, reply.session_ended);
        assert_eq!(found, (output, Some(status), true), "{reply:?}");
        let ended = bash.ended();
        let expected = (Some(status), Some(EndReason::Exited));
        assert_eq!((ended.exitstatus, ended.end_reason), expected);
        let error = try_run(&bash, "echo", 1000.0).unwrap_err();
        assert_error(&error, ErrorCode::SessionNotAlive);
    }
}

#[test]
fn a_time_out_tells_the_output_so_far_and_the_command_goes_on() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let started = Instant::now();
    let command = "echo first; read line; echo got $line";
    let error = assert_late(&bash, command, 300.0);
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(error["data"]["output"], "first\n");
    assert!(error["data"]["waited_ms"].as_u64().unwrap() >= 300);
    // The command is still running, and reads input.
    bash.ask("an answer", r"\ngot an answer\n");
    assert_runs(&bash, "echo next", "next\n", 0);
}

#[test]
fn a_command_that_reads_can_be_answered_by_send() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let reply = std::thread::scope(|scope| {
        let run = scope.spawn(|| bash.run("read -p 'Name: ' name; echo Hello $name"));
        bash.expect("Name: ");
        bash.line("World");
        run.join().unwrap()
    });
    assert_eq!(reply.output, "Name: World\nHello World\n");
    assert_eq!(reply.exit_code, Some(0));
}

#[test]
fn two_commands_at_once_run_one_after_the_other() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let bash = &bash;
            scope.spawn(move || {
                let reply = bash.run(&format!("echo a{client}; sleep 0.05; echo b{client}"));
                assert_eq!(reply.output, format!("a{client}\nb{client}\n"));
            });
        }
    });
}

#[test]
fn earlier_background_jobs_stay_out_of_an_isolated_command() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.run("while :; do echo noise; sleep 0.01; done &");
    let reply = bash
        .try_run(SessionRunParams {
            command: "test -t 1 && for i in 1 2 3; do echo $i; sleep 0.05; done; (exit 4)"
                .to_owned(),
            isolate: true,
            ..SessionRunParams::default()
        })
        .unwrap();
    assert_eq!(
        (reply.output.as_str(), reply.exit_code),
        ("1\n2\n3\n", Some(4))
    );
}

#[test]
fn mksh_is_known_by_whatever_name_it_is_called() {
    if lacks(&["mksh"]) {
        return;
    }
    let daemon = Daemon::start();
    let mksh = ["/bin/mksh", "/usr/bin/mksh"].map(std::path::Path::new);
    let mksh = mksh.into_iter().find(|path| path.exists()).unwrap();
    let sh = daemon.home().join("sh");
    std::os::unix::fs::symlink(mksh, &sh).unwrap();
    let session = daemon.open(sh.to_str().unwrap(), &[]);
    session.run("PATH=/nowhere");
    assert_runs(&session, "echo here", "here\n", 0);
}

#[test]
fn what_is_no_shell_runs_no_commands() {
    let daemon = Daemon::start();
    let cat = daemon.open("cat", &[]);
    let error = try_run(&cat, "echo hi", 2000.0).unwrap_err();
    assert_error(&error, ErrorCode::NotAShell);
    assert_has(message_of(&error), ["cat"]);
    assert!(cat.bytes().is_empty(), "nothing was typed");
    if guesses(&daemon) {
        return;
    }
    let bash = daemon.open_bash();
    bash.ask("cat", "\n");
    bash.wait(WaitFor::Input);
    let error = try_run(&bash, "echo hi", 2000.0).unwrap_err();
    assert_error(&error, ErrorCode::ShellBusy);
    assert_eq!(error["data"]["with"], "cat");
    bash.keys(&["C-d"]);
    bash.expect("ready> ");
    // This program replaces the shell in its process.
    bash.ask("exec cat", "\n");
    eventually("cat has replaced bash", || {
        let error = try_run(&bash, "echo hi", 2000.0).err()?;
        (error["data"]["kind"] == "not_a_shell").then_some(())
    });
}

#[test]
fn a_busy_shell_is_waited_for() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.line("sleep 0.5");
    assert_runs(&bash, "echo after", "after\n", 0);
    let sleep = format!("sleep 4716.{}", std::process::id());
    bash.line(&sleep);
    eventually("the shell is busy", || {
        (!with_command_line(&sleep).is_empty()).then_some(())
    });
    let error = try_run(&bash, "echo never", 300.0).unwrap_err();
    assert_error(&error, ErrorCode::ShellBusy);
    assert_eq!(error["data"]["with"], "sleep");
    assert_lacks(&bash.output(), ["never"]);
}

#[test]
fn a_shell_can_be_used_as_soon_as_it_was_created() {
    for (shell, args) in SHELLS {
        if lacks(&[shell]) {
            continue;
        }
        let daemon = Daemon::start();
        for round in 0..rounds_or(6) {
            let session = daemon.open_with(&SessionCreateParams {
                shell: round % 2 == 0,
                ..program(&daemon, shell, args)
            });
            assert_runs(&session, "printf abc; (exit 7)", "abc", 7);
            session.close();
        }
    }
}

#[test]
fn no_file_of_a_command_stays() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.run("echo one");
    assert_late(&bash, "sleep 600 # stays until the end", 100.0);
    bash.close();
    let folder = daemon.home().join("sessions").join(bash.id());
    eventually("only the log is left", || {
        let names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        (names == ["output.log"]).then_some(())
    });
}

#[test]
fn the_client_prints_the_output_and_exits_with_the_status() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let home = format!("HOME={}", daemon.home().display());
    let words = "session create --name sh --shell --clean-env --env";
    let words: Vec<&str> = words.split(' ').collect();
    ccctl.ok(&[&words[..], &[&home, "--", "bash"]].concat());
    let run = |words: &[&str]| ccctl.run(&[&["session", "run", "sh"], words].concat());
    let ran = run(&["printf abc; (exit 7)"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("abc", Some(7)));
    assert_eq!(ran.stderr, "");
    let json = run(&["echo hi", "--json"]);
    let reply: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&reply["output"], &reply["exit_code"]),
        (&"hi\n".into(), &0.into())
    );
    let late = run(&["echo so far; sleep 4711.5", "--timeout", "0.3"]);
    assert_eq!((late.stdout.as_str(), late.code), ("so far\n", Some(124)));
    ccctl.ok(&["session", "send", "sh", "--keys", "C-c"]);
    let ended = run(&["exit 3"]);
    assert_eq!(ended.code, Some(3));
    assert_has(&ended.stderr, ["ended the session"]);
    assert_eq!(run(&["echo"]).code, Some(1));
    assert!(with_command_line("sleep 4711.5").is_empty());
}

#[test]
fn a_shell_without_a_program_is_the_users() {
    let daemon = Daemon::start();
    if lacks(&["dash"]) {
        return;
    }
    let mut params = SessionCreateParams {
        shell: true,
        program: None,
        ..program(&daemon, "", &[])
    };
    params.env.insert("SHELL".into(), "/bin/dash".into());
    let session = daemon.open_with(&params);
    assert_eq!(session.record.program, "/bin/dash");
    assert!(session.record.shell);
    assert_runs(&session, "echo $0", "/bin/dash\n", 0);
    assert_eq!(session.now().state, SessionState::Alive);
}
