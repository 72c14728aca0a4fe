//! Tape options, filters and input that are invalid or hostile.

use crate::support::conversation::{ask, ended, line, output, record, start, tape, tapes};
use crate::support::{Daemon, assert_has, eventually, kind};
use crate::tape::bad_tapes::{plain, play, root};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[test]
fn hostile_options_are_refused_by_name_and_start_nothing() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let decorator = json!({"on": "output", "replace": "a", "with": "b"});
    let wrongs = [
        (json!({"error_rate": 100.5}), "tape.error_rate must"),
        (json!({"bogus": 1}), "tape.bogus: there is no such option"),
        (json!({"fallbak": "proxy"}), "(did you mean fallback?)"),
        (json!({"latency": [5, 1]}), "tape.latency must"),
        (json!({"latency": 60_001}), "tape.latency must"),
        (json!({"latency": [5]}), "such as [5, 50], or"),
        (json!({"root": "tapes"}), "tape.root must"),
        (json!({"root": "/a/../b"}), "tape.root must"),
        (json!({"root": "/a\u{0}b"}), "tape.root must"),
        (json!({"root": root.join("good.json5")}), "good.json5"),
        (json!({"name": "../x"}), "tape.name cannot"),
        (json!({"name": ".hidden"}), "name"),
        (json!({"name": "{nonsense}"}), "name"),
        (json!({"tag": "a\u{0}b"}), "tape.tag must"),
        (json!({"tag": ""}), "tape.tag must"),
        (json!({"tag": "x".repeat(5_000)}), "tag"),
        (json!({"decorators": vec![decorator; 10_000]}), "decorators"),
        (
            json!({"decorators": [{"on": "output"}]}),
            "tape.decorators[0]",
        ),
        (
            json!({"match": {"ignore_args": ["/(/"]}}),
            "tape.match.ignore_args[0]",
        ),
        (
            json!({"match": {"allow_env": ["*A"]}}),
            "tape.match.allow_env[0]",
        ),
        (json!({"fallback": 5}), ""),
    ];
    for (wrong, named) in wrongs {
        for record in ["new", "disabled"] {
            let mut options = tape(&root, json!({ "record": record }));
            let wrong = wrong.as_object().unwrap().clone();
            options.as_object_mut().unwrap().extend(wrong);
            let error = start(&daemon, &["good"], &options).unwrap_err();
            let kinds = ["invalid_argument", "invalid_params"];
            assert!(kinds.contains(&kind(&error)), "{named}: {error}");
            assert_has(&error, [named]);
        }
    }
    let sessions = daemon.ok("session.list", &json!({"all": true}));
    assert_eq!(sessions["sessions"], json!([]), "{sessions}");
    assert!(!root.join(".journal").exists());
}

#[test]
fn an_expression_that_others_never_finish_takes_no_time() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let long = format!("{}!", "a".repeat(100_000));
    let options = json!({"record": "new", "match": {"ignore_args": ["/^(a+)+$/", "/(x|x|x*)*y/"]}});
    let begun = Instant::now();
    let command = ["sh", "-c", "read x", &long];
    let session = start(&daemon, &command, &tape(&root, options)).unwrap();
    line(&daemon, &session, "");
    ended(&daemon, &session);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(tapes(&root).len(), 2);
}

#[test]
fn a_filter_that_fails_leaves_no_tape_and_says_why() {
    let mut daemon = Daemon::start();
    for (on, filter, why) in [
        ("output", json!(["sleep", "60"]), "longer than"),
        ("output", json!(["yes"]), "bytes"),
        ("output", json!(["false"]), "1"),
        ("input", json!(["no-such-filter"]), "127"),
        ("tape", json!(["echo", "no tape"]), "did not return a tape"),
        ("tape", json!(["sh", "-c", "kill -9 $$"]), "9"),
    ] {
        let root = daemon.home().join(format!("t{why}"));
        let decorators = json!([{"on": on, "filter": filter}]);
        let options = json!({"record": "new", "decorators": decorators});
        let command = ["sh", "-c", "echo hello; read x"];
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (Some("bye"), "bye")).unwrap();
        let begun = Instant::now();
        let ended = ended(&daemon, &session);
        assert_has(&ended["tape"]["problem"], ["decorators[0]", why]);
        assert_eq!(ended["tape"]["written"], Value::Null, "{ended}");
        assert!(begun.elapsed() < Duration::from_secs(15));
        assert_eq!(tapes(&root), Vec::<PathBuf>::new());
    }
    // They are also run again and again.
    eventually("nothing is left of a filter", || {
        let run = fs::read_dir(daemon.home().join("run")).unwrap();
        let mut names = run.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        (!names.any(|name| name.starts_with("filter-"))).then_some(())
    });
    // The next start tries again, and the daemon serves meanwhile.
    daemon.stop();
    daemon.restart();
    let root = root(&daemon);
    assert_eq!(play(&daemon, &root, "good").unwrap(), "gone");
}

#[test]
fn input_without_an_end_is_refused_and_the_tape_goes_on() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let keys = plain("keys").replace("\"prompt\":\"> \"", "\"prompt\":\"> \",\"keys\":true");
    fs::write(root.join("keys.json5"), keys).unwrap();
    // A terminal in line mode keeps 4095 bytes of a line.
    let session = start(&daemon, &["good"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    let params = json!({"session": session, "text": "x".repeat(5_000)});
    daemon.refuses("session.send", &params, "invalid_argument");
    ask(&daemon, &session, (Some("go"), "gone\n> $")).unwrap();

    let session = start(&daemon, &["keys"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    let begun = Instant::now();
    let params = json!({"session": session, "text": "x".repeat(8 << 20)});
    let refused = (0..3).find_map(|_| daemon.call_value("session.send", &params).err());
    let error = refused.unwrap();
    let kinds = ["tape_miss", "invalid_argument"];
    assert!(kinds.contains(&kind(&error)), "{error}");
    let len = error.to_string().len();
    assert!(len < 20_000, "{len}");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
    // In pieces: input that is longer than any input of a tape is refused, instead of being compared again with each
    // piece.
    let params = json!({"session": session, "text": "x".repeat(64 << 10)});
    let pieces = (0..128).position(|_| daemon.call_value("session.send", &params).is_err());
    assert!(pieces.is_some_and(|pieces| pieces <= 8), "{pieces:?}");
    ask(&daemon, &session, (Some("go"), "gone\n> $")).unwrap();
    let came = String::from_utf8(output(&daemon, &session)).unwrap();
    assert!(came.ends_with("> ") && came.contains("gone"));
    assert_eq!(record(&daemon, &session)["state"], "alive");
}
