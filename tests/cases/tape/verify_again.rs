//! `tape.verify` reports a drift if and only if the program has changed.

use crate::support::client::{CCCTL, person};
use crate::support::conversation::{Step, ask, converse, start, tape};
use crate::support::pipeline::{Did, Pipeline};
use crate::support::session::lacks;
use crate::support::{Daemon, eventually_within, rounds_or, throughout};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs the program against its tape `it`.
fn verified(daemon: &Daemon, root: &Path) -> Value {
    let mut connection = daemon.connect();
    let path = std::env::var("PATH").unwrap();
    let env = json!({"HOME": daemon.home(), "PATH": path, "PS1": "ready> "});
    let params = json!({"root": root, "tape": "it", "caller_env": env});
    let started = connection.call_value("tape.verify", &params).unwrap();
    let wait = json!({"job": started["job"], "wait_ms": 60_000});
    connection.call_value("job.get", &wait).unwrap()["result"].clone()
}

fn named(root: &Path) -> Value {
    tape(root, json!({"record": "new", "name": "it"}))
}

#[track_caller]
fn stays_the_same(daemon: &Daemon, root: &Path, what: &str) {
    for round in 0..rounds_or(1) {
        let verdict = verified(daemon, root);
        assert_eq!(verdict["same"], true, "{what}, round {round}: {verdict}");
    }
}

/// A program, what it prints first, the lines of a script with what it waits for, and the last line.
type Script<'a> = (&'a [&'a str], &'a str, &'a [(&'a str, &'a str)], &'a str);

/// The scripts wait for the echo or the first line of an answer, and never for a prompt.
const SCRIPTS: &[Script<'_>] = &[
    (
        &["sh", "-i"],
        r"ready> ",
        &[
            ("echo one", "echo one"),
            ("sleep 0.1; echo late", "late"),
            ("printf 'a\\nb\\n'", "a\n"),
        ],
        "exit 3",
    ),
    (
        &["bash", "--norc", "--noprofile", "-i"],
        r"ready> ",
        &[
            ("echo one", "echo one"),
            ("sleep 0.1; echo late", "late"),
            ("seq 3", "1\n"),
        ],
        "exit 3",
    ),
    (
        &["zsh", "-f", "-i"],
        r"ready> ",
        &[("echo one", "one\n"), ("seq 3", "1\n"), ("echo x", "x\n")],
        "exit 3",
    ),
    (
        &["mksh", "-i"],
        r"[#$>] ",
        &[("echo one", "echo one"), ("seq 3", "1\n")],
        "exit 3",
    ),
    (
        &["fish", "--private", "-N"],
        r"[#>] ",
        &[("echo one", "one\n"), ("seq 3", "1\n"), ("echo x", "x\n")],
        "exit 3",
    ),
    (
        &["python3", "-q"],
        r">>> ",
        &[("1+1", "2\n"), ("print('a\\nb')", "a\n"), ("2+2", "4\n")],
        "exit(3)",
    ),
    (
        &[
            "python3",
            "-c",
            "import time\nn=input('name? ')\nfor i in range(3): time.sleep(.05); print('step', i, n)\ninput('done? ')",
        ],
        r"name\? ",
        &[("ann", "step 0")],
        "yes",
    ),
    (
        // Without the previews of results, which a slow machine shows and a quick one does not.
        &["node", "-e", "require('repl').start({preview: false})"],
        r"> ",
        &[
            ("1+1", "2\n"),
            ("console.log('a\\nb')", "a\n"),
            ("3", "3\n"),
        ],
        ".exit",
    ),
    (
        &["sqlite3"],
        r"sqlite> ",
        &[
            ("create table t(a, b);", ";"),
            ("insert into t values(1, 2), (3, 4);", ";"),
            ("select * from t;", r"1\|2"),
        ],
        ".exit 3",
    ),
    (
        &["bc", "-q"],
        "",
        &[("1+1", "2\n"), ("2^10", "1024"), ("3", "3")],
        "quit",
    ),
    (
        &["cat"],
        "",
        &[("one", "one"), ("two", "two"), ("three", "three")],
        "\u{4}",
    ),
    (
        &["awk", "{ print NR, $0; fflush() }"],
        "",
        &[("one", "one"), ("two", "2 two"), ("three", "three")],
        "\u{4}",
    ),
    (
        &["perl", "-de0"],
        r"DB<1> ",
        &[("p 1+1", "2"), ("p \"a\\nb\\n\"", "a"), ("p 3", "3")],
        "q",
    ),
    (
        &["gdb", "-q", "-nx"],
        r"\(gdb\) ",
        &[("p 1+1", "= 2"), ("echo hi\\n", "hi")],
        "quit",
    ),
    (
        &[
            "sh",
            "-c",
            "printf 'name: '; read -r n; echo \"hello $n\"; printf 'age: '; read -r a; sleep .1; echo \"$a, pid $$\"; exit 4",
        ],
        "name: ",
        &[("bob", "hello")],
        "42",
    ),
];

