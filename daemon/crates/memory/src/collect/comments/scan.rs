//! Finds open points in one file: in comments only, and only where a comment starts with the word.

use super::language::{Language, language as language_of};
use crate::collect::open_point::{Comment, Keyword};
use crate::model::clip;
use ccd_text::redact::redact;

/// Openings of here-documents for whose end a source is searched in vain.
const MAX_UNCLOSED: usize = 16;

/// Of one comment's text that are kept.
const TEXT_CHARS: usize = 500;

/// Returns the open points of a file, at most one a line.
pub(super) fn scan(path: &str, language: &Language, source: &str) -> Vec<Comment> {
    let mut scanner = Scanner {
        path,
        found: Vec::new(),
        last_line: 0,
    };
    scanner.source(language, source, 1);
    scanner.found
}

struct Scanner<'a> {
    path: &'a str,
    found: Vec<Comment>,
    /// The last line of the last open point.
    last_line: u64,
}

impl Scanner<'_> {
    /// Goes from one comment or string to the next; `line` is the number of the first line.
    fn source(&mut self, language: &Language, source: &str, mut line: u64) {
        let (mut at, mut counted, mut line_start, mut unclosed) = (0, 0, 0, 0);
        while let Some(found) = language.tokens.captures_at(source, at) {
            let token = found.get_match();
            at = token.end();
            let groups = language.kinds.iter().zip(found.iter().skip(1));
            let Some((kind, inner)) = groups
                .filter_map(|(kind, group)| Some((kind, group?)))
                .next()
            else {
                continue;
            };
            let passed = &source[counted..inner.start()];
            if let Some(last) = passed.rfind('\n') {
                line += passed.matches('\n').count() as u64;
                line_start = counted + last + 1;
            }
            counted = inner.start();
            let before = &source[..token.start()];
            match *kind {
                "line" if is_inside(before, token.as_str()) => (),
                "line" | "block" => {
                    let mut text = inner.as_str();
                    if *kind == "line" {
                        text = source[at..].split('\n').next().unwrap_or_default();
                        at += text.len();
                    }
                    let mut is_alone = source[line_start..token.start()].trim_end().is_empty();
                    for (line, text) in (line..).zip(text.lines()) {
                        self.comment(line, text, is_alone);
                        is_alone = true;
                    }
                }
                "script" => {
                    if let Some(script) = language_of("a.js") {
                        self.source(script, inner.as_str(), line);
                    }
                }
                "heredoc" if unclosed < MAX_UNCLOSED => {
                    let mut end = at;
                    let lines = source[at..].split_inclusive('\n');
                    let mut lines = lines.inspect(|text| end += text.len());
                    if lines.any(|text| text.trim() == inner.as_str()) {
                        at = end;
                    } else {
                        unclosed += 1;
                    }
                }
                _ => (),
            }
        }
    }

    fn comment(&mut self, line: u64, text: &str, is_alone: bool) {
        if self.found.last().is_some_and(|last| last.line == line) {
            return;
        }
        let Some((keyword, about, text)) = open_point(text) else {
            return self.more(line, text, is_alone);
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

    /// Adds a line to the last open point, if no code is before it.
    fn more(&mut self, line: u64, text: &str, is_alone: bool) {
        let text = redact(text.trim_matches(is_mark)).text;
        // What is commented out is no text.
        let is_code = ["=", "{", ";", "(): "]
            .iter()
            .any(|mark| text.contains(mark));
        let is_next = is_alone && self.last_line + 1 == line && !text.is_empty() && !is_code;
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

/// A `#` inside a word is no comment (`$#`, `a#b`), and `//` after a colon is an address.
fn is_inside(before: &str, mark: &str) -> bool {
    let last = before.chars().next_back();
    if mark.starts_with(['#', ';', '%']) {
        last.is_some_and(|c| !c.is_whitespace())
    } else {
        last == Some(':')
    }
}

/// Reads `KEYWORD(about): text` at the start of a comment.
fn open_point(comment: &str) -> Option<(Keyword, Option<String>, String)> {
    let comment = comment.trim_start_matches(is_mark);
    let mut keywords = Keyword::ALL.into_iter();
    let (keyword, word, _) = keywords.find(|(_, word, _)| comment.starts_with(word))?;
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
    let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | '-' | '!' | ',');
    if about.is_none() && next.is_some_and(|c| !is_end(c)) {
        return None;
    }
    let text = rest.trim_start_matches(is_end);
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
            .map(|one| (one.line, one.keyword.words().0, one.text))
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
    fn a_long_line_takes_no_longer_than_short_ones() {
        let html = "<p>&#39;</p>".repeat(20_000);
        let found = points("a.yaml", &format!("{html} # TODO: yes\n"));
        assert_eq!(found, [one(1, "TODO", "yes")]);
        let blocks = "/**/".repeat(20_000);
        for indent in [String::new(), " ".repeat(200_000)] {
            let found = points("a.ts", &format!("{indent}{blocks} // TODO: yes\n"));
            assert_eq!(found, [one(1, "TODO", "yes")]);
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
