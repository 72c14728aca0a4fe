//! Texts that are all looked for in one pass.

use regex::RegexSet;

/// The needles of a table, each with its entry.
pub(super) struct Needles<T: 'static> {
    set: RegexSet,
    entries: Vec<(&'static str, &'static T)>,
}

impl<T> Needles<T> {
    /// `text` is what is looked for of a needle.
    pub(super) fn of(
        table: &'static [T],
        needles: fn(&T) -> &'static [&'static str],
        text: fn(&str) -> &str,
    ) -> Self {
        let entries: Vec<_> = table
            .iter()
            .flat_map(|entry| needles(entry).iter().map(move |needle| (*needle, entry)))
            .collect();
        let patterns = entries
            .iter()
            .map(|(needle, _)| regex::escape(text(needle)));
        Self {
            // Texts without operators always compile.
            set: RegexSet::new(patterns).unwrap_or_else(|_| RegexSet::empty()),
            entries,
        }
    }

    /// Returns the needles that are in a text with their entries, in the order of the table.
    pub(super) fn in_text(&self, text: &str) -> impl Iterator<Item = (&'static str, &'static T)> {
        let found = self.set.matches(text);
        self.entries
            .iter()
            .enumerate()
            .filter(move |(number, _)| found.matched(*number))
            .map(|(_, entry)| *entry)
    }
}
