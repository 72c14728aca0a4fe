//! All conversations: lists, search, sums, and an index that is as new as its files.

use crate::conversation::library::{Library, assistant, call, result, user};
use crate::support::eventually::rounds;
use crate::support::secrets::cases;
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

fn session(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

/// A conversation with 2 messages of an assistant.
fn lines(number: usize) -> Vec<String> {
    let session = session(number);
    let uuid = |at: usize| format!("u{number}-{at}");
    let tool = format!("t{number}");
    vec![
        user(
            &session,
            &uuid(1),
            &format!("Please sort the needle{number} list"),
        ),
        call(
            &session,
            &uuid(2),
            &tool,
            "Bash",
            json!({"command": format!("sort needle{number}.txt")}),
        ),
        result(
            &session,
            &uuid(3),
            &tool,
            "sort: cannot read",
            json!("Error: 2"),
        ),
        assistant(
            &session,
            &uuid(4),
            &format!("m{number}"),
            "It is not there, Ünïcode.",
            30,
        ),
    ]
}

fn filled(count: usize) -> Library {
    let library = Library::new();
    for number in 0..count {
        library.write(&library.path(&session(number)), &lines(number));
    }
    library
}

#[test]
fn conversations_are_listed_with_what_they_cost() {
    let library = filled(3);
    let list = library.call("conversation.list", json!({"limit": 2}));
    assert_eq!(list["total"], 3);
    let one = &list["conversations"][0];
    assert_eq!(
        (
            &one["project"],
            &one["turns"],
            &one["errors"],
            &one["model"]
        ),
        (
            &json!("shop"),
            &json!(3),
            &json!(1),
            &json!("claude-opus-4-5-20251101")
        )
    );
    assert_eq!(one["usage"]["total"]["output_tokens"], 35);
    // Nobody has named it.
    let title = one["title"].as_str().unwrap();
    assert!(title.starts_with("Please sort the needle"), "{title}");
    // 20 tokens of input at 5 and 35 of output at 25 dollars per million.
    let cost = one["cost_usd"].as_f64().unwrap();
    assert!(
        (cost - (20.0 * 5.0 + 35.0 * 25.0) / 1e6).abs() < 1e-12,
        "{cost}"
    );
    let before = &list["conversations"][1]["session_id"];
    let rest = library.call("conversation.list", json!({"before": before}));
    assert_eq!(rest["conversations"].as_array().unwrap().len(), 1);
    let unknown = json!({"before": session(99)});
    let error = library.try_call("conversation.list", unknown).unwrap_err();
    assert_eq!(error["data"]["kind"], "conversation_not_found", "{error}");
    assert!(error["message"].as_str().unwrap().contains(&session(99)));
    let text = library.ok(&["list"]);
    assert_eq!(text.lines().count(), 4, "{text}");
    for (scope, count) in [
        (json!({"project": "/srv"}), 3),
        (json!({"project": "/srv/sho"}), 0),
        (json!({"since": "2026-03-03"}), 0),
        (json!({"since": "2026-03-01T08:00:02Z"}), 3),
        (json!({"since": "2026-03-01T08:00:03Z"}), 0),
        (json!({"until": "2026-03-03", "branch": "main"}), 3),
        (json!({"until": "2026-02-28"}), 0),
    ] {
        let list = library.call("conversation.list", scope.clone());
        assert_eq!(list["total"], count, "{scope}");
    }
    for wrong in ["soon", "2026-13-01", "2026-1-1"] {
        let ran = library.ccctl(&["list", "--since", wrong]);
        assert_eq!(ran.code, Some(2), "{wrong} {ran:?}");
    }
}

#[test]
fn a_date_is_a_day_of_the_time_zone_of_the_daemon() {
    // 08:00:02 in UTC is 22:00:02 of the day before there.
    let library = Library::in_zone("XXX10");
    library.write(&library.path(&session(0)), &lines(0));
    for (since, count) in [("2026-02-28", 1), ("2026-03-01", 0)] {
        let list = library.call("conversation.list", json!({"since": since}));
        assert_eq!(list["total"], count, "{since}");
    }
    let stats = library.call("conversation.stats", json!({"by": "day"}));
    assert_eq!(stats["groups"][0]["key"], "2026-02-28");
}

#[test]
fn records_are_found_by_words_phrases_and_filters_and_sums_are_grouped() {
    let library = filled(2);
    for (params, found) in [
        (json!({"query": "needle1"}), &["u1-1", "u1-2"][..]),
        (json!({"query": "NEEDLE1 list"}), &["u1-1"]),
        (json!({"query": "\"please sort\" -needle0"}), &["u1-1"]),
        (
            json!({"query": "unicode", "session": session(0)}),
            &["u0-4"],
        ),
        (
            json!({"query": "sort", "role": "assistant"}),
            &["u0-2", "u1-2"],
        ),
        (
            json!({"query": "sort", "tool": "Bash", "session": session(1)}),
            &["u1-2", "u1-3"],
        ),
        (
            json!({"query": "sort", "status": "error"}),
            &["u0-2", "u0-3", "u1-2", "u1-3"],
        ),
        (json!({"query": "sort", "status": "pending"}), &[]),
        (json!({"query": "sort", "status": "sub_agent"}), &[]),
        (json!({"query": "needle1", "model": "opus"}), &["u1-2"]),
        (
            json!({"query": "sort", "session": "00000001-"}),
            &["u1-1", "u1-2", "u1-3"],
        ),
        (json!({"query": "sort OR list"}), &[]),
        // Names of members are not text.
        (json!({"query": "command"}), &[]),
    ] {
        assert_eq!(library.found(params.clone()), found, "{params}");
    }
    let reply = library.call("conversation.search", json!({"query": "needle1 list"}));
    assert_eq!(reply["hits"][0]["snippet"], "Please sort the needle1 list");
    assert_eq!(
        library.call("conversation.search", json!({"query": "sort", "limit": 1}))["total"],
        6
    );
    for (session, code) in [
        ("00000002", ErrorCode::ConversationNotFound),
        ("000", ErrorCode::ConversationNotFound),
        ("0000", ErrorCode::InvalidArgument),
    ] {
        let params = json!({"query": "sort", "session": session});
        let error = library.try_call("conversation.search", params).unwrap_err();
        assert_eq!(error["code"], code as i32, "{error}");
    }
    let ran = library.ccctl(&["search", "*"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        library
            .ok(&["search", "needle1", "list"])
            .contains("needle1 list")
    );

    // Sums are grouped.
    for (by, keys) in [
        ("day", vec!["2026-03-01"]),
        ("project", vec!["/srv/shop"]),
        ("branch", vec!["main"]),
        ("model", vec!["claude-opus-4-5-20251101"]),
        ("tool", vec!["Bash"]),
    ] {
        let stats = library.call("conversation.stats", json!({"by": by}));
        let groups = stats["groups"].as_array().unwrap();
        let found: Vec<&str> = groups
            .iter()
            .map(|group| group["key"].as_str().unwrap())
            .collect();
        assert_eq!(found, keys, "{by}");
    }
    let stats = library.stats();
    assert_eq!(
        (&stats["tool_calls"], &stats["tool_errors"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(
        (&stats["conversations"], &stats["messages"]),
        (&json!(2), &json!(4))
    );
    assert!(
        library
            .ok(&["stats", "--by", "model"])
            .contains("claude-opus-4-5-20251101")
    );
}

#[test]
fn each_message_counts_once_however_files_are_copied_cut_and_appended() {
    let library = filled(2);
    let expected = [40, 70, 0, 0];
    assert_eq!(library.tokens(), expected);
    // A fork: the same messages in another file, under another session.
    let copy = library.path(&session(7));
    let text = fs::read_to_string(library.path(&session(1))).unwrap();
    fs::write(&copy, text.replace(&session(1), &session(7))).unwrap();
    assert_eq!(library.tokens(), expected);
    fs::remove_file(&copy).unwrap();
    assert_eq!(library.tokens(), expected);
    // A third one that grows byte by byte, as far as lines are concerned.
    let grown = library.path(&session(2));
    let text: String = lines(2).iter().map(|line| format!("{line}\n")).collect();
    for part in text.as_bytes().chunks(97) {
        library.append(&grown, part);
        library.tokens();
    }
    assert_eq!(library.tokens(), [60, 105, 0, 0]);
    assert_eq!(library.found(json!({"query": "needle2"})), ["u2-1", "u2-2"]);
    // Written anew in place, as long as before.
    let text = fs::read_to_string(&grown).unwrap();
    fs::write(&grown, text.replace("needle2", "needle5")).unwrap();
    assert!(library.found(json!({"query": "needle2"})).is_empty());
    assert_eq!(library.found(json!({"query": "needle5"})), ["u2-1", "u2-2"]);
    assert_eq!(library.tokens(), [60, 105, 0, 0]);
    // Replaced, and shorter.
    library.write(&grown, &lines(3)[..1]);
    assert_eq!(library.tokens(), expected);
    assert!(library.found(json!({"query": "needle5"})).is_empty());
    assert_eq!(library.found(json!({"query": "needle3"})), ["u3-1"]);
}

#[test]
fn sub_agents_count_by_their_records_or_by_what_their_result_says() {
    let library = Library::new();
    let id = session(0);
    let report = json!({"status": "completed", "agentId": "a1", "usage": {"input_tokens": 700, "output_tokens": 70}});
    library.write(
        &library.path(&id),
        &[
            call(&id, "u1", "t1", "Agent", json!({"prompt": "go"})),
            result(&id, "u2", "t1", "went", report),
        ],
    );
    assert_eq!(library.tokens(), [710, 75, 700, 70]);
    // They have no price.
    let get = library.call("conversation.get", json!({"session": id}));
    let list = library.call("conversation.list", json!({}));
    for reply in [&get, &list["conversations"][0]] {
        assert_eq!(reply["usage"]["subagents"]["output_tokens"], 70);
        assert_eq!(reply["cost_usd"], Value::Null);
    }
    let agent = library.agent_path(&id, "a1");
    library.write(&agent, &[assistant(&id, "s1", "ms1", "going", 9)]);
    fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t1"}"#).unwrap();
    assert_eq!(library.tokens(), [20, 14, 10, 9]);
    assert_eq!(
        library.found(json!({"query": "going", "status": "sub_agent"})),
        ["s1"]
    );
}

#[test]
fn calls_of_an_advisor_count_at_its_prices_and_those_of_a_compaction_at_the_models() {
    let library = Library::new();
    let iterations = json!([{"type": "message", "input_tokens": 10, "output_tokens": 5},
        {"type": "advisor_message", "model": "claude-haiku-4-5", "input_tokens": 300, "output_tokens": 40},
        {"type": "compaction", "input_tokens": 100, "output_tokens": 20}]);
    let lines = ["u1", "u2"].map(|uuid| {
        let mut line: Value =
            serde_json::from_str(&assistant(&session(0), uuid, "m1", "x", 5)).unwrap();
        line["message"]["usage"]["iterations"] = iterations.clone();
        line.to_string()
    });
    library.write(&library.path(&session(0)), &lines);
    assert_eq!(library.tokens(), [410, 65, 0, 0]);
    let stats = library.call("conversation.stats", json!({"by": "model"}));
    assert_eq!(stats["messages"], 1);
    let group = |at: usize| {
        let group = &stats["groups"][at];
        (group["key"].clone(), group["usage"]["input_tokens"].clone())
    };
    assert_eq!(group(0), (json!("claude-haiku-4-5"), json!(300)));
    assert_eq!(group(1), (json!("claude-opus-4-5-20251101"), json!(110)));
    // Opus at 5 and 25, Haiku at 1 and 5 dollars per million.
    let expected = (110.0 * 5.0 + 25.0 * 25.0 + 300.0 + 40.0 * 5.0) / 1e6;
    let whole = library.call("conversation.get", json!({"session": session(0)}));
    for cost in [&stats["cost_usd"], &whole["cost_usd"]] {
        assert!((cost.as_f64().unwrap() - expected).abs() < 1e-12, "{cost}");
    }
    assert_eq!(whole["usage"], stats["usage"]);
    assert_eq!(whole["turns"][0]["usage"]["output_tokens"], 65);
}

#[test]
fn a_model_without_a_price_costs_nothing_that_is_known() {
    let library = Library::new();
    let line =
        assistant(&session(0), "u1", "m1", "x", 5).replace("claude-opus-4-5-20251101", "my-model");
    library.write(&library.path(&session(0)), &[line]);
    let stats = library.stats();
    assert_eq!(
        (&stats["cost_usd"], &stats["unpriced_models"]),
        (&Value::Null, &json!(["my-model"]))
    );
    let list = library.call("conversation.list", json!({}));
    assert_eq!(list["conversations"][0]["cost_usd"], Value::Null);
}

#[test]
fn no_secret_is_found_or_in_the_file_of_the_index() {
    let mut library = Library::new();
    let cases = cases();
    let records = cases.iter().enumerate().flat_map(|(at, case)| {
        let (said, command, id) = (format!("u{at}"), format!("c{at}"), session(0));
        let tool = format!("t{at}");
        [
            user(&id, &said, &format!("marker\n{}", case.text)),
            call(
                &id,
                &command,
                &tool,
                "Bash",
                json!({"command": case.text, "note": "marker"}),
            ),
        ]
    });
    library.write(&library.path(&session(0)), &records.collect::<Vec<_>>());
    for (at, case) in cases.iter().enumerate() {
        let id = session(at + 1);
        library.write(
            &library.path(&id),
            &[user(&id, &format!("p{at}"), &case.text)],
        );
    }
    let reply = library.call(
        "conversation.search",
        json!({"query": "marker", "limit": 200}),
    );
    assert_eq!(reply["total"], 2 * cases.len());
    let titles = library.call("conversation.list", json!({"limit": 1000}));
    let snippets = format!("{}{titles}", reply["hits"]);
    assert!(library.daemon.stop().success());
    let index = fs::read(library.daemon.home().join("conversations.sqlite")).unwrap();
    for secret in cases.iter().flat_map(|case| &case.secrets) {
        assert!(!snippets.contains(secret.as_str()), "{secret}");
        assert!(
            memchr::memmem::find(&index, secret.as_bytes()).is_none(),
            "{secret}"
        );
    }
}

#[test]
fn a_first_index_that_is_killed_goes_on_and_equals_a_fresh_one() {
    let count = 60;
    let mut library = filled(count);
    let long = "word ".repeat(20_000);
    for number in 0..count {
        let text = format!("{}\n", user(&session(number), &format!("l{number}"), &long));
        library.append(&library.path(&session(number)), text.as_bytes());
    }
    let answers = |library: &Library| {
        let hits = library.found(json!({"query": "needle7"}));
        let stats = library.stats();
        let words = library.call("conversation.search", json!({"query": "word", "limit": 1}));
        (
            hits,
            stats["usage"].clone(),
            stats["messages"].clone(),
            words["total"].clone(),
        )
    };
    let fresh = answers(&library);
    assert_eq!(fresh.3, count);
    for round in 0..rounds() {
        library.daemon.kill();
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(
                library
                    .daemon
                    .home()
                    .join(format!("conversations.sqlite{end}")),
            );
        }
        library.daemon.restart();
        let mut connection = library.daemon.connect();
        let request =
            json!({"jsonrpc": "2.0", "id": 1, "method": "conversation.stats", "params": {}});
        let moment = Instant::now() + Duration::from_millis(5 + 23 * (round as u64 % 10));
        connection.send_raw(format!("{request}\n").as_bytes());
        // Not a wait for anything: it is to be killed wherever it is.
        while Instant::now() < moment {
            std::thread::yield_now();
        }
        library.daemon.kill();
        library.daemon.restart();
        assert_eq!(answers(&library), fresh, "round {round}");
    }
}

#[test]
fn a_transcript_that_cannot_be_read_is_named_until_it_can() {
    if rustix::process::geteuid().is_root() {
        return; // who can read everything
    }
    let library = filled(2);
    let path = library.path(&session(1));
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let reply = library.call("conversation.list", json!({}));
    assert_eq!(reply["total"], 1);
    assert_eq!(reply["unreadable"]["count"], 1);
    for command in [&["list"][..], &["stats"], &["search", "needle0"]] {
        let ran = library.ccctl(command);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let named = format!("{} (Permission denied", path.display());
        assert!(ran.stderr.contains(&named), "{ran:?}");
    }
    set(0o600);
    let reply = library.call("conversation.list", json!({}));
    assert_eq!(
        (&reply["total"], &reply["unreadable"]),
        (&json!(2), &Value::Null)
    );
}

#[test]
fn hostile_directories_harm_nothing() {
    let library = filled(1);
    let projects = library.path(&session(0)).parent().unwrap().to_owned();
    fs::write(projects.join("empty.jsonl"), "").unwrap();
    fs::write(projects.join("nul.jsonl"), vec![0; 10_000]).unwrap();
    fs::write(projects.join("long.jsonl"), vec![b'x'; 3 << 20]).unwrap();
    fs::write(projects.join("bytes.jsonl"), b"\xff\xfe\n{\"type\":\"user\",\"uuid\":\"b\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"odd\xffword\"}}\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", projects.join("link.jsonl")).unwrap();
    fs::create_dir(projects.join("folder.jsonl")).unwrap();
    assert_eq!(library.tokens(), [20, 35, 0, 0]);
    assert_eq!(library.found(json!({"query": "odd"})), ["b"]);
    assert!(library.found(json!({"query": "root"})).is_empty());
}
