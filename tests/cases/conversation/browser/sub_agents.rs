//! Sub-agents in a page: inside the call that started them, at any depth, and without it.

use super::super::library::{Library, assistant, call, result, user};
use super::sample::{SESSION, head, open_page, row, show_filters};
use crate::support::assert_has;
use crate::support::browser::Page;
use serde_json::json;

pub(super) const CHECKS: &[fn(&mut Page)] = &[a_sub_agent_is_a_conversation_inside_its_call];

fn a_sub_agent_is_a_conversation_inside_its_call(page: &mut Page) {
    assert_eq!(page.texts("#window > .row .badge"), ["sub-agent, 3 turns"]);
    page.click(&head(5));
    let nested = format!("{} .nested > .row", row(5));
    let kinds = page.value(&format!(
        "[...document.querySelectorAll(\"{nested}\")].map((row) => row.dataset.kind)"
    ));
    assert_eq!(kinds, json!(["prompt", "call", "text"]));
    let labels = page.texts(&format!("{nested} > .bar .label"));
    assert_eq!(labels, ["Task", "Sub-agent"]);
    assert_has(
        &page.text(&format!("{} > .body", row(5))),
        ["Report", "Only total.rs rounds.", "2.5 s"],
    );
    let call = format!("{nested}:nth-child(2)");
    page.click(&format!("{call} > .bar > .head"));
    assert_has(&page.text(&format!("{call} > .body")), ["round(1.005)"]);
    page.press(&["Enter"]);
    assert_eq!(page.count(&format!("{call} > .body")), 0);
}

/// A sub-agent that starts a sub-agent, and one whose call is missing.
fn deep() -> Library {
    let library = Library::new();
    let task = |uuid, id| call(SESSION, uuid, id, "Task", json!({"description": "deeper"}));
    let lines = [
        user(SESSION, "u1", "Go deep"),
        task("u2", "t1"),
        assistant(SESSION, "u3", "m3", "Back again.", 1),
    ];
    library.write(&library.path(SESSION), &lines);
    library.write_agent(
        SESSION,
        "a1",
        "t1",
        &[user(SESSION, "s1", "First level"), task("s2", "t2")],
    );
    let second = [user(SESSION, "d1", "Second level"), task("d2", "t3")];
    library.write_agent(SESSION, "a2", "t2", &second);
    let third = [
        call(SESSION, "e1", "b1", "Bash", json!({"command": "true"})),
        result(SESSION, "e2", "b1", "at the bottom", json!("Error: 1")),
        assistant(SESSION, "e3", "me3", "Third level, the deepest.", 7),
    ];
    library.write_agent(SESSION, "a3", "t3", &third);
    let orphan = user(SESSION, "o1", "Nobody started me");
    library.write_agent(SESSION, "a4", "gone", &[orphan]);
    library
}

#[test]
fn sub_agents_of_sub_agents_and_those_without_a_call_are_shown() {
    let Some(mut opened) = open_page(deep()) else {
        return;
    };
    let page = &mut opened.page;
    page.until_text("#shown", "4 turns");
    let badges = page.texts("#window > .row .badge");
    assert_eq!(badges, ["sub-agent, 2 turns", "sub-agent, call missing"]);
    page.click(&head(2));
    let second = format!("{} > .body > .agent > .nested > .row:nth-child(2)", row(2));
    page.click(&format!("{second} > .bar > .head"));
    let third = format!("{second} > .body > .agent > .nested > .row:nth-child(2)");
    page.click(&format!("{third} > .bar > .head"));
    let deepest = page.text(&format!("{third} > .body"));
    assert_has(&deepest, ["Third level, the deepest.", "at the bottom"]);
    // What a sub-agent did at any depth counts for the call that started it.
    show_filters(page);
    page.click("[data-status='error']");
    page.until_text("#shown", "1 of 4 turns");
    page.click("#clear");
    page.press(&["/"]);
    page.type_text("deepest");
    page.until_text("#hits", "1 of 1");
    assert_eq!(page.text("#window > .row.selected > .bar > a.number"), "#2");

    // The address of a turn opens it and what is around it.
    let page = opened.fresh();
    page.value("location.hash = '#me3'");
    page.until("document.querySelector('.nested .nested .nested .row.open[data-kind=text]')");
    let body = page.text(".nested .nested .nested .row.open[data-kind='text'] > .body");
    assert!(body.contains("Third level, the deepest."), "{body}");
    page.value("location.hash = '#u3'");
    page.until("document.querySelector('#window > .row.selected a.number')?.innerText === '#3'");
    page.value("location.hash = '#nothing-has-this-name'");
    page.frame();
}
