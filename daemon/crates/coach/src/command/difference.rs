//! What a command that worked has in place of one that failed.

use super::primary::is_path;
use super::simple::{Simple, is_flag};
use crate::table::Lists;
use std::sync::LazyLock;

static WORDS: LazyLock<Lists> = LazyLock::new(|| Lists::new(include_str!("difference.txt")));

/// Both forms, as far as they say something for other occasions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What failed: `python`, `npm test`.
    pub from: String,
    pub to: Replacement,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// Another program: `python3`, `uv pip`.
    Program(String),
    /// Another form of a sub-command, with its program: `npm run test:unit`.
    Command(String),
    /// The same with these options as well.
    Flags(String),
    /// The same without this option, which the command does not know.
    Without(String),
}

/// How sure it is that the one that worked stands for the one that failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failed {
    /// The shell did not find the program.
    pub is_missing: bool,
    /// It was called wrongly: an unknown command or option.
    pub is_misused: bool,
}

/// How far what is named may be from the words that say what is wrong with it, in bytes.
const NEAR: usize = 40;

impl Failed {
    /// Returns what an output in lower case says about the call of `command`: it names the program, or one of its words.
    #[must_use]
    pub fn new(output: &str, command: &Simple) -> Self {
        let names = |said: &str, named: &[&str]| {
            let parts = WORDS.get(said).iter();
            let mut parts = parts.flat_map(|part| output.match_indices(part));
            parts.any(|(at, part)| {
                let end = at + part.len();
                let is_end = |c: char| c.is_whitespace() || ":'\"`‘’,.".contains(c);
                let before = &output[output.floor_char_boundary(at.saturating_sub(NEAR))..at];
                let after = &output[end..output.ceil_char_boundary(output.len().min(end + NEAR))];
                let near = format!("{before} {after}");
                let mut words = near.split(is_end).map(|word| word.trim_end_matches(':'));
                words.any(|word| named.iter().any(|name| name.to_lowercase() == word))
            })
        };
        let words: Vec<&str> = words_of(command)
            .into_iter()
            .skip(1)
            .flat_map(|word| word.split('='))
            .collect();
        Self {
            is_missing: names("missing", &[&command.program]),
            is_misused: names("misused", &words),
        }
    }
}

/// Words of a program and its sub-commands that are shown.
const MAX_FROM_WORDS: usize = 3;
const MAX_TO_WORDS: usize = 4;
const MAX_FLAGS: usize = 3;
const MAX_WORD_LEN: usize = 60;

/// Returns what the second command has in place of the first one, which failed before it. `None` if they are the same, about
/// different matters, or differ in what belongs to one occasion: a path, a number, a text.
#[must_use]
pub fn difference(failed: &Simple, worked: &Simple, how: Failed) -> Option<Difference> {
    let (old, new) = (words_of(failed), words_of(worked));
    let start = common(old.iter().zip(&new));
    let most_end = old.len().min(new.len()) - start;
    let end = common(old.iter().rev().zip(new.iter().rev())).min(most_end);
    if how.is_misused && start + end == new.len() {
        return dropped_flag(&old, &old[start..old.len() - end]);
    }
    let (mut gone, mut come) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    if failed.program == worked.program && failed.arguments().eq(worked.arguments()) {
        return added_flags(&old, &new, how);
    }
    if gone.is_empty() && start == 0 {
        // Something stands before the program: `uv pip` in place of `pip`.
        (gone, come) = (&old[..1], &new[..=come.len()]);
    }
    if gone.is_empty() || come.is_empty() || gone.len() > MAX_FROM_WORDS {
        return None;
    }
    let is_related = match start {
        0 => (are_alike(gone, come) || how.is_missing) && (end > 0 || old.len() == 1),
        _ => are_alike(gone, come) || how.is_misused,
    };
    let (from, to) = (&old[..start + gone.len()], &new[..start + come.len()]);
    let is_shown = from.len() <= MAX_FROM_WORDS && to.len() <= MAX_TO_WORDS;
    if !is_related || !is_shown || !from.iter().chain(to).all(|word| is_general(word)) {
        return None;
    }
    let to = to.join(" ");
    Some(Difference {
        from: from.join(" "),
        to: match start {
            0 => Replacement::Program(to),
            _ => Replacement::Command(to),
        },
    })
}

