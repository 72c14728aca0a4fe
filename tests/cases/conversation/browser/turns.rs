//! What a turn shows: closed, open, by tool, and raw.

use super::super::library::{Library, assistant, call, result, user};
use super::sample::{ROWS, SESSION, open_page, row};
use super::search::{assert_at, search};
use crate::support::browser::Page;
use serde_json::{Value, json};

fn body(page: &mut Page, number: usize) -> String {
    page.text(&format!("{} > .body", row(number)))
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    a_closed_turn_says_what_it_is_about,
    turns_open_and_close_alone_and_together,
    metadata_tokens_and_raw_records_of_a_turn_are_there,
    results_are_shown_by_tool,
];

fn a_closed_turn_says_what_it_is_about(page: &mut Page) {
    assert_eq!(page.text("#title"), "Find why the **checkout** test fails");
    let parts = |page: &mut Page, part: &str| page.texts(&format!("#window > .row > .head {part}"));
    let roles = parts(page, ".role");
    assert_eq!(roles[..4], ["user", "assistant", "assistant", "result"]);
    let previews = parts(page, ".preview");
    assert_eq!(previews[0], "Find why the **checkout** test fails");
    assert_eq!(parts(page, ".chip b")[..3], ["Bash", "Bash", "Read"]);
    let targets = parts(page, ".chip .target");
    assert_eq!(
        targets[..3],
        ["cargo test checkout", "cargo test checkout", "src/total.rs"]
    );
    let outcomes = parts(page, ".chip .outcome");
    assert_eq!(outcomes[..4], ["2 lines", "2 lines", "3 lines", "3 lines"]);
    assert_eq!(outcomes[6], "exit 101");
    assert_eq!(page.texts(".badge.error"), ["error", "error"]);
    assert_eq!(page.texts(".badge.pending"), ["pending"]);
    assert_eq!(
        page.texts(&format!("{} .badge.model", row(13))),
        ["sonnet-4-5"]
    );
}

fn turns_open_and_close_alone_and_together(page: &mut Page) {
    assert_eq!(page.count(".body"), 0);
    page.click(&format!("{} > .head", row(2)));
    assert_eq!(page.count(".body"), 1);
    assert!(body(page, 2).contains("I run the tests of checkout first."));
    assert_eq!(page.texts(".markdown code"), ["checkout"]);
    let expanded = format!(
        "document.querySelector(\"{} > .head\").ariaExpanded",
        row(2)
    );
    assert_eq!(page.value(&expanded), "true");
    page.click(&format!("{} > .head", row(2)));
    assert_eq!(page.count(".body"), 0);
    assert_eq!(page.value(&expanded), "false");
    page.click("#expand");
    assert_eq!(page.count("#window > .row:not(.open)"), 0);
    page.press(&["End"]);
    page.until(&format!(
        "document.querySelector(\"{} .awaiting\")",
        row(ROWS)
    ));
    page.click("#collapse");
    assert_eq!(page.count(".body"), 0);
}

fn metadata_tokens_and_raw_records_of_a_turn_are_there(page: &mut Page) {
    page.click(&format!("{} > .head", row(2)));
    let foot = page.text(&format!("{} .foot > dl", row(2)));
    assert!(foot.contains("output\n100"), "{foot}");
    page.click(&format!("{} .foot .fold:nth-of-type(1) > summary", row(2)));
    page.until("document.querySelector('.foot .fold[open] a')");
    let metadata = page.text(".foot .fold[open]");
    for value in [
        "m1",
        "a1",
        SESSION,
        "claude-opus-4-5-20251101",
        "/srv/shop",
        "main",
        "2.1.330",
    ] {
        assert!(metadata.contains(value), "{value}: {metadata}");
    }
    page.click(&format!("{} .foot .fold:nth-of-type(2) > summary", row(2)));
    page.until("document.querySelector('.foot .fold:nth-of-type(2) pre')");
    let raw: Value = serde_json::from_str(&page.text(".foot .fold:nth-of-type(2) pre")).unwrap();
    let line = assistant(
        SESSION,
        "a1",
        "m1",
        "I run the tests of `checkout` first.",
        100,
    );
    assert_eq!(raw, serde_json::from_str::<Value>(&line).unwrap());
}

fn results_are_shown_by_tool(page: &mut Page) {
    let mut opened_body = |number| {
        page.click(&format!("{} > .head", row(number)));
        let text = body(page, number);
        page.press(&["ArrowLeft"]);
        text
    };
    let bash = opened_body(4);
    assert!(
        bash.contains("$ cargo test checkout") && bash.contains("all passed"),
        "{bash}"
    );
    let read = opened_body(6);
    assert!(
        read.contains("lines 40–42 of 120") && read.contains("41\n    round(1.005)"),
        "{read}"
    );
    let edit = opened_body(8);
    assert!(
        edit.contains("−") && edit.contains("cents(1.005)"),
        "{edit}"
    );
    let failed = opened_body(10);
    assert!(
        failed.contains("assertion failed") && failed.contains("exit code\n101"),
        "{failed}"
    );
    let task = opened_body(11);
    assert!(
        task.contains("2.5 s") && task.contains("Sub-agent: 4 turns"),
        "{task}"
    );
    let pending = opened_body(15);
    assert!(pending.contains("Awaiting result"), "{pending}");
    page.click(&format!("{} > .head", row(8)));
    assert_eq!(page.texts(".diff .added b"), ["cents"]);
    assert_eq!(page.texts(".diff .removed b"), ["round"]);
}

