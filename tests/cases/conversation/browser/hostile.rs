//! Texts in a conversation that would run, load or hide something if a page took them for anything but text.

use super::super::library::{Library, record};
use super::sample::{SESSION, export, loaded, open_page};
use crate::support::browser::Page;
use crate::support::{assert_has, assert_lacks};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// `ran` does not exist: a script that runs fails, which fails the test.
const HOSTILE: [&str; 6] = [
    concat!(
        "</script><script>ran()</script><!--<script>ran()<img src=x onerror=ran()>\"><svg onload=ran()></svg>",
        "' onfocus='ran()' autofocus tabindex='0' onmouseover='ran() ]]><iframe srcdoc='<script>parent.ran()</script>'></iframe>",
        "${ran()} {{ran()}} `+ran()+` <%= ran() %> \\\"+ran()+\\\" &lt;script&gt;ran()&lt;/script&gt;&#x3c;",
        "<style>*{background:url(http://127.0.0.1:9/x)}</style><base href=http://127.0.0.1:9/><link rel=stylesheet href=x>",
        "<meta http-equiv=refresh content='0;url=/'>[a](javascript:ran()) ![p](http://127.0.0.1:9/p.png) <http://127.0.0.1:9/>",
    ),
    "javascript:ran()",
    "data:text/html,<script>ran()</script>",
    "one\u{1b}[2J\u{1b}]0;ran\u{7}\u{8}\u{0}\r\u{9b}31m one\u{2028}ran()\u{2029}two\u{202e}three\u{feff}",
    "__proto__",
    "constructor",
];

/// So few that a slow machine answers in time.
const OPENED_AT_ONCE: usize = 10;

/// Values that another program would not write in most of its fields.
fn odd() -> Vec<Value> {
    vec![
        Value::Null,
        json!(-1.5e300),
        json!([[["x"]], null, 1]),
        json!({"a": {"b": [1, null]}, "length": -1, "toString": 1}),
    ]
}

/// A call of each tool that the page knows, with the result and what Claude Code notes about it: `?` is a text.
fn tools() -> Value {
    let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-?", "+?", " ?"]}]);
    let todos = json!([{"content": "?", "status": "?", "activeForm": "?"}]);
    let file =
        json!({"filePath": "?", "content": "?", "startLine": 1, "numLines": 1, "totalLines": 1});
    let bash = json!({"stdout": "?", "stderr": "?", "interrupted": false, "returnCodeInterpretation": "?", "backgroundTaskId": "?",
        "persistedOutputPath": "?", "persistedOutputSize": 1, "bashEditDiff": {"files": [{"filePath": "?", "created": true, "hunks": patch}]}});
    let task = json!({"status": "?", "agentId": "?", "agentType": "?", "resolvedModel": "?", "totalDurationMs": 1, "totalTokens": 1,
        "totalToolUseCount": 1, "prompt": "?", "content": [{"type": "text", "text": "?"}], "usage": {"input_tokens": 1, "service_tier": "?"}});
    json!([
        ["Read", {"file_path": "?", "offset": 1, "limit": 1}, {"type": "?", "file": file}],
        ["Read", {"file_path": "?"}, {"type": "image", "file": {"type": "?", "base64": "?"}}],
        ["Grep", {"pattern": "?", "path": "?", "output_mode": "content"}, {"mode": "content", "content": "?:1:?", "filenames": ["?"]}],
        ["Grep", {"pattern": "?", "glob": "?"}, {"mode": "?", "filenames": ["?"], "appliedLimit": 1}],
        ["Glob", {"pattern": "?", "path": "?"}, {"filenames": ["?"], "truncated": true}],
        ["Edit", {"file_path": "?", "old_string": "?", "new_string": "? ?"}, {"filePath": "?", "structuredPatch": patch}],
        ["MultiEdit", {"file_path": "?", "edits": [{"old_string": "?", "new_string": "? ?"}]}, {}],
        ["Write", {"file_path": "?", "content": "?"}, {"type": "?", "originalFile": "?"}],
        ["Bash", {"command": "?", "description": "?", "timeout": 1}, bash],
        ["Task", {"subagent_type": "?", "description": "?", "prompt": "?"}, task],
        ["TodoWrite", {"todos": todos}, {"oldTodos": [], "newTodos": todos}],
        ["WebFetch", {"url": "?", "prompt": "?"}, {"code": 200, "codeText": "?", "bytes": 1, "durationMs": 1, "result": "?", "url": "?"}],
        ["?", {"?": "?", "deep": {"?": ["?"]}}, {"?": "?"}],
    ])
}

