//! A conversation as a page for a browser.

use crate::conversation::library::{Library, assistant, user};
use crate::support::client::Ran;
use crate::support::secrets::TOKEN;
use crate::support::{Ccctl, assert_has};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

/// Returns the JSON in the elements of a page that begin like this.
fn data(page: &str, start: &str) -> Vec<Value> {
    let parts = page.split(start).skip(1);
    let json = parts.map(|part| part.split("</script>").next().unwrap());
    json.map(|json| serde_json::from_str(json).unwrap())
        .collect()
}

#[test]
fn a_page_has_everything_and_no_text_of_it_is_markup() {
    let library = Library::new();
    let hostile =
        format!("</script><script>alert(1)</script><img src=x onerror=alert(2)> key {TOKEN}");
    let mut lines = vec![user(SESSION, "u1", &hostile)];
    let text = "long ".repeat(10_000);
    lines
        .extend((0..200).map(|n| assistant(SESSION, &format!("a{n}"), &format!("m{n}"), &text, n)));
    library.write(&library.path(SESSION), &lines);
    let file = library.daemon.home().join("page.html");
    library.ok(&["export", SESSION, "--html", file.to_str().unwrap()]);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let page = fs::read_to_string(&file).unwrap();
    let about = data(&page, "<script type=\"application/json\" id=\"about\">");
    assert_eq!(about[0]["session_id"], SESSION);
    let blocks = data(&page, "<script type=\"application/json\" class=\"turns\">");
    assert!(blocks.len() > 10, "{}", blocks.len());
    let turns = blocks.iter().flat_map(|block| block.as_array().unwrap());
    let turns: Vec<&Value> = turns.collect();
    assert_eq!(turns.len(), 201);
    let said = &turns[0]["records"][0]["message"]["content"];
    assert!(
        said.as_str()
            .unwrap()
            .starts_with("</script><script>alert(1)"),
        "{said}"
    );
    assert!(said.as_str().unwrap().ends_with("***"), "{said}");
    assert!(!page.contains(TOKEN) && !page.contains("<img src=x"));
    assert_eq!(page.matches("</html>").count(), 1);
    assert!(!page.contains("{{") || !page.contains("SHA256}}'"));
    assert!(!file.with_extension("html.new").exists());
    let printed = library.ok(&["export", SESSION, "--html", "-"]);
    let blocks = |page: &str| page.matches("class=\"turns\"").count();
    assert_eq!(blocks(&printed), blocks(&page));
}

#[test]
fn no_transcript_is_overwritten() {
    let library = Library::new();
    let lines = [user(SESSION, "u1", "one")];
    let (own, other) = (library.path(SESSION), library.path("other"));
    let elsewhere = library.daemon.home().join("copy");
    for path in [&own, &other, &elsewhere] {
        library.write(path, &lines);
    }
    let linked = library.daemon.home().join("linked");
    fs::hard_link(&own, &linked).unwrap();
    for (conversation, file) in [
        (SESSION, &own),
        (SESSION, &other),
        (SESSION, &linked),
        (elsewhere.to_str().unwrap(), &elsewhere),
    ] {
        let before = fs::read(file).unwrap();
        for form in ["--html", "--markdown", "--json"] {
            let path = file.to_str().unwrap();
            let words = ["conversation", "export", conversation, form, path];
            let mut command = Ccctl::new(&library.daemon).command(&words);
            let command = command.env("CLAUDE_CONFIG_DIR", library.dir());
            let ran = Ran::of(command.output().unwrap());
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert_has(&ran.stderr, ["a transcript of Claude Code"]);
            assert_eq!(fs::read(file).unwrap(), before);
        }
    }
    // Whatever else is there is replaced.
    let file = other.with_extension("html");
    for form in ["--html", "--markdown"] {
        library.ok(&["export", SESSION, form, file.to_str().unwrap()]);
    }
}
