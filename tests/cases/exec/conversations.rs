//! Conversations that cannot be resumed.

use crate::support::exec::{Executor, Repository};
use ccd_protocol::exec::ExecutionResult;
use serde_json::{Value, json};

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
fn resume_passes_the_id_and_continue_takes_the_last_of_the_repository() {
    let (executor, repository, first) = conversation();
    let second = executor.run(&repository, &json!({})).result;
    assert_ne!(first.session_id, second.session_id);
    for params in [resume(&first.session_id), json!({"continue_last": true})] {
        let next = executor.run(&repository, &params).result;
        assert_eq!(next.session_id, first.session_id);
    }
    let arguments = executor.wait_for_file("arguments");
    let option = format!("--resume {}", first.session_id);
    assert_eq!(arguments.matches(&option).count(), 2, "{arguments}");
}

#[test]
fn a_conversation_that_is_unknown_was_ended_or_belongs_to_another_repository_cannot_be_resumed() {
    let (executor, repository, first) = conversation();
    let message = executor.refused(&repository, &resume(UNKNOWN), "exec_session_not_found");
    assert!(message.contains(UNKNOWN), "{message}");
    let other = Repository::new();
    let last = json!({"continue_last": true});
    executor.refused(&other, &last, "exec_session_not_found");
    let resumed = resume(&first.session_id);
    let message = executor.refused(&other, &resumed, "session_of_other_repository");
    for place in [&repository, &other] {
        assert!(message.contains(&place.path()), "{message}");
    }
    let params = json!({"session_id": first.session_id});
    let ended = executor.daemon.ok("exec.end", &params);
    assert_eq!(ended["status"], "completed");
    executor.refused(&repository, &resumed, "session_completed");
    assert_eq!(executor.wait_for_file("arguments").lines().count(), 1);
}
