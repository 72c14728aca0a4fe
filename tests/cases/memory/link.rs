//! `ccctl memory link`.

use super::{MemoryClient, assert_has, project};
use crate::support::Daemon;
use serde_json::json;
use std::fs;

#[test]
fn the_import_is_shown_first_and_written_after_a_yes() {
    let daemon = Daemon::start();
    let project = project();
    let memory = MemoryClient::of(&daemon, project.root());
    let yes = ["link", "--yes"];
    memory.fails(&yes, "has no session memory");
    memory.fails(&yes, "ccctl memory save");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    memory.ok(&["save"]);
    let file = project.root().join("CLAUDE.md");
    fs::write(&file, "# Rules\n").unwrap();
    let shown = memory.run(&["link"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert_has(&shown.stdout, &["\n+@.claude/session-memory.md\n"]);
    assert_has(&shown.stderr, &["--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Rules\n");

    assert_eq!(memory.ok(&yes), shown.stdout);
    let linked = "# Rules\n\n@.claude/session-memory.md\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), linked);

    assert_has(&memory.ok(&yes), &["imports the memory already"]);
    let reply = memory.json(&["link"]);
    let said = (&reply["diff"], &reply["written"]);
    assert_eq!(said, (&json!(""), &json!(false)));
    assert_eq!(fs::read_to_string(&file).unwrap(), linked);
}
