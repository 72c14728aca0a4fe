//! `tape.verify` reports a drift if and only if the program has changed, and takes only as long as the program.

use crate::support::client::{CCCTL, person};
use crate::support::conversation::{Step, ask, close, converse, start, tape};
use crate::support::pipeline::{Did, Pipeline};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_has, assert_lacks, eventually_within, rounds_or, throughout};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the program against its tape `it`.
fn verified(daemon: &Daemon, root: &Path) -> Value {
    let path = std::env::var("PATH").unwrap();
    let env = json!({"HOME": daemon.home(), "PATH": path, "PS1": "ready> "});
    let params = json!({"root": root, "tape": "it", "caller_env": env});
    daemon.job("tape.verify", &params)["result"].clone()
}

fn named(root: &Path, name: &str) -> Value {
    tape(root, json!({"record": "new", "name": name}))
}

#[track_caller]
fn stays_the_same(daemon: &Daemon, root: &Path, what: &str) {
    for round in 0..rounds_or(1) {
        let verdict = verified(daemon, root);
        assert_eq!(verdict["same"], true, "{what}, round {round}: {verdict}");
    }
}

#[derive(Deserialize)]
struct Script {
    program: Vec<String>,
    /// What it prints first.
    first: String,
    /// What is typed, with what is awaited then: the echo or the first line of an answer, and never a prompt.
    lines: Vec<(String, String)>,
    last: String,
}

impl Script {
    fn program(&self) -> Vec<&str> {
        self.program.iter().map(String::as_str).collect()
    }

    fn steps(&self) -> Vec<Step<'_>> {
        let first = (!self.first.is_empty()).then_some((None, self.first.as_str()));
        let lines = self.lines.iter();
        let lines = lines.map(|(line, answer)| (Some(line.as_str()), answer.as_str()));
        first.into_iter().chain(lines).collect()
    }

    /// Records two conversations: the second tape continues from the program's start.
    fn records_the_middle(&self, daemon: &Daemon, root: &Path) {
        let (program, steps) = (self.program(), self.steps());
        for (name, line) in [("start", steps[1]), ("it", steps[2])] {
            let (options, two) = (named(root, name), [steps[0], line]);
            converse(daemon, &program, &options, &two, &self.last);
        }
    }
}

/// Records each script as the tape `it`, and asserts that its program has not changed.
fn none_drifts(is_recorded: impl Fn(&Daemon, &Path, &Script) -> bool) {
    let scripts = include_str!("../../fixtures/verify_scripts.json");
    let scripts: Vec<Script> = serde_json::from_str(scripts).unwrap();
    let daemon = Daemon::start();
    for (at, script) in scripts.iter().enumerate() {
        let root = daemon.home().join(format!("t{at}"));
        if !lacks(&script.program()[..1]) && is_recorded(&daemon, &root, script) {
            stays_the_same(&daemon, &root, &script.program[0]);
        }
    }
}

#[test]
fn no_program_drifts_from_what_a_hasty_script_has_recorded() {
    none_drifts(|daemon, root, script| {
        let (program, steps) = (script.program(), script.steps());
        let options = named(root, "it");
        converse(daemon, &program, &options, &steps, &script.last);
        true
    });
}

#[test]
fn no_program_drifts_from_a_session_that_was_closed() {
    none_drifts(|daemon, root, script| {
        let session = start(daemon, &script.program(), &named(root, "it")).unwrap();
        for step in script.steps() {
            ask(daemon, &session, step).unwrap();
        }
        close(daemon, &session);
        true
    });
}

#[test]
fn no_program_drifts_from_a_tape_that_continues_from_its_start() {
    none_drifts(|daemon, root, script| {
        let has_middle = !script.first.is_empty() && script.lines.len() > 1;
        if has_middle {
            script.records_the_middle(daemon, root);
        }
        has_middle
    });
}

