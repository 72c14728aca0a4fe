//! Waiting for patterns.

use crate::timeout::Timeout;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// One pattern: `{"regex": …}`, `{"exact": …}`, `{"eof": true}` or `{"timeout": true}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Pattern {
    /// A regular expression (without backreferences and look-around, so that matching takes linear time).
    Regex(String),
    /// Literal text.
    Exact(String),
    /// The program has exited and all of its output has been searched.
    Eof(bool),
    /// The timeout: its index is returned instead of an error.
    Timeout(bool),
}

/// The forms of a pattern, for the error about an invalid one.
const FORMS: &str = r#"one of {"regex": "…"}, {"exact": "…"}, {"eof": true} and {"timeout": true}"#;

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PatternVisitor)
    }
}

/// Written by hand, because the derived errors use Rust's terms.
struct PatternVisitor;

impl<'de> Visitor<'de> for PatternVisitor {
    type Value = Pattern;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(FORMS)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pattern, A::Error> {
        let wrong = |what: &str| A::Error::custom(format!("{what}: a pattern is {FORMS}"));
        let Some(key) = map.next_key::<String>()? else {
            return Err(wrong("an empty object"));
        };
        let pattern = match key.to_ascii_lowercase().as_str() {
            "regex" => Pattern::Regex(map.next_value()?),
            "exact" => Pattern::Exact(map.next_value()?),
            "eof" => Pattern::Eof(map.next_value()?),
            "timeout" => Pattern::Timeout(map.next_value()?),
            _ => return Err(wrong(&format!("unknown key {key:?}"))),
        };
        match map.next_key::<String>()? {
            Some(second) => Err(wrong(&format!("{key:?} and {second:?} in one object"))),
            None => Ok(pattern),
        }
    }
}

/// Parameters of `session.expect`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionExpectParams {
    pub session: String,
    pub patterns: Vec<Pattern>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
    /// Start at this offset instead of the session's read position, and do not move the read position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// The match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectResult {
    /// Index of the pattern in the request.
    pub index: usize,
    pub matched: String,
    /// Groups of the regular expression; the first is the whole match.
    pub groups: Vec<Option<String>>,
    /// Text between the start of the search and the match; at most the last MiB of it.
    pub before: String,
    /// Bytes left out at the start of `before`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub before_omitted_bytes: u64,
    pub start: u64,
    pub end: u64,
    /// The new read position, where the next search starts.
    pub cursor: u64,
    /// Values of the request that were corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
