//! What a turn shows: closed, open, by tool, and raw.

use super::super::library::{Library, assistant, transcript};
use super::sample::{ROWS, SESSION, open_page, row};
use super::search::{assert_at, search};
use crate::support::assert_has;
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
    let values = ["m1", "a1", SESSION, "claude-opus-4-5-20251101"];
    assert_has(&metadata, values);
    assert_has(&metadata, ["/srv/shop", "main", "2.1.330"]);
    page.click(&format!("{} .foot .fold:nth-of-type(2) > summary", row(2)));
    page.until("document.querySelector('.foot .fold:nth-of-type(2) pre')");
    let raw: Value = serde_json::from_str(&page.text(".foot .fold:nth-of-type(2) pre")).unwrap();
    let said = "I run the tests of `checkout` first.";
    let line = assistant(SESSION, "a1", "m1", said, 100);
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
    assert_has(&bash, ["$ cargo test checkout", "all passed"]);
    let read = opened_body(6);
    assert_has(&read, ["lines 40–42 of 120", "41\n    round(1.005)"]);
    let edit = opened_body(8);
    assert_has(&edit, ["−", "cents(1.005)"]);
    let failed = opened_body(10);
    assert_has(&failed, ["assertion failed", "exit code\n101"]);
    let task = opened_body(11);
    assert_has(&task, ["2.5 s", "Sub-agent: 4 turns"]);
    let pending = opened_body(15);
    assert!(pending.contains("Awaiting result"), "{pending}");
    page.click(&format!("{} > .head", row(8)));
    assert_eq!(page.texts(".diff .added b"), ["cents"]);
    assert_eq!(page.texts(".diff .removed b"), ["round"]);
}

#[test]
fn results_of_other_tools_are_shown_by_tool() {
    let todos = |first: &str| json!([{"content": "Write tests", "status": first, "activeForm": "Writing"}, {"content": "Ship", "status": "pending", "activeForm": "Shipping"}]);
    let mut output: Vec<String> = (0..9000).map(|line| format!("line {line}")).collect();
    output[8765] = "the Needle of line 8765".to_owned();
    let output = output.join("\n");
    let found = "src/a.rs:1:price\nsrc/a.rs:9:price\nsrc/b.rs:2:price";
    let (page_url, said) = ("https://example.invalid/x", "An *example*.");
    let file = "fn new() {}\n";
    let steps = json!([
        ["user", "u1", "Use them all"],
        ["call", "u2", "t1", "Grep", {"pattern": "price", "output_mode": "content"}],
        ["result", "u3", "t1", found, {"mode": "content", "numFiles": 2}],
        ["call", "u4", "t2", "Glob", {"pattern": "**/*.md"}],
        ["result", "u5", "t2", "README.md", {"filenames": ["README.md", "docs/A.md"], "numFiles": 2, "truncated": true}],
        ["call", "u6", "t3", "TodoWrite", {"todos": todos("completed")}],
        ["result", "u7", "t3", "Todos changed", {"oldTodos": todos("in_progress"), "newTodos": todos("completed")}],
        ["call", "u8", "t4", "WebFetch", {"url": page_url, "prompt": "What is it?"}],
        ["result", "u9", "t4", said, {"code": 200, "codeText": "OK", "bytes": 1234, "durationMs": 340, "result": said, "url": page_url}],
        ["call", "v1", "t5", "mcp__db__query", {"sql": "select 1", "rows": {"limit": 3}}],
        ["result", "v2", "t5", "[{\"one\": 1}]", {"took": 3}],
        ["call", "v3", "t6", "Write", {"file_path": "/srv/shop/new.rs", "content": file}],
        ["result", "v4", "t6", "File created", {"type": "create", "filePath": "/srv/shop/new.rs", "content": file, "structuredPatch": []}],
        ["call", "v5", "t7", "Bash", {"command": "seq 9000"}],
        ["result", "v6", "t7", output, {"stdout": output, "stderr": ""}],
    ]);
    let library = Library::new();
    library.write(&library.path(SESSION), &transcript(SESSION, steps));
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
            &[page_url, "What is it?", "200 OK", "1.2 kB", "An example."],
        ),
        (10, &["select 1", "\"limit\": 3", "[{\"one\": 1}]"]),
        (12, &["new.rs", "new file", "fn new() {}"]),
    ] {
        page.click(&format!("{} > .head", row(number)));
        let text = body(page, number);
        assert_has(&text, parts);
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
