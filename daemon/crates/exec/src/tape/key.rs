//! What a run is looked up by.

use crate::request::RunRequest;
use ccd_policy::{Rule, ToolMode};
use ccd_tape::key::StateHash;
use ccd_tape::run::RunKey;

/// Returns a run as tapes have it: its instruction is the input, and what else counts is in the arguments, under the names
/// of Claude Code's options.
/// `earlier` are the instructions of the conversation that the run resumes. They count, so that the same instruction, given
/// twice, has two answers. Ids, paths, formats and limits do not count: tapes travel, and a format is made from the stream.
pub(crate) fn run_of(request: &RunRequest, earlier: Option<&[String]>, project: &str) -> RunKey {
    let mut args = vec!["-p".to_owned()];
    let mut add = |option: &str, value: String| args.extend([option.to_owned(), value]);
    if let Some(earlier) = earlier {
        add("--resume", state_after(earlier));
    }
    let mut rules: Vec<&str> = request.tools.rules.iter().map(Rule::as_str).collect();
    rules.sort_unstable();
    rules.dedup();
    match request.tools.mode {
        ToolMode::All => {}
        ToolMode::Whitelist => add("--allowedTools", rules.join(",")),
        ToolMode::Blacklist => add("--disallowedTools", rules.join(",")),
    }
    if let Some(mode) = request.permission_mode {
        add("--permission-mode", mode.to_owned());
    }
    if let Some(model) = &request.model {
        add("--model", model.clone());
    }
    if let Some(turns) = request.max_turns {
        add("--max-turns", turns.to_string());
    }
    RunKey {
        program: "claude".into(),
        args,
        cwd: project.to_owned(),
        input: request.instruction.clone().into_bytes(),
    }
}

/// Returns the hash of all instructions so far, as tapes chain inputs.
fn state_after(instructions: &[String]) -> String {
    let mut state = StateHash::start();
    for instruction in instructions {
        state.feed(instruction.as_bytes());
        state.feed(b"\r");
    }
    state.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Defaults;
    use ccd_tape::format::Meta;
    use ccd_tape::key::Invocation;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn run(mut params: Value, earlier: Option<&[&str]>) -> RunKey {
        let second = Duration::from_secs(1);
        let defaults = Defaults {
            timeout: second,
            lock_timeout: second,
        };
        params["instruction"] = "do it".into();
        params["repo_path"] = "/p".into();
        let params = serde_json::from_value(params).unwrap();
        let request = RunRequest::parse(params, &defaults).unwrap();
        let earlier =
            earlier.map(|earlier| Vec::from_iter(earlier.iter().map(|&one| one.to_owned())));
        run_of(&request, earlier.as_deref(), "/p")
    }

    #[test]
    fn what_changes_the_answer_counts_and_nothing_else() {
        let full = json!({
            "allowed_tools": ["Read", "Bash(git:*)"], "model": "m", "max_turns": 3, "permission_mode": "plan",
        });
        let same = json!({
            "allowed_tools": ["Bash(git:*)", "Read", "Read"], "model": "m", "max_turns": 3, "permission_mode": "plan",
            "output_format": "json", "verbose": true, "timeout": 5, "stall_timeout": 5, "worktree": true,
        });
        let expected =
            "-p --allowedTools Bash(git:*),Read --permission-mode plan --model m --max-turns 3";
        for params in [full, same] {
            assert_eq!(run(params, None).args.join(" "), expected);
        }
        let denied = run(json!({"disallowed_tools": ["WebFetch"]}), None);
        assert_eq!(denied.args, ["-p", "--disallowedTools", "WebFetch"]);
    }

    #[test]
    fn a_conversation_that_is_resumed_counts_by_its_instructions() {
        let resumed = |earlier: &[&str]| run(json!({}), Some(earlier));
        let one = resumed(&["first"]);
        assert_eq!(one.args[..2], ["-p", "--resume"]);
        assert_eq!(one, resumed(&["first"]));
        for other in [
            resumed(&["first", "do it"]),
            resumed(&[]),
            run(json!({}), None),
        ] {
            assert_ne!(one, other);
        }
        let meta = Meta {
            program: one.program.clone(),
            args: one.args.clone(),
            ..Meta::default()
        };
        let args = Invocation::new(&meta).args;
        assert_eq!(args, one.args, "it is not taken for a secret");
    }
}
