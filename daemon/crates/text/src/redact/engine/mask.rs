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
    // Each mask, and the place that it replaced.
    let mut masks: Vec<(Range<usize>, &Range<usize>)> = Vec::with_capacity(places.len());
    for place in places {
        let (masked_end, end) = masks
            .last()
            .map_or((0, 0), |(mask, last)| (mask.end, last.end));
        let start = masked_end + place.start - end;
        masks.push((start..start + MASK.len(), place));
    }
    let last_before = |at: usize| {
        let next = masks.partition_point(|(mask, _)| mask.start < at);
        next.checked_sub(1).map(|last| &masks[last])
    };
    let start = |at: usize| match last_before(at + 1) {
        Some((mask, place)) if at < mask.end => place.start,
        Some((mask, place)) => at - mask.end + place.end,
        None => at,
    };
    let end = |at: usize| match last_before(at) {
        Some((mask, place)) => at.saturating_sub(mask.end) + place.end,
        None => at,
    };
    let found = found.iter();
    found
        .map(|found| start(found.start)..end(found.end))
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
