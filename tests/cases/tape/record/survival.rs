//! Kills at any time of a recording: acknowledged input is on a tape, and each tape is completely old or completely
//! new.

use crate::support::conversation::{ask, ended, new_tape, output, record, start, tape, tapes};
use crate::support::files::assert_in_no_file;
use crate::support::taped::{Taped, assert_whole};
use crate::support::worker::{is_one_process, kill_worker, signal_worker, worker};
use crate::support::{Connection, Daemon, any_moment, eventually, eventually_within, rounds};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Typed hidden, and shown by no program.
const HIDDEN: &str = "Hunter2-x9-unseen";

/// Asks for passwords until it reads an empty one.
const ASKS: &str =
    "while read -rsp 'Password: ' p && [ -n \"$p\" ]; do echo; echo \"length ${#p}\"; done; exit 5";

/// A program that is recorded into its own directory.
struct Take {
    session: String,
    root: PathBuf,
    /// Input that was acknowledged.
    typed: Vec<String>,
}

impl Take {
    fn start(daemon: &Daemon, name: &str, command: &[&str]) -> Self {
        let root = daemon.home().join("roots").join(name);
        let session = start(daemon, command, &new_tape(&root)).unwrap();
        Self {
            session,
            root,
            typed: Vec::new(),
        }
    }

    /// Types, possibly while no worker is running; true if it was acknowledged.
    fn types(&mut self, daemon: &Daemon, text: &str, newline: bool) -> bool {
        let params = json!({"session": self.session, "text": text, "newline": newline});
        let reply = daemon.try_call_value("session.send", &params);
        if let Some(reply) = &reply {
            let end = if newline { "\n" } else { "" };
            let text = if reply["hidden"] == true { "***" } else { text };
            self.typed.push(format!("{text}{end}"));
        }
        reply.is_some()
    }

    /// Returns the output so far; empty if no worker is running.
    fn shown(&self, daemon: &Daemon) -> String {
        let params = json!({"session": self.session, "since": 0, "max_bytes": 1 << 20});
        let read = daemon.try_call_value("session.read", &params);
        let read = read.unwrap_or_default();
        read["text"].as_str().unwrap_or_default().to_owned()
    }

    /// Types a line and waits for its answer; only briefly if the line was not acknowledged, because it may not have
    /// been typed.
    fn asks(&mut self, daemon: &Daemon, line: &str, seen: &str, count: usize) {
        let is_typed = self.types(daemon, line, true);
        let is_seen = || (self.shown(daemon).matches(seen).count() >= count).then_some(());
        if is_typed {
            eventually(seen, is_seen);
        } else {
            eventually_within(Duration::from_millis(200), is_seen);
        }
    }

    /// Types the hidden line once the program asks for it.
    fn answers_hidden(&mut self, daemon: &Daemon) {
        let hides = || {
            let params = json!({ "session": self.session });
            let record = daemon.try_call_value("session.get", &params)?;
            let waiting = &record["waiting_for_input"];
            let asks = waiting["verdict"] == "blocked" && waiting["hidden"] == true;
            asks.then_some(())
        };
        eventually("it asks for a password", hides);
        let count = self.shown(daemon).matches("length").count();
        self.asks(daemon, HIDDEN, "length", count + 1);
    }

    /// Returns the only tape, after checking that nothing half-written is left.
    #[track_caller]
    fn taped(&self, daemon: &Daemon) -> Taped {
        assert_whole(daemon, &self.root);
        let tapes = tapes(&self.root);
        assert_eq!(tapes.len(), 1, "{tapes:?} {}", self.root.display());
        Taped::read(&tapes[0])
    }
}

