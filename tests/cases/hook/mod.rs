//! Hooks of Claude Code: `ccctl hook` with a real daemon, one that is not there, and one that does not answer.

pub(crate) mod claude;
mod delivery;
pub(crate) mod install;
mod keys;
mod kill;
mod open_input;
mod plugin;
mod spool;

use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};

/// Runs `ccctl hook` with a payload, and more patience for a busy machine.
pub(crate) fn hook(daemon: &Daemon, payload: &[u8]) -> Ran {
    Ccctl::new(daemon).run_with(&["hook", "--timeout-ms", "1000"], payload)
}

/// Runs `ccctl hook`, which prints nothing and succeeds.
pub(crate) fn silent_hook(daemon: &Daemon, payload: &Value) {
    let ran = hook(daemon, payload.to_string().as_bytes());
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
}

/// A failed command, as Claude Code reports it.
pub(crate) fn failure(session: &str, id: &str, command: &str, error: &str) -> Value {
    json!({
        "session_id": session, "cwd": "/nowhere", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_use_id": id, "tool_input": {"command": command}, "error": error, "is_interrupt": false,
    })
}

/// A prompt, as Claude Code reports it.
pub(crate) fn prompt(session: &str, id: &str, text: &str) -> Value {
    json!({"session_id": session, "cwd": "/nowhere", "hook_event_name": "UserPromptSubmit", "prompt_id": id, "prompt": text})
}

/// Returns the recorded events, oldest first, once there are so many.
pub(crate) fn events(daemon: &Daemon, count: usize) -> Vec<Value> {
    let mut events = eventually(&format!("{count} events"), || {
        let all = json!({"limit": 1000});
        let listed = daemon.call_value("coach.events", &all).ok()?;
        let events = listed["events"].as_array()?.clone();
        (events.len() >= count).then_some(events)
    });
    events.reverse();
    assert_eq!(events.len(), count, "{events:#?}");
    events
}
