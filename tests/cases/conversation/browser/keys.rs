//! Every key that the help of a page lists.

use super::sample::{ROWS, head};
use crate::support::browser::Page;

/// The keys in the help, in its order. Each of them is pressed below.
const KEYS: [&str; 22] = [
    "↓", "j", "↑", "k", "p", "P", "Home", "End", "Enter", "→", "←", "e", "c", "/", "Ctrl", "F",
    "n", "N", "Shift", "Enter", "Esc", "?",
];

fn selected(page: &mut Page) -> String {
    let place = page.value("document.querySelector('#window > .row.selected').ariaPosInSet");
    place.as_str().unwrap().to_owned()
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    the_help_lists_the_keys_and_closes,
    keys_select_a_turn,
    keys_open_and_close_turns,
    keys_search,
];

fn the_help_lists_the_keys_and_closes(page: &mut Page) {
    let is_open = "document.querySelector('#help').open";
    assert_eq!(page.value(is_open), false);
    page.press(&["?"]);
    page.until(is_open);
    assert_eq!(page.texts("#help kbd"), KEYS);
    // The help has the keys for itself.
    page.press(&["j", "e"]);
    assert_eq!(page.count(".row.selected"), 0);
    page.press(&["Escape"]);
    page.until(&format!("!{is_open}"));
    page.click("#help-button");
    page.until(is_open);
    page.click("#help-close");
    page.until(&format!("!{is_open}"));
}

fn keys_select_a_turn(page: &mut Page) {
    for (key, turn) in [
        ("j", "1"),
        ("ArrowDown", "2"),
        ("j", "3"),
        ("k", "2"),
        ("ArrowUp", "1"),
        ("ArrowUp", "1"),
        ("End", "8"),
        ("j", "8"),
        ("P", "7"),
        ("P", "1"),
        ("p", "7"),
        ("Home", "1"),
    ] {
        page.press(&[key]);
        assert_eq!(selected(page), turn, "{key}");
        let focused = "document.activeElement.closest('.row').ariaPosInSet";
        assert_eq!(page.value(focused), turn, "{key}");
    }
}

fn keys_open_and_close_turns(page: &mut Page) {
    let open_rows = |page: &mut Page| page.count("#window > .row[data-kind='run'].open");
    page.press(&["j", "j", "j"]);
    for (key, open) in [
        ("Enter", 1),
        ("Enter", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("Escape", 0),
    ] {
        page.press(&[key]);
        assert_eq!(open_rows(page), open, "{key}");
        assert_eq!(selected(page), "3");
    }
    page.press(&["e"]);
    let closed = "#window > .row:not(.open)";
    page.until("document.querySelector('#window > .row').ariaSetSize === '10'");
    assert_eq!(page.count(closed), 0);
    page.press(&["c"]);
    page.until(&format!(
        "document.querySelectorAll('#window > .row').length === {ROWS}"
    ));
    assert_eq!(page.count(closed), 3);
}

fn keys_search(page: &mut Page) {
    let focused = "document.activeElement.id";
    page.press(&["/"]);
    assert_eq!(page.value(focused), "query");
    // In the search field, the keys of the list are letters.
    page.type_text("jkecn?/");
    assert_eq!(
        page.value("document.querySelector('#query').value"),
        "jkecn?/"
    );
    page.until_text("#hits", "no hits");
    assert_eq!(page.count(".row.selected"), 0);
    page.press(&["Escape"]);
    page.until_text("#hits", "");
    assert_ne!(page.value(focused), "query");
    page.press(&["Control+f"]);
    assert_eq!(page.value(focused), "query");
    // Enter before the pause that starts a search by itself, however slowly it is typed.
    page.value_in_page("globalThis.later = setTimeout, globalThis.setTimeout = () => 0, 0");
    page.type_text("cargo test");
    page.value_in_page("globalThis.setTimeout = later, 0");
    page.press(&["Enter"]);
    page.until_text("#hits", "1 of 2");
    page.press(&["Enter"]);
    page.until_text("#hits", "2 of 2");
    page.press(&["Shift+Enter"]);
    page.until_text("#hits", "1 of 2");
    page.click(&head(2));
    page.press(&["n"]);
    page.until_text("#hits", "2 of 2");
    page.press(&["N"]);
    page.until_text("#hits", "1 of 2");
    // A second search replaces the text of the first.
    page.press(&["/"]);
    page.type_text("Thanks");
    page.until_text("#hits", "1 of 1");
    assert_eq!(selected(page), "9");
}