#[test]
fn recordings_go_on_through_kills_of_the_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let flood = "seq 1 150000; read x; exit 3";
    let mut bash = Take::start(&daemon, "bash", &["bash", "--norc"]);
    let mut cat = Take::start(&daemon, "cat", &["cat"]);
    let mut asks = Take::start(&daemon, "asks", &["bash", "-c", ASKS]);
    let mut floods = Take::start(&daemon, "flood", &["bash", "-c", flood]);
    ask(&daemon, &bash.session, (None, "ready> $")).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            for round in 0..rounds() {
                any_moment(round, Duration::from_millis(97));
                kill_worker(&daemon);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for round in 0.. {
            if is_over.load(Ordering::Relaxed) || killer.is_finished() {
                break;
            }
            let line = format!("n{round}");
            bash.asks(&daemon, &format!("echo {line}"), &format!("{line}\n"), 2);
            for key in line.chars() {
                cat.types(&daemon, &key.to_string(), false);
            }
            cat.types(&daemon, "\r", false);
            asks.answers_hidden(&daemon);
        }
    });
    let statuses = [7, 0, 5, 3];
    let takes = [
        (&mut bash, "exit 7", true),
        (&mut cat, "\r\u{4}", false),
        (&mut asks, "", true),
        (&mut floods, "go", true),
    ];
    for ((take, last, newline), status) in takes.into_iter().zip(statuses) {
        assert!(take.types(&daemon, last, newline));
        let ended = ended(&daemon, &take.session);
        assert_eq!(ended["exitstatus"], status, "{ended}");
        assert_eq!(ended["tape"]["problem"], Value::Null, "{ended}");
    }
    for (take, status) in [&bash, &cat, &asks, &floods].into_iter().zip(statuses) {
        let taped = take.taped(&daemon);
        let shown = output(&daemon, &take.session);
        assert!(taped.output == shown, "{:?}", take.root);
        assert!(taped.exit.contains(&format!("code: {status}")));
    }
    bash.taped(&daemon).has_inputs(&bash.typed);
    asks.taped(&daemon).has_inputs(&asks.typed);
    cat.taped(&daemon)
        .has_keys(&cat.typed.concat().replace('\r', "\n"));
    assert_in_no_file(daemon.home(), HIDDEN);
}

/// Starts a session that ends with its client.
fn start_transient(connection: &mut Connection, root: &Path) -> String {
    let params =
        json!({"program": "cat", "transient": true, "tape": tape(root, json!({"record": "new"}))});
    let started = connection.ok("session.create", &params);
    started["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_that_was_recorded_is_missing_after_a_kill_of_everything() {
    let mut daemon = Daemon::start();
    for round in 0..rounds() {
        let name = |what: &str| format!("{round}-{what}");
        let mut bash = Take::start(&daemon, &name("bash"), &["bash", "--norc"]);
        let mut cat = Take::start(&daemon, &name("cat"), &["cat"]);
        let mut asks = Take::start(&daemon, &name("asks"), &["bash", "-c", ASKS]);
        let lines = if round % 3 == 0 { 200_000 } else { 3_000 };
        let script = format!("seq 1 {lines}; echo all; read x; exit 3");
        let mut floods = Take::start(&daemon, &name("flood"), &["bash", "-c", &script]);
        let mut connection = daemon.connect();
        let transient_root = daemon.home().join("roots").join(name("transient"));
        let transient = start_transient(&mut connection, &transient_root);
        let mut typed_in_transient = Vec::new();
        bash.asks(&daemon, "echo one", "one\n", 2);
        asks.answers_hidden(&daemon);
        for line in ["one", "two"] {
            cat.types(&daemon, line, true);
            let send = json!({"session": transient, "text": line, "newline": true});
            connection.ok("session.send", &send);
            typed_in_transient.push(format!("{line}\n"));
        }
        cat.types(&daemon, "hal", false);
        if round % 2 == 0 {
            // All programs exit now, and their tapes are written.
            ask(&daemon, &floods.session, (None, "all\n")).unwrap();
            floods.types(&daemon, "go", true);
            bash.types(&daemon, "exit 7", true);
            asks.types(&daemon, "", true);
            cat.types(&daemon, "f\r", false);
            cat.types(&daemon, "\u{4}", false);
            any_moment(round, Duration::from_millis(300));
        } else {
            any_moment(round, Duration::from_millis(60));
        }
        daemon.kill();
        drop(connection);
        daemon.restart();
        for take in [&bash, &asks, &floods] {
            let taped = take.taped(&daemon);
            assert!(
                taped.output == output(&daemon, &take.session),
                "{round} {:?}: {}",
                take.root,
                record(&daemon, &take.session)
            );
            taped.has_inputs(&take.typed);
            assert!(!taped.exit.is_empty());
        }
        let taped = cat.taped(&daemon);
        assert!(taped.output == output(&daemon, &cat.session), "{round}");
        if round % 2 == 1 {
            // An unfinished line was in no file.
            cat.typed.pop();
        }
        taped.has_keys(&cat.typed.concat().replace('\r', "\n"));
        assert_whole(&daemon, &transient_root);
        Taped::read(&tapes(&transient_root)[0]).has_inputs(&typed_in_transient);
        assert_in_no_file(daemon.home(), HIDDEN);
        std::fs::remove_dir_all(daemon.home().join("roots")).unwrap();
        let cleanup = json!({"force": true});
        let _ = daemon.call_value("session.cleanup", &cleanup);
    }
}

/// bash reads keys, so the journal has a mask until the echo was seen. A worker that is killed after the echo was logged
/// and before the journal was written leaves that mask.
#[test]
fn an_input_that_the_killed_worker_left_as_a_mask_is_written_before_the_next_worker_serves() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let bash = Take::start(&daemon, "bash", &["bash", "--norc"]);
    ask(&daemon, &bash.session, (None, "ready> $")).unwrap();
    let line = (Some("echo one"), "one\\s+ready> $");
    ask(&daemon, &bash.session, line).unwrap();
    let journals = std::fs::read_dir(bash.root.join(".journal")).unwrap();
    let journal = journals.map(|entry| entry.unwrap().path()).next().unwrap();
    let (text, at) = eventually("the input is in the journal", || {
        let text = std::fs::read_to_string(&journal).unwrap();
        let at = text.find("echo one")?;
        Some((text, at))
    });
    let before = worker(&daemon);
    daemon.signal(Signal::STOP);
    signal_worker(&daemon, before, Signal::KILL);
    let (kept, _) = text[..at].rsplit_once('\n').unwrap();
    assert!(kept.contains("***"), "{text}");
    std::fs::write(&journal, format!("{kept}\n")).unwrap();
    daemon.signal(Signal::CONT);
    assert_ne!(worker(&daemon), before);
    daemon.kill();
    daemon.restart();
    assert_eq!(bash.taped(&daemon).inputs[1..], ["echo one\n"]);
}

