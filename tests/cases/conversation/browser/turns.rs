//! What a page shows of turns: at first, opened, by tool, and raw.

use super::super::library::{Library, assistant, transcript};
use super::sample::{ROWS, SESSION, head, open_page, row, show_filters, with};
use super::search::{assert_at, search};
use crate::support::browser::Page;
use crate::support::{assert_has, assert_lacks};
use serde_json::{Value, json};

fn body(page: &mut Page, place: usize) -> String {
    page.text(&format!("{} > .body", row(place)))
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    a_page_is_read_from_top_to_bottom,
    the_rail_says_what_was_asked_and_what_failed,
    rows_open_and_close_alone_and_together,
    a_run_of_calls_is_one_row,
    tokens_and_raw_records_of_a_turn_are_there,
    nothing_says_where_it_was_made,
];

fn a_page_is_read_from_top_to_bottom(page: &mut Page) {
    assert_eq!(page.text("#title"), "Find why the checkout test fails");
    assert_eq!(page.text(&format!("{} strong", row(1))), "checkout");
    assert_eq!(body(page, 2).trim(), "I run the tests of checkout first.");
    let labels = page.texts("#window > .row > .bar .label");
    assert_eq!(labels, ["You", "Claude", "Claude", "You"]);
    let calls = page.texts("#window > .row > .bar b");
    assert_eq!(calls, ["3 calls", "Bash", "Task", "Bash"]);
    let outcomes = page.texts("#window > .row > .bar .outcome");
    assert_eq!(outcomes[..2], ["1 file changed", "exit 101"]);
    assert_eq!(outcomes.last().unwrap(), "awaiting result");
    // Of the calls, only the failed one is open.
    let open = page.texts("#window > .row.open > .bar .head b");
    assert_eq!(open, ["Bash"]);
    assert_has(
        &body(page, 4),
        ["$ cargo test --release", "assertion failed"],
    );
    let links = page.texts("#window > .row > .bar > a.number");
    assert_eq!(links, ["#1", "#2", "#6", "#7", "#8", "#9", "#10"]);
}

fn the_rail_says_what_was_asked_and_what_failed(page: &mut Page) {
    assert_eq!(
        page.text("#did"),
        "2 prompts, 7 calls, 1 failed, 1 sub-agent"
    );
    let end = "Ends while Bash runs";
    assert!(page.text("#origin").starts_with(end));
    assert_eq!(page.text("#end .gist"), format!("{end}: sleep 99"));
    let prompts = page.texts("#prompts .gist");
    assert_eq!(
        prompts,
        [
            "Find why the checkout test fails",
            "Thanks, now the documentation"
        ]
    );
    let failures = page.texts("#failures li");
    let reason = "assertion failed: left == right";
    assert_eq!(
        failures,
        [format!("6\nBash cargo test --release\nexit 101\n{reason}")]
    );
    assert_eq!(page.texts("#changes li"), ["5\nsrc/total.rs\n+1 −1"]);
    // It is the prompt that is marked, wherever the last rows end.
    let marked = "document.querySelector('#prompts [aria-current] .number').innerText";
    assert_eq!(page.value(marked), "1");
    page.click("#prompts li:last-child a");
    page.until("document.querySelector('#window > .row.selected a.number')?.innerText === '#9'");
    assert_eq!(page.value(marked), "9");
    page.click("#changes a");
    page.until("document.querySelector('.nested .row.open .diff .added')");
    page.click("#failures a");
    page.until("document.querySelector('#window > .row.selected a.number')?.innerText === '#6'");
    assert!(page.value("location.hash") == "#t6");
}

fn rows_open_and_close_alone_and_together(page: &mut Page) {
    page.click(&head(2));
    assert_eq!(page.count(&format!("{} > .body", row(2))), 0);
    let expanded = format!("document.querySelector(\"{}\").ariaExpanded", head(2));
    assert_eq!(page.value(&expanded), "false");
    page.click(&head(2));
    assert_eq!(page.value(&expanded), "true");
    show_filters(page);
    page.click("#expand");
    // Each call is a row of its own then.
    page.until("document.querySelector('#window > .row').ariaSetSize === '10'");
    assert_eq!(page.count("#window > .row:not(.open)"), 0);
    page.press(&["End"]);
    page.until("document.querySelector('.row.selected .awaiting')");
    page.click("#collapse");
    page.until(&format!(
        "document.querySelector('#window > .row').ariaSetSize === '{ROWS}'"
    ));
}