#[test]
fn no_program_drifts_from_what_a_hasty_script_has_recorded() {
    let daemon = Daemon::start();
    for (at, (program, first, lines, last)) in SCRIPTS.iter().enumerate() {
        if lacks(&program[..1]) {
            continue;
        }
        let root = daemon.home().join(format!("t{at}"));
        let first: Option<Step<'_>> = (!first.is_empty()).then_some((None, *first));
        let lines = lines.iter().map(|(line, answer)| (Some(*line), *answer));
        let steps: Vec<Step<'_>> = first.into_iter().chain(lines).collect();
        converse(&daemon, program, &named(&root), &steps, last);
        stays_the_same(&daemon, &root, program[0]);
    }
}

#[test]
fn no_program_drifts_from_a_session_that_was_closed() {
    let daemon = Daemon::start();
    for (at, (program, first, lines, _)) in SCRIPTS.iter().enumerate() {
        if lacks(&program[..1]) {
            continue;
        }
        let root = daemon.home().join(format!("t{at}"));
        let session = start(&daemon, program, &named(&root)).unwrap();
        if !first.is_empty() {
            ask(&daemon, &session, (None, first)).unwrap();
        }
        for (line, answer) in *lines {
            ask(&daemon, &session, (Some(line), answer)).unwrap();
        }
        let close = json!({ "session": session });
        daemon.call_value("session.close", &close).unwrap();
        stays_the_same(&daemon, &root, program[0]);
    }
}

#[test]
fn an_answer_that_has_changed_is_found_wherever_the_script_cut_it() {
    let daemon = Daemon::start();
    let script = daemon.home().join("it.sh");
    let write = |answer: &str| {
        let text = format!(
            "printf '> '; while read -r x; do echo \"{answer} $x\"; echo more; printf '> '; done"
        );
        std::fs::write(&script, text).unwrap();
    };
    // The echo; the first line of the answer; all of it.
    for (at, answer) in ["l1", "so l1", "more\n> "].iter().enumerate() {
        write("so");
        let root = daemon.home().join(format!("t{at}"));
        let second = answer.replace("l1", "l2");
        let steps = [(None, "> "), (Some("l1"), *answer), (Some("l2"), &second)];
        let program = ["sh", script.to_str().unwrap()];
        converse(&daemon, &program, &named(&root), &steps, "\u{4}");
        stays_the_same(&daemon, &root, answer);
        for changed in ["no", "so so", ""] {
            write(changed);
            let verdict = verified(&daemon, &root);
            assert_eq!(verdict["same"], false, "{answer} {changed}: {verdict}");
            assert_eq!(verdict["drifts"][0]["index"], 1, "{verdict}");
            assert_eq!(verdict["drifts"][0]["what"], "output", "{verdict}");
        }
    }
}

#[test]
fn what_a_program_says_because_it_is_closed_is_no_answer() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "trap 'echo hung up; exit' HUP TERM; printf '> '; read -r x; printf 'so %s\n> ' \"$x\"; read -r x";
    let session = start(&daemon, &["sh", "-c", script], &named(&root)).unwrap();
    ask(&daemon, &session, (None, "> ")).unwrap();
    ask(&daemon, &session, (Some("a"), "so a\n> ")).unwrap();
    let close = json!({ "session": session });
    daemon.call_value("session.close", &close).unwrap();
    let text = std::fs::read_to_string(root.join("it.json5")).unwrap();
    assert!(
        text.contains("so a") && !text.contains(r"hung up\r"),
        "{text}"
    );
    stays_the_same(&daemon, &root, "sh");
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

/// Records two conversations with a program that has a line editor: the second tape continues from the program's start.
fn records_the_middle(daemon: &Daemon, root: &Path, script: &Script<'_>) {
    let (program, first, lines, last) = *script;
    for (name, line) in [("start", lines[0]), ("it", lines[1])] {
        let options = tape(root, json!({"record": "new", "name": name}));
        let steps = [(None, first), (Some(line.0), line.1)];
        converse(daemon, program, &options, &steps, last);
    }
}

#[test]
fn no_program_drifts_from_a_tape_that_continues_from_its_start() {
    let daemon = Daemon::start();
    for (at, script) in SCRIPTS.iter().enumerate() {
        if script.1.is_empty() || lacks(&script.0[..1]) || script.2.len() < 2 {
            continue;
        }
        let root = daemon.home().join(format!("t{at}"));
        records_the_middle(&daemon, &root, script);
        stays_the_same(&daemon, &root, script.0[0]);
    }
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
    let program = ["sh", file.to_str().unwrap()];
    let lines = [("one", "so one\n> "), ("two", "so two\n> ")];
    records_the_middle(&daemon, &root, &(&program, "> ", &lines, "\u{4}"));
    let text = std::fs::read_to_string(root.join("it.json5")).unwrap();
    assert!(!text.contains(r#"prompt: """#), "{text}");
    stays_the_same(&daemon, &root, "sh");
    for (prompt, answer) in [("$ ", "so"), ("> ", "no"), ("", "so")] {
        write(prompt, answer);
        let verdict = verified(&daemon, &root);
        assert_eq!(verdict["same"], false, "{prompt} {answer}: {verdict}");
        assert_eq!(verdict["drifts"][0]["index"], 0, "{verdict}");
    }
}
