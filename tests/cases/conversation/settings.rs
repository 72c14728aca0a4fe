//! What the configuration says about conversations.

use super::library::{Library, assistant, user};
use crate::support::{eventually, kind};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const OWN: &str = "00000000-0000-4000-8000-000000000000";

/// A conversation with 10 tokens of input and `output` of output.
fn write(path: &Path, session: &str, output: u64) {
    let lines = [
        user(
            session,
            &format!("u-{session}"),
            &format!("find needle {session}"),
        ),
        assistant(
            session,
            &format!("a-{session}"),
            &format!("m-{session}"),
            "found",
            output,
        ),
    ];
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, lines.map(|line| line + "\n").concat()).unwrap();
}

/// Changes the keys of `conversations`.
fn configure(library: &Library, keys: &Value) {
    let config = json!({ "conversations": keys }).to_string();
    fs::write(library.daemon.config_path(), config).unwrap();
    library.call("daemon.reload", json!({}));
}

#[test]
fn transcripts_of_roots_count_in_each_layout_and_as_soon_as_they_are_configured() {
    let library = Library::new();
    write(&library.path(OWN), OWN, 1);
    assert_eq!(library.listed(), [OWN]);
    let backup = tempfile::tempdir().unwrap();
    let folder = |name: &str| backup.path().join(name);
    write(
        &folder("laptop/projects/-srv-a/aaaaaaaa-1.jsonl"),
        "aaaaaaaa-1",
        2,
    );
    write(&folder("desktop/-srv-b/bbbbbbbb-1.jsonl"), "bbbbbbbb-1", 4);
    write(&folder("one/cccccccc-1.jsonl"), "cccccccc-1", 8);
    let agent = folder("one/cccccccc-1/subagents/agent-x.jsonl");
    write(&agent, "cccccccc-1x", 16);
    let roots = [
        folder("laptop/"),
        folder("desktop"),
        folder("one"),
        folder("none"),
    ];
    configure(&library, &json!({ "roots": roots }));
    let all = [OWN, "aaaaaaaa-1", "bbbbbbbb-1", "cccccccc-1"];
    assert_eq!(library.listed(), all);
    assert_eq!(library.tokens()[1], 31);
    for id in all {
        let shown = library.ok(&["show", &id[..8]]);
        assert!(shown.contains(&format!("find needle {id}")), "{shown}");
    }
    // A client that has a directory of its own finds them too.
    let other = tempfile::tempdir().unwrap();
    let list = library.call("conversation.list", json!({"claude_dirs": [other.path()]}));
    assert_eq!(list["total"], 3);
    // They are followed as the user's own directory is.
    write(&folder("desktop/-srv-b/dddddddd-1.jsonl"), "dddddddd-1", 32);
    assert_eq!(library.tokens()[1], 63);
    fs::rename(folder("desktop"), folder("elsewhere")).unwrap();
    assert_eq!(library.tokens()[1], 27);
    configure(&library, &json!({}));
    assert_eq!(library.listed(), [OWN]);
}

#[test]
fn a_table_of_prices_replaces_the_built_in_one_and_a_wrong_one_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.json");
    let table = |output: f64| {
        let rates = json!({"input": 0, "output": output, "cache_write_5m": 0, "cache_write_1h": 0, "cache_read": 0});
        json!({"as_of": "2026-02-01", "models": {"claude-opus-4-5-20251101": rates}}).to_string()
    };
    let library = Library::configured(&json!({ "prices": path }));
    write(&library.path(OWN), OWN, 1000);
    let complaint = || {
        let error = library
            .try_call("conversation.stats", json!({}))
            .unwrap_err();
        assert_eq!(kind(&error), "unavailable");
        for method in ["conversation.list", "conversation.get"] {
            let other = library
                .try_call(method, json!({"session": OWN}))
                .unwrap_err();
            assert_eq!(other["message"], error["message"]);
        }
        error["message"].as_str().unwrap().to_owned()
    };
    let missing = format!("conversations.prices: {}: no such file", path.display());
    assert_eq!(complaint(), missing);
    let ran = library.ccctl(&["stats"]);
    assert!(ran.code != Some(0) && ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.contains(&missing), "{ran:?}");
    // What has no cost in it does not need prices.
    assert_eq!(library.found(json!({"query": "needle"})).len(), 1);
    let cost = || {
        let stats = library.stats();
        assert_eq!(stats["prices_as_of"], "2026-02-01");
        assert_eq!(stats["unpriced_models"], json!([]));
        let list = library.call("conversation.list", json!({}));
        assert_eq!(list["conversations"][0]["cost_usd"], stats["cost_usd"]);
        let get = library.call("conversation.get", json!({"session": OWN}));
        assert_eq!(get["cost_usd"], stats["cost_usd"]);
        stats["cost_usd"].as_f64().unwrap()
    };
    fs::write(&path, table(7.0)).unwrap();
    assert_eq!(cost(), 0.007);
    // Everything costs what the table says now, whenever it was indexed.
    fs::write(&path, table(21.5)).unwrap();
    assert_eq!(cost(), 0.0215);
    fs::write(&path, table(-1.0)).unwrap();
    let wrong = complaint();
    assert!(wrong.contains("-1 is not a number from 0"), "{wrong}");
    fs::write(&path, table(5.0)).unwrap();
    assert_eq!(cost(), 0.005);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let odd = complaint();
    assert!(odd.contains("not a file"), "{odd}");
    fs::remove_dir(&path).unwrap();
    configure(&library, &json!({}));
    let built_in = library.stats()["cost_usd"].as_f64().unwrap();
    assert!((built_in - 0.02505).abs() < 1e-12, "{built_in}");
    let log = || library.daemon.log_text().contains(&missing).then_some(());
    configure(&library, &json!({ "prices": path }));
    eventually("the log says so too", log);
}
