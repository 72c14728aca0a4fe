//! A conversation with whole records.

use super::library::{Library, user};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const ID: &str = "00000000-0000-4000-8000-000000000000";

#[derive(Deserialize)]
struct Document {
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    records: Vec<Box<RawValue>>,
}

fn records(text: &str) -> Vec<String> {
    let document: Document = serde_json::from_str(text).unwrap();
    let turns = document.turns.into_iter();
    let records = turns.flat_map(|turn| turn.records);
    records.map(|record| record.get().to_owned()).collect()
}

/// Returns the records of a transcript as they are in the file: the longest line of each uuid.
fn lines(path: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    // A line without an end is not complete.
    let text = &text[..=text.rfind('\n').unwrap()];
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let Ok(record) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        // The main conversation has records of sub-agents in reports of their progress.
        let about = if record["data"]["type"] == "agent_progress" {
            &record["data"]["message"]
        } else {
            &record
        };
        let has_session = record["sessionId"].is_string() || record["session_id"].is_string();
        let (true, true, Some(uuid)) = (
            about["type"] == "user" || about["type"] == "assistant",
            has_session,
            about["uuid"].as_str(),
        ) else {
            continue;
        };
        match lines.iter_mut().find(|(known, _)| known == uuid) {
            Some((_, known)) if line.len() > known.len() => line.clone_into(known),
            Some(_) => {}
            None => lines.push((uuid.to_owned(), line.to_owned())),
        }
    }
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    lines.sort();
    lines
}

fn fixtures() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_crate = dir.join("../daemon/crates/conversation/tests/fixtures");
    let mut found: Vec<PathBuf> = fs::read_dir(of_crate)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    found.push(dir.join("fixtures/claude_2.1.330/friction.transcript.jsonl"));
    found
}

#[test]
fn records_are_in_their_turns_as_they_are_in_the_file() {
    let library = Library::new();
    let fixtures = fixtures();
    assert!(fixtures.len() > 8);
    for path in fixtures {
        let text = library.ok(&["get", path.to_str().unwrap(), "--raw"]);
        let mut found = records(&text);
        found.sort();
        assert_eq!(found, lines(&path), "{}", path.display());
    }
    // What a parser would write in another way, and a secret.
    let line = r#"{"uuid" : "u1","type":"user", "sessionId":"s","cost":1.10e2,"message":{"content":"\u00e4 \ud83d \/ password=hunter2","role":"user"},"big":12345678901234567890123}"#;
    library.write(&library.path(ID), &[line.to_owned()]);
    let text = library.ok(&["get", &ID[..6], "--raw"]);
    assert_eq!(records(&text), [line]);
    let page = json!({"session": ID, "raw": true, "redact": true});
    let page = library.call("conversation.turns", page);
    let record = &page["turns"][0]["records"][0];
    assert!(
        record.is_object() && !record.to_string().contains("hunter2"),
        "{page}"
    );
    let refused = library.ccctl(&["show", ID, "--raw", "--tools"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_large_conversation_is_printed_without_being_held_in_memory() {
    let library = Library::new();
    let text = "x".repeat(20_000);
    let count = 3000;
    let all: Vec<String> = (0..count)
        .map(|number| user(ID, &format!("u{number}"), &text))
        .collect();
    library.write(&library.path(ID), &all);
    let mut client = crate::support::Ccctl::new(&library.daemon)
        .command(&["conversation", "get", ID, "--raw"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = client.stdout.take().unwrap();
    let mut printed = String::new();
    // It has printed most of it, so it has met its largest page.
    let half = (all.len() * text.len()) as u64;
    out.by_ref()
        .take(half)
        .read_to_string(&mut printed)
        .unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap().trim().trim_end_matches(" kB");
    let peak: u64 = peak.parse().unwrap();
    out.read_to_string(&mut printed).unwrap();
    assert!(client.wait().unwrap().success());
    assert_eq!(records(&printed), all);
    // 60 MB in pages of 8 MiB of records, with their texts again in blocks.
    assert!(peak < 100 << 10, "{peak} KiB");
}
