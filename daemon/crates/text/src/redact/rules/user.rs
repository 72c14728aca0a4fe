//! The user's own rules: `replay.redact_rules`.

use crate::redact::engine::Patterns;
use regex::{Regex, RegexBuilder};

pub const MAX_RULES: usize = 64;

pub const MAX_RULE_BYTES: usize = 1024;

/// Maximum memory of a compiled rule, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

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
    /// Returns the reason without the position of the rule.
    pub fn reason(&self) -> String {
        match self {
            RuleError::TooMany { .. } => format!("more than {MAX_RULES} rules"),
            RuleError::TooLong { .. } => format!("longer than {MAX_RULE_BYTES} bytes"),
            RuleError::Syntax { why, .. } => why.clone(),
            RuleError::Empty { .. } => "it matches empty text".to_owned(),
        }
    }
}

/// Compiled rules of a user. The first group of a match is a secret, or the whole match if there is no group.
#[derive(Debug, Default, Clone)]
pub struct UserRules(pub(super) Patterns);

impl UserRules {
    /// Compiles a list of rules. The error has the position in the list, from 0, of the first invalid rule.
    pub fn new(rules: &[String]) -> Result<Self, RuleError> {
        if rules.len() > MAX_RULES {
            let count = rules.len();
            return Err(RuleError::TooMany { count });
        }
        let compiled = rules
            .iter()
            .enumerate()
            .map(|(index, rule)| compile(index, rule));
        Ok(Self(Patterns(compiled.collect::<Result<_, _>>()?)))
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

/// Returns the last line of an error, which is the reason. The lines above it draw the position.
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
    fn an_invalid_rule_is_rejected_with_its_position() {
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
