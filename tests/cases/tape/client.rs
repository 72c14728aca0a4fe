//! `ccctl rec`, `play`, `proxy` and `tape`, for people and for scripts.

use crate::support::client::{CCCTL, DETACH, Ran, person};
use crate::support::{Ccctl, Daemon, eventually, executable};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

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
    daemon: Daemon,
}

impl Stage {
    fn new() -> Self {
        let stage = Self {
            daemon: Daemon::start(),
        };
        executable::write_script(&stage.program(), ASKING);
        stage
    }

    fn program(&self) -> PathBuf {
        self.daemon.home().join("asking")
    }

    fn tapes(&self) -> PathBuf {
        self.daemon.home().join("t")
    }

    fn take_program_away(&self) {
        std::fs::remove_file(self.program()).unwrap();
    }

    /// Runs a verb with the directory, the program and this input, over pipes.
    fn piped(&self, verb: &[&str], input: &str) -> Ran {
        let (tapes, program) = (self.tapes(), self.program());
        let paths = [tapes.to_str().unwrap(), program.to_str().unwrap()];
        let words = [verb, &["--tapes", paths[0], "--", paths[1]]].concat();
        self.with_input(Ccctl::new(&self.daemon).command(&words), input)
    }

    fn with_input(&self, mut command: std::process::Command, input: &str) -> Ran {
        let mut child = command
            .env_remove("CI")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that has exited does not read it.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ran::of(child.wait_with_output().unwrap())
    }

    fn tape(&self, words: &[&str]) -> Ran {
        let tapes = self.tapes();
        let words = [&["tape"], words, &["--tapes", tapes.to_str().unwrap()]].concat();
        Ccctl::new(&self.daemon).run(&words)
    }

    fn ids(&self) -> Vec<String> {
        let ran = self.tape(&["list", "--json"]);
        let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
        let tapes = reply["tapes"].as_array().unwrap();
        let id = |tape: &Value| tape["tape_id"].as_str().unwrap().to_owned();
        tapes.iter().map(id).collect()
    }

    fn only_id(&self) -> String {
        let ids = self.ids();
        assert_eq!(ids.len(), 1, "{ids:?}");
        ids[0].clone()
    }
}

const ASKED: &str = "one\none\nbye\n";

#[test]
fn a_script_gets_the_same_bytes_and_status_without_the_program() {
    let stage = Stage::new();
    let recorded = stage.piped(&["rec"], ASKED);
    assert_eq!(recorded.code, Some(7), "{}", recorded.stderr);
    assert!(
        recorded
            .stdout
            .contains("answer 1 to one\nask> answer 2 to one\n"),
        "{recorded:?}"
    );
    let told = format!("ccctl: recorded 4 exchanges as {} in ", stage.only_id());
    assert!(recorded.stderr.starts_with(&told), "{recorded:?}");
    // The same again adds nothing.
    let again = stage.piped(&["rec"], ASKED);
    assert_eq!(again.stdout, recorded.stdout);
    assert!(
        again
            .stderr
            .contains("recorded nothing: 4 exchanges are already on tapes"),
        "{again:?}"
    );
    stage.take_program_away();
    let played = stage.piped(&["play", "--latency", "0"], ASKED);
    assert_eq!(
        (&played.stdout, played.code),
        (&recorded.stdout, Some(7)),
        "{played:?}"
    );
    assert!(
        played.stderr.contains("replayed 4 exchanges of asking/"),
        "{played:?}"
    );
    let silent = stage.piped(&["play", "--latency", "0", "--no-summary"], ASKED);
    assert_eq!((silent.stderr.as_str(), silent.code), ("", Some(7)));
    let json = stage.piped(&["play", "--latency", "0", "--json"], ASKED);
    let reply: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(reply["output"], recorded.stdout);
    assert_eq!(reply["tape"]["hits"], 4, "{reply}");
    // An input that no tape has ends the script.
    let missed = stage.piped(&["play", "--latency", "0"], "one\nother\n");
    assert_eq!(missed.code, Some(1), "{missed:?}");
    assert!(
        missed
            .stdout
            .starts_with("welcome\nask> answer 1 to one\nask> "),
        "{missed:?}"
    );
    assert!(
        missed.stderr.contains("other") && missed.stderr.contains("asking/"),
        "{missed:?}"
    );
    // There are no tapes of other programs.
    let tapes = stage.tapes();
    let tapes = tapes.to_str().unwrap();
    let words = ["play", "--tapes", tapes, "--", "nothing-like-it"];
    let unknown = Ccctl::new(&stage.daemon).run(&words);
    assert_eq!(
        (unknown.code, unknown.stdout.as_str()),
        (Some(1), ""),
        "{unknown:?}"
    );
}

