//! A page that is followed, in Chromium: what a reader sees stays while turns are added. Skipped if it is not installed.

use super::open::{Desk, SESSION};
use crate::conversation::library::{assistant, call, result, user};
use crate::support::browser::Page;
use crate::support::eventually::PATIENCE;
use crate::support::{eventually, eventually_within};
use serde_json::{Value, json};
use std::fs;

/// The page's timer, which the test rings itself.
const TIMER: &str = "globalThis.setInterval = (ring) => { globalThis.ring = ring; }";

/// What a reader sees, and how far the first visible row is scrolled out.
const SEEN: &str = "(() => {
    const all = (part) => [...document.querySelectorAll(part)];
    const top = document.querySelector('#scroller').getBoundingClientRect().top;
    const numbers = (rows) => rows.map((row) => row?.querySelector('.number').textContent);
    const first = all('#window > .row').find((row) => row.getBoundingClientRect().bottom > top + 2);
    return [{
        top: numbers([first]),
        selected: numbers(all('#window > .row.selected')),
        closed: numbers(all('#window > .row[data-kind=text]:not(.open)')),
        calls: numbers(all('#window > .row[data-kind=call].open')),
        sections: all('#window .more[open]').length,
        filters: all('#filters.open :checked').map((one) => one.value),
        hits: document.querySelector('#hits').textContent,
        query: document.querySelector('#query').value,
        theme: document.documentElement.dataset.theme,
    }, first ? top - first.getBoundingClientRect().top : 0];
})()";

fn turns() -> Vec<String> {
    let output = "a line\n".repeat(100);
    let turns = (0..60).flat_map(|n| {
        let [question, asked, came, answer] = ["u", "c", "r", "a"].map(|kind| format!("{kind}{n}"));
        let meta = json!({"stdout": output, "stderr": ""});
        let text = format!("Answer {n}. {}", "It is long. ".repeat(60));
        [
            user(SESSION, &question, &format!("Question {n}")),
            call(
                SESSION,
                &asked,
                &format!("t{n}"),
                "Bash",
                json!({"command": "make"}),
            ),
            result(SESSION, &came, &format!("t{n}"), &output, meta),
            assistant(SESSION, &answer, &format!("m{n}"), &text, 1),
        ]
    });
    turns.collect()
}

#[test]
fn a_page_that_is_followed_keeps_what_its_reader_sees_while_turns_are_added() {
    let desk = Desk::new();
    let path = desk.library.path(SESSION);
    desk.library.write(&path, &turns());
    let (mut following, file) = desk.follow();
    let empty = desk.path("empty.html");
    fs::write(&empty, "<!doctype html>").unwrap();
    if let Some(mut page) = Page::open(&empty) {
        let source = json!({ "source": TIMER });
        page.call("Page.addScriptToEvaluateOnNewDocument", source);
        page.load(&file);
        page.until_text("#shown", "180 turns");
        let mut added = 0;
        let mut follows = |page: &mut Page, shown: &str| {
            let before = page.value(SEEN);
            added += 1;
            let text = format!("Question of the reader {added}");
            let line = user(SESSION, &format!("v{added}"), &text);
            desk.library.add(&path, line);
            eventually("the page is written again", || {
                let written = fs::read_to_string(&file).ok()?;
                written.contains(&text).then_some(())
            });
            page.value_in_page("ring()");
            page.until_reloaded(&format!(
                "document.querySelector('#shown')?.textContent === '{shown}'"
            ));
            assert_sees(page, &before);
        };
        fold(&mut page);
        follows(&mut page, "181 turns");
        filter_and_search(&mut page);
        follows(&mut page, "60 of 182 turns");
        page.load(&empty);
    }
    following.kill().unwrap();
    following.wait().unwrap();
}

fn fold(page: &mut Page) {
    page.click("#theme");
    page.value("location.hash = '#t62'");
    page.until("document.querySelector('.row.selected[data-kind=call].open')");
    page.click(".row.selected .more > summary");
    page.until("document.querySelector('.row.selected .more[open] > pre')");
    page.press(&["j", "ArrowLeft"]);
    page.until("document.querySelector('.row.selected[data-kind=text]:not(.open)')");
    page.value("document.querySelector('#scroller').scrollTop -= 130");
    page.frame();
}

fn filter_and_search(page: &mut Page) {
    page.click("#more-filters");
    page.click("#tools > summary");
    page.click("#tool-list label");
    page.press(&["Escape", "/"]);
    page.type_text("make");
    page.until("/ of 60$/.test(document.querySelector('#hits').textContent)");
    page.value("document.querySelector('#scroller').focus()");
    page.press(&["n"]);
}

/// Waits until a reader sees the same as before, at the same place to the pixel.
fn assert_sees(page: &mut Page, before: &Value) {
    let kept = eventually_within(PATIENCE, || {
        let after = page.value(SEEN);
        let places = [before, &after].map(|seen| seen[1].as_f64().unwrap());
        let is_same = after[0] == before[0] && (places[0] - places[1]).abs() < 2.0;
        is_same.then_some(())
    });
    assert!(kept.is_some(), "{before:#}\n{:#}", page.value(SEEN));
}
