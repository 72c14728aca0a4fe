//! `ccctl hook --policy FILE`: judges one call of a tool by the policy of a run of Claude Code.
//! It contacts no daemon, so a run stays bound to its policy whatever happens to the daemon. Claude Code carries a call out
//! if its hook fails in any other way than with exit code 2, so everything that goes wrong here ends with that code.

use super::payload::{self, MAX_JSON_BYTES};
use crate::context::write_error;
use crate::exit_code::Exit;
use crate::named_file;
use ccd_policy::Policy;
use rustix::fd::BorrowedFd;
use rustix::fs::{fstat, stat};
use rustix::stdio::stdin;
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the caller may take to write the payload: much less than the time limit of the hook, after which Claude Code
/// would carry the call out.
const READ_LIMIT: Duration = Duration::from_secs(60);

/// Maximum size of a policy file. Its rules are limited when it is written, so a larger one is another file.
const MAX_FILE_BYTES: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
enum PolicyError {
    #[error("the policy {0:?} cannot be read: {1}")]
    File(String, #[source] io::Error),
    #[error("the policy {0:?} is larger than {MAX_FILE_BYTES} bytes")]
    LargeFile(String),
    #[error("the file {0:?} is not a policy: {1}")]
    Garbled(String, #[source] serde_json::Error),
    #[error("the call is longer than {MAX_JSON_BYTES} bytes")]
    LongCall,
    #[error("the judgement could not be printed: {0}")]
    Print(#[source] io::Error),
    #[error("nobody reads the judgement")]
    Closed,
    #[error("bug in ccctl")]
    Panic,
}

/// Judges the call on standard input, and prints the answer for Claude Code: nothing if the call is allowed.
pub(super) fn judge(file: &Path) -> Exit {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let policy = read(file)?;
        let payload = payload::read(stdin(), Instant::now() + READ_LIMIT);
        let answer = answer(&policy, &payload)?;
        if !answer.is_empty() && is_null(rustix::stdio::stdout()) {
            return Err(PolicyError::Closed);
        }
        super::write(&answer).map_err(PolicyError::Print)
    }));
    match judged.unwrap_or(Err(PolicyError::Panic)) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // If nobody reads this either, the exit code still says enough.
            let line = format!("forbidden, because it cannot be judged: {error}\n");
            write_error(&line, false);
            Exit::Usage // exit code 2, which to Claude Code is a refusal
        }
    }
}

/// Returns whether a descriptor is the null device, which also takes the place of one that was closed at the start.
fn is_null(descriptor: BorrowedFd<'_>) -> bool {
    match (fstat(descriptor), stat("/dev/null")) {
        (Ok(it), Ok(null)) => it.st_rdev == null.st_rdev,
        _ => true,
    }
}

fn read(file: &Path) -> Result<Policy, PolicyError> {
    let name = || file.display().to_string();
    let mut bytes = Vec::new();
    named_file::open(file)
        .and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| PolicyError::File(name(), error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(PolicyError::LargeFile(name()));
    }
    serde_json::from_slice(&bytes).map_err(|error| PolicyError::Garbled(name(), error))
}

/// Returns what to print for a payload; a payload that is not one is denied by the policy.
fn answer(policy: &Policy, payload: &[u8]) -> Result<String, PolicyError> {
    // What was read of a longer one has lost its end.
    if payload.len() > MAX_JSON_BYTES {
        return Err(PolicyError::LongCall);
    }
    let answer = policy.judge_payload(payload).hook_answer();
    Ok(answer.map(|answer| answer + "\n").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::fs;

    fn policy(document: &Value) -> Result<Policy, PolicyError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("policy.json");
        fs::write(&file, document.to_string()).unwrap();
        read(&file)
    }

    fn only_git() -> Policy {
        policy(&json!({"mode": "whitelist", "rules": ["Bash(git:*)", "Read"]})).unwrap()
    }

    fn decision(payload: &str) -> Option<String> {
        let answer = answer(&only_git(), payload.as_bytes()).unwrap();
        let (line, end) = answer.split_at(answer.len().saturating_sub(1));
        if answer.is_empty() {
            return None;
        }
        assert_eq!(end, "\n");
        let answer: Value = serde_json::from_str(line).unwrap();
        let answer = &answer["hookSpecificOutput"];
        assert_eq!(answer["hookEventName"], "PreToolUse");
        Some(answer["permissionDecision"].as_str().unwrap().to_owned())
    }

    #[test]
    fn an_allowed_call_prints_nothing_and_everything_else_is_denied() {
        let call = |tool: &str, input: &Value| {
            decision(&json!({"tool_name": tool, "tool_input": input, "cwd": "/p"}).to_string())
        };
        let deny = Some("deny".to_owned());
        assert_eq!(call("Read", &json!({"file_path": "/p/a"})), None);
        assert_eq!(call("Bash", &json!({"command": "git status"})), None);
        assert_eq!(call("Bash", &json!({"command": "git status; rm x"})), deny);
        assert_eq!(call("Write", &json!({"file_path": "/p/a"})), deny);
        for payload in [
            "",
            " \n",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"tool_name": null}"#,
            r#"{"tool_name": "Read""#,
            r#"{"tool_name": "Read"} x"#,
            r#"{"tool_name": "Read", "tool_name": "Write"}"#,
            "{\"tool_name\": \"Read\", \"x\": \"\u{1}\"}",
        ] {
            assert_eq!(decision(payload), deny, "{payload:?}");
        }
    }

    #[test]
    fn a_payload_that_lost_its_end_is_not_judged() {
        let long = json!({"tool_name": "Read", "x": "x".repeat(MAX_JSON_BYTES)}).to_string();
        let cut = answer(&only_git(), &long.as_bytes()[..=MAX_JSON_BYTES]);
        assert!(matches!(cut, Err(PolicyError::LongCall)));
        let long = &long.as_bytes()[..MAX_JSON_BYTES];
        assert!(answer(&only_git(), long).unwrap().contains("deny"));
    }

    #[test]
    fn a_file_that_is_not_a_policy_is_an_error() {
        for document in [
            json!({}),
            json!([]),
            json!({"mode": "whitelist"}),
            json!({"rules": []}),
            json!({"mode": "none", "rules": []}),
            json!({"mode": "blacklist", "rules": ["bash"]}),
            json!({"mode": "blacklist", "rules": ["Bash(rm"]}),
        ] {
            let read = policy(&document);
            assert!(matches!(read, Err(PolicyError::Garbled(..))), "{document}");
        }
        let large = json!({"mode": "all", "rules": [], "project": "x".repeat(1 << 20)});
        assert!(matches!(policy(&large), Err(PolicyError::LargeFile(_))));
        for file in ["/", "/dev/null", "/nowhere/policy.json"] {
            assert!(matches!(read(Path::new(file)), Err(PolicyError::File(..))));
        }
    }
}
