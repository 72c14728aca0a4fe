//! The keys of `replay`, which hold where a request has no option of the same name.

use crate::support::conversation::{
    ask, ended, line, only_tape, output, record, send, start, start_with, tapes,
};
use crate::support::session::{assert_error, lacks};
use crate::support::taped::handmade;
use crate::support::{Ccctl, Daemon, assert_has, assert_lacks, eventually};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A daemon with this `replay` configuration.
pub(crate) fn configured(replay: Value) -> Daemon {
    let config = json!({ "replay": replay }).to_string();
    Daemon::builder().config(&config).start()
}

/// Returns the default directory of tapes.
pub(crate) fn root(daemon: &Daemon) -> PathBuf {
    daemon.home().join("tapes")
}

fn with(options: &Value, more: Value) -> Value {
    let mut options = options.clone();
    for (name, value) in more.as_object().unwrap() {
        options[name] = value.clone();
    }
    options
}

/// Writes a tape of a program that does not exist.
fn by_hand(daemon: &Daemon, answers: &[(&str, &str, u64)]) {
    fs::create_dir_all(root(daemon)).unwrap();
    let path = root(daemon).join("by-hand.json5");
    fs::write(path, handmade("ghost", answers)).unwrap();
    eventually("the tape is found", || {
        let listed = daemon.ok("tape.list", &json!({}));
        (listed["total"] == 1).then_some(())
    });
}

fn ghost(daemon: &Daemon, options: &Value) -> String {
    start(daemon, &["ghost"], options).unwrap()
}

fn say(daemon: &Daemon, session: &str, line: &str, pattern: &str) -> Result<String, Value> {
    ask(daemon, session, (None, "> $"))?;
    ask(daemon, session, (Some(line), pattern)).map(|found| found.0)
}

/// Records `echo` with these arguments and this environment.
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
            assert_eq!(ended(daemon, &session)["is_replay"], true);
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
    let none = json!({});
    for (replay, root) in [
        (json!({"tapes_path": elsewhere}), Some(&elsewhere)),
        (json!({"tapes_path": ""}), None),
    ] {
        let daemon = configured(replay);
        let root = root.cloned().unwrap_or_else(|| self::root(&daemon));
        record_echo(&daemon, &none, &["hi"], &none);
        assert_eq!(tapes(&root).len(), 1);
        assert!(plays(&daemon, &none, &["hi"], &none));
        let listed = daemon.ok("tape.list", &none);
        assert_eq!(listed["root"], root.to_str().unwrap());
    }
}

#[test]
fn record_and_fallback_decide_what_is_written_and_what_answers() {
    let daemon = configured(json!({"record": "new"}));
    let session = start(&daemon, &["echo", "hi"], &json!({})).unwrap();
    assert_eq!(ended(&daemon, &session)["tape"]["recorded"], 1);
    assert_eq!(tapes(&root(&daemon)).len(), 1);
    let off = json!({"record": "disabled"});
    let miss = start(&daemon, &["echo", "other"], &off).unwrap_err();
    assert_error(&miss, ErrorCode::TapeMiss);
    let daemon = configured(json!({"fallback": "proxy"}));
    let session = start(&daemon, &["echo", "live"], &json!({})).unwrap();
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    assert_eq!(output(&daemon, &session), b"live\r\n");
    assert!(tapes(&root(&daemon)).is_empty());
}

#[test]
fn latency_paces_what_plays_and_send_returns_at_once() {
    let timed = |daemon: &Daemon, options: &Value| {
        let session = ghost(daemon, options);
        ask(daemon, &session, (None, "> $")).unwrap();
        let begun = Instant::now();
        line(daemon, &session, "go");
        let sent = begun.elapsed().as_millis();
        ask(daemon, &session, (None, "gone\n> $")).unwrap();
        (sent, begun.elapsed().as_millis())
    };
    for (configured_as, others, range) in [
        ("tape", json!({"latency": [60, 70]}), 400..10_000),
        ("100", json!({"latency": "recorded"}), 200..400),
    ] {
        let daemon = configured(json!({ "latency": configured_as }));
        by_hand(&daemon, &[("go", "gone", 200)]);
        let (sent, took) = timed(&daemon, &json!({}));
        assert!(range.contains(&took), "{configured_as} {took}");
        assert!(range.start < 400 || sent < 200, "{sent} {took}");
        // The request overrides the configuration.
        let (_, took) = timed(&daemon, &others);
        let range = if range.start < 400 {
            400..10_000
        } else {
            120..400
        };
        assert!(range.contains(&took), "{others} {took}");
    }
}

