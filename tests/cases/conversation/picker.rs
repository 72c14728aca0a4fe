//! `ccctl conversation` alone: a list to choose from, and the pager that shows a conversation.

use super::library::{Library, assistant, user};
use crate::support::assert_has;
use crate::support::session::{OpenSession, lacks};
use serde_json::json;

fn session(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

fn library(count: usize) -> Library {
    let library = Library::new();
    for number in 0..count {
        let session = session(number);
        let title = format!("Title number{number}");
        let (asked, answered) = (format!("u{number}"), format!("a{number}"));
        let (asks, message) = (format!("Please sort list {number}"), format!("m{number}"));
        let answer = format!("Sorted needle{number}.");
        let lines = [
            json!({"type": "summary", "summary": title, "leafUuid": "x"}).to_string(),
            user(&session, &asked, &asks),
            assistant(&session, &answered, &message, &answer, 30),
        ];
        library.write(&library.path(&session), &lines);
    }
    library
}

/// Starts the client on its own terminal with this pager.
fn open<'a>(
    library: &'a Library,
    words: &[&str],
    size: (i64, i64),
    pager: &str,
) -> OpenSession<'a> {
    let mut params = library.daemon.client(words, size);
    params.env.insert("PAGER".to_owned(), pager.to_owned());
    library.daemon.open_with(&params)
}

#[test]
fn a_conversation_is_found_by_typing_previewed_and_shown() {
    if lacks(&["less"]) {
        return;
    }
    let library = library(30);
    // A busy machine takes longer than the picker waits for.
    let indexed = json!({"wait_ms": 60_000});
    assert_eq!(
        library.daemon.ok("conversation.list", &indexed)["total"],
        30
    );
    let picker = open(&library, &["conversation"], (30, 100), "less");
    picker.shows("30 of 30");
    picker.text("number17");
    picker.shows("1 of 30");
    picker.shows("Please sort list 17");
    picker.shows("Sorted needle17.");
    picker.shows(&format!("$ ccctl conversation show {}", session(17)));
    picker.keys(&["Enter"]);
    // It fits on the screen, and stays there until the pager is left.
    picker.shows("session     00000017-");
    picker.text("q");
    picker.shows("filter › number17");
    assert!(picker.screen().alternate);
    // Search in what was said.
    picker.keys(&["C-u", "Tab"]);
    picker.text("needle23");
    picker.shows("1 of 1");
    picker.shows("--at a23");
    picker.keys(&["Enter"]);
    picker.shows("assistant  opus-4-5");
    picker.text("q");
    picker.shows("search › needle23");
    picker.keys(&["Escape", "Escape"]);
    assert_eq!(picker.ended().exitstatus, Some(0));
    assert!(!picker.screen().alternate);
}

#[test]
fn without_a_pager_the_text_stays_until_a_key_is_pressed() {
    let library = library(2);
    let picker = open(&library, &["conversation"], (24, 80), "cat");
    picker.shows("2 of 2");
    picker.keys(&["Enter"]);
    picker.shows("(done; Enter: list, q: quit)");
    assert!(!picker.screen().alternate);
    picker.keys(&["Enter"]);
    picker.shows("filter ›");
    picker.keys(&["C-c"]);
    assert_eq!(picker.ended().exitstatus, Some(0));

    // Between pipes, the commands are listed as for any noun.
    let ran = library.ccctl(&[]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("search"), "{ran:?}");
    let ran = library.ccctl(&["--json"]);
    assert!(ran.stderr.contains("subcommand is missing"), "{ran:?}");
    let usage = "Usage: ccctl conversation [OPTIONS] [COMMAND]\n";
    assert_has(&library.ok(&["--help"]), [usage]);
}

#[test]
fn a_pager_that_is_left_ends_the_reading() {
    let library = Library::new();
    let text = "long ".repeat(2000);
    let lines: Vec<String> = (0..3000)
        .map(|n| assistant(&session(0), &format!("a{n}"), &format!("m{n}"), &text, 1))
        .collect();
    library.write(&library.path(&session(0)), &lines);
    // The pager shows a line and exits; the rest is 30 MB.
    let words = ["conversation", "show", "00000000"];
    let shown = open(&library, &words, (24, 80), "head -n 1");
    assert_eq!(shown.ended().exitstatus, Some(0));
    let first = shown.screen().lines;
    assert!(first[0].starts_with("session "), "{first:?}");
}
