//! Problems with the directory of tapes during a recording: the session continues, the loss is reported, and what can be
//! saved is tried again.

use crate::output::disk::{SmallDisk, fill};
use crate::support::client::Ran;
use crate::support::conversation::{
    ask, ended, new_tape, only_tape, output, record, root, send, start, tape, tapes,
};
use crate::support::executable::write_script;
use crate::support::files::files;
use crate::support::taped::{Taped, assert_whole};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Ccctl, Daemon, assert_has, assert_lacks, eventually, rounds};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn remount(how: &str, folder: &Path) {
    let options = format!("remount,{how}");
    let mut command = Command::new("mount");
    let mounted = command
        .args(["-t", "tmpfs", "-o", &options, "ccd-test"])
        .arg(folder);
    assert!(mounted.status().unwrap().success());
}

fn problem(daemon: &Daemon, session: &str) -> String {
    let problem = &record(daemon, session)["tape"]["problem"];
    problem.as_str().unwrap_or_default().to_owned()
}

fn errors(daemon: &Daemon) -> Value {
    daemon.ok("daemon.status", &json!({}))["last_errors"].clone()
}

fn record_cat(daemon: &Daemon, root: &Path) -> String {
    start(daemon, &["cat"], &new_tape(root)).unwrap()
}

/// Waits until a tape is written, and the record of its session says so.
fn is_written(daemon: &Daemon, session: &str) {
    eventually("the tape is written", || {
        let tape = record(daemon, session)["tape"].take();
        let is_written = tape["problem"].is_null() && tape["written"].is_array();
        is_written.then(|| assert_eq!(tape["new"], tape["written"], "{tape}"))
    });
}

#[test]
fn a_full_disk_is_told_and_the_tape_is_written_once_there_is_room() {
    let daemon = Daemon::start();
    let root = root(&daemon);
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
    assert_has(&problem(&daemon, &session), ["cannot be written"]);
    assert_has(&errors(&daemon), ["cannot be written"]);
    // Once there is room for the journal again, nothing is missing.
    fs::remove_file(root.join("filler")).unwrap();
    ask(&daemon, &session, (Some("after"), "after\nafter\n")).unwrap();
    typed.push("after\n".into());
    assert_eq!(problem(&daemon, &session), "");
    // There is no room for the tape.
    fill(&root.join("filler"));
    send(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    let told = problem(&daemon, &session);
    assert_has(&told, ["cannot be written", "tries again"]);
    assert_has(&told, ["the recording is kept in "]);
    assert_has(&errors(&daemon), ["cannot be written"]);
    assert!(tapes(&root).is_empty());
    let left = files(&root);
    let mut half = left.iter().map(|path| path.to_string_lossy());
    assert!(!half.any(|path| path.ends_with(".tmp")), "{left:?}");
    fs::remove_file(root.join("filler")).unwrap();
    is_written(&daemon, &session);
    assert_whole(&daemon, &root);
    let taped = Taped::read(&tapes(&root)[0]);
    taped.has_inputs(&typed);
    assert!(taped.output == output(&daemon, &session));
}

#[test]
fn a_root_that_goes_while_it_is_recorded_into_costs_the_tape_alone() {
    let mut daemon = Daemon::start();
    let root = root(&daemon);
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("one"), "one\none\n")).unwrap();
    fs::remove_dir_all(&root).unwrap();
    ask(&daemon, &session, (Some("two"), "two\ntwo\n")).unwrap();
    if !is_one_process(&daemon) {
        kill_worker(&daemon);
        assert_has(&problem(&daemon, &session), ["recording has stopped"]);
    }
    ask(&daemon, &session, (Some("three"), "three\nthree\n")).unwrap();
    send(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    assert_has(&problem(&daemon, &session), ["cannot be read"]);
    assert_has(&errors(&daemon), ["the tape is incomplete"]);
    assert!(files(&root).is_empty());
    daemon.stop();
    daemon.restart();
    assert_has(&problem(&daemon, &session), ["cannot be read"]);
}

#[test]
fn a_root_that_cannot_be_written_to_starts_nothing() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let Some(_disk) = SmallDisk::mount(&root, 1 << 20) else {
        return;
    };
    remount("ro", &root);
    let error = start(&daemon, &["cat"], &new_tape(&root)).unwrap_err();
    assert_has(&error, ["Read-only"]);
    assert!(files(&daemon.home().join("sessions")).is_empty());
    assert_eq!(daemon.ok("session.list", &json!({}))["sessions"], json!([]));
    // Once the directory is writable again, recording works.
    remount("rw", &root);
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("one"), "one\none\n")).unwrap();
    send(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["tape"]["problem"], Value::Null);
}

