//! Programs over pipes: what is recorded, and that a tape prints the same on both streams.

use crate::support::client::{CCCTL, person};
use crate::support::conversation::{ended, output, root, send, tape};
use crate::support::pipeline::{Did, Pipeline};
use crate::support::processes::with_command_line;
use crate::support::session::{OpenSession, assert_error, guesses, lacks, program};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Daemon, assert_has, assert_lacks, eventually, executable};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreateParams, SessionSendParams, WaitFor};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn repository(folder: &Path) {
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done = Command::new("git")
            .args([&who, words].concat())
            .current_dir(folder)
            .output();
        assert!(done.unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["commit", "-q", "--allow-empty", "-m", "two"]);
}

#[test]
fn programs_print_no_prompts_columns_and_colours_and_neither_do_their_tapes() {
    let pipeline = Pipeline::new();
    let play = |program: &[&str], input: &str| {
        if lacks(&[program[0]]) {
            return;
        }
        pipeline.plays_as_it_is(program, input.as_bytes());
    };
    play(&["sqlite3"], "select 6*7;\nselect nope;\nselect 2;\n");
    play(&["bc"], "6*7\n1/0\n2+2\n");
    play(&["ls", "/"], "");
    play(&["sort"], "b\nc\na");
    play(&["bash", "-c", "echo out; echo err >&2; exit 3"], "");
    play(&["bash", "-c", "kill -TERM $$"], "");
    if !lacks(&["git"]) {
        repository(pipeline.daemon.home());
        play(&["git", "log"], "");
    }
    play(
        &[
            "python3",
            "-c",
            "import sys\nfor l in sys.stdin: print(l, end=''); print('E', l, end='', file=sys.stderr)",
        ],
        "a\nb\n",
    );
}

#[test]
fn all_bytes_pass_in_both_directions() {
    let pipeline = Pipeline::new();
    let all: Vec<u8> = (0..=u8::MAX).cycle().take(1 << 18).collect();
    let real = pipeline.record(&["cat"], &all);
    assert_eq!(
        (real.stdout == all, real.stderr.len(), real.status),
        (true, 0, 0)
    );
    let played = pipeline.play(&["cat"], &all);
    assert!(played == real, "{played:?}");
}

#[test]
fn pipes_that_are_closed_or_kept_open_hold_up_nothing() {
    let pipeline = Pipeline::new();
    // A background process keeps the output open.
    pipeline.plays_as_it_is(&["bash", "-c", "sleep 0.1 & echo now"], b"");
    pipeline.plays_as_it_is(
        &["bash", "-c", "exec >&-; echo e >&2; sleep 0.2; exit 4"],
        b"",
    );
    pipeline.plays_as_it_is(
        &["bash", "-c", "exec <&-; sleep 0.2; echo o; exit 5"],
        b"a\nb\n",
    );
    let many = "line\n".repeat(1 << 18);
    let started = std::time::Instant::now();
    let did = pipeline.record(
        &["bash", "-c", "sleep 0.5; echo done; exit 6"],
        many.as_bytes(),
    );
    assert_eq!(
        (did.stdout.as_slice(), did.status),
        (&b"done\n"[..], 6),
        "{did:?}"
    );
    assert!(started.elapsed().as_secs() < 30);
}

