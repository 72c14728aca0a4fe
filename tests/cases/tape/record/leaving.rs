//! `ccctl rec` that gets a signal, or whose output nobody reads any more: the program exits, and its tape is written.

use crate::support::files::files;
use crate::support::{Ccctl, Daemon};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const TRAP: &str =
    "trap 'echo cleaned up; exit 5' TERM HUP; echo ready; while :; do sleep 0.05; done";

fn ccctl(daemon: &Daemon, words: &[&str]) -> Command {
    let mut command = Ccctl::new(daemon).command(words);
    command
        .current_dir(daemon.home())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn tapes(daemon: &Daemon) -> Vec<String> {
    let files = files(&daemon.home().join("t"));
    let is_tape = |path: &PathBuf| path.extension() == Some("json5".as_ref());
    let tapes = files.into_iter().filter(is_tape);
    tapes
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn a_signal_is_the_programs_and_so_is_the_status() {
    let daemon = Daemon::start();
    for (verb, which) in [
        (&["rec", "--tapes", "t", "--"][..], Signal::TERM),
        (&["rec", "--tapes", "u", "--"], Signal::HUP),
        (&["run"], Signal::TERM),
    ] {
        let mut child = ccctl(&daemon, &[verb, &["bash", "-c", TRAP]].concat())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), "ready");
        // Twice, as `timeout` does, which signals its child and the process group.
        signal(&child, which);
        signal(&child, which);
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        // Before it, bash may report that its `sleep` got the signal too.
        assert!(rest.trim_end().ends_with("cleaned up"), "{verb:?}: {rest}");
        assert_eq!(child.wait().unwrap().code(), Some(5), "{verb:?}");
    }
    let [tape] = &tapes(&daemon)[..] else {
        panic!("there is not exactly one tape")
    };
    assert!(tape.contains("exit: { code: 5"), "{tape}");
}

#[test]
fn a_program_that_does_not_end_is_ended_and_its_tape_is_there() {
    let daemon = Daemon::start();
    let script = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let words = ["rec", "--tapes", "t", "--", "bash", "-c", script];
    let mut child = ccctl(&daemon, &words).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert_eq!(tapes(&daemon).len(), 1);
}

#[test]
fn what_nobody_reads_any_more_is_on_a_tape_when_the_recording_returns() {
    let daemon = Daemon::start();
    let words = ["rec", "--tapes", "t", "--", "seq", "1", "3000000"];
    let mut child = ccctl(&daemon, &words).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 13));
    let [tape] = &tapes(&daemon)[..] else {
        panic!("there is not exactly one tape")
    };
    assert!(tape.contains("program: \"seq\""), "{}", &tape[..500]);
}