/// Returns a value with this text in place of every `?`, in values and names.
fn filled(value: &Value, text: &str) -> Value {
    match value {
        Value::String(pattern) => json!(pattern.replace('?', text)),
        Value::Array(items) => items.iter().map(|item| filled(item, text)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, value)| (name.replace('?', text), filled(value, text)))
                .collect()
        }
        other => other.clone(),
    }
}

/// Records that have a text in every field; `key` keeps their ids apart.
fn records(key: &str, text: &str) -> Vec<String> {
    let id = |part: &str| format!("{text}{key}{part}");
    let blocks = json!([{"type": "text", "text": "?"}, {"type": "thinking", "thinking": "?", "signature": "?"}, {"type": "?", "?": "?"},
        {"type": "image", "source": {"type": "base64", "media_type": "?", "data": "?"}},
        {"type": "image", "source": {"type": "url", "url": "?"}},
        {"type": "document", "title": "?", "source": {"type": "text", "data": "?"}}]);
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "service_tier": text});
    let answer = |part: &str, content: Value| {
        let message = json!({"id": id(part), "role": "assistant", "model": text, "stop_reason": text, "stop_sequence": text,
            "context_management": {text: text}, "usage": usage, "content": content});
        record(SESSION, &id(part), message)
    };
    let mut records = vec![
        record(SESSION, &id("u"), json!({"role": "user", "content": text})),
        record(
            SESSION,
            &id("b"),
            json!({"role": "user", "content": filled(&blocks, text)}),
        ),
        answer("a", filled(&blocks, text)),
    ];
    for (number, tool) in tools().as_array().unwrap().iter().enumerate() {
        let [name, input, meta] = [0, 1, 2].map(|at| filled(&tool[at], text));
        let (call, came) = (id(&format!("c{number}")), id(&format!("r{number}")));
        let block = json!({"type": "tool_use", "id": call, "name": name, "input": input});
        records.push(answer(&format!("m{number}"), json!([block])));
        let parts = json!([{"type": "text", "text": text}, {"type": text, "of": text}]);
        let block = json!({"type": "tool_result", "tool_use_id": call, "is_error": number % 2 == 1, "content": parts});
        let mut result = record(SESSION, &came, json!({"role": "user", "content": [block]}));
        result["toolUseResult"] = meta;
        records.push(result);
    }
    for record in &mut records {
        let fields = "cwd gitBranch version requestId agentId permissionMode parentUuid";
        for field in fields.split(' ') {
            record[field] = json!(text);
        }
    }
    records.iter().map(Value::to_string).collect()
}

/// Opens each of some turns with its sub-agents and folded sections, and closes it; returns all texts that were shown. Nothing waits for a frame or a task: the events that would come later are sent at once.
const OPEN_EACH: &str = "(from, to) => {
    const texts = new Set();
    const openAll = (row) => {
        for (let level = 0; level < 3; level += 1) {
            for (const fold of row.querySelectorAll('details')) {
                fold.open = true;
                fold.dispatchEvent(new Event('toggle'));
            }
            for (const head of row.querySelectorAll('.nested .row:not(.open) > .bar > .head')) head.click();
        }
        const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) texts.add(walker.currentNode.data);
    };
    for (let place = from; place < to; place += 1) {
        const key = place === 1 ? 'Home' : 'j';
        document.dispatchEvent(new KeyboardEvent('keydown', { key }));
        const row = document.querySelector(`#window > .row[aria-posinset=\"${place}\"]`);
        if (!row.classList.contains('open')) row.querySelector('.head').click();
        const again = document.querySelector(`#window > .row[aria-posinset=\"${place}\"]`);
        again.querySelector('.menu')?.click();
        openAll(again);
        if (again.dataset.kind === 'call') again.querySelector('.head').click();
    }
    return [...texts];
}";

