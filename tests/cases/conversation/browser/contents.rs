//! The page that lists pages of conversations, in Chromium.

use super::super::library::{Library, user};
use super::sample::SESSION;
use crate::support::browser::Page;

#[test]
fn conversations_are_listed_by_project_and_found_by_title() {
    let library = Library::new();
    for (at, title) in ["Fix the <b>invoice</b>", "Move to SQLite", "Release 2.7"]
        .iter()
        .enumerate()
    {
        let session = SESSION.replacen('5', &at.to_string(), 1);
        library.write(
            &library.path(&session),
            &[user(&session, &format!("u{at}"), title)],
        );
    }
    let dir = library.daemon.home().join("pages");
    library.ok(&["export", "--all", dir.to_str().unwrap(), "--wait"]);
    let Some(mut page) = Page::open(&dir.join("index.html")) else {
        return;
    };
    page.until_text("#shown", "3 conversations");
    assert_eq!(page.texts("#projects h2")[0], "shop 3 conversations, –");
    page.press(&["/"]);
    page.type_text("<b>");
    page.until_text("#shown", "1 of 3 conversations");
    assert_eq!(page.texts("#projects a"), ["Fix the <b>invoice</b>"]);
    let to = page.value("document.querySelector('#projects a').getAttribute('href')");
    page.load(&dir.join(to.as_str().unwrap()));
    page.until_text("#title", "Fix the <b>invoice</b>");
}
