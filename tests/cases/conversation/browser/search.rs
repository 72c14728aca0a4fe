//! Search in a page: N of M, next and previous, what is searched and what is marked.

use crate::support::browser::Page;
use crate::support::eventually;
use serde_json::json;

/// Types a text into the search field in place of what is there, and waits until all of it was searched: on a busy
/// machine, the page searches while it is typed.
pub(super) fn search(page: &mut Page, text: &str) {
    page.press(&["Control+f"]);
    page.until("document.activeElement.id === 'query'");
    page.type_text(text);
    let done = "!searchIsDue() && search.done";
    eventually(done, || (page.value_in_page(done) == true).then_some(()));
}

/// Waits for what is shown in the search field, and asserts which turn is selected.
#[track_caller]
pub(super) fn assert_at(page: &mut Page, place: &str, turn: &str) {
    page.until_text("#hits", place);
    assert_eq!(page.text("#window > .row.selected > .head > .number"), turn);
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    a_search_counts_the_turns_and_goes_to_each_of_them,
    a_hit_says_where_it_is_and_is_marked_in_the_open_turn,
    values_are_searched_and_names_of_fields_are_not,
    a_search_is_limited_to_the_turns_that_the_filters_show,
];

fn a_search_counts_the_turns_and_goes_to_each_of_them(page: &mut Page) {
    search(page, "total.rs");
    assert_at(page, "1 of 6", "5");
    for (place, turn) in [("2 of 6", "6"), ("3 of 6", "7"), ("4 of 6", "8")] {
        page.press(&["Enter"]);
        assert_at(page, place, turn);
    }
    page.press(&["Shift+Enter"]);
    assert_at(page, "3 of 6", "7");
    page.click("#next");
    assert_at(page, "4 of 6", "8");
    page.click("#previous");
    page.click("#previous");
    page.click("#previous");
    assert_at(page, "1 of 6", "5");
    // After the last one comes the first one.
    page.click("#previous");
    assert_at(page, "6 of 6", "12");
    page.click("#next");
    assert_at(page, "1 of 6", "5");
    let marks = page.texts("#window > .row > .head .preview.hit mark");
    assert_eq!(marks, ["total.rs"; 6]);
}

fn a_hit_says_where_it_is_and_is_marked_in_the_open_turn(page: &mut Page) {
    search(page, "EXPLORER");
    // Only the sub-agent said it: the turn that started it is the hit.
    assert_at(page, "1 of 1", "11");
    assert_eq!(page.texts(".where"), ["sub-agent, text"]);
    page.press(&["Escape", "Enter"]);
    page.until("document.querySelector('.row.open .nested .row')");
    search(page, "explorer");
    page.until_text("#hits", "1 of 1");
    assert_eq!(page.texts(".nested .row > .head mark"), ["explorer"]);
    search(page, "cents");
    assert_at(page, "1 of 2", "7");
    assert_eq!(page.texts(".where"), ["Edit input", "Edit result"]);
    page.press(&["Escape", "Enter"]);
    search(page, "cents");
    page.until("document.querySelector('.row.open .diff .added mark')?.innerText === 'cents'");
}

fn values_are_searched_and_names_of_fields_are_not(page: &mut Page) {
    for (query, place) in [
        ("file_path", "no hits"),
        ("command", "no hits"),
        ("sleep 99", "1 of 1"),
        ("Edit", "1 of 2"),
        ("assertion failed: left ==", "1 of 1"),
        ("cents(1.005)", "1 of 2"),
        (".*", "no hits"),
    ] {
        search(page, query);
        page.until_text("#hits", place);
        let disabled = place == "no hits";
        let buttons = "[...document.querySelectorAll('.search button')].map((one) => one.disabled)";
        assert_eq!(page.value(buttons), json!([disabled, disabled]), "{query}");
    }
    page.press(&["Escape"]);
    page.until_text("#hits", "");
    assert_eq!(page.value("document.querySelector('#query').value"), "");
    assert_eq!(page.count("mark"), 0);
}

fn a_search_is_limited_to_the_turns_that_the_filters_show(page: &mut Page) {
    search(page, "total.rs");
    page.until_text("#hits", "1 of 6");
    page.click("[data-status='subagent']");
    page.until_text("#hits", "2 hits");
    page.press(&["n"]);
    assert_at(page, "1 of 2", "11");
    page.click("[data-status='subagent']");
    page.until_text("#hits", "6 hits");
}
