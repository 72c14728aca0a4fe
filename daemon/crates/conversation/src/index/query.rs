//! What the user is looking for.

use super::mark::{Mark, without_marks};
use crate::ConversationError;
use crate::error::Result;

/// Characters of a snippet before the word that was found, and in all.
const BEFORE_CHARS: usize = 60;
const SNIPPET_CHARS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    wanted: Vec<String>,
    excluded: Vec<String>,
    /// Tokens that a record must have as well.
    marks: Vec<String>,
}

impl Query {
    /// Splits a query at spaces, except in double quotes. `-` before a word or a phrase excludes it; whatever else is in the
    /// query is text.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut query = Self {
            wanted: Vec::new(),
            excluded: Vec::new(),
            marks: Vec::new(),
        };
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let excluded = rest.strip_prefix('-');
            let start = excluded.unwrap_or(rest);
            let (term, left) = match start.strip_prefix('"') {
                Some(phrase) => phrase.split_once('"').unwrap_or((phrase, "")),
                None => start.split_once(char::is_whitespace).unwrap_or((start, "")),
            };
            // What has no letter or digit is no token, and would match nothing.
            if term.chars().any(char::is_alphanumeric) {
                let list = match excluded {
                    Some(_) => &mut query.excluded,
                    None => &mut query.wanted,
                };
                list.push(without_marks(term).replace('\0', " "));
            }
            rest = left.trim_start();
        }
        if query.wanted.is_empty() {
            Err(ConversationError::Query(format!(
                "{text:?} has no word to look for; give words, or phrases in double quotes"
            )))
        } else {
            Ok(query)
        }
    }

    /// Limits the query to records with all these marks.
    pub(crate) fn marked(mut self, marks: Vec<Mark<'_>>) -> Self {
        self.marks = marks.iter().map(Mark::token).collect();
        self
    }

    /// Returns the query in the syntax of FTS5, in which each term is a quoted text.
    pub(crate) fn fts(&self) -> String {
        let quoted = |terms: &[String], between: &str| {
            let terms = terms
                .iter()
                .map(|term| format!("\"{}\"", term.replace('"', "\"\"")));
            terms.collect::<Vec<_>>().join(between)
        };
        let mut wanted = quoted(&self.wanted, " AND ");
        for mark in &self.marks {
            wanted.push_str(&format!(" AND \"{mark}\""));
        }
        if self.excluded.is_empty() {
            wanted
        } else {
            format!("({wanted}) NOT ({})", quoted(&self.excluded, " OR "))
        }
    }

    /// Returns the text around the first wanted word, in one line.
    pub(crate) fn snippet(&self, text: &str) -> String {
        let line: Vec<char> = text
            .split(|c: char| c.is_whitespace() || c.is_control())
            .filter(|word| !word.is_empty())
            .flat_map(|word| word.chars().chain([' ']))
            .collect();
        let found = self
            .wanted
            .iter()
            .filter_map(|term| position(&line, term))
            .min();
        let start = found.unwrap_or(0).saturating_sub(BEFORE_CHARS);
        let end = (start + SNIPPET_CHARS).min(line.len());
        let part: String = line[start..end].iter().collect();
        let before = if start > 0 { "…" } else { "" };
        let after = if end < line.len() { "…" } else { "" };
        format!("{before}{}{after}", part.trim())
    }
}

/// Returns where the first word of a term is in a text, in any case.
fn position(line: &[char], term: &str) -> Option<usize> {
    let word = term
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty())?;
    let folded = |c: char| c.to_lowercase().next().unwrap_or(c);
    let word: Vec<char> = word.chars().map(folded).collect();
    line.windows(word.len()).position(|window| {
        window
            .iter()
            .zip(&word)
            .all(|(char, wanted)| folded(*char) == *wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_phrases_and_exclusions_are_terms() {
        let fts = |text: &str| Query::parse(text).unwrap().fts();
        assert_eq!(fts("one two"), "\"one\" AND \"two\"");
        assert_eq!(fts("\"one two\" -three"), "(\"one two\") NOT (\"three\")");
        assert_eq!(
            fts("a OR b* NEAR(c)"),
            "\"a\" AND \"OR\" AND \"b*\" AND \"NEAR(c)\""
        );
        assert_eq!(fts("say\"x"), "\"say\"\"x\"");
        assert_eq!(fts("a -\"b c\" - --"), "(\"a\") NOT (\"b c\")");
        for nothing in ["", "  ", "-a", "--", "\"\"", "*"] {
            assert!(Query::parse(nothing).is_err(), "{nothing:?}");
        }
    }

    #[test]
    fn a_snippet_is_around_the_first_word() {
        let query = Query::parse("Needle").unwrap();
        let text = format!("{} a\n\tneedle b {}", "x ".repeat(100), "y ".repeat(200));
        let snippet = query.snippet(&text);
        assert!(
            snippet.starts_with('…') && snippet.ends_with('…'),
            "{snippet}"
        );
        assert!(snippet.contains("x a needle b y"), "{snippet}");
        assert_eq!(query.snippet("no\n  match"), "no match");
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(text in ".{0,40}", body in ".{0,80}") {
            if let Ok(query) = Query::parse(&text) {
                query.snippet(&body);
            }
        }
    }
}
