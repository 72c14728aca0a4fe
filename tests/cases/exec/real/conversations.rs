//! A conversation that is continued.

use crate::support::exec::{Executor, Repository};
use ccd_protocol::exec::ExecutionStatus;
use serde_json::json;

/// A model that repeats what the user said first in the conversation, and counts its messages.
const REMEMBERS: &str = "{{message_count}} {{first_user_text}}";

#[test]
fn resumes_at_once_run_one_after_the_other_and_go_on_with_what_was_said_and_so_does_continue() {
    let Some(executor) = Executor::with_answers(&json!(vec![REMEMBERS; 4])) else {
        return;
    };
    let repository = Repository::new();
    let first = json!({"instruction": "the word is plum", "output_format": "text"});
    let first = executor.run(&repository, &first);
    let first = first.succeeded_and_changed(&[]);
    let said = |stdout: &str| {
        let (count, text) = stdout.split_once(' ').unwrap();
        assert!(text.contains("the word is plum"), "{text}");
        count.parse::<u32>().unwrap()
    };
    said(&first.stdout);
    let resume = json!({
        "instruction": "which word?", "resume_session_id": first.session_id, "output_format": "text"
    });
    let both = [0, 1].map(|_| executor.start(&repository, &resume));
    let counts = both.map(|started| {
        let result = executor.result(&started);
        assert_eq!(result.status, ExecutionStatus::Success, "{result:?}");
        assert_eq!(result.session_id, first.session_id);
        said(&result.stdout)
    });
    assert!(
        counts[0] < counts[1],
        "the second one does not know the first: {counts:?}"
    );
    executor.assert_nothing_runs();
    let last = json!({"instruction": "really?", "continue_last": true, "output_format": "text"});
    let continued = executor.run(&repository, &last);
    let continued = continued.succeeded_and_changed(&[]);
    said(&continued.stdout);
    assert_eq!(continued.session_id, first.session_id);
    let claude_dir = executor.claude.home().join(".claude");
    let params = json!({"claude_dirs": [claude_dir], "wait_ms": 20_000});
    let list = executor.daemon.call_value("conversation.list", &params);
    let list = list.unwrap();
    let listed = &list["conversations"][0]["session_id"];
    assert_eq!(
        (listed, &list["total"]),
        (&json!(first.session_id), &json!(1))
    );
    let params = json!({"session_id": first.session_id});
    let session = executor.daemon.ok("exec.session", &params);
    assert_eq!(session["execution_count"], 4);
    assert_eq!(session["status"], "active");
    let said = session["conversation_history"].as_array().unwrap();
    let said = said.iter().filter(|one| one["role"] == "user");
    let said: Vec<&str> = said.map(|one| one["content"].as_str().unwrap()).collect();
    let expected = "the word is plum, which word?, which word?, really?";
    assert_eq!(said.join(", "), expected);
}
