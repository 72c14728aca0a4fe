//! Commands that fail.

mod remedy;

use super::finding::{Detail, Finding, command, stderr};
use super::known::{GroupKind, Lesson};
use super::wording::{Wording, code, one_line};
use crate::command::{Connector, Difference, Failed, Replacement, Simple, base, parse, primary};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use remedy::Remedy;

#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// The table says what to run instead.
    Known {
        base: String,
        remedy: &'static Remedy,
    },
    /// Another command worked afterwards.
    Solved(Difference),
    /// Nothing says what helps: it waits for a command that works.
    Open { attempt: Simple, how: Failed },
}

const MAX_STDERR: usize = 2000;

/// Returns what a failure says. None when it is no command, or one that only looks around: that a file is not there is
/// an answer.
pub(super) fn finding(event: &Event) -> Option<Finding> {
    let line = command(event);
    let attempt = attempt(line)?;
    let output = one_line(stderr(event), MAX_STDERR).to_lowercase();
    let how = Failed::of(&output, &attempt);
    if is_looking_around(&attempt) && !how.is_missing {
        return None;
    }
    let (key, failure) = match remedy::find(&attempt, &output) {
        Some(remedy) => {
            let base = attempt_base(&attempt);
            let key = format!("{base}: {}", remedy.key());
            (key, Failure::Known { base, remedy })
        }
        None => (String::new(), Failure::Open { attempt, how }),
    };
    Some(Finding::new(
        GroupKind::Failure,
        key,
        line,
        Detail::Failure(failure),
    ))
}

impl Finding {
    /// Returns what a failure says once another command has worked.
    pub(super) fn solved(self, difference: Difference) -> Self {
        let to = match &difference.to {
            Replacement::Program(to) | Replacement::Command(to) => to.clone(),
            Replacement::Flags(flags) => format!("{} {flags}", difference.from),
            Replacement::Without(flag) => format!("{} without {flag}", difference.from),
        };
        Self {
            key: format!("{} -> {to}", difference.from),
            detail: Detail::Failure(Failure::Solved(difference)),
            ..self
        }
    }
}

impl Failure {
    pub(super) fn lesson(&self) -> Lesson {
        match self {
            Self::Known { .. } => Lesson::Table,
            Self::Solved(difference) => match difference.to {
                Replacement::Flags(_) | Replacement::Without(_) => Lesson::Flags,
                Replacement::Command(_) => Lesson::Subcommand,
                Replacement::Program(_) => Lesson::Command,
            },
            Self::Open { .. } => Lesson::None,
        }
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        let (title, trigger, action) = match self {
            Self::Open { .. } => return None,
            Self::Known { base, remedy } => {
                let fill = |text: &str| text.replace("{}", &code(base));
                (
                    fill(remedy.title),
                    fill(remedy.trigger),
                    fill(remedy.action),
                )
            }
            Self::Solved(Difference { from, to }) => {
                let from = code(from);
                let title = match to {
                    Replacement::Program(to) => format!("Use {}, not {from}", code(to)),
                    Replacement::Command(to) => format!("Run {}, not {from}, here", code(to)),
                    Replacement::Flags(flags) => format!("Run {from} with {}", code(flags)),
                    Replacement::Without(flag) => format!("Run {from} without {}", code(flag)),
                };
                let action = title.replacen("Use", "use", 1).replacen("Run", "run", 1);
                (title, format!("when about to run {from}"), action)
            }
        };
        Wording::new(CandidateType::Rule, &title, &trigger, &action)
    }
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

/// Returns the base of a command with the third word of programs whose second word only names a family.
pub(super) fn attempt_base(command: &Simple) -> String {
    let short = base(command);
    let third = match command.from_subcommand() {
        [family, word, ..] if is_family(&command.program, family) && is_name(word) => word,
        _ => return short,
    };
    format!("{short} {third}")
}

pub(super) fn confidence(n: f64, lesson: Lesson) -> f64 {
    match lesson {
        Lesson::Flags => 0.85,
        Lesson::Subcommand => 0.80,
        Lesson::Command => 0.75,
        Lesson::None | Lesson::Table | Lesson::Retry => (0.7 + 0.05 * n).min(0.95),
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
