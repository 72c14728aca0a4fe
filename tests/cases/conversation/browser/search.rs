//! Search in a page: N of M, next and previous, what is searched and what is marked.

use super::sample::show_filters;
use crate::support::browser::Page;
use crate::support::{assert_has, eventually};
use serde_json::json;

/// Types a text into the search field in place of what is there, and waits until all of it was searched: on a busy
/// machine, the page searches while it is typed.
pub(super) fn search(page: &mut Page, text: &str) {
    page.press(&["Control+f"]);
    page.until("document.activeElement.id === 'query'");
    page.type_text(text);
    let done = "!searchIsDue() && search.done";
    eventually(done, || (page.value_in_page(done) == true).then_some(()));
    // The next keys are for the rows.
    page.value("document.querySelector('#scroller').focus()");
}

/// Waits for what is shown in the search field, and asserts which turn is selected.
#[track_caller]
pub(super) fn assert_at(page: &mut Page, place: &str, turn: &str) {
    page.until_text("#hits", place);
    assert_eq!(page.text("#window > .row.selected > .bar > a.number"), turn);
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    a_search_counts_the_rows_and_goes_to_each_of_them,
    a_hit_says_where_it_is_and_is_marked_in_the_open_row,
    what_a_row_shows_is_searched,
    a_search_is_limited_to_what_the_filters_show,
];

fn a_search_counts_the_rows_and_goes_to_each_of_them(page: &mut Page) {
    // Each call of the run is a row of its own now.
    search(page, "total.rs");
    assert_at(page, "1 of 3", "#4");
    for (place, turn) in [("2 of 3", "#5"), ("3 of 3", "#7")] {
        page.press(&["n"]);
        assert_at(page, place, turn);
    }
    page.press(&["N"]);
    assert_at(page, "2 of 3", "#5");
    page.click("#previous");
    // Before the first one comes the last one.
    page.click("#previous");
    assert_at(page, "3 of 3", "#7");
    page.click("#next");
    assert_at(page, "1 of 3", "#4");
    let marks = page.texts("#window > .row > .bar .gist mark");
    assert_eq!(marks, ["total.rs"; 3]);
}

fn a_hit_says_where_it_is_and_is_marked_in_the_open_row(page: &mut Page) {
    search(page, "EXPLORER");
    // Only the sub-agent said it: the call that started it is the hit.
    assert_at(page, "1 of 1", "#7");
    assert_eq!(page.texts(".where"), ["sub-agent, Sub-agent"]);
    page.press(&["ArrowRight"]);
    page.until("document.querySelector('.nested .row .body mark')?.innerText === 'explorer'");
    search(page, "lines 40");
    assert_at(page, "1 of 1", "#4");
    // What is apart on the page is apart in the line.
    let line = page.text("#window > .row.selected > .bar .gist");
    assert_has(&line, ["total.rs lines 40–42"]);
    search(page, "cents");
    assert_at(page, "1 of 1", "#5");
    assert_eq!(page.texts(".where"), ["Edit"]);
    page.press(&["ArrowRight"]);
    page.until("document.querySelector('.row.open .diff .added mark')?.innerText === 'cents'");
}

fn what_a_row_shows_is_searched(page: &mut Page) {
    for (query, place) in [
        ("file_path", "no hits"),
        ("sleep 99", "1 of 1"),
        ("Edit", "1 of 1"),
        ("assertion failed: left ==", "1 of 1"),
        ("cents(1.005)", "1 of 1"),
        (".*", "no hits"),
        // Colours and bold parts do not cut a text in two. The first hit from the selected row on is shown.
        ("fn total()", "2 of 2"),
        ("why the checkout test", "1 of 1"),
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

fn a_search_is_limited_to_what_the_filters_show(page: &mut Page) {
    search(page, "total.rs");
    page.until_text("#hits", "1 of 3");
    show_filters(page);
    page.click("[data-status='subagent']");
    page.until_text("#hits", "1 hits");
    page.press(&["n"]);
    assert_at(page, "1 of 1", "#7");
    page.click("[data-status='subagent']");
    page.until_text("#hits", "3 of 3");
}
