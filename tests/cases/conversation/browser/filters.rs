//! Filters of a page: each alone, two together, and the tokens that follow them.

use super::sample::{ROWS, TURNS, show_filters};
use crate::support::browser::Page;

/// Numbers of the turns that are shown.
fn shown(page: &mut Page) -> Vec<String> {
    page.texts("#window > .row > .bar > a.number")
}

/// Chooses an option of a list of choices with keys.
fn choose(page: &mut Page, list: &str, option: &str) {
    page.value(&format!("document.querySelector('{list}').focus()"));
    page.press(&["Home"]);
    let chosen = format!("document.querySelector('{list}').selectedOptions[0].text");
    for _ in 0..10 {
        if page.value(&chosen).as_str().unwrap().starts_with(option) {
            return;
        }
        page.press(&["ArrowDown"]);
    }
    panic!("{list} has no {option}");
}

/// Input and output tokens as the table shows them: of all turns, and of sub-agents.
fn tokens(page: &mut Page) -> [String; 4] {
    let cells = |page: &mut Page, row: u32| {
        let cells = format!(
            "[...document.querySelectorAll('#token-rows tr:nth-child({row}) td')].map((cell) => cell.textContent)"
        );
        let cells = page.value(&cells);
        [1, 2].map(|at| cells[at].as_str().unwrap().to_owned())
    };
    let ([a, b], [c, d]) = (cells(page, 3), cells(page, 2));
    [a, b, c, d]
}

fn until_shown(page: &mut Page, turns: usize) {
    page.until_text("#shown", &format!("{turns} of {TURNS} turns"));
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    the_filter_of_kinds_shows_the_rows_of_one,
    each_status_filter_shows_its_rows,
    the_filter_of_tools_shows_their_calls,
    the_filter_of_models_and_two_filters_together,
    the_tokens_are_those_of_the_turns_that_are_shown,
];

fn the_filter_of_kinds_shows_the_rows_of_one(page: &mut Page) {
    show_filters(page);
    for (kind, turns) in [
        ("Prompts", &["#1", "#9"][..]),
        ("Answers", &["#2", "#8"]),
        ("Tool calls", &["#3", "#4", "#5", "#6", "#7", "#10"]),
    ] {
        choose(page, "#kind", kind);
        until_shown(page, turns.len());
        assert_eq!(shown(page), turns, "{kind}");
    }
    page.click("#clear");
    page.until_text("#shown", &format!("{TURNS} turns"));
    assert_eq!(page.count("#window > .row"), ROWS as u64);
    assert!(page.value("document.querySelector('#clear').hidden") == true);
}

fn each_status_filter_shows_its_rows(page: &mut Page) {
    show_filters(page);
    for (status, turns) in [
        ("error", &["#6"][..]),
        ("pending", &["#10"]),
        ("subagent", &["#7"]),
    ] {
        let button = format!("[data-status='{status}']");
        assert_eq!(
            page.text(&format!("{button} span")),
            turns.len().to_string()
        );
        page.click(&button);
        until_shown(page, turns.len());
        assert_eq!(shown(page), turns, "{status}");
        page.click(&button);
        page.until_text("#shown", &format!("{TURNS} turns"));
    }
    // Within one filter, any choice matches.
    page.click("[data-status='error']");
    page.click("[data-status='pending']");
    until_shown(page, 2);
    assert_eq!(shown(page), ["#6", "#10"]);
}

fn the_filter_of_tools_shows_their_calls(page: &mut Page) {
    show_filters(page);
    page.click("#tools > summary");
    let names = page.texts("#tool-list .name");
    assert_eq!(names, ["Bash", "Read", "Edit", "Task", "Grep"]);
    assert_eq!(page.texts("#tool-list .count"), ["3", "1", "1", "1", "1"]);
    page.click("#tool-list label:nth-child(1)");
    until_shown(page, 3);
    assert_eq!(shown(page), ["#3", "#6", "#10"]);
    let places = "[...document.querySelectorAll('#window > .row')].map((row) => `${row.ariaPosInSet}/${row.ariaSetSize}`)";
    let places = page.value(places);
    assert_eq!(places, serde_json::json!(["1/3", "2/3", "3/3"]));
    page.click("#tool-list label:nth-child(2)");
    until_shown(page, 4);
    assert_eq!(page.text("#tools-chosen"), "Tools: Bash, Read");
    page.click("#tool-list label:nth-child(1)");
    page.click("#tool-list label:nth-child(2)");
    // A tool of a sub-agent shows the call that started it.
    page.click("#tool-list label:nth-child(5)");
    until_shown(page, 1);
    assert_eq!(shown(page), ["#7"]);
    page.press(&["Escape"]);
    page.until("!document.querySelector('#tools').open");
}

fn the_filter_of_models_and_two_filters_together(page: &mut Page) {
    show_filters(page);
    choose(page, "#model", "sonnet-4-5 (1)");
    until_shown(page, 1);
    assert_eq!(shown(page), ["#8"]);
    choose(page, "#model", "opus-4-5");
    until_shown(page, 7);
    page.click("[data-status='error']");
    until_shown(page, 1);
    choose(page, "#kind", "Answers");
    until_shown(page, 0);
    assert_eq!(page.text("#empty"), "No turn matches the filters.");
    page.click("#clear");
    page.until_text("#shown", &format!("{TURNS} turns"));
    let chosen = page.value("[document.querySelector('#kind').value, document.querySelector('#model').value, document.querySelectorAll('#status :checked').length]");
    assert_eq!(chosen, serde_json::json!(["", "", 0]));
}

fn the_tokens_are_those_of_the_turns_that_are_shown(page: &mut Page) {
    show_filters(page);
    let scope = |page: &mut Page, wanted: &str| {
        page.until(&format!(
            "document.querySelector('#scope').textContent === '{wanted}'"
        ));
    };
    let all = "Tokens of the whole conversation";
    scope(page, all);
    // Eight messages and two of the sub-agent, each with 10 tokens of input.
    assert_eq!(tokens(page), ["100", "185", "20", "35"]);
    let cost = page.text("#cost");
    choose(page, "#model", "sonnet");
    scope(page, "Tokens of the filtered turns");
    assert_eq!(tokens(page), ["10", "20", "0", "0"]);
    // Beside what the filter shows is the whole.
    assert_eq!(page.text("#cost"), format!("$0.0003 of {cost}"));
    let last = "document.querySelector('#token-rows tr:nth-child(4) td').textContent";
    assert_eq!(page.value(last), cost);
    choose(page, "#model", "All");
    scope(page, all);
    assert_eq!(page.text("#cost"), cost);
    page.click("[data-status='subagent']");
    scope(page, "Tokens of the filtered turns");
    // The call that started it, and what it did.
    assert_eq!(tokens(page), ["30", "40", "20", "35"]);
    page.click("[data-status='error']");
    until_shown(page, 2);
    assert_eq!(tokens(page), ["40", "45", "20", "35"]);
    page.click("#clear");
    scope(page, all);
    assert_eq!(tokens(page), ["100", "185", "20", "35"]);
}
