//! `ccctl rec`, `play`, `proxy` and `tape`, for people and for scripts.

use crate::support::client::{CCCTL, DETACH, Ran, person};
use crate::support::pipeline::Pipeline;
use crate::support::{assert_has, assert_lacks, eventually, executable};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Asks until it reads `bye`; counts, so that the same question gets a different answer each time.
const ASKING: &str = r#"#!/bin/sh
n=0
printf 'welcome\nask> '
while read -r line; do
  n=$((n + 1))
  [ "$line" = bye ] && { echo "bye after $n"; exit 7; }
  printf 'answer %s to %s\nask> ' "$n" "$line"
done
echo "no more after $n"
"#;

/// A program that can be removed, and a directory for tapes.
struct Stage {
    pipeline: Pipeline,
    program: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let pipeline = Pipeline::new();
        let program = pipeline.daemon.home().join("asking");
        executable::write_script(&program, ASKING);
        Self { pipeline, program }
    }

    fn take_program_away(&self) {
        std::fs::remove_file(&self.program).unwrap();
    }

    /// Runs a verb with the directory, the program and this input, over pipes.
    fn piped(&self, verb: &[&str], input: &str) -> Ran {
        let program = [self.program.to_str().unwrap()];
        self.pipeline.ran(verb, &program, input)
    }

    /// Returns the line with which a person runs a verb.
    fn typed(&self, verb: &str) -> String {
        let (tapes, program) = (self.pipeline.tapes(), self.program.display());
        format!(
            "clear; CI= '{CCCTL}' {verb} --tapes '{}' -- '{program}'; echo \"status $?\"",
            tapes.display()
        )
    }
}

const ASKED: &str = "one\none\nbye\n";

#[test]
fn a_script_gets_the_same_bytes_and_status_without_the_program() {
    let stage = Stage::new();
    let recorded = stage.piped(&["rec"], ASKED);
    assert_eq!(recorded.code, Some(7), "{}", recorded.stderr);
    assert_has(&recorded.stdout, ["to one\nask> answer 2 to one\n"]);
    let (id, _) = stage.pipeline.only_tape();
    let told = format!("ccctl: recorded 4 exchanges as {id} in ");
    assert!(recorded.stderr.starts_with(&told), "{recorded:?}");
    // The same again adds nothing.
    let again = stage.piped(&["rec"], ASKED);
    assert_eq!(again.stdout, recorded.stdout);
    assert_has(&again.stderr, ["nothing: 4 exchanges are already on tapes"]);
    stage.take_program_away();
    let play = |more: &[&str], input: &str| {
        stage.piped(&[&["play", "--latency", "0"], more].concat(), input)
    };
    let played = play(&[], ASKED);
    assert_eq!((&played.stdout, played.code), (&recorded.stdout, Some(7)));
    assert_has(&played.stderr, ["replayed 4 exchanges of asking/"]);
    let silent = play(&["--no-summary"], ASKED);
    assert_eq!((silent.stderr.as_str(), silent.code), ("", Some(7)));
    let json = play(&["--json"], ASKED);
    let reply: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(reply["output"], recorded.stdout);
    assert_eq!(reply["tape"]["hits"], 4, "{reply}");
    // An input that no tape has ends the script.
    let missed = play(&[], "one\nother\n");
    assert_eq!(missed.code, Some(1), "{missed:?}");
    let begun = "welcome\nask> answer 1 to one\nask> ";
    assert!(missed.stdout.starts_with(begun), "{missed:?}");
    assert_has(&missed.stderr, ["other", "asking/"]);
    // There are no tapes of other programs.
    let unknown = stage.pipeline.ran(&["play"], &["nothing-like-it"], "");
    assert_eq!((unknown.code, &unknown.stdout[..]), (Some(1), ""));
}

#[test]
fn a_proxy_asks_the_program_what_no_tape_has_and_says_so_where_it_is_missing() {
    let stage = Stage::new();
    stage.piped(&["rec"], ASKED);
    let proxied = stage.piped(&["proxy", "--latency", "0"], "one\nother\nbye\n");
    assert_eq!(proxied.code, Some(7), "{proxied:?}");
    let end = "ask> answer 2 to other\nask> bye after 3\n";
    assert!(proxied.stdout.ends_with(end), "{proxied:?}");
    assert_has(&proxied.stderr, ["the real program answered"]);
    assert_eq!(stage.pipeline.ids().len(), 1, "nothing is recorded");
    stage.take_program_away();
    for verb in [&["play", "--fallback", "proxy"][..], &["proxy"]] {
        let verb = [verb, &["--latency", "0"]].concat();
        let whole = stage.piped(&verb, ASKED);
        assert_eq!(whole.code, Some(7), "nothing is missing: {whole:?}");
        let missed = stage.piped(&verb, "one\nother\nbye\n");
        assert_eq!(missed.code, Some(1), "{missed:?}");
        assert_has(&missed.stdout, ["answer 1 to one\nask> "]);
        let told = "the input is on no tape, and the real program could not take over";
        assert_has(&missed.stderr, [told, "there is no file", "asking"]);
    }
}

