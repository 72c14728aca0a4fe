//! One-shot programs: `run.once` and `ccctl run`.

use crate::support::processes::{with_command_line, with_variable};
use crate::support::session::{assert_error, assert_has};
use crate::support::{Ccctl, Daemon, eventually};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::run::{RunOnce, RunOnceParams, RunOnceReply};
use ccd_protocol::session::{Pattern, Session, SessionList, SessionListParams, SessionState};
use ccd_protocol::{ErrorCode, Timeout};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

fn program(program: &str, args: &[&str]) -> RunOnceParams {
    RunOnceParams {
        program: program.to_owned(),
        args: args.iter().map(|&arg| arg.to_owned()).collect(),
        cwd: Some("/".to_owned()),
        ..RunOnceParams::default()
    }
}

fn once(daemon: &Daemon, params: &RunOnceParams) -> RunOnceReply {
    daemon.call::<RunOnce>(params).unwrap()
}

/// Asserts that only records and histories of one-shot programs are left.
fn nothing_is_left(daemon: &Daemon) {
    eventually("nothing is left", || {
        let all = daemon.call::<SessionList>(&SessionListParams {
            all: true,
            ..SessionListParams::default()
        });
        let folders = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        let is_past = |session: &Session| session.state == SessionState::Dead;
        (all.unwrap().sessions.iter().all(is_past) && folders.count() == 0).then_some(())
    });
}

#[test]
fn the_output_is_the_programs_and_nothing_else() {
    let daemon = Daemon::start();
    let reply = once(&daemon, &program("echo", &["hi"]));
    assert_eq!(reply.output, "hi\n");
    assert_eq!((reply.exit_code, reply.signal), (Some(0), None));
    assert!(!reply.timed_out && !reply.truncated && reply.missing.is_empty());
    let failed = once(&daemon, &program("bash", &["-c", "echo fail; exit 3"]));
    assert_eq!((&*failed.output, failed.exit_code), ("fail\n", Some(3)));
    let killed = once(&daemon, &program("sh", &["-c", "kill -9 $$"]));
    assert_eq!((killed.exit_code, killed.signal), (None, Some(9)));
    // What is no text comes as bytes, too.
    let reply = once(&daemon, &program("printf", &["a\\377\\r\\n\\033[1m"]));
    let bytes = STANDARD.decode(reply.output_b64.unwrap()).unwrap();
    assert_eq!(bytes, b"a\xff\r\n\x1b[1m");
    assert_eq!(reply.output, "a\u{fffd}\r\n\x1b[1m");
    nothing_is_left(&daemon);
}

#[test]
fn a_time_out_ends_the_program_and_says_so() {
    let daemon = Daemon::start();
    // Another run of the tests may have one like it.
    let sleep = format!("sleep 4712.{}", std::process::id());
    let started = Instant::now();
    let params = RunOnceParams {
        timeout_ms: Timeout::After(1000.0),
        ..program("sh", &["-c", &format!("echo begun; {sleep}")])
    };
    let reply = once(&daemon, &params);
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert!(reply.timed_out);
    assert_eq!(reply.output, "begun\n");
    assert!(reply.exit_code.is_some() || reply.signal.is_some());
    assert!(with_command_line(&sleep).is_empty());
    nothing_is_left(&daemon);
}

#[test]
fn input_that_nobody_reads_keeps_no_program_that_has_ended() {
    let daemon = Daemon::start();
    let params = RunOnceParams {
        stdin_b64: Some(STANDARD.encode("line\n".repeat(60_000))),
        timeout_ms: Timeout::After(20_000.0),
        ..program("sh", &["-c", "sleep 1; echo slept"])
    };
    let reply = once(&daemon, &params);
    assert_eq!((reply.exit_code, reply.timed_out), (Some(0), false));
    assert_eq!(reply.output, "slept\n");
    nothing_is_left(&daemon);
}

#[test]
fn a_program_that_cannot_start_is_an_error() {
    let daemon = Daemon::start();
    for (name, code) in [
        ("no-such-program", ErrorCode::SpawnFailed),
        ("", ErrorCode::InvalidArgument),
    ] {
        let error = daemon.call::<RunOnce>(&program(name, &[])).unwrap_err();
        assert_error(&error, code);
    }
    nothing_is_left(&daemon);
}

#[test]
fn standard_input_is_given_byte_by_byte_and_ends() {
    let daemon = Daemon::start();
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut long_line = vec![b'x'; 10_000];
    long_line.push(b'\n');
    let control_bytes = [3; 9_000];
    for input in [
        &b""[..],
        b"one\ntwo\n",
        b"no newline",
        b"\x04\x03\n",
        &every_byte,
        &long_line,
        &control_bytes,
    ] {
        let params = RunOnceParams {
            stdin_b64: Some(STANDARD.encode(input)),
            timeout_ms: Timeout::After(20_000.0),
            ..program("cat", &[])
        };
        let reply = once(&daemon, &params);
        let bytes = match &reply.output_b64 {
            Some(bytes) => STANDARD.decode(bytes).unwrap(),
            None => reply.output.clone().into_bytes(),
        };
        let begin = &input[..input.len().min(20)];
        assert!(bytes == input, "{begin:?} became {} bytes", bytes.len());
        assert_eq!(reply.exit_code, Some(0));
    }
    // Without input, the program reads end-of-file at once.
    assert_eq!(once(&daemon, &program("cat", &[])).output, "");
}

