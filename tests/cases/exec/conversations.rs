//! Conversations that cannot be resumed.

use crate::support::exec::{Executor, Repository};
use ccd_protocol::exec::ExecutionResult;
use serde_json::{Value, json};
use std::process::Command;

const UNKNOWN: &str = "99999999-2222-4333-8444-555555555555";

/// A run that has started a conversation.
fn conversation() -> (Executor, Repository, ExecutionResult) {
    let executor =
        Executor::with_script("init; echo \"$arguments\" >> \"$HOME/arguments\"; result");
    let repository = Repository::new();
    let result = executor
        .run(&repository, &json!({}))
        .succeeded_and_changed(&[])
        .clone();
    (executor, repository, result)
}

fn resume(id: &str) -> Value {
    json!({ "resume_session_id": id })
}

/// Returns the ids of the conversations in a run's directory of Claude Code.
fn listed(executor: &Executor) -> Vec<Value> {
    let params =
        json!({"claude_dirs": [executor.claude.home().join(".claude")], "wait_ms": 20_000});
    let list = executor.daemon.call_value("conversation.list", &params);
    let list = list.unwrap()["conversations"].clone();
    let ids = list.as_array().unwrap().iter();
    ids.map(|one| one["session_id"].clone()).collect()
}

#[test]
fn a_run_is_a_conversation_as_soon_as_it_has_ended() {
    let executor = Executor::with_script(
        r#"init
        folder="$HOME/.claude/projects/-srv-shop"; mkdir -p "$folder"
        printf '{"type":"user","uuid":"u1","timestamp":"2026-03-01T08:00:02.000Z","sessionId":"%s","message":{"role":"user","content":"do it"}}\n' "$id" > "$folder/$id.jsonl"
        result"#,
    );
    let repository = Repository::new();
    for _ in 0..2 {
        let before = listed(&executor);
        let ran = executor.run(&repository, &json!({}));
        let id = json!(ran.result.session_id);
        assert!(!before.contains(&id) && listed(&executor).contains(&id));
    }
}

#[test]
fn an_unknown_conversation_is_an_error_that_names_it_and_nothing_runs() {
    let (executor, repository, _) = conversation();
    let message = executor.refused(&repository, &resume(UNKNOWN), "exec_session_not_found");
    assert!(message.contains(UNKNOWN), "{message}");
    assert_eq!(executor.wait_for_file("arguments").lines().count(), 1);
}

#[test]
fn continue_without_a_conversation_in_this_repository_is_an_error() {
    let (executor, _, _) = conversation();
    executor.refused(
        &Repository::new(),
        &json!({"continue_last": true}),
        "exec_session_not_found",
    );
}

#[test]
fn resume_passes_the_id_and_continue_takes_the_last_of_the_repository() {
    let (executor, repository, first) = conversation();
    let second = executor.run(&repository, &json!({})).result;
    assert_ne!(first.session_id, second.session_id);
    let resumed = executor.run(&repository, &resume(&first.session_id)).result;
    let continued = executor
        .run(&repository, &json!({"continue_last": true}))
        .result;
    assert_eq!(
        (&resumed.session_id, &continued.session_id),
        (&first.session_id, &first.session_id)
    );
    let arguments = executor.wait_for_file("arguments");
    let option = format!("--resume {}", first.session_id);
    assert_eq!(
        arguments
            .lines()
            .filter(|line| line.contains(&option))
            .count(),
        2,
        "{arguments}"
    );
}

#[test]
fn a_conversation_that_was_ended_or_belongs_to_another_repository_cannot_be_resumed() {
    let (executor, repository, first) = conversation();
    let other = Repository::new();
    let message = executor.refused(
        &other,
        &resume(&first.session_id),
        "session_of_other_repository",
    );
    assert!(
        message.contains(&repository.path()) && message.contains(&other.path()),
        "{message}"
    );
    let params = json!({"session_id": first.session_id});
    assert_eq!(
        executor.daemon.call_value("exec.end", &params).unwrap()["status"],
        "completed"
    );
    executor.refused(&repository, &resume(&first.session_id), "session_completed");
}

#[test]
fn a_conversation_that_nobody_used_for_a_week_is_expired() {
    let (mut executor, repository, first) = conversation();
    executor.daemon.stop();
    let database = executor.daemon.home().join("exec.sqlite");
    let update = "UPDATE sessions SET last_accessed = '2020-01-01T00:00:00.000Z';";
    let changed = Command::new("python3")
        .args(["-c", "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: print(c.execute(sys.argv[2]).rowcount)"])
        .arg(&database)
        .arg(update)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&changed.stdout),
        "1\n",
        "{changed:?}"
    );
    executor.daemon.restart();
    executor.refused(&repository, &resume(&first.session_id), "session_expired");
}

#[test]
fn requests_that_the_seed_forbids_are_refused_with_its_words() {
    let executor = Executor::with_script("result");
    let repository = Repository::new();
    for (params, message) in [
        (json!({"instruction": " \n"}), "Instruction cannot be empty"),
        (
            json!({"timeout": 0}),
            "Timeout must be between 1 and 3600 seconds",
        ),
        (
            json!({"timeout": 3601}),
            "Timeout must be between 1 and 3600 seconds",
        ),
        (
            json!({"allowed_tools": ["Read"], "disallowed_tools": ["Bash"]}),
            "Cannot specify both allowed_tools and disallowed_tools",
        ),
        (
            json!({"resume_session_id": UNKNOWN, "continue_last": true}),
            "Cannot use both resume_session_id and continue_last",
        ),
    ] {
        assert_eq!(
            executor.refused(&repository, &params, "invalid_request"),
            message
        );
    }
}

#[test]
fn a_run_is_found_by_a_prefix_of_its_id_and_unknown_ones_are_not() {
    let (executor, _, first) = conversation();
    let get = |id: &str| {
        executor
            .daemon
            .call_value("exec.get", &json!({"request_id": id}))
    };
    assert_eq!(
        get(&first.request_id[..8]).unwrap()["request_id"],
        json!(first.request_id)
    );
    assert_eq!(
        crate::support::kind(&get("00000000").unwrap_err()),
        "execution_not_found"
    );
}
