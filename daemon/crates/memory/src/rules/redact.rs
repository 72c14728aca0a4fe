//! No secret in a memory: every text is redacted, and the finished file is looked at once more.

use super::table::change_texts;
use crate::file::plain;
use crate::model::is_time;
use ccd_protocol::memory::SessionMemory;
use ccd_text::redact::{MASK, Secrets, redact as redact_text};
use std::ops::Range;

/// Returns how many secrets were removed.
pub(crate) fn redact(memory: &mut SessionMemory) -> u64 {
    let mut removed = 0;
    let is_memory = change_texts(memory, |text| {
        let redacted = redact_text(text);
        if redacted.removed > 0 && !is_time(text) {
            removed += redacted.removed as u64;
            *text = redacted.text.into_owned();
        }
    });
    // A word of an enum is no secret, so this does not happen; without the texts nothing can leak.
    if !is_memory {
        *memory = SessionMemory::default();
    }
    removed
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
        self.words.is_empty() || self.mask(&mut memory.clone())
    }

    /// Masks the words of the secret in all texts: between two texts of the file, what is in neither may look like one, such
    /// as a command and its argument. False if no text has them.
    pub(crate) fn mask(&self, memory: &mut SessionMemory) -> bool {
        let mut is_changed = false;
        let is_memory = change_texts(memory, |text| {
            for word in &self.words {
                if text.contains(word) {
                    *text = text.replace(word, MASK);
                    is_changed = true;
                }
            }
        });
        is_memory && is_changed
    }
}

pub(crate) fn all_secrets(file: &str) -> Vec<FileSecret> {
    let shown = plain(file);
    let secrets = Secrets::new(&shown);
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