#[test]
fn patterns_and_lines_are_a_conversation_and_texts_that_did_not_come_are_named() {
    let daemon = Daemon::start();
    let script = "printf 'name? '; read name; printf 'age? '; read age; echo $name is $age";
    let params = RunOnceParams {
        expect: vec![
            Pattern::Exact("name? ".to_owned()),
            Pattern::Regex("a.e".to_owned()),
        ],
        send: vec!["Ann".to_owned(), "7".to_owned()],
        ..program("sh", &["-c", script])
    };
    let reply = once(&daemon, &params);
    assert!(reply.output.ends_with("Ann is 7\n"), "{reply:?}");
    assert_eq!(reply.exit_code, Some(0));
    assert!(reply.missing.is_empty());
    let never = RunOnceParams {
        expect: vec![Pattern::Exact("never".to_owned())],
        ..program("echo", &["something else"])
    };
    assert_eq!(once(&daemon, &never).missing, ["never"]);
    let texts = RunOnceParams {
        contains: vec!["hello".to_owned(), "goodbye".to_owned(), "world".to_owned()],
        ..program("echo", &["hello world"])
    };
    assert_eq!(once(&daemon, &texts).missing, ["goodbye"]);
}

#[test]
fn a_script_runs_with_its_interpreter_and_leaves_no_file() {
    let daemon = Daemon::start();
    let params = RunOnceParams {
        script: Some("echo \"$1\"; exit 6\n".to_owned()),
        with: Some("bash".to_owned()),
        ..program("", &["an argument"])
    };
    let reply = once(&daemon, &params);
    let result = (&*reply.output, reply.exit_code);
    assert_eq!(result, ("an argument\n", Some(6)));
    let run = std::fs::read_dir(daemon.home().join("run")).unwrap();
    let names: Vec<String> = run
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("script"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn the_client_mirrors_output_and_status_and_ends_with_124_after_its_time_out() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let ran = ccctl.run(&["run", "--", "bash", "-c", "echo hi; exit 5"]);
    let printed = (&*ran.stdout, &*ran.stderr, ran.code);
    assert_eq!(printed, ("hi\n", "", Some(5)));
    let shell = ccctl.run(&["run", "--shell", "--", "echo a | tr a b; kill -9 $$"]);
    assert_eq!((shell.stdout.as_str(), shell.code), ("b\n", Some(137)));
    let missing = ccctl.run(&["run", "--", "no-such-program"]);
    assert_eq!((missing.stdout.as_str(), missing.code), ("", Some(127)));
    assert_eq!(missing.stderr.lines().count(), 1, "{}", missing.stderr);
    assert!(missing.stderr.contains("no-such-program"));
    let folder = ccctl.run(&["run", "--", "/etc/passwd"]);
    assert_eq!(folder.code, Some(126), "{}", folder.stderr);
    let late = ccctl.run(&["run", "--timeout", "1", "--", "sleep", "4714.5"]);
    assert_eq!(late.code, Some(124), "{}", late.stderr);
    assert!(with_command_line("sleep 4714.5").is_empty());
    nothing_is_left(&daemon);
}

#[test]
fn the_client_passes_standard_input_on_and_tells_its_end() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["run", "--", "cat"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for word in ["one", "two"] {
        writeln!(input, "{word}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{word}\n"), "output arrives while it runs");
    }
    let last = [&[3; 9_000], &b"\xff end"[..]].concat();
    input.write_all(&last).unwrap();
    drop(input);
    let mut rest = Vec::new();
    std::io::Read::read_to_end(&mut output, &mut rest).unwrap();
    assert!(rest == last, "{} bytes", rest.len());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_client_that_is_killed_leaves_no_program() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let mut command = ccctl.command(&["run", "--", "sh", "-c", "echo $CCD_SESSION_ID; sleep 600"]);
    let mut client = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut id = String::new();
    let output = client.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut id).unwrap();
    let marker = format!("CCD_SESSION_ID={}", id.trim());
    assert!(!with_variable(&marker).is_empty());
    client.kill().unwrap();
    client.wait().unwrap();
    eventually("the program is gone", || {
        with_variable(&marker).is_empty().then_some(())
    });
    nothing_is_left(&daemon);
}

#[test]
fn the_client_talks_checks_and_runs_scripts() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let script = "printf 'name? '; read name; echo Hello $name";
    let talk = [
        "run", "--expect", "name", "--send", "Ann", "--", "sh", "-c", script,
    ];
    assert!(ccctl.ok(&talk).ends_with("Hello Ann\n"));
    ccctl.ok(&["run", "--contains", "hello", "--", "echo", "hello world"]);
    let lacking = ccctl.run(&["run", "--contains", "goodbye", "--", "echo", "hello"]);
    assert_eq!(lacking.code, Some(1));
    assert_has(&lacking.stderr, ["goodbye"]);
    // The command line is not part of the output.
    let echo = ccctl.run(&["run", "--contains", "session", "--", "echo", "hello"]);
    assert_eq!(echo.code, Some(1));
    let file = daemon.home().join("script");
    std::fs::write(&file, "echo from a script with $1; exit 4").unwrap();
    let file = file.to_str().unwrap();
    let ran = ccctl.run(&["run", "--script", file, "--with", "bash", "--", "words"]);
    let printed = (&*ran.stdout, ran.code);
    assert_eq!(printed, ("from a script with words\n", Some(4)));
    let json = ccctl.run(&["run", "--json", "--", "sh", "-c", "echo hi; exit 3"]);
    let reply: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(reply["output"], "hi\n");
    assert_eq!(reply["exit_code"], 3);
    assert_eq!(json.code, Some(3));
}
