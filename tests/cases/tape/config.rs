//! Each key of `replay` has the same effect as the option of the same name in a request.

use crate::support::conversation::{ask, ended, output, record, start, start_with, tapes};
use crate::support::session::{assert_error, lacks};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A daemon with this `replay` configuration, and empty request options.
pub(crate) fn configured(replay: Value) -> (Daemon, Value) {
    let config = json!({ "replay": replay }).to_string();
    (Daemon::builder().config(&config).start(), json!({}))
}

/// A daemon without a configuration, and request options with the same content.
fn requested(options: Value) -> (Daemon, Value) {
    (Daemon::start(), options)
}

/// Sets options of matching in both ways.
fn matching(options: Value) -> [(Daemon, Value); 2] {
    [
        configured(options.clone()),
        requested(json!({ "match": options })),
    ]
}

/// Returns the default directory of tapes.
pub(crate) fn root(daemon: &Daemon) -> PathBuf {
    daemon.home().join("tapes")
}

pub(crate) fn with(options: &Value, more: Value) -> Value {
    let mut options = options.clone();
    for (name, value) in more.as_object().unwrap() {
        options[name] = value.clone();
    }
    options
}

/// Returns an exchange that answers a line with two chunks, each after `delay_ms`.
pub(crate) fn exchange(prompt: &str, input: &str, answer: &str, delay_ms: u64) -> String {
    format!(
        r#"{{ pre: {{ prompt: {prompt:?} }}, input: {{ type: "line", dataText: {input:?} }}, output: {{ chunks: [
             {{ delay_ms: {delay_ms}, dataText: "{answer}\r\n" }}, {{ delay_ms: {delay_ms}, dataText: "> " }} ] }} }},"#
    )
}

/// Writes a tape of a program that does not exist.
pub(crate) fn by_hand(daemon: &Daemon, args: &str, exchanges: &[String]) {
    let text = format!(
        r#"{{
  meta: {{ program: "ghost", args: {args}, env: {{}}, cwd: "/" }},
  session: {{ format: 1 }},
  exchanges: [
    {{ pre: {{ prompt: "" }}, input: {{ type: "raw", dataText: "" }}, output: {{ chunks: [{{ delay_ms: 0, dataText: "hello\r\n> " }}] }} }},
    {}
  ],
}}"#,
        exchanges.concat()
    );
    fs::create_dir_all(root(daemon)).unwrap();
    fs::write(root(daemon).join("by-hand.json5"), text).unwrap();
    eventually("the tape is found", || {
        let listed = daemon.call_value("tape.list", &json!({})).unwrap();
        (listed["total"] == 1).then_some(())
    });
}

pub(crate) fn ghost(daemon: &Daemon, options: &Value) -> Result<String, Value> {
    start(daemon, &["ghost"], options)
}

pub(crate) fn say(
    daemon: &Daemon,
    session: &str,
    line: &str,
    pattern: &str,
) -> Result<String, Value> {
    ask(daemon, session, (None, "> $"))?;
    ask(daemon, session, (Some(line), pattern)).map(|found| found.0)
}

/// Records `echo` with what is in its arguments and environment.
fn record_echo(daemon: &Daemon, options: &Value, args: &[&str], env: &Value) -> Value {
    let command = [&["echo"], args].concat();
    let options = with(options, json!({"record": "new"}));
    let session = start_with(daemon, &command, &options, env).unwrap();
    ended(daemon, &session)
}

fn plays(daemon: &Daemon, options: &Value, args: &[&str], env: &Value) -> bool {
    let command = [&["echo"], args].concat();
    match start_with(daemon, &command, options, env) {
        Ok(session) => {
            ended(daemon, &session);
            assert_eq!(record(daemon, &session)["is_replay"], true);
            true
        }
        Err(error) => {
            assert_error(&error, ErrorCode::TapeMiss);
            false
        }
    }
}

#[test]
fn tapes_path_is_where_tapes_are() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("my tapes");
    for (replay, root) in [
        (json!({"tapes_path": elsewhere}), Some(&elsewhere)),
        (json!({"tapes_path": ""}), None),
    ] {
        let (daemon, options) = configured(replay);
        let root = root.cloned().unwrap_or_else(|| self::root(&daemon));
        record_echo(&daemon, &options, &["hi"], &json!({}));
        assert_eq!(tapes(&root).len(), 1);
        assert!(plays(&daemon, &options, &["hi"], &json!({})));
        let listed = daemon.call_value("tape.list", &json!({})).unwrap();
        assert_eq!(listed["root"], root.to_str().unwrap());
    }
}

