//! Masks secrets in parts of a text that are known from the whole text.

use super::texts::{HIDDEN, HiddenTexts};
use crate::redact::{MASK, Secrets, part_of};
use std::ops::Range;

/// A text in which all secrets are known. A part of a secret is masked as well, which would not be recognised by
/// itself.
pub struct Masked<'a> {
    text: &'a str,
    /// Sorted by start.
    places: Vec<(Range<usize>, &'static str)>,
}

impl<'a> Masked<'a> {
    /// Finds hidden input, and secrets that rules recognise.
    pub fn new(text: &'a str, hidden: &HiddenTexts) -> Self {
        let typed = hidden.places_in(text).into_iter();
        let secrets = Secrets::new(text);
        let found = secrets.places().iter().cloned();
        let mut places: Vec<_> = typed
            .map(|place| (place, HIDDEN))
            .chain(found.map(|place| (place, MASK)))
            .collect();
        // Stable: hidden input comes first.
        places.sort_by_key(|(place, _)| place.start);
        Self { text, places }
    }

    /// Returns a part of the text, with masks.
    pub fn part(&self, shown: Range<usize>) -> String {
        part_of(self.text, shown, self.places.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_secret_is_masked_wherever_it_is_cut() {
        let text = "x password=Hunter2Hunter2 y sesame z";
        let hidden = HiddenTexts::default();
        hidden.remember("sesame");
        let masked = Masked::new(text, &hidden);
        let part = |part: &str| {
            let at = text.find(part).unwrap();
            masked.part(at..at + part.len())
        };
        assert_eq!(part(text), "x password=*** y <hidden> z");
        assert_eq!(part("Hunter2Hunter2"), MASK);
        assert_eq!(part("unter2"), MASK);
        assert_eq!(part("word=Hun"), "word=***");
        assert_eq!(part("2 y se"), "*** y <hidden>");
        assert_eq!(part("x pass"), "x pass");
        assert_eq!(masked.part(3..3), "");
    }
}
