use super::{assignment, bearer, pem, tokens, url};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Stands in place of every secret, whatever its length was.
pub(crate) const MASK: &str = "***";

/// How often a text is looked at; a third time is hardly ever needed.
const MAX_PASSES: usize = 8;

/// Returns `text` with every secret that the built-in rules find replaced by [`MASK`].
pub(crate) fn redact(text: &str) -> Redacted<'_> {
    static BUILTIN: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(builtin_rules()));
    BUILTIN.redact(text)
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

    fn pass<'a>(&self, text: &'a str) -> Redacted<'a> {
        let mut clean = String::new();
        let mut removed = 0;
        let mut copied = 0;
        let mut from = 0;
        while let Some(hit) = self.anchors.find(Input::new(text).span(from..text.len())) {
            // An anchor may begin inside another that proved innocent.
            from = hit.start() + 1;
            let judge = self.judges[hit.pattern().as_usize()];
            if let Verdict::Secret(secret) = judge(text, hit.range()) {
                clean.push_str(&text[copied..secret.start]);
                clean.push_str(MASK);
                removed += 1;
                copied = secret.end;
                from = from.max(secret.end);
            }
        }
        if removed == 0 {
            return Redacted {
                text: Cow::Borrowed(text),
                removed,
            };
        }
        clean.push_str(&text[copied..]);
        Redacted {
            text: Cow::Owned(clean),
            removed,
        }
    }
}

fn builtin_rules() -> impl Iterator<Item = Rule> {
    [assignment::RULE, bearer::RULE, pem::RULE, url::RULE]
        .into_iter()
        .chain(tokens::RULES)
}