#[test]
fn error_rate_and_seed_decide_which_errors_are_injected() {
    let is_injected = |daemon: &Daemon, options: Value| {
        let session = ghost(daemon, &options);
        record(daemon, &session)["tape"]["injected"] == 1
    };
    let daemon = configured(json!({"error_rate": 50}));
    by_hand(&daemon, &[]);
    let seed_that = |injects: bool| {
        let mut seeds = 1..100;
        let found = seeds.find(|seed| is_injected(&daemon, json!({"seed": seed})) == injects);
        found.unwrap()
    };
    let [yes, no] = [seed_that(true), seed_that(false)];
    let daemon = configured(json!({"error_rate": 50, "seed": yes}));
    by_hand(&daemon, &[]);
    assert!(is_injected(&daemon, json!({})));
    // The request overrides the configuration.
    assert!(!is_injected(&daemon, json!({"seed": no})));
    assert!(!is_injected(&daemon, json!({"error_rate": 0})));
    assert!(is_injected(&daemon, json!({"seed": no, "error_rate": 100})));
}

/// Plays one of two tapes, and returns what `ccctl play` prints on standard error.
fn told(daemon: &Daemon, words: &[&str]) -> String {
    for text in ["one", "two"] {
        let options = json!({"record": "new"});
        let params = json!({"program": "echo", "args": [text], "pipes": true, "tape": options});
        let session = daemon.ok("session.create", &params);
        ended(daemon, session["session_id"].as_str().unwrap());
    }
    // Only the arguments have to match.
    let ignored = ["play", "--ignore-env", "LANG,LC_*,TERM,TZ"];
    let args = [&ignored, words, &["--", "echo", "one"]].concat();
    let ran = Ccctl::new(daemon).run(&args);
    assert_eq!((ran.code, &ran.stdout[..]), (Some(0), "one\n"), "{ran:?}");
    ran.stderr
}