#[test]
fn a_tape_that_is_overwritten_is_the_old_or_the_new_one() {
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let file = daemon.home().join("answer");
    let show = format!("cat {}", file.display());
    let run = |daemon: &Daemon, mode: &str| {
        let options = tape(&root, json!({"record": mode}));
        let session = start(daemon, &["bash", "--norc"], &options).unwrap();
        ask(daemon, &session, (None, "ready> $")).unwrap();
        let shown = (Some(show.as_str()), "answer \\d+\\..*ready> $");
        ask(daemon, &session, shown).unwrap();
        let last = json!({"session": session, "text": "exit", "newline": true});
        daemon.ok("session.send", &last);
        session
    };
    let answer = |round: usize| format!("answer {round}.");
    std::fs::write(&file, answer(0)).unwrap();
    ended(&daemon, &run(&daemon, "new"));
    let path = tapes(&root)[0].clone();
    let text = std::fs::read_to_string(&path).unwrap();
    let noted = text.replacen("exchanges: [", "// kept by hand\n  exchanges: [", 1);
    std::fs::write(&path, noted).unwrap();
    for round in 1..=rounds() {
        std::fs::write(&file, answer(round)).unwrap();
        run(&daemon, "overwrite");
        any_moment(round, Duration::from_millis(60));
        daemon.kill();
        let text = std::fs::read_to_string(&path).unwrap();
        let taped = String::from_utf8(Taped::read(&path).output).unwrap();
        let (old, new) = (answer(round - 1), answer(round));
        assert!(text.ends_with("}\n") && text.contains("// kept by hand"));
        assert!(
            taped.contains(&old) != taped.contains(&new),
            "{round}: {taped}"
        );
        daemon.restart();
        assert_whole(&daemon, &root);
        let taped = String::from_utf8(Taped::read(&path).output).unwrap();
        assert!(taped.contains(&new), "{round}: {taped}");
        assert_eq!(tapes(&root).len(), 1);
    }
}
