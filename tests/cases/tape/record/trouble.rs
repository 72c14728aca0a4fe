//! Problems with the directory of tapes during a recording: the session continues, and the loss is reported.

use crate::output::disk::{SmallDisk, fill};
use crate::support::client::Ran;
use crate::support::conversation::{ask, ended, output, record, start, tape, tapes};
use crate::support::executable::write_script;
use crate::support::files::files;
use crate::support::session::lacks;
use crate::support::taped::{Taped, assert_whole};
use crate::support::{Ccctl, Daemon, eventually, rounds};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn mount(options: &str, folder: &Path) -> bool {
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", options, "ccd-test"]);
    let mounted = command.arg(folder).output();
    mounted.is_ok_and(|output| output.status.success())
}

pub(super) fn problem(daemon: &Daemon, session: &str) -> String {
    let problem = &record(daemon, session)["tape"]["problem"];
    problem.as_str().unwrap_or_default().to_owned()
}

fn errors(daemon: &Daemon) -> String {
    let status = daemon.call_value("daemon.status", &json!({})).unwrap();
    status["last_errors"].to_string()
}

pub(super) fn types(daemon: &Daemon, session: &str, text: &str) {
    let params = json!({"session": session, "text": text});
    daemon.call_value("session.send", &params).unwrap();
}

pub(super) fn record_cat(daemon: &Daemon, root: &Path) -> String {
    start(daemon, &["cat"], &tape(root, json!({"record": "new"}))).unwrap()
}

#[test]
fn a_full_disk_is_told_and_the_next_start_finishes_the_tape() {
    if lacks(&["cat"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let Some(_disk) = SmallDisk::mount(&root, 1 << 20) else {
        return;
    };
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("before"), "before\nbefore\n")).unwrap();
    fill(&root.join("filler"));
    let mut typed = vec!["before\n".to_owned()];
    for number in 0..200 {
        let line = format!("{number} {}", "long ".repeat(20));
        let seen = format!("{number} [^\n]*\n{number} ");
        ask(&daemon, &session, (Some(&line), &seen)).unwrap();
        typed.push(format!("{line}\n"));
    }
    assert!(problem(&daemon, &session).contains("cannot be written"));
    assert!(errors(&daemon).contains("cannot be written"));
    // Once there is room for the journal again, nothing is missing.
    fs::remove_file(root.join("filler")).unwrap();
    ask(&daemon, &session, (Some("after"), "after\nafter\n")).unwrap();
    typed.push("after\n".into());
    assert_eq!(problem(&daemon, &session), "");
    // There is no room for the tape.
    fill(&root.join("filler"));
    types(&daemon, &session, "\u{4}");
    let record = ended(&daemon, &session);
    assert_eq!(record["exitstatus"], 0);
    assert!(problem(&daemon, &session).contains("cannot be written"));
    assert!(problem(&daemon, &session).contains("the recording is kept in "));
    assert!(errors(&daemon).contains("cannot be written"));
    assert!(tapes(&root).is_empty());
    let half: Vec<_> = files(&root)
        .into_iter()
        .filter(|path| path.to_string_lossy().ends_with(".tmp"))
        .collect();
    assert!(half.is_empty(), "{half:?}");
    fs::remove_file(root.join("filler")).unwrap();
    daemon.stop();
    daemon.restart();
    eventually("the tape is made", || {
        problem(&daemon, &session).is_empty().then_some(())
    });
    assert_whole(&daemon, &root);
    let taped = Taped::read(&tapes(&root)[0]);
    taped.has_inputs(&typed);
    assert!(taped.output == output(&daemon, &session));
    assert_eq!(problem(&daemon, &session), "");
}

