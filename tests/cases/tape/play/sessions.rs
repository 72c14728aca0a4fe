//! All operations of a session, with a tape in place of its program.

use crate::program::documents::save;
use crate::support::conversation::{
    ask, ended, new_tape, output, record, root, start, tape, tapes,
};
use crate::support::session::assert_error;
use crate::support::{Connection, Daemon, assert_fields};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

/// Records a conversation with `cat` if there is no tape yet, and returns a session that replays it.
fn cat_on_tape(daemon: &Daemon, more: Value) -> String {
    let root = root(daemon);
    if tapes(&root).is_empty() {
        let session = start(daemon, &["cat"], &new_tape(&root)).unwrap();
        ask(daemon, &session, (Some("one"), "one\r?\none\r?\n")).unwrap();
        ask(daemon, &session, (Some("two"), "two\r?\ntwo\r?\n")).unwrap();
        daemon.ok("session.send", &json!({"session": session, "eof": true}));
        ended(daemon, &session);
    }
    let mut params =
        json!({"program": "cat", "tape": tape(&root, json!({})), "cwd": daemon.home()});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let record = daemon.ok("session.create", &params);
    record["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn waits_signals_sizes_and_the_end_work_as_with_a_program() {
    let daemon = Daemon::start();
    let session = cat_on_tape(&daemon, json!({}));
    for condition in ["input", "idle"] {
        let params =
            json!({"session": session, "for": condition, "timeout_ms": 5000, "idle_ms": 50});
        assert_eq!(daemon.ok("session.wait", &params)["reason"], condition);
    }
    let params = json!({"session": session, "rows": 30, "cols": 100});
    daemon.ok("session.resize", &params);
    let sized = record(&daemon, &session);
    assert_fields(&sized, json!({"rows": 30, "cols": 100}));
    // A signal ends a replay as it would end the program.
    let params = json!({"session": session, "signal": "TERM"});
    daemon.ok("session.signal", &params);
    let by_signal = ended(&daemon, &session);
    assert_eq!(by_signal["signal"], 15, "{by_signal}");
    let closing = cat_on_tape(&daemon, json!({}));
    let params = json!({"session": closing, "grace_ms": 3000});
    let closed = daemon.ok("session.close", &params);
    assert_eq!(closed["killed"], json!([]), "{closed}");
    let idle = cat_on_tape(&daemon, json!({"session_timeout_s": 0.3}));
    assert_eq!(ended(&daemon, &idle)["end_reason"], "idle");
    let short = cat_on_tape(&daemon, json!({"max_session_runtime_s": 0.3}));
    assert_eq!(ended(&daemon, &short)["end_reason"], "runtime");
}

#[test]
fn subscribers_viewers_and_the_pipe_get_what_a_tape_prints() {
    let daemon = Daemon::start();
    let session = cat_on_tape(&daemon, json!({"stream": true}));
    let pipe = record(&daemon, &session)["pipe"].clone();
    let path = pipe["pipe_path"]
        .as_str()
        .unwrap_or_else(|| panic!("{pipe}"))
        .to_owned();
    let reader = std::thread::spawn(move || {
        let mut file = std::fs::File::open(path).unwrap();
        let mut all = String::new();
        std::io::Read::read_to_string(&mut file, &mut all).unwrap();
        all
    });
    let mut viewer = Connection::open(&daemon.socket());
    let params = json!({"session": session, "rows": 24, "cols": 80});
    viewer.ok("session.attach", &params);
    let params = json!({"session": session, "data_b64": STANDARD.encode("one\r")});
    viewer.ok("session.send", &params);
    ask(&daemon, &session, (None, "one\r?\none\r?\n")).unwrap();
    let mut subscriber = Connection::open(&daemon.socket());
    let params = json!({"session": session, "since": 0});
    subscriber.ok("session.subscribe", &params);
    ask(&daemon, &session, (Some("two"), "two\r?\ntwo\r?\n")).unwrap();
    daemon.ok("session.send", &json!({"session": session, "eof": true}));
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    let mut came = Vec::new();
    while let Some(item) = subscriber.next_item() {
        match item["data_b64"].as_str() {
            Some(data) => came.extend(STANDARD.decode(data).unwrap()),
            None => break,
        }
    }
    assert_eq!(came, output(&daemon, &session));
    let piped = reader.join().unwrap();
    assert!(piped.contains("two"), "{piped}");
}

#[test]
fn a_session_with_other_tapes_is_not_reused() {
    let daemon = Daemon::start();
    let first = cat_on_tape(&daemon, json!({"reuse": true}));
    assert_eq!(cat_on_tape(&daemon, json!({"reuse": true})), first);
    let root = root(&daemon);
    let strict = tape(&root, json!({"strict": true}));
    assert_ne!(
        cat_on_tape(&daemon, json!({"reuse": true, "tape": strict})),
        first
    );
    let live = cat_on_tape(&daemon, json!({"reuse": true, "tape": null}));
    assert_ne!(live, first);
    assert!(record(&daemon, &live)["is_replay"] != true);
}

#[test]
fn a_program_configuration_brings_its_tapes() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let script = daemon.home().join("script");
    let text = "read -rp 'Name: ' n; read -rsp 'Password: ' p; echo; read -rp \"$n ${#p}> \" c; echo \"did $c\"";
    std::fs::write(&script, text).unwrap();
    let config = |tape: Value| {
        json!({
            "command_template": format!("bash {}", script.display()),
            "expect_sequences": [
                {"pattern": "Name:", "response": "me"},
                {"pattern": "Password:", "response": {"secret": {"name": "PW"}}}
            ],
            "ready_indicators": ["me \\d+> "],
            "tape": tape
        })
    };
    let wrong = save(&daemon, "p", config(json!({"recrod": "new"}))).unwrap_err();
    assert_error(&wrong, ErrorCode::InvalidArgument);
    assert!(wrong.to_string().contains("tape.recrod"), "{wrong}");
    save(&daemon, "p", config(json!({"root": root, "record": "new"}))).unwrap();
    let mut came = Vec::new();
    for tape in [Value::Null, json!({"record": "disabled"})] {
        let params = json!({"config": "p", "secrets": {"PW": "Hunter2-x9"}, "tape": tape});
        let session = daemon.ok("session.create", &params);
        let session = session["session_id"].as_str().unwrap().to_owned();
        let uses = record(&daemon, &session);
        assert_eq!(uses["is_replay"] == true, !tape.is_null(), "{uses}");
        assert_eq!(uses["tape"]["root"], json!(root));
        ask(&daemon, &session, (Some("go"), "did go")).unwrap();
        ended(&daemon, &session);
        came.push(output(&daemon, &session));
    }
    assert_eq!(came[0], came[1]);
    assert!(
        !std::fs::read_to_string(&tapes(&root)[0])
            .unwrap()
            .contains("Hunter2")
    );
}