#[test]
fn a_tape_that_continues_from_the_start_drifts_if_its_prompt_or_answer_has_changed() {
    let daemon = Daemon::start();
    let file = daemon.home().join("it.sh");
    let write = |prompt: &str, answer: &str| {
        let text = format!(
            "printf '{prompt}'; while read -r x; do printf '{answer} %s\\n> ' \"$x\"; done"
        );
        std::fs::write(&file, text).unwrap();
    };
    write("> ", "so");
    let root = daemon.home().join("t");
    let lines = [("one", "so one\n> "), ("two", "so two\n> ")];
    let script = Script {
        program: vec!["sh".into(), file.to_str().unwrap().into()],
        first: "> ".into(),
        lines: lines
            .map(|(line, answer)| (line.into(), answer.into()))
            .to_vec(),
        last: "\u{4}".into(),
    };
    script.records_the_middle(&daemon, &root);
    let text = std::fs::read_to_string(root.join("it.json5")).unwrap();
    assert_lacks(&text, [r#"prompt: """#]);
    stays_the_same(&daemon, &root, "sh");
    for (prompt, answer) in [("$ ", "so"), ("> ", "no"), ("", "so")] {
        write(prompt, answer);
        let verdict = verified(&daemon, &root);
        assert_eq!(verdict["same"], false, "{prompt} {answer}: {verdict}");
        assert_eq!(verdict["drifts"][0]["index"], 0, "{verdict}");
    }
}

#[test]
fn what_a_program_says_because_it_is_closed_is_no_answer() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "trap 'echo hung up; exit' HUP TERM; printf '> '; read -r x; printf 'so %s\n> ' \"$x\"; read -r x";
    let session = start(&daemon, &["sh", "-c", script], &named(&root, "it")).unwrap();
    ask(&daemon, &session, (None, "> ")).unwrap();
    ask(&daemon, &session, (Some("a"), "so a\n> ")).unwrap();
    close(&daemon, &session);
    let text = std::fs::read_to_string(root.join("it.json5")).unwrap();
    assert_has(&text, ["so a"]);
    assert_lacks(&text, [r"hung up\r"]);
    stays_the_same(&daemon, &root, "sh");
}

#[test]
fn a_program_without_a_prompt_is_not_waited_for_longer_than_it_takes() {
    const LINES: usize = 60;
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let program = ["sh", "-c", "while read -r x; do echo \"so $x\"; done"];
    let lines: Vec<(String, String)> = (0..LINES)
        .map(|number| (format!("l{number}"), format!("so l{number}\n")))
        .collect();
    let steps = lines
        .iter()
        .map(|(line, answer)| (Some(&line[..]), &answer[..]));
    let steps: Vec<Step<'_>> = steps.collect();
    converse(&daemon, &program, &named(&root, "it"), &steps, "\u{4}");
    let begun = Instant::now();
    let verdict = verified(&daemon, &root);
    assert_eq!(verdict["same"], true, "{verdict}");
    assert_eq!(verdict["exchanges"], LINES + 2, "{verdict}");
    // Waiting for 300 ms of silence after each answer would take longer.
    let took = begun.elapsed();
    assert!(took < Duration::from_millis(300 * LINES as u64), "{took:?}");
}

#[test]
fn an_end_that_came_before_the_last_recorded_input_is_the_same_end() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    std::fs::create_dir_all(&root).unwrap();
    let verify = |code: u8| {
        let answer = json!([{"dataText": "x\r\nbye\r\n"}]);
        let exchanges = json!([
            {"input": {"type": "raw", "dataText": ""}},
            {"input": {"type": "line", "dataText": "x"}, "output": {"chunks": answer}},
            {"input": {"type": "raw", "dataText": "\u{4}"}, "exit": {"code": code, "signal": null}},
        ]);
        let meta = json!({"program": "sh", "args": ["-c", "read -r x; echo bye; exit 3"], "pty": {"rows": 24, "cols": 80}});
        let tape = json!({"meta": meta, "exchanges": exchanges}).to_string();
        std::fs::write(root.join("it.json5"), tape).unwrap();
        verified(&daemon, &root)
    };
    let same = json!({"tape_id": "it", "same": true, "exchanges": 3, "drifts": []});
    assert_eq!(verify(3), same);
    let verdict = verify(0);
    assert_eq!(verdict["drifts"][0]["what"], "exit", "{verdict}");
}

