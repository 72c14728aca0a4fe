//! How alike two texts are: a second normalisation, which is only compared and never stored as a fingerprint.
//! It forgets what differs between two ways to say one thing: numbers, addresses, ids, small words and endings.

use crate::table::word_set;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of a text that carry its meaning, sorted and each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Keywords(Vec<String>);

impl Keywords {
    /// Returns the keywords of a text. Only the first 500 characters count.
    pub(crate) fn new(text: &str) -> Self {
        let folded: String = text
            .chars()
            .take(MAX_CHARS)
            .map(|c| if c == '\u{2019}' { '\'' } else { c })
            .flat_map(char::to_lowercase)
            .collect();
        let tokens = folded.split_whitespace().filter(|token| !is_noise(token));
        let mut words: Vec<String> = tokens.flat_map(words_of).collect();
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the Jaccard index: shared words by all words, 0.0 to 1.0. Two texts without keywords are not alike.
    #[cfg(test)]
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.len() + other.len() - shared;
        if all == 0 {
            0.0
        } else {
            shared as f64 / all as f64
        }
    }

    /// Returns whether the similarity is 0.6 or more.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        reaches_threshold(self.shared(other), self.len(), other.len())
    }

    fn shared(&self, other: &Self) -> usize {
        self.0
            .iter()
            .filter(|word| other.0.binary_search(word).is_ok())
            .count()
    }
}

/// Returns whether sets of these sizes with `shared` members in common are alike: a Jaccard index of 0.6 or more.
/// In whole numbers, because 3 of 5 is alike and 0.6 has no exact binary fraction.
pub(crate) fn reaches_threshold(shared: usize, left: usize, right: usize) -> bool {
    let all = left + right - shared;
    all > 0 && 5 * shared >= 3 * all
}

/// A longer text is a log or a document rather than an instruction.
const MAX_CHARS: usize = 500;

/// Returns whether a token is an address, a number or an id, which differ between two tellings of one thing.
fn is_noise(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    token.contains("://")
        || (digits > 0 && !token.chars().any(char::is_alphabetic))
        || (token.len() >= 7
            && digits > 0
            && token.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-'))
}

/// Returns the keywords of a token: a path or a hyphenated word has several, and text without spaces one for each two letters.
fn words_of(token: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = token
        .chars()
        .filter(|letter| is_unspaced(*letter))
        .collect();
    let pairs: Vec<String> = letters
        .windows(2)
        .map(|pair| pair.iter().collect())
        .collect();
    let spaced = move |word: &&str| !word.contains(is_unspaced);
    let words = token
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| word.chars().nth(1).is_some() && !STOP_WORDS.contains(word))
        .filter(spaced)
        .map(stem);
    words.chain(pairs)
}

/// Returns whether a letter belongs to a script that has no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{0e00}'..='\u{0e7f}')
}

/// Returns a word without its English ending, so that `file`, `files`, `edit` and `editing` are one.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if !word.is_ascii() || word.contains(|c: char| c.is_ascii_digit() || c == '_') {
        return word.to_owned();
    }
    if matches!(word, "using" | "used" | "uses") {
        return "use".to_owned(); // too short for the endings below
    }
    let mut stemmed = word;
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        return format!("{rest}y");
    }
    for ending in ["ings", "ing", "ed", "es", "s", "ly"] {
        let rest = word.strip_suffix(ending);
        if let Some(rest) = rest
            .filter(|rest| rest.len() >= 3 && !(ending == "s" && rest.ends_with(['s', 'u', 'i'])))
        {
            stemmed = rest;
            break;
        }
    }
    let bytes = stemmed.as_bytes();
    let doubled = stemmed.len() > 3
        && stemmed.len() < word.len()
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !stemmed.ends_with(['l', 's', 'z', 'e', 'o']);
    if doubled {
        stemmed = &stemmed[..stemmed.len() - 1];
    }
    let without_e = stemmed.strip_suffix('e').filter(|rest| rest.len() >= 3);
    without_e.unwrap_or(stemmed).to_owned()
}

/// Words that say nothing about the matter.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word_set(include_str!("stop_words.txt")));

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn alike(left: &str, right: &str) -> bool {
        Keywords::new(left).is_like(&Keywords::new(right))
    }

    #[test]
    fn one_correction_in_two_wordings_is_alike() {
        assert!(alike(
            "don't edit generated files",
            "stop, don't edit the generated files, change the source instead"
        ));
        assert!(alike(
            "please run the formatter before each commit",
            "always run formatters before committing"
        ));
        assert!(alike(
            "Stop adding comments to every line",
            "don\u{2019}t add a comment to each line"
        ));
    }

    #[test]
    fn two_matters_are_not_alike() {
        assert!(!alike("no, use tabs in the Makefile", "don't push to main"));
        assert!(!alike("no", "no"));
        assert!(!alike("don't edit the lockfile", "don't edit the schema"));
    }

    #[test]
    fn numbers_addresses_and_ids_do_not_count() {
        let of = |text: &str| Keywords::new(text);
        assert_eq!(
            of("see https://example.org/1 for port 5173 and 9fceb02d"),
            of("see port")
        );
    }

    #[test]
    fn endings_do_not_count() {
        for (left, right) in [
            ("running", "run"),
            ("files", "file"),
            ("queries", "query"),
            ("changed", "change"),
            ("using", "use"),
            ("classes", "class"),
            ("committing", "commits"),
        ] {
            assert_eq!(stem(left), stem(right), "{left} {right}");
        }
    }

    proptest! {
        #[test]
        fn any_texts_compare_the_same_both_ways(left in "(?s).{0,80}", right in "(?s).{0,80}") {
            let (left, right) = (Keywords::new(&left), Keywords::new(&right));
            prop_assert_eq!(left.is_like(&right), right.is_like(&left));
            prop_assert!(left.is_empty() || left.is_like(&left));
            prop_assert!((0.0..=1.0).contains(&left.similarity(&right)));
        }
    }
}
