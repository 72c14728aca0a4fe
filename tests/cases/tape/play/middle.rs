//! Tapes that start in the middle of a conversation, and the tapes that lead up to them.

use crate::support::conversation::{ask, converse, ended, line, root, send, start, tape, tapes};
use crate::support::pipeline::Pipeline;
use crate::support::worker::{is_one_process, replace_worker};
use crate::support::{Daemon, assert_fields, assert_has, eventually};
use serde_json::{Value, json};

const PROGRAM: [&str; 3] = [
    "sh",
    "-c",
    "printf '> '; while read -r x; do [ $x = bye ] && exit; printf 'so %s\n> ' $x; done",
];

#[test]
fn a_tape_that_begins_in_the_middle_is_told_with_what_leads_there() {
    let pipeline = Pipeline::new();
    let (daemon, root) = (&pipeline.daemon, pipeline.tapes());
    let steps = [
        (None, "> $"),
        (Some("a"), "so a\n> $"),
        (Some("b"), "so b\n> $"),
    ];
    for (name, steps) in [("first", &steps[..2]), ("second", &steps)] {
        let new = tape(&root, json!({"record": "new", "name": name}));
        converse(daemon, &PROGRAM, &new, steps, "bye");
    }
    assert_eq!(tapes(&root).len(), 2);
    let listed = eventually("both tapes are listed", || {
        let listed = daemon.ok("tape.list", &json!({ "root": root }));
        (listed["total"] == 2).then_some(listed)
    });
    let behind = json!({"tape_id": "first", "exchange": 1});
    for (at, is_in_middle, behind) in [(0, Value::Null, &Value::Null), (1, json!(true), &behind)] {
        let tape = &listed["tapes"][at];
        assert_eq!(tape["begins_in_middle"], is_in_middle, "{listed}");
        assert_eq!(&tape["begins_behind"], behind, "{listed}");
    }
    let get = json!({"root": root, "tape": "second"});
    assert_eq!(daemon.ok("tape.get", &get)["begins_behind"], behind);
    let shown = |words: &[&str]| pipeline.tape(words).stdout;
    assert_has(&shown(&["list"]), ["  middle  sh -c"]);
    let told = "mid-conversation, after exchange 1 of first";
    assert_has(&shown(&["show", "second"]), [told]);
    let validate = || daemon.ok("tape.validate", &json!({ "root": root }));
    assert_eq!(validate()["problems"], json!([]));
    // Without the tape that leads up to it.
    std::fs::remove_file(root.join("first.json5")).unwrap();
    let told = eventually("a warning says that no tape leads up to it", || {
        let told = validate();
        (told["valid"] == true && told["problems"] != json!([])).then_some(told)
    });
    let problem = &told["problems"][0];
    assert_has(&problem["message"], ["no tape leads up to it"]);
    assert_has(&problem["path"], ["second.json5"]);
    assert_fields(problem, json!({"is_warning": true, "line": 22}));
    let told = "mid-conversation, no tape leads up to it";
    assert_has(&shown(&["show", "second"]), [told]);
    daemon.refuses("tape.verify", &get, "invalid_argument");
    let options = tape(&root, json!({"strict": true}));
    assert!(start(daemon, &PROGRAM, &options).is_err());
}

#[test]
fn a_proxy_counts_what_the_program_answers_from_its_start_too() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    for record in ["disabled", "new"] {
        let options = tape(&root, json!({"record": record, "fallback": "proxy"}));
        let session = start(&daemon, &PROGRAM, &options).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        ask(&daemon, &session, (Some("a"), "so a\n> $")).unwrap();
        // Key by key, and two lines at once.
        for text in ["b", "\r", "c\rd\r"] {
            send(&daemon, &session, text);
        }
        ask(&daemon, &session, (Some("e"), "so e\n> $")).unwrap();
        if !is_one_process(&daemon) {
            replace_worker(&daemon);
        }
        line(&daemon, &session, "bye");
        let used = &ended(&daemon, &session)["tape"];
        assert_fields(used, json!({"proxied": 6, "hits": 0}));
    }
    // If no tape is to be played, no input counts as proxied.
    let options = tape(&root, json!({"record": "overwrite"}));
    let session = start(&daemon, &PROGRAM, &options).unwrap();
    ask(&daemon, &session, (Some("a"), "so a\n> $")).unwrap();
    line(&daemon, &session, "bye");
    assert_eq!(ended(&daemon, &session)["tape"]["proxied"], 0);
}
