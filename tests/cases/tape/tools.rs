//! `tape.*`: operations on tapes other than replay.

use crate::support::{Connection, Daemon, eventually, kind};
use serde_json::{Value, json};
use std::fs;
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

    fn call(&self, method: &str, params: Value) -> Value {
        self.try_call(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(&self, method: &str, mut params: Value) -> Result<Value, Value> {
        params["root"] = json!(self.root);
        self.daemon.call_value(method, &params)
    }

    fn file(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json5"))
    }

    /// Replaces a text in a tape.
    fn edit(&self, id: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.file(id)).unwrap();
        assert!(text.contains(from), "{id} does not contain {from:?}");
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
    fn verify(&self, mut params: Value) -> Value {
        params["root"] = json!(self.root);
        // The program ends with the connection that requested it.
        let mut connection: Connection = self.daemon.connect();
        let started = connection.call_value("tape.verify", &params).unwrap();
        let wait = json!({"job": started["job"], "wait_ms": 60_000});
        connection.call_value("job.get", &wait).unwrap()
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
    let page = bench.call("tape.list", json!({"limit": 2, "after": "bc/frozen"}));
    assert_eq!(
        (&page["tapes"][0]["tape_id"], &page["total"]),
        (&json!("bc/kin"), &json!(4))
    );
    assert_eq!(page["tapes"].as_array().unwrap().len(), 2);
    let of_bc = bench.call("tape.list", json!({"program": "bc", "used": false}));
    assert_eq!(of_bc["total"], 2);
    let greet = bench.call("tape.list", json!({"after": "bc/kin"}))["tapes"][0].clone();
    assert_eq!(
        (&greet["ended"], &greet["tag"], &greet["exchanges"]),
        (&json!("exit 3"), &json!("greet"), &json!(2))
    );

    let path = bench.file("sh/greet");
    for given in [
        "sh/greet",
        "sh/greet.json5",
        "greet",
        path.to_str().unwrap(),
    ] {
        let tape = bench.call("tape.get", json!({"tape": given}));
        assert_eq!(tape["tape_id"], "sh/greet", "{given}");
    }
    let error = bench
        .try_call("tape.get", json!({"tape": "sh/"}))
        .unwrap_err();
    assert_eq!(kind(&error), "tape_not_found");
    let error = bench
        .try_call("tape.get", json!({"tape": "s"}))
        .unwrap_err();
    assert_eq!(kind(&error), "tape_not_found");
    assert_eq!(
        error["data"]["candidates"],
        json!(["sh/greet", "sh/password"])
    );
    for (given, expected) in [
        ("nobody", "tape_not_found"),
        ("../recorded/sh/greet", "invalid_argument"),
        (".journal/x", "invalid_argument"),
        ("", "invalid_argument"),
        ("/etc/passwd", "invalid_argument"),
        ("/nowhere/x.json5", "tape_not_found"),
    ] {
        let error = bench
            .try_call("tape.get", json!({"tape": given}))
            .unwrap_err();
        assert_eq!(kind(&error), expected, "{given}");
    }
}

#[test]
fn a_tape_is_shown_as_text_whoever_has_spelled_it() {
    let bench = TapeTest::new();
    let greet = bench.call("tape.get", json!({"tape": "greet", "keys": true}));
    let answer = &greet["exchanges"][1];
    assert_eq!(
        (&answer["input"], &answer["output"]),
        (&json!("Ann"), &json!("Ann\nhi Ann\n"))
    );
    assert_eq!(
        (&answer["prompt"], &answer["output_bytes"], &answer["line"]),
        (&json!("name? "), &json!(13), &json!(20))
    );
    assert_eq!(
        (&answer["key"]["program"], &answer["key"]["input"]),
        (&json!("sh"), &json!("Ann"))
    );
    assert_eq!(greet["meta"]["createdAt"], "2026-01-02T03:04:05.000Z");

    let kin = bench.call("tape.get", json!({"tape": "kin"}));
    assert_eq!(kin["meta"]["createdAt"], "2025-09-23T12:34:56.789Z");
    let only = &kin["exchanges"][0];
    assert_eq!(
        (&only["input"], &only["output"], &only["dur_ms"]),
        (&json!("1+1"), &json!("1+1\n2\n"), &json!(12))
    );

    let frozen = bench.call("tape.get", json!({"tape": "frozen"}));
    assert_eq!(
        (&frozen["meta"]["theme"], &frozen["session"]["host"]["cpus"]),
        (&json!("dark"), &json!(4))
    );
    assert_eq!(frozen["exchanges"][1]["output"], "2*3\n6\n");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let bench = TapeTest::new();
    let good = bench.call("tape.validate", json!({}));
    assert_eq!(
        (&good["valid"], &good["checked"]),
        (&json!(true), &json!(4)),
        "{good}"
    );
    let strict = bench.call("tape.validate", json!({"tape": "frozen", "strict": true}));
    assert_eq!(strict["valid"], false);
    let problems = strict["problems"].to_string();
    assert!(
        problems.contains("theme") && problems.contains("weather"),
        "{problems}"
    );

    bench.edit("sh/greet", "aGkgQW5uDQo=", "!");
    let wrong = bench.call("tape.validate", json!({"tape": "greet"}));
    assert_eq!(
        (&wrong["valid"], &wrong["problems"][0]["line"]),
        (&json!(false), &json!(26)),
        "{wrong}"
    );
    let error = bench
        .try_call("tape.get", json!({"tape": "greet"}))
        .unwrap_err();
    assert_eq!(kind(&error), "tape_invalid");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("sh/greet.json5:26:"),
        "{error}"
    );

    bench.edit("bc/frozen", "format: 1", "format: 2");
    let error = bench
        .try_call("tape.get", json!({"tape": "frozen"}))
        .unwrap_err();
    assert_eq!(kind(&error), "tape_format_newer");

    fs::create_dir(bench.file("sh/folder")).unwrap();
    let error = bench
        .try_call("tape.get", json!({"tape": bench.file("sh/folder")}))
        .unwrap_err();
    assert_eq!(kind(&error), "tape_invalid");
    // Files that cannot be read do not affect others, and are reported.
    let list = eventually("the index has noticed the edits", || {
        let list = bench.call("tape.list", json!({}));
        (list["tapes"].as_array().unwrap().len() == 2).then_some(list)
    });
    assert!(list["problems"].as_array().unwrap().len() >= 2, "{list}");
}

#[test]
fn secrets_go_and_all_else_in_the_file_stays() {
    let bench = TapeTest::new();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    bench.edit("sh/greet", "// the question", &format!("// not {token}"));
    bench.edit(
        "sh/greet",
        "\"Ann\\r\\n\"",
        &format!("\"Ann {token}\\r\\n\""),
    );
    let before = fs::read_to_string(bench.file("sh/greet")).unwrap();

    let dry = bench.call("tape.redact", json!({}));
    assert_eq!(
        (&dry["checked"], &dry["is_done"]),
        (&json!(4), &json!(false))
    );
    assert_eq!(dry["tapes"].as_array().unwrap().len(), 1, "{dry}");
    assert_eq!(dry["tapes"][0]["tape_id"], "sh/greet");
    let places = dry["tapes"][0]["places"].to_string();
    assert!(
        places.contains("exchanges[1].output") && places.contains("comment in line"),
        "{places}"
    );
    assert_eq!(fs::read_to_string(bench.file("sh/greet")).unwrap(), before);

    let done = bench.call("tape.redact", json!({"tape": "greet", "inplace": true}));
    assert_eq!(
        (&done["is_done"], &done["tapes"][0]["removed"]),
        (&json!(true), &dry["tapes"][0]["removed"])
    );
    let after = fs::read_to_string(bench.file("sh/greet")).unwrap();
    assert!(!after.contains("ghp_"), "{after}");
    assert!(
        after.starts_with("// Written by hand") && after.contains("// hi Ann\\r\\n"),
        "{after}"
    );
    assert!(
        after.contains("note: \"the whole conversation\""),
        "{after}"
    );
    let again = bench.call("tape.redact", json!({"tape": "greet", "inplace": true}));
    assert_eq!(again["tapes"], json!([]));
}

#[test]
fn tapes_are_compared_without_what_differs_from_run_to_run() {
    let bench = TapeTest::new();
    fs::copy(bench.file("sh/greet"), bench.file("sh/other")).unwrap();
    let same = bench.call("tape.diff", json!({"a": "sh/greet", "b": "sh/other"}));
    assert_eq!((&same["equal"], &same["diff"]), (&json!(true), &json!("")));
    bench.edit(
        "sh/other",
        "{ code: 3, signal: null }",
        "{ code: 4, signal: null }",
    );
    let differ = bench.call("tape.diff", json!({"a": "sh/greet", "b": "sh/other"}));
    assert_eq!(differ["equal"], false);
    let diff = differ["diff"].as_str().unwrap();
    assert!(diff.starts_with("--- sh/greet\n+++ sh/other\n"), "{diff}");
    assert!(diff.contains("\n-exit 3\n+exit 4\n"), "{diff}");
}

#[test]
fn a_tape_goes_out_as_an_asciicast_and_comes_in_again() {
    let bench = TapeTest::new();
    let cast = bench.call(
        "tape.export",
        json!({"tape": "greet", "format": "asciicast_v3"}),
    );
    assert_eq!(cast["is_lossy"], false);
    let text = cast["text"].as_str().unwrap();
    assert!(text.ends_with("[0.000, \"x\", \"3\"]\n"), "{text}");
    let back = bench.call("tape.import", json!({"cast": text, "tag": "back again"}));
    assert_eq!(
        back["warnings"],
        json!(["not imported, because tapes have no place for it: term.type, env.TERM"])
    );
    let id = back["tape_id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("sh/back-again-20260102T030405Z-"), "{id}");
    // It is listed at once, and only its owner can read it.
    assert!(bench.ids().contains(&id));
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(bench.file(&id)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let same = bench.call("tape.diff", json!({"a": "sh/greet", "b": id}));
    assert_eq!(same["equal"], true, "{same}");
    let tape = bench.call("tape.get", json!({"tape": id}));
    assert_eq!(tape["exchanges"][1]["prompt"], "name? ");
    assert_eq!(
        tape["exchanges"][1]["state_hash"].as_str().unwrap().len(),
        16
    );

    let transcript = bench.call(
        "tape.export",
        json!({"tape": "greet", "format": "transcript"}),
    );
    assert_eq!(transcript["text"], "name? Ann\nhi Ann\n[exit 3]\n");

    for (params, expected) in [
        (json!({}), "invalid_argument"),
        (json!({"cast": "x", "path": "/x"}), "invalid_argument"),
        (json!({"path": "x.cast"}), "invalid_argument"),
        (json!({"cast": "x", "args": ["y"]}), "invalid_argument"),
        (json!({"cast": "nonsense"}), "tape_invalid"),
        (
            json!({"cast": "{\"version\": 2, \"width\": 80, \"height\": 24}"}),
            "tape_invalid",
        ),
    ] {
        let error = bench.try_call("tape.import", params.clone()).unwrap_err();
        assert_eq!(kind(&error), expected, "{params}");
    }
}

#[test]
fn a_tape_is_drawn_as_a_still_and_as_an_animation() {
    let bench = TapeTest::new();
    let first = bench.call("tape.svg", json!({"tape": "greet", "exchange": 0}));
    let svg = first["svg"].as_str().unwrap();
    assert!(svg.contains(">name?") && !svg.contains(">hi Ann"), "{svg}");
    let moving = bench.call(
        "tape.svg",
        json!({"tape": "greet", "animated": true, "speed": 2}),
    );
    let svg = moving["svg"].as_str().unwrap();
    assert!(
        svg.contains("@keyframes") && svg.contains(">hi Ann</text>"),
        "{svg}"
    );
    assert!(moving["frames"].as_u64().unwrap() >= 2);
    for params in [
        json!({"tape": "greet", "exchange": 2}),
        json!({"tape": "greet", "animated": true, "speed": 0}),
        json!({"tape": "greet", "animated": true, "idle_limit_s": -1}),
        json!({"tape": "greet", "animated": true, "end_pause_s": 1e9}),
    ] {
        let error = bench.try_call("tape.svg", params.clone()).unwrap_err();
        assert_eq!(kind(&error), "invalid_argument", "{params}");
    }
}

#[test]
fn the_real_program_is_compared_with_its_tape() {
    let bench = TapeTest::new();
    let job = bench.verify(json!({"tape": "greet"}));
    let same = json!({"tape_id": "sh/greet", "same": true, "exchanges": 2, "drifts": []});
    assert_eq!(job["result"], same, "{job}");

    // First the output on the tape is changed ("hi Ann" to "ho Ann"), then the exit status.
    bench.edit("sh/greet", "aGkgQW5uDQo=", "aG8gQW5uDQo=");
    let result = bench.verify(json!({"tape": "greet"}))["result"].clone();
    assert_eq!(result["same"], false);
    let drift = &result["drifts"][0];
    assert_eq!(
        (&drift["index"], &drift["input"], &drift["what"]),
        (&json!(1), &json!("Ann"), &json!("output"))
    );
    let diff = drift["diff"].as_str().unwrap();
    assert!(diff.contains("-ho Ann\n+hi Ann\n"), "{diff}");
    bench.edit("sh/greet", "aG8gQW5uDQo=", "aGkgQW5uDQo=");
    bench.edit("sh/greet", "code: 3", "code: 0");
    let result = bench.verify(json!({"tape": "greet"}))["result"].clone();
    assert_eq!(result["drifts"][0]["what"], "exit", "{result}");
    assert!(
        result["drifts"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("+exit 3"),
        "{result}"
    );

    bench.edit(
        "sh/greet",
        "program: \"sh\"",
        "program: \"no-such-program\"",
    );
    let job = bench.verify(json!({"tape": "greet"}));
    assert_eq!(job["state"], "failed");
    assert!(
        job["error"].to_string().contains("no-such-program"),
        "{job}"
    );
}

#[test]
fn what_was_typed_hidden_has_to_be_given_to_compare_a_program() {
    let bench = TapeTest::new();
    let result = bench.verify(json!({"tape": "password"}))["result"].clone();
    assert_eq!(
        (&result["same"], &result["exchanges"]),
        (&json!(false), &json!(1)),
        "{result}"
    );
    assert_eq!(result["drifts"][0]["what"], "hidden");
    assert!(result["not_compared"].as_u64() > Some(0), "{result}");
    let result =
        bench.verify(json!({"tape": "password", "secrets": ["hunter2"]}))["result"].clone();
    assert_eq!(result["same"], true, "{result}");
}

#[test]
fn tapes_that_nothing_has_played_are_removed_only_when_that_is_asked_for() {
    let bench = TapeTest::new();
    let told = bench.call("tape.prune", json!({}));
    assert_eq!(
        (&told["is_done"], told["tapes"].as_array().unwrap().len()),
        (&json!(false), 4)
    );
    let dry = bench.call("tape.prune", json!({"unused": true, "dry_run": true}));
    assert_eq!(dry["is_done"], false);
    assert_eq!(bench.ids().len(), 4);
    let young = bench.call("tape.prune", json!({"unused": true, "older_than_s": 1e9}));
    assert_eq!(young["tapes"], json!([]));
    let error = bench
        .try_call("tape.prune", json!({"older_than_s": -1}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
    let done = bench.call("tape.prune", json!({"unused": true}));
    assert_eq!(
        (&done["is_done"], done["tapes"].as_array().unwrap().len()),
        (&json!(true), 4)
    );
    assert_eq!(bench.ids(), [""; 0]);
    assert!(!bench.root.join("sh").exists());
}

#[test]
fn a_program_is_brought_to_where_its_tape_begins() {
    let bench = TapeTest::new();
    let args = [
        "-c",
        "while printf '> '; read line; do echo \"got $line\"; done",
    ];
    let header = json!({"version": 3, "term": {"cols": 80, "rows": 24}});
    let events = [
        json!([0.1, "o", "> "]),
        json!([0.1, "i", "a\r"]),
        json!([0.1, "o", "a\r\ngot a\r\n> "]),
        json!([0.1, "i", "b\r"]),
        json!([0.1, "o", "b\r\ngot b\r\n> "]),
    ];
    let cast = [header]
        .iter()
        .chain(&events)
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let whole = bench.call(
        "tape.import",
        json!({"cast": cast, "program": "sh", "args": args}),
    );
    let id = whole["tape_id"].as_str().unwrap();
    let state = bench.call("tape.get", json!({"tape": id}))["exchanges"][2]["state_hash"].clone();
    // A tape that continues the conversation after this exchange.
    let rest = json!({
        "meta": {"program": "sh", "args": args, "pty": {"rows": 24, "cols": 80}},
        "exchanges": [{
            "pre": {"prompt": "> ", "stateHash": state},
            "input": {"type": "line", "dataText": "b"},
            "output": {"chunks": [{"dataText": "b\r\ngot b\r\n> "}]},
        }],
    });
    fs::write(bench.file("sh/rest"), rest.to_string()).unwrap();
    let result = bench.verify(json!({"tape": "sh/rest"}))["result"].clone();
    let same = json!({"tape_id": "sh/rest", "same": true, "exchanges": 1, "drifts": []});
    assert_eq!(result, same);

    fs::remove_file(bench.file(id)).unwrap();
    let error = eventually("the index has noticed the change", || {
        let verified = bench.try_call("tape.verify", json!({"tape": "sh/rest"}));
        // Until then, the index still lists the tape before it, whose file has been deleted.
        verified
            .err()
            .filter(|error| kind(error) != "tape_not_found")
    });
    assert_eq!(kind(&error), "invalid_argument", "{error}");
}