#[test]
fn a_root_that_goes_while_it_is_recorded_into_costs_the_tape_alone() {
    if lacks(&["cat"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("one"), "one\none\n")).unwrap();
    fs::remove_dir_all(&root).unwrap();
    ask(&daemon, &session, (Some("two"), "two\ntwo\n")).unwrap();
    if !crate::support::worker::is_one_process(&daemon) {
        crate::support::worker::kill_worker(&daemon);
        assert!(problem(&daemon, &session).contains("recording has stopped"));
    }
    ask(&daemon, &session, (Some("three"), "three\nthree\n")).unwrap();
    types(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    assert!(problem(&daemon, &session).contains("cannot be read"));
    assert!(errors(&daemon).contains("the tape is incomplete"));
    assert!(files(&root).is_empty());
    daemon.stop();
    daemon.restart();
    assert!(problem(&daemon, &session).contains("cannot be read"));
}

#[test]
fn a_root_that_cannot_be_written_to_starts_nothing() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let Some(_disk) = SmallDisk::mount(&root, 1 << 20) else {
        return;
    };
    assert!(mount("remount,ro", &root));
    let error = start(&daemon, &["cat"], &tape(&root, json!({"record": "new"}))).unwrap_err();
    assert!(error.to_string().contains("Read-only"), "{error}");
    assert!(files(&daemon.home().join("sessions")).is_empty());
    assert_eq!(
        daemon.call_value("session.list", &json!({})).unwrap()["sessions"],
        json!([])
    );
    // Once the directory is writable again, recording works.
    assert!(mount("remount,rw", &root));
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("one"), "one\none\n")).unwrap();
    types(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["tape"]["problem"], Value::Null);
}

#[test]
fn two_daemons_record_into_one_root() {
    if lacks(&["cat"]) {
        return;
    }
    let daemons = [Daemon::start(), Daemon::start()];
    let root = daemons[0].home().join("t");
    for round in 0..rounds() {
        // Both daemons give their session the same id.
        let start = |daemon: &Daemon| {
            let params = json!({
                "program": "cat", "id": format!("same-{round}"),
                "tape": tape(&root, json!({"record": "new", "name": format!("{round}/{{program}}")})),
            });
            let record = daemon.call_value("session.create", &params).unwrap();
            record["session_id"].as_str().unwrap().to_owned()
        };
        let sessions = [start(&daemons[0]), start(&daemons[1])];
        for (number, (daemon, session)) in daemons.iter().zip(&sessions).enumerate() {
            types(daemon, session, &format!("daemon {number} round {round}\r"));
        }
        std::thread::scope(|scope| {
            for (daemon, session) in daemons.iter().zip(&sessions) {
                scope.spawn(move || {
                    types(daemon, session, "\u{4}");
                    ended(daemon, session);
                });
            }
        });
        let valid = json!({"root": root, "strict": true});
        let valid = daemons[0].call_value("tape.validate", &valid).unwrap();
        // Both have recorded the start of the program, and there is nothing else to object to.
        let problems = valid["problems"].as_array().unwrap();
        let is_start = |problem: &Value| problem.to_string().contains("exchange 0 is never played");
        assert!(problems.iter().all(is_start), "{valid}");
        let taped = tapes(&root.join(round.to_string()));
        let mut inputs: Vec<_> = taped
            .iter()
            .flat_map(|path| Taped::read(path).inputs)
            .filter(|input| input.starts_with("daemon"))
            .collect();
        inputs.sort();
        let typed = [0, 1].map(|number| format!("daemon {number} round {round}\n"));
        assert_eq!(inputs, typed, "{taped:?}");
    }
}

#[test]
fn of_two_daemons_that_overwrite_a_tape_one_has_its_way() {
    if lacks(&["bash", "cat"]) {
        return;
    }
    let daemons = [Daemon::start(), Daemon::start()];
    let root = daemons[0].home().join("t");
    let file = |daemon: &Daemon| daemon.home().join("answer");
    // The same input, and a different answer in each home.
    let run = |daemon: &Daemon, mode: &str| {
        let options = tape(&root, json!({"record": mode}));
        let session = start(daemon, &["bash", "--norc"], &options).unwrap();
        ask(daemon, &session, (None, "ready> $")).unwrap();
        let shown = (Some("cat answer"), "answer \\w+\\..*ready> $");
        ask(daemon, &session, shown).unwrap();
        types(daemon, &session, "exit\r");
        ended(daemon, &session)
    };
    fs::write(file(&daemons[0]), "answer old.").unwrap();
    run(&daemons[0], "new");
    let path = tapes(&root)[0].clone();
    for round in 0..rounds() {
        std::thread::scope(|scope| {
            for (number, daemon) in daemons.iter().enumerate() {
                let (run, file) = (&run, &file);
                scope.spawn(move || {
                    fs::write(file(daemon), format!("answer {round}of{number}.")).unwrap();
                    let ended = run(daemon, "overwrite");
                    assert_eq!(ended["tape"]["problem"], Value::Null, "{ended}");
                });
            }
        });
        let taped = String::from_utf8(Taped::read(&path).output).unwrap();
        let found = [0, 1].map(|number| taped.matches(&format!("{round}of{number}.")).count());
        assert!(found == [0, 1] || found == [1, 0], "{taped}");
        eventually("no lock is left", || {
            let left = files(&root);
            (left == [path.clone()]).then_some(())
        });
        assert_whole(&daemons[1], &root);
    }
}

