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
    let at = project.path().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let file = project.path().join("CLAUDE.md");
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

#[test]
fn a_link_in_place_of_the_file_is_refused() {
    let daemon = Daemon::start();
    let project = project();
    let save = json!({"project": project.path()});
    daemon.call_value("memory.save", &save).unwrap();
    let rules = project.path().join("AGENTS.md");
    fs::write(&rules, "# Rules\n").unwrap();
    std::os::unix::fs::symlink("AGENTS.md", project.path().join("CLAUDE.md")).unwrap();
    let params = json!({"project": project.path(), "write": true});
    let error = daemon.call_value("memory.link", &params).unwrap_err();
    assert_eq!(error["data"]["kind"], "memory_not_writable");
    assert!(
        error["message"].as_str().unwrap().contains("it is a link"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&rules).unwrap(), "# Rules\n");
}
