//! Tapes that are invalid or hostile, or that change at the worst moment.

use crate::support::conversation::{ask, start, tape};
use crate::support::session::assert_error;
use crate::support::{Daemon, eventually, eventually_within, kind, rounds};
use ccd_protocol::ErrorCode;
use rustix::process::geteuid;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Returns a tape of a program that prints a prompt, and answers `go`.
fn text(program: &str, created_at: &str, answer: &str) -> String {
    format!(
        r#"{{
  meta: {{ createdAt: "{created_at}", program: "{program}", args: [], env: {{}}, cwd: "/" }},
  session: {{ format: 1 }},
  exchanges: [
    {{ pre: {{ prompt: "" }}, input: {{ type: "raw", dataText: "" }}, output: {{ chunks: [{{ delay_ms: 0, dataText: "hello\r\n> " }}] }} }},
    {{ pre: {{ prompt: "> " }}, input: {{ type: "line", dataText: "go" }}, output: {{ chunks: [{{ delay_ms: 0, dataText: "{answer}\r\n> " }}] }} }},
  ],
}}
"#
    )
}

pub(crate) fn plain(program: &str) -> String {
    text(program, "2026-01-02T03:04:05.000Z", "gone")
}

/// Creates a directory with a valid tape.
pub(crate) fn root(daemon: &Daemon) -> PathBuf {
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("good.json5"), plain("good")).unwrap();
    root
}

pub(crate) fn play(daemon: &Daemon, root: &Path, program: &str) -> Result<String, Value> {
    let session = start(daemon, &[program], &tape(root, json!({})))?;
    ask(daemon, &session, (None, "> $"))?;
    let (found, _) = ask(daemon, &session, (Some("go"), "[a-z0-9]+\n> $"))?;
    let _ = daemon.call_value("session.close", &json!({ "session": session }));
    Ok(found.trim_end_matches("\n> ").to_owned())
}

fn list(daemon: &Daemon, root: &Path) -> Value {
    daemon
        .call_value("tape.list", &json!({ "root": root }))
        .unwrap()
}

