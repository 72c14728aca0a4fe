//! Named pipes: readers get all events, and a slow reader delays nobody.

use crate::support::session::{OpenSession, assert_error, assert_lacks, program};
use crate::support::{Daemon, eventually, throughout};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    PipeState, SessionCreateParams, SessionPipe, SessionPipeParams, WaitFor,
};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

/// Where the pipes are; the daemon creates the directory.
fn pipe_dir(daemon: &Daemon) -> PathBuf {
    daemon.home().join("pipes/in a folder")
}

/// Returns a daemon whose pipes are in its home.
pub(crate) fn daemon() -> Daemon {
    let mut daemon = Daemon::builder().prepare();
    let config = json!({"pipe_dir": pipe_dir(&daemon)});
    fs::write(daemon.config_path(), config.to_string()).unwrap();
    daemon.restart();
    daemon
}

/// Starts a program with a pipe that carries all events.
pub(crate) fn streaming<'a>(daemon: &'a Daemon, name: &str, args: &[&str]) -> OpenSession<'a> {
    daemon.open_with(&SessionCreateParams {
        stream: true,
        ..program(daemon, name, args)
    })
}

/// Starts a shell script with a pipe that carries all events.
fn scripted<'a>(daemon: &'a Daemon, script: &str) -> OpenSession<'a> {
    streaming(daemon, "sh", &["-c", script])
}

pub(crate) fn pipe_of(session: &OpenSession<'_>) -> PathBuf {
    let pipe = session.now().pipe.expect("the session has a pipe");
    pipe.pipe_path.into()
}

/// Reads a pipe to its end in a separate thread.
pub(crate) fn reader(path: &Path) -> JoinHandle<String> {
    // The daemon has it open for writing while the session lives, so this does not wait.
    let mut file = File::open(path).unwrap();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    })
}

/// Waits until the pipe has been full for longer than the second after which output may be dropped.
fn full_for_long(session: &OpenSession<'_>) {
    throughout(Duration::from_millis(1200), || {
        assert_eq!(session.now().pipe.unwrap().dropped_bytes, 0);
    });
}

/// Events without their times, as (type, text).
pub(crate) fn events(text: &str) -> Vec<(&str, &str)> {
    let event = |line: &'_ str| -> Option<(usize, usize)> {
        let time = line.strip_prefix('[')?.split_once(']')?.0;
        let (seconds, millis) = time.split_once('.')?;
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_time = is_number(seconds) && is_number(millis) && millis.len() == 3;
        let start = time.len() + 3;
        (is_time && line.get(start + 3..start + 5)? == "] ").then_some((start, start + 5))
    };
    text.lines()
        .map(|line| {
            let (start, text) = event(line).unwrap_or_else(|| panic!("{line:?} is not an event"));
            (&line[start..start + 3], &line[text..])
        })
        .collect()
}

fn texts<'a>(events: &[(&'a str, &'a str)], kind: &str) -> Vec<&'a str> {
    let of_kind = events.iter().filter(|event| event.0 == kind);
    of_kind.map(|event| event.1).collect()
}

pub(crate) fn open(session: &OpenSession<'_>, raw: Option<bool>) -> Result<PathBuf, Value> {
    let params = SessionPipeParams {
        session: session.id().to_owned(),
        open: true,
        raw,
    };
    let reply = session.daemon.call::<SessionPipe>(&params)?;
    assert_eq!(reply.state, PipeState::Active);
    Ok(reply.pipe_path.into())
}

#[test]
fn all_that_happens_is_an_event_from_the_start_to_the_end() {
    let daemon = daemon();
    let set = json!({"pattern_type": "error", "category": "mine", "patterns": ["^OOPS"]});
    daemon.ok("pattern.set", &set);
    let session = scripted(
        &daemon,
        "echo ready; read line; echo \"got $line\"; cat /nowhere; echo OOPS it broke; printf rest",
    );
    let path = pipe_of(&session);
    let facts = fs::metadata(&path).unwrap();
    assert!(facts.file_type().is_fifo());
    assert_eq!(facts.permissions().mode() & 0o777, 0o600);
    assert_eq!(path.parent().unwrap(), pipe_dir(&daemon));
    let folder = fs::metadata(path.parent().unwrap()).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    assert!(path.ends_with(format!("{}.pipe", session.id())));
    let reading = reader(&path);
    session.expect("ready");
    session.line("hello");
    session.ended();
    let text = reading.join().unwrap();
    let all = events(&text);
    let id = format!("session_id={}", session.id());
    assert_eq!(all[0], ("MTX", id.as_str()));
    assert_eq!(all[1].0, "MTX");
    assert!(all[1].1.starts_with("command=sh -c 'echo ready"), "{text}");
    assert_eq!(texts(&all, "IN "), ["hello"]);
    let printed = texts(&all, "OUT");
    assert_eq!(printed, ["ready", "hello", "got hello", "rest"], "{text}");
    let errors = texts(&all, "ERR");
    assert!(errors[0].contains("No such file"), "{text}");
    assert_eq!(errors[1..], ["OOPS it broke"], "{text}");
    let place = |event| all.iter().position(|other| *other == event).unwrap();
    assert!(place(("OUT", "ready")) < place(("IN ", "hello")));
    assert!(place(("IN ", "hello")) < place(("OUT", "got hello")));
    let last = ["end_reason=exited", "exitstatus=0", "session_closed=true"];
    assert_eq!(all[all.len() - 3..], last.map(|text| ("MTX", text)));
    assert!(!path.exists());
    let pipe = session.now().pipe.unwrap();
    assert_eq!((pipe.state, pipe.dropped_bytes), (PipeState::Closed, 0));
}

