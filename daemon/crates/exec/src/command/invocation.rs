//! The arguments and the standard input of Claude Code.

use super::conversation_id::ConversationId;
use crate::request::{Request, ToolConfig};
use ccd_policy::{Rule, ToolMode};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// A new one, with an id that nobody used before.
    New(ConversationId),
    Resume(ConversationId),
}

/// How Claude Code is started, without the program's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub arguments: Vec<String>,
    /// The instruction, after which standard input is closed.
    /// It is never an argument: Linux limits those to 128 KiB each, the system shows them to every user, and one that
    /// starts with a dash would be an option.
    pub standard_input: Vec<u8>,
}

impl Invocation {
    /// Returns how a request is carried out. `settings_file` has the hook of the run's policy.
    /// The CLI always prints its stream, whatever format the request names: the others say too little of a run.
    #[must_use]
    pub fn of(request: &Request, start: &Start, settings_file: Option<&str>) -> Self {
        let mut arguments: Vec<String> = ["-p", "--output-format", "stream-json", "--verbose"]
            .map(str::to_owned)
            .to_vec();
        let mut add =
            |option: &str, value: &str| arguments.extend([option.to_owned(), value.to_owned()]);
        match start {
            Start::New(id) => add("--session-id", id.as_str()),
            Start::Resume(id) => add("--resume", id.as_str()),
        }
        for (option, value) in tool_options(&request.tools) {
            add(option, &value);
        }
        match (request.permission_mode, request.tools.mode()) {
            (Some(mode), _) => add("--permission-mode", mode.name()),
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
        Self {
            arguments,
            standard_input: request.instruction.clone().into_bytes(),
        }
    }
}

/// Returns the options that make Claude Code itself enforce the lists as far as it can; the hook does the rest.
fn tool_options(tools: &ToolConfig) -> Vec<(&'static str, String)> {
    let rules = tools
        .rules()
        .iter()
        .map(Rule::as_str)
        .collect::<Vec<_>>()
        .join(",");
    match tools.mode() {
        ToolMode::All => Vec::new(),
        ToolMode::Blacklist => vec![("--disallowedTools", rules)],
        // `--tools` takes the other tools away, `--allowedTools` lets these run without permission.
        ToolMode::Whitelist => vec![
            ("--tools", built_in(tools.rules())),
            ("--allowedTools", rules),
        ],
    }
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
        names.extend(
            both.iter()
                .filter(|name| !names.contains(name))
                .copied()
                .collect::<Vec<_>>(),
        );
    }
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::{ConversationId, Invocation, Start};
    use crate::request::{Defaults, Request};
    use ccd_protocol::exec::ExecRunParams;
    use std::time::Duration;

    const ID: &str = "11111111-2222-4333-8444-555555555555";

    fn invocation(params: ExecRunParams, settings: Option<&str>) -> Invocation {
        let defaults = Defaults {
            timeout: Duration::from_secs(1),
            lock_timeout: Duration::from_secs(1),
        };
        let params = ExecRunParams {
            repo_path: Some("/p".into()),
            ..params
        };
        let request = Request::parse(params, &defaults).unwrap();
        Invocation::of(
            &request,
            &Start::New(ConversationId::parse(ID).unwrap()),
            settings,
        )
    }

    fn params(instruction: &str) -> ExecRunParams {
        ExecRunParams {
            instruction: instruction.into(),
            ..ExecRunParams::default()
        }
    }

    /// What every run starts with.
    const ALWAYS: [&str; 6] = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--session-id",
        ID,
    ];

    #[test]
    fn the_instruction_is_standard_input_byte_for_byte() {
        let long = "ä".repeat(500_000);
        for instruction in [
            "-p --help",
            "say \"it's\" `$(x)`\n\n",
            "👍\u{2028}\0",
            &long,
        ] {
            let invocation = invocation(params(instruction), None);
            assert_eq!(invocation.standard_input, instruction.as_bytes());
            assert_eq!(invocation.arguments, ALWAYS);
        }
    }

    #[test]
    fn a_whitelist_takes_all_other_tools_away() {
        let rules = ["Read", "Bash(git:*)", "Bash(ls)", "mcp__x", "Task"]
            .map(str::to_owned)
            .to_vec();
        let arguments = invocation(
            ExecRunParams {
                allowed_tools: rules,
                ..params("x")
            },
            Some("/s"),
        )
        .arguments;
        let expected = [
            "--tools",
            "Read,Bash,Agent,Task",
            "--allowedTools",
            "Read,Bash(git:*),Bash(ls),mcp__x,Task",
            "--permission-mode",
            "dontAsk",
            "--settings",
            "/s",
        ];
        assert_eq!(arguments[ALWAYS.len()..], expected);
        let only_mcp = ExecRunParams {
            allowed_tools: vec!["mcp__x".into()],
            ..params("x")
        };
        assert_eq!(
            invocation(only_mcp, None).arguments[ALWAYS.len()..][..2],
            ["--tools", ""]
        );
    }

    #[test]
    fn other_options_follow() {
        let arguments = invocation(
            ExecRunParams {
                disallowed_tools: vec!["Bash(rm:*)".into()],
                model: Some("m".into()),
                max_turns: Some(3),
                permission_mode: Some("manual".into()),
                ..params("x")
            },
            None,
        )
        .arguments;
        let expected = [
            "--disallowedTools",
            "Bash(rm:*)",
            "--permission-mode",
            "default",
            "--model",
            "m",
            "--max-turns",
            "3",
        ];
        assert_eq!(arguments[ALWAYS.len()..], expected);
    }
}
