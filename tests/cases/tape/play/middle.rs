//! Tapes that start in the middle of a conversation, and the tapes that lead up to them.

use crate::support::conversation::{ask, converse, ended, start, tape, tapes};
use crate::support::worker::{is_one_process, worker};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};

const PROGRAM: [&str; 3] = [
    "sh",
    "-c",
    "printf '> '; while read -r x; do [ $x = bye ] && exit; printf 'so %s\n> ' $x; done",
];

#[test]
fn a_tape_that_begins_in_the_middle_is_told_with_what_leads_there() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let new = tape(&root, json!({"record": "new", "name": "first"}));
    converse(
        &daemon,
        &PROGRAM,
        &new,
        &[(None, "> $"), (Some("a"), "so a\n> $")],
        "bye",
    );
    let new = tape(&root, json!({"record": "new", "name": "second"}));
    let more = [
        (None, "> $"),
        (Some("a"), "so a\n> $"),
        (Some("b"), "so b\n> $"),
    ];
    converse(&daemon, &PROGRAM, &new, &more, "bye");
    assert_eq!(tapes(&root).len(), 2);
    let listed = eventually("both tapes are listed", || {
        let listed = daemon
            .call_value("tape.list", &json!({ "root": root }))
            .unwrap();
        (listed["total"] == 2).then_some(listed)
    });
    assert_eq!(
        listed["tapes"][0]["begins_in_middle"],
        Value::Null,
        "{listed}"
    );
    let second = &listed["tapes"][1];
    assert_eq!(second["begins_in_middle"], true, "{listed}");
    let behind = json!({"tape_id": "first", "exchange": 1});
    assert_eq!(second["begins_behind"], behind);
    let get = json!({"root": root, "tape": "second"});
    assert_eq!(
        daemon.call_value("tape.get", &get).unwrap()["begins_behind"],
        behind
    );
    let words = |verb: &[&str]| {
        let words = [&["tape"], verb, &["--tapes", root.to_str().unwrap()]].concat();
        Ccctl::new(&daemon).run(&words).stdout
    };
    assert!(
        words(&["list"]).contains("  middle  sh -c"),
        "{}",
        words(&["list"])
    );
    let shown = words(&["show", "second"]);
    assert!(
        shown.contains("mid-conversation, after exchange 1 of first"),
        "{shown}"
    );
    let validate = || {
        daemon
            .call_value("tape.validate", &json!({ "root": root }))
            .unwrap()
    };
    assert_eq!(validate()["problems"], json!([]));
    // Without the tape that leads up to it.
    std::fs::remove_file(root.join("first.json5")).unwrap();
    let told = eventually("a warning says that no tape leads up to it", || {
        let told = validate();
        (told["valid"] == true && told["problems"] != json!([])).then_some(told)
    });
    let problem = told["problems"][0].clone();
    let message = problem["message"].as_str().unwrap();
    assert!(message.contains("no tape leads up to it"), "{message}");
    assert!(problem["path"].as_str().unwrap().ends_with("second.json5"));
    assert_eq!(
        (&problem["is_warning"], &problem["line"]),
        (&json!(true), &json!(22))
    );
    let shown = words(&["show", "second"]);
    assert!(
        shown.contains("mid-conversation, no tape leads up to it"),
        "{shown}"
    );
    let options = tape(&root, json!({"strict": true}));
    assert!(start(&daemon, &PROGRAM, &options).is_err());
}

#[test]
fn a_proxy_counts_what_the_program_answers_from_its_start_too() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    for record in ["disabled", "new"] {
        let options = tape(&root, json!({"record": record, "fallback": "proxy"}));
        let session = start(&daemon, &PROGRAM, &options).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        ask(&daemon, &session, (Some("a"), "so a\n> $")).unwrap();
        // Key by key, and two lines at once.
        for text in ["b", "\r", "c\rd\r"] {
            let params = json!({"session": session, "text": text});
            daemon.call_value("session.send", &params).unwrap();
        }
        ask(&daemon, &session, (Some("e"), "so e\n> $")).unwrap();
        if !is_one_process(&daemon) {
            let before = worker(&daemon);
            let _ = daemon.try_call_value("daemon.restart", &json!({}));
            eventually("another worker answers", || {
                (worker(&daemon) != before).then_some(())
            });
        }
        let params = json!({"session": session, "text": "bye", "newline": true});
        daemon.call_value("session.send", &params).unwrap();
        let used = &ended(&daemon, &session)["tape"];
        assert_eq!(
            (&used["proxied"], &used["hits"]),
            (&json!(6), &json!(0)),
            "{used}"
        );
    }
    // If no tape is to be played, no input counts as proxied.
    let options = tape(&root, json!({"record": "overwrite"}));
    let session = start(&daemon, &PROGRAM, &options).unwrap();
    ask(&daemon, &session, (Some("a"), "so a\n> $")).unwrap();
    let params = json!({"session": session, "text": "bye", "newline": true});
    daemon.call_value("session.send", &params).unwrap();
    assert_eq!(ended(&daemon, &session)["tape"]["proxied"], 0);
}
