//! Commands that fail.

mod remedy;

use super::known::Lesson;
use super::wording::{Wording, code, one_line};
use crate::command::{
    Connector, Difference, Failed, Replacement, Simple, base, heaviest, parse, primary,
};
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::table::Lists;
use remedy::Remedy;
use std::sync::LazyLock;

static PROGRAMS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("mod.txt")));

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

/// Returns what a failure says, and its key. None when it is no command, or one that only looks around: that a file is not there is
/// an answer.
pub(super) fn failure(event: &Event) -> Option<(String, Failure)> {
    let attempt = attempt(&event.context.command)?;
    let output = one_line(event.stderr(), MAX_STDERR).to_lowercase();
    let how = Failed::new(&output, &attempt);
    if is_looking_around(&attempt) && !how.is_missing {
        return None;
    }
    let (key, failure) = match remedy::find(&attempt, &output) {
        Some(remedy) => {
            let base = attempt_base(&attempt);
            let key = format!("{base}: {}", remedy.key);
            (key, Failure::Known { base, remedy })
        }
        None => (String::new(), Failure::Open { attempt, how }),
    };
    Some((key, failure))
}

/// Returns the key of what a command that worked has shown.
pub(super) fn key(difference: &Difference) -> String {
    let to = match &difference.to {
        Replacement::Program(to) | Replacement::Command(to) => to.clone(),
        Replacement::Flags(flags) => format!("{} {flags}", difference.from),
        Replacement::Without(flag) => format!("{} without {flag}", difference.from),
    };
    format!("{} -> {to}", difference.from)
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
                    fill(&remedy.title),
                    fill(&remedy.trigger),
                    fill(&remedy.action),
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
    let only_shortens = |part: &Simple| {
        part.connector == Connector::Pipe && PROGRAMS.has("shortening", &part.program)
    };
    let parts = parse(line).into_iter();
    let parts = parts.filter(|part| !part.is_trivial() && !only_shortens(part));
    heaviest(parts).or_else(|| primary(line))
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
        Lesson::None | Lesson::Table => (0.7 + 0.05 * n).min(0.95),
    }
}

fn is_family(program: &str, word: &str) -> bool {
    let words = PROGRAMS.row("families", program);
    words.is_some_and(|words| words.is_empty() || words.contains(&word))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':'))
}

/// Returns whether a command only reads, so that a failure is an answer and no friction.
fn is_looking_around(command: &Simple) -> bool {
    let verb = command.from_subcommand().first();
    PROGRAMS.has("reading", &command.program)
        || (command.program == "git" && verb.is_some_and(|verb| PROGRAMS.has("git reading", verb)))
}
