//! Sub-agents in a page: inside the call that started them, at any depth, and without it.

use super::super::library::{Library, assistant, call, result, user};
use super::sample::{SESSION, open_page, row};
use crate::support::browser::Page;
use serde_json::json;

pub(super) const CHECKS: &[fn(&mut Page)] = &[a_sub_agent_is_a_timeline_inside_its_call];

fn a_sub_agent_is_a_timeline_inside_its_call(page: &mut Page) {
    let (call, report) = (row(11), row(12));
    assert_eq!(
        page.texts(&format!("{call} .badge.agent")),
        ["sub-agent, 4 turns"]
    );
    page.click(&format!("{call} > .head"));
    let nested = format!("{call} .nested > div > .row");
    assert_eq!(page.count(&nested), 4);
    let gists = page.texts(&format!("{nested} > .head .preview"));
    assert_eq!(gists[0], "Look for every rounding");
    assert!(
        page.text(&format!("{call} .inner"))
            .contains("Only total.rs rounds.")
    );
    // Beside the report of the sub-agent, its timeline is closed.
    page.click(&format!("{report} > .head"));
    let folds = page.texts(&format!("{report} .fold > summary"));
    assert!(
        folds.contains(&"Sub-agent: 4 turns".to_owned()),
        "{folds:?}"
    );
    assert_eq!(page.count(&format!("{report} .nested")), 0);
    let third = format!("{call} .nested .row:nth-child(3)");
    page.click(&format!("{third} > .head"));
    assert!(
        page.text(&format!("{third} .body"))
            .contains("round(1.005)")
    );
    page.press(&["Enter"]);
    assert_eq!(page.count(&format!("{third} .body")), 0);
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
    assert_eq!(
        page.texts(".badge.agent"),
        ["sub-agent, 2 turns", "sub-agent, call missing"]
    );
    page.click(&format!("{} > .head", row(2)));
    page.click(&format!("{} .nested .row:nth-child(2) > .head", row(2)));
    page.click(".nested .nested .row:nth-child(2) > .head");
    let deepest = ".nested .nested .nested .row > .head .preview";
    assert!(
        page.texts(deepest)
            .contains(&"Third level, the deepest.".to_owned())
    );
    // What a sub-agent did at any depth counts for the turn that started it.
    page.click("[data-status='error']");
    page.until_text("#shown", "1 of 4 turns");
    page.click("#clear");
    page.press(&["/"]);
    page.type_text("deepest");
    page.until_text("#hits", "1 of 1");
    assert_eq!(page.text("#window > .row.selected > .head > .number"), "2");

    // The address of a turn opens it and what is around it.
    let page = opened.fresh();
    page.value("location.hash = '#me3'");
    page.until("document.querySelector('.nested .nested .nested .row.open')");
    let body = page.text(".nested .nested .nested .row.open .body");
    assert!(body.contains("Third level, the deepest."), "{body}");
    page.value("location.hash = '#u3'");
    page.until(
        "document.querySelector('#window > .row.selected > .head > .number')?.innerText === '3'",
    );
    page.value("location.hash = '#nothing-has-this-name'");
    page.frame();
}