#[test]
fn results_of_other_tools_are_shown_by_tool() {
    let todos = |first: &str| json!([{"content": "Write tests", "status": first, "activeForm": "Writing"}, {"content": "Ship", "status": "pending", "activeForm": "Shipping"}]);
    let tool = |uuid, id, name, input| call(SESSION, uuid, id, name, input);
    let mut output: Vec<String> = (0..9000).map(|line| format!("line {line}")).collect();
    output[8765] = "the Needle of line 8765".to_owned();
    let output = output.join("\n");
    let lines = [
        user(SESSION, "u1", "Use them all"),
        tool(
            "u2",
            "t1",
            "Grep",
            json!({"pattern": "price", "output_mode": "content"}),
        ),
        result(
            SESSION,
            "u3",
            "t1",
            "src/a.rs:1:price\nsrc/a.rs:9:price\nsrc/b.rs:2:price",
            json!({"mode": "content", "numFiles": 2}),
        ),
        tool("u4", "t2", "Glob", json!({"pattern": "**/*.md"})),
        result(
            SESSION,
            "u5",
            "t2",
            "README.md",
            json!({"filenames": ["README.md", "docs/A.md"], "numFiles": 2, "truncated": true}),
        ),
        tool(
            "u6",
            "t3",
            "TodoWrite",
            json!({"todos": todos("completed")}),
        ),
        result(
            SESSION,
            "u7",
            "t3",
            "Todos changed",
            json!({"oldTodos": todos("in_progress"), "newTodos": todos("completed")}),
        ),
        tool(
            "u8",
            "t4",
            "WebFetch",
            json!({"url": "https://example.invalid/x", "prompt": "What is it?"}),
        ),
        result(
            SESSION,
            "u9",
            "t4",
            "An *example*.",
            json!({"code": 200, "codeText": "OK", "bytes": 1234, "durationMs": 340, "result": "An *example*.", "url": "https://example.invalid/x"}),
        ),
        tool(
            "v1",
            "t5",
            "mcp__db__query",
            json!({"sql": "select 1", "rows": {"limit": 3}}),
        ),
        result(SESSION, "v2", "t5", "[{\"one\": 1}]", json!({"took": 3})),
        tool(
            "v3",
            "t6",
            "Write",
            json!({"file_path": "/srv/shop/new.rs", "content": "fn new() {}\n"}),
        ),
        result(
            SESSION,
            "v4",
            "t6",
            "File created",
            json!({"type": "create", "filePath": "/srv/shop/new.rs", "content": "fn new() {}\n", "structuredPatch": []}),
        ),
        tool("v5", "t7", "Bash", json!({"command": "seq 9000"})),
        result(
            SESSION,
            "v6",
            "t7",
            &output,
            json!({"stdout": output, "stderr": ""}),
        ),
    ];
    let library = Library::new();
    library.write(&library.path(SESSION), &lines);
    let Some(mut opened) = open_page(library) else {
        return;
    };
    let page = &mut opened.page;
    for (number, parts) in [
        (2, &["src/a.rs", "2 hits", "src/b.rs", "2 files"][..]),
        (4, &["docs/A.md", "2 files, cut by the limit of the call"]),
        (6, &["Write tests", "in progress → completed", "Ship"]),
        (
            8,
            &[
                "https://example.invalid/x",
                "What is it?",
                "200 OK",
                "1.2 kB",
                "An example.",
            ],
        ),
        (10, &["select 1", "\"limit\": 3", "[{\"one\": 1}]"]),
        (12, &["new.rs", "new file", "fn new() {}"]),
    ] {
        page.click(&format!("{} > .head", row(number)));
        let text = body(page, number);
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
        page.press(&["ArrowLeft"]);
    }
    // A page leads nowhere by a click: addresses are text.
    assert_eq!(page.count("a:not([href^='#'])"), 0);

    // A hit far down in a long result is shown.
    search(page, "needle");
    assert_at(page, "1 of 1", "15");
    page.press(&["Escape", "Enter"]);
    assert_eq!(page.count(".row.open .excerpt"), 0);
    search(page, "needle");
    page.until("document.querySelector('.row.open .excerpt mark')?.innerText === 'Needle'");
    assert_eq!(
        page.text(".excerpt .note"),
        "Search hit further down, line 8,766:"
    );
    let in_view = "(() => { const box = document.querySelector('.excerpt mark').getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()";
    page.until(in_view);
}
