//! Programs that fork and end so quickly that no list of processes has all of them.

use crate::support::exec::{Executor, Repository};
use crate::support::worker::with_worker;
use crate::support::{Daemon, eventually, rounds};
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
        let what = format!("all of {what} have ended");
        eventually(&what, || (!self.is_held()).then_some(()));
    }
}

fn all_rounds() -> impl Iterator<Item = (u32, usize)> {
    let rounds = |pause_us| (0..ROUNDS).map(move |round| (pause_us, round));
    PAUSES_US.into_iter().flat_map(rounds)
}

#[test]
fn nothing_of_a_chain_of_forks_outlives_its_session() {
    let daemon = Daemon::start();
    // It says so if it is stopped and continued. So does a process that has left another session.
    let tell = "trap \"echo continued\" CONT";
    let script = format!("{tell}; while read -r line; do echo got $line; done");
    let other = daemon.open("sh", &["-c", &script]);
    let file = daemon.home().join("stray");
    let script = format!(
        "(setsid sh -c '{tell}; echo here; while read -r line; do echo got $line; done' <{0}.in >{0}.out &); exec cat",
        file.display()
    );
    let pipe = file.with_extension("in");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    daemon.open("sh", &["-c", &script]);
    let mut stray = OpenOptions::new().write(true).open(&pipe).unwrap();
    for (pause_us, round) in all_rounds() {
        let mut held = Held::new(daemon.home());
        let session = daemon.open("sh", &["-c", &held.chain(pause_us)]);
        session.expect("ready");
        let reply = session.close_within(0.0);
        assert!(reply.forced && reply.left.is_empty(), "{reply:?}");
        held.nothing_is_left(&format!("round {round} with {pause_us} µs"));
    }
    other.ask("this", "got this");
    let output = other.output();
    assert!(!output.contains("continued"), "{output}");
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
        let script = held.chain(pause_us);
        daemon.open("sh", &["-c", &script]).expect("ready");
        daemon.stop();
        held.nothing_is_left(&format!("{pause_us} µs"));
    }
}

#[test]
fn nothing_of_a_chain_without_a_mark_outlives_the_daemon() {
    for round in 0..rounds() {
        let pause_us = PAUSES_US[round % PAUSES_US.len()];
        let Some(mut daemon) = with_worker() else {
            return;
        };
        let mut held = Held::new(daemon.home());
        let script = format!("(env -i sh -c '{}' &); exec cat", held.chain(pause_us));
        daemon.open("sh", &["-c", &script]).expect("ready");
        daemon.stop();
        assert!(!held.is_held(), "something of round {round} is left");
    }
}

#[test]
fn nothing_of_a_chain_of_forks_outlives_its_run() {
    let repository = Repository::new();
    let folder = tempfile::tempdir().unwrap();
    for (pause_us, round) in all_rounds() {
        let mut held = Held::new(folder.path());
        let chain = held.chain(pause_us);
        let executor = Executor::with_script(&format!(
            "init; ({chain}) >\"$HOME/said\" & until [ -s \"$HOME/said\" ]; do sleep 0.05; done; result"
        ));
        executor.run(&repository, &json!({}));
        held.nothing_is_left(&format!("round {round} with {pause_us} µs"));
    }
}
