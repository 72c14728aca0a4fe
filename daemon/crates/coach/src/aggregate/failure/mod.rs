//! Commands that fail.
//!
//! - `remedy`: the built-in table of errors with what helps against them
//! - `class`: which error it is
//! - `needles`: finds the texts of both tables in an output
//! - `lesson`: what a later success of the same command shows
//! - `wording`: the candidate

mod class;
mod lesson;
mod needles;
mod remedy;
mod wording;

pub(super) use lesson::{Advice, learn};
pub(super) use wording::{wording, wording_of};

use super::finding::{Detail, Finding, command, stderr};
use super::known::{GroupKind, Lesson};
use crate::command::{Connector, Simple, base, parse, primary};
use crate::event::Event;
use class::Class;

/// A failed command.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// What failures are compared by, for example `npm run build`.
    pub(super) base: String,
    pub(super) class: Class,
}

impl Failure {
    /// Returns whether a lesson changes what the candidate says. That a command passed later says nothing about why, unless
    /// such errors pass by themselves.
    pub(super) fn is_reworded_by(&self, advice: &Advice) -> bool {
        advice.lesson != Lesson::Retry || self.class.is_transient()
    }
}

/// Returns what a failure says. None when it is no command, or one that only looks around: that a file is not there is
/// an answer.
pub(super) fn finding(event: &Event) -> Option<Finding> {
    let line = command(event);
    let failed = attempt(line)?;
    let output = stderr(event);
    // That the program itself is missing is no answer.
    if is_looking_around(&failed) && !output.contains("not found") {
        return None;
    }
    let class = Class::of(&failed, output);
    if class.remedy_key() != Some("command-not-found") && is_looking_around(&failed) {
        return None;
    }
    let base = attempt_base(&failed);
    let key = class.key(&base);
    let detail = Detail::Failure(Failure { base, class });
    Some(Finding::new(GroupKind::Failure, key, line, detail))
}

/// Returns the part of a line that failed: the one that it is about, but not what only shortens the output of another
/// one, such as `tail -5`.
pub(in crate::aggregate) fn attempt(line: &str) -> Option<Simple> {
    const SHORTENING: &[&str] = &[
        "tail", "head", "tee", "grep", "less", "cat", "sort", "uniq", "wc", "sed", "awk", "cut",
    ];
    let only_shortens = |part: &Simple| {
        part.connector == Connector::Pipe && SHORTENING.contains(&part.program.as_str())
    };
    let parts = parse(line)
        .into_iter()
        .filter(|part| !part.is_trivial() && !only_shortens(part));
    let weight = |part: &Simple| 2 * part.flags().count() + part.arguments().count();
    // Of equal ones the first, as `primary` has it.
    let longest = parts.reduce(|first, part| {
        if weight(&part) > weight(&first) {
            part
        } else {
            first
        }
    });
    longest.or_else(|| primary(line))
}

/// Returns what a group of the ledger is about, from its key and one of its commands.
pub(super) fn of_ledger(key: &str, line: &str) -> Option<Failure> {
    let base = attempt_base(&attempt(line)?);
    let class = Class::of_key(key.rsplit_once(": ")?.1)?;
    Some(Failure { base, class })
}

/// Returns the base of a command with the third word of programs whose second word only names a family.
pub(in crate::aggregate) fn attempt_base(command: &Simple) -> String {
    let short = base(command);
    let third = match command.from_subcommand() {
        [family, word, ..] if is_family(&command.program, family) && is_name(word) => word,
        _ => return short,
    };
    format!("{short} {third}")
}

/// Returns the confidence of a candidate about `n` failures.
pub(super) fn confidence(n: f64, lesson: Lesson) -> f64 {
    match lesson {
        Lesson::None | Lesson::Table => (0.7 + 0.05 * n).min(0.95),
        Lesson::Flags => 0.85,
        Lesson::Subcommand => 0.80,
        Lesson::Command => 0.75,
        Lesson::Retry => 0.65,
    }
}

fn is_family(program: &str, word: &str) -> bool {
    match program {
        "npm" | "pnpm" | "yarn" | "bun" => matches!(word, "run" | "exec"),
        "gh" | "glab" | "az" | "aws" | "gcloud" => true,
        "docker" | "podman" => matches!(word, "compose" | "image" | "container" | "volume"),
        "git" => matches!(word, "remote" | "submodule" | "stash" | "worktree" | "lfs"),
        "php" => matches!(word, "artisan"),
        _ => false,
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':'))
}

/// Returns whether a command only reads, so that a failure is an answer and no friction.
fn is_looking_around(command: &Simple) -> bool {
    const READING: &[&str] = &[
        "ls", "cat", "head", "tail", "less", "stat", "file", "find", "fd", "grep", "egrep", "rg",
        "ag", "diff", "cmp", "test", "[", "which", "type", "command", "pgrep", "ps", "tree", "wc",
        "sed", "awk", "jq", "readlink", "realpath", "basename", "dirname", "du", "df", "kill",
        "pkill", "killall", "man", "help", "id", "hash",
    ];
    const GIT_READING: &[&str] = &[
        "status",
        "diff",
        "log",
        "show",
        "branch",
        "rev-parse",
        "grep",
        "blame",
        "ls-files",
        "describe",
        "merge-base",
    ];
    READING.contains(&command.program.as_str())
        || (command.program == "git"
            && command
                .from_subcommand()
                .first()
                .is_some_and(|word| GIT_READING.contains(&word.as_str())))
}
