//! What hooks of Claude Code mean to the memory of their project.

use super::load::Load;
use super::owner::Memories;
use crate::config::MemoryKeys;
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

/// The events that concern the memory. A payload without these words is not parsed.
const EVENTS: [&str; 3] = ["SessionStart", "PreCompact", "SessionEnd"];

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

#[derive(Deserialize)]
struct Payload {
    hook_event_name: String,
    cwd: PathBuf,
    #[serde(default)]
    source: String,
}

impl Hook {
    /// Returns the hook in a payload; nothing if it does not concern the memory.
    pub(crate) fn parse(payload: &[u8]) -> Option<Self> {
        let has = |name: &str| memchr::memmem::find(payload, name.as_bytes()).is_some();
        if payload.len() > MAX_PAYLOAD_BYTES || !EVENTS.into_iter().any(has) {
            return None;
        }
        let payload: Payload = serde_json::from_slice(payload).ok()?;
        let [start, before_compact, end] = EVENTS;
        let moment = match &*payload.hook_event_name {
            event if event == start => Moment::Start {
                is_resumed: payload.source == "resume",
            },
            event if event == before_compact => Moment::BeforeCompact,
            event if event == end => Moment::End,
            _ => return None,
        };
        Some(Self {
            moment,
            cwd: payload.cwd,
        })
    }
}

impl Memories {
    /// Returns what the hook is to print: a digest for a session that starts. At other moments, the memory is saved later if
    /// the configuration says so.
    pub(crate) async fn answer(&self, hook: Hook, keys: &MemoryKeys) -> Option<String> {
        let deadline = Instant::now() + VERIFY_LIMIT;
        let moment = match hook.moment {
            Moment::Start { is_resumed } if keys.load => {
                return self
                    .digest(hook.cwd, keys.digest_chars, is_resumed, deadline)
                    .await;
            }
            Moment::Start { .. } => return None,
            Moment::BeforeCompact => "pre_compact",
            Moment::End => "session_end",
        };
        if keys.save_on.iter().any(|word| word == moment)
            && let Some(place) = blocking(move || place_of(&hook.cwd)).await
        {
            self.saves.request(place.root);
        }
        None
    }

    async fn digest(
        &self,
        cwd: PathBuf,
        max_chars: usize,
        is_short: bool,
        deadline: Instant,
    ) -> Option<String> {
        let (place, parsed) = blocking(move || {
            let place = place_of(&cwd).filter(|place| place.has_memory)?;
            let parsed = ccd_memory::read(&place.root);
            Some((place, parsed))
        })
        .await?;
        let load = Load {
            project: place.root.clone(),
            max_chars,
            is_short,
            deadline,
        };
        let loaded = match parsed {
            Ok(parsed) if parsed.is_empty => return None,
            Ok(parsed) => load.carry_out(self, parsed).await,
            Err(error) => Err(error),
        };
        let answer = match loaded {
            Ok(reply) => json!({"hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": reply.digest,
            }}),
            Err(error) => {
                tracing::warn!(project = ?place.root, %error, "a session has started without its memory");
                if !matches!(error, MemoryError::NotReadable { .. }) {
                    return None;
                }
                // Claude Code shows it to the user.
                json!({"systemMessage": format!("no session memory: {error}")})
            }
        };
        Some(answer.to_string())
    }
}

fn place_of(cwd: &std::path::Path) -> Option<MemoryPlace> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    cwd.is_absolute()
        .then(|| find(cwd, home.as_deref()))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn only_three_events_concern_the_memory() {
        let of =
            |payload: Value| Hook::parse(payload.to_string().as_bytes()).map(|hook| hook.moment);
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
