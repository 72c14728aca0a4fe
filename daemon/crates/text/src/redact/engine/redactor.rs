use super::shown::Shown;
use crate::redact::rules::{RuleError, UserRules, builtin};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Stands in place of every secret, whatever its length was.
pub const MASK: &str = "***";

/// How often a text is looked at; a third time is hardly ever needed.
pub(in crate::redact) const MAX_PASSES: usize = 8;

static IN_FORCE: LazyLock<RwLock<Arc<Redactor>>> =
    LazyLock::new(|| RwLock::new(Arc::new(Redactor::new(UserRules::default()))));

/// Puts the user's rules in force beside the built-in ones, in place of those before.
///
/// # Errors
///
/// [`RuleError`]; then those before stay.
pub fn use_rules(rules: &[String]) -> Result<(), RuleError> {
    let redactor = Arc::new(Redactor::new(UserRules::new(rules)?));
    *IN_FORCE.write().unwrap_or_else(PoisonError::into_inner) = redactor;
    Ok(())
}

/// The user's rules that are in force, as one text: what was compared under other rules must be compared anew.
pub fn rules_in_force() -> String {
    in_force().user.sources().collect::<Vec<_>>().join("\n")
}

/// What redacts now.
pub(in crate::redact) fn in_force() -> Arc<Redactor> {
    Arc::clone(&IN_FORCE.read().unwrap_or_else(PoisonError::into_inner))
}

/// Returns `text` with every secret that the rules find replaced by [`MASK`].
pub fn redact(text: &str) -> Redacted<'_> {
    in_force().redact(text)
}

/// Returns where in `text` secrets stand, from left to right; no two of them touch.
pub fn secrets_in(text: &str) -> Vec<Range<usize>> {
    in_force().places(text)
}

/// Returns the part `shown` of `text` with [`MASK`] in place of what belongs to a secret of the whole text: half a
/// secret is not recognised by itself.
pub fn redact_part(text: &str, shown: Range<usize>) -> String {
    part_without(&secrets_in(text), text, shown)
}

/// Likewise, where the secrets of the text are known.
pub(in crate::redact) fn part_without(
    secrets: &[Range<usize>],
    text: &str,
    shown: Range<usize>,
) -> String {
    let mut clean = String::new();
    let mut copied = shown.start;
    let first = secrets.partition_point(|secret| secret.end <= shown.start);
    for secret in &secrets[first..] {
        if secret.start >= shown.end {
            break;
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
pub struct Redacted<'a> {
    /// Borrowed when nothing was removed.
    pub text: Cow<'a, str>,
    /// How many secrets were replaced.
    pub removed: usize,
}

/// What a rule says about a place where one of its anchors stands.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::redact) enum Verdict {
    /// These bytes are a secret. They begin at or behind the anchor's begin.
    Secret(Range<usize>),
    /// Likewise both of these, the second behind the first.
    Secrets(Range<usize>, Range<usize>),
    Innocent,
}

/// Looks at the anchor at a byte range of the text.
type Judge = fn(Shown<'_>, Range<usize>) -> Verdict;

/// A kind of secret.
pub(in crate::redact) struct Rule {
    /// Literals, in any ASCII case, one of which every such secret has.
    pub(in crate::redact) anchors: &'static [&'static str],
    /// When it finds nothing it must have looked at a bounded number of bytes, or at bytes that no later anchor will
    /// make it look at again: else a hostile text costs quadratic time.
    pub(in crate::redact) judge: Judge,
}

/// A set of rules, ready to search.
pub(in crate::redact) struct Redactor {
    anchors: AhoCorasick,
    /// The judge of each anchor.
    judges: Vec<Judge>,
    user: UserRules,
}

impl Redactor {
    /// Returns a redactor with the built-in rules and these.
    pub(in crate::redact) fn new(user: UserRules) -> Self {
        let (literals, judges): (Vec<_>, Vec<_>) = builtin()
            .flat_map(|rule| rule.anchors.iter().map(move |&anchor| (anchor, rule.judge)))
            .unzip();
        let anchors = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            // Twice as fast as the other kinds, for some ten kilobytes.
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals)
            .expect("a hundred short literals are far below the limits of the automaton");
        Self {
            anchors,
            judges,
            user,
        }
    }

    /// Returns `text` with every secret replaced by [`MASK`]; takes time linear in its length.
    ///
    /// Redacting the result again changes nothing.
    pub(in crate::redact) fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
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
    pub(in crate::redact) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        for _ in 0..MAX_PASSES {
            let masked = masked(text, &places);
            let found = self.find(masked.as_ref().into());
            if found.is_empty() {
                break;
            }
            let found = in_original(&found, &places);
            places.extend(found);
            merge(&mut places);
        }
        places
    }

    fn pass<'a>(&self, text: &'a str) -> Redacted<'a> {
        let found = self.find(text.into());
        Redacted {
            text: masked(text, &found),
            removed: found.len(),
        }
    }

    /// What the rules find in a text as it stands.
    pub(in crate::redact) fn find(&self, shown: Shown<'_>) -> Vec<Range<usize>> {
        let text = shown.text;
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(hit) = self.anchors.find(Input::new(text).span(from..text.len())) {
            // An anchor may begin inside another that proved innocent.
            from = hit.start() + 1;
            let judge = self.judges[hit.pattern().as_usize()];
            match judge(shown, hit.range()) {
                Verdict::Secret(secret) => found.push(secret),
                Verdict::Secrets(first, second) => found.extend([first, second]),
                Verdict::Innocent => continue,
            }
            from = from.max(found.last().map_or(0, |secret| secret.end));
        }
        if self.user.find(text, &mut found) {
            merge(&mut found);
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

/// From places in the text with masks at `places` to those in the text without: a mask counts as a whole.
fn in_original(found: &[Range<usize>], places: &[Range<usize>]) -> Vec<Range<usize>> {
    /// Walks over `places` with offsets that do not decrease.
    struct Walk<'a> {
        rest: &'a [Range<usize>],
        /// How much was masked so far, and by how much.
        original_len: usize,
        masked_len: usize,
    }
    impl Walk<'_> {
        /// The mask that the offset lies in or at the end of, else the offset where there are no masks.
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

/// Puts places in order, and those that touch together.
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