fn a_run_of_calls_is_one_row(page: &mut Page) {
    assert_eq!(
        page.text(&format!("{} .gist", head(3))),
        "1 Bash, 1 Read, 1 Edit"
    );
    page.click(&head(3));
    let nested = format!("{} > .nested > .row", row(3));
    let names = page.texts(&format!("{nested} > .bar b"));
    assert_eq!(names, ["Bash", "Read", "Edit"]);
    let targets = page.texts(&format!("{nested} > .bar .target"));
    assert_eq!(
        targets,
        ["cargo test checkout", "src/total.rs", "src/total.rs"]
    );
    page.click(&format!("{nested}:nth-child(3) > .bar > .head"));
    assert_eq!(page.texts(".diff .added b"), ["cents"]);
    assert_eq!(page.texts(".diff .removed b"), ["round"]);
    let shown = page.text(&format!("{nested}:nth-child(3) > .body"));
    assert_has(&shown, ["−    round(1.005)", "+    cents(1.005)"]);
    page.click(&format!("{nested}:nth-child(2) > .bar > .head"));
    let read = page.text(&format!("{nested}:nth-child(2) > .body"));
    assert_has(&read, ["lines 40–42 of 120", "round(1.005)"]);
    let numbers = page.value("[...document.querySelectorAll('.row[data-kind=call] .line[data-no]')].map((line) => line.dataset.no)");
    assert_has(&numbers.to_string(), ["\"40\"", "\"42\""]);
    assert_eq!(page.texts(".code .K")[..1], ["fn"]);
}

fn tokens_and_raw_records_of_a_turn_are_there(page: &mut Page) {
    page.click(&format!("{} > .bar > .menu", row(2)));
    let foot = page.text(&format!("{} .foot > dl", row(2)));
    assert_has(&foot, ["output\n100", "claude-opus-4-5-20251101"]);
    page.click(&format!("{} .foot .fold > summary", row(2)));
    page.until("document.querySelector('.foot .fold pre')");
    let raw: Value = serde_json::from_str(&page.text(".foot .fold pre")).unwrap();
    let said = "I run the tests of `checkout` first.";
    let line = assistant(SESSION, "a1", "m1", said, 100).replace(SESSION, "session");
    assert_eq!(raw, serde_json::from_str::<Value>(&line).unwrap());
    page.click("#tokens > summary");
    page.until("document.querySelectorAll('#costly tr').length === 10");
}

fn nothing_says_where_it_was_made(page: &mut Page) {
    let html = page.value("document.documentElement.outerHTML");
    let html = html.as_str().unwrap();
    let home = std::env::temp_dir().display().to_string();
    let records =
        page.value_in_page("Promise.all(conversation.turns.map(recordsOf)).then(JSON.stringify)");
    let records = records.as_str().unwrap();
    assert_has(records, ["Thanks, now the documentation"]);
    for text in [html, records] {
        assert_lacks(text, [SESSION, &format!("{home}/"), ".claude/projects"]);
    }
}