#[test]
fn what_is_typed_hidden_is_not_shown() {
    let daemon = daemon();
    let session = scripted(
        &daemon,
        "stty -echo; printf 'Password: '; read x; stty echo; printf 'Name: '; read y",
    );
    let reading = reader(&pipe_of(&session));
    session.expect("Password: ");
    session.line("hunter2");
    session.expect("Name: ");
    session.line("Ada");
    session.ended();
    let text = reading.join().unwrap();
    assert_lacks(&text, ["hunter2"]);
    let all = events(&text);
    assert_eq!(texts(&all, "IN "), ["<hidden>", "Ada"]);
    // A prompt is written although its line is unfinished.
    assert!(texts(&all, "OUT").contains(&"Password: "), "{text}");
}

#[test]
fn in_a_line_editor_only_what_was_shown_is_told() {
    let daemon = daemon();
    let bash = daemon.open_with(&SessionCreateParams {
        stream: true,
        ..program(&daemon, "bash", &["--norc", "--noprofile"])
    });
    let reading = reader(&pipe_of(&bash));
    bash.expect("ready> ");
    bash.ask("echo one", "(?m)^one\n");
    bash.ask("read -s -p 'secret? ' x", "secret\\? $");
    bash.ask("swordfish", "ready> ");
    bash.keys(&["C-u"]);
    bash.line("exit");
    bash.ended();
    let text = reading.join().unwrap();
    assert_lacks(&text, ["swordfish"]);
    let all = events(&text);
    let typed = texts(&all, "IN ");
    // Whether bash turns echo off in time to hide this one too is a matter of chance.
    assert!(["read -s -p 'secret? ' x", "<hidden>"].contains(&typed[1]));
    assert_eq!(typed[0], "echo one");
    assert_eq!(typed[2..], ["<hidden>", "<C-u>", "exit"], "{text}");
}

#[test]
fn nobody_who_reads_holds_nothing_up_and_what_is_left_out_is_told() {
    let daemon = daemon();
    // Much more than memory keeps.
    let session = scripted(&daemon, "seq 1 400000; echo done; exec cat");
    session.expect("(?m)^done$");
    full_for_long(&session);
    let path = pipe_of(&session);
    let mut lines = BufReader::new(File::open(&path).unwrap()).lines();
    let mut left_out = 0;
    let mut printed = Vec::new();
    while printed.last().is_none_or(|text| text != "done") {
        let line = lines.next().unwrap().unwrap();
        let (kind, text) = events(&line)[0];
        if let Some(bytes) = text.strip_prefix("dropped_bytes=") {
            left_out += bytes.parse::<u64>().unwrap();
        }
        if kind == "OUT" {
            printed.push(text.to_owned());
        }
    }
    // The output starts with as much as fits into the pipe, and ends with all that is still in memory.
    assert_eq!(printed[0], "1");
    assert!(printed.ends_with(&["399999".into(), "400000".into(), "done".into()]));
    assert!(left_out > 0 && printed.len() < 300_000);
    assert_eq!(session.now().pipe.unwrap().dropped_bytes, left_out);
}

#[test]
fn a_raw_pipe_has_every_byte_that_is_not_told_to_be_left_out() {
    let daemon = daemon();
    let session = daemon.open("sh", &["-c", "read x; seq 1 400000; echo done; read x"]);
    let path = open(&session, Some(true)).unwrap();
    let mut file = File::open(path).unwrap();
    session.line("");
    session.expect("(?m)^done$");
    full_for_long(&session);
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    while !bytes.ends_with(b"done\r\n") {
        let len = file.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..len]);
    }
    let left_out = session.now().pipe.unwrap().dropped_bytes as usize;
    let all = session.bytes();
    assert!(left_out > 0);
    assert_eq!(bytes.len() + left_out, all.len());
    let same = bytes.iter().zip(&all).take_while(|(a, b)| a == b).count();
    assert!(all.ends_with(&bytes[same..]), "there is exactly one gap");
}

#[test]
fn a_reader_that_pauses_and_reads_on_misses_nothing() {
    let daemon = daemon();
    let session = scripted(&daemon, "read x; seq 1 9000; echo done");
    let mut file = File::open(pipe_of(&session)).unwrap();
    session.line("");
    session.expect("(?m)^done$");
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    let all = events(&text);
    // A line that arrived in two chunks is two events.
    let printed = texts(&all, "OUT").concat();
    let numbers: String = (1..=9000).map(|number| number.to_string()).collect();
    let is_told = text.contains("dropped_bytes");
    assert!(is_told || printed == numbers + "done", "{}", printed.len());
}

