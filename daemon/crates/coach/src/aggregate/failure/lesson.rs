//! What a success shows about the failures before it.

use super::attempt_base;
use super::class::Class;
use crate::aggregate::known::Lesson;
use crate::aggregate::wording::one_line;
use crate::command::Simple;

/// What to do instead of what failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::aggregate) struct Advice {
    pub(in crate::aggregate) lesson: Lesson,
    /// The options that were added, or the command that works.
    pub(super) what: String,
}

/// Returns what a success shows about failed attempts at the same thing, oldest first.
///
/// `enough` says that there are as many failures as a candidate needs anyway; then less certain lessons count as well.
/// Options that only switch a check off are never a lesson: a rule must not teach to pass it by.
pub(in crate::aggregate) fn learn(
    failed: &[Simple],
    class: &Class,
    success: &Simple,
    enough: bool,
) -> Option<Advice> {
    let last = failed.last()?;
    if failed.iter().any(|attempt| is_same(attempt, success)) {
        // A command that passes at the second try usually passes because its cause was fixed in between.
        let counts = enough || class.is_transient();
        return counts.then(|| Advice {
            lesson: Lesson::Retry,
            what: String::new(),
        });
    }
    if last.program != success.program {
        return None;
    }
    if attempt_base(last) != attempt_base(success) {
        let is_same_matter = class.is_usage() || shares_arguments(last, success);
        return is_same_matter.then(|| advice_of_command(Lesson::Subcommand, success))?;
    }
    if let Some(flags) = added_flags(failed, success) {
        return Some(Advice {
            lesson: Lesson::Flags,
            what: flags,
        });
    }
    let is_certain = enough || class.is_usage();
    is_certain.then(|| advice_of_command(Lesson::Command, success))?
}

/// Options that switch a check off, or that only change what is shown.
const NO_LESSON: &[&str] = &[
    "--no-verify",
    "--force",
    "-f",
    "--force-with-lease",
    "--no-gpg-sign",
    "--yes",
    "-y",
    "--quiet",
    "-q",
    "-v",
    "-vv",
    "--verbose",
    "--help",
    "-h",
    "--version",
    "--dry-run",
    "--ignore-platform-reqs",
    "--ignore-platform-req",
    "--insecure",
    "-k",
    "--allow-dirty",
    "--skip-checks",
    "--no-check",
    "--admin",
    "--silent",
    "--debug",
    "--ignore-scripts",
    "--break-system-packages",
    "--trust-host",
    "--trusted-host",
];

fn is_same(left: &Simple, right: &Simple) -> bool {
    left.program == right.program && left.words == right.words
}

/// Returns the options of the success that no attempt had, if that is all that differs from one of the attempts.
fn added_flags(failed: &[Simple], success: &Simple) -> Option<String> {
    let arguments: Vec<&str> = success.arguments().collect();
    let is_only_flags = failed
        .iter()
        .any(|attempt| attempt.arguments().eq(arguments.iter().copied()));
    let mut added: Vec<&str> = success
        .flags()
        .filter(|flag| !failed.iter().any(|attempt| attempt.has_flag(name_of(flag))))
        .collect();
    added.dedup();
    let is_lesson = added.iter().all(|flag| !NO_LESSON.contains(&name_of(flag)));
    let is_short = added.len() <= 3
        && added
            .iter()
            .all(|flag| flag.len() <= 60 && !flag.contains('`'));
    (is_only_flags && !added.is_empty() && is_lesson && is_short).then(|| added.join(" "))
}

fn name_of(flag: &str) -> &str {
    flag.split_once('=').map_or(flag, |(name, _)| name)
}

/// Returns whether two commands have an argument in common besides their base.
fn shares_arguments(left: &Simple, right: &Simple) -> bool {
    let base = attempt_base(left);
    let words: Vec<&str> = left
        .arguments()
        .filter(|word| !base.split(' ').any(|of_base| of_base == *word))
        .collect();
    right
        .arguments()
        .any(|word| word.len() > 2 && words.contains(&word))
}

/// Returns a command as advice, when it names nothing that belongs to one occasion: numbers, paths, texts.
fn advice_of_command(lesson: Lesson, success: &Simple) -> Option<Advice> {
    let words = std::iter::once(&success.program).chain(&success.words);
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let is_general = line
        .chars()
        .all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '-' | '_' | ':' | '='));
    let is_lesson = success
        .flags()
        .all(|flag| !NO_LESSON.contains(&name_of(flag)));
    (is_general && is_lesson && line.len() <= 80).then(|| Advice {
        lesson,
        what: one_line(&line, 80),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::primary;

    fn learned(failed: &[&str], output: &str, success: &str) -> Option<(Lesson, String)> {
        let failed: Vec<_> = failed.iter().map(|line| primary(line).unwrap()).collect();
        let class = Class::of(&failed[0], output);
        let advice = learn(
            &failed,
            &class,
            &primary(success).unwrap(),
            failed.len() >= 2,
        )?;
        Some((advice.lesson, advice.what))
    }

    #[test]
    fn a_success_shows_what_helps() {
        let text = |lesson, what: &str| Some((lesson, what.to_owned()));
        assert_eq!(
            learned(
                &["npm install", "npm install --force-check"],
                "ERESOLVE",
                "npm install --legacy-peer-deps"
            ),
            text(Lesson::Flags, "--legacy-peer-deps")
        );
        assert_eq!(
            learned(
                &["cargo tset --lib"],
                "error: no such command: `tset`",
                "cargo test --lib"
            ),
            text(Lesson::Subcommand, "cargo test --lib")
        );
        assert_eq!(
            learned(&["curl-sync"], "operation timed out", "curl-sync"),
            text(Lesson::Retry, "")
        );
        assert_eq!(
            learned(&["make docs", "make docs"], "it broke", "make docs"),
            text(Lesson::Retry, "")
        );
    }

    #[test]
    fn chance_and_switched_off_checks_are_no_lesson() {
        assert_eq!(
            learned(&["cargo build"], "mismatched types", "cargo build"),
            None
        );
        assert_eq!(
            learned(&["git commit"], "hook failed", "git commit --no-verify"),
            None
        );
        assert_eq!(
            learned(&["npm run lint"], "it broke", "npm run build"),
            None
        );
        assert_eq!(
            learned(&["scp a host", "scp b host"], "it broke", "scp c3.txt host"),
            None
        );
    }
}
