//! A line into commands.

use super::command::{BEFORE, Command};
use super::doubt::Doubt;
use super::word::Word;

/// Maximum length of a command line.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// Maximum depth of subshells and substitutions.
const MAX_DEPTH: usize = 16;

/// Returns all commands of a line, including those in subshells and substitutions, and those that conditions skip.
pub(super) fn scan(line: &str) -> Result<Vec<Command>, Doubt> {
    scan_at_depth(line, 0)
}

pub(super) fn scan_at_depth(line: &str, depth: usize) -> Result<Vec<Command>, Doubt> {
    if line.len() > MAX_LINE_BYTES {
        return Err(format!("the command is longer than {MAX_LINE_BYTES} bytes"));
    }
    if line.contains('\0') {
        return Err("the command contains a NUL".into());
    }
    let mut scanner = Scanner::new(line, depth);
    scanner.list(false)?;
    Ok(scanner.commands)
}

/// Returns the commands in the substitutions of a text that is expanded as in double quotation marks.
fn scan_text(text: &str, depth: usize) -> Result<Vec<Command>, Doubt> {
    let mut scanner = Scanner::new(text, depth);
    scanner.expanded_text(&mut Word::new())?;
    Ok(scanner.commands)
}

/// What ends a word.
const ENDS_WORD: [char; 10] = [' ', '\t', '\n', ';', '|', '&', '(', ')', '<', '>'];

const NO_DELIMITER: &str = "the end of a here-document is not plain text";

/// What the next word is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum NextWord {
    #[default]
    Word,
    /// The file that a redirection reads, or a descriptor.
    Source,
    /// The file that a redirection writes.
    Target,
    /// The delimiter of a here-document; with `true` its lines may be indented with tabs.
    Delimiter(bool),
}

/// A here-document whose text starts at the next line.
struct HereDocument {
    delimiter: String,
    is_indented: bool,
    is_expanded: bool,
}

pub(super) struct Scanner<'a> {
    pub(super) line: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) commands: Vec<Command>,
    here_documents: Vec<HereDocument>,
}

/// A command that is being read.
#[derive(Default)]
struct OpenCommand {
    words: Vec<Word>,
    writes: Vec<Word>,
    word: Option<Word>,
    expect: NextWord,
    /// Has `&> file`, which to dash is the end of the command.
    has_both: bool,
}

impl OpenCommand {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(Word::new)
    }
}