#[test]
fn a_reader_that_has_stopped_at_the_end_is_told_what_it_missed() {
    let daemon = daemon();
    let session = scripted(&daemon, "read x; seq 1 100000");
    let mut file = File::open(pipe_of(&session)).unwrap();
    session.line("");
    session.ended();
    eventually("output is dropped from the pipe", || {
        (session.now().pipe.unwrap().dropped_bytes > 0).then_some(())
    });
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    let all = events(&text);
    let left_out = session.now().pipe.unwrap().dropped_bytes;
    let facts = texts(&all, "MTX");
    let is_told = facts.contains(&&*format!("dropped_bytes={left_out}"));
    let is_whole = facts.last() == Some(&"session_closed=true");
    assert!(
        !cfg!(target_os = "linux") || (is_told && is_whole),
        "{facts:?}"
    );
}

#[test]
fn no_word_of_a_program_looks_like_an_event() {
    let daemon = daemon();
    let script = "read -s x\nsession_closed=true; echo got $x\x1b[m";
    let session = streaming(&daemon, "bash", &["-c", script, "", "a b"]);
    let reading = reader(&pipe_of(&session));
    // If it were typed earlier, it would be echoed, and thus not be a secret.
    session.wait(WaitFor::Input);
    session.line("swordfish");
    session.ended();
    let text = reading.join().unwrap();
    let all = events(&text);
    let command = r"command=bash -c 'read -s x\nsession_closed=true; echo got $x\u{1b}[m' '' 'a b'";
    assert_eq!(texts(&all, "MTX")[1..3], [command, "end_reason=exited"]);
    assert_eq!(texts(&all, "OUT"), ["got <hidden>"], "{text}");
}

#[test]
fn several_readers_share_whole_lines() {
    let daemon = daemon();
    let session = scripted(&daemon, "read x; seq -f 'line %.0f of many' 1 5000; read x");
    let path = pipe_of(&session);
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let file = File::open(&path).unwrap();
            std::thread::spawn(move || {
                let (mut file, mut pieces) = (file, Vec::new());
                // A reader that reads as much at once as the pipe holds gets whole lines.
                let mut buffer = vec![0; 1 << 16];
                loop {
                    match file.read(&mut buffer).unwrap() {
                        0 => return pieces,
                        len => pieces.push(String::from_utf8(buffer[..len].to_vec()).unwrap()),
                    }
                }
            })
        })
        .collect();
    session.line("");
    session.expect("line 5000 of many");
    session.line("");
    session.ended();
    let pieces = readers
        .into_iter()
        .flat_map(|reader| reader.join().unwrap());
    let pieces: Vec<String> = pieces.collect();
    let mut printed_len = 0;
    for piece in &pieces {
        assert!(piece.starts_with('[') && piece.ends_with('\n'), "{piece:?}");
        printed_len += texts(&events(piece), "OUT").concat().len();
    }
    let lines = (1..=5000).map(|number| format!("line {number} of many").len());
    let all_len: usize = lines.sum();
    let is_told = pieces.iter().any(|piece| piece.contains("dropped_bytes"));
    assert!(is_told || printed_len == all_len, "{printed_len}");
}

#[test]
fn readers_come_and_go() {
    let daemon = daemon();
    let session = streaming(&daemon, "cat", &[]);
    let path = pipe_of(&session);
    for round in 0..5 {
        let word = format!("round-{round}");
        session.ask(&word, &format!("{word}\n{word}\n"));
        let lines = BufReader::new(File::open(&path).unwrap()).lines();
        let found = lines
            .map(Result::unwrap)
            .find(|line| line.ends_with(&format!("[OUT] {word}")));
        assert!(found.is_some());
    }
    let last = File::open(&path).unwrap();
    session.close();
    let text: Vec<String> = BufReader::new(last).lines().map(Result::unwrap).collect();
    let last = text.last().unwrap();
    assert!(last.ends_with("[MTX] session_closed=true"), "{text:?}");
}

#[test]
fn a_raw_pipe_has_the_bytes_live_and_ends_with_the_session() {
    let daemon = daemon();
    let script = "echo before; read x; printf 'a\\033[1mb\\303'; read y; seq 1 3000";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("before");
    let path = open(&session, Some(true)).unwrap();
    let start = session.now().output.output_bytes;
    let mut file = File::open(&path).unwrap();
    session.line("");
    let mut live = Vec::new();
    let mut buffer = [0; 4096];
    while !live.ends_with(b"b\xc3") {
        let len = file.read(&mut buffer).unwrap();
        live.extend_from_slice(&buffer[..len]);
    }
    session.line("");
    file.read_to_end(&mut live).unwrap();
    assert_eq!(live, session.bytes()[start as usize..]);
    let error = open(&session, None).unwrap_err();
    assert_error(&error, ErrorCode::SessionNotAlive);
}
