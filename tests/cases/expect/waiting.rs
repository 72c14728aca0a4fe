//! Waiting for input, a prompt, silence, or the end of the program.

use crate::support::session::{OpenSession, assert_error, guesses, lacks};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::session::{
    InputVerdict, SessionWait, SessionWaitParams, WaitFor, WaitingForInput,
};
use ccd_protocol::{ErrorCode, Timeout};
use std::time::{Duration, Instant};

/// Waits until the program waits for input, and returns what `session.get` reports then.
fn waiting(session: &OpenSession<'_>) -> WaitingForInput {
    let reply = session.wait(WaitFor::Input);
    assert_eq!(reply.reason, "input");
    let told = reply.session.waiting_for_input.unwrap();
    let asked = session.now().waiting_for_input.unwrap();
    assert_eq!((told.verdict, told.hidden), (asked.verdict, asked.hidden));
    asked
}

#[test]
fn a_program_that_reads_its_terminal_is_blocked_and_a_question_for_a_password_is_hidden() {
    let daemon = Daemon::start();
    let guesses = guesses(&daemon);
    for (hidden, program, args) in [
        (false, "cat", &[][..]),
        (false, "dash", &[]),
        (false, "bash", &["-c", "read line"]),
        (false, "sh", &["-c", "cat; true"]),
        (false, "sh", &["-c", "cat | sort"]),
        (false, "python3", &["-c", "input()"]),
        (true, "bash", &["-c", "read -s secret"]),
        (true, "sh", &["-c", "stty -echo; cat"]),
        (
            true,
            "python3",
            &["-c", "import getpass; getpass.getpass()"],
        ),
    ] {
        if lacks(&[program]) || guesses && !hidden {
            continue;
        }
        let waiting = waiting(&daemon.open(program, args));
        let verdict = if guesses {
            InputVerdict::Unknown
        } else {
            InputVerdict::Blocked
        };
        let told = (waiting.verdict, waiting.hidden);
        assert_eq!(told, (verdict, hidden), "{program} {args:?}");
        assert!(hidden || waiting.how == "read", "{program} {args:?}");
    }
}

#[test]
fn a_line_editor_accepts_input_and_hides_nothing() {
    let daemon = Daemon::start();
    let guesses = guesses(&daemon);
    for (program, args) in [
        ("bash", &["--norc", "--noprofile"][..]),
        ("python3", &["-q"]),
        ("sqlite3", &[]),
        ("bc", &["-q"]),
        ("zsh", &["-f"]),
    ] {
        if lacks(&[program]) {
            continue;
        }
        let session = daemon.open(program, args);
        let waiting = waiting(&session);
        let accepts = [InputVerdict::Accepts, InputVerdict::Blocked];
        assert!(
            guesses || accepts.contains(&waiting.verdict),
            "{program}: {waiting:?}"
        );
        assert!(!waiting.hidden, "{program}");
    }
}

#[test]
fn a_program_that_does_something_else_does_not_wait() {
    let daemon = Daemon::start();
    let guesses = guesses(&daemon);
    for (program, args) in [
        ("sleep", &["600"][..]),
        ("sh", &["-c", "while :; do :; done"]),
        ("sh", &["-c", "sleep 600 | cat"]),
        ("bash", &["-c", "read line < /dev/null; sleep 600"]),
    ] {
        let session = daemon.open(program, args);
        // It may take a moment until the program does what it does from then on.
        eventually("the program is reported as not waiting", || {
            let waiting = session.now().waiting_for_input.unwrap();
            let is_seen = guesses || waiting.verdict == InputVerdict::No;
            (is_seen && !waiting.hidden).then_some(())
        });
        let error = session.try_wait(WaitFor::Input, 200.0).unwrap_err();
        assert_error(&error, ErrorCode::Timeout);
        assert_eq!(error["data"]["program"], "running", "{program} {args:?}");
        assert!(error["data"]["waited_ms"].as_u64().unwrap() >= 200);
    }
}

#[test]
fn an_answer_after_a_send_is_about_the_time_after_it() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.wait(WaitFor::Input);
    for _ in 0..5 {
        let started = Instant::now();
        bash.line("sleep 0.3");
        bash.wait(WaitFor::Input);
        assert!(started.elapsed() >= Duration::from_millis(300));
    }
}