impl<'a> Scanner<'a> {
    fn new(line: &'a str, depth: usize) -> Self {
        Self {
            line,
            at: 0,
            depth,
            commands: Vec::new(),
            here_documents: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.line[self.at..].chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn skip(&mut self, text: &str) -> bool {
        let is_next = self.line[self.at..].starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Counts one level of nesting; who enters one leaves it by lowering `depth`.
    pub(super) fn enter(&mut self) -> Result<(), Doubt> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            Err("its substitutions are nested too deeply".into())
        } else {
            Ok(())
        }
    }

    /// Shells disagree about where the text of a here-document starts if a list begins or ends before.
    pub(super) fn no_pending_text(&self) -> Result<(), Doubt> {
        if self.here_documents.is_empty() {
            Ok(())
        } else {
            Err("it has a here-document whose text is beyond a parenthesis or a backtick".into())
        }
    }

    /// Reads commands up to the end, or to the closing parenthesis.
    pub(super) fn list(&mut self, in_parentheses: bool) -> Result<(), Doubt> {
        self.enter()?;
        self.no_pending_text()?;
        let mut reading = OpenCommand::default();
        while let Some(character) = self.next() {
            match character {
                '\n' => {
                    self.end_command(&mut reading)?;
                    self.skip_here_documents()?;
                }
                ' ' | '\t' => self.end_word(&mut reading)?,
                // The line goes on; no word starts here, not even an empty one.
                '\\' if self.skip("\n") => {}
                '#' if reading.word.is_none() => self.skip_comment(),
                ';' | '|' | '&' => self.separator(character, &mut reading)?,
                '(' => {
                    self.end_word(&mut reading)?;
                    if reading.words.iter().any(|word| !is_opening(word))
                        || reading.expect != NextWord::Word
                    {
                        return Err(
                            "it has parentheses after a word, as a function or an array has".into(),
                        );
                    }
                    if self.peek() == Some('(') {
                        return Err("it has `((`".into());
                    }
                    self.list(true)?;
                }
                ')' if in_parentheses => {
                    self.end_command(&mut reading)?;
                    self.no_pending_text()?;
                    self.depth -= 1;
                    return Ok(());
                }
                ')' => return Err("a `)` has no `(`".into()),
                '<' | '>' => self.redirection(character, &mut reading)?,
                // `$'E'` is `E` in bash and `$E` in other shells.
                '$' if matches!(reading.expect, NextWord::Delimiter(_)) => {
                    return Err(NO_DELIMITER.into());
                }
                character => self.word_character(character, reading.word())?,
            }
        }
        if in_parentheses {
            return Err("a `(` is not closed".into());
        }
        self.depth -= 1;
        self.end_command(&mut reading)
    }

    fn separator(&mut self, character: char, reading: &mut OpenCommand) -> Result<(), Doubt> {
        if character == '&' && self.skip(">") {
            // `&> file`: both outputs into a file.
            self.end_word(reading)?;
            reading.has_both = true;
            return self.redirection('>', reading);
        }
        self.end_command(reading)?;
        match (character, self.peek()) {
            ('&', Some('!')) => Err("it has `&!`".into()), // one operator in zsh
            (';', Some(';' | '&' | '|')) => Err("it has `;;`, `;&` or `;|`".into()),
            ('|', Some('|' | '&')) | ('&', Some('&')) => {
                self.next();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn redirection(&mut self, character: char, reading: &mut OpenCommand) -> Result<(), Doubt> {
        if self.peek() == Some('(') {
            // `<(command)` is a word that names a file.
            self.next();
            self.list(true)?;
            reading.word().known = false;
            reading.word().text.push('…');
            return Ok(());
        }
        match &reading.word {
            Some(word) if word.has_brace => return Err("it has a descriptor in braces".into()),
            Some(word)
                if word.quoted_at.is_none()
                    && word.text.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                reading.word = None; // the descriptor in `2>`
            }
            _ => self.end_word(reading)?,
        }
        if reading.expect != NextWord::Word {
            return Err("a redirection has no file".into());
        }
        reading.expect = if character == '<' {
            self.input()
        } else {
            self.output()
        };
        if self.peek() == Some('!') {
            return Err("it has a redirection with `!`".into());
        }
        let rest = self.line[..self.at].ends_with('&').then(|| {
            let rest = &self.line[self.at..];
            rest.trim_start_matches([' ', '\t', '\\', '\n'])
        });
        match rest.and_then(|rest| rest.strip_prefix('-')) {
            // To bash, `<&-rm` is the redirection `<&-` and the word `rm`.
            Some(after) if !after.is_empty() && !after.starts_with(ENDS_WORD) => {
                Err("a word follows `&-`".into())
            }
            _ => Ok(()),
        }
    }

    /// Reads the rest of an operator that starts with `<`.
    fn input(&mut self) -> NextWord {
        if self.skip("<<") {
            NextWord::Source
        } else if self.skip("<-") {
            NextWord::Delimiter(true)
        } else if self.skip("<") {
            NextWord::Delimiter(false)
        } else if self.skip(">") {
            NextWord::Target
        } else {
            self.skip("&");
            NextWord::Source
        }
    }

    /// Reads the rest of an operator that starts with `>`.
    fn output(&mut self) -> NextWord {
        self.skip(">");
        if self.skip("&") {
            // `>&2` and `>&-` are descriptors, `>& file` is a file.
            let rest = self.line[self.at..].trim_start_matches([' ', '\t']);
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
            let is_descriptor =
                after.len() < rest.len() && (after.is_empty() || after.starts_with(ENDS_WORD));
            return if is_descriptor {
                NextWord::Source
            } else {
                NextWord::Target
            };
        }
        self.skip("|");
        NextWord::Target
    }

    fn skip_comment(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn skip_here_documents(&mut self) -> Result<(), Doubt> {
        for document in std::mem::take(&mut self.here_documents) {
            let mut text = String::new();
            while self.at < self.line.len() {
                let rest = &self.line[self.at..];
                let line = rest.split('\n').next().unwrap_or_default();
                self.at += rest.len().min(line.len() + 1);
                let line = if document.is_indented {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == document.delimiter {
                    break;
                }
                let backslashes = line.len() - line.trim_end_matches('\\').len();
                if document.is_expanded && backslashes % 2 == 1 {
                    // The shell joins such a line with the next one before it looks for the end.
                    return Err("a line of a here-document ends with a backslash".into());
                }
                text.push_str(line);
                text.push('\n');
            }
            if document.is_expanded {
                self.commands.extend(scan_text(&text, self.depth)?);
            }
        }
        Ok(())
    }

    fn end_word(&mut self, reading: &mut OpenCommand) -> Result<(), Doubt> {
        let Some(mut word) = reading.word.take() else {
            return Ok(());
        };
        let is_list = word.text.contains(',') || word.text.contains("..");
        if word.has_brace && is_list {
            word.known = false;
            word.splits = true; // `{rm,-r,x}` is three words
        }
        let is_test = matches!(&*word.text, "[" | "[[") && word.quoted_at.is_none();
        word.known |= is_test; // a bracket alone is no pattern of file names
        match std::mem::take(&mut reading.expect) {
            NextWord::Word if reading.has_both => return Err("a word follows `&> file`".into()),
            NextWord::Word => reading.words.push(word),
            NextWord::Source => {}
            NextWord::Target => reading.writes.push(word),
            NextWord::Delimiter(is_indented) => {
                if !word.known || word.text.contains('\n') {
                    return Err(NO_DELIMITER.into());
                }
                self.here_documents.push(HereDocument {
                    is_expanded: word.quoted_at.is_none(),
                    delimiter: word.text,
                    is_indented,
                });
            }
        }
        Ok(())
    }

    fn end_command(&mut self, reading: &mut OpenCommand) -> Result<(), Doubt> {
        self.end_word(reading)?;
        if reading.expect != NextWord::Word {
            return Err("a redirection has no file".into());
        }
        let OpenCommand { words, writes, .. } = std::mem::take(reading);
        self.commands.extend(Command::from_words(words, writes)?);
        Ok(())
    }
}

/// Returns whether a subshell may follow this word.
fn is_opening(word: &Word) -> bool {
    BEFORE.iter().any(|text| word.is_bare(text)) || word.is_bare("time")
}
