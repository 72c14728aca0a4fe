//! Rules of the user: `replay.redact_rules`.

use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Most rules of a user.
pub const MAX_RULES: usize = 64;

/// Longest rule, in bytes.
pub const MAX_RULE_BYTES: usize = 1024;

/// What a compiled rule may take in memory, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Why a list of rules is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("{count} rules: at most {MAX_RULES} are allowed")]
    TooMany { count: usize },
    #[error("rule {index} is longer than {MAX_RULE_BYTES} bytes")]
    TooLong { index: usize },
    #[error("rule {index} is not a regular expression: {why}")]
    Syntax { index: usize, why: String },
    #[error("rule {index} matches empty text, so it would match everywhere")]
    Empty { index: usize },
}

impl RuleError {
    /// The reason alone, for who knows which rule it is.
    pub fn reason(&self) -> String {
        match self {
            RuleError::TooMany { .. } => format!("more than {MAX_RULES} rules"),
            RuleError::TooLong { .. } => format!("longer than {MAX_RULE_BYTES} bytes"),
            RuleError::Syntax { why, .. } => why.clone(),
            RuleError::Empty { .. } => "it matches empty text".to_owned(),
        }
    }
}

/// Regular expressions whose first group, or else whole match, is a secret.
#[derive(Debug, Default, Clone)]
pub struct UserRules {
    rules: Vec<Regex>,
}

impl UserRules {
    /// Compiles a list of rules.
    ///
    /// # Errors
    ///
    /// [`RuleError`], which names the first rule that is wrong by its place in the list, from 0.
    pub fn new(rules: &[String]) -> Result<Self, RuleError> {
        if rules.len() > MAX_RULES {
            let count = rules.len();
            return Err(RuleError::TooMany { count });
        }
        let compiled = rules
            .iter()
            .enumerate()
            .map(|(index, rule)| compile(index, rule));
        Ok(Self {
            rules: compiled.collect::<Result<_, _>>()?,
        })
    }

    /// The rules as they were written.
    pub(super) fn sources(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(Regex::as_str)
    }

    /// Appends what the rules find; false when that is nothing.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) -> bool {
        let before = found.len();
        for rule in &self.rules {
            let secrets = rule.captures_iter(text).filter_map(|captures| {
                let secret = captures.get(1).or_else(|| captures.get(0))?;
                // A mask is none, or there would be no end.
                let is_masked = secret.as_str().bytes().all(|byte| byte == b'*');
                (!is_masked).then(|| secret.range())
            });
            found.extend(secrets);
        }
        found.len() > before
    }
}

fn compile(index: usize, rule: &str) -> Result<Regex, RuleError> {
    if rule.len() > MAX_RULE_BYTES {
        return Err(RuleError::TooLong { index });
    }
    let compiled = RegexBuilder::new(rule)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| RuleError::Syntax {
            index,
            why: last_line(&error.to_string()),
        })?;
    if compiled.is_match("") {
        return Err(RuleError::Empty { index });
    }
    Ok(compiled)
}

/// The reason without the picture of the place above it.
fn last_line(error: &str) -> String {
    let line = error.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(rules: &[&str]) -> Result<UserRules, RuleError> {
        let rules: Vec<String> = rules.iter().map(|&rule| rule.to_owned()).collect();
        UserRules::new(&rules)
    }

    #[test]
    fn the_first_group_or_else_the_whole_match_is_the_secret() {
        let rules = rules(&["PIN ([0-9]{4})", "corp-[a-z]+"]).unwrap();
        let mut found = Vec::new();
        assert!(rules.find("PIN 1234 corp-abc corp-***", &mut found));
        assert_eq!(found, [4..8, 9..17]);
        assert!(!rules.find("PIN none", &mut Vec::new()));
    }

    #[test]
    fn what_is_no_rule_is_refused_by_its_place() {
        let error = |list: &[&str]| rules(list).unwrap_err().to_string();
        assert_eq!(
            error(&["a", "(b"]),
            "rule 1 is not a regular expression: unclosed group"
        );
        assert!(error(&["a*"]).starts_with("rule 0 matches empty text"));
        assert!(error(&[&"a".repeat(MAX_RULE_BYTES + 1)]).starts_with("rule 0 is longer"));
        assert!(error(&["a"; MAX_RULES + 1]).contains("at most"));
        assert!(
            error(&["(?:[a-z]{100}){100}{100}"]).contains("size limit"),
            "{}",
            error(&["(?:[a-z]{100}){100}{100}"])
        );
    }
}
