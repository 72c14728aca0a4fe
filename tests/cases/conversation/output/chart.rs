//! Sums as text and as an image.

use crate::conversation::library::{Library, assistant, user};
use crate::support::assert_has;
use std::fs;

const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

fn library() -> Library {
    let library = Library::new();
    let lines = [
        user(SESSION, "u1", "Use cents"),
        assistant(SESSION, "a1", "m1", "Done.", 990),
    ];
    library.write(&library.path(SESSION), &lines);
    library
}

#[test]
fn sums_are_text_bars_and_an_image() {
    let library = library();
    between_pipes_rows_have_numbers_and_no_bars(&library);
    on_a_terminal_rows_have_bars_that_fit(&library);
    an_image_has_the_groups_and_replaces_only_what_is_asked_for(&library);
}

fn between_pipes_rows_have_numbers_and_no_bars(library: &Library) {
    let text = library.ok(&["stats", "--by", "day"]);
    assert!(
        text.ends_with("\n\nDAY         TOKENS  OUTPUT  COST\n2026-03-01  1.00k   990     $0.02\n"),
        "{text}"
    );
    assert!(text.contains("\ntokens         10 in, 990 out,"), "{text}");
    assert!(!text.contains("sub-agents"), "{text}");
}

fn on_a_terminal_rows_have_bars_that_fit(library: &Library) {
    let words = ["conversation", "stats", "--by", "project"];
    let mut params = library.daemon.client(&words, (30, 80));
    params.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
    let stats = library.daemon.open_with(&params);
    let lines = stats.shows("/srv/shop");
    assert_eq!(stats.ended().exitstatus, Some(0));
    let heading = lines.iter().position(|line| line.starts_with("PROJECT"));
    let row = &lines[heading.unwrap() + 1];
    assert!(row.ends_with("█") && row.contains("100% ███"), "{row}");
}

fn an_image_has_the_groups_and_replaces_only_what_is_asked_for(library: &Library) {
    let file = library.daemon.home().join("tokens.svg");
    let path = file.to_str().unwrap();
    assert_eq!(library.ok(&["stats", "--svg", path]), "");
    let image = fs::read_to_string(&file).unwrap();
    assert!(image.starts_with("<svg ") && image.ends_with("</svg>\n"));
    assert_has(&image, ["Tokens and cost by day", ">2026-03-01</text>"]);
    assert_has(&image, ["2026-03-01: 990 output</title>"]);
    assert_eq!(library.ok(&["stats", "--svg", "-"]), image);
    let tools = library.ok(&["stats", "--by", "tool", "--svg", "-"]);
    assert!(tools.contains("Calls by tool"), "{tools}");
    let ran = library.ccctl(&["stats", "--svg", path, "--json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
