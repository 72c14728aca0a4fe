//! A command line into parts and words.

/// Maximum number of bytes of a line that are looked at: a script in a here-document is not about its last lines.
const MAX_LINE_BYTES: usize = 64 * 1024;

const MAX_WORDS: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// It is the first part.
    Start,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `;`, `&` or a new line.
    Sequence,
}

/// The words between two separators, without redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandPart {
    pub(super) connector: Connector,
    pub(super) words: Vec<String>,
}

/// Returns the parts of a line, without comments, redirections and here-documents.
pub(super) fn split(line: &str) -> Vec<CommandPart> {
    let mut splitter = Splitter::new(&line[..line.floor_char_boundary(MAX_LINE_BYTES)]);
    splitter.run();
    splitter.parts
}

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Word,
    /// The file of a redirection, which is dropped.
    Target,
    /// The delimiter of a here-document; with `true` its lines may be indented with tabs.
    Delimiter(bool),
}

struct Splitter<'a> {
    rest: std::iter::Peekable<std::str::CharIndices<'a>>,
    line: &'a str,
    parts: Vec<CommandPart>,
    words: Vec<String>,
    /// The word that is being read; empty quotes make an empty word.
    word: Option<String>,
    /// Whether a part of the word was quoted, so that digits in it are no file descriptor.
    quoted: bool,
    connector: Connector,
    expect: Expect,
    /// Here-documents whose text starts at the next line.
    heredocs: Vec<(String, bool)>,
    word_count: usize,
}

impl<'a> Splitter<'a> {
    fn new(line: &'a str) -> Self {
        Self {
            rest: line.char_indices().peekable(),
            line,
            parts: Vec::new(),
            words: Vec::new(),
            word: None,
            quoted: false,
            connector: Connector::Start,
            expect: Expect::Word,
            heredocs: Vec::new(),
            word_count: 0,
        }
    }

    fn run(&mut self) {
        while let Some((_, character)) = self.rest.next() {
            if self.word_count >= MAX_WORDS {
                break;
            }
            match character {
                '\n' => {
                    self.end_part(Connector::Sequence);
                    self.skip_heredocs();
                }
                ' ' | '\t' | '\r' => self.end_word(),
                '#' if self.word.is_none() => self.skip_while(|next| next != '\n'),
                ';' | '|' | '&' | '(' | ')' => self.separator(character),
                '<' | '>' => self.redirection(character),
                _ => self.word_character(character),
            }
        }
        self.end_part(Connector::Sequence);
    }

    fn separator(&mut self, character: char) {
        if character == '&' && self.next_is('>') {
            // `&> file`: both outputs into a file.
            self.end_word();
            self.rest.next();
            self.redirection('>');
            return;
        }
        let doubled = matches!(character, '&' | '|' | ';') && self.next_is(character);
        if doubled || (character == '|' && self.next_is('&')) {
            self.rest.next();
        }
        self.end_part(match (character, doubled) {
            ('&', true) => Connector::And,
            ('|', true) => Connector::Or,
            ('|', false) => Connector::Pipe,
            _ => Connector::Sequence,
        });
    }

    fn redirection(&mut self, character: char) {
        let is_descriptor =
            |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if !self.quoted && self.word.as_ref().is_some_and(is_descriptor) {
            self.word = None; // the descriptor in `2>`
        }
        if self.next_is('(') {
            // `<(command)`: a word of its own, which names no file.
            self.rest.next();
            self.skip_parentheses();
            self.word.get_or_insert_default();
            return;
        }
        self.end_word();
        let mut is_heredoc = false;
        if character == '<' && self.next_is('<') {
            self.rest.next();
            is_heredoc = !self.next_is('<');
        }
        self.skip_while(|next| matches!(next, '<' | '>' | '&' | '|'));
        let is_indented = is_heredoc && self.rest.next_if(|(_, next)| *next == '-').is_some();
        self.expect = if is_heredoc {
            Expect::Delimiter(is_indented)
        } else {
            Expect::Target
        };
    }

    fn word_character(&mut self, character: char) {
        match character {
            '\\' => match self.rest.next() {
                Some((_, '\n')) | None => {} // the line goes on
                Some((_, escaped)) => self.word.get_or_insert_default().push(escaped),
            },
            '\'' | '"' => self.quotation(character),
            '`' => self.substitution('`'),
            '$' if self.next_is('(') => {
                self.rest.next();
                self.substitution(')');
            }
            // `$'…'` and `$"…"` are read as quotations.
            '$' if self.next_is('\'') || self.next_is('"') => {}
            _ => self.word.get_or_insert_default().push(character),
        }
    }

    fn quotation(&mut self, quote: char) {
        self.quoted = true;
        let word = self.word.get_or_insert_default();
        while let Some((_, character)) = self.rest.next() {
            match character {
                '\\' if quote == '"' => word.extend(self.rest.next().map(|(_, escaped)| escaped)),
                _ if character == quote => return,
                _ => word.push(character),
            }
        }
    }

    /// Reads `$(…)` or `` `…` `` as a part of the word: its result is not known.
    fn substitution(&mut self, end: char) {
        self.quoted = true;
        self.word.get_or_insert_default().push('$');
        if end == ')' {
            self.skip_parentheses();
        } else {
            self.skip_while(|character| character != end);
            self.rest.next();
        }
    }

    /// Skips to the end of parentheses that are open, with respect for quotation marks.
    fn skip_parentheses(&mut self) {
        let mut depth = 1_usize;
        let mut quote = None;
        while let Some((_, character)) = self.rest.next() {
            match (quote, character) {
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                (None, '\'' | '"') => quote = Some(character),
                (Some(open), _) if open == character => quote = None,
                (_, '\\') => drop(self.rest.next()),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        let is_skipped = |(_, character): &(usize, char)| is_skipped(*character);
        while self.rest.next_if(is_skipped).is_some() {}
    }

    fn skip_heredocs(&mut self) {
        for (delimiter, is_indented) in std::mem::take(&mut self.heredocs) {
            while let Some(&(start, _)) = self.rest.peek() {
                let line = self.line[start..].lines().next().unwrap_or_default();
                self.skip_while(|character| character != '\n');
                self.rest.next();
                let unindented = line.trim_start_matches('\t');
                if line == delimiter || (is_indented && unindented == delimiter) {
                    break;
                }
            }
        }
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.rest
            .peek()
            .is_some_and(|(_, character)| *character == wanted)
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        self.quoted = false;
        match std::mem::replace(&mut self.expect, Expect::Word) {
            Expect::Word => {
                self.word_count += 1;
                self.words.push(word);
            }
            Expect::Target => {}
            Expect::Delimiter(is_indented) => self.heredocs.push((word, is_indented)),
        }
    }

    fn end_part(&mut self, next: Connector) {
        self.end_word();
        self.expect = Expect::Word;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.parts.push(CommandPart {
                connector: self.connector,
                words,
            });
            self.connector = next;
        } else if self.connector != Connector::Start && next != Connector::Sequence {
            // `a &&` and a new line: the operator still joins what follows, and `a | (b)` is a pipe.
            self.connector = next;
        }
    }
}
