//! How tapes look.

use crate::render::printer::printed;
use crate::render::text;
use serde_json::{Value, json};

#[test]
fn a_list_has_one_word_a_column_but_for_the_last() {
    let tape = json!({"tape_id": "bc/rec-1", "program": "bc", "args": ["-q", "a b"], "exchanges": 3,
        "created_at": "2026-01-02T03:04:05Z", "bytes": 2048, "ended": "exit 0", "used": 0});
    let text = printed(|out| out.reply("tape.list", &json!({"tapes": [tape]})));
    let line = "bc/rec-1  3  2.0K  0  exit-0  2026-01-02T03:04:05Z  start  bc -q 'a b'\n";
    assert_eq!(text, line);
}

#[test]
fn a_problem_has_its_place_as_far_as_it_is_known() {
    let mut problem = json!({"path": "/t/a.json5", "line": 3, "column": 7, "message": "no base64"});
    let line = |problem: &Value| text("tape problem", problem);
    assert_eq!(line(&problem), "/t/a.json5:3:7: no base64");
    (problem["line"], problem["is_warning"]) = (Value::Null, json!(true));
    assert_eq!(line(&problem), "/t/a.json5: warning: no base64");
}

#[test]
fn a_tape_is_shown_as_it_was_seen() {
    let exchange = json!({"index": 1, "prompt": "> ", "input": "1+1\r", "output": "1+1\n2\n\u{1b}",
        "output_bytes": 9, "chunks": 1, "exit": {"code": 0}, "dur_ms": 4, "line": 12,
        "key": {"input": "1+1\n"}, "annotations": {}});
    let record = json!({"tape_id": "bc/rec-1", "path": "/t/bc/rec-1.json5",
        "meta": {"program": "bc", "args": ["-q"], "redact": false}, "session": {"version": "0.1.0"},
        "begins_in_middle": true, "begins_behind": {"tape_id": "bc/rec-0", "exchange": 2},
        "exchanges": [exchange]});
    let text = printed(|out| out.reply("tape.get", &record));
    let expected = "tape        bc/rec-1
file        /t/bc/rec-1.json5
command     bc -q
by          0.1.0
starts      mid-conversation, after exchange 2 of bc/rec-0
secrets     not removed

exchange 1, line 12: 9 bytes in 1 chunk, 4 ms, exited 0
  input     1+1\\n
> 1+1
1+1
2
\\u{1b}
";
    assert_eq!(text, expected);
}

#[test]
fn a_verdict_shows_each_drift_and_an_exchange_that_was_not_compared_is_none() {
    for (what, input, diff, not_compared, expected) in [
        (
            "output",
            "1+1\n",
            "-2\n+3\n",
            0,
            "exchange 1 (1+1): output differs\n-2\n+3\ndrift bc/rec-1: 2 exchanges, 1 with a different answer\n",
        ),
        (
            "hidden",
            "***\n",
            "give it",
            2,
            "exchange 1 (***): not compared\ngive it\nincomplete bc/rec-1: 2 exchanges, 2 not compared\n",
        ),
    ] {
        let drift = json!({"index": 1, "input": input, "what": what, "diff": diff});
        let verdict = json!({"tape_id": "bc/rec-1", "same": false, "exchanges": 2,
            "not_compared": not_compared, "different": u64::from(what == "output"), "drifts": [drift]});
        assert_eq!(printed(|out| out.reply("tape.verify", &verdict)), expected);
    }
}