#[test]
fn a_summary_is_told_once_unless_that_is_not_wanted() {
    let daemon = configured(json!({}));
    let stderr = told(&daemon, &[]);
    for told in ["replayed 1 exchange", "1 tape was not played"] {
        assert_eq!(stderr.matches(told).count(), 1, "{stderr}");
    }
    assert_eq!(told(&daemon, &["--no-summary"]), "");
    // In the record too.
    let ended = record_echo(&daemon, &json!({}), &["x"], &json!({}));
    assert!(ended["tape"]["unused"].is_array(), "{ended}");
    for replay in [json!({"summary": false}), json!({"silent": true})] {
        let daemon = configured(replay);
        assert_eq!(told(&daemon, &[]), "");
        let ended = record_echo(&daemon, &json!({}), &["x"], &json!({}));
        assert!(ended["tape"]["unused"].is_null(), "{ended}");
    }
    // Without tapes there is no summary.
    let ran = Ccctl::new(&daemon).run(&["run", "--", "echo", "one"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn debug_tells_each_decision_and_nothing_that_was_typed() {
    let converse = |daemon: &Daemon| {
        by_hand(daemon, &[("zanzibar", "madagaskar", 0)]);
        let session = ghost(daemon, &json!({}));
        say(daemon, &session, "timbuktu 12:34:56", "x").unwrap_err();
        ask(daemon, &session, (Some("zanzibar"), "madagaskar\n> $")).unwrap();
        let text = daemon.log_text();
        assert_lacks(&text, ["zanzibar", "timbuktu", "madagaskar"]);
        text
    };
    let daemon = configured(json!({"debug": true}));
    let text = converse(&daemon);
    assert_has(&text, ["a tape answers", "no tape has it", "by-hand"]);
    let steps = "input=\"line ends, <time> 1\"";
    assert_has(&text, ["prompt=\"trailing blanks\"", steps]);
    let decorators = json!([{"on": "output", "replace": "zanzibar", "with": "nowhere"}]);
    let options = json!({"record": "new", "name": "new", "decorators": decorators});
    let session = start(&daemon, &["echo", "zanzibar"], &options).unwrap();
    ended(&daemon, &session);
    let text = daemon.log_text();
    let mut lines = text.lines();
    let told = lines.find(|line| line.contains("a decorator has changed"));
    let told = told.unwrap_or_else(|| panic!("{text}"));
    assert_has(told, ["decorator=0", "on=Output", "exchange=0"]);
    assert_has(told, ["before_bytes=10", "after_bytes=9"]);
    assert_lacks(&text, ["zanzibar", "nowhere"]);
    let daemon = configured(json!({}));
    assert_lacks(&converse(&daemon), ["a tape answers"]);
    // The log can also be switched on while the daemon runs.
    daemon.ok("daemon.log", &json!({"debug": true}));
    assert_has(&converse(&daemon), ["a tape answers"]);
}

/// The rules themselves have unit tests.
#[test]
fn rules_of_matching_are_those_of_the_configuration_or_of_the_request() {
    let rules = json!({"allow_env": ["PLA*"], "ignore_env": ["PLAY"], "ignore_args": ["-q", "-v"], "match_cwd": true});
    let env = |place: &str, play: &str| json!({"PLACE": place, "PLAY": play, "OTHER": play});
    for (daemon, options) in [
        (configured(rules.clone()), json!({})),
        (Daemon::start(), json!({ "match": rules })),
    ] {
        record_echo(&daemon, &options, &["a", "-q"], &env("here", "1"));
        let text = only_tape(&root(&daemon));
        assert_has(&text, ["PLACE: \"here\"", "PLAY: \"1\""]);
        assert_lacks(&text, ["OTHER"]);
        assert!(plays(&daemon, &options, &["a", "-v"], &env("here", "2")));
        assert!(!plays(&daemon, &options, &["b", "-v"], &env("here", "2")));
        assert!(!plays(&daemon, &options, &["a", "-v"], &env("there", "2")));
        for (cwd, fits) in [(daemon.home(), true), (Path::new("/usr"), false)] {
            let env = env("here", "1");
            let params = json!({"program": "echo", "args": ["a", "-q"], "env": env, "cwd": cwd, "tape": options});
            let started = daemon.call_value("session.create", &params);
            assert_eq!(started.is_ok(), fits, "{started:?}");
        }
    }
    // By default, variables and directory do not count.
    let (daemon, none) = (configured(json!({})), json!({}));
    record_echo(&daemon, &none, &["x"], &env("here", "1"));
    assert_lacks(&only_tape(&root(&daemon)), ["here"]);
    assert!(plays(&daemon, &none, &["x"], &env("there", "2")));
}

#[test]
fn strict_lets_no_exchange_stand_in_for_another_and_ignore_stdin_any() {
    let both = [("one", "first", 0), ("two", "second", 0)];
    for (replay, typed, answer) in [
        (json!({"strict": true}), "two", None),
        (json!({}), "two", Some("second")),
        (json!({}), "stay", None),
        (json!({"ignore_stdin": true}), "stay", Some("first")),
    ] {
        let daemon = configured(replay.clone());
        by_hand(&daemon, &both);
        let session = ghost(&daemon, &json!({}));
        let found = say(&daemon, &session, typed, "first|second");
        assert_eq!(found.as_deref().ok(), answer, "{replay} {typed}");
        if let Err(error) = found {
            assert_error(&error, ErrorCode::TapeMiss);
            ask(&daemon, &session, (Some("one"), "first\n> $")).unwrap();
        }
    }
}

#[test]
fn redact_and_redact_rules_say_what_is_a_secret() {
    for (replay, has, lacks) in [
        (json!({}), &["AB-1234"][..], &["hunter2-4711"][..]),
        (
            json!({"redact": false}),
            &["hunter2-4711", "redact: false"],
            &[],
        ),
        (
            json!({"redact_rules": ["AB-([0-9]+)"]}),
            &["AB-***"],
            &["hunter2-4711", "1234"],
        ),
    ] {
        let daemon = configured(replay);
        let args = ["password=hunter2-4711", "order", "AB-1234", "end"];
        record_echo(&daemon, &json!({}), &args, &json!({}));
        let text = only_tape(&root(&daemon));
        assert_has(&text, has);
        assert_lacks(&text, lacks);
        // The same words match whether or not the tape has them redacted.
        assert!(plays(&daemon, &json!({"strict": true}), &args, &json!({})));
    }
}

/// Records `echo one two`, and returns its tape.
fn recorded(daemon: &Daemon, options: &Value) -> (String, String) {
    let ended = record_echo(daemon, options, &["one", "two"], &json!({}));
    let id = ended["tape"]["new"][0].as_str().unwrap().to_owned();
    (id, only_tape(&root(daemon)))
}

#[test]
fn decorators_change_what_is_recorded_and_name_and_tag_are_those_of_new_tapes() {
    let decorators = json!([
        {"on": "output", "replace": "t(w)o", "with": "${1}hat"},
        {"on": "output", "filter": ["sed", "s/one/won/"]},
    ]);
    let replay = json!({"decorators": decorators, "name": "mine/{program}-{tag}", "tag": "happy"});
    let (id, text) = recorded(&configured(replay.clone()), &json!({}));
    assert_eq!(id, "mine/echo-happy");
    assert_has(&text, ["won what", "decorators: [", "tag: \"happy\""]);
    assert_has(&text, ["flags: [\"decorators\""]);
    // The request overrides the configuration; an empty list means none, and so does an empty tag.
    let other = json!({"decorators": [], "name": "b/{tag}", "tag": "b"});
    let (id, text) = recorded(&configured(replay.clone()), &other);
    assert_eq!(id, "b/b");
    assert_has(&text, ["one two", "tag: \"b\""]);
    let untagged = with(&replay, json!({"tag": "", "name": "{tag}"}));
    let (id, text) = recorded(&configured(untagged), &json!({}));
    assert_eq!(id, "one");
    assert_has(&text, ["tag: null"]);
}

#[test]
fn a_recording_keeps_the_configuration_that_it_began_with() {
    let daemon = configured(json!({"name": "before/{program}", "tag": "before"}));
    let options = json!({"record": "new"});
    let session = start(&daemon, &["sh", "-c", "read x"], &options).unwrap();
    let replay = json!({"replay": {"name": "after/{program}", "tag": "after"}});
    fs::write(daemon.config_path(), replay.to_string()).unwrap();
    daemon.ok("daemon.reload", &json!({}));
    send(&daemon, &session, "\r");
    let new = &ended(&daemon, &session)["tape"]["new"];
    assert_eq!(*new, json!(["before/sh"]));
}

fn check(daemon: &Daemon) {
    let job = daemon.job("daemon.check", &json!({}));
    assert_eq!(job["state"], "done", "{job}");
}

#[test]
fn retention_days_is_for_what_is_stored_about_tapes_and_never_for_tapes() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let day = Duration::from_secs(24 * 60 * 60);
    for (days, is_kept) in [(2, false), (4, true)] {
        let mut daemon = configured(json!({ "retention_days": days }));
        let (id, text) = recorded(&daemon, &json!({}));
        assert!(plays(&daemon, &json!({}), &["one", "two"], &json!({})));
        daemon.stop();
        // All of this was done three days ago.
        let database = daemon.home().join("ccd.sqlite");
        let change =
            "UPDATE tape_use SET used_at = strftime('%Y-%m-%dT%H:%M:%S.000Z', 'now', '-3 days')";
        let changed = Command::new("sqlite3").arg(&database).arg(change).status();
        assert!(changed.unwrap().success());
        let cache = daemon.home().join("cache/tapes-other.bin");
        let file = fs::File::create(&cache).unwrap();
        file.set_modified(SystemTime::now() - day * 3).unwrap();
        let path = root(&daemon).join(format!("{id}.json5"));
        fs::remove_file(&path).unwrap();
        daemon.restart();
        check(&daemon);
        assert_eq!(cache.exists(), is_kept);
        fs::write(&path, text).unwrap();
        let listed = eventually("the tape is found", || {
            let listed = daemon.ok("tape.list", &json!({"used": is_kept}));
            (listed["total"] == 1).then_some(listed)
        });
        assert_eq!(listed["tapes"][0]["used"], u64::from(is_kept), "{listed}");
        // A tape stays however long it was not used, and so does its figure.
        check(&daemon);
        assert!(path.exists());
    }
}