impl Difference {
    /// Returns whether a command that worked has the form that failed before.
    #[must_use]
    pub fn is_contradicted_by(&self, worked: &Simple) -> bool {
        let words = words_of(worked);
        let from: Vec<&str> = self.from.split(' ').collect();
        words.starts_with(&from)
            && match &self.to {
                Replacement::Flags(flags) => flags.split(' ').all(|flag| !words.contains(&flag)),
                Replacement::Without(flag) => worked.has_flag(flag),
                Replacement::Program(to) | Replacement::Command(to) => {
                    !words.starts_with(&to.split(' ').collect::<Vec<_>>())
                }
            }
    }
}

fn words_of(command: &Simple) -> Vec<&str> {
    let words = command.words.iter().map(String::as_str);
    std::iter::once(command.program.as_str())
        .chain(words)
        .collect()
}

fn common<'a>(pairs: impl Iterator<Item = (&'a &'a str, &'a &'a str)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// Returns the option, with its value if it has one, that is all that the one that worked has not.
fn dropped_flag(old: &[&str], gone: &[&str]) -> Option<Difference> {
    let flag = gone
        .first()
        .filter(|word| is_flag(word) && gone.len() <= 2)?;
    let name = flag.split_once('=').map_or(*flag, |(name, _)| name);
    let from = subcommands(old);
    (is_general(name) && !from.is_empty()).then(|| Difference {
        from,
        to: Replacement::Without(name.to_owned()),
    })
}