#[test]
fn one_bad_tape_is_told_with_its_place_and_stops_nothing_else() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let good = plain("bad");
    let deep = "[".repeat(100_000);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replacen(from, to, 1).into_bytes()
    };
    let bad: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "empty"),
        ("blank", b"\n\n  \n".to_vec(), "empty"),
        (
            "cut",
            good.as_bytes()[..good.len() / 2].to_vec(),
            "truncated",
        ),
        (
            "deep",
            with("meta: {", &format!("meta: {{ weather: {deep}")),
            "are nested more than",
        ),
        ("deep-only", deep.clone().into_bytes(), ""),
        ("negative", with("delay_ms: 0", "delay_ms: -1"), "must be"),
        (
            "bytes",
            [good.as_bytes(), b"// \xff\xfe\n"].concat(),
            "not UTF-8",
        ),
        ("format", with("format: 1", "format: 2"), "format 2"),
        ("words", b"this is no tape".to_vec(), ""),
        ("binary", (0..=255).collect(), ""),
    ];
    for (name, bytes, _) in &bad {
        fs::write(root.join(format!("{name}.json5")), bytes).unwrap();
    }
    let huge = fs::File::create(root.join("huge.json5")).unwrap();
    huge.set_len(100 << 20).unwrap();
    fs::create_dir(root.join("folder.json5")).unwrap();
    std::os::unix::fs::symlink("loop.json5", root.join("loop.json5")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling.json5")).unwrap();
    std::os::unix::fs::symlink(".", root.join("again")).unwrap();
    std::os::unix::fs::symlink("..", root.join("above")).unwrap();
    let fifo = root.join("pipe.json5");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from(0o600)).unwrap();
    let mut others = vec!["huge", "folder", "loop", "dangling", "pipe"];
    if !geteuid().is_root() {
        let path = root.join("unreadable.json5");
        fs::write(&path, &good).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        others.push("unreadable");
    }
    // These are unusual but valid.
    fs::write(
        root.join("mark.json5"),
        format!("\u{feff}{}", plain("mark")),
    )
    .unwrap();
    let unknown = plain("unknown").replace("meta: {", "weather: NaN, meta: { mood: Infinity,");
    fs::write(root.join("unknown.json5"), unknown).unwrap();

    for program in ["good", "mark", "unknown"] {
        assert_eq!(play(&daemon, &root, program).unwrap(), "gone", "{program}");
    }
    let miss = start(&daemon, &["bad"], &tape(&root, json!({}))).unwrap_err();
    assert_error(&miss, ErrorCode::TapeMiss);
    let listed = list(&daemon, &root);
    assert_eq!(listed["total"], 3, "{listed}");
    let validated = daemon
        .call_value("tape.validate", &json!({ "root": root }))
        .unwrap();
    assert_eq!(validated["valid"], false);
    for problems in [&listed["problems"], &validated["problems"]] {
        let problems = problems.as_array().unwrap();
        let of = |name: &str| -> Vec<&Value> {
            let path = root.join(format!("{name}.json5"));
            let told = problems.iter();
            let found: Vec<&Value> = told
                .filter(|problem| problem["path"] == path.to_str().unwrap())
                .collect();
            assert!(!found.is_empty(), "{name} is not reported: {problems:?}");
            found
        };
        for (name, _, message) in &bad {
            let found = of(name);
            let is_told = |problem: &&Value| {
                let told = problem["message"].as_str().unwrap();
                told.contains(message) && problem["line"].as_u64().unwrap() > 0
            };
            assert!(found.iter().any(is_told), "{name}: {found:?}");
        }
        others.iter().for_each(|name| drop(of(name)));
    }
    let newer = json!({"root": root, "tape": "format"});
    let error = daemon.call_value("tape.get", &newer).unwrap_err();
    assert_error(&error, ErrorCode::TapeFormatNewer);
    // As a session meets it, too.
    for name in ["empty", "deep", "huge", "pipe", "loop", "folder"] {
        let params = json!({"root": root, "tape": name});
        let error = daemon.call_value("tape.get", &params).unwrap_err();
        assert!(
            ["tape_invalid", "tape_not_found", "storage"].contains(&kind(&error)),
            "{name}: {error}"
        );
    }
    for id in ["../good", "a\0b", "/etc/passwd", "", ".journal/x"] {
        for method in ["tape.get", "tape.validate", "tape.redact", "tape.svg"] {
            let params = json!({"root": root, "tape": id});
            let error = daemon.call_value(method, &params).unwrap_err();
            assert_eq!(kind(&error), "invalid_argument", "{method} {id:?}");
        }
    }
}

