//! Dark and light colours, and print.

use super::sample::{ROWS, show_filters};
use crate::support::browser::Page;
use crate::support::{assert_fields, assert_has};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

/// Returns how light the background of the page is: the red part of its colour.
fn lightness(page: &mut Page) -> u64 {
    let colour = page.value("getComputedStyle(document.body).backgroundColor");
    let colour = colour.as_str().unwrap();
    let parts = colour.trim_start_matches("rgb(").split(',');
    parts.into_iter().next().unwrap().parse().unwrap()
}

pub(super) const CHECKS: &[fn(&mut Page)] = &[
    a_phone_has_a_low_header_and_nothing_beside_the_text,
    colours_are_those_of_the_system_until_the_button_is_used,
    a_print_has_all_turns_as_they_are_open_and_no_controls,
    a_print_with_a_filter_has_the_turns_that_it_shows_and_says_so,
];

fn a_phone_has_a_low_header_and_nothing_beside_the_text(page: &mut Page) {
    let phone = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true});
    page.call("Emulation.setDeviceMetricsOverride", phone);
    page.frame();
    let sizes = page.value("[document.querySelector('header').offsetHeight, document.documentElement.scrollWidth, document.querySelector('#rail').offsetWidth]");
    assert_eq!(sizes, json!([64, 390, 0]));
    page.click("#contents-button");
    page.until("document.querySelector('#rail').offsetWidth > 0");
    page.click("#prompts li:last-child a");
    page.until("document.querySelector('#rail').offsetWidth === 0");
    page.until("document.querySelector('#window > .row.selected a.number')?.innerText === '#9'");
    page.click("#tokens > summary");
    let cost = "document.querySelector('#token-rows td').getBoundingClientRect().right <= 390";
    page.until(cost);
    page.click("#tokens > summary");
    page.call("Emulation.clearDeviceMetricsOverride", json!({}));
    page.frame();
}

fn colours_are_those_of_the_system_until_the_button_is_used(page: &mut Page) {
    let system = |page: &mut Page, scheme: &str| {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        page.call("Emulation.setEmulatedMedia", json!({"features": features}));
        page.frame();
    };
    system(page, "light");
    assert!(lightness(page) > 200);
    system(page, "dark");
    assert!(lightness(page) < 60);
    page.click("#theme");
    assert!(lightness(page) > 200);
    page.click("#theme");
    assert!(lightness(page) < 60);
    // What was chosen stays.
    system(page, "light");
    assert!(lightness(page) < 60);
}

fn a_print_has_all_turns_as_they_are_open_and_no_controls(page: &mut Page) {
    page.press(&["j", "j", "j", "Enter"]);
    page.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    // Listeners are called in the order in which they were added: the page's come first.
    page.value(
        "addEventListener('beforeprint', () => {
            const paper = document.querySelector('#paper');
            globalThis.printed = {
                rows: paper.querySelectorAll('.row').length,
                calls: paper.querySelectorAll('.nested .row').length,
                text: paper.innerText,
                hidden: ['#bar', '#columns'].map((part) => getComputedStyle(document.querySelector(part)).display),
            };
        }), 0",
    );
    let pdf = page.call("Page.printToPDF", json!({}));
    let pdf = BASE64_STANDARD
        .decode(pdf["data"].as_str().unwrap())
        .unwrap();
    assert!(
        pdf.starts_with(b"%PDF-") && pdf.len() > 10_000,
        "{}",
        pdf.len()
    );
    let printed = page.value("printed");
    assert_fields(&printed, json!({"rows": ROWS + 3, "calls": 3}));
    assert_eq!(printed["hidden"], json!(["none", "none"]));
    let text = printed["text"].as_str().unwrap();
    for part in [
        "Find why the",
        "I run the tests of checkout first.",
        "assertion failed",
        "sleep 99",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(page.count("#paper *"), 0);
    page.call("Emulation.setEmulatedMedia", json!({"media": ""}));
    page.until(&format!(
        "document.querySelectorAll('#window > .row').length === {ROWS}"
    ));
}

fn a_print_with_a_filter_has_the_turns_that_it_shows_and_says_so(page: &mut Page) {
    show_filters(page);
    page.click("[data-status='error']");
    page.value("addEventListener('beforeprint', () => { globalThis.printed = document.querySelector('#paper').textContent; }), 0");
    page.call("Page.printToPDF", json!({}));
    let printed = page.value("printed");
    let printed = printed.as_str().unwrap();
    assert!(
        printed.starts_with("This print has 1 of 10 turns: those that the filters show."),
        "{printed}"
    );
    assert_has(&printed, ["assertion failed: left == right"]);
}