/// Returns a program and its sub-commands, as far as they say the same at another time.
fn subcommands(words: &[&str]) -> String {
    let words = words.iter().copied().take(MAX_FROM_WORDS);
    let words = words.take_while(|word| !is_flag(word) && is_general(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the options of the one that worked that the other had not.
fn added_flags(old: &[&str], new: &[&str], how: Failed) -> Option<Difference> {
    let added: Vec<&str> = new
        .iter()
        .copied()
        .filter(|word| is_flag(word) && !old.contains(word))
        .collect();
    let from = subcommands(old);
    // If an option is gone as well, the command may not know that one.
    let mut kept = old.iter().filter(|word| how.is_misused && is_flag(word));
    let is_lesson = (1..=MAX_FLAGS).contains(&added.len())
        && kept.all(|word| new.contains(word))
        && added.iter().all(|flag| is_general(flag))
        && !from.is_empty();
    is_lesson.then(|| Difference {
        from,
        to: Replacement::Flags(added.join(" ")),
    })
}

/// Returns whether one of two forms is part of the other: `pip` and `uv pip`, `test` and `run test:unit`.
fn are_alike(gone: &[&str], come: &[&str]) -> bool {
    let letters = |words: &[&str]| -> String {
        let all = words.iter().flat_map(|word| word.chars());
        all.filter(char::is_ascii_alphanumeric).collect()
    };
    let (one, other) = (letters(gone), letters(come));
    let (short, long) = if one.len() < other.len() {
        (&one, &other)
    } else {
        (&other, &one)
    };
    let is_same = |names: &&str| {
        let has = |name| names.split(' ').any(|one| one == name);
        has(gone[0]) && has(come[0])
    };
    (short.len() >= 3 && long.contains(short.as_str())) || WORDS.get("alike").iter().any(is_same)
}

fn is_general(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '=');
    // `-rf` has a `-f` in it.
    let is_forced = word.strip_prefix('-').is_some_and(|letters| {
        letters.len() <= 3 && letters.contains('f') && !letters.starts_with('-')
    });
    word.len() <= MAX_WORD_LEN
        && !is_forced
        && word.chars().all(is_plain)
        && word.chars().any(|c| c.is_ascii_alphabetic())
        && !WORDS.has("no lesson", name)
        && (is_flag(word) || !is_path(word))
}

#[cfg(test)]
mod tests {
    use super::super::primary;
    use super::*;

    fn between(failed: &str, worked: &str, how: Failed) -> String {
        let found = difference(&primary(failed).unwrap(), &primary(worked).unwrap(), how);
        match found {
            None => "none".to_owned(),
            Some(Difference { from, to }) => match to {
                Replacement::Program(to) => format!("program {from} > {to}"),
                Replacement::Command(to) => format!("command {from} > {to}"),
                Replacement::Flags(flags) => format!("flags {from} > {flags}"),
                Replacement::Without(flag) => format!("without {from} > {flag}"),
            },
        }
    }

    #[test]
    fn the_form_that_worked_is_found() {
        // Failed, worked, how it failed, what is found: none if they are the same, about different matters, or of one occasion.
        let table = "
            python x.py | python3 x.py | neither | program python > python3
            python -m http.server | python3 -m http.server | neither | program python > python3
            docker-compose up -d | docker compose up -d | neither | program docker-compose > docker compose
            pip install requests | uv pip install requests | neither | program pip > uv pip
            npm test | npm run test:unit | neither | command npm test > npm run test:unit
            npm install | pnpm install | neither | program npm > pnpm
            npm install | yarn install | neither | program npm > yarn
            rg needle src | grep needle src | missing | program rg > grep
            npm install | npm install --legacy-peer-deps | neither | flags npm install > --legacy-peer-deps
            gh pr squash 7 | gh pr merge 7 | misused | command gh pr squash > gh pr merge
            cd web && npm test | cd web && npm run test:unit | neither | command npm test > npm run test:unit
            erk exec setup-impl --issue 8157 --branch-slug=x | erk exec setup-impl --issue 8157 | misused | without erk exec setup-impl > --branch-slug
            erk exec describe --id a1 --pr 8395 | erk exec describe --id a1 | misused | without erk exec describe > --pr
            erk exec describe --id a1 --pr 8395 | erk exec describe --id a1 | neither | none
            npm test | npm test | neither | none
            erk pr submit | erk pr check | neither | none
            npm run lint | npm run build | neither | none
            make docs | ls docs | neither | none
            rg needle src | make needle src | neither | none
            pytest tests/a.py | pytest tests/b.py | neither | none
            scp a host | scp c3.txt host | misused | none
            git commit -m x | git commit -m x --no-verify | neither | none
            git push | git push --force | misused | none
            frob x | frob --help | misused | none
            cargo test | cargo test --lib parser | neither | none
            npm run e2e -- --once | npm run e2e -- --list | misused | none
            kill 123 | kill 124 | misused | none
        ";
        for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
            let parts: Vec<&str> = row.split(" | ").collect();
            let how = Failed {
                is_missing: parts[2] == "missing",
                is_misused: parts[2] == "misused",
            };
            assert_eq!(between(parts[0], parts[1], how), parts[3], "{row}");
        }
    }

    #[test]
    fn what_an_output_says_is_about_the_program() {
        for (output, line, is_missing, is_misused) in [
            ("bash: rg: command not found", "rg a", true, false),
            ("zsh: command not found: rg", "rg a", true, false),
            ("sh: 1: rg: not found", "rg a", true, false),
            (
                "'rg' is not recognized as an internal command",
                "rg a",
                true,
                false,
            ),
            (
                "python 3.9.1 bash: pip: command not found",
                "python3 --version",
                false,
                false,
            ),
            (
                "error: unknown command 'task'",
                "minder task list",
                false,
                true,
            ),
            ("npm err! missing script: \"test\"", "npm test", false, true),
            (
                "git: 'sqash' is not a git command",
                "git sqash",
                false,
                true,
            ),
            ("no such option: --slug", "erk setup --slug=x", false, true),
            (
                "unknown option \"moduleNames\" was found",
                "npm run e2e",
                false,
                false,
            ),
        ] {
            let expected = Failed {
                is_missing,
                is_misused,
            };
            let failed = Failed::new(output, &primary(line).unwrap());
            assert_eq!(failed, expected, "{output}");
        }
    }

    #[test]
    fn a_form_that_works_too_is_no_lesson() {
        let found = |failed: &str, worked: &str| {
            difference(
                &primary(failed).unwrap(),
                &primary(worked).unwrap(),
                Failed::default(),
            )
            .unwrap()
        };
        let python = found("python x.py", "python3 x.py");
        assert!(python.is_contradicted_by(&primary("python y.py").unwrap()));
        assert!(!python.is_contradicted_by(&primary("python3 y.py").unwrap()));
        let flags = found("npm install", "npm install --legacy-peer-deps");
        assert!(!flags.is_contradicted_by(&primary("npm install --legacy-peer-deps").unwrap()));
        assert!(flags.is_contradicted_by(&primary("npm install lodash").unwrap()));
    }
}