/// The option of the request has the same effect in the tests of recordings and replays.
#[test]
fn record_decides_what_is_written() {
    let (daemon, options) = configured(json!({"record": "new"}));
    let session = start(&daemon, &["echo", "hi"], &options).unwrap();
    assert_eq!(ended(&daemon, &session)["tape"]["recorded"], 1);
    assert_eq!(tapes(&root(&daemon)).len(), 1);
    let (daemon, options) = configured(json!({"record": "overwrite"}));
    let file = daemon.home().join("answer");
    let command = ["cat", file.to_str().unwrap()];
    for (record, text) in [(Some("new"), "old"), (None, "newer")] {
        fs::write(&file, text).unwrap();
        let options = match record {
            Some(record) => with(&options, json!({"record": record})),
            None => options.clone(),
        };
        let session = start(&daemon, &command, &options).unwrap();
        ended(&daemon, &session);
        let tapes = tapes(&root(&daemon));
        assert_eq!(tapes.len(), 1);
        assert!(fs::read_to_string(&tapes[0]).unwrap().contains(text));
    }
    let (daemon, options) = configured(json!({}));
    for options in [options, json!({"record": "disabled"})] {
        let miss = start(&daemon, &["echo", "hi"], &options).unwrap_err();
        assert_error(&miss, ErrorCode::TapeMiss);
        assert!(tapes(&root(&daemon)).is_empty());
    }
}

#[test]
fn fallback_decides_what_answers_where_no_tape_does() {
    let (daemon, options) = configured(json!({"fallback": "proxy"}));
    let session = start(&daemon, &["echo", "live"], &options).unwrap();
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    assert_eq!(output(&daemon, &session), b"live\r\n");
    assert!(tapes(&root(&daemon)).is_empty());
}

#[test]
fn latency_paces_what_plays_and_send_returns_at_once() {
    let slow = |daemon: &Daemon| by_hand(daemon, "[]", &[exchange("> ", "go", "gone", 200)]);
    let timed = |daemon: &Daemon, options: &Value| {
        let session = ghost(daemon, options).unwrap();
        ask(daemon, &session, (None, "> $")).unwrap();
        let begun = Instant::now();
        let send = json!({"session": session, "text": "go", "newline": true});
        daemon.call_value("session.send", &send).unwrap();
        let sent = begun.elapsed().as_millis();
        ask(daemon, &session, (None, "gone\n> $")).unwrap();
        (sent, begun.elapsed().as_millis())
    };
    let (plain, _) = configured(json!({}));
    slow(&plain);
    for (configured_as, requested, range) in [
        ("tape", json!({}), 400..10_000),
        ("recorded", json!({"latency": "recorded"}), 400..10_000),
        ("0", json!({"latency": 0}), 0..200),
        ("100", json!({"latency": 100}), 200..400),
        ("60-70", json!({"latency": [60, 70]}), 120..400),
    ] {
        let (daemon, options) = configured(json!({ "latency": configured_as }));
        slow(&daemon);
        for (sent, took) in [timed(&daemon, &options), timed(&plain, &requested)] {
            assert!(range.contains(&took), "{requested} {took}");
            assert!(range.start < 400 || sent < 200, "{sent} {took}");
        }
    }
}

