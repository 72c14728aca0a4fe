//! What hooks of Claude Code mean to the memory of their project.

use super::load::Load;
use crate::daemon::Daemon;
use ccd_memory::MemoryError;
use ccd_protocol::memory::place::{MemoryPlace, find};
use ccd_store::blocking;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The hook's answer is ready 20 ms after the payload has arrived; reading and writing take the rest of that time.
const VERIFY_LIMIT: Duration = Duration::from_millis(14);

/// Longest payload that is examined: those of these events are short, and others must not be slowed down.
const MAX_PAYLOAD_BYTES: usize = 16 << 10;

/// A hook that concerns the memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hook {
    moment: Moment,
    cwd: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Start { is_resumed: bool },
    BeforeCompact,
    End,
}

/// The members of a payload that are needed.
#[derive(Deserialize)]
struct Payload {
    hook_event_name: String,
    cwd: PathBuf,
    #[serde(default)]
    source: String,
}

impl Hook {
    /// Returns the hook in a payload; nothing if it does not concern the memory.
    pub(crate) fn of(payload: &[u8]) -> Option<Self> {
        if payload.len() > MAX_PAYLOAD_BYTES {
            return None;
        }
        let payload: Payload = serde_json::from_slice(payload).ok()?;
        let moment = match &*payload.hook_event_name {
            "SessionStart" => Moment::Start {
                is_resumed: payload.source == "resume",
            },
            "PreCompact" => Moment::BeforeCompact,
            "SessionEnd" => Moment::End,
            _ => return None,
        };
        Some(Self {
            moment,
            cwd: payload.cwd,
        })
    }
}

/// Returns what the hook is to print: a digest for a session that starts. At other moments, the memory is saved later if the
/// configuration says so.
pub(crate) async fn answer(daemon: &Daemon, hook: Hook) -> Option<String> {
    let deadline = Instant::now() + VERIFY_LIMIT;
    let memory = &daemon.loaded().config.memory;
    let moment = match hook.moment {
        Moment::Start { is_resumed } if memory.load => {
            let max_chars = memory.digest_chars;
            return blocking(move || digest(hook.cwd, max_chars, is_resumed, deadline)).await;
        }
        Moment::Start { .. } => return None,
        Moment::BeforeCompact => "pre_compact",
        Moment::End => "session_end",
    };
    if memory.save_on.iter().any(|word| word == moment)
        && let Some(place) = blocking(move || place_of(&hook.cwd)).await
    {
        daemon.memory_saves.request(place.root);
    }
    None
}

fn digest(cwd: PathBuf, max_chars: usize, is_short: bool, deadline: Instant) -> Option<String> {
    let place = place_of(&cwd).filter(|place| place.has_memory)?;
    let load = Load {
        project: place.root,
        max_chars,
        is_short,
        deadline,
    };
    let digest = match load.carry_out() {
        Ok(reply) => reply.digest,
        Err(MemoryError::NotFound(_)) => return None,
        Err(error) => {
            tracing::warn!(project = ?load.project, %error, "a session has started without its memory");
            return None;
        }
    };
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "SessionStart",
        "additionalContext": digest,
    }});
    Some(answer.to_string())
}

fn place_of(cwd: &std::path::Path) -> Option<MemoryPlace> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let user = rustix::process::geteuid().as_raw();
    cwd.is_absolute()
        .then(|| find(cwd, home.as_deref(), user))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn only_three_events_concern_the_memory() {
        let of = |payload: Value| Hook::of(payload.to_string().as_bytes()).map(|hook| hook.moment);
        let event = |name: &str, source: &str| json!({"hook_event_name": name, "cwd": "/p", "source": source});
        for source in ["startup", "clear", "compact", "fork"] {
            let start = Moment::Start { is_resumed: false };
            assert_eq!(of(event("SessionStart", source)), Some(start));
        }
        let resumed = Moment::Start { is_resumed: true };
        assert_eq!(of(event("SessionStart", "resume")), Some(resumed));
        assert_eq!(of(event("PreCompact", "")), Some(Moment::BeforeCompact));
        assert_eq!(of(event("SessionEnd", "")), Some(Moment::End));
        assert_eq!(of(event("Stop", "")), None);
        assert_eq!(of(json!({"hook_event_name": "SessionStart"})), None);
        let long = "x".repeat(MAX_PAYLOAD_BYTES);
        assert_eq!(of(event("SessionStart", &long)), None);
    }
}
