//! Fingerprints: what makes two candidates the same.
//! The fingerprint is exchanged with other tools that read the ledger, so its known weak points stay: `and/or` loses its
//! second word, and a relative path keeps its first part. What only compares texts uses [`crate::similarity`].

pub(crate) use ccd_protocol::coach::CandidateType;
use regex::Regex;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::LazyLock;

/// SHA-256 of a candidate's type and normalised text: 64 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Fingerprint(String);

pub(crate) fn fingerprint(kind: CandidateType, trigger: &str, action: &str) -> Fingerprint {
    let (trigger, action) = (normalise(trigger), normalise(action));
    let combined = format!("{}|{trigger}|{action}", kind.name());
    Fingerprint(sha256(combined.as_bytes()))
}

/// Returns the SHA-256 of bytes, in hex digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn normalized_text(trigger: &str, action: &str) -> String {
    let both = format!("{} {}", normalise(trigger), normalise(action));
    both.trim().to_owned()
}

/// Returns a text as fingerprints see it: lower case, paths and tools as placeholders, without punctuation.
pub(crate) fn normalise(text: &str) -> String {
    let lower = text.to_lowercase();
    let without_paths = PATH.replace_all(&lower, "<PATH>");
    let without_tools = TOOL.replace_all(&without_paths, |found: &regex::Captures<'_>| {
        bucket(found.get(0).map_or("", |tool| tool.as_str()))
    });
    let kept: String = without_tools
        .chars()
        .filter(|c| is_blank(*c) || c.is_alphanumeric() || matches!(c, '_' | '<' | '>'))
        .collect();
    kept.split(is_blank)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[expect(clippy::unwrap_used, reason = "a constant pattern; a test uses it")]
static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"/[a-zA-Z0-9_\-./]+").unwrap());

#[expect(clippy::unwrap_used, reason = "a constant pattern; a test uses it")]
static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    let names: Vec<_> = BUCKETS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    Regex::new(&format!(r"\b(?:{})\b", names.join("|"))).unwrap()
});

const BUCKETS: &[(&str, &[&str])] = &[
    ("<TEST_RUNNER>", &["pytest", "jest", "mocha", "vitest"]),
    ("<PKG_MANAGER>", &["npm", "pnpm", "yarn", "pip", "cargo"]),
    ("<BUILD_TOOL>", &["webpack", "vite", "esbuild"]),
    ("<LINTER>", &["eslint", "prettier", "pylint"]),
];

fn bucket(tool: &str) -> &'static str {
    BUCKETS
        .iter()
        .find(|(_, names)| names.contains(&tool))
        .map_or("", |(bucket, _)| bucket)
}

/// Returns whether Python's `split` cuts here: white space, and four control characters that Rust does not count.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

impl Fingerprint {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then(|| Self(text.to_ascii_lowercase()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const FIXTURE: &str = include_str!("../tests/fixtures/fingerprints.json");

    #[test]
    fn every_case_of_the_fixture_has_its_fingerprint() {
        let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
        let cases = fixture["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 58);
        for case in cases {
            let text = |key: &str| case[key].as_str().unwrap();
            let expected = |key: &str| case["expected"][key].as_str().unwrap();
            let (trigger, action) = (text("trigger"), text("action"));
            let kind = CandidateType::named(text("candidate_type")).unwrap();
            let id = text("id");
            assert_eq!(normalise(trigger), expected("normalized_trigger"), "{id}");
            assert_eq!(normalise(action), expected("normalized_action"), "{id}");
            assert_eq!(
                normalized_text(trigger, action),
                expected("normalized_text"),
                "{id}"
            );
            assert_eq!(
                fingerprint(kind, trigger, action).as_str(),
                expected("sha256"),
                "{id}"
            );
        }
    }

    #[test]
    fn words_are_lower_cased_and_split_as_python_does_it() {
        assert_eq!(normalise("ΟΔΟΣ"), "οδος");
        assert_eq!(normalise("İ"), "i");
        assert_eq!(normalise("a\u{1c}b\u{1f}c\u{a0}d"), "a b c d");
    }

    #[test]
    fn a_fingerprint_is_64_hex_digits() {
        let digits = "AB".repeat(32);
        assert_eq!(
            Fingerprint::parse(&digits).unwrap().as_str(),
            digits.to_lowercase()
        );
        assert_eq!(Fingerprint::parse("ab"), None);
        assert_eq!(Fingerprint::parse(&"é".repeat(32)), None);
    }

    proptest! {
        #[test]
        fn any_text_has_a_fingerprint(trigger in "(?s).{0,80}", action in "(?s).{0,80}") {
            let made = fingerprint(CandidateType::Rule, &trigger, &action);
            prop_assert_eq!(Fingerprint::parse(made.as_str()), Some(made));
        }
    }
}