#[test]
fn a_proxy_asks_the_program_what_no_tape_has_and_says_so_where_it_is_missing() {
    let stage = Stage::new();
    stage.piped(&["rec"], ASKED);
    let proxied = stage.piped(&["proxy", "--latency", "0"], "one\nother\nbye\n");
    assert_eq!(proxied.code, Some(7), "{proxied:?}");
    assert!(
        proxied
            .stdout
            .ends_with("ask> answer 2 to other\nask> bye after 3\n"),
        "{proxied:?}"
    );
    assert!(
        proxied.stderr.contains("the real program answered"),
        "{proxied:?}"
    );
    assert_eq!(stage.ids().len(), 1, "nothing is recorded");
    stage.take_program_away();
    for verb in [&["play", "--fallback", "proxy"][..], &["proxy"]] {
        let verb = [verb, &["--latency", "0"]].concat();
        let whole = stage.piped(&verb, ASKED);
        assert_eq!(whole.code, Some(7), "nothing is missing: {whole:?}");
        let missed = stage.piped(&verb, "one\nother\nbye\n");
        assert_eq!(missed.code, Some(1), "{missed:?}");
        assert!(
            missed.stdout.contains("answer 1 to one\nask> "),
            "{missed:?}"
        );
        assert!(
            missed
                .stderr
                .contains("the input is on no tape, and the real program could not take over")
                && missed.stderr.contains("there is no file")
                && missed.stderr.contains("asking"),
            "{missed:?}"
        );
    }
}

#[test]
fn a_person_records_and_replays_in_a_terminal() {
    let stage = Stage::new();
    let person = person(&stage.daemon, 20, 80);
    let (tapes, program) = (stage.tapes(), stage.program());
    let line = |verb: &str| {
        format!(
            "clear; CI= '{CCCTL}' {verb} --tapes '{}' -- '{}'; echo \"status $?\"",
            tapes.display(),
            program.display()
        )
    };
    let converse = || {
        person.shows("ask>");
        person.text("on\x7fne\r");
        person.shows("answer 1 to one");
        person.text("one\r");
        person.shows("answer 2 to one");
        person.text("bye\r");
        person.expect("bye after 3");
    };
    person.line(&line("rec"));
    converse();
    person.expect("recorded 4 exchanges as asking/");
    person.expect("status 7");
    stage.take_program_away();
    person.line(&line("play"));
    person.shows("welcome");
    person.text("what?\r");
    person.expect("no tape|tape has");
    converse();
    person.expect("1 input is on no tape");
    person.expect("status 7");
}

#[test]
fn a_pasted_line_that_is_too_long_for_the_terminal_is_cut_by_it_as_by_any() {
    const PROGRAM: &str = "import sys; print('re' + 'ady'); [print('len', len(line), flush=True) \
                           for line in iter(sys.stdin.readline, '')]; print('sa' + 'ved')";
    let stage = Stage::new();
    let person = person(&stage.daemon, 20, 80);
    let tapes = stage.tapes();
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
    let person = person(&stage.daemon, 20, 80);
    let (tapes, program) = (stage.tapes(), stage.program());
    person.line(&format!(
        "clear; '{CCCTL}' rec --tapes '{}' '{}'; echo \"status $?\"",
        tapes.display(),
        program.display()
    ));
    person.shows("ask>");
    person.text("one\r");
    person.shows("answer 1 to one");
    person.keys(DETACH);
    person.expect("detached; .* was ended");
    person.expect("recorded 2 exchanges as asking/");
    person.expect("status 129");
    assert_eq!(
        stage.daemon.listed(false).len(),
        1,
        "only the person's own session is left"
    );
}

