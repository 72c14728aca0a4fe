//! `ccctl memory link`.

use super::project;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;

#[test]
fn the_import_is_shown_first_and_written_after_a_yes() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.root().to_str().unwrap();
    let none = client.run(&["memory", "link", "--yes", "--project", at]);
    assert_ne!(none.code, Some(0));
    assert!(
        none.stderr.contains("has no session memory") && none.stderr.contains("ccctl memory save"),
        "{}",
        none.stderr
    );
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    client.ok(&["memory", "save", "--project", at]);
    let file = project.root().join("CLAUDE.md");
    fs::write(&file, "# Rules\n").unwrap();
    let shown = client.run(&["memory", "link", "--project", at]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(
        shown.stdout.contains("\n+@.claude/session-memory.md\n"),
        "{}",
        shown.stdout
    );
    assert!(shown.stderr.contains("--yes"), "{}", shown.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Rules\n");

    let written = client.run(&["memory", "link", "--yes", "--project", at]);
    assert_eq!((written.code, &written.stdout), (Some(0), &shown.stdout));
    let linked = "# Rules\n\n@.claude/session-memory.md\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), linked);

    let again = client.ok(&["memory", "link", "--yes", "--project", at]);
    assert!(again.contains("imports the memory already"), "{again}");
    let reply: Value =
        serde_json::from_str(&client.ok(&["memory", "link", "--json", "--project", at])).unwrap();
    assert_eq!(
        (&reply["diff"], &reply["written"]),
        (&json!(""), &json!(false))
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), linked);
}
