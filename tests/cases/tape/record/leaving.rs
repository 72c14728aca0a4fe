//! `ccctl rec` that gets a signal, or whose output nobody reads any more: the program exits, and its tape is written.

use crate::support::assert_has;
use crate::support::conversation::only_tape;
use crate::support::pipeline::Pipeline;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};

const TRAP: &str =
    "trap 'echo cleaned up; exit 5' TERM HUP; echo ready; while :; do sleep 0.05; done";

/// Starts a command whose output is read until its first line.
fn begun(pipeline: &Pipeline, words: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut child = pipeline
        .ccctl(words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    (child, out)
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn a_signal_is_the_programs_and_so_is_the_status() {
    let pipeline = Pipeline::new();
    for (verb, which) in [
        (&["rec", "--tapes", "t", "--"][..], Signal::TERM),
        (&["rec", "--tapes", "u", "--"], Signal::HUP),
        (&["run"], Signal::TERM),
    ] {
        let words = [verb, &["bash", "-c", TRAP]].concat();
        let (mut child, mut out) = begun(&pipeline, &words);
        // Twice, as `timeout` does, which signals its child and the process group.
        signal(&child, which);
        signal(&child, which);
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        // Before it, bash may report that its `sleep` got the signal too.
        assert!(rest.trim_end().ends_with("cleaned up"), "{verb:?}: {rest}");
        assert_eq!(child.wait().unwrap().code(), Some(5), "{verb:?}");
    }
    let tape = only_tape(&pipeline.tapes());
    assert_has(&tape, ["exit: { code: 5"]);
}

#[test]
fn a_program_that_does_not_end_is_ended_and_its_tape_is_there() {
    let pipeline = Pipeline::new();
    let script = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let words = ["rec", "--tapes", "t", "--", "bash", "-c", script];
    let (mut child, _out) = begun(&pipeline, &words);
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    only_tape(&pipeline.tapes());
}

#[test]
fn what_nobody_reads_any_more_is_on_a_tape_when_the_recording_returns() {
    let pipeline = Pipeline::new();
    let words = ["rec", "--tapes", "t", "--", "seq", "1", "3000000"];
    let (mut child, out) = begun(&pipeline, &words);
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 13));
    let tape = only_tape(&pipeline.tapes());
    assert_has(&tape[..500], ["program: \"seq\""]);
}
