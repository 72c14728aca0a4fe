//! Filters of a page: each alone, two together, and the tokens that follow them.

use super::sample::ROWS;
use crate::support::browser::Page;

/// Numbers of the turns that are shown.
fn shown(page: &mut Page) -> Vec<u32> {
    let numbers = page.texts("#window > .row > .head > .number");
    numbers
        .iter()
        .map(|number| number.parse().unwrap())
        .collect()
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
        let cells = page.texts(&format!("#token-rows tr:nth-child({row}) td"));
        [cells[0].clone(), cells[1].clone()]
    };
    let ([a, b], [c, d]) = (cells(page, 3), cells(page, 2));
    [a, b, c, d]
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    the_filter_of_roles_shows_the_turns_of_one,
    each_status_filter_shows_its_turns,
    the_filter_of_tools_shows_calls_with_their_results,
    the_filter_of_models_and_two_filters_together,
    the_tokens_are_those_of_the_turns_that_are_shown,
];

fn the_filter_of_roles_shows_the_turns_of_one(page: &mut Page) {
    for (role, turns) in [
        ("Assistant", &[2, 3, 5, 7, 9, 11, 13, 15][..]),
        ("User", &[1, 4, 6, 8, 10, 12, 14]),
        ("User: prompts", &[1, 14]),
        ("User: tool results", &[4, 6, 8, 10, 12]),
    ] {
        choose(page, "#role", role);
        page.until_text("#shown", &format!("{} of {ROWS} turns", turns.len()));
        assert_eq!(shown(page), turns, "{role}");
    }
    page.click("#clear");
    page.until_text("#shown", &format!("{ROWS} turns"));
    assert_eq!(shown(page).len(), ROWS);
    assert!(page.value("document.querySelector('#clear').hidden") == true);
}

fn each_status_filter_shows_its_turns(page: &mut Page) {
    for (status, turns) in [
        ("error", &[9, 10][..]),
        ("pending", &[15]),
        ("subagent", &[11, 12]),
        // What a sub-agent said shows the turn that started it.
        ("text", &[1, 2, 11, 13, 14]),
    ] {
        let button = format!("[data-status='{status}']");
        assert_eq!(
            page.text(&format!("{button} span")),
            turns.len().to_string()
        );
        page.click(&button);
        page.until_text("#shown", &format!("{} of {ROWS} turns", turns.len()));
        assert_eq!(shown(page), turns, "{status}");
        page.click(&button);
        page.until_text("#shown", &format!("{ROWS} turns"));
    }
    // Within one filter, any choice matches.
    page.click("[data-status='error']");
    page.click("[data-status='pending']");
    page.until_text("#shown", &format!("3 of {ROWS} turns"));
    assert_eq!(shown(page), [9, 10, 15]);
}

fn the_filter_of_tools_shows_calls_with_their_results(page: &mut Page) {
    page.click("#tools > summary");
    let names = page.texts("#tool-list .name");
    assert_eq!(names, ["Bash", "Read", "Edit", "Task", "Grep"]);
    assert_eq!(page.texts("#tool-list .count"), ["3", "1", "1", "1", "1"]);
    page.click("#tool-list label:nth-child(1)");
    page.until_text("#shown", &format!("5 of {ROWS} turns"));
    assert_eq!(shown(page), [3, 4, 9, 10, 15]);
    let places = "[...document.querySelectorAll('#window > .row')].map((row) => `${row.ariaPosInSet}/${row.ariaSetSize}`)";
    let places = page.value(places);
    assert_eq!(
        places,
        serde_json::json!(["1/5", "2/5", "3/5", "4/5", "5/5"])
    );
    page.click("#tool-list label:nth-child(2)");
    page.until_text("#shown", &format!("7 of {ROWS} turns"));
    assert_eq!(shown(page), [3, 4, 5, 6, 9, 10, 15]);
    assert_eq!(page.text("#tools-chosen"), "Tools: Bash, Read");
    page.click("#tool-list label:nth-child(1)");
    page.click("#tool-list label:nth-child(2)");
    // A tool of a sub-agent shows the turn that started it.
    page.click("#tool-list label:nth-child(5)");
    page.until_text("#shown", &format!("1 of {ROWS} turns"));
    assert_eq!(shown(page), [11]);
    page.press(&["Escape"]);
    page.until("!document.querySelector('#tools').open");
}

fn the_filter_of_models_and_two_filters_together(page: &mut Page) {
    choose(page, "#model", "sonnet-4-5 (1)");
    page.until_text("#shown", &format!("1 of {ROWS} turns"));
    assert_eq!(shown(page), [13]);
    // A result has the model of its call.
    choose(page, "#model", "opus-4-5");
    page.until_text("#shown", &format!("12 of {ROWS} turns"));
    page.click("[data-status='error']");
    page.until_text("#shown", &format!("2 of {ROWS} turns"));
    choose(page, "#role", "User: tool results");
    page.until_text("#shown", &format!("1 of {ROWS} turns"));
    assert_eq!(shown(page), [10]);
    choose(page, "#model", "sonnet-4-5");
    page.until_text("#shown", &format!("0 of {ROWS} turns"));
    assert_eq!(page.text("#empty"), "No turn matches the filters.");
    page.click("#clear");
    page.until_text("#shown", &format!("{ROWS} turns"));
    let chosen = page.value("[document.querySelector('#role').value, document.querySelector('#model').value, document.querySelectorAll('[aria-pressed=true]').length]");
    assert_eq!(chosen, serde_json::json!(["", "", 0]));
}

fn the_tokens_are_those_of_the_turns_that_are_shown(page: &mut Page) {
    assert_eq!(page.text("#scope"), "Tokens");
    // Eight messages and two of the sub-agent, each with 10 tokens of input.
    assert_eq!(tokens(page), ["100", "185", "20", "35"]);
    choose(page, "#model", "sonnet");
    page.until_text("#scope", "Tokens of the filtered turns");
    assert_eq!(tokens(page), ["10", "20", "0", "0"]);
    choose(page, "#model", "All");
    page.until_text("#scope", "Tokens");
    page.click("[data-status='subagent']");
    page.until_text("#scope", "Tokens of the filtered turns");
    // The call that started it, and what it did.
    assert_eq!(tokens(page), ["30", "40", "20", "35"]);
    page.click("[data-status='error']");
    page.until_text("#shown", &format!("4 of {ROWS} turns"));
    assert_eq!(tokens(page), ["40", "45", "20", "35"]);
    page.click("#clear");
    page.until_text("#scope", "Tokens");
    assert_eq!(tokens(page), ["100", "185", "20", "35"]);
}
