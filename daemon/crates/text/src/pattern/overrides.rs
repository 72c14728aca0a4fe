//! The user's patterns: a list of entries, which may be edited by hand.

use super::error::{EntryError, MAX_WEIGHT};
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
        limit(self.patterns.len(), MAX_PATTERNS, |count| {
            format!("{count} patterns in one category")
        })?;
        for (number, pattern) in (1..).zip(&self.patterns) {
            limit(pattern.len(), MAX_PATTERN_BYTES, |len| {
                format!("pattern {number} has {len} bytes")
            })?;
        }
        limit(self.description.len(), MAX_DESCRIPTION_BYTES, |len| {
            format!("the description has {len} bytes")
        })?;
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

fn limit(count: usize, most: usize, what: impl FnOnce(usize) -> String) -> Result<(), EntryError> {
    if count <= most {
        return Ok(());
    }
    let what = what(count);
    let message = format!("{what}: at most {most} are allowed");
    Err(EntryError::Limit(message))
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
        Some(weights.into_iter().fold(0, u64::saturating_add))
    });
    match weights.filter(|&weight| weight <= MAX_WEIGHT).sum() {
        weight if weight > MAX_WEIGHT => Err(EntryError::HeavyTogether { weight }),
        _ => Ok(()),
    }
}

/// Removes unusable entries, with a warning for each that says where it is and what is wrong.
pub fn usable(path: &Path, entries: Vec<Entry>) -> (Vec<Override>, Vec<String>) {
    let (mut good, mut warnings, mut weight) = (Vec::new(), Vec::new(), 0);
    for (number, entry) in (1..).zip(entries).take(MAX_ENTRIES + 1) {
        let name = match &entry {
            Ok(entry) => format!(" ({} {:?})", entry.pattern_type.name(), entry.category),
            Err(_) => String::new(),
        };
        let added = match entry {
            _ if number > MAX_ENTRIES => Err(format!("at most {MAX_ENTRIES} entries are allowed")),
            Ok(entry) => add(entry, &mut good, &mut weight),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = added {
            let path = path.display();
            warnings.push(format!(
                "{path}, entry {number}{name} is ignored: {problem}"
            ));
        }
    }
    (good, warnings)
}

/// Adds an entry if it is usable together with the others, which have this weight.
fn add(entry: Override, good: &mut Vec<Override>, weight: &mut u64) -> Result<(), String> {
    if good
        .iter()
        .any(|other| other.is(entry.pattern_type, &entry.category))
    {
        return Err("an earlier entry has the same type and category".to_owned());
    }
    let weight_with = *weight + entry.check().map_err(|error| error.to_string())?;
    if weight_with > MAX_WEIGHT {
        let weight = weight_with;
        return Err(EntryError::HeavyTogether { weight }.to_string());
    }
    *weight = weight_with;
    good.push(entry);
    Ok(())
}

fn any_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PatternType, D::Error> {
    let name = String::deserialize(deserializer)?;
    let mut types = PatternType::ALL.into_iter();
    let found = types.find(|pattern_type| pattern_type.name().eq_ignore_ascii_case(&name));
    found.ok_or_else(|| {
        let names = PatternType::ALL.map(PatternType::name);
        serde::de::Error::custom(format!("pattern_type is {name:?}: give one of {names:?}"))
    })
}
