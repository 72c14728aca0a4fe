//! The user's patterns: a list of entries, which may be edited by hand.

use super::error::EntryError;
use crate::expect::{LinePatterns, PatternError, line_weights};
use ccd_protocol::SessionId;
use ccd_protocol::pattern::PatternType;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

pub const MAX_ENTRIES: usize = 500;

/// Maximum number of patterns of an entry, and maximum length of a pattern.
const MAX_PATTERNS: usize = 100;
const MAX_PATTERN_BYTES: usize = 4096;

/// Maximum number of positions of all patterns of the file together that may have to be followed at once, for each byte
/// of a text.
/// An ordinary pattern has 2 to 25 (`\w+\s+\p{L}+` 6), `.{0,100}` has 101. The worst that are accepted
/// (`a[ab]{990}[0-9]`, nested optional ones, in each type) take 0.5 to 1.3 s for a text of 64 KiB in one line, and 30
/// to 60 ms for a line of 4,000 bytes, measured on two cores with an unoptimised daemon.
pub(super) const MAX_WEIGHT: u64 = 1000;

const MAX_DESCRIPTION_BYTES: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    #[serde(deserialize_with = "any_case")]
    pub pattern_type: PatternType,
    pub category: String,
    pub patterns: Vec<String>,
    #[serde(default)]
    pub description: String,
    /// Unknown members, which are kept.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// An entry of the file, or what is wrong with it.
pub type Entry = Result<Override, String>;

impl Override {
    /// Checks everything about an entry; returns how many positions of its patterns may have to be followed at once.
    pub fn check(&self) -> Result<u64, EntryError> {
        SessionId::parse(&self.category).map_err(|error| EntryError::Category {
            category: self.category.clone(),
            error,
        })?;
        if self.patterns.is_empty() {
            return Err(PatternError::Empty.into());
        }
        if self.patterns.len() > MAX_PATTERNS {
            return Err(EntryError::Limit(format!(
                "{} patterns in one category: at most {MAX_PATTERNS} are allowed",
                self.patterns.len()
            )));
        }
        let long = self
            .patterns
            .iter()
            .position(|pattern| pattern.len() > MAX_PATTERN_BYTES);
        if let Some(index) = long {
            return Err(EntryError::Limit(format!(
                "pattern {} has {} bytes: at most {MAX_PATTERN_BYTES} are allowed",
                index + 1,
                self.patterns[index].len()
            )));
        }
        if self.description.len() > MAX_DESCRIPTION_BYTES {
            return Err(EntryError::Limit(format!(
                "the description has {} bytes: at most {MAX_DESCRIPTION_BYTES} are allowed",
                self.description.len()
            )));
        }
        let patterns = || self.patterns.iter().map(String::as_str);
        let weights = line_weights(patterns())?;
        if let Some(index) = weights.iter().position(|&weight| weight > MAX_WEIGHT) {
            return Err(EntryError::Heavy {
                number: index + 1,
                weight: weights[index],
            });
        }
        let weight = weights.iter().sum();
        if weight > MAX_WEIGHT {
            return Err(EntryError::HeavyTogether { weight });
        }
        LinePatterns::compile(patterns())?;
        Ok(weight)
    }

    pub fn is(&self, pattern_type: PatternType, category: &str) -> bool {
        self.pattern_type == pattern_type && self.category == category
    }
}

/// Parses entries; each may be invalid.
pub fn entries_of(values: Vec<Value>) -> Vec<Entry> {
    let values = values.into_iter();
    values
        .map(|value| serde_json::from_value(value).map_err(|error| error.to_string()))
        .collect()
}

/// Checks the cost of all usable entries together.
pub fn check_together(entries: &[Override]) -> Result<(), EntryError> {
    let weights = entries.iter().filter_map(|entry| {
        let weights = line_weights(entry.patterns.iter().map(String::as_str)).ok()?;
        Some(
            weights
                .iter()
                .fold(0u64, |sum, &one| sum.saturating_add(one)),
        )
    });
    match weights.filter(|&weight| weight <= MAX_WEIGHT).sum() {
        weight if weight > MAX_WEIGHT => Err(EntryError::HeavyTogether { weight }),
        _ => Ok(()),
    }
}

/// Removes unusable entries, with a warning for each that says where it is and what is wrong.
pub fn usable(path: &Path, entries: Vec<Entry>) -> (Vec<Override>, Vec<String>) {
    let (mut good, mut warnings) = (Vec::<Override>::new(), Vec::new());
    let mut weight = 0;
    for (number, entry) in (1..).zip(entries) {
        let name = match &entry {
            Ok(entry) => format!(" ({} {:?})", entry.pattern_type.name(), entry.category),
            Err(_) => String::new(),
        };
        let mut warn = |problem: String| {
            let path = path.display();
            warnings.push(format!(
                "{path}, entry {number}{name} is ignored: {problem}"
            ));
        };
        if number > MAX_ENTRIES {
            warn(format!("at most {MAX_ENTRIES} entries are allowed"));
            break;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(problem) => {
                warn(problem);
                continue;
            }
        };
        if good
            .iter()
            .any(|other| other.is(entry.pattern_type, &entry.category))
        {
            warn("an earlier entry has the same type and category".to_owned());
            continue;
        }
        match entry.check() {
            Ok(more) if weight + more > MAX_WEIGHT => {
                let weight = weight + more;
                warn(EntryError::HeavyTogether { weight }.to_string());
            }
            Ok(more) => {
                weight += more;
                good.push(entry);
            }
            Err(error) => warn(error.to_string()),
        }
    }
    (good, warnings)
}

fn any_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PatternType, D::Error> {
    let name = String::deserialize(deserializer)?;
    let found = PatternType::ALL
        .into_iter()
        .find(|pattern_type| pattern_type.name().eq_ignore_ascii_case(&name));
    found.ok_or_else(|| {
        let names = PatternType::ALL.map(PatternType::name);
        serde::de::Error::custom(format!("pattern_type is {name:?}: give one of {names:?}"))
    })
}
