//! The file of the pattern library: edited by hand, partly or completely broken, and the limits on its patterns.

use crate::pattern::library::is_error;
use crate::support::session::assert_error;
use crate::support::{Daemon, assert_has};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::WaitFor;
use serde_json::{Value, json};
use std::fs;

#[test]
fn all_patterns_that_were_set_have_one_limit_for_what_they_cost() {
    let daemon = Daemon::start();
    let state = |category: &str, pattern: &str| json!({"pattern_type": "state", "category": category, "patterns": [pattern]});
    let too_much = state("b", "b[ab]{600}");
    daemon.ok("pattern.set", &state("a", "a[ab]{600}"));
    daemon.refuses("pattern.set", &too_much, "invalid_pattern");
    daemon.ok("pattern.set", &state("a", "a[ab]{60}"));
    daemon.ok("pattern.set", &too_much);

    // A file edited by hand may contain more than can be set: the entries beyond the limit are left out.
    let entry = |category: &str| json!({"pattern_type": "error", "category": category, "patterns": ["^oops [ab]{600}|^oops"]});
    let file = json!([entry("first"), entry("second")]).to_string();
    fs::write(daemon.home().join("patterns.json"), file).unwrap();
    let warnings = daemon.ok("pattern.list", &json!({}))["warnings"].clone();
    assert_eq!(warnings.as_array().unwrap().len(), 1, "{warnings}");
    assert_has(&warnings[0], ["entry 2", "at most 1000"]);
    assert!(is_error(&daemon, "oops"));
}

#[test]
fn a_file_edited_by_hand_counts_and_a_broken_one_is_told_never_overwritten() {
    let daemon = Daemon::start();
    let path = daemon.home().join("patterns.json");
    fs::write(
        &path,
        r#"[{"pattern_type": "ERROR", "category": "mine", "patterns": ["^oops"]}]"#,
    )
    .unwrap();
    assert!(is_error(&daemon, "oops"));

    // One entry is invalid: the others are used.
    fs::write(
        &path,
        r#"[{"pattern_type": "error", "category": "bad", "patterns": ["ok", "(x"]},
            {"pattern_type": "error", "category": "good", "patterns": ["^well"]},
            {"pattern_type": "error", "category": "good", "patterns": ["^again"]}]"#,
    )
    .unwrap();
    let list = daemon.ok("pattern.list", &json!({}));
    let warnings = list["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    let parts = ["patterns.json", "entry 1", "\"bad\"", "pattern 2", "byte 0"];
    assert_has(&warnings[0], parts);
    assert!(is_error(&daemon, "well") && !is_error(&daemon, "again"));

    // The whole file is invalid: only the built-in patterns are used, every reply says so, and the file is not
    // overwritten.
    let broken = "[\n  {\"pattern_type\": \"error\",,\n]";
    fs::write(&path, broken).unwrap();
    for method in ["pattern.list", "pattern.test", "pattern.classify"] {
        let reply = daemon.ok(method, &json!({"text": "bash: x: command not found"}));
        assert_has(&reply["warnings"][0], ["patterns.json", "line 2"]);
    }
    assert!(is_error(&daemon, "bash: x: command not found") && !is_error(&daemon, "well"));
    let set = json!({"pattern_type": "error", "category": "x", "patterns": ["x"]});
    daemon.refuses("pattern.set", &set, "storage");
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    fs::remove_file(&path).unwrap();
    assert!(daemon.ok("pattern.list", &json!({}))["warnings"].is_null());
}

#[test]
fn an_entry_of_another_shape_leaves_the_others_and_is_never_written_over() {
    let daemon = Daemon::start();
    let path = daemon.home().join("patterns.json");
    let wrong = [
        (
            r#"{"pattern_type":"eror","category":"x","patterns":["x"]}"#,
            "\"eror\": give one of",
        ),
        (
            r#"{"pattern_type":"error","category":"x","patterns":"x"}"#,
            "expected a sequence",
        ),
        (
            r#"{"pattern_type":"error","category":"x"}"#,
            "missing field `patterns`",
        ),
        ("null", "null"),
        ("7", "7"),
    ];
    let entries: Vec<&str> = wrong.iter().map(|(entry, _)| *entry).collect();
    let file = format!(
        r#"[{}, {{"pattern_type":"error","category":"y","patterns":["zork"]}}]"#,
        entries.join(",")
    );
    fs::write(&path, &file).unwrap();
    assert!(is_error(&daemon, "zork"));
    let list = daemon.ok("pattern.list", &json!({}));
    let warnings = list["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), wrong.len(), "{warnings:?}");
    for (number, (warning, (_, problem))) in (1..).zip(warnings.iter().zip(wrong)) {
        let place = format!("patterns.json, entry {number} is ignored: ");
        assert_has(warning, [&place, problem]);
    }
    let set = json!({"pattern_type": "error", "category": "z", "patterns": ["x"]});
    let unset = json!({"pattern_type": "error", "category": "y"});
    for (method, params) in [("pattern.set", &set), ("pattern.unset", &unset)] {
        daemon.refuses(method, params, "storage");
        assert_eq!(fs::read_to_string(&path).unwrap(), file);
    }

    // Unknown members of an entry are kept.
    fs::write(
        &path,
        r#"[{"pattern_type":"error","category":"y","patterns":["zork"],"by":"me"}]"#,
    )
    .unwrap();
    let again = json!({"pattern_type": "error", "category": "y", "patterns": ["bork"]});
    daemon.ok("pattern.set", &again);
    let kept: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        (&kept[0]["by"], &kept[0]["patterns"]),
        (&json!("me"), &json!(["bork"]))
    );

    for no_list in ["{}", "[1,", "7"] {
        fs::write(&path, no_list).unwrap();
        let list = daemon.ok("pattern.list", &json!({}));
        assert_has(
            &list["warnings"][0],
            ["only the built-in patterns are used"],
        );
    }
}

#[test]
fn a_pattern_counts_for_who_waits_already() {
    let daemon = Daemon::start();
    let set_by = |name: &str| {
        let pattern = format!(r"^{name}\| $");
        let set = json!({"pattern_type": "prompt", "category": name, "patterns": [pattern]});
        match name {
            "hand" => {
                let path = daemon.home().join("patterns.json");
                fs::write(path, json!([set]).to_string()).unwrap();
            }
            _ => drop(daemon.ok("pattern.set", &set)),
        }
    };
    for name in ["hand", "call"] {
        let session = daemon.open("sh", &["-c", &format!("printf '{name}| '; exec cat")]);
        session.expect(name);
        assert_error(
            &session.try_wait(WaitFor::Prompt, 100.0).unwrap_err(),
            ErrorCode::Timeout,
        );
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| session.wait(WaitFor::Prompt).reason);
            set_by(name);
            assert_eq!(waits.join().unwrap(), "prompt", "{name}");
        });
    }
}
