//! Commands whose exit code is an answer: `grep` exits with 1 when it finds nothing.

use crate::command::{Connector, Simple, parse};
use crate::table::word_set;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns whether a code other than 0 is an answer of what `line` executed last.
/// `printed_error` says whether a failure was printed: then another part of the line may have failed.
pub(crate) fn is_answer(line: &str, code: i32, printed_error: bool) -> bool {
    let commands = parse(line);
    let worked: Vec<&Simple> = commands
        .iter()
        .filter(|command| !command.is_trivial())
        .collect();
    if let [command] = worked[..] {
        return answers(command, code);
    }
    // After `;` the code is of the last sequence alone. In it, any part that says no may have ended it.
    let start = worked
        .iter()
        .rposition(|command| command.connector == Connector::Sequence)
        .unwrap_or(0);
    !printed_error && worked[start..].iter().any(|command| answers(command, code))
}

/// Programs that exit with 1 for "no", "none" or "different".
static SAYS_NO: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "[ [[ ack ag cmp command diff egrep expr fgrep fuser grep hash lsof mountpoint nc pgrep pidof pkill rg \
         sdiff test type ugrep which zgrep",
    )
});

/// What `xargs` exits with when a command that it executed exited with 1 to 125.
const XARGS_SOME_FAILED: i32 = 123;

/// Returns whether the code is an answer of the command, or of the one that `xargs` or `find -exec` executes.
fn answers(command: &Simple, code: i32) -> bool {
    match (command.program.as_str(), code) {
        ("xargs", XARGS_SOME_FAILED) | ("find", 1) => command
            .executed()
            .is_some_and(|executed| answers_itself(&executed, 1)),
        _ => answers_itself(command, code),
    }
}

fn answers_itself(command: &Simple, code: i32) -> bool {
    let words = command.from_subcommand().iter();
    let words: Vec<&str> = words.map(String::as_str).collect();
    let first = words.first().copied().unwrap_or_default();
    let has = |names: &str| names.split(' ').any(|name| command.has_flag(name));
    match (command.program.as_str(), code) {
        (program, 1) if SAYS_NO.contains(program) => true,
        ("git", 1) => match first {
            "diff" | "diff-index" | "diff-files" | "diff-tree" => {
                has("--exit-code --quiet --no-index -q --check")
            }
            "merge-base" => has("--is-ancestor"),
            "grep" | "check-ignore" => true,
            "config" => {
                has("--get --get-all --get-regexp")
                    || words.len() == 2
                    || words.get(1) == Some(&"get")
            }
            "show-ref" | "ls-files" | "symbolic-ref" | "rev-parse" => {
                has("--verify -q --quiet --error-unmatch")
            }
            _ => false,
        },
        ("git", 2) => first == "ls-remote" && has("--exit-code"),
        ("systemctl", _) => matches!(first, "is-active" | "is-enabled" | "is-failed" | "status"),
        ("jq", 1) => has("-e --exit-status"),
        ("kill", 1) => words.contains(&"-0"),
        ("ps", 1) => has("-p -C"),
        ("getent", 2) | ("false", 1) => true,
        ("npm" | "pnpm" | "yarn", 1) => first == "outdated",
        ("terraform", 2) => has("-detailed-exitcode"),
        ("docker", 1) => words.starts_with(&["image", "inspect"]) && has("--format"),
        ("tmux", 1) => first == "has-session",
        _ => false,
    }
}
