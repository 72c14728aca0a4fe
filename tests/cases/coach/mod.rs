//! The coach: from events to rules in files.

mod claude;
mod decide;
mod files;
mod golden;
mod older;
mod recording;

use crate::hook::{events, failure, silent_hook};
use crate::support::Daemon;
use crate::support::exec::Repository;
use serde_json::{Value, json};

/// Makes one candidate in a repository, and returns it.
pub(super) fn candidate(daemon: &Daemon, repository: &Repository) -> Value {
    let error = "Exit code 1\nmerge queue is required";
    let mut payload = failure("s", "t1", "gh pr merge 7", error);
    payload["cwd"] = json!(repository.root());
    silent_hook(daemon, &payload);
    events(daemon, 1);
    let made = daemon.ok("coach.aggregate", &json!({}));
    assert_eq!(made["candidates"].as_array().unwrap().len(), 1, "{made}");
    made["candidates"][0].clone()
}