#[test]
fn a_tape_has_no_terminal_and_tells_standard_error() {
    let pipeline = Pipeline::new();
    let script = "echo out; sleep 0.1; echo err >&2; sleep 0.1; echo more; exit 3";
    pipeline.record(&["bash", "-c", script], b"");
    let again = pipeline.ran(&["rec"], &["bash", "-c", script], "");
    assert_has(&again.stderr, ["recorded nothing"]);
    let (id, text) = pipeline.only_tape();
    assert_has(&text, ["pty: null", r#"stream: "stderr" }, // err\n"#]);
    for words in [&["show", &id][..], &["export", &id, "--transcript"]] {
        assert_has(&pipeline.tape(words).stdout, ["out", "err"]);
    }
    for format in ["asciicast-v2", "asciicast-v3"] {
        let cast = pipeline.tape(&["export", &id, "--format", format]).stdout;
        assert_has(&cast, [r"err\r\n"]);
    }
    assert_has(&pipeline.tape(&["svg", &id]).stdout, ["<svg"]);
    assert_eq!(pipeline.tape(&["validate", "--strict"]).code, Some(0));
    let same = pipeline.tape(&["verify", &id]);
    assert_eq!(same.code, Some(0), "{same:?}");
    let path = pipeline.path_of(&id);
    std::fs::write(&path, text.replace(r#", stream: "stderr""#, "")).unwrap();
    let drift = pipeline.tape(&["verify", &id]);
    assert_eq!(drift.code, Some(1), "{drift:?}");
    assert_has(&drift.stdout, ["+stderr:"]);
}

#[test]
fn a_conversation_is_verified_and_another_answer_is_told() {
    let pipeline = Pipeline::new();
    let program = pipeline.daemon.home().join("ask");
    let script =
        "#!/bin/sh\nwhile read -r a; do echo \"yes $a\"; echo \"warn $a\" >&2; done; exit 2\n";
    executable::write_script(&program, script);
    let did = pipeline.record(&[program.to_str().unwrap()], b"one\ntwo\n");
    assert_eq!(did.stderr, b"warn one\nwarn two\n");
    let (id, _) = pipeline.only_tape();
    assert_eq!(pipeline.tape(&["verify", &id]).code, Some(0));
    executable::write_script(&program, &script.replace("warn", "beware"));
    let drift = pipeline.tape(&["verify", &id]);
    assert_eq!(drift.code, Some(1), "{drift:?}");
    assert_has(&drift.stdout, ["+beware one"]);
    // Inputs that are on no tape are answered by the program, on both streams.
    let proxy = ["proxy", "--latency", "0"];
    let mut proxy = pipeline.with_verb(&proxy, &[program.to_str().unwrap()]);
    let proxied = Did::with_input(&mut proxy, b"one\nthree\n");
    assert_eq!(proxied.stdout, b"yes one\nyes three\n", "{proxied:?}");
    assert_eq!(proxied.stderr, b"warn one\nbeware three\n", "{proxied:?}");
    assert_eq!(proxied.status, 2);
}

#[test]
fn what_the_program_is_asked_after_a_miss_is_recorded_as_it_is() {
    let pipeline = Pipeline::new();
    let words = ["sh", "-c", "while read -r a; do echo \"yes $a\"; done"];
    pipeline.record(&words, b"one\n");
    let ask =
        |verb: &[&str], input: &[u8]| Did::with_input(&mut pipeline.with_verb(verb, &words), input);
    let proxied = ask(&["proxy", "--record", "new"], b"two\n");
    assert_eq!(proxied.stdout, b"yes two\n", "{proxied:?}");
    let played = ask(&["play"], b"two\n");
    assert_eq!(played.stdout, b"yes two\n", "{played:?}");
    // A line that is hidden on a tape matches every line.
    let missed = ask(&["play"], b"three\n");
    assert_eq!(missed.status, 1, "{missed:?}");
    assert_eq!(missed.stdout, b"", "{missed:?}");
}

#[test]
fn a_password_that_a_tape_has_heard_is_not_on_the_tape_of_the_program_that_takes_over() {
    let pipeline = Pipeline::new();
    let script = "printf 'Password: '; read -r p; echo; while read -r a; do echo \"$a $p\"; done";
    let words = ["sh", "-c", script];
    let ask =
        |verb: &[&str], input: &[u8]| Did::with_input(&mut pipeline.with_verb(verb, &words), input);
    ask(&["rec"], b"S3cretWord!x\n");
    let shown = ask(&["proxy", "--record", "new"], b"S3cretWord!x\nshow\n");
    assert_has(
        &String::from_utf8_lossy(&shown.stdout),
        ["show S3cretWord!x"],
    );
    let all = Command::new("grep")
        .args(["-r", "show"])
        .arg(pipeline.tapes())
        .output();
    let all = String::from_utf8(all.unwrap().stdout).unwrap();
    assert_has(&all, ["show ***"]);
    assert_lacks(&all, ["S3cretWord"]);
}

#[test]
fn a_program_that_cannot_be_started_is_told_as_ever() {
    let pipeline = Pipeline::new();
    let missing = pipeline.record(&["no-such-program"], b"");
    assert_eq!(missing.status, 127, "{missing:?}");
    let folder = pipeline.daemon.home().to_str().unwrap();
    assert_eq!(pipeline.record(&[folder], b"").status, 126);
}

#[test]
fn a_worker_that_is_killed_costs_no_byte_and_no_mark() {
    let mut pipeline = Pipeline::new();
    if is_one_process(&pipeline.daemon) {
        return;
    }
    let script = "for i in 1 2 3 4 5 6; do echo out $i; sleep 0.1; echo err $i >&2; sleep 0.1; done; read l; echo got $l; exit 9";
    let read = |daemon: &Daemon, id: &str| {
        let read = daemon.ok("session.read", &json!({"session": id, "since": 0}));
        (
            read["text"].as_str().unwrap().to_owned(),
            read["stderr"].clone(),
        )
    };
    // Kills the worker at each of these texts.
    let run = |options: Value, kills: &[&str]| {
        let daemon = &pipeline.daemon;
        let params = json!({"program": "bash", "args": ["-c", script], "pipes": true, "tape": tape(&root(daemon), options)});
        let record = daemon.ok("session.create", &params);
        let id = record["session_id"].as_str().unwrap().to_owned();
        for text in kills {
            let shown = || String::from_utf8(output(daemon, &id)).unwrap();
            eventually(text, || shown().contains(text).then_some(()));
            kill_worker(daemon);
        }
        send(daemon, &id, "line\n");
        ended(daemon, &id);
        (read(daemon, &id), id)
    };
    let ((text, stderr), _) = run(json!({"record": "new"}), &["out 2", "err 3"]);
    let expected: String = (1..=6).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(text, expected + "got line\n");
    let parts = stderr.as_array().unwrap().iter().map(|part| {
        let at = |end: usize| usize::try_from(part[end].as_u64().unwrap()).unwrap();
        &text[at(0)..at(1)]
    });
    let errors: Vec<String> = (1..=6).map(|i| format!("err {i}\n")).collect();
    assert_eq!(parts.collect::<Vec<_>>(), errors);
    let (_, taped) = pipeline.only_tape();
    assert_eq!(taped.matches(r#"stream: "stderr""#).count(), 6, "{taped}");
    // The replay also continues where it was.
    let (again, id) = run(json!({}), &["err 2"]);
    assert_eq!(again, (text, stderr));
    pipeline.daemon.stop();
    pipeline.daemon.restart();
    assert_eq!(read(&pipeline.daemon, &id), again);
}

#[test]
fn at_a_terminal_a_tape_of_pipes_has_no_staircase() {
    let pipeline = Pipeline::new();
    let script = "echo one; echo two; echo three";
    pipeline.record(&["bash", "-c", script], b"");
    // A tape that does not say that it was recorded over pipes.
    let (id, text) = pipeline.only_tape();
    let path = pipeline.path_of(&id);
    std::fs::write(path, text.replace("    pty: null,\n", "")).unwrap();
    let person = person(&pipeline.daemon, 20, 80);
    let tapes = pipeline.tapes();
    person.line(&format!(
        "clear; '{CCCTL}' play --no-summary --tapes '{}' -- bash -c '{script}'; echo o'v'er",
        tapes.display()
    ));
    person.shows("over");
    let lines = person.screen().lines;
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let mut three = lines.windows(3);
    assert!(
        three.any(|lines| lines == ["one", "two", "three"]),
        "{lines:?}"
    );
}

fn piped<'a>(daemon: &'a Daemon, script: &str) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        pipes: true,
        ..program(daemon, "bash", &["-c", script])
    })
}

#[test]
fn what_a_program_between_pipes_waits_for_is_seen() {
    let daemon = Daemon::start();
    let session = piped(
        &daemon,
        "sleep 0.2; cat; sleep 0.2; echo over >&2; sleep 60",
    );
    if !guesses(&daemon) {
        assert_eq!(session.wait(WaitFor::Input).how, "read");
    }
    session.line("hello");
    session.expect("hello");
    session
        .try_send(SessionSendParams {
            session: session.id().to_owned(),
            eof: true,
            ..SessionSendParams::default()
        })
        .unwrap();
    session.expect("over");
    // No process that reads from it is left.
    assert_eq!(session.close().signal, Some(1));
}

#[test]
fn signals_are_for_the_program_and_its_end_is_the_sessions() {
    let daemon = Daemon::start();
    let script = |trap: &str| format!("{trap}; echo ready; while :; do sleep 0.1; done");
    let session = piped(&daemon, &script("trap 'echo caught >&2; exit 7' INT"));
    session.expect("ready");
    session.keys(&["C-c"]);
    let ended = session.ended();
    assert_eq!((ended.exitstatus, ended.signal), (Some(7), None));
    assert_eq!(session.output(), "ready\ncaught\n");
    for signal in ["TERM", "INT", "KILL"] {
        let session = piped(&daemon, &script("true"));
        session.expect("ready");
        session.try_signal(signal).unwrap();
        let ended = session.ended();
        assert!(
            ended.exitstatus.is_none() && ended.signal.is_some(),
            "{signal}: {ended:?}"
        );
    }
}

#[test]
fn nothing_is_left_of_a_program_between_pipes_when_the_daemon_is_killed() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = piped(&daemon, "echo ready; sleep 987.125");
    session.expect("ready");
    let is_there = || !with_command_line("987.125").is_empty();
    assert!(is_there());
    drop(session);
    daemon.kill();
    eventually("it has ended", || (!is_there()).then_some(()));
}

#[test]
fn prompt_marks_need_a_terminal() {
    let daemon = Daemon::start();
    let error = daemon.refused(&SessionCreateParams {
        pipes: true,
        shell: true,
        ..program(&daemon, "bash", &[])
    });
    assert_error(&error, ErrorCode::InvalidArgument);
}
