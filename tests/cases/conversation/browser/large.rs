//! A page of many turns: 20,000 in long runs.

use super::super::library::{Library, assistant, call, result, user};
use super::sample::{SESSION, open_page};
use crate::support::amount;
use crate::support::browser::Page;
use serde_json::{Value, json};

/// Without a window of rows, each of them would exceed the limit of elements.
fn turns() -> usize {
    amount(20_000, 6_000)
}

/// A result is a part of its call.
fn rows() -> usize {
    turns() / 4 * 3
}

/// Limit of elements in the document; about 700 while all turns are closed.
const MOST_ELEMENTS: u64 = 3_000;

/// Scrolls down for 50 heights of the window, so few that a slow machine answers in time; returns whether that is the
/// end, how many different turns were seen until now, and the most elements that the document has had.
const SCROLL: &str = "(() => {
    const scroller = document.querySelector('#scroller');
    const seen = globalThis.seen ??= new Set();
    globalThis.most ??= 0;
    let end = false;
    for (let step = 0; step < 50 && !end; step += 1) {
        // What the next frame would report.
        scroller.dispatchEvent(new Event('scroll'));
        const view = scroller.getBoundingClientRect();
        for (const row of document.querySelectorAll('#window > .row')) {
            const box = row.getBoundingClientRect();
            if (box.bottom > view.top && box.top < view.bottom) seen.add(row.getAttribute('aria-posinset'));
        }
        most = Math.max(most, document.querySelectorAll('*').length);
        end = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
        scroller.scrollTop += scroller.clientHeight;
    }
    return [end, seen.size, most];
})()";

/// True if the turns in the document leave no part of the view empty; below the last turn is room.
const COVERED: &str = "(() => {
    const view = document.querySelector('#scroller').getBoundingClientRect();
    const rows = document.querySelector('#window').getBoundingClientRect();
    const last = document.querySelector('#window > .row:last-child');
    const isEnd = last.getAttribute('aria-posinset') === last.getAttribute('aria-setsize');
    return rows.top <= view.top + 1 && (isEnd || rows.bottom >= view.bottom - 1);
})()";

fn library() -> Library {
    let library = Library::new();
    let text = "A paragraph with `code`, **weight** and a few more words. ".repeat(4);
    let output = "a line of output\n".repeat(30);
    let lines = (0..turns() / 4).flat_map(|n| {
        let id = format!("t{n}");
        let input = json!({"command": format!("cargo test case_{n}"), "description": "Run a test"});
        let meta = json!({"stdout": output, "stderr": ""});
        let answer = format!("{text}\n\nAnswer {n}.");
        [
            user(SESSION, &format!("u{n}"), &format!("Question {n}")),
            call(SESSION, &format!("c{n}"), &id, "Bash", input),
            result(SESSION, &format!("r{n}"), &id, &output, meta),
            assistant(SESSION, &format!("a{n}"), &format!("m{n}"), &answer, 1),
        ]
    });
    library.write(&library.path(SESSION), &lines.collect::<Vec<_>>());
    library
}

#[test]
fn a_page_of_thousands_of_turns_can_be_used() {
    let Some(mut opened) = open_page(library()) else {
        return;
    };
    let page = &mut opened.page;
    page.until_text("#shown", &format!("{} turns", thousands(rows())));
    scrolls_past_all_of_them(page);
    drags(page);
    searches(page);
    scrolls_while_all_are_open(page);
    page.click("#more-filters");
    page.click("#tools > summary");
    page.click("#tool-list label");
    let (calls, all) = (thousands(turns() / 4), thousands(rows()));
    page.until_text("#shown", &format!("{calls} of {all} turns"));
    page.until(COVERED);
}

/// Writes a number of at least a thousand as the page does.
fn thousands(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}

fn scrolls_past_all_of_them(page: &mut Page) {
    let (mut end, mut seen, mut elements) = (false, 0, 0_u64);
    while !end {
        (end, seen, elements) = serde_json::from_value(page.value(SCROLL)).unwrap();
    }
    assert_eq!(seen, rows());
    assert!(elements < MOST_ELEMENTS, "{elements}");
}

/// While the scrollbar is dragged far, nothing of the view stays empty.
fn drags(page: &mut Page) {
    let drag = format!(
        "[0.2, 0.5, 0.8].every((part) => {{
        const scroller = document.querySelector('#scroller');
        scroller.scrollTop = scroller.scrollHeight * part;
        scroller.dispatchEvent(new Event('scroll'));
        return {COVERED};
    }})"
    );
    assert_eq!(page.value(&drag), true);
    assert!(page.count("#window .body") > 0);
}

fn searches(page: &mut Page) {
    page.press(&["/"]);
    page.type_text(&format!("answer {}.", turns() / 4 - 1));
    page.until_text("#hits", "1 of 1");
    let number = ".row.selected a.number";
    assert_eq!(page.text(number), format!("#{}", rows()));
    page.press(&["Escape", "Home"]);
    assert_eq!(page.text(number), "#1");
    page.press(&["/"]);
    page.type_text("a line of output");
    let hits = thousands(turns() / 4);
    page.until_text("#hits", &format!("1 of {hits}"));
    page.press(&["Shift+Enter"]);
    page.until_text("#hits", &format!("{hits} of {hits}"));
    page.press(&["Escape"]);
}

fn scrolls_while_all_are_open(page: &mut Page) {
    page.press(&["e", "Home"]);
    let top = |page: &mut Page| page.value("document.querySelector('#scroller').scrollTop");
    let mut before = Value::Null;
    for _ in 0..20 {
        page.wheel(600);
        page.frame();
        page.until(COVERED);
    }
    page.until("document.querySelector('#scroller').scrollTop > 5000");
    page.press(&["End"]);
    assert_eq!(page.text(".row.selected a.number"), format!("#{}", rows()));
    // The last turn stays in view while those before it are measured.
    page.until(COVERED);
    while before != top(page) {
        before = top(page);
        page.frame();
    }
    let in_view = "(() => { const box = document.querySelector('.row.selected').getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0; })()";
    page.until(in_view);
    assert!(page.count("*") < MOST_ELEMENTS);
    page.press(&["c"]);
}