#[test]
fn a_tape_that_has_just_come_is_no_miss() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    assert_eq!(list(&daemon, &root)["total"], 1);
    for number in 0..300 {
        let program = format!("p{number}");
        fs::write(root.join(format!("{number}.json5")), plain(&program)).unwrap();
    }
    assert_eq!(play(&daemon, &root, "p299").unwrap(), "gone");
    let session = start(&daemon, &["good"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    for number in 0..300 {
        let other = plain("good").replace("\"go\"", &format!("\"go {number}\""));
        fs::write(root.join(format!("more-{number}.json5")), other).unwrap();
    }
    ask(&daemon, &session, (Some("go 299"), "gone\n> $")).unwrap();
}

#[test]
fn thousands_of_tapes_that_appear_at_once_are_found_while_another_plays() {
    const HALF: u64 = 1_500;
    let daemon = Daemon::start();
    let root = root(&daemon);
    let session = start(&daemon, &["good"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    let aside = daemon.home().join("aside");
    fs::create_dir(&aside).unwrap();
    for number in 0..HALF {
        let program = format!("p{number}");
        fs::write(aside.join(format!("{number}.json5")), plain(&program)).unwrap();
    }
    fs::rename(&aside, root.join("moved")).unwrap();
    fs::create_dir(root.join("written")).unwrap();
    for number in HALF..2 * HALF {
        let program = format!("p{number}");
        fs::write(
            root.join(format!("written/{number}.json5")),
            plain(&program),
        )
        .unwrap();
    }
    let mut longest = Duration::ZERO;
    let found = eventually_within(Duration::from_secs(60), || {
        let asked = Instant::now();
        daemon.call_value("daemon.ping", &json!({})).unwrap();
        longest = longest.max(asked.elapsed());
        let params = json!({"root": root, "limit": 1});
        let total = &daemon.call_value("tape.list", &params).unwrap()["total"];
        (*total == 2 * HALF + 1).then_some(())
    });
    assert!(found.is_some(), "{}", list(&daemon, &root)["total"]);
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    ask(&daemon, &session, (Some("go"), "gone\n> $")).unwrap();
    for number in [0, HALF - 1, HALF, 2 * HALF - 1] {
        assert_eq!(play(&daemon, &root, &format!("p{number}")).unwrap(), "gone");
    }
}

#[test]
fn a_tape_that_is_rewritten_while_it_plays_is_one_version_or_the_other() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let (path, beside) = (root.join("good.json5"), root.join("beside"));
    let versions: Vec<String> = ["one", "twotwotwo"]
        .iter()
        .map(|answer| text("good", "2026-01-02T03:04:05Z", &answer.repeat(3000)))
        .collect();
    let (path, versions) = (&path, &versions);
    // Written before anything is played, so that the tape has only these two versions.
    fs::write(path, &versions[0]).unwrap();
    let (over, is_over) = mpsc::sync_channel::<()>(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut number = 0;
            while let Err(RecvTimeoutError::Timeout) =
                is_over.recv_timeout(Duration::from_millis(10))
            {
                let version = &versions[number % 2];
                // Rewrites the file, or replaces it by renaming.
                if number % 3 == 0 {
                    fs::write(path, version).unwrap();
                } else {
                    fs::write(&beside, version).unwrap();
                    fs::rename(&beside, path).unwrap();
                }
                number += 1;
            }
        });
        let came: Vec<_> = (0..rounds().max(15))
            .map(|_| play(&daemon, &root, "good"))
            .collect();
        // The other thread must end before an assertion can fail, because the scope waits for it.
        drop(over);
        for came in &came {
            match came {
                Ok(answer) => assert!(
                    *answer == "one".repeat(3000) || *answer == "twotwotwo".repeat(3000),
                    "{answer}"
                ),
                Err(error) => assert!(
                    ["tape_miss", "tape_invalid"].contains(&kind(error)),
                    "{error}"
                ),
            }
        }
        assert!(came.iter().any(Result::is_ok), "{came:?}");
    });
    eventually("the tape plays when it no longer changes", || {
        play(&daemon, &root, "good").ok()
    });
}

#[test]
fn a_clock_that_goes_backwards_changes_no_order() {
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    fs::create_dir_all(&root).unwrap();
    for (name, created_at, answer) in [
        ("a", "2099-01-01T00:00:00Z", "future"),
        ("b", "2026-01-02T03:04:05Z", "first"),
        ("c", "2026-01-02T03:04:05Z", "second"),
    ] {
        fs::write(
            root.join(format!("{name}.json5")),
            text("same", created_at, answer),
        )
        .unwrap();
    }
    for _ in 0..3 {
        assert_eq!(play(&daemon, &root, "same").unwrap(), "first");
    }
    // Written again in reverse order, and read again.
    for name in ["c", "b", "a"] {
        let path = root.join(format!("{name}.json5"));
        let same = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, same).unwrap();
    }
    // Later changes are noticed.
    fs::write(root.join("last.json5"), plain("last")).unwrap();
    eventually("all are read again", || {
        (list(&daemon, &root)["total"] == 4).then_some(())
    });
    assert_eq!(play(&daemon, &root, "same").unwrap(), "first");
    daemon.stop();
    daemon.restart();
    assert_eq!(play(&daemon, &root, "same").unwrap(), "first");
    // Two tapes with the same key are reported; where keys must be unique, that is an error.
    for (is_strict, is_valid) in [(false, true), (true, false)] {
        let params = json!({"root": root, "strict": is_strict});
        let told = daemon.call_value("tape.validate", &params).unwrap();
        assert_eq!(told["valid"], is_valid, "{told}");
        let problems = told["problems"].as_array().unwrap().iter();
        let mut same = problems.filter(|problem| problem.to_string().contains("has the same key"));
        let is_warning = |problem: &Value| problem["is_warning"] == true;
        assert!(
            same.next()
                .is_some_and(|problem| is_warning(problem) == is_valid),
            "{told}"
        );
        assert!(
            same.all(|problem| is_warning(problem) == is_valid),
            "{told}"
        );
    }
    for wrong in ["yesterday", "", "9999999-01-01T00:00:00Z"] {
        fs::write(root.join("d.json5"), text("odd", wrong, "odd")).unwrap();
        eventually("the tape is found", || play(&daemon, &root, "odd").ok());
    }
}
