//! A recording of which no tape could be made is tried again while the daemon runs.

use super::trouble::{problem, record_cat, types};
use crate::output::disk::{SmallDisk, fill};
use crate::support::conversation::{ask, ended, output, record, start, tape, tapes};
use crate::support::executable::write_script;
use crate::support::files::files;
use crate::support::session::lacks;
use crate::support::taped::{Taped, assert_whole};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_tape_for_which_the_disk_was_full_is_written_once_there_is_room() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let Some(_disk) = SmallDisk::mount(&root, 1 << 20) else {
        return;
    };
    let session = record_cat(&daemon, &root);
    ask(&daemon, &session, (Some("before"), "before\nbefore\n")).unwrap();
    fill(&root.join("filler"));
    types(&daemon, &session, "\u{4}");
    ended(&daemon, &session);
    let told = problem(&daemon, &session);
    assert!(
        told.contains("the recording is kept in ") && told.contains("tries again"),
        "{told}"
    );
    fs::remove_file(root.join("filler")).unwrap();
    eventually("the tape is written", || {
        (!tapes(&root).is_empty()).then_some(())
    });
    eventually("the record says so", || {
        problem(&daemon, &session).is_empty().then_some(())
    });
    assert_whole(&daemon, &root);
    let taped = Taped::read(&tapes(&root)[0]);
    taped.has_inputs(&["before\n".to_owned()]);
    assert!(taped.output == output(&daemon, &session));
    let record = record(&daemon, &session);
    assert_eq!(
        record["tape"]["new"].as_array().map(Vec::len),
        Some(1),
        "{record}"
    );
    assert_eq!(record["tape"]["new"], record["tape"]["written"]);
}

#[test]
fn a_filter_that_failed_is_run_again_and_hidden_input_is_masked_then_too() {
    if lacks(&["sh", "stty", "cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let filter = daemon.home().join("filter");
    write_script(&filter, "#!/bin/sh\nexit 3\n");
    let decorators = json!([{"on": "output", "filter": [filter]}]);
    let options = tape(&root, json!({"record": "new", "decorators": decorators}));
    // The program shows the hidden input, which only the recording process knows to be one.
    let script = "stty -echo; printf 'Code: '; read x; stty echo; echo \"you typed $x\"";
    let session = start(&daemon, &["sh", "-c", script], &options).unwrap();
    ask(&daemon, &session, (None, "Code: ")).unwrap();
    ask(&daemon, &session, (Some("zanzibar"), "you typed")).unwrap();
    ended(&daemon, &session);
    assert!(problem(&daemon, &session).contains("failed"));
    write_script(&filter, "#!/bin/sh\nexec cat\n");
    eventually("the tape is written", || {
        (!tapes(&root).is_empty()).then_some(())
    });
    let text = fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(
        text.contains("you typed ***") && !text.contains("zanzibar"),
        "{text}"
    );
    eventually("the record says so", || {
        problem(&daemon, &session).is_empty().then_some(())
    });
}

#[test]
fn a_recording_whose_session_is_forgotten_is_tried_again_too() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let filter = daemon.home().join("filter");
    write_script(&filter, "#!/bin/sh\nexit 3\n");
    let decorator = json!({"on": "output", "filter": [filter]}).to_string();
    let words = [
        "rec",
        "--tapes",
        root.to_str().unwrap(),
        "--decorate",
        &decorator,
        "--",
        "echo",
        "hi",
    ];
    let ran = Ccctl::new(&daemon).run(&words);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the recording is kept in "),
        "{}",
        ran.stderr
    );
    write_script(&filter, "#!/bin/sh\nexec cat\n");
    eventually("the tape is written", || {
        (!tapes(&root).is_empty()).then_some(())
    });
    eventually("nothing else is left", || {
        let left = [root.join(".journal"), daemon.home().join("sessions")];
        left.iter()
            .all(|folder| files(folder).is_empty())
            .then_some(())
    });
    let sessions = daemon.call_value("session.list", &json!({})).unwrap();
    assert_eq!(sessions["sessions"], Value::Array(Vec::new()));
}
