//! `tape.*`: operations on tapes other than replay.

use crate::support::{Daemon, assert_fields, assert_has, assert_lacks, eventually, kind};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A daemon, and a directory with the tapes of the fixtures.
struct TapeTest {
    daemon: Daemon,
    root: PathBuf,
}

impl TapeTest {
    fn new() -> Self {
        let daemon = Daemon::start();
        let root = daemon.home().join("recorded");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tapes/tools");
        copy(&fixtures, &root);
        Self { daemon, root }
    }

    fn with_root(&self, mut params: Value) -> Value {
        params["root"] = json!(self.root);
        params
    }

    #[track_caller]
    fn call(&self, method: &str, params: Value) -> Value {
        self.daemon.ok(method, &self.with_root(params))
    }

    /// Asserts that a call fails with this kind, and returns the error.
    #[track_caller]
    fn refused(&self, method: &str, params: Value, expected: &str) -> Value {
        let params = self.with_root(params);
        let error = self.daemon.error(method, &params);
        assert_eq!(kind(&error), expected, "{params}: {error}");
        error
    }

    fn get(&self, id: &str) -> Value {
        self.call("tape.get", json!({ "tape": id }))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json5"))
    }

    /// Replaces a text in a tape.
    fn edit(&self, id: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.file(id)).unwrap();
        assert_has(&text, [from]);
        fs::write(self.file(id), text.replace(from, to)).unwrap();
    }

    fn ids(&self) -> Vec<String> {
        let list = self.call("tape.list", json!({}));
        let tapes = list["tapes"].as_array().unwrap().iter();
        tapes
            .map(|tape| tape["tape_id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Runs the real program against a tape.
    fn verify(&self, params: Value) -> Value {
        let params = self.with_root(params);
        let job = self.daemon.job("tape.verify", &params);
        assert_eq!(job["state"], "done", "{job}");
        job["result"].clone()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn tapes_are_listed_in_pages_and_found_by_a_part_of_their_ids() {
    let bench = TapeTest::new();
    let all = ["bc/frozen", "bc/kin", "sh/greet", "sh/password"];
    assert_eq!(bench.ids(), all);
    let list = |params: Value| bench.call("tape.list", params);
    let page = list(json!({"limit": 2, "after": "bc/frozen"}));
    assert_fields(&page["tapes"][0], json!({"tape_id": "bc/kin"}));
    assert_eq!(
        (page["tapes"].as_array().unwrap().len(), &page["total"]),
        (2, &json!(4))
    );
    let of_bc = list(json!({"program": "bc", "used": false}));
    assert_eq!(of_bc["total"], 2);
    let greet = json!({"ended": "exit 3", "tag": "greet", "exchanges": 2});
    assert_fields(&list(json!({"after": "bc/kin"}))["tapes"][0], greet);

    let path = bench.file("sh/greet");
    for given in [
        "sh/greet",
        "sh/greet.json5",
        "greet",
        path.to_str().unwrap(),
    ] {
        assert_eq!(bench.get(given)["tape_id"], "sh/greet", "{given}");
    }
    for (given, expected) in [
        ("sh/", "tape_not_found"),
        ("nobody", "tape_not_found"),
        ("../recorded/sh/greet", "invalid_argument"),
        ("", "invalid_argument"),
        ("/etc/passwd", "invalid_argument"),
        ("/nowhere/x.json5", "tape_not_found"),
    ] {
        bench.refused("tape.get", json!({ "tape": given }), expected);
    }
    let error = bench.refused("tape.get", json!({"tape": "s"}), "tape_not_found");
    let candidates = json!(["sh/greet", "sh/password"]);
    assert_eq!(error["data"]["candidates"], candidates);
}

#[test]
fn a_tape_is_shown_as_text_whoever_has_spelled_it() {
    let bench = TapeTest::new();
    let greet = bench.call("tape.get", json!({"tape": "greet", "keys": true}));
    assert_fields(
        &greet["exchanges"][1],
        json!({"input": "Ann", "output": "Ann\nhi Ann\n", "prompt": "name? ", "output_bytes": 13, "line": 20,
            "key": {"program": "sh", "input": "Ann"}}),
    );
    assert_eq!(greet["meta"]["createdAt"], "2026-01-02T03:04:05.000Z");

    let kin = bench.get("kin");
    assert_eq!(kin["meta"]["createdAt"], "2025-09-23T12:34:56.789Z");
    let only = json!({"input": "1+1", "output": "1+1\n2\n", "dur_ms": 12});
    assert_fields(&kin["exchanges"][0], only);

    let frozen = bench.get("frozen");
    let kept = json!({"meta": {"theme": "dark"}, "session": {"host": {"cpus": 4}}});
    assert_fields(&frozen, kept);
    assert_eq!(frozen["exchanges"][1]["output"], "2*3\n6\n");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let bench = TapeTest::new();
    let good = bench.call("tape.validate", json!({}));
    assert_fields(&good, json!({"valid": true, "checked": 4}));
    let strict = bench.call("tape.validate", json!({"tape": "frozen", "strict": true}));
    assert_eq!(strict["valid"], false);
    assert_has(&strict["problems"], ["theme", "weather"]);

    bench.edit("sh/greet", "aGkgQW5uDQo=", "!");
    let wrong = bench.call("tape.validate", json!({"tape": "greet"}));
    assert_eq!(wrong["valid"], false);
    assert_eq!(wrong["problems"][0]["line"], 26, "{wrong}");
    let error = bench.refused("tape.get", json!({"tape": "greet"}), "tape_invalid");
    assert_has(&error["message"], ["sh/greet.json5:26:"]);

    fs::create_dir(bench.file("sh/folder")).unwrap();
    let folder = json!({"tape": bench.file("sh/folder")});
    bench.refused("tape.get", folder, "tape_invalid");
    // Files that cannot be read do not affect others, and are reported.
    eventually("the index has noticed both", || {
        let list = bench.call("tape.list", json!({}));
        let count = |part: &str| list[part].as_array().map_or(0, Vec::len);
        ((count("tapes"), count("problems")) == (3, 2)).then_some(())
    });
}

#[test]
fn secrets_go_and_all_else_in_the_file_stays() {
    let bench = TapeTest::new();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    bench.edit("sh/greet", "// the question", &format!("// not {token}"));
    let output = format!("\"Ann {token}\\r\\n\"");
    bench.edit("sh/greet", "\"Ann\\r\\n\"", &output);
    let before = fs::read_to_string(bench.file("sh/greet")).unwrap();

    let dry = bench.call("tape.redact", json!({}));
    assert_fields(&dry, json!({"checked": 4, "is_done": false}));
    assert_eq!(dry["tapes"].as_array().unwrap().len(), 1, "{dry}");
    assert_eq!(dry["tapes"][0]["tape_id"], "sh/greet");
    let places = ["exchanges[1].output", "comment in line"];
    assert_has(&dry["tapes"][0]["places"], places);
    assert_eq!(fs::read_to_string(bench.file("sh/greet")).unwrap(), before);

    let redact = json!({"tape": "greet", "inplace": true});
    let done = bench.call("tape.redact", redact.clone());
    assert_fields(&done, json!({"is_done": true, "tapes": dry["tapes"]}));
    let after = fs::read_to_string(bench.file("sh/greet")).unwrap();
    assert_lacks(&after, ["ghp_"]);
    assert!(after.starts_with("// Written by hand"), "{after}");
    assert_has(
        &after,
        ["// hi Ann\\r\\n", "note: \"the whole conversation\""],
    );
    assert_eq!(bench.call("tape.redact", redact)["tapes"], json!([]));
}

#[test]
fn a_tape_goes_out_as_an_asciicast_and_comes_in_again() {
    let bench = TapeTest::new();
    let export = |format: &str| {
        let params = json!({"tape": "sh/greet", "format": format});
        bench.call("tape.export", params)
    };
    let cast = export("asciicast_v3");
    assert_eq!(cast["is_lossy"], false);
    let text = cast["text"].as_str().unwrap();
    assert!(text.ends_with("[0.000, \"x\", \"3\"]\n"), "{text}");
    let back = bench.call("tape.import", json!({"cast": text, "tag": "back again"}));
    let told = "not imported, because tapes have no place for it: term.type, env.TERM";
    assert_eq!(back["warnings"], json!([told]));
    let id = back["tape_id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("sh/back-again-20260102T030405Z-"), "{id}");
    // It is listed at once, and only its owner can read it.
    assert!(bench.ids().contains(&id));
    let mode = fs::metadata(bench.file(&id)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let same = bench.call("tape.diff", json!({"a": "sh/greet", "b": id}));
    assert_fields(&same, json!({"equal": true, "diff": ""}));
    let second = &bench.get(&id)["exchanges"][1];
    assert_eq!(second["prompt"], "name? ");
    assert_eq!(second["state_hash"].as_str().unwrap().len(), 16);

    let given = json!({"cast": text, "program": "cat", "args": ["-u"]});
    let id = bench.call("tape.import", given)["tape_id"].clone();
    let meta = json!({"program": "cat", "args": ["-u"]});
    assert_fields(&bench.get(id.as_str().unwrap())["meta"], meta);

    let transcript = export("transcript");
    assert_eq!(transcript["text"], "name? Ann\nhi Ann\n[exit 3]\n");

    let header = "{\"version\": 2, \"width\": 80, \"height\": 24}";
    for (params, expected) in [
        (json!({}), "invalid_argument"),
        (json!({"cast": "x", "path": "/x"}), "invalid_argument"),
        (json!({"path": "x.cast"}), "invalid_argument"),
        (json!({"cast": "x", "args": ["y"]}), "invalid_argument"),
        (json!({"cast": "nonsense"}), "tape_invalid"),
        (json!({"cast": header}), "tape_invalid"),
    ] {
        bench.refused("tape.import", params, expected);
    }
}

#[test]
fn a_tape_is_drawn_as_a_still_and_as_an_animation() {
    let bench = TapeTest::new();
    let first = bench.call("tape.svg", json!({"tape": "greet", "exchange": 0}));
    assert_has(&first["svg"], [">name?"]);
    assert_lacks(&first["svg"], [">hi Ann"]);
    let params = json!({"tape": "greet", "animated": true, "speed": 2});
    let moving = bench.call("tape.svg", params);
    assert_has(&moving["svg"], ["@keyframes", ">hi Ann</text>"]);
    assert!(moving["frames"].as_u64().unwrap() >= 2);
    for params in [
        json!({"tape": "greet", "exchange": 2}),
        json!({"tape": "greet", "animated": true, "speed": 0}),
        json!({"tape": "greet", "animated": true, "idle_limit_s": -1}),
        json!({"tape": "greet", "animated": true, "end_pause_s": 1e9}),
    ] {
        bench.refused("tape.svg", params, "invalid_argument");
    }
}

#[test]
fn the_real_program_is_compared_with_its_tape() {
    let bench = TapeTest::new();
    let greet = || bench.verify(json!({"tape": "greet"}));
    let same = json!({"tape_id": "sh/greet", "same": true, "exchanges": 2, "drifts": []});
    assert_eq!(greet(), same);

    // First the output on the tape is changed ("hi Ann" to "ho Ann"), then the exit status.
    bench.edit("sh/greet", "aGkgQW5uDQo=", "aG8gQW5uDQo=");
    let result = greet();
    assert_eq!(result["same"], false);
    let drift = &result["drifts"][0];
    assert_fields(drift, json!({"index": 1, "input": "Ann", "what": "output"}));
    assert_has(&drift["diff"], ["-ho Ann\n+hi Ann\n"]);
    bench.edit("sh/greet", "aG8gQW5uDQo=", "aGkgQW5uDQo=");
    bench.edit("sh/greet", "code: 3", "code: 0");
    let result = greet();
    assert_eq!(result["drifts"][0]["what"], "exit", "{result}");
    assert_has(&result["drifts"][0]["diff"], ["+exit 3"]);

    bench.edit(
        "sh/greet",
        "program: \"sh\"",
        "program: \"no-such-program\"",
    );
    let params = bench.with_root(json!({"tape": "greet"}));
    let job = bench.daemon.job("tape.verify", &params);
    assert_eq!(job["state"], "failed");
    assert_has(&job["error"], ["no-such-program"]);
}

#[test]
fn what_was_typed_hidden_has_to_be_given_to_compare_a_program() {
    let bench = TapeTest::new();
    let result = bench.verify(json!({"tape": "password"}));
    assert_fields(&result, json!({"same": false, "exchanges": 1}));
    assert_eq!(result["drifts"][0]["what"], "hidden");
    assert!(result["not_compared"].as_u64() > Some(0), "{result}");
    let result = bench.verify(json!({"tape": "password", "secrets": ["hunter2"]}));
    assert_eq!(result["same"], true, "{result}");
}

#[test]
fn tapes_that_nothing_has_played_are_removed_only_when_that_is_asked_for() {
    let bench = TapeTest::new();
    for (params, is_done, count) in [
        (json!({}), false, 4),
        (json!({"unused": true, "dry_run": true}), false, 4),
        (json!({"unused": true, "older_than_s": 1e9}), true, 0),
        (json!({"unused": true}), true, 4),
    ] {
        assert_eq!(bench.ids().len(), 4);
        let told = bench.call("tape.prune", params.clone());
        assert_eq!(told["is_done"], is_done, "{params}");
        assert_eq!(told["tapes"].as_array().unwrap().len(), count, "{params}");
    }
    let negative = json!({"older_than_s": -1});
    bench.refused("tape.prune", negative, "invalid_argument");
    assert_eq!(bench.ids(), [""; 0]);
    assert!(!bench.root.join("sh").exists());
}
