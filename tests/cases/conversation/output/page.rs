//! A conversation as a page for a browser.

use crate::conversation::library::{Library, assistant, transcript, user};
use crate::support::client::Ran;
use crate::support::secrets::TOKEN;
use crate::support::{Ccctl, assert_has, assert_lacks};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::inflate::decompress_to_vec;
use serde_json::{Value, json};
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

/// Returns the records of each block of turns.
fn records(page: &str) -> Vec<Value> {
    let start = "<script type=\"application/octet-stream\" class=\"raw\">";
    let parts = page.split(start).skip(1);
    let packed = parts.map(|part| part.split("</script>").next().unwrap());
    let unpacked = packed.map(|base64| {
        let bytes = BASE64_STANDARD.decode(base64).unwrap();
        decompress_to_vec(&bytes).unwrap()
    });
    unpacked
        .map(|json| serde_json::from_slice(&json).unwrap())
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
    assert_eq!(about[0]["cwd"], "shop");
    let masks = data(&page, "<script type=\"application/json\" class=\"masks\">");
    assert_eq!(masks[0], 1);
    let blocks = data(&page, "<script type=\"application/json\" class=\"turns\">");
    assert!(blocks.len() > 10, "{}", blocks.len());
    let turns = blocks.iter().flat_map(|block| block.as_array().unwrap());
    let turns: Vec<&Value> = turns.collect();
    assert_eq!(turns.len(), 201);
    assert!(
        turns[0]["items"][0]["body"]
            .as_str()
            .unwrap()
            .contains("</script><script>alert(1)")
    );
    let raw = records(&page);
    let said = &raw[0][0][0]["message"]["content"];
    assert!(
        said.as_str()
            .unwrap()
            .starts_with("</script><script>alert(1)"),
        "{said}"
    );
    assert!(said.as_str().unwrap().ends_with("***"), "{said}");
    assert!(!page.contains(TOKEN) && !page.contains("<img src=x") && !page.contains(SESSION));
    assert_lacks(&Value::from(raw).to_string(), [TOKEN, SESSION]);
    assert_eq!(page.matches("</html>").count(), 1);
    assert!(!page.contains("{{") || !page.contains("SHA256}}'"));
    assert!(!file.with_extension("html.new").exists());
    let printed = library.ok(&["export", SESSION, "--html", "-"]);
    let blocks = |page: &str| page.matches("class=\"turns\"").count();
    assert_eq!(blocks(&printed), blocks(&page));
}

#[test]
fn a_page_has_the_turns_and_the_paths_that_were_asked_for() {
    let library = Library::new();
    let home = library.daemon.home().display().to_string();
    let steps = json!([
        ["user", "u1", "One"],
        ["call", "u2", "t1", "Bash", {"command": format!("ls {home}/src")}],
        ["result", "u3", "t1", "a", {"stdout": "a", "stderr": ""}],
        ["user", "u4", "Two"],
        ["assistant", "u5", "m5", "Three", 1],
    ]);
    library.write(&library.path(SESSION), &transcript(SESSION, steps));
    let exported =
        |more: &[&str]| library.ok(&[&["export", SESSION, "--html", "-"], more].concat());
    let start = "<script type=\"application/json\" class=\"turns\">";
    for (range, numbers) in [
        ("2..3", &[2, 3][..]),
        ("4", &[4]),
        ("3..", &[3, 4]),
        ("9", &[]),
    ] {
        let page = exported(&["--turns", range]);
        let turns: Vec<Value> = data(&page, start)
            .into_iter()
            .flat_map(|block| block.as_array().unwrap().clone())
            .collect();
        let shown: Vec<u64> = turns
            .iter()
            .map(|turn| turn["number"].as_u64().unwrap())
            .collect();
        assert_eq!(shown, numbers, "{range}");
    }
    let (page, with_paths) = (exported(&[]), exported(&["--with-paths"]));
    let path = format!("{home}/src");
    assert!(!page.contains(&path) && page.contains("ls ~/src"));
    assert!(with_paths.contains(&path) && with_paths.contains(SESSION));
    let words = ["export", SESSION, "--html", "-", "--turns", "3..2"];
    assert_eq!(library.ccctl(&words).code, Some(2));
}

#[test]
fn all_conversations_are_pages_with_a_list_and_only_changed_ones_are_written_again() {
    let library = Library::new();
    let other = SESSION.replace("5fc0", "6fc0");
    library.write(
        &library.path(SESSION),
        &[user(SESSION, "u1", "First quokka")],
    );
    library.write(
        &library.path(&other),
        &[user(&other, "v1", "Second wombat")],
    );
    let dir = library.daemon.home().join("pages");
    let export = |more: &[&str]| {
        let words = [
            &[
                "--json",
                "conversation",
                "export",
                "--all",
                dir.to_str().unwrap(),
                "--wait",
            ],
            more,
        ]
        .concat();
        let report: Value = serde_json::from_str(&Ccctl::new(&library.daemon).ok(&words)).unwrap();
        [
            report["pages"].as_u64().unwrap(),
            report["written"].as_u64().unwrap(),
        ]
    };
    assert_eq!(export(&["--search", "wombat"]), [1, 1]);
    assert_eq!(export(&[]), [2, 1]);
    assert_eq!(export(&[]), [2, 0]);
    library.write(
        &library.path(SESSION),
        &[
            user(SESSION, "u1", "First quokka"),
            assistant(SESSION, "u2", "m2", "Yes", 3),
        ],
    );
    assert_eq!(export(&[]), [2, 1]);
    fs::remove_file(library.path(&other)).unwrap();
    assert_eq!(export(&[]), [1, 0]);
    let index = fs::read_to_string(dir.join("index.html")).unwrap();
    let pages = data(&index, "<script type=\"application/json\" id=\"pages\">");
    let titles: Vec<&str> = pages[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["title"].as_str().unwrap())
        .collect();
    // The page of what Claude Code has deleted stays.
    assert_eq!(titles.len(), 2, "{titles:?}");
    for page in pages[0].as_array().unwrap() {
        assert!(dir.join(page["page"].as_str().unwrap()).is_file());
    }
    assert!(!index.contains(SESSION));
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
