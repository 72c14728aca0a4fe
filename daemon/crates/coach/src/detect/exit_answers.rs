//! Commands whose exit code is an answer: `grep` exits with 1 when it finds nothing.

use crate::command::{Connector, Simple, parse};
use crate::table::Lists;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("exit_answers.txt")));

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
    // `git config NAME` prints a value.
    let is_config = matches!(command.from_subcommand(), [first, _] if first == "config");
    let is_read = command.program == "git" && is_config && code == 1;
    let mut rows = WORDS.get("answers").iter();
    is_read || rows.any(|row| fits(row, command, code))
}

fn fits(row: &str, command: &Simple, code: i32) -> bool {
    let mut parts = row.split(' ');
    if parts.next() != Some(&command.program) {
        return false;
    }
    let is_code = parts
        .next()
        .is_some_and(|of| of == "*" || of == code.to_string());
    let (options, words): (Vec<_>, Vec<_>) = parts.partition(|part| part.starts_with('-'));
    let named = command.from_subcommand().iter().take(words.len());
    is_code
        && named.eq(words)
        && (options.is_empty() || options.iter().any(|option| command.has_flag(option)))
}
