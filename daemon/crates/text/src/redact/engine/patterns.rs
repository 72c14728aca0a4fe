//! Secrets that are found by regular expressions instead of by an anchor.

use regex::Regex;
use std::ops::Range;

/// Regular expressions. The first group of a match is a secret, or the whole match if there is no group.
#[derive(Debug, Default, Clone)]
pub(in crate::redact) struct Patterns(pub(in crate::redact) Vec<Regex>);

impl Patterns {
    /// Returns the expressions as they were written, one per line.
    pub(in crate::redact) fn source(&self) -> String {
        let sources: Vec<&str> = self.0.iter().map(Regex::as_str).collect();
        sources.join("\n")
    }

    /// Appends the secrets of `text` to `found`; returns whether there were any.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) -> bool {
        let before = found.len();
        for pattern in &self.0 {
            let secrets = pattern.captures_iter(text).filter_map(|captures| {
                let secret = captures.get(1).or_else(|| captures.get(0))?;
                // A mask is not a secret, otherwise redaction would never end.
                let is_masked = secret.as_str().bytes().all(|byte| byte == b'*');
                (!is_masked).then(|| secret.range())
            });
            found.extend(secrets);
        }
        found.len() > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_group_or_else_the_whole_match_is_the_secret() {
        let patterns =
            ["PIN ([0-9]{4})", "corp-[a-z]+"].map(|pattern| Regex::new(pattern).unwrap());
        let patterns = Patterns(patterns.to_vec());
        let mut found = Vec::new();
        assert!(patterns.find("PIN 1234 corp-abc corp-***", &mut found));
        assert_eq!(found, [4..8, 9..17]);
        assert!(!patterns.find("PIN none", &mut Vec::new()));
    }
}
