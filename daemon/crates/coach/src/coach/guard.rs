//! Guards: rules that refuse tool calls before they run.

use super::projects::Projects;
use crate::command;
use ccd_base::surrogate::mended;
use ccd_protocol::coach::Guard;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Most bytes of a command or path that is examined.
const MAX_EXAMINED_BYTES: usize = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Guards(Vec<Compiled>);

#[derive(Debug)]
struct Compiled {
    guard: Guard,
    pattern: Regex,
    /// Calls that were refused and not counted in the ledger yet.
    new_hits: AtomicU64,
}

/// What a guard looks at in a payload.
#[derive(Debug, Deserialize)]
struct Call {
    #[serde(default)]
    hook_event_name: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    tool_input: Value,
}

impl Guards {
    /// Compiles guards; one that cannot be is left out, because guards fail open.
    pub(super) fn new(guards: Vec<Guard>) -> Self {
        let compiled = guards
            .into_iter()
            .filter_map(|guard| match compile(&guard.pattern) {
                Ok(pattern) => Some(Compiled {
                    guard,
                    pattern,
                    new_hits: AtomicU64::new(0),
                }),
                Err(error) => {
                    tracing::warn!(error, pattern = guard.pattern, "a guard is not in force");
                    None
                }
            });
        Self(compiled.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the answer of the hook that refuses the call in `payload`; `None` if no guard does.
    pub(super) fn answer(&self, payload: &[u8], projects: &Projects) -> Option<String> {
        let call: Call = serde_json::from_slice(&mended(payload)).ok()?;
        if call.hook_event_name != "PreToolUse" {
            return None;
        }
        let refusing = self.0.iter().find(|one| one.refuses(&call, projects))?;
        refusing.new_hits.fetch_add(1, Ordering::Relaxed);
        let answer = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": refusing.guard.reason,
        }});
        Some(answer.to_string())
    }

    /// Returns the fingerprints of guards that have refused calls, once for each call.
    pub(super) fn take_hits(&self) -> Vec<String> {
        let hits = self.0.iter().flat_map(|one| {
            let count = one.new_hits.swap(0, Ordering::Relaxed);
            (0..count).map(|_| one.guard.fingerprint.clone())
        });
        hits.collect()
    }
}

impl Compiled {
    fn refuses(&self, call: &Call, projects: &Projects) -> bool {
        if self.guard.tool != call.tool_name {
            return false;
        }
        let text = |name: &str| call.tool_input[name].as_str().unwrap_or_default();
        let matches = match call.tool_name.as_str() {
            // Each command of the line by itself, so that a text in quotes is not taken for a command.
            "Bash" => command::parse(clipped(text("command")))
                .iter()
                .any(|simple| self.pattern.is_match(&simple.bare_text())),
            _ => ["file_path", "notebook_path", "path"]
                .iter()
                .any(|name| !text(name).is_empty() && self.pattern.is_match(clipped(text(name)))),
        };
        let is_here = || match &self.guard.repo_ids {
            Some(ids) => ids.contains(&projects.identify(&call.cwd).id),
            None => true,
        };
        matches && is_here()
    }
}

fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_EXAMINED_BYTES)]
}

pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .build();
    compiled.map_err(|error| error.to_string().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guards(repo_ids: Option<Vec<String>>) -> Guards {
        Guards::new(vec![Guard {
            fingerprint: "f".into(),
            tool: "Bash".into(),
            pattern: r"^git merge\b.*--squash".into(),
            reason: "no squash merges here".into(),
            repo_ids,
            created_at: String::new(),
            hits: 0,
        }])
    }

    fn payload(command: &str) -> String {
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/nowhere", "tool_input": {"command": command}})
            .to_string()
    }

    #[test]
    fn a_guard_refuses_commands_and_not_texts_about_them() {
        let guards = guards(None);
        let projects = Projects::default();
        let answer = |command: &str| guards.answer(payload(command).as_bytes(), &projects);
        let refused = answer("cd x && git merge --squash topic").unwrap();
        let refused: Value = serde_json::from_str(&refused).unwrap();
        assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny");
        // Claude Code may cut a text within an emoji.
        let cut = payload("git merge --squash 'topic HALF'").replace("HALF", "\\ud83d");
        assert!(guards.answer(cut.as_bytes(), &projects).is_some());
        for command in [
            "git merge topic",
            "echo 'git merge --squash x'",
            "grep -r 'git merge --squash' .",
        ] {
            assert_eq!(answer(command), None, "{command}");
        }
        assert_eq!(guards.take_hits(), ["f", "f"]);
        assert!(guards.take_hits().is_empty());
        assert_eq!(guards.answer(b"{\"hook_event_name\": 5}", &projects), None);
    }

    #[test]
    fn a_guard_of_a_project_holds_only_there() {
        let projects = Projects::default();
        let here = projects.identify("/nowhere").id;
        let payload = payload("git merge --squash x");
        assert!(
            guards(Some(vec![here]))
                .answer(payload.as_bytes(), &projects)
                .is_some()
        );
        assert!(
            guards(Some(vec!["other".into()]))
                .answer(payload.as_bytes(), &projects)
                .is_none()
        );
    }
}
