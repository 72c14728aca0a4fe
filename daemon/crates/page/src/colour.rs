//! Colours of code: keywords, texts, comments, numbers, types and calls.
//!
//! A small reader for all languages instead of a kept highlighter: those bring grammars of a megabyte and more, and a page
//! needs to tell comments from code, not to parse it.

use crate::markup::Markup;
use crate::shown::without_sequences;
use std::sync::LazyLock;

/// Longer code is not coloured.
const MAX_BYTES: usize = 200_000;

/// A language, as `languages.txt` lists them: names, line comments, block comment, quotes, keywords.
struct Language([Vec<&'static str>; 5]);

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let words = |part: &'static str| part.split_whitespace().collect();
    let lines = include_str!("languages.txt").lines();
    let parts = lines.map(|line| line.split(" | ").map(words).collect::<Vec<_>>());
    parts
        .filter_map(|parts| parts.try_into().ok().map(Language))
        .collect()
});

/// A language that is coloured.
#[derive(Clone, Copy)]
pub(crate) struct Colours(&'static Language);

impl Colours {
    /// Returns the language of a name in Markdown.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is_named = |language: &&Language| language.0[0].contains(&name.as_str());
        LANGUAGES.iter().find(is_named).map(Self)
    }

    /// Returns the language of a file.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let file = path.rsplit('/').next()?;
        Self::of_name(file.rsplit_once('.').map_or(file, |(_, end)| end))
    }
}

/// Returns the lines of some code, coloured if the language is known.
pub(crate) fn lines(code: &str, colours: Option<Colours>) -> Vec<Markup> {
    // Before it is cut into pieces, where nothing would know them.
    let code = without_sequences(code.strip_suffix('\n').unwrap_or(code));
    let mut lines = vec![Markup::default()];
    let mut add = |kind: &str, text: &str| {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Markup::default());
            }
            match (lines.last_mut(), kind) {
                (Some(line), "") => line.text(part),
                (Some(line), _) if !part.is_empty() => line.leaf(kind, part),
                _ => {}
            }
        }
    };
    match colours {
        Some(Colours(language)) if code.len() <= MAX_BYTES => {
            let mut rest = &*code;
            while !rest.is_empty() {
                let (kind, len) = token(language, rest);
                let (text, after) = rest.split_at(len);
                add(kind, text);
                rest = after;
            }
        }
        _ => add("", &code),
    }
    lines
}

/// Returns the kind and the length of the token that a text starts with.
fn token(language: &Language, text: &str) -> (&'static str, usize) {
    let Language([_, line_comments, block_comment, quotes, _]) = language;
    let starts = |sign: &&&str| text.starts_with(**sign);
    if let [start, end] = block_comment[..]
        && let Some(inside) = text.strip_prefix(start)
    {
        let end = inside.find(end).map(|at| start.len() + at + end.len());
        return ("C", end.unwrap_or(text.len()));
    }
    if line_comments.iter().any(|start| starts(&start)) {
        return ("C", text.find('\n').unwrap_or(text.len()));
    }
    if let Some(quote) = quotes.iter().find(starts) {
        return ("S", string(text, quote));
    }
    let Some(first) = text.chars().next() else {
        return ("", 0);
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if is_word(first) {
        let len = text.find(|c| !is_word(c)).unwrap_or(text.len());
        return (kind_of(language, &text[..len], &text[len..]), len);
    }
    // Signs up to what may start another token: quotes and comments start with none of these.
    let is_plain = |c: char| c.is_whitespace() || "(){}[],.:+=!&|?@$%^~".contains(c);
    let len = text.find(|c| !is_plain(c)).unwrap_or(text.len());
    ("", len.max(first.len_utf8()))
}

/// Returns the length of a text in quotes. One that no quote ends is as long as its line; some may have more lines.
fn string(text: &str, quote: &str) -> usize {
    let is_long = quote.len() > 1 || quote == "`";
    let mut at = quote.len();
    while let Some(c) = text[at..].chars().next() {
        match c {
            '\\' => at += text[at + 1..].chars().next().map_or(0, char::len_utf8) + 1,
            '\n' if !is_long => return at,
            _ if text[at..].starts_with(quote) => return at + quote.len(),
            c => at += c.len_utf8(),
        }
    }
    text.len()
}

fn kind_of(language: &Language, word: &str, after: &str) -> &'static str {
    let Language([names, .., keywords]) = language;
    let lower = word.to_ascii_lowercase();
    let wanted = if names[0] == "sql" { &lower } else { word };
    if keywords.contains(&wanted) {
        "K"
    } else if word.starts_with(|c: char| c.is_ascii_digit()) {
        "N"
    } else if after.starts_with('(') {
        "F"
    } else if word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) {
        "T"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(name: &str, code: &str) -> String {
        let lines = lines(code, Colours::of_name(name));
        let lines: Vec<String> = lines.iter().map(Markup::bracketed).collect();
        lines.join("\n")
    }

    #[test]
    fn code_has_colours() {
        for (name, code, expected) in [
            (
                "rust",
                "let x = f(1); // n",
                "{K:let} x = {F:f}({N:1}); {C:// n}",
            ),
            ("rs", "\"a\\\"b\" Vec", "{S:\"a\\\"b\"} {T:Vec}"),
            ("rs", "/* a\nb */ c", "{C:/* a}\n{C:b */} c"),
            ("py", "'''a\n'b''' # c\n", "{S:'''a}\n{S:'b'''} {C:# c}"),
            ("js", "'open\nlet", "{S:'open}\n{K:let}"),
            ("sql", "SELECT a -- b", "{K:SELECT} a {C:-- b}"),
            ("json", "{\"a\": true}", "{{S:\"a\"}: {K:true}}"),
            ("sh", "echo \"a\" | b", "echo {S:\"a\"} | b"),
            ("unknown", "if a\n\nb", "if a\n\nb"),
            ("rs", "", ""),
        ] {
            assert_eq!(coloured(name, code), expected, "{name}");
        }
        let listed = include_str!("languages.txt").lines().count();
        assert_eq!(LANGUAGES.len(), listed);
        assert!(Colours::of_path("/a/Makefile").is_some() && Colours::of_path("a.png").is_none());
    }

    proptest::proptest! {
        #[test]
        fn colours_change_no_text(code in "([a-zA-Z0-9ä'\"`/*#\\\\ \n-]|<!--|-->){0,80}", at in 0..LANGUAGES.len()) {
            let lines = lines(&code, Some(Colours(&LANGUAGES[at])));
            let texts: Vec<String> = lines.iter().map(Markup::texts).collect();
            proptest::prop_assert_eq!(texts.join("\n"), code.strip_suffix('\n').unwrap_or(&code));
        }
    }
}