#[test]
fn a_person_records_and_replays_in_a_terminal() {
    let stage = Stage::new();
    let person = person(&stage.pipeline.daemon, 20, 80);
    let converse = || {
        person.shows("ask>");
        person.text("on\x7fne\r");
        person.shows("answer 1 to one");
        person.text("one\r");
        person.shows("answer 2 to one");
        person.text("bye\r");
        person.expect("bye after 3");
    };
    person.line(&stage.typed("rec"));
    converse();
    person.expect("recorded 4 exchanges as asking/");
    person.expect("status 7");
    stage.take_program_away();
    person.line(&stage.typed("play"));
    person.shows("welcome");
    person.text("what?\r");
    person.expect("no tape|tape has");
    converse();
    person.expect("1 input is on no tape");
    person.expect("status 7");
    // In a build, nobody is there to type something else.
    for command in ["play", "run"] {
        person.line(&stage.typed(command).replace("CI= ", "CI=1 "));
        person.expect("ask>");
        person.line("unknown");
        person.expect("closest.*\n");
        person.expect("status 1\\b");
    }
}

#[test]
fn a_pasted_line_that_is_too_long_for_the_terminal_is_cut_by_it_as_by_any() {
    const PROGRAM: &str = "import sys; print('re' + 'ady'); [print('len', len(line), flush=True) \
                           for line in iter(sys.stdin.readline, '')]; print('sa' + 'ved')";
    let pipeline = Pipeline::new();
    let person = person(&pipeline.daemon, 20, 80);
    let tapes = pipeline.tapes();
    for verb in ["rec --tapes", "play --tapes"] {
        person.line(&format!(
            "clear; '{CCCTL}' {verb} '{}' -- python3 -c \"{PROGRAM}\"; echo \"status $?\"",
            tapes.display()
        ));
        person.shows("ready");
        person.text(&"z".repeat(9000));
        person.text("\r");
        person.expect("len 4096");
        person.keys(&["C-d"]);
        person.expect("saved");
        person.expect("status 0");
    }
}

#[test]
fn leaving_ends_the_program_and_keeps_the_recording() {
    let stage = Stage::new();
    let person = person(&stage.pipeline.daemon, 20, 80);
    person.line(&stage.typed("rec"));
    person.shows("ask>");
    person.text("one\r");
    person.shows("answer 1 to one");
    person.keys(DETACH);
    person.expect("detached; .* was ended");
    person.expect("recorded 2 exchanges as asking/");
    person.expect("status 129");
    let left = stage.pipeline.daemon.listed(false);
    assert_eq!(left.len(), 1, "only the person's own session is left");
}

#[test]
fn the_tools_read_what_was_recorded() {
    let stage = Stage::new();
    stage.piped(&["rec", "--tag", "first"], ASKED);
    stage.piped(&["rec", "--tag", "second"], "two\nbye\n");
    let (ids, tape) = (stage.pipeline.ids(), |words: &[&str]| {
        stage.pipeline.tape(words)
    });
    assert_eq!(ids.len(), 2, "{ids:?}");
    let first = ids.iter().find(|id| id.contains("first")).unwrap();
    let second = ids.iter().find(|id| id.contains("second")).unwrap();
    let shown = tape(&["show", "first", "--keys"]);
    assert_has(&shown.stdout, ["answer 1 to one", "exchange 3", "exited 7"]);
    assert_eq!(tape(&["show", "no-such"]).code, Some(4));
    assert_eq!(tape(&["diff", first, first]).code, Some(0));
    let diff = tape(&["diff", first, second]);
    assert_eq!(diff.code, Some(1), "{diff:?}");
    let head = format!("--- {first}\n+++ {second}\n");
    assert_has(&diff.stdout, [&head, "two"]);
    // Tapes that nothing plays can go.
    stage.piped(&["play", "--latency", "0"], ASKED);
    let unused = tape(&["prune", "--unused", "--dry-run"]);
    assert_has(&unused.stdout, ["second"]);
    assert_lacks(&unused.stdout, ["first-"]);
    assert_eq!(stage.pipeline.ids().len(), 2);
    tape(&["prune", "--unused"]);
    eventually("it is gone", || {
        (stage.pipeline.ids() == [first.as_str()]).then_some(())
    });
    let transcript = tape(&["export", first, "--transcript"]);
    assert_has(&transcript.stdout, ["answer 2 to one"]);
    let export = ["export", first, "--format", "asciicast-v2", "-o", "a.cast"];
    assert_eq!(tape(&export).code, Some(0));
    let watched = tape(&["play", first]);
    assert!(watched.stdout.starts_with("welcome\n"), "{watched:?}");
    let imported = tape(&["import", "a.cast", "--tag", "third"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert_eq!(stage.pipeline.ids().len(), 2);
    let svg = tape(&["svg", first]);
    assert!(svg.stdout.starts_with("<svg"), "{svg:?}");
    assert_eq!(tape(&["validate", first]).code, Some(0));
    let path = stage.pipeline.path_of("asking/bad");
    std::fs::write(&path, "{meta: {\n  program: 5}}").unwrap();
    let bad = tape(&["validate"]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert_has(&bad.stdout, [format!("{}:2:", path.display())]);
    std::fs::remove_file(&path).unwrap();
    let clean = tape(&["redact"]);
    let told = "2 tapes checked, no secrets\n";
    assert_eq!((clean.code, &clean.stdout[..]), (Some(0), told));
}

#[test]
fn a_shim_stands_in_on_the_path() {
    let stage = Stage::new();
    let recorded = stage.piped(&["rec"], ASKED);
    let bin = stage.pipeline.daemon.home().join("bin");
    let words = ["shim", "asking", "--to", "bin", "--latency", "0"];
    let ran = stage.pipeline.tape(&words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shim = bin.canonicalize().unwrap().join("asking");
    assert_eq!(Path::new(ran.stdout.trim()), shim);
    stage.take_program_away();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = stage.pipeline.in_its_environment("sh");
    let played = Ran::with_input(command.args(["-c", "asking"]).env("PATH", path), ASKED);
    assert_eq!((&played.stdout, played.code), (&recorded.stdout, Some(7)));
}
