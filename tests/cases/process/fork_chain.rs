//! Programs that fork and end so quickly that no list of processes has all of them.

use crate::support::exec::{Executor, Repository};
use crate::support::worker::is_one_process;
use crate::support::{Connection, Daemon, eventually, rounds};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const PAUSES_US: [u32; 3] = [1000, 100, 0];
const ROUNDS: usize = 3;

/// A named pipe that each process of a chain inherits, so that it ends when the last one does.
struct Held {
    path: PathBuf,
    reader: File,
}

impl Held {
    fn new(folder: &Path) -> Self {
        let path = folder.join("held");
        let _ = std::fs::remove_file(&path);
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        let mut options = OpenOptions::new();
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let reader = options.read(true).custom_flags(nonblocking).open(&path);
        Self {
            reader: reader.unwrap(),
            path,
        }
    }

    /// Returns a shell command that becomes a chain.
    fn chain(&self, pause_us: u32) -> String {
        let (program, path) = (env!("CARGO_BIN_EXE_mock_target"), self.path.display());
        format!("exec {program} --fork-chain {pause_us} 9>{path}")
    }

    fn is_held(&mut self) -> bool {
        !matches!(self.reader.read(&mut [0]), Ok(0))
    }

    fn nothing_is_left(&mut self, what: &str) {
        eventually(what, || (!self.is_held()).then_some(()));
    }
}

fn expect(connection: &mut Connection, session: &str, text: &str) {
    let params = json!({"session": session, "patterns": [{"exact": text}]});
    connection.call_value("session.expect", &params).unwrap();
}

#[test]
fn nothing_of_a_chain_of_forks_outlives_its_session() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    // It says so if it is stopped and continued. So does a process that has left another session.
    let tell = "trap \"echo continued\" CONT";
    let script = format!("{tell}; while read -r line; do echo got $line; done");
    let other = connection.start_session(&["sh", "-c", &script]);
    let file = daemon.home().join("stray");
    let script = format!(
        "(setsid sh -c '{tell}; echo here; while read -r line; do echo got $line; done' <{0}.in >{0}.out &); exec cat",
        file.display()
    );
    let pipe = file.with_extension("in");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    connection.start_session(&["sh", "-c", &script]);
    let mut stray = OpenOptions::new().write(true).open(&pipe).unwrap();
    for pause_us in PAUSES_US {
        for round in 0..ROUNDS {
            let mut held = Held::new(daemon.home());
            let session = connection.start_session(&["sh", "-c", &held.chain(pause_us)]);
            expect(&mut connection, &session, "ready");
            let close = json!({"session": session, "grace_ms": 0});
            let reply = connection.call_value("session.close", &close).unwrap();
            assert_eq!(
                (&reply["forced"], &reply["left"]),
                (&json!(true), &json!(null))
            );
            held.nothing_is_left(&format!(
                "all of round {round} with {pause_us} µs have ended"
            ));
        }
    }
    let send = json!({"session": other, "text": "this\r"});
    connection.call_value("session.send", &send).unwrap();
    expect(&mut connection, &other, "got this");
    let read = json!({"session": other});
    let read = connection.call_value("session.read", &read).unwrap();
    assert!(
        !read["text"].as_str().unwrap().contains("continued"),
        "{read}"
    );
    std::io::Write::write_all(&mut stray, b"that\n").unwrap();
    eventually("the stray process answers", || {
        let text = std::fs::read_to_string(file.with_extension("out")).unwrap();
        assert!(!text.contains("continued"), "{text}");
        text.ends_with("got that\n").then_some(())
    });
}

#[test]
fn nothing_of_a_chain_of_forks_outlives_the_daemon() {
    for pause_us in PAUSES_US {
        let mut daemon = Daemon::start();
        let mut held = Held::new(daemon.home());
        let mut connection = daemon.connect();
        let session = connection.start_session(&["sh", "-c", &held.chain(pause_us)]);
        expect(&mut connection, &session, "ready");
        daemon.stop();
        held.nothing_is_left(&format!("all with {pause_us} µs have ended"));
    }
}

#[test]
fn nothing_of_a_chain_without_a_mark_outlives_the_daemon() {
    for round in 0..rounds() {
        let pause_us = PAUSES_US[round % PAUSES_US.len()];
        let mut daemon = Daemon::start();
        if is_one_process(&daemon) {
            return;
        }
        let mut held = Held::new(daemon.home());
        let mut connection = daemon.connect();
        let script = format!("(env -i sh -c '{}' &); exec cat", held.chain(pause_us));
        let session = connection.start_session(&["sh", "-c", &script]);
        expect(&mut connection, &session, "ready");
        daemon.stop();
        assert!(!held.is_held(), "something of round {round} is left");
    }
}

#[test]
fn nothing_of_a_chain_of_forks_outlives_its_run() {
    let repository = Repository::new();
    let folder = tempfile::tempdir().unwrap();
    for pause_us in PAUSES_US {
        for round in 0..ROUNDS {
            let mut held = Held::new(folder.path());
            let chain = held.chain(pause_us);
            let executor = Executor::with_script(&format!(
                "init; ({chain}) >\"$HOME/said\" & until [ -s \"$HOME/said\" ]; do sleep 0.05; done; result"
            ));
            executor.run(&repository, &json!({}));
            held.nothing_is_left(&format!(
                "all of round {round} with {pause_us} µs have ended"
            ));
        }
    }
}
