//! Patterns of commands against a command line.

use super::judgement::Judgement;
use super::pattern::{CommandPattern, Match};
use super::rule::Rule;
use super::shell::{ExecutedCommand, parts};

/// Maximum number of characters of a command in a reason.
const MAX_SHOWN_CHARS: usize = 200;

type CommandRules<'a> = [(&'a Rule, &'a CommandPattern)];

/// Allows a line if every part of it is allowed. `may_write`: output may go to files.
pub(super) fn judge_by_whitelist(line: &str, rules: &CommandRules, may_write: bool) -> Judgement {
    let parts = match parts(line) {
        Ok(parts) => parts,
        Err(doubt) => return unclear(&doubt),
    };
    if parts.is_empty() {
        return Judgement::denied("there is no command in it that a rule could allow");
    }
    for part in &parts {
        if part.is_by_option {
            continue; // whoever allows a program allows its options
        }
        if let Some(file) = part.writes.first().filter(|_| !may_write) {
            return Judgement::denied(format!(
                "its output goes to the file {}, and no rule allows to write files",
                shown(file)
            ));
        }
        if rules.iter().any(|(_, pattern)| pattern.allows(&part.words)) {
            continue;
        }
        match &part.opaque {
            Some(reason) => return unclear(reason),
            None if part.is_transparent => {}
            None => {
                let rules: Vec<&str> = rules.iter().map(|(rule, _)| rule.as_str()).collect();
                return Judgement::denied(format!(
                    "`{}` is not allowed: only {}",
                    part_text(part),
                    rules.join(", ")
                ));
            }
        }
    }
    Judgement::Allowed
}

/// Denies a line if a part of it is forbidden, or could be.
pub(super) fn judge_by_blacklist(line: &str, rules: &CommandRules) -> Judgement {
    let parts = match parts(line) {
        Ok(parts) => parts,
        Err(doubt) => return unclear(&doubt),
    };
    for part in &parts {
        for (rule, pattern) in rules {
            match pattern.forbids(&part.words) {
                Match::No => {}
                Match::Yes => {
                    return Judgement::denied(format!(
                        "the rule {rule} forbids `{}`",
                        part_text(part)
                    ));
                }
                Match::Maybe => {
                    return Judgement::denied(format!(
                        "whether the rule {rule} forbids `{}` depends on an expansion",
                        part_text(part)
                    ));
                }
            }
        }
    }
    match parts.iter().find_map(|part| part.opaque.as_deref()) {
        Some(reason) => unclear(reason),
        None => Judgement::Allowed,
    }
}

fn unclear(doubt: &str) -> Judgement {
    Judgement::denied(format!(
        "the rules for Bash cannot be checked: {doubt}; write it in a simpler form"
    ))
}

fn part_text(part: &ExecutedCommand) -> String {
    let words: Vec<&str> = part.words.iter().map(|word| word.text.as_str()).collect();
    shown(&words.join(" "))
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
