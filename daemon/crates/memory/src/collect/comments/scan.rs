//! Finds open points in one file: in comments only, and only where a comment starts with the word.

use super::language::{Language, Quote, language as language_of};
use crate::collect::open_point::{Comment, Keyword};
use crate::model::clip;
use ccd_text::redact::redact;

/// Of one comment's text that are kept.
const TEXT_CHARS: usize = 500;

/// Returns the open points of a file, at most one a line.
pub(super) fn scan(path: &str, language: &Language, source: &str) -> Vec<Comment> {
    let mut scanner = Scanner {
        language,
        path,
        inside: Inside::Code,
        is_alone: false,
        found: Vec::new(),
        last_line: 0,
    };
    let is_page = path.ends_with(".html") || path.ends_with(".htm");
    let mut lines = (1..).zip(source.lines());
    while let Some((number, line)) = lines.next() {
        let is_code = matches!(scanner.inside, Inside::Code);
        if is_page && line.contains("</script") {
            (scanner.language, scanner.inside) = (language, Inside::Code);
        }
        scanner.line(number, line);
        if is_page && is_code && line.contains("<script") && !line.contains("</script") {
            scanner.language = language_of("a.js").unwrap_or(language);
        }
        if language.has_heredocs
            && is_code
            && let Some(end) = heredoc(line)
            && let Some(skipped) = lines.clone().position(|(_, line)| line.trim() == end)
        {
            lines.nth(skipped);
        }
    }
    scanner.found
}

/// Returns the word that ends the text which a line of a script starts with `<<`.
fn heredoc(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.trim_start_matches(['-', '~']).trim_start();
    let rest = rest.trim_start_matches(['"', '\'', '\\']);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|word| !word.is_empty())
}

/// What the end of a line is part of.
enum Inside<'a> {
    Code,
    Block(&'a str),
    Text(&'a Quote),
}

struct Scanner<'a> {
    language: &'a Language,
    path: &'a str,
    inside: Inside<'a>,
    /// No code is before the comment in its line.
    is_alone: bool,
    found: Vec<Comment>,
    /// The last line of the last open point.
    last_line: u64,
}

impl<'a> Scanner<'a> {
    fn line(&mut self, number: u64, line: &str) {
        let mut rest = line;
        let start = line.trim_start();
        let marks = self.language.line.iter();
        let blocks = self.language.block.iter().map(|(open, _)| open);
        self.is_alone = matches!(self.inside, Inside::Block(_))
            || marks.chain(blocks).any(|mark| start.starts_with(mark));
        while !rest.is_empty() {
            rest = match self.inside {
                Inside::Code => self.code(number, rest),
                Inside::Block(close) => self.block(number, rest, close),
                Inside::Text(quote) => match end_of(rest, quote) {
                    Some(end) => {
                        self.inside = Inside::Code;
                        &rest[end..]
                    }
                    None => "",
                },
            };
        }
        if let Inside::Text(quote) = self.inside
            && !quote.is_long
        {
            self.inside = Inside::Code; // a string that is not closed ends with its line
        }
    }