/// Records an `echo` of one word, with a filter for its output.
fn record_filtered(daemon: &Daemon, root: &Path, filter: &Path) -> Ran {
    let decorator = json!({"on": "output", "filter": [filter]}).to_string();
    let words = ["rec", "--tapes", root.to_str().unwrap()];
    let more = ["--decorate", &decorator, "--", "echo", "told"];
    Ccctl::new(daemon).run(&[&words[..], &more].concat())
}

/// Returns what is left of recordings: journals, and directories of sessions.
fn left(daemon: &Daemon, root: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let of = |folder: PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    (
        of(root.join(".journal")),
        of(daemon.home().join("sessions")),
    )
}

#[test]
fn a_recording_whose_filter_fails_is_kept_until_it_works_or_is_thrown_away() {
    if lacks(&["echo", "sed"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let filter = daemon.home().join("filter");
    write_script(&filter, "#!/bin/sh\nexit 3\n");
    for (round, works) in [(0, true), (1, false)] {
        let ran = record_filtered(&daemon, &root, &filter);
        assert_eq!((ran.code, &ran.stdout[..]), (Some(1), "told\n"));
        let (journals, folders) = left(&daemon, &root);
        assert_eq!((journals.len(), folders.len()), (1, 1), "{}", ran.stderr);
        let is_kept = format!("the recording is kept in {}", journals[0].display());
        assert!(ran.stderr.contains(&is_kept), "{}", ran.stderr);
        assert!(ran.stderr.contains("ccctl daemon restart"));
        // A start at which it still fails changes nothing.
        daemon.stop();
        daemon.restart();
        assert_eq!(left(&daemon, &root), (journals.clone(), folders));
        if works {
            write_script(&filter, "#!/bin/sh\nsed s/told/changed/\n");
        } else {
            fs::remove_file(&journals[0]).unwrap();
        }
        daemon.stop();
        daemon.restart();
        eventually("nothing is left of the recording", || {
            (left(&daemon, &root) == (Vec::new(), Vec::new())).then_some(())
        });
        assert_eq!(tapes(&root).len(), 1, "{round}");
        write_script(&filter, "#!/bin/sh\nexit 3\n");
        let tape = fs::read_to_string(&tapes(&root)[0]).unwrap();
        assert!(
            tape.contains("changed") && !tape.contains("told\\n"),
            "{tape}"
        );
    }
}

#[test]
fn a_tape_that_waits_for_its_filter_is_no_error() {
    if lacks(&["cat", "sed"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let decorators = json!([{"on": "output", "filter": ["sed", "s/told/changed/"]}]);
    let options = json!({"record": "new", "decorators": decorators});
    let session = start(&daemon, &["cat"], &tape(&root, options)).unwrap();
    ask(&daemon, &session, (Some("told"), "told\ntold\n")).unwrap();
    daemon.kill();
    daemon.restart();
    eventually("the tape is written", || {
        let written = &record(&daemon, &session)["tape"]["written"];
        written.is_array().then_some(())
    });
    assert_eq!(tapes(&root).len(), 1);
    assert_eq!(problem(&daemon, &session), "");
    assert!(!errors(&daemon).contains("tape"), "{}", errors(&daemon));
}
