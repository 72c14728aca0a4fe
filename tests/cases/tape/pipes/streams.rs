//! Programs between pipes: what is recorded of them, and that a tape prints the same on both streams.

use crate::attach::terminal::{CCCTL, person, screen, shows};
use crate::support::client::Ran;
use crate::support::conversation::output;
use crate::support::processes::with_command_line;
use crate::support::session::{OpenSession, assert_error, guesses, lacks, program};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Daemon, eventually, executable};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreateParams, SessionSendParams, WaitFor};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where no program is.
const NOWHERE: &str = "/nowhere";

/// What a program did, bytes as they are, and the status as a shell tells it.
#[derive(PartialEq, Eq)]
struct Did {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    status: i32,
}

impl std::fmt::Debug for Did {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned();
        let (stdout, stderr) = (text(&self.stdout), text(&self.stderr));
        write!(out, "{} {stdout:?} {stderr:?}", self.status)
    }
}

impl Did {
    fn of(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        let status = output.status;
        Self {
            stdout: output.stdout,
            stderr: output.stderr,
            status: status
                .code()
                .or(status.signal().map(|signal| 128 + signal))
                .unwrap(),
        }
    }

    /// With this input, then its end.
    fn with_input(command: &mut Command, input: &[u8]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let typing = std::thread::spawn(move || {
            // A program that has ended reads nothing.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        typing.join().unwrap();
        Self::of(output)
    }
}

/// A daemon, a folder for tapes, and one for shims.
struct Stage {
    daemon: Daemon,
}

impl Stage {
    fn new() -> Self {
        Self {
            daemon: Daemon::start(),
        }
    }

    fn tapes(&self) -> PathBuf {
        self.daemon.home().join("t")
    }

    fn ccctl(&self, words: &[&str]) -> Command {
        let mut command = Ccctl::new(&self.daemon).command(words);
        command
            .env_remove("CI")
            .env("PAGER", "false")
            .current_dir(self.daemon.home());
        command
    }

    fn with_verb(&self, verb: &[&str], program: &[&str]) -> Command {
        let tapes = self.tapes();
        let tapes = ["--no-summary", "--tapes", tapes.to_str().unwrap(), "--"];
        self.ccctl(&[verb, &tapes, program].concat())
    }

    fn record(&self, program: &[&str], input: &[u8]) -> Did {
        Did::with_input(&mut self.with_verb(&["rec"], program), input)
    }

    fn play(&self, program: &[&str], input: &[u8]) -> Did {
        let mut command = self.with_verb(&["play", "--latency", "0"], program);
        Did::with_input(command.env("PATH", NOWHERE), input)
    }

    fn by_shim(&self, program: &[&str], input: &[u8]) -> Did {
        let (tapes, bin) = (self.tapes(), self.daemon.home().join("bin"));
        let options = [
            "--tapes",
            tapes.to_str().unwrap(),
            "--to",
            bin.to_str().unwrap(),
        ];
        let words = [
            &["tape", "shim", program[0], "--force", "--latency", "0"],
            &options[..],
        ];
        let made = self.ccctl(&words.concat()).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut command = Command::new(bin.join(program[0]));
        let environment = self.ccctl(&[]);
        for (name, value) in environment.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .args(&program[1..])
            .env("PATH", NOWHERE)
            .current_dir(self.daemon.home());
        Did::with_input(&mut command, input)
    }

    fn tape(&self, words: &[&str]) -> Ran {
        let tapes = self.tapes();
        let words = [&["tape"], words, &["--tapes", tapes.to_str().unwrap()]].concat();
        Ran::of(self.ccctl(&words).output().unwrap())
    }

    fn only_tape(&self) -> (String, String) {
        let ran = self.tape(&["list", "--json"]);
        let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
        let tapes = reply["tapes"].as_array().unwrap();
        assert_eq!(tapes.len(), 1, "{tapes:?}");
        let id = tapes[0]["tape_id"].as_str().unwrap().to_owned();
        let path = self.tapes().join(format!("{id}.json5"));
        (id, std::fs::read_to_string(path).unwrap())
    }

    /// The program does what it does in a pipeline, and so does its tape, from `play` and from a shim.
    #[track_caller]
    fn plays_as_it_is(&self, program: &[&str], input: &[u8]) -> Did {
        let mut real = Command::new(program[0]);
        real.args(&program[1..])
            .env("PAGER", "false")
            .current_dir(self.daemon.home());
        let real = Did::with_input(&mut real, input);
        assert_eq!(self.record(program, input), real, "recording {program:?}");
        assert_eq!(self.play(program, input), real, "playing {program:?}");
        assert_eq!(
            self.by_shim(program, input),
            real,
            "the shim of {program:?}"
        );
        real
    }
}

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
    let stage = Stage::new();
    let play = |program: &[&str], input: &str| {
        if lacks(&[program[0]]) {
            return;
        }
        stage.plays_as_it_is(program, input.as_bytes());
    };
    play(&["sqlite3"], "select 6*7;\nselect nope;\nselect 2;\n");
    play(&["bc"], "6*7\n1/0\n2+2\n");
    play(&["ls", "/"], "");
    play(&["sort"], "b\nc\na");
    play(&["bash", "-c", "echo out; echo err >&2; exit 3"], "");
    play(&["bash", "-c", "kill -TERM $$"], "");
    if !lacks(&["git"]) {
        repository(stage.daemon.home());
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
    let stage = Stage::new();
    let all: Vec<u8> = (0..=u8::MAX).cycle().take(1 << 20).collect();
    let real = stage.record(&["cat"], &all);
    assert_eq!(
        (real.stdout == all, real.stderr.len(), real.status),
        (true, 0, 0)
    );
    let played = stage.play(&["cat"], &all);
    assert!(played == real, "{played:?}");
}

#[test]
fn pipes_that_are_closed_or_kept_open_hold_up_nothing() {
    let stage = Stage::new();
    // What it has started keeps its output open.
    stage.plays_as_it_is(&["bash", "-c", "sleep 0.1 & echo now"], b"");
    stage.plays_as_it_is(
        &["bash", "-c", "exec >&-; echo e >&2; sleep 0.2; exit 4"],
        b"",
    );
    stage.plays_as_it_is(
        &["bash", "-c", "exec <&-; sleep 0.2; echo o; exit 5"],
        b"a\nb\n",
    );
    let many = "line\n".repeat(1 << 18);
    let started = std::time::Instant::now();
    let did = stage.record(
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
    let stage = Stage::new();
    let program = [
        "bash",
        "-c",
        "echo out; sleep 0.1; echo err >&2; sleep 0.1; echo more; exit 3",
    ];
    stage.record(&program, b"");
    let again = Did::with_input(
        &mut stage.ccctl(&[&["rec", "--tapes", "t", "--"], &program[..]].concat()),
        b"",
    );
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(told.contains("recorded nothing"), "{told}");
    let (id, text) = stage.only_tape();
    assert!(text.contains("pty: null"), "{text}");
    assert!(text.contains(r#"stream: "stderr" }, // err\n"#), "{text}");
    for words in [&["show", &id][..], &["export", &id, "--transcript"]] {
        let shown = stage.tape(words).stdout;
        assert!(shown.contains("out") && shown.contains("err"), "{shown}");
    }
    for format in ["asciicast-v2", "asciicast-v3"] {
        let cast = stage.tape(&["export", &id, "--format", format]).stdout;
        assert!(cast.contains(r"err\r\n"), "{cast}");
    }
    assert!(stage.tape(&["svg", &id]).stdout.starts_with("<svg"));
    assert_eq!(stage.tape(&["validate", "--strict"]).code, Some(0));
    let same = stage.tape(&["verify", &id]);
    assert_eq!(same.code, Some(0), "{same:?}");
    let path = stage.tapes().join(format!("{id}.json5"));
    std::fs::write(&path, text.replace(r#", stream: "stderr""#, "")).unwrap();
    let drift = stage.tape(&["verify", &id]);
    assert_eq!(drift.code, Some(1), "{drift:?}");
    assert!(drift.stdout.contains("+stderr:"), "{drift:?}");
}

#[test]
fn a_conversation_is_verified_and_another_answer_is_told() {
    let stage = Stage::new();
    let program = stage.daemon.home().join("ask");
    let script =
        "#!/bin/sh\nwhile read -r a; do echo \"yes $a\"; echo \"warn $a\" >&2; done; exit 2\n";
    executable::write_script(&program, script);
    let did = stage.record(&[program.to_str().unwrap()], b"one\ntwo\n");
    assert_eq!(did.stderr, b"warn one\nwarn two\n");
    let (id, _) = stage.only_tape();
    assert_eq!(stage.tape(&["verify", &id]).code, Some(0));
    executable::write_script(&program, &script.replace("warn", "beware"));
    let drift = stage.tape(&["verify", &id]);
    assert_eq!(drift.code, Some(1), "{drift:?}");
    assert!(drift.stdout.contains("+beware one"), "{drift:?}");
    // What no tape has, the program itself answers, on both streams.
    let tapes = stage.tapes();
    let proxied = Did::with_input(
        &mut stage.ccctl(&[
            "proxy",
            "--latency",
            "0",
            "--no-summary",
            "--tapes",
            tapes.to_str().unwrap(),
            "--",
            program.to_str().unwrap(),
        ]),
        b"one\nthree\n",
    );
    assert_eq!(proxied.stdout, b"yes one\nyes three\n", "{proxied:?}");
    assert_eq!(proxied.stderr, b"warn one\nbeware three\n", "{proxied:?}");
    assert_eq!(proxied.status, 2);
}

#[test]
fn a_program_that_cannot_be_started_is_told_as_ever() {
    let stage = Stage::new();
    let missing = stage.record(&["no-such-program"], b"");
    assert_eq!(missing.status, 127, "{missing:?}");
    let folder = stage.daemon.home().to_str().unwrap();
    assert_eq!(stage.record(&[folder], b"").status, 126);
}

#[test]
fn a_worker_that_is_killed_costs_no_byte_and_no_mark() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let script = "for i in 1 2 3 4 5 6; do echo out $i; sleep 0.1; echo err $i >&2; sleep 0.1; done; read l; echo got $l; exit 9";
    let params = json!({
        "program": "bash", "args": ["-c", script], "pipes": true, "tape": {"root": daemon.home().join("t"), "record": "new"},
    });
    let record = daemon.call_value("session.create", &params).unwrap();
    let id = record["session_id"].as_str().unwrap();
    let shows = |daemon: &Daemon, id: &str, text: &str| {
        let shown = || String::from_utf8(output(daemon, id)).unwrap();
        eventually(text, || shown().contains(text).then_some(()));
    };
    for text in ["out 2", "err 3"] {
        shows(&daemon, id, text);
        kill_worker(&daemon);
    }
    let send = json!({"session": id, "text": "line\n"});
    daemon.call_value("session.send", &send).unwrap();
    let wait = json!({"session": id, "for": "exit", "timeout_ms": 20_000});
    daemon.call_value("session.wait", &wait).unwrap();
    let read = daemon
        .call_value("session.read", &json!({"session": id, "since": 0}))
        .unwrap();
    let text = read["text"].as_str().unwrap().to_owned();
    let expected: String = (1..=6).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(text, expected + "got line\n");
    let stderr: Vec<&str> = read["stderr"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| {
            let at = |end: usize| usize::try_from(part[end].as_u64().unwrap()).unwrap();
            &text[at(0)..at(1)]
        })
        .collect();
    assert_eq!(
        stderr,
        [
            "err 1\n", "err 2\n", "err 3\n", "err 4\n", "err 5\n", "err 6\n"
        ]
    );
    let stage = Stage { daemon };
    let (_, tape) = stage.only_tape();
    assert_eq!(tape.matches(r#"stream: "stderr""#).count(), 6, "{tape}");
    // The replay goes on likewise where it was.
    let played = json!({
        "program": "bash", "args": ["-c", script], "pipes": true, "tape": {"root": stage.daemon.home().join("t")},
    });
    let record = stage.daemon.call_value("session.create", &played).unwrap();
    let id = record["session_id"].as_str().unwrap();
    shows(&stage.daemon, id, "err 2");
    kill_worker(&stage.daemon);
    let send = json!({"session": id, "text": "line\n"});
    stage.daemon.call_value("session.send", &send).unwrap();
    let wait = json!({"session": id, "for": "exit", "timeout_ms": 20_000});
    stage.daemon.call_value("session.wait", &wait).unwrap();
    let again = stage
        .daemon
        .call_value("session.read", &json!({"session": id, "since": 0}))
        .unwrap();
    assert_eq!(
        (&again["text"], &again["stderr"]),
        (&read["text"], &read["stderr"])
    );
    let mut daemon = stage.daemon;
    daemon.stop();
    daemon.restart();
    let params = json!({"session": id, "since": 0});
    let later = daemon.call_value("session.read", &params).unwrap();
    assert_eq!(
        (&later["text"], &later["stderr"]),
        (&read["text"], &read["stderr"])
    );
}

#[test]
fn at_a_terminal_a_tape_of_pipes_has_no_staircase() {
    let stage = Stage::new();
    let script = "echo one; echo two; echo three";
    stage.record(&["bash", "-c", script], b"");
    // Of which nobody says that it is one.
    let (id, text) = stage.only_tape();
    let path = stage.tapes().join(format!("{id}.json5"));
    std::fs::write(path, text.replace("    pty: null,\n", "")).unwrap();
    let person = person(&stage.daemon, 20, 80);
    let tapes = stage.tapes();
    person.line(&format!(
        "clear; '{CCCTL}' play --no-summary --tapes '{}' -- bash -c '{script}'; echo o'v'er",
        tapes.display()
    ));
    shows(&person, "over");
    let lines = screen(&person).lines;
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let at = lines.iter().position(|line| *line == "one");
    let at = at.unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!(&lines[at..at + 3], ["one", "two", "three"], "{lines:?}");
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
    // Nothing it reads is left.
    let closed = session.close();
    assert_eq!(closed.signal, Some(1), "{closed:?}");
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
        let params = json!({"session": session.id(), "signal": signal});
        daemon.call_value("session.signal", &params).unwrap();
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