    /// Goes to the next comment or string and returns what is after its start.
    fn code<'b>(&mut self, number: u64, text: &'b str) -> &'b str {
        let language: &'a Language = self.language;
        for (at, _) in text.char_indices() {
            let here = &text[at..];
            if let Some((open, close)) = language
                .block
                .iter()
                .find(|(open, _)| here.starts_with(open))
            {
                self.inside = Inside::Block(close);
                return &here[open.len()..];
            }
            if let Some(mark) = language.line.iter().find(|mark| here.starts_with(**mark)) {
                // A `#` inside a word is no comment (`$#`, `a#b`), and `//` after a colon is an address.
                let before = text[..at].chars().next_back();
                let is_inside = match *mark {
                    "#" | ";" | "%" => before.is_some_and(|c| !c.is_whitespace()),
                    _ => before == Some(':'),
                };
                if !is_inside {
                    self.comment(number, &here[mark.len()..]);
                    return "";
                }
            }
            if let Some(quote) = language
                .strings
                .iter()
                .find(|quote| here.starts_with(quote.open) && !is_character(&text[..at], here))
            {
                self.inside = Inside::Text(quote);
                return &here[quote.open.len()..];
            }
        }
        ""
    }

    fn block<'b>(&mut self, number: u64, text: &'b str, close: &str) -> &'b str {
        match text.split_once(close) {
            Some((comment, rest)) => {
                self.comment(number, comment);
                self.inside = Inside::Code;
                rest
            }
            None => {
                self.comment(number, text);
                ""
            }
        }
    }

    fn comment(&mut self, line: u64, text: &str) {
        if self.found.last().is_some_and(|last| last.line == line) {
            return;
        }
        let Some((keyword, about, text)) = open_point(text) else {
            return self.more(line, text);
        };
        self.last_line = line;
        self.found.push(Comment {
            keyword,
            path: self.path.to_owned(),
            line,
            about,
            text,
            age: 0,
        });
    }

    fn more(&mut self, line: u64, text: &str) {
        let text = redact(text.trim_matches(is_mark)).text;
        // What is commented out is no text.
        let is_code = ["=", "{", ";", "(): "]
            .iter()
            .any(|mark| text.contains(mark));
        let is_next = self.is_alone && self.last_line + 1 == line && !text.is_empty() && !is_code;
        if let Some(last) = self.found.last_mut().filter(|_| is_next)
            && !last.text.is_empty()
            && !last.text.ends_with(['.', '!', '?', ':'])
        {
            last.text = clip(&format!("{} {text}", last.text), TEXT_CHARS);
            self.last_line = line;
        }
    }
}

/// What is before the words of a comment.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '/' | '!' | '*' | '#' | '-' | ';' | '@' | '<' | '%')
}

/// Says whether a quote is a character, `'"'`, in a language whose strings do not start with `'`.
fn is_character(before: &str, here: &str) -> bool {
    here.starts_with("\"'") && (before.ends_with('\'') || before.ends_with("'\\"))
}

/// Returns the place after the end of a string.
fn end_of(text: &str, quote: &Quote) -> Option<usize> {
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if quote.has_escapes && char == '\\' {
            is_escaped = true;
        } else if text[at..].starts_with(quote.close) {
            return Some(at + quote.close.len());
        }
    }
    None
}

/// Reads `KEYWORD(about): text` at the start of a comment.
fn open_point(comment: &str) -> Option<(Keyword, Option<String>, String)> {
    let comment = comment.trim_start_matches(is_mark);
    let (keyword, word) = Keyword::ALL
        .into_iter()
        .find(|(_, word)| comment.starts_with(word))?;
    // Half of a secret is not recognised any more, so it goes before the comment is taken apart.
    let comment = redact(comment).text;
    let mut rest = comment.strip_prefix(word)?;
    let mut about = None;
    if let Some(inner) = rest.strip_prefix(['(', '['])
        && let Some((name, after)) = inner.split_once([')', ']'])
    {
        about = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        rest = after;
    }
    // `TODO.md` is a file, `TODOS` another word.
    let next = rest.chars().next();
    if about.is_none()
        && next.is_some_and(|c| !c.is_whitespace() && !matches!(c, ':' | '-' | '!' | ','))
    {
        return None;
    }
    let text =
        rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '-' | '!' | ','));
    // What follows a carriage return alone is another line.
    let (text, _) = text.split_once('\r').unwrap_or((text, ""));
    Some((keyword, about, clip(text.trim_end(), TEXT_CHARS)))
}

#[cfg(test)]
mod tests {
    use super::super::language::language;
    use super::*;

    fn points(name: &str, source: &str) -> Vec<(u64, &'static str, String)> {
        let found = scan(name, language(name).unwrap(), source);
        found
            .into_iter()
            .map(|one| (one.line, one.keyword.word(), one.text))
            .collect()
    }

    fn one(line: u64, word: &'static str, text: &str) -> (u64, &'static str, String) {
        (line, word, text.to_owned())
    }

