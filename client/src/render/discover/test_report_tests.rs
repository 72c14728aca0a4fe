//! How a report of tests looks.

use crate::render::printer::printed;

#[test]
fn each_test_has_a_line_and_its_findings_below() {
    let report = serde_json::json!({
        "id": "3f2a", "program": "mock", "args": ["-i"], "started_at": "", "completed_at": "", "seed": 7,
        "results": [
            {"id": "", "program": "mock", "timestamp": "", "test_type": "startup", "passed": true,
             "details": {}, "error": null},
            {"id": "", "program": "mock", "timestamp": "", "test_type": "fuzz", "passed": false,
             "details": {"findings": [{"kind": "crash", "input": "a\u{1b}[2J", "message": "ended by SIGSEGV",
                "tape": "/t/a b.json5"}, {"kind": "hang", "known": true}]},
             "error": "1 finding"},
        ],
        "summary": {"total": 2, "passed": 1, "failed": 1},
    });
    let text = printed(|out| out.reply("test.get", &report));
    assert_eq!(
        text,
        "✓ startup\n✗ fuzz          1 finding\n    crash: ended by SIGSEGV\n      input  a\\u{1b}[2J\n\
         \x20     tape   ccctl tape play '/t/a b.json5'\n    hang (known)\n\n\
         mock -i: 1 passed, 1 failed, seed 7\nreport 3f2a\n"
    );
}