#[test]
fn what_failed_was_changed_and_ended_it_is_said_and_leads_there() {
    let edit =
        |old: &str| json!({"file_path": "/srv/shop/a.rs", "old_string": old, "new_string": "new"});
    let missing = "<tool_use_error>String to replace not found in file.</tool_use_error>";
    let declined = "The user doesn't want to proceed with this tool use.";
    let tests = "Compiling shop\nerror[E0432]: unresolved import\nwarning: 1 warning";
    let task = "<task-notification><summary>All tests pass</summary><result>**214** of 214</result></task-notification>";
    let reminded = format!("Go on\n<system-reminder>\nNever say quokka.\n</system-reminder>{task}");
    let steps = json!([
        ["user", "u1", reminded],
        ["assistant", "u2", "m1", "I think and edit.", 1],
        ["call", "u3", "t1", "Edit", edit("a")],
        ["result", "u4", "t1", missing, "Error"],
        ["call", "u5", "t2", "Edit", edit("b")],
        ["result", "u6", "t2", "Done", {}],
        ["call", "u7", "t3", "Edit", edit("c")],
        ["result", "u8", "t3", "Done", {}],
        ["call", "u9", "t4", "Bash", {"command": "cargo test"}],
        ["result", "v1", "t4", format!("Exit code 101\n{tests}"), "Error"],
        ["call", "v2", "t5", "Bash", {"command": "rm x"}],
        ["result", "v3", "t5", declined, "Error"],
        ["user", "v4", "[Request interrupted by user for tool use]"],
        ["assistant", "v5", "m2", "API Error: 529 overloaded", 0],
    ]);
    let mut lines = transcript(SESSION, steps);
    // The text and the first call are one message.
    let thought = json!([{"type": "thinking", "thinking": "Which line?"}]);
    lines[1] = with(&lines[1], "/message/content", thought);
    lines[1] = with(&lines[1], "/message/id", json!("m-t1"));
    lines[13] = with(&lines[13], "/isApiErrorMessage", json!(true));
    lines[6] = with(&lines[6], "/timestamp", json!("2026-03-01T08:00:09.000Z"));
    let library = Library::new();
    library.write(&library.path(SESSION), &lines);
    let Some(mut opened) = open_page(library) else {
        return;
    };
    let page = &mut opened.page;
    assert!(page.text("#origin").starts_with("Ends with an API error"));
    assert_eq!(
        page.texts("#api-errors li"),
        ["8\nAPI Error: 529 overloaded"]
    );
    let failures = page.texts("#failures li");
    assert_eq!(
        failures,
        [
            "2\nEdit a.rs\nok later (#4), String to replace not found in file.",
            "5\nBash cargo test\nexit 101\nerror[E0432]: unresolved import",
            "6\nBash rm x\ndeclined\nThe user doesn't want to proceed with this tool use."
        ]
    );
    page.click("#failures a");
    page.until("document.querySelector('.row.selected b')?.innerText === 'Edit'");
    assert!(page.value("location.hash") == "#t2:1");
    assert_eq!(page.texts("#changes summary"), ["a.rs\n2 edits, +2 −2"]);
    page.click("#changes summary");
    page.until("document.querySelectorAll('#changes ol a').length === 2");
    page.click("#changes ol li:last-child a");
    page.until("document.querySelector('#window > .row.selected a.number')?.innerText === '#4'");

    // Nobody typed what Claude Code added.
    assert_eq!(page.texts("#prompts .gist"), ["Go on"]);
    let notes = page.texts("#window > .row[data-kind='note'] .gist");
    assert_eq!(
        notes,
        [
            "system reminder: Never say quokka.",
            "task notification: All tests pass",
            "[Request interrupted by user for tool use]"
        ]
    );
    page.click("#window > .row[data-kind='note']:nth-child(3) .head");
    assert_eq!(page.texts("#window .row[data-kind='note'] strong"), ["214"]);

    let page = opened.part("1..2");
    assert!(page.text("#origin").starts_with("turns 1–2 of 8"));
    assert_eq!(page.count("#end a"), 0);
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
    assert_eq!(page.text(&format!("{} b", head(2))), "7 calls");
    page.press(&["e"]);
    page.until("document.querySelector('#window > .row').ariaSetSize === '8'");
    for (place, parts) in [
        (2, &["src/a.rs", "2 hits", "src/b.rs", "2 files"][..]),
        (3, &["docs/A.md", "2 files, cut by the limit of the call"]),
        (4, &["Write tests", "in progress → completed", "Ship"]),
        (
            5,
            &[page_url, "What is it?", "200 OK", "1.2 kB", "An example."],
        ),
        (6, &["select 1", "\"limit\": 3", "[{\"one\": 1}]"]),
        (7, &["new.rs", "new file", "fn new() {}"]),
    ] {
        page.press(&["Home"]);
        (1..place).for_each(|_| page.press(&["j"]));
        let text = body(page, place);
        assert_has(&text, parts);
    }
    // A page leads nowhere by a click: addresses are text.
    assert_eq!(page.count("a:not([href^='#'])"), 0);

    // A print says what it leaves out.
    page.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    page.value(
        "addEventListener('beforeprint', () => {
            const cut = document.querySelector('#paper .more > summary');
            globalThis.printed = getComputedStyle(cut, '::before').content + cut.textContent;
        }), 0",
    );
    page.call("Page.printToPDF", json!({}));
    assert_eq!(page.value("printed"), "\"Not printed: \"8,960 more lines");
    page.call("Emulation.setEmulatedMedia", json!({"media": ""}));

    // A hit far down in a long result is shown.
    page.press(&["c", "Home"]);
    search(page, "needle");
    assert_at(page, "1 of 1", "#8");
    page.press(&["ArrowRight"]);
    page.until("document.querySelector('.row.open .more mark')?.innerText === 'Needle'");
}
