use super::{assignment, bearer, pem, tokens, url};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Stands in place of every secret, whatever its length was.
pub(crate) const MASK: &str = "***";

/// How often a text is looked at; a third time is hardly ever needed.
const MAX_PASSES: usize = 8;

static BUILTIN: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(builtin_rules()));

/// Returns `text` with every secret that the built-in rules find replaced by [`MASK`].
pub(crate) fn redact(text: &str) -> Redacted<'_> {
    BUILTIN.redact(text)
}

/// Returns where in `text` secrets stand, from left to right; no two of them touch.
pub(crate) fn secrets_in(text: &str) -> Vec<Range<usize>> {
    BUILTIN.places(text)
}

/// Returns the part `shown` of `text` with [`MASK`] in place of what belongs to a secret of the whole text: half a
/// secret is not recognised by itself.
pub(crate) fn redact_part(text: &str, shown: Range<usize>) -> String {
    let mut clean = String::new();
    let mut copied = shown.start;
    for secret in secrets_in(text) {
        if secret.end <= shown.start || secret.start >= shown.end {
            continue;
        }
        clean.push_str(&text[copied..secret.start.max(copied)]);
        clean.push_str(MASK);
        copied = secret.end.min(shown.end);
    }
    clean.push_str(&text[copied..shown.end]);
    clean
}

/// A text without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Redacted<'a> {
    /// Borrowed when nothing was removed.
    pub(crate) text: Cow<'a, str>,
    /// How many secrets were replaced.
    pub(crate) removed: usize,
}

/// What a rule says about a place where one of its anchors stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// These bytes are a secret. They begin at or behind the anchor's begin.
    Secret(Range<usize>),
    Innocent,
}

/// A kind of secret.
pub(super) struct Rule {
    /// Literals, in any ASCII case, one of which every such secret has.
    pub(super) anchors: &'static [&'static str],
    /// Looks at the anchor at a byte range of the text.
    ///
    /// When it finds nothing it must have looked at a bounded number of bytes, or at bytes that no later anchor will
    /// make it look at again: else a hostile text costs quadratic time.
    pub(super) judge: fn(&str, Range<usize>) -> Verdict,
}

/// A set of rules, ready to search.
pub(crate) struct Redactor {
    anchors: AhoCorasick,
    /// The judge of each anchor.
    judges: Vec<fn(&str, Range<usize>) -> Verdict>,
}

impl Redactor {
    /// Returns a redactor with these rules.
    pub(super) fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let (literals, judges): (Vec<_>, Vec<_>) = rules
            .into_iter()
            .flat_map(|rule| rule.anchors.iter().map(move |&anchor| (anchor, rule.judge)))
            .unzip();
        let anchors = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            // Twice as fast as the other kinds, for some ten kilobytes.
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals)
            .expect("a hundred short literals are far below the limits of the automaton");
        Self { anchors, judges }
    }

    /// Returns `text` with every secret replaced by [`MASK`]; takes time linear in its length.
    ///
    /// Redacting the result again changes nothing.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        let mut redacted = self.pass(text);
        // A mask may bring together what a secret kept apart; clean text, the rule, is looked at once.
        for _ in 1..MAX_PASSES {
            if redacted.removed == 0 {
                break;
            }
            let again = self.pass(&redacted.text);
            if again.removed == 0 {
                break;
            }
            redacted = Redacted {
                removed: redacted.removed + again.removed,
                text: Cow::Owned(again.text.into_owned()),
            };
        }
        redacted
    }

    /// Returns where [`Self::redact`] puts a mask, in offsets of `text`.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        for _ in 0..MAX_PASSES {
            let masked = masked(text, &places);
            let found = self.find(&masked);
            if found.is_empty() {
                break;
            }
            let found: Vec<_> = found
                .iter()
                .map(|place| in_original(place, &places))
                .collect();
            places.extend(found);
            merge(&mut places);
        }
        places
    }

    fn pass<'a>(&self, text: &'a str) -> Redacted<'a> {
        let found = self.find(text);
        Redacted {
            text: masked(text, &found),
            removed: found.len(),
        }
    }

    /// What the rules find in a text as it stands.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(hit) = self.anchors.find(Input::new(text).span(from..text.len())) {
            // An anchor may begin inside another that proved innocent.
            from = hit.start() + 1;
            let judge = self.judges[hit.pattern().as_usize()];
            if let Verdict::Secret(secret) = judge(text, hit.range()) {
                from = from.max(secret.end);
                found.push(secret);
            }
        }
        found
    }
}

/// `text` with [`MASK`] at `places`, which are in order.
fn masked<'a>(text: &'a str, places: &[Range<usize>]) -> Cow<'a, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::new();
    let mut copied = 0;
    for place in places {
        clean.push_str(&text[copied..place.start]);
        clean.push_str(MASK);
        copied = place.end;
    }
    clean.push_str(&text[copied..]);
    Cow::Owned(clean)
}

/// From a place in the text with masks at `places` to the one in the text without: a mask counts as a whole.
fn in_original(place: &Range<usize>, places: &[Range<usize>]) -> Range<usize> {
    let (mut start, mut end) = (place.start, place.end);
    // How far the text with masks lies behind.
    let (mut original_len, mut masked_len) = (0, 0);
    for masked in places {
        let mask_start = masked.start - original_len + masked_len;
        let mask_end = mask_start + MASK.len();
        original_len += masked.len();
        masked_len += MASK.len();
        if place.start >= mask_end {
            start = place.start - masked_len + original_len;
        } else if place.start >= mask_start {
            start = masked.start;
        }
        if place.end >= mask_end {
            end = place.end - masked_len + original_len;
        } else if place.end > mask_start {
            end = masked.end;
        }
    }
    start..end
}

/// Puts places in order, and those that touch together.
fn merge(places: &mut Vec<Range<usize>>) {
    places.sort_unstable_by_key(|place| place.start);
    places.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}

fn builtin_rules() -> impl Iterator<Item = Rule> {
    [assignment::RULE, bearer::RULE, pem::RULE, url::RULE]
        .into_iter()
        .chain(tokens::RULES)
}