fn open_each(page: &mut Page) -> Vec<String> {
    // Each call is a row of its own then.
    page.press(&["e", "Home"]);
    let turns = page.value("Number(document.querySelector('#window > .row').ariaSetSize)");
    let turns = usize::try_from(turns.as_u64().unwrap()).unwrap();
    let starts = (1..=turns).step_by(OPENED_AT_ONCE);
    let texts = starts.flat_map(|from| {
        let to = (from + OPENED_AT_ONCE).min(turns + 1);
        let texts = page.value(&format!("({OPEN_EACH})({from}, {to})"));
        serde_json::from_value::<Vec<String>>(texts).unwrap()
    });
    texts.collect()
}

/// What the document must not have, and what the scripts of the page must not have got.
fn assert_only_text(page: &mut Page) {
    let own = "['script:not([type])', 'style', 'link', 'meta', 'iframe, object, embed, svg, img, base, form:not([method=dialog]), video, audio, template', 'a:not([href^=\"#\"])']
        .map((one) => document.querySelectorAll(one).length)";
    assert_eq!(page.value(own), json!([1, 1, 1, 4, 0, 0]));
    let handlers = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'srcdoc')";
    assert_eq!(page.value(handlers), json!([]));
    let inherited =
        "[Object.keys(Object.prototype).length, Object.keys(Array.prototype).length, typeof ran]";
    assert_eq!(page.value_in_page(inherited), json!([0, 0, "undefined"]));
}

#[test]
fn hostile_texts_in_all_fields_are_text() {
    let library = Library::new();
    let summary = json!({"type": "summary", "summary": HOSTILE[0], "leafUuid": "x"});
    let mut lines = vec![summary.to_string()];
    for (number, text) in HOSTILE.iter().enumerate() {
        lines.extend(records(&format!("-{number}"), text));
        if number % 3 != 0 {
            continue; // A sub-agent for some of them is enough.
        }
        let call = format!("{text}-{number}c9");
        let agent: Vec<String> = records(&format!("-agent{number}"), text);
        library.write_agent(SESSION, &format!("x{number}"), &call, &agent);
    }
    library.write(&library.path(SESSION), &lines);
    let Some(mut opened) = open_page(library) else {
        return;
    };
    let page = &mut opened.page;
    let mut texts = open_each(page);
    let raw = page.value_in_page(
        "Promise.all(conversation.turns.map(recordsOf)).then((all) => all.flat().map(rawText))",
    );
    texts.extend(serde_json::from_value::<Vec<String>>(raw).unwrap());
    let is_shown = |part: &str| texts.iter().any(|shown| shown.contains(part));
    let signs = ["BS NUL CR U+009B", "U+2028", "U+2029", "U+202E", "U+FEFF"];
    for part in HOSTILE[..3].iter().chain(&HOSTILE[4..]).chain(&signs) {
        assert!(is_shown(part), "{part} is not shown");
    }
    // Sequences for a terminal are left out as a whole, except in raw JSON, where they are escaped.
    for gone in ["\u{1b}", "\u{202e}", "\u{2028}", "one[2J"] {
        assert!(!is_shown(gone), "{gone:?} is shown");
    }
    assert_only_text(page);
    use_names(page);
    assert_only_text(page);
}

/// Uses what the conversation names: choices, searches, addresses, and the print.
fn use_names(page: &mut Page) {
    page.press(&["/"]);
    page.type_text("<img src=x onerror=");
    page.until("document.querySelector('#hits').textContent.includes(' of ')");
    page.click("#more-filters");
    page.click("#tools > summary");
    page.click("#tool-list label:last-child");
    page.until("document.querySelector('#shown').textContent.includes(' of ')");
    page.press(&["e"]);
    for text in HOSTILE {
        page.value(&format!("location.hash = {}", json!(text)));
        page.frame();
    }
    page.call("Page.printToPDF", json!({}));
}

