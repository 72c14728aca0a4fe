//! Conversations that are continued.

use crate::support::exec::{Executor, Repository};
use ccd_protocol::exec::ExecutionStatus;
use serde_json::json;

/// A model that repeats what the user said first in the conversation, and counts its messages.
const REMEMBERS: &str = "{{message_count}} {{first_user_text}}";

fn remembering() -> Option<(Executor, Repository)> {
    let executor = Executor::with_answers(&json!([REMEMBERS, REMEMBERS, REMEMBERS]))?;
    Some((executor, Repository::new()))
}

#[test]
fn resume_and_continue_go_on_with_what_was_said() {
    let Some((executor, repository)) = remembering() else {
        return;
    };
    let say = |instruction: &str, more: serde_json::Value| {
        let mut params = json!({"instruction": instruction, "output_format": "text"});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        executor
            .run(&repository, &params)
            .succeeded_and_changed(&[])
            .clone()
    };
    let first = say("the word is plum", json!({}));
    assert!(
        first.stdout.contains("the word is plum"),
        "{}",
        first.stdout
    );
    let resumed = say(
        "which word?",
        json!({"resume_session_id": first.session_id}),
    );
    assert!(
        resumed.stdout.contains("the word is plum"),
        "{}",
        resumed.stdout
    );
    let continued = say("really?", json!({"continue_last": true}));
    assert!(
        continued.stdout.contains("the word is plum"),
        "{}",
        continued.stdout
    );
    assert_eq!(
        (&resumed.session_id, &continued.session_id),
        (&first.session_id, &first.session_id)
    );
    let claude_dir = executor.claude.home().join(".claude");
    let params = json!({"claude_dirs": [claude_dir], "wait_ms": 20_000});
    let list = executor.daemon.call_value("conversation.list", &params);
    let list = list.unwrap();
    assert_eq!(
        (&list["total"], &list["conversations"][0]["session_id"]),
        (&json!(1), &json!(first.session_id))
    );
    let params = json!({"session_id": first.session_id});
    let session = executor.daemon.call_value("exec.session", &params).unwrap();
    assert_eq!(
        (&session["execution_count"], &session["status"]),
        (&json!(3), &json!("active"))
    );
    let said: Vec<_> = session["conversation_history"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["role"] == "user")
        .map(|one| one["content"].clone())
        .collect();
    assert_eq!(said, ["the word is plum", "which word?", "really?"]);
}

#[test]
fn two_resumes_at_once_run_one_after_the_other_and_both_are_in_the_conversation() {
    let Some((executor, repository)) = remembering() else {
        return;
    };
    let first = executor
        .run(&repository, &json!({"instruction": "the word is plum"}))
        .result;
    let resume = json!({"resume_session_id": first.session_id, "output_format": "text"});
    let both = [
        executor.start(&repository, &resume),
        executor.start(&repository, &resume),
    ];
    let counts = both.map(|started| {
        let result = executor.result(&started);
        assert_eq!(result.status, ExecutionStatus::Success, "{result:?}");
        result
            .stdout
            .split_once(' ')
            .unwrap()
            .0
            .parse::<u32>()
            .unwrap()
    });
    assert!(
        counts[0] < counts[1],
        "the second one does not know the first: {counts:?}"
    );
    executor.assert_nothing_runs();
}
