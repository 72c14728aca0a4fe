//! No secret in a memory: every text is redacted, and the finished file is looked at once more.

use super::table::each_text;
use crate::file::plain;
use crate::model::is_time;
use ccd_protocol::memory::SessionMemory;
use ccd_text::redact::{MASK, Secrets, redact as redact_text};
use std::ops::Range;

#[must_use]
pub fn redact(memory: SessionMemory) -> (SessionMemory, u64) {
    let mut removed = 0;
    let Ok(mut value) = serde_json::to_value(&memory) else {
        return (memory, 0);
    };
    each_text(&mut value, &mut |text| {
        if is_time(text) {
            return;
        }
        let redacted = redact_text(text);
        if redacted.removed > 0 {
            removed += redacted.removed as u64;
            *text = redacted.text.into_owned();
        }
    });
    match serde_json::from_value(value) {
        Ok(redacted) => (redacted, removed),
        // A word of an enum is no secret, so this does not happen; without the texts nothing can leak.
        Err(_) => (SessionMemory::default(), removed),
    }
}

pub(crate) struct FileSecret {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) section: String,
    words: Vec<String>,
}

/// Of the file, between texts.
const MARKS: &str = "*_()[]|";

/// Shorter words are not masked: they are everywhere.
const MIN_WORD_CHARS: usize = 4;

impl FileSecret {
    /// True if it is in a text of the memory, not in words of the file itself.
    pub(super) fn is_in(&self, memory: &SessionMemory) -> bool {
        self.words.is_empty() || self.mask(memory).is_some()
    }

    /// Masks the words of the secret in all texts: between two texts of the file, what is in neither may look like one, such
    /// as a command and its argument. Returns nothing if no text has them.
    pub(crate) fn mask(&self, memory: &SessionMemory) -> Option<SessionMemory> {
        let mut value = serde_json::to_value(memory).ok()?;
        let mut is_changed = false;
        each_text(&mut value, &mut |text| {
            for word in &self.words {
                if text.contains(word) {
                    *text = text.replace(word, MASK);
                    is_changed = true;
                }
            }
        });
        let masked = serde_json::from_value(value).ok()?;
        is_changed.then_some(masked)
    }
}

/// True if the file of a memory has a secret. Words that are in no text of the memory are words of the file itself.
pub(crate) fn has_secret(file: &str, memory: &SessionMemory) -> bool {
    all_secrets(file).iter().any(|found| found.is_in(memory))
}

pub(crate) fn all_secrets(file: &str) -> Vec<FileSecret> {
    let shown = plain(file);
    let secrets = Secrets::of(&shown);
    let places = secrets.places().iter().cloned();
    let places = places.filter(|place| !is_masked(&shown, place));
    let found = |place: Range<usize>| {
        let before = &shown[..place.start];
        let heading = before
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("## "));
        FileSecret {
            line: before.matches('\n').count() + 1,
            section: heading.unwrap_or("header").to_owned(),
            words: words(&shown[place]).map(str::to_owned).collect(),
        }
    };
    places.map(found).collect()
}

/// True for a mask with marks of the file around it, and for short words beside a mask: a masked text looks like a secret.
fn is_masked(shown: &str, place: &Range<usize>) -> bool {
    let found = &shown[place.clone()];
    let start = shown[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let end = shown[place.end..].find('\n');
    let end = end.map_or(shown.len(), |at| place.end + at);
    let is_beside_mask = || shown[start..end].contains(MASK) && words(found).next().is_none();
    found.chars().all(|char| MARKS.contains(char)) || is_beside_mask()
}

/// Returns the words of a secret that are looked for in other texts.
fn words(secret: &str) -> impl Iterator<Item = &str> {
    let words = secret.split(|char: char| char.is_whitespace() || MARKS.contains(char));
    words.filter(|word| word.chars().count() >= MIN_WORD_CHARS)
}
