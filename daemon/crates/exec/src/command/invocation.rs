//! The arguments of Claude Code.

use super::conversation_id::ConversationId;
use crate::request::RunRequest;
use ccd_policy::{Rule, ToolMode};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunStart {
    /// A new one, with an id that nobody used before.
    New(ConversationId),
    Resume(ConversationId),
}

/// Returns the arguments with which a request is carried out. `settings_file` has the hook of the run's policy.
/// The CLI always prints its stream, whatever format the request names: the others say too little of a run.
/// The instruction is none of them, but standard input: Linux limits an argument to 128 KiB, the system shows it to every
/// user, and one that starts with a dash would be an option.
#[must_use]
pub fn arguments(
    request: &RunRequest,
    start: &RunStart,
    settings_file: Option<&str>,
) -> Vec<String> {
    let mut arguments = ["-p", "--output-format", "stream-json", "--verbose"]
        .map(str::to_owned)
        .to_vec();
    let mut add =
        |option: &str, value: &str| arguments.extend([option.to_owned(), value.to_owned()]);
    match start {
        RunStart::New(id) => add("--session-id", id.as_str()),
        RunStart::Resume(id) => add("--resume", id.as_str()),
    }
    let rules: Vec<&str> = request.tools.rules.iter().map(Rule::as_str).collect();
    // Claude Code itself enforces the lists as far as it can; the hook does the rest.
    match request.tools.mode {
        ToolMode::All => {}
        ToolMode::Blacklist => add("--disallowedTools", &rules.join(",")),
        ToolMode::Whitelist => {
            // The first takes the other tools away, the second lets these run without permission.
            add("--tools", &built_in(&request.tools.rules));
            add("--allowedTools", &rules.join(","));
        }
    }
    match (request.permission_mode, request.tools.mode) {
        (Some(mode), _) => add("--permission-mode", mode),
        // Without it a call that is not on the list would wait for a permission, or be granted by the user's settings.
        (None, ToolMode::Whitelist) => add("--permission-mode", "dontAsk"),
        (None, ToolMode::Blacklist | ToolMode::All) => {}
    }
    if let Some(file) = settings_file {
        add("--settings", file);
    }
    if let Some(model) = &request.model {
        add("--model", model);
    }
    if let Some(turns) = request.max_turns {
        add("--max-turns", &turns.to_string());
    }
    arguments
}

/// Returns the names of the built-in tools of a list; none is an empty text, which takes all of them away.
fn built_in(rules: &[Rule]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for rule in rules {
        let both: &[&str] = match rule.tool() {
            tool if tool.starts_with("mcp__") => &[],
            "Agent" => &["Agent", "Task"], // versions differ in its name
            tool => &[tool],
        };
        for name in both {
            if !names.contains(name) {
                names.push(name);
            }
        }
    }
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::{ConversationId, RunStart};
    use crate::request::{Defaults, RunRequest};
    use serde_json::{Value, json};
    use std::time::Duration;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    /// Returns the arguments after those that every run starts with.
    fn arguments(mut params: Value, settings: Option<&str>) -> Vec<String> {
        let defaults = Defaults {
            timeout: Duration::from_secs(1),
            lock_timeout: Duration::from_secs(1),
        };
        params["instruction"] = "-p --help".into();
        params["repo_path"] = "/p".into();
        let params = serde_json::from_value(params).unwrap();
        let request = RunRequest::parse(params, &defaults).unwrap();
        let start = RunStart::New(ConversationId::parse(ID).unwrap());
        let all = super::arguments(&request, &start, settings);
        let always = "-p --output-format stream-json --verbose --session-id";
        let (start, rest) = all.split_at(6);
        assert_eq!(start.join(" "), format!("{always} {ID}"));
        rest.to_vec()
    }

    #[test]
    fn the_instruction_is_no_argument() {
        assert_eq!(arguments(json!({}), None), [""; 0]);
    }

    #[test]
    fn a_whitelist_takes_all_other_tools_away() {
        let rules = json!({"allowed_tools": ["Read", "Bash(git:*)", "Bash(ls)", "mcp__x", "Task"]});
        let expected = "--tools Read,Bash,Agent,Task --allowedTools Read,Bash(git:*),Bash(ls),mcp__x,Task \
                        --permission-mode dontAsk --settings /s";
        assert_eq!(arguments(rules, Some("/s")).join(" "), expected);
        let only_mcp = arguments(json!({"allowed_tools": ["mcp__x"]}), None);
        assert_eq!(only_mcp[..2], ["--tools", ""]);
    }

    #[test]
    fn other_options_follow() {
        let params = json!({
            "disallowed_tools": ["Bash(rm:*)"], "model": "m", "max_turns": 3, "permission_mode": "manual",
        });
        let expected =
            "--disallowedTools Bash(rm:*) --permission-mode default --model m --max-turns 3";
        assert_eq!(arguments(params, None).join(" "), expected);
    }
}