#[test]
fn lines_that_a_person_edits_are_compared_as_what_they_show() {
    let daemon = Daemon::start();
    for (shell, keys) in [
        (
            "bash --norc --noprofile -i",
            "echo wrong\u{15}echo fi\u{8}our\r",
        ),
        ("zsh -f -i", "echo on\u{1}\u{5}e two\u{17}three\r\u{10}\r"),
        ("fish --private -N", "echo one\recho two\u{15}ec\u{5}\r"),
        ("node", "console.log(1)\rcons\u{15}[1, 2].le\u{8}ength\r"),
        ("python3 -q", "print(1)\r1+\u{8}+2\r"),
    ] {
        let name = shell.split(' ').next().unwrap();
        if lacks(&[name]) {
            continue;
        }
        let root = daemon.home().join(format!("t-{name}"));
        let person = person(&daemon, 24, 80);
        let rec = format!(
            "{CCCTL} rec --tapes {} --name it -- {shell}",
            root.display()
        );
        person.line(&format!("PS1='ready> ' {rec}; echo 'do''ne'"));
        person.expect(if name == "fish" {
            "@.*[#>] $"
        } else {
            "(ready>|>>>|\n>) $"
        });
        for key in keys.chars() {
            let shown = person.now().output.output_bytes;
            person.text(&key.to_string());
            // A person sees the effect of a key before the next one. Some keys have none.
            eventually_within(Duration::from_millis(200), || {
                (person.now().output.output_bytes > shown).then_some(())
            });
            throughout(Duration::from_millis(20), || ());
        }
        person.text(if name == "node" {
            "\r.exit\r"
        } else {
            "\r\u{4}"
        });
        person.expect("done\n");
        stays_the_same(&daemon, &root, name);
    }
}

/// Reads with a timeout, and says how its input came.
const TIMED: &str = "
import os, select
while True:
    ready = select.select([0], [], [], 0.4)[0]
    if not ready:
        print('idle', flush=True)
        select.select([0], [], [])
    read = os.read(0, 4096)
    if not read:
        break
    print(read, flush=True)
";

/// Runs a command whose input comes in pieces: the first one when it has printed its first line, each other one after
/// a pause.
fn fed(command: &mut Command, pieces: &[&str]) -> Did {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 5];
    stdout.read_exact(&mut first).unwrap();
    for piece in pieces {
        stdin.write_all(piece.as_bytes()).unwrap();
        throughout(Duration::from_secs(1), || ());
    }
    drop(stdin);
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    let mut did = Did::of(child.wait_with_output().unwrap());
    did.stdout = [&first[..], &rest].concat();
    did
}

#[test]
fn a_program_between_pipes_reads_what_it_reads_without_a_recording_and_when_it_is_verified() {
    if lacks(&["python3"]) {
        return;
    }
    let pipeline = Pipeline::new();
    let pieces = ["par", "tial\n", "last"];
    let program = ["python3", "-c", TIMED];
    let plain = fed(Command::new(program[0]).args(&program[1..]), &pieces);
    let expected = "idle\nb'par'\nidle\nb'tial\\n'\nidle\nb'last'\nidle\n";
    assert_eq!(String::from_utf8_lossy(&plain.stdout), expected);
    let recorded = fed(&mut pipeline.with_verb(&["rec"], &program), &pieces);
    assert_eq!(recorded, plain);
    let (id, _) = pipeline.only_tape();
    for round in 0..rounds_or(1) {
        let verified = pipeline.tape(&["verify", &id]);
        assert_eq!(verified.code, Some(0), "round {round}: {verified:?}");
    }
}

#[test]
fn comparing_a_long_answer_holds_up_no_other_client() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "read -r x; i=0; while [ $i -lt 60000 ]; do echo \"$x $i Lorem ipsum dolor sit amet\"; i=$((i+1)); done; echo done; read -r x";
    let session = start(&daemon, &["sh", "-c", script], &named(&root, "it")).unwrap();
    ask(&daemon, &session, (Some("a"), "(?m)^done$")).unwrap();
    close(&daemon, &session);
    let begun = Instant::now();
    let (slowest, verdict) = std::thread::scope(|scope| {
        let verify = scope.spawn(|| verified(&daemon, &root));
        let mut connection = daemon.connect();
        let mut slowest = Duration::ZERO;
        while !verify.is_finished() {
            let ping = Instant::now();
            connection.ok("daemon.ping", &json!({}));
            slowest = slowest.max(ping.elapsed());
            throughout(Duration::from_millis(5), || ());
        }
        (slowest, verify.join().unwrap())
    });
    assert_eq!(verdict["same"], true, "{verdict}");
    let took = begun.elapsed();
    assert!(slowest < took / 4, "a ping took {slowest:?} of {took:?}");
}