/// The program has ended because the caller asked for errors; the caller's test must be able to recognise this.
#[test]
fn calls_behind_an_injected_error_say_so() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    cat_on_tape(&daemon, json!({}));
    let (mut exits, mut cuts) = (0, 0);
    for seed in 0..24 {
        let options = tape(&root, json!({"error_rate": 60, "seed": seed, "latency": 0}));
        let session = cat_on_tape(&daemon, json!({"tape": options}));
        let expect = json!({"patterns": [{"regex": "one\r?\none\r?\n"}], "timeout_ms": 1000});
        let params = json!({"session": session, "text": "one", "newline": true, "expect": expect});
        let Err(error) = daemon.call_value("session.send", &params) else {
            continue;
        };
        let uses = &record(&daemon, &session)["tape"];
        assert_ne!(uses["injected"], 0, "{error} {uses}");
        match error["data"]["kind"].as_str().unwrap() {
            "injected_error" => {
                exits += 1;
                assert!(error.to_string().contains("error_rate"), "{error}");
                let ended = ended(&daemon, &session);
                assert!(ended["exitstatus"].as_i64() > Some(0), "{ended}");
                let again = daemon.error("session.send", &params);
                assert_error(&again, ErrorCode::InjectedError);
            }
            "expect_timeout" => {
                cuts += 1;
                assert_eq!(error["data"]["injected"], true, "{error}");
            }
            _ => panic!("{error}"),
        }
    }
    assert!(exits > 0 && cuts > 0, "{exits} {cuts}");
    // A miss is not an injected error.
    let session = cat_on_tape(&daemon, json!({}));
    let miss = ask(&daemon, &session, (Some("other"), "x")).unwrap_err();
    assert_error(&miss, ErrorCode::TapeMiss);
}