#[test]
fn a_prompt_needs_more_than_a_program_that_reads() {
    let daemon = Daemon::start();
    let bash = daemon.open("bash", &["--norc", "--noprofile"]);
    let reply = bash.wait(WaitFor::Prompt);
    assert_eq!(reply.reason, "prompt");
    assert!(bash.output().ends_with("ready> "));
    if guesses(&daemon) {
        return;
    }
    let cat = daemon.open("cat", &[]);
    cat.wait(WaitFor::Input);
    let error = cat.try_wait(WaitFor::Prompt, 400.0).unwrap_err();
    assert_error(&error, ErrorCode::Timeout);
    assert_eq!(error["data"]["program"], "blocked reading its terminal");
}

#[test]
fn the_sign_of_a_prompt_is_enough_for_a_program_that_is_seen_to_wait() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    for prompt in [
        "Router>",
        "Router(config)#",
        ">",
        "$",
        "(gdb)",
        "host%",
        "C:\\\\>",
        "➜  ~ ",
        "what is it (name)",
    ] {
        let asks =
            format!("import sys; sys.stdout.reconfigure(encoding='utf-8'); input('{prompt}')");
        let python = daemon.open("python3", &["-c", &asks]);
        let reply = python.wait(WaitFor::Prompt);
        assert_eq!(reply.reason, "prompt", "{prompt}");
    }
}

#[test]
fn silence_is_what_has_no_output_for_so_long() {
    let daemon = Daemon::start();
    let idle = |session: &OpenSession<'_>, idle_ms: f64, timeout_ms: f64| {
        daemon.call::<SessionWait>(&SessionWaitParams {
            session: session.id().to_owned(),
            condition: WaitFor::Idle,
            idle_ms: Some(idle_ms),
            since: None,
            timeout_ms: Timeout::After(timeout_ms),
        })
    };
    let chatty = daemon.open("sh", &["-c", "while :; do echo tick; sleep 0.05; done"]);
    chatty.expect("tick");
    let error = idle(&chatty, 5_000.0, 600.0).unwrap_err();
    assert_error(&error, ErrorCode::Timeout);
    let silent = daemon.open("sh", &["-c", "echo last; exec sleep 600"]);
    silent.expect("last");
    let started = Instant::now();
    assert_eq!(idle(&silent, 200.0, 20_000.0).unwrap().reason, "idle");
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[test]
fn the_end_answers_every_wait() {
    let daemon = Daemon::start();
    for condition in [
        WaitFor::Exit,
        WaitFor::Input,
        WaitFor::Prompt,
        WaitFor::Idle,
    ] {
        let session = daemon.open("sh", &["-c", "sleep 0.2; exit 6"]);
        let reply = session.wait(condition);
        assert_eq!(reply.reason, "exit", "{condition:?}");
        assert_eq!(reply.session.exitstatus, Some(6), "{condition:?}");
        assert_eq!(reply.session.waiting_for_input, None);
        assert_eq!(session.now().waiting_for_input, None);
        assert_eq!(session.wait(condition).reason, "exit", "after the end");
    }
}

#[test]
fn a_stopped_job_leaves_the_prompt_to_the_shell() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    bash.ask("sh -c 'echo started; exec sleep 600'", r"\n\r?started\n");
    bash.keys(&["C-z"]);
    bash.expect("Stopped");
    assert_eq!(bash.wait(WaitFor::Prompt).reason, "prompt");
}

#[test]
fn the_client_tells_what_came_true_and_fails_when_the_program_ended_first() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let ccctl = Ccctl::new(&daemon);
    let cat = daemon.open("cat", &[]);
    let wait = |words: &[&str]| ccctl.run(&[&["session", "wait", cat.id()], words].concat());
    assert_eq!(wait(&["--input"]).stdout, "input (read)\n");
    // A time-out of zero looks once.
    assert_eq!(cat.try_wait(WaitFor::Input, 0.0).unwrap().reason, "input");
    assert_eq!(wait(&["--exit", "--timeout", "0"]).code, Some(124));
    assert_eq!(wait(&["--idle", "50"]).code, Some(0));
    cat.keys(&["C-d"]);
    let ended = wait(&["--exit"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(wait(&["--prompt"]).code, Some(1));
}
