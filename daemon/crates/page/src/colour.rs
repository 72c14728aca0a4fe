//! Colours of code: keywords, texts, comments, numbers, types and calls.
//!
//! A small reader for all languages instead of a kept highlighter: those bring grammars of a megabyte and more, and a page
//! needs to tell comments from code, not to parse it.

use crate::markup::Markup;
use crate::shown::without_sequences;

/// Longer code is not coloured.
const MAX_BYTES: usize = 200_000;

struct Language {
    /// Ends of file names, and names in Markdown.
    names: &'static str,
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [&'static str],
    keywords: &'static str,
}

const C_COMMENT: Option<(&str, &str)> = Some(("/*", "*/"));

#[rustfmt::skip]
const LANGUAGES: [Language; 13] = [
    Language { names: "rs rust", line_comments: &["//"], block_comment: C_COMMENT, quotes: &["\""],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while" },
    Language { names: "py python pyi", line_comments: &["#"], block_comment: None, quotes: &["\"\"\"", "'''", "\"", "'"],
        keywords: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield self" },
    Language { names: "js jsx ts tsx mjs cjs javascript typescript vue svelte", line_comments: &["//"], block_comment: C_COMMENT, quotes: &["\"", "'", "`"],
        keywords: "abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return set static super switch this throw true try type typeof undefined var void while yield" },
    Language { names: "go golang", line_comments: &["//"], block_comment: C_COMMENT, quotes: &["\"", "`", "'"],
        keywords: "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var" },
    Language { names: "c h cc cpp hpp cs java kt kts scala swift dart c++ csharp kotlin php", line_comments: &["//"], block_comment: C_COMMENT, quotes: &["\"", "'"],
        keywords: "abstract auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum extends extern false final finally float for foreach func fun function goto guard if implements import in include inline instanceof int interface internal is let long namespace new nil null nullptr object override package private protected public return self short sizeof static struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when while" },
    Language { names: "rb ruby", line_comments: &["#"], block_comment: None, quotes: &["\"", "'"],
        keywords: "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true unless until when while yield" },
    Language { names: "sh bash zsh shell console dockerfile makefile mk", line_comments: &["#"], block_comment: None, quotes: &["\"", "'"],
        keywords: "case do done elif else esac export fi for function if in local return set then unset until while FROM RUN COPY ENV WORKDIR CMD ENTRYPOINT ARG" },
    Language { names: "json jsonc json5 jsonl", line_comments: &["//"], block_comment: C_COMMENT, quotes: &["\""], keywords: "true false null" },
    Language { names: "yaml yml toml ini cfg conf properties env", line_comments: &["#", ";"], block_comment: None, quotes: &["\"", "'"], keywords: "true false null yes no on off" },
    Language { names: "sql psql sqlite mysql", line_comments: &["--"], block_comment: C_COMMENT, quotes: &["'", "\""],
        keywords: "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction union unique update using values view when where with" },
    Language { names: "html htm xml svg xhtml", line_comments: &[], block_comment: Some(("<!--", "-->")), quotes: &["\""], keywords: "" },
    Language { names: "css scss less", line_comments: &[], block_comment: C_COMMENT, quotes: &["\"", "'"], keywords: "important media import supports keyframes from to root" },
    Language { names: "lua", line_comments: &["--"], block_comment: Some(("--[[", "]]")), quotes: &["\"", "'"],
        keywords: "and break do else elseif end false for function if in local nil not or repeat return then true until while" },
];

/// A language that is coloured.
#[derive(Clone, Copy)]
pub(crate) struct Colours(&'static Language);

impl Colours {
    /// Returns the language of a name in Markdown.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is_named = |language: &&Language| language.names.split(' ').any(|one| one == name);
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
    let line_end = || text.find('\n').unwrap_or(text.len());
    if let Some((start, end)) = language.block_comment
        && let Some(inside) = text.strip_prefix(start)
    {
        return (
            "C",
            inside
                .find(end)
                .map_or(text.len(), |at| start.len() + at + end.len()),
        );
    }
    if language
        .line_comments
        .iter()
        .any(|start| text.starts_with(start))
    {
        return ("C", line_end());
    }
    if let Some(quote) = language
        .quotes
        .iter()
        .find(|quote| text.starts_with(**quote))
    {
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
    let is_sql = language.names.starts_with("sql");
    let lower = word.to_ascii_lowercase();
    let wanted = if is_sql { &lower } else { word };
    if language
        .keywords
        .split(' ')
        .any(|keyword| keyword == wanted)
    {
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
