//! Tapes that are invalid or hostile, or that change at the worst moment.

use crate::support::conversation::{self, ask, start, tape};
use crate::support::session::assert_error;
use crate::support::taped::handmade;
use crate::support::{Daemon, eventually, eventually_within, kind, rounds};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

pub(crate) fn plain(program: &str) -> String {
    handmade(program, &[("go", "gone", 0)])
}

/// Creates a directory with a valid tape.
pub(crate) fn root(daemon: &Daemon) -> PathBuf {
    let root = conversation::root(daemon);
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("good.json5"), plain("good")).unwrap();
    root
}

pub(crate) fn play(daemon: &Daemon, root: &Path, program: &str) -> Result<String, Value> {
    let session = start(daemon, &[program], &tape(root, json!({})))?;
    ask(daemon, &session, (None, "> $"))?;
    let (found, _) = ask(daemon, &session, (Some("go"), "[a-z0-9]+\n> $"))?;
    conversation::close(daemon, &session);
    Ok(found.trim_end_matches("\n> ").to_owned())
}

fn list(daemon: &Daemon, root: &Path) -> Value {
    daemon.ok("tape.list", &json!({ "root": root }))
}

/// What is wrong with a file is tested with the parser.
#[test]
fn one_bad_tape_is_told_with_its_place_and_stops_nothing_else() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let good = plain("bad");
    let deep = good.replacen(
        "{\"meta\":{",
        &format!("{{\"meta\":{{\"weather\":{}", "[".repeat(100_000)),
        1,
    );
    assert_ne!(deep, good);
    let bad: [(&str, Vec<u8>, &str); 5] = [
        ("empty", Vec::new(), "empty"),
        (
            "cut",
            good.as_bytes()[..good.len() / 2].to_vec(),
            "truncated",
        ),
        ("deep", deep.into_bytes(), "are nested more than"),
        (
            "bytes",
            [good.as_bytes(), b"// \xff\xfe\n"].concat(),
            "not UTF-8",
        ),
        (
            "format",
            good.replace("\"format\":1", "\"format\":2").into_bytes(),
            "format 2",
        ),
    ];
    for (name, bytes, _) in &bad {
        fs::write(root.join(format!("{name}.json5")), bytes).unwrap();
    }
    let huge = fs::File::create(root.join("huge.json5")).unwrap();
    huge.set_len(100 << 20).unwrap();
    fs::create_dir(root.join("folder.json5")).unwrap();
    for (target, name) in [
        ("loop.json5", "loop.json5"),
        ("nowhere", "dangling.json5"),
        (".", "again"),
        ("..", "above"),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    let fifo = root.join("pipe.json5");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from(0o600)).unwrap();
    let others = ["huge", "folder", "loop", "dangling", "pipe"];
    // These are unusual but valid.
    fs::write(
        root.join("mark.json5"),
        format!("\u{feff}{}", plain("mark")),
    )
    .unwrap();
    let unknown = plain("unknown").replace("\"meta\":{", "weather: NaN, meta: { mood: Infinity,");
    fs::write(root.join("unknown.json5"), unknown).unwrap();

    for program in ["good", "mark", "unknown"] {
        assert_eq!(play(&daemon, &root, program).unwrap(), "gone", "{program}");
    }
    let miss = start(&daemon, &["bad"], &tape(&root, json!({}))).unwrap_err();
    assert_error(&miss, ErrorCode::TapeMiss);
    let listed = list(&daemon, &root);
    assert_eq!(listed["total"], 3, "{listed}");
    let validated = daemon.ok("tape.validate", &json!({ "root": root }));
    assert_eq!(validated["valid"], false);
    for reply in [&listed, &validated] {
        let problems = reply["problems"].as_array().unwrap();
        let told = |name: &str, message: &str| {
            let path = root.join(format!("{name}.json5"));
            let is_told = |problem: &&Value| {
                let told = problem["message"].as_str().unwrap();
                problem["path"] == path.to_str().unwrap() && told.contains(message)
            };
            let found = problems.iter().find(is_told);
            found.unwrap_or_else(|| panic!("{name} is not reported: {problems:?}"))
        };
        for (name, _, message) in &bad {
            assert!(told(name, message)["line"].as_u64() > Some(0), "{name}");
        }
        for name in others {
            told(name, "");
        }
    }
    let newer = json!({"root": root, "tape": "format"});
    let error = daemon.error("tape.get", &newer);
    assert_error(&error, ErrorCode::TapeFormatNewer);
    for id in ["../good", "a\0b", "/etc/passwd", "", ".journal/x"] {
        for method in ["tape.get", "tape.validate", "tape.redact", "tape.svg"] {
            let params = json!({"root": root, "tape": id});
            daemon.refuses(method, &params, "invalid_argument");
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
        let other = handmade("good", &[(&format!("go {number}"), "gone", 0)]);
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
        daemon.ok("daemon.ping", &json!({}));
        longest = longest.max(asked.elapsed());
        let params = json!({"root": root, "limit": 1});
        let total = &daemon.ok("tape.list", &params)["total"];
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
        .map(|answer| handmade("good", &[("go", &answer.repeat(3000), 0)]))
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
