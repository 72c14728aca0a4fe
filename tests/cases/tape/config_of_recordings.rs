//! Each key of `replay` about recordings, seeds and retention has the same effect as the option of the same name.

use super::config::{by_hand, configured, ghost, root, with};
use crate::support::Daemon;
use crate::support::conversation::{ended, record, start, tapes};
use crate::support::session::lacks;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Records `echo one two`, and returns its tape.
fn recorded(daemon: &Daemon, options: &Value) -> (String, String) {
    let options = with(options, json!({"record": "new"}));
    let session = start(daemon, &["echo", "one", "two"], &options).unwrap();
    let ended = ended(daemon, &session);
    let id = ended["tape"]["new"][0].as_str().unwrap().to_owned();
    let text = fs::read_to_string(&tapes(&root(daemon))[0]).unwrap();
    (id, text)
}

#[test]
fn seed_decides_which_errors_are_injected() {
    let is_injected = |daemon: &Daemon, options: Value| {
        let options = with(&options, json!({"error_rate": 50}));
        let session = ghost(daemon, &options).unwrap();
        record(daemon, &session)["tape"]["injected"] == 1
    };
    let (daemon, _) = configured(json!({}));
    by_hand(&daemon, "[]", &[]);
    let seed_that = |injects: bool| {
        let mut seeds = 1..100;
        let found = seeds.find(|seed| is_injected(&daemon, json!({"seed": seed})) == injects);
        found.unwrap()
    };
    let seeds = [seed_that(true), seed_that(false)];
    for (seed, injects) in seeds.into_iter().zip([true, false]) {
        let (daemon, _) = configured(json!({ "seed": seed }));
        by_hand(&daemon, "[]", &[]);
        assert_eq!(is_injected(&daemon, json!({})), injects, "{seed}");
        // The request overrides the configuration.
        let other = if injects { seeds[1] } else { seeds[0] };
        assert_eq!(
            is_injected(&daemon, json!({ "seed": other })),
            !injects,
            "{seed}"
        );
    }
}

#[test]
fn decorators_change_what_is_recorded() {
    if lacks(&["sed"]) {
        return;
    }
    for decorator in [
        json!({"on": "output", "replace": "t(w)o", "with": "${1}hat"}),
        json!({"on": "output", "filter": ["sed", "s/two/what/"]}),
    ] {
        let decorators = json!({ "decorators": [decorator] });
        let (daemon, options) = configured(decorators.clone());
        let (_, text) = recorded(&daemon, &options);
        assert!(
            text.contains("one what") && text.contains("decorators: ["),
            "{text}"
        );
        assert!(text.contains("flags: [\"decorators\""), "{text}");
        let (_, text) = recorded(&Daemon::start(), &decorators);
        assert!(text.contains("one what"), "{text}");
        // An empty list in the request means none.
        let (daemon, _) = configured(decorators);
        let (_, text) = recorded(&daemon, &json!({"decorators": []}));
        assert!(text.contains("one two"), "{text}");
    }
}

#[test]
fn name_and_tag_are_those_of_new_tapes() {
    for (replay, id, tag) in [
        (
            json!({"name": "mine/{program}-{verb}"}),
            "mine/echo-one",
            "tag: null",
        ),
        (
            json!({"name": "{tag}", "tag": "happy"}),
            "happy",
            "tag: \"happy\"",
        ),
        (json!({"name": "{tag}", "tag": ""}), "one", "tag: null"),
    ] {
        let (daemon, options) = configured(replay);
        let (recorded_as, text) = recorded(&daemon, &options);
        assert_eq!(recorded_as, id);
        assert!(text.contains(tag), "{text}");
    }
    let (daemon, _) = configured(json!({"name": "a/{tag}", "tag": "a"}));
    let (recorded_as, text) = recorded(&daemon, &json!({"name": "b/{tag}", "tag": "b"}));
    assert_eq!(recorded_as, "b/b");
    assert!(text.contains("tag: \"b\""), "{text}");
}

#[test]
fn a_recording_keeps_the_configuration_that_it_began_with() {
    let (daemon, _) = configured(json!({"name": "before/{program}", "tag": "before"}));
    let options = json!({"record": "new"});
    let session = start(&daemon, &["sh", "-c", "read x"], &options).unwrap();
    let replay = json!({"replay": {"name": "after/{program}", "tag": "after"}});
    fs::write(daemon.config_path(), replay.to_string()).unwrap();
    daemon.call_value("daemon.reload", &json!({})).unwrap();
    let params = json!({"session": session, "text": "\r"});
    daemon.call_value("session.send", &params).unwrap();
    assert_eq!(
        ended(&daemon, &session)["tape"]["new"],
        json!(["before/sh"])
    );
}

/// Waits for a job.
fn check(daemon: &Daemon) {
    let started = daemon.call_value("daemon.check", &json!({})).unwrap();
    let params = json!({"job": started["job"], "wait_ms": 20_000});
    let job = daemon.call_value("job.get", &params).unwrap();
    assert_eq!(job["state"], "done", "{job}");
}

#[test]
fn retention_days_is_for_what_is_stored_about_tapes_and_never_for_tapes() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let day = Duration::from_secs(24 * 60 * 60);
    for (days, is_kept) in [(2, false), (4, true)] {
        let (mut daemon, options) = configured(json!({ "retention_days": days }));
        let (id, text) = recorded(&daemon, &options);
        let session = start(&daemon, &["echo", "one", "two"], &options).unwrap();
        ended(&daemon, &session);
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
        let params = json!({"used": is_kept});
        let listed = crate::support::eventually("the tape is found", || {
            let listed = daemon.call_value("tape.list", &params).unwrap();
            (listed["total"] == 1).then_some(listed)
        });
        assert_eq!(listed["tapes"][0]["used"], u64::from(is_kept), "{listed}");
        // A tape stays however long it was not used, and so does its figure.
        check(&daemon);
        assert!(path.exists());
    }
}