#[test]
fn the_tools_read_what_was_recorded() {
    let stage = Stage::new();
    stage.piped(&["rec", "--tag", "first"], ASKED);
    stage.piped(&["rec", "--tag", "second"], "two\nbye\n");
    let ids = stage.ids();
    assert_eq!(ids.len(), 2, "{ids:?}");
    let first = ids.iter().find(|id| id.contains("first")).unwrap();
    let second = ids.iter().find(|id| id.contains("second")).unwrap();
    let shown = stage.tape(&["show", "first", "--keys"]);
    for text in ["answer 1 to one", "exchange 3", "exited 7"] {
        assert!(shown.stdout.contains(text), "{text}: {shown:?}");
    }
    assert_eq!(stage.tape(&["show", "no-such"]).code, Some(4));
    assert_eq!(stage.tape(&["diff", first, first]).code, Some(0));
    let diff = stage.tape(&["diff", first, second]);
    assert_eq!(diff.code, Some(1), "{diff:?}");
    assert!(diff.stdout.contains("two"), "{diff:?}");
    let transcript = stage.tape(&["export", first, "--transcript"]);
    assert!(
        transcript.stdout.contains("answer 2 to one"),
        "{transcript:?}"
    );
    let cast = stage.daemon.home().join("a.cast");
    let cast = cast.to_str().unwrap();
    assert_eq!(
        stage
            .tape(&["export", first, "--format", "asciicast-v2", "-o", cast])
            .code,
        Some(0)
    );
    let watched = stage.tape(&["play", first]);
    assert!(watched.stdout.starts_with("welcome\n"), "{watched:?}");
    let imported = stage.tape(&["import", cast, "--tag", "third"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert_eq!(stage.ids().len(), 3);
    let svg = stage.tape(&["svg", first]);
    assert!(svg.stdout.starts_with("<svg"), "{svg:?}");
    assert_eq!(stage.tape(&["validate", first]).code, Some(0));
    let path = stage.tapes().join("asking/bad.json5");
    std::fs::write(&path, "{meta: {\n  program: 5}}").unwrap();
    let bad = stage.tape(&["validate"]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(
        bad.stdout.contains(&format!("{}:2:", path.display())),
        "{bad:?}"
    );
    std::fs::remove_file(&path).unwrap();
    let clean = stage.tape(&["redact"]);
    assert_eq!(
        (clean.code, clean.stdout.as_str()),
        (Some(0), "3 tapes checked, no secrets\n")
    );
}

#[test]
fn tapes_that_nothing_plays_can_go() {
    let stage = Stage::new();
    stage.piped(&["rec", "--tag", "used"], ASKED);
    stage.piped(&["rec", "--tag", "idle"], "two\nbye\n");
    stage.piped(&["play", "--latency", "0"], ASKED);
    let unused = stage.tape(&["prune", "--unused", "--dry-run"]);
    assert!(
        unused.stdout.contains("idle") && !unused.stdout.contains("used-"),
        "{unused:?}"
    );
    assert_eq!(stage.ids().len(), 2);
    stage.tape(&["prune", "--unused"]);
    eventually("it is gone", || (stage.ids().len() == 1).then_some(()));
    assert!(stage.only_id().contains("used"));
}

#[test]
fn a_shim_stands_in_on_the_path() {
    let stage = Stage::new();
    let recorded = stage.piped(&["rec"], ASKED);
    let bin = stage.daemon.home().join("bin");
    let ran = stage.tape(&[
        "shim",
        "asking",
        "--to",
        bin.to_str().unwrap(),
        "--latency",
        "0",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        Path::new(ran.stdout.trim()),
        bin.canonicalize().unwrap().join("asking")
    );
    stage.take_program_away();
    let mut command = Ccctl::new(&stage.daemon).command(&[]);
    let environment: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    command = std::process::Command::new("sh");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    command
        .args(["-c", "asking"])
        .envs(environment)
        .env("PATH", path)
        .env_remove("CCD_SOCKET");
    let played = stage.with_input(command, ASKED);
    assert_eq!(
        (played.stdout, played.code),
        (recorded.stdout, Some(7)),
        "{}",
        played.stderr
    );
}