    #[test]
    fn comments_count_and_strings_do_not() {
        let source = "let a = \"// TODO: no\"; // TODO: yes\nlet b = 'FIXME'; /* FIXME yes */ x\nconst TODOS = `\n// TODO no\n`;\n/*\n * HACK: in a block\n */\n";
        let expected = [
            one(1, "TODO", "yes"),
            one(2, "FIXME", "yes"),
            one(7, "HACK", "in a block"),
        ];
        assert_eq!(points("a.ts", source), expected);
        assert_eq!(
            points(
                "a.py",
                "x = '# TODO no'  # TODO: yes\n\"\"\"\n# TODO no\n\"\"\"\n"
            ),
            [one(1, "TODO", "yes")]
        );
        assert_eq!(
            points("a.rs", "fn f<'a>() { r#\"// TODO no\"#; } // NEEDS: yes\n"),
            [one(1, "NEEDS", "yes")]
        );
        assert_eq!(
            points("a.rs", "f('\"', b'\\\"'); // TODO: one\n// TODO: two\n"),
            [one(1, "TODO", "one"), one(2, "TODO", "two")]
        );
        assert_eq!(
            points("a.sql", "-- TODO: yes\nselect '-- TODO no';\n"),
            [one(1, "TODO", "yes")]
        );
        assert_eq!(
            points("a.html", "<!-- FIXME yes -->\n<p>TODO no</p>\n"),
            [one(1, "FIXME", "yes")]
        );
        assert_eq!(points("a.sql", "select \"-- FIXME no\";\n"), []);
        assert_eq!(
            points(
                "a.html",
                "<p>it's // TODO no</p>\n<script>\nf('// TODO no'); // TODO: yes\n</script>\n// TODO no\n"
            ),
            [one(3, "TODO", "yes")]
        );
        assert_eq!(
            points(
                "a.sh",
                "cat <<-'END' >x\n# TODO no\nEND\n# TODO: yes\necho $((1 << n)) # FIXME\n# HACK\n"
            ),
            [
                one(4, "TODO", "yes"),
                one(5, "FIXME", ""),
                one(6, "HACK", "")
            ]
        );
        assert_eq!(
            points("Makefile", "# TODO: yes\nx: # y\n"),
            [one(1, "TODO", "yes")]
        );
    }

    #[test]
    fn languages_that_people_use() {
        for (name, source) in [
            ("a.sh", "echo '# TODO: no' # TODO: yes\n"),
            ("a.rb", "x = \"# TODO: no\" # TODO: yes\n"),
            ("b.rb", "# TODO: yes\nx = <<~SQL\n  # TODO: no\nSQL\n"),
            ("Gemfile", "# TODO: yes\n"),
            ("a.php", "# TODO: yes\n$a = '// TODO: no';\n"),
            ("a.kt", "val a = \"// TODO: no\" // TODO: yes\n"),
            ("a.swift", "/* TODO: yes */ let a = \"// TODO: no\"\n"),
            ("a.cs", "/// TODO: yes\n"),
            ("a.scala", "// TODO: yes\n"),
            ("a.dart", "// TODO: yes\n"),
            ("a.lua", "--[[ TODO: yes ]] x = '-- TODO: no'\n"),
            ("a.css", "/* TODO: yes */\n"),
            ("a.yaml", "a: 'it' # TODO: yes\n"),
            ("a.tf", "// TODO: yes\nx = \"# TODO: no\"\n"),
            ("a.ex", "x = \"#{TODO}\" # TODO: yes\n"),
            ("a.hs", "f x' = foldl' g x -- TODO: yes\n"),
            ("b.hs", "{- TODO: yes -}\n"),
            ("a.R", "# TODO: yes\n"),
            ("a.pl", "my $n = $#a; # TODO: yes\n"),
            ("a.ps1", "<# TODO: yes #>\n"),
            ("a.ml", "(* TODO: yes *)\n"),
            ("a.erl", "f() -> \"% TODO: no\". % TODO: yes\n"),
        ] {
            let found = points(name, source);
            assert_eq!(found, [one(1, "TODO", "yes")], "{name}");
        }
    }

    #[test]
    fn the_word_is_whole_and_first() {
        for source in [
            "// See TODO.md\n",
            "// TODO.md is the plan\n",
            "// TODOS\n",
            "// NOTODO\n",
            "// todo: small\n",
            "// a TODO list\n",
        ] {
            assert_eq!(points("a.c", source), [], "{source}");
        }
        let found = scan(
            "a.c",
            language("a.c").unwrap(),
            "// TODO(T009): sort\n//! @FIXME x\n",
        );
        assert_eq!(found[0].about.as_deref(), Some("T009"));
        assert_eq!(found[1].keyword, Keyword::Fixme);
    }

    proptest::proptest! {
        #[test]
        fn any_source_is_read(source in "(?s).{0,200}", name in proptest::sample::select(vec!["a.rs", "a.py", "a.ts", "a.lua", "a.html", "a.el"])) {
            let _ = points(name, &source);
        }
    }
}
