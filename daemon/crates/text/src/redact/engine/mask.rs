//! Masks, and the places where they are put.

use std::borrow::Cow;
use std::ops::Range;

/// Replaces every secret, whatever its length.
pub const MASK: &str = "***";

/// Returns `text` with [`MASK`] at `places`, which must be in ascending order.
pub(super) fn masked<'a>(text: &'a str, places: &[Range<usize>]) -> Cow<'a, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(masked_part(text, places, 0..text.len()))
}

/// Returns the part `shown` of `text` with [`MASK`] in place of `secrets`, including those that are only partly in it.
pub(in crate::redact) fn masked_part(
    text: &str,
    secrets: &[Range<usize>],
    shown: Range<usize>,
) -> String {
    let first = secrets.partition_point(|secret| secret.end <= shown.start);
    let secrets = secrets[first..].iter();
    part_of(text, shown, secrets.map(|secret| (secret.clone(), MASK)))
}

/// Returns the part `shown` of `text` with a mask at each of the ranges, which are sorted by start; if they overlap,
/// the first one counts.
pub(crate) fn part_of(
    text: &str,
    shown: Range<usize>,
    places: impl Iterator<Item = (Range<usize>, &'static str)>,
) -> String {
    let mut masked = String::new();
    let mut at = shown.start;
    for (place, mask) in places.take_while(|(place, _)| place.start < shown.end) {
        if place.end <= at {
            continue;
        }
        if place.start >= at || masked.is_empty() {
            masked.push_str(&text[at..place.start.max(at)]);
            masked.push_str(mask);
        }
        at = place.end.min(shown.end);
    }
    masked.push_str(&text[at..shown.end]);
    masked
}

/// Converts offsets in the text that is masked at `places` to offsets in the original text. A place that cuts a mask is
/// extended to the whole secret.
pub(super) fn in_original(found: &[Range<usize>], places: &[Range<usize>]) -> Vec<Range<usize>> {
    /// Walks over `places` with offsets that do not decrease.
    struct Walk<'a> {
        rest: &'a [Range<usize>],
        /// Bytes that were replaced so far, and bytes of the masks that replaced them.
        original_len: usize,
        masked_len: usize,
    }
    impl Walk<'_> {
        /// Returns the original offset; inside a mask, the start or the end of the secret.
        fn to(&mut self, at: usize, is_end: bool) -> usize {
            while let Some(place) = self.rest.first() {
                let start = place.start - self.original_len + self.masked_len;
                let end = start + MASK.len();
                let is_inside = if is_end {
                    at > start && at < end
                } else {
                    at >= start && at < end
                };
                if is_inside {
                    return if is_end { place.end } else { place.start };
                }
                if at < end {
                    break;
                }
                self.original_len += place.len();
                self.masked_len += MASK.len();
                self.rest = &self.rest[1..];
            }
            at - self.masked_len + self.original_len
        }
    }
    let walk = || Walk {
        rest: places,
        original_len: 0,
        masked_len: 0,
    };
    let (mut starts, mut ends) = (walk(), walk());
    found
        .iter()
        .map(|place| starts.to(place.start, false)..ends.to(place.end, true))
        .collect()
}

/// Sorts places, and joins those that touch or overlap.
pub(in crate::redact) fn merge(places: &mut Vec<Range<usize>>) {
    places.sort_unstable_by_key(|place| place.start);
    places.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}