#[test]
fn two_daemons_record_into_one_root() {
    let daemons = [Daemon::start(), Daemon::start()];
    let root = root(&daemons[0]);
    for round in 0..rounds() {
        // Both daemons give their session the same id.
        let start = |daemon: &Daemon| {
            let params = json!({
                "program": "cat", "id": format!("same-{round}"),
                "tape": tape(&root, json!({"record": "new", "name": format!("{round}/{{program}}")})),
            });
            let record = daemon.ok("session.create", &params);
            record["session_id"].as_str().unwrap().to_owned()
        };
        let sessions = [start(&daemons[0]), start(&daemons[1])];
        for (number, (daemon, session)) in daemons.iter().zip(&sessions).enumerate() {
            send(daemon, session, &format!("daemon {number} round {round}\r"));
        }
        std::thread::scope(|scope| {
            for (daemon, session) in daemons.iter().zip(&sessions) {
                scope.spawn(move || {
                    send(daemon, session, "\u{4}");
                    ended(daemon, session);
                });
            }
        });
        let valid = json!({"root": root, "strict": true});
        let valid = daemons[0].ok("tape.validate", &valid);
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

/// Writes a filter that fails.
fn failing_filter(daemon: &Daemon) -> PathBuf {
    let filter = daemon.home().join("filter");
    write_script(&filter, "#!/bin/sh\nexit 3\n");
    filter
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
    let mut daemon = Daemon::start();
    let (root, filter) = (root(&daemon), failing_filter(&daemon));
    for works in [true, false] {
        let ran = record_filtered(&daemon, &root, &filter);
        assert_eq!((ran.code, &ran.stdout[..]), (Some(1), "told\n"));
        let (journals, folders) = left(&daemon, &root);
        assert_eq!((journals.len(), folders.len()), (1, 1), "{}", ran.stderr);
        let is_kept = format!("the recording is kept in {}", journals[0].display());
        assert_has(&ran.stderr, [&is_kept, "ccctl daemon restart"]);
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
        failing_filter(&daemon);
        let tape = only_tape(&root);
        assert_has(&tape, ["changed"]);
        assert_lacks(&tape, ["told\\n"]);
    }
}

#[test]
fn a_filter_that_failed_is_run_again_and_hidden_input_is_masked_then_too() {
    let daemon = Daemon::start();
    let (root, filter) = (root(&daemon), failing_filter(&daemon));
    let decorators = json!([{"on": "output", "filter": [filter]}]);
    let options = tape(&root, json!({"record": "new", "decorators": decorators}));
    // The program shows the hidden input, which only the recording process knows to be one.
    let script = "stty -echo; printf 'Code: '; read x; stty echo; echo \"you typed $x\"";
    let session = start(&daemon, &["sh", "-c", script], &options).unwrap();
    ask(&daemon, &session, (None, "Code: ")).unwrap();
    ask(&daemon, &session, (Some("zanzibar"), "you typed")).unwrap();
    ended(&daemon, &session);
    assert_has(&problem(&daemon, &session), ["failed"]);
    // One whose session is forgotten is tried again too.
    let ran = record_filtered(&daemon, &root, &filter);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    write_script(&filter, "#!/bin/sh\nexec cat\n");
    is_written(&daemon, &session);
    let taped = || -> Vec<String> {
        let tapes = tapes(&root);
        tapes
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    };
    let texts = eventually("both are written", || {
        Some(taped()).filter(|texts| texts.len() == 2)
    });
    assert_has(&texts.concat(), ["you typed ***", "told"]);
    assert_lacks(&texts.concat(), ["zanzibar"]);
    eventually("nothing else is left", || {
        let (journals, folders) = left(&daemon, &root);
        (journals.is_empty() && folders.len() <= 1).then_some(())
    });
}

#[test]
fn a_tape_that_waits_for_its_filter_is_no_error() {
    let mut daemon = Daemon::start();
    let root = root(&daemon);
    let decorators = json!([{"on": "output", "filter": ["sed", "s/told/changed/"]}]);
    let options = json!({"record": "new", "decorators": decorators});
    let session = start(&daemon, &["cat"], &tape(&root, options)).unwrap();
    ask(&daemon, &session, (Some("told"), "told\ntold\n")).unwrap();
    daemon.kill();
    daemon.restart();
    is_written(&daemon, &session);
    assert_eq!(tapes(&root).len(), 1);
    assert_lacks(&errors(&daemon), ["tape"]);
}