#[test]
fn fields_of_any_type_are_shown() {
    let mut lines = Vec::new();
    for (number, value) in odd().iter().enumerate() {
        let mut known = BTreeSet::new();
        for (at, line) in records(&format!("-{number}"), "text").iter().enumerate() {
            let record: Value = serde_json::from_str(line).unwrap();
            for (way, mut other) in variants(&record, value, &mut known).into_iter().enumerate() {
                if other["uuid"] != *value {
                    other["uuid"] = json!(format!("{number}-{at}-{way}"));
                }
                lines.push(other.to_string());
            }
        }
    }
    let library = Library::new();
    library.write(&library.path(SESSION), &lines);
    let Some(mut opened) = open_page(library) else {
        return;
    };
    let page = &mut opened.page;
    let texts = open_each(page);
    page.press(&["/"]);
    page.type_text("b");
    page.until("document.querySelector('#hits').textContent.includes(' of ')");
    let state = page.text("#state");
    assert_lacks(&state, ["this page's data"]);
    let broken = texts.iter().filter(|text| text.contains("cannot be shown"));
    assert_eq!(broken.collect::<Vec<_>>(), [""; 0]);
}

/// Fields by which records and calls find each other, or tools are known.
const NAMES: [&str; 6] = ["type", "role", "uuid", "id", "tool_use_id", "name"];

/// Returns a record with another value in all its simple fields at once, and in each other field alone that is not `known`
/// from a record of the same kind.
fn variants(record: &Value, value: &Value, known: &mut BTreeSet<String>) -> Vec<Value> {
    let (mut all_at_once, mut variants) = (record.clone(), Vec::new());
    for place in places(record, "") {
        let is_name = NAMES
            .iter()
            .any(|name| place.ends_with(&format!("/{name}")));
        let old = record.pointer(&place).unwrap();
        if is_name || old.is_object() || old.is_array() {
            // Those of inputs and results are different for each tool.
            let is_of_tool = place.contains("/input") || place.contains("/toolUseResult");
            if known.insert(format!("{}{place}", record["type"])) || is_of_tool {
                let mut variant = record.clone();
                *variant.pointer_mut(&place).unwrap() = value.clone();
                variants.push(variant);
            }
        } else {
            *all_at_once.pointer_mut(&place).unwrap() = value.clone();
        }
    }
    variants.push(all_at_once);
    variants
}

/// Places of all values in a record, as JSON pointers.
fn places(value: &Value, above: &str) -> Vec<String> {
    let names: Vec<String> = match value {
        Value::Array(items) => (0..items.len()).map(|at| at.to_string()).collect(),
        Value::Object(fields) => fields.keys().cloned().collect(),
        _ => return Vec::new(),
    };
    let inner = names.into_iter().flat_map(|name| {
        let place = format!("{above}/{name}");
        let mut found = places(value.pointer(&format!("/{name}")).unwrap(), &place);
        found.push(place);
        found
    });
    inner.collect()
}

#[test]
fn a_script_that_somebody_adds_to_a_page_is_blocked_and_noticed() {
    let library = Library::new();
    library.write(&library.path(SESSION), &records("", "text"));
    let file = export(&library);
    let page = fs::read_to_string(&file).unwrap();
    let added =
        "<script>alert(1)</script><img src=http://127.0.0.1:9/x><style>*{color:red}</style></body>";
    fs::write(&file, page.replace("</body>", added)).unwrap();
    let Some(mut page) = Page::open(&file) else {
        return;
    };
    loaded(&mut page);
    let problems = page.problems().join("\n");
    assert_has(&problems, ["script-src", "img-src", "style-src"]);
    assert_lacks(&problems, ["javascriptDialogOpening"]);
    // What is noticed of a page that may do all of it.
    page.value_in_page("setTimeout(() => alert(2)), setTimeout(() => ran()), console.log(3)");
    page.until("true");
    let problems = page.problems().join("\n");
    assert_has(&problems, ["javascriptDialogOpening", "exceptionThrown"]);
    assert_has(&problems, ["consoleAPICalled"]);
}
