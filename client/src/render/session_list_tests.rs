//! How lists of sessions look.

use super::super::line::width;
use super::super::session::tests::{ago, record};
use super::*;
use crate::render::Style;
use serde_json::json;

fn all() -> Vec<Value> {
    let waiting = |hidden: bool| json!({"verdict": "blocked", "hidden": hidden, "how": "read"});
    let attached = json!([
        {"client": "ccctl", "read_only": false, "since": "2026-01-02T03:04:05.678Z"},
        {"client": "web", "pid": 7, "read_only": true, "since": "2026-01-02T03:04:05.678Z"},
    ]);
    vec![
        record(&json!({"waiting_for_input": waiting(false)})),
        record(
            &json!({"name": "db", "waiting_for_input": waiting(true), "attached": attached,
            "program": "psql", "args": ["世界", "a\u{1b}b"],
            "last_activity": ago(61)}),
        ),
        record(&json!({"name": "old", "state": "dead", "signal": 15, "end_reason": "closed"})),
        record(&json!({"name": "bad", "state": "dead", "exitstatus": 3, "end_reason": "exited"})),
    ]
}

fn in_width(width: Option<usize>) -> Vec<String> {
    let list = SessionList::new(&all(), width);
    let lines = std::iter::once(list.heading).chain(list.rows);
    lines.map(|line| line.painted(Style::default())).collect()
}

#[test]
fn a_list_tells_who_waits_and_who_is_attached() {
    assert_eq!(
        in_width(Some(110)),
        [
            "ID  NAME  STATE               WAITS   AGE  IDLE  OUTPUT  ATTACHED        PROGRAM",
            "k3        alive               yes     1h   1h    2B                      sh -c 'it'\\''s'",
            "k3  db    alive               hidden  1h   1m    2B      ccctl,(web[7])  psql 世界 'a\\u{1b}b'",
            "k3  old   signal 15 (closed)          1h   1h    2B                      sh -c 'it'\\''s'",
            "k3  bad   exited 3                    1h   1h    2B                      sh -c 'it'\\''s'",
        ]
    );
}

#[test]
fn who_has_started_a_session_is_shown_if_it_was_another_client() {
    let mut sessions = all();
    sessions.truncate(2);
    sessions[0]["created_by"] = json!("ccctl");
    sessions[1]["created_by"] = json!("claude-code");
    let list = SessionList::new(&sessions, None);
    let painted = |line: &Line| line.painted(Style::default());
    assert!(painted(&list.heading).contains("  ATTACHED        BY           PROGRAM"));
    assert!(painted(&list.rows[0]).contains("2B                                   sh -c"));
    assert!(painted(&list.rows[1]).contains("  claude-code  psql"));
}

#[test]
fn without_room_ids_stand_for_missing_names() {
    let lines = in_width(Some(60));
    assert_eq!(
        lines[..3],
        [
            "NAME  STATE               WAITS   IDLE  PROGRAM",
            "k3    alive               yes     1h    sh -c 'it'\\''s'",
            "db    alive               hidden  1m    psql 世界 'a\\u{1b}b'",
        ]
    );
}

#[test]
fn a_list_fits_every_width() {
    for columns in 0..120 {
        for line in in_width(Some(columns)) {
            assert!(width(&line) <= columns, "{columns}: {line}");
        }
    }
    assert!(in_width(Some(20))[2].starts_with("db"));
}

#[test]
fn what_has_ended_is_dim_and_a_failure_is_not() {
    let list = SessionList::new(&all(), None);
    let style = Style::COLOURED;
    let shown = |row: &Line| crate::writer::visible(&row.painted(style));
    let lines: Vec<String> = list.rows.iter().map(shown).collect();
    assert!(lines[0].contains("\x1b[32malive"), "{:?}", lines[0]);
    assert!(lines[0].contains("\x1b[33myes"), "{:?}", lines[0]);
    assert!(lines[2].contains("\x1b[2msignal 15"), "{:?}", lines[2]);
    assert!(lines[3].contains("\x1b[31mexited 3"), "{:?}", lines[3]);
    assert!(lines[3].contains("\x1b[2mbad"), "{:?}", lines[3]);
}