#[test]
fn error_rate_injects_errors() {
    let (daemon, options) = configured(json!({"error_rate": 100}));
    by_hand(&daemon, "[]", &[]);
    let session = ghost(&daemon, &options).unwrap();
    assert_eq!(record(&daemon, &session)["tape"]["injected"], 1);
    // The request overrides the configuration.
    let session = ghost(&daemon, &with(&options, json!({"error_rate": 0}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    assert_eq!(record(&daemon, &session)["tape"]["injected"], 0);
}

/// Plays one of two tapes; returns the list of sessions, and what `ccctl play` prints on standard error.
fn told(daemon: &Daemon, words: &[&str]) -> (Value, String) {
    for text in ["one", "two"] {
        let options = json!({"record": "new"});
        let params = json!({"program": "echo", "args": [text], "pipes": true, "tape": options});
        let session = daemon.call_value("session.create", &params).unwrap();
        ended(daemon, session["session_id"].as_str().unwrap());
    }
    // Only the arguments have to match.
    let ignored = ["play", "--ignore-env", "LANG,LC_*,TERM,TZ"];
    let args = [&ignored, words, &["--", "echo", "one"]].concat();
    let ran = Ccctl::new(daemon).run(&args);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "one\n"),
        "{}",
        ran.stderr
    );
    let sessions = daemon
        .call_value("session.list", &json!({"all": true}))
        .unwrap();
    (sessions, ran.stderr)
}

#[test]
fn a_summary_is_told_once_unless_that_is_not_wanted() {
    if lacks(&["echo"]) {
        return;
    }
    let (daemon, _) = configured(json!({}));
    let (_, stderr) = told(&daemon, &[]);
    assert_eq!(stderr.matches("replayed 1 exchange").count(), 1, "{stderr}");
    assert_eq!(
        stderr.matches("1 tape was not played").count(),
        1,
        "{stderr}"
    );
    let (daemon, _) = configured(json!({}));
    let (_, stderr) = told(&daemon, &["--no-summary"]);
    assert_eq!(stderr, "");
    for replay in [json!({"summary": false}), json!({"silent": true})] {
        let (daemon, _) = configured(replay);
        let (_, stderr) = told(&daemon, &[]);
        assert_eq!(stderr, "");
    }
    // Without tapes there is no summary.
    let ran = Ccctl::new(&daemon).run(&["run", "--", "echo", "one"]);
    assert_eq!(ran.stderr, "");
    // In the record too.
    for (replay, is_told) in [
        (json!({}), true),
        (json!({"summary": false}), false),
        (json!({"silent": true}), false),
    ] {
        let (daemon, options) = configured(replay);
        let ended = record_echo(&daemon, &options, &["x"], &json!({}));
        assert_eq!(ended["tape"]["unused"].is_array(), is_told, "{ended}");
    }
}

#[test]
fn which_tapes_were_played_is_known_after_a_restart() {
    let (mut daemon, options) = configured(json!({}));
    for text in ["one", "two"] {
        record_echo(&daemon, &options, &[text], &json!({}));
    }
    assert!(plays(&daemon, &options, &["one"], &json!({})));
    daemon.stop();
    daemon.restart();
    let unused = daemon
        .call_value("tape.list", &json!({"used": false}))
        .unwrap();
    assert_eq!(unused["total"], 1, "{unused}");
    assert_eq!(unused["tapes"][0]["args"], json!(["two"]));
}

#[test]
fn debug_tells_each_decision_and_nothing_that_was_typed() {
    let converse = |daemon: &Daemon| {
        by_hand(daemon, "[]", &[exchange("> ", "zanzibar", "madagaskar", 0)]);
        let session = ghost(daemon, &json!({})).unwrap();
        say(daemon, &session, "timbuktu 12:34:56", "x").unwrap_err();
        ask(daemon, &session, (Some("zanzibar"), "madagaskar\n> $")).unwrap();
        let text = daemon.log_text();
        for said in ["zanzibar", "timbuktu", "madagaskar"] {
            assert!(!text.contains(said), "{text}");
        }
        text
    };
    let (daemon, _) = configured(json!({"debug": true}));
    let text = converse(&daemon);
    let steps = "input=\"line ends, <time> 1\"";
    for decision in [
        "a tape answers",
        "no tape has it",
        "by-hand",
        "prompt=\"trailing blanks\"",
        steps,
    ] {
        assert!(text.contains(decision), "{decision}: {text}");
    }
    let decorators = json!([{"on": "output", "replace": "zanzibar", "with": "nowhere"}]);
    let options = json!({"record": "new", "name": "new", "decorators": decorators});
    let session = start(&daemon, &["echo", "zanzibar"], &options).unwrap();
    ended(&daemon, &session);
    let text = daemon.log_text();
    let told = text
        .lines()
        .find(|line| line.contains("a decorator has changed"));
    let told = told.unwrap_or_else(|| panic!("{text}"));
    for part in [
        "decorator=0",
        "on=Output",
        "exchange=0",
        "before_bytes=10",
        "after_bytes=9",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(
        !text.contains("zanzibar") && !text.contains("nowhere"),
        "{text}"
    );
    let (daemon, _) = configured(json!({}));
    assert!(!converse(&daemon).contains("a tape answers"));
    // The log can also be switched on while the daemon runs.
    daemon
        .call_value("daemon.log", &json!({"debug": true}))
        .unwrap();
    assert!(converse(&daemon).contains("a tape answers"));
}

#[test]
fn allow_env_and_ignore_env_say_which_variables_are_recorded_and_compared() {
    let env = |place: &str| json!({"PLACE": place, "OTHER": place});
    for (daemon, options) in matching(json!({"allow_env": ["PLA*"]})) {
        record_echo(&daemon, &options, &["x"], &env("here"));
        let text = fs::read_to_string(&tapes(&root(&daemon))[0]).unwrap();
        assert!(
            text.contains("PLACE: \"here\"") && !text.contains("OTHER"),
            "{text}"
        );
        assert!(plays(&daemon, &options, &["x"], &env("here")));
        assert!(!plays(&daemon, &options, &["x"], &env("there")));
    }
    for (daemon, options) in matching(json!({"allow_env": ["PLACE"], "ignore_env": ["PLACE"]})) {
        record_echo(&daemon, &options, &["x"], &env("here"));
        let text = fs::read_to_string(&tapes(&root(&daemon))[0]).unwrap();
        assert!(text.contains("PLACE: \"here\""), "{text}");
        assert!(plays(&daemon, &options, &["x"], &env("there")));
    }
    let (daemon, options) = configured(json!({}));
    record_echo(&daemon, &options, &["x"], &env("here"));
    let text = fs::read_to_string(&tapes(&root(&daemon))[0]).unwrap();
    assert!(!text.contains("here"), "{text}");
    assert!(plays(&daemon, &options, &["x"], &env("there")));
}

#[test]
fn ignore_args_says_which_arguments_are_not_compared() {
    let env = json!({});
    for ignored in [json!([1]), json!(["-q", "-v"]), json!(["/^-[qv]$/"])] {
        for (daemon, options) in matching(json!({ "ignore_args": ignored })) {
            record_echo(&daemon, &options, &["a", "-q"], &env);
            assert!(plays(&daemon, &options, &["a", "-v"], &env), "{ignored}");
            assert!(!plays(&daemon, &options, &["b", "-v"], &env), "{ignored}");
        }
    }
}

#[test]
fn ignore_stdin_lets_any_input_match() {
    for (daemon, options) in matching(json!({"ignore_stdin": true})) {
        by_hand(&daemon, "[]", &[exchange("> ", "go", "gone", 0)]);
        let session = ghost(&daemon, &options).unwrap();
        assert_eq!(say(&daemon, &session, "stay", "gone").unwrap(), "gone");
    }
    for (daemon, options) in matching(json!({"ignore_stdin": false})) {
        by_hand(&daemon, "[]", &[exchange("> ", "go", "gone", 0)]);
        let session = ghost(&daemon, &options).unwrap();
        let miss = say(&daemon, &session, "stay", "gone").unwrap_err();
        assert_error(&miss, ErrorCode::TapeMiss);
    }
}

#[test]
fn match_cwd_binds_a_tape_to_its_folder() {
    for (is_matched, daemons) in [
        (true, matching(json!({"match_cwd": true}))),
        (false, matching(json!({}))),
    ] {
        for (daemon, options) in daemons {
            let begin = |cwd: &Path, more: Value| {
                let params = json!({"program": "echo", "args": ["x"], "cwd": cwd, "tape": with(&options, more)});
                daemon.call_value("session.create", &params)
            };
            let recorded = begin(daemon.home(), json!({"record": "new"})).unwrap();
            ended(&daemon, recorded["session_id"].as_str().unwrap());
            assert!(begin(daemon.home(), json!({})).is_ok());
            let elsewhere = begin(Path::new("/usr"), json!({}));
            assert_eq!(elsewhere.is_err(), is_matched, "{elsewhere:?}");
        }
    }
}

#[test]
fn strict_lets_no_exchange_stand_in_for_another() {
    let both = [
        exchange("> ", "one", "first", 0),
        exchange("> ", "two", "second", 0),
    ];
    for (is_strict, daemons) in [
        (
            true,
            [
                configured(json!({"strict": true})),
                requested(json!({"strict": true})),
            ],
        ),
        (
            false,
            [configured(json!({})), requested(json!({"strict": false}))],
        ),
    ] {
        for (daemon, options) in daemons {
            by_hand(&daemon, "[]", &both);
            let session = ghost(&daemon, &options).unwrap();
            let found = say(&daemon, &session, "two", "second");
            assert_eq!(found.is_err(), is_strict, "{found:?}");
            if let Err(error) = found {
                assert_error(&error, ErrorCode::TapeMiss);
                ask(&daemon, &session, (Some("one"), "first\n> $")).unwrap();
            }
        }
    }
}

#[test]
fn redact_and_redact_rules_say_what_is_a_secret() {
    let recorded = |replay: Value| {
        let (daemon, options) = configured(replay);
        let args = ["password=hunter2-4711", "order", "AB-1234", "end"];
        record_echo(&daemon, &options, &args, &json!({}));
        let text = fs::read_to_string(&tapes(&root(&daemon))[0]).unwrap();
        // The same words match whether or not the tape has them redacted.
        assert!(plays(
            &daemon,
            &with(&options, json!({"strict": true})),
            &args,
            &json!({})
        ));
        text
    };
    let text = recorded(json!({}));
    assert!(
        !text.contains("hunter2-4711") && text.contains("AB-1234"),
        "{text}"
    );
    let text = recorded(json!({"redact": false}));
    assert!(
        text.contains("hunter2-4711") && text.contains("redact: false"),
        "{text}"
    );
    let text = recorded(json!({"redact_rules": ["AB-([0-9]+)"]}));
    assert!(
        !text.contains("hunter2-4711") && !text.contains("1234"),
        "{text}"
    );
    assert!(text.contains("AB-***"), "{text}");
}
