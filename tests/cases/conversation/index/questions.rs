//! All conversations: lists, search, sums, and an index that is as new as its files.

use crate::conversation::library::{Library, assistant, call, result, user};
use crate::support::secrets::cases;
use crate::support::session::assert_error;
use crate::support::{assert_fields, assert_has, rounds};
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
    let (session, tool) = (session(number), format!("t{number}"));
    let uuid = |at: usize| format!("u{number}-{at}");
    let asked = format!("Please sort the needle{number} list");
    let input = json!({"command": format!("sort needle{number}.txt")});
    let failed = json!("Error: 2");
    let (message, said) = (format!("m{number}"), "It is not there, Ünïcode.");
    vec![
        user(&session, &uuid(1), &asked),
        call(&session, &uuid(2), &tool, "Bash", input),
        result(&session, &uuid(3), &tool, "sort: cannot read", failed),
        assistant(&session, &uuid(4), &message, said, 30),
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
    assert_fields(
        one,
        json!({"project": "shop", "turns": 3, "errors": 1, "model": "claude-opus-4-5-20251101",
            "usage": {"total": {"output_tokens": 35}}}),
    );
    // Nobody has named it.
    assert_has(&one["title"], ["Please sort the needle"]);
    // 20 tokens of input at 5 and 35 of output at 25 dollars per million.
    let cost = one["cost_usd"].as_f64().unwrap() * 1e6;
    assert!((cost - (20.0 * 5.0 + 35.0 * 25.0)).abs() < 1e-6, "{cost}");
    let before = &list["conversations"][1]["session_id"];
    let rest = library.call("conversation.list", json!({"before": before}));
    assert_eq!(rest["conversations"].as_array().unwrap().len(), 1);
    let unknown = json!({"before": session(99)});
    let error = library.try_call("conversation.list", unknown).unwrap_err();
    assert_error(&error, ErrorCode::ConversationNotFound);
    assert_has(&error["message"], [session(99)]);
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
    for (age, lines) in [("1s", 0), ("99999d", 4)] {
        let text = library.ok(&["list", "--since", age]);
        assert_eq!(text.lines().count(), lines, "{text}");
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
    // The filters are tested with the index.
    for (params, found) in [
        (json!({"query": "needle1"}), "u1-1 u1-2"),
        (json!({"query": "NEEDLE1 list"}), "u1-1"),
        (json!({"query": "\"please sort\" -needle0"}), "u1-1"),
        (json!({"query": "unicode", "session": session(0)}), "u0-4"),
        (json!({"query": "sort", "role": "assistant"}), "u0-2 u1-2"),
        (
            json!({"query": "sort", "session": "00000001-"}),
            "u1-1 u1-2 u1-3",
        ),
        (json!({"query": "sort OR list"}), ""),
        // Names of members are not text.
        (json!({"query": "command"}), ""),
    ] {
        assert_eq!(library.found(params.clone()).join(" "), found, "{params}");
    }
    let search = |params: Value| library.call("conversation.search", params);
    let reply = search(json!({"query": "needle1 list"}));
    assert_eq!(reply["hits"][0]["snippet"], "Please sort the needle1 list");
    assert_eq!(search(json!({"query": "sort", "limit": 1}))["total"], 6);
    for (session, code) in [
        ("00000002", ErrorCode::ConversationNotFound),
        ("000", ErrorCode::ConversationNotFound),
        ("0000", ErrorCode::InvalidArgument),
    ] {
        let params = json!({"query": "sort", "session": session});
        let error = library.try_call("conversation.search", params).unwrap_err();
        assert_error(&error, code);
    }
    let ran = library.ccctl(&["search", "*"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let found = library.ok(&["search", "needle1", "list"]);
    assert_has(&found, ["needle1 list"]);

    // Sums are grouped.
    for (by, key) in [
        ("day", "2026-03-01"),
        ("project", "/srv/shop"),
        ("branch", "main"),
        ("model", "claude-opus-4-5-20251101"),
        ("tool", "Bash"),
    ] {
        let stats = library.call("conversation.stats", json!({"by": by}));
        let groups = stats["groups"].as_array().unwrap();
        assert_eq!((groups.len(), &groups[0]["key"]), (1, &json!(key)), "{by}");
    }
    assert_fields(
        &library.stats(),
        json!({"tool_calls": 2, "tool_errors": 2, "conversations": 2, "messages": 4}),
    );
    let stats = library.ok(&["stats", "--by", "model"]);
    assert_has(&stats, ["claude-opus-4-5-20251101"]);
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
fn no_secret_is_found_or_in_the_file_of_the_index() {
    let mut library = Library::new();
    let cases = cases();
    let records = cases.iter().enumerate().flat_map(|(at, case)| {
        let (said, command, id) = (format!("u{at}"), format!("c{at}"), session(0));
        let tool = format!("t{at}");
        let input = json!({"command": case.text, "note": "marker"});
        [
            user(&id, &said, &format!("marker\n{}", case.text)),
            call(&id, &command, &tool, "Bash", input),
        ]
    });
    library.write(&library.path(&session(0)), &records.collect::<Vec<_>>());
    for (at, case) in cases.iter().enumerate() {
        let id = session(at + 1);
        let line = user(&id, &format!("p{at}"), &case.text);
        library.write(&library.path(&id), &[line]);
    }
    let marked = json!({"query": "marker", "limit": 200});
    let reply = library.call("conversation.search", marked);
    assert_eq!(reply["total"], 2 * cases.len());
    let titles = library.call("conversation.list", json!({"limit": 1000}));
    let snippets = format!("{}{titles}", reply["hits"]);
    assert!(library.daemon.stop().success());
    let index = fs::read(library.daemon.home().join("conversations.sqlite")).unwrap();
    for secret in cases.iter().flat_map(|case| &case.secrets) {
        assert!(!snippets.contains(secret.as_str()), "{secret}");
        let found = memchr::memmem::find(&index, secret.as_bytes());
        assert_eq!(found, None, "{secret}");
    }
}

#[test]
fn a_first_index_that_is_killed_goes_on_and_equals_a_fresh_one() {
    let count = 60;
    let mut library = filled(count);
    let long = "word ".repeat(20_000);
    for number in 0..count {
        let line = user(&session(number), &format!("l{number}"), &long);
        library.add(&library.path(&session(number)), line);
    }
    let answers = |library: &Library| {
        let hits = library.found(json!({"query": "needle7"}));
        let stats = library.stats();
        let words = library.call("conversation.search", json!({"query": "word", "limit": 1}));
        let sums = json!([stats["usage"], stats["messages"]]);
        (hits, sums, words["total"].clone())
    };
    let fresh = answers(&library);
    assert_eq!(fresh.2, count);
    for round in 0..rounds() {
        library.daemon.kill();
        for end in ["", "-wal", "-shm"] {
            let name = format!("conversations.sqlite{end}");
            let _ = fs::remove_file(library.daemon.home().join(name));
        }
        library.daemon.restart();
        let mut connection = library.daemon.connect();
        let moment = Instant::now() + Duration::from_millis(5 + 23 * (round as u64 % 10));
        connection.request("conversation.stats", &json!({}));
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
    assert_fields(&reply, json!({"total": 2, "unreadable": null}));
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
