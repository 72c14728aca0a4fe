//! Texts with `{placeholders}`, and command lines with them.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::str::CharIndices;

/// Characters that a shell would interpret, but that have no meaning here.
const SHELL_CHARACTERS: &str = "|&;<>$`*?";

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub(super) struct TemplateError {
    what: String,
    /// Number of bytes before the error.
    at: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TemplateText(Vec<TemplatePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Literal(String),
    Placeholder(String),
}

/// A command line, split into words before values are filled in, so that each value is kept in its word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandTemplate {
    words: Vec<TemplateText>,
    /// Position of the first character outside quotes that a shell would interpret.
    pub shell_character: Option<(usize, char)>,
}

impl TemplateText {
    /// Parses a text; `{{` and `}}` are literal braces.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut reader = TemplateReader::new(text);
        while let Some((at, c)) = reader.chars.next() {
            reader.take(at, c)?;
        }
        Ok(reader.end_word())
    }

    /// Returns the text with the values in place of the names; a name without a value becomes empty.
    pub(super) fn fill(&self, values: &BTreeMap<String, String>) -> String {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Literal(text) => text.clone(),
            TemplatePart::Placeholder(name) => values.get(name).cloned().unwrap_or_default(),
        };
        self.0.iter().map(part).collect()
    }

    pub(super) fn add_names(&self, names: &mut BTreeSet<String>) {
        names.extend(self.0.iter().filter_map(|part| match part {
            TemplatePart::Placeholder(name) => Some(name.clone()),
            TemplatePart::Literal(_) => None,
        }));
    }
}

impl CommandTemplate {
    /// Splits a line into words and quotes like a shell; the rest of the shell language has no meaning.
    pub(super) fn parse(line: &str) -> Result<Self, TemplateError> {
        let mut reader = TemplateReader::new(line);
        let mut words = Vec::new();
        let mut shell_character = None;
        // An empty word in quotes also counts.
        let mut is_in_word = false;
        while let Some((at, c)) = reader.chars.next() {
            match c {
                ' ' | '\t' | '\n' if is_in_word => {
                    words.push(reader.end_word());
                    is_in_word = false;
                    continue;
                }
                ' ' | '\t' | '\n' => continue,
                '\'' => reader.single_quoted(at)?,
                '"' => reader.double_quoted(at)?,
                '\\' => match reader.chars.next() {
                    Some((_, next)) => reader.literal.push(next),
                    None => return Err(mistake("nothing follows the backslash", at)),
                },
                c => {
                    if shell_character.is_none() && SHELL_CHARACTERS.contains(c) {
                        shell_character = Some((at, c));
                    }
                    reader.take(at, c)?;
                }
            }
            is_in_word = true;
        }
        if is_in_word {
            words.push(reader.end_word());
        }
        if words.is_empty() {
            return Err(mistake("there is no program", 0));
        }
        Ok(Self {
            words,
            shell_character,
        })
    }

    pub(super) fn fill(&self, values: &BTreeMap<String, String>) -> (String, Vec<String>) {
        let mut words = self.words.iter().map(|word| word.fill(values));
        let program = words.next().unwrap_or_default();
        (program, words.collect())
    }

    pub(super) fn add_names(&self, names: &mut BTreeSet<String>) {
        self.words.iter().for_each(|word| word.add_names(names));
    }
}

/// Returns the template of the text `text`.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Returns true for `[A-Za-z_][A-Za-z0-9_]*`.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

struct TemplateReader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    parts: Vec<TemplatePart>,
    literal: String,
}

impl<'a> TemplateReader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            chars: text.char_indices().peekable(),
            parts: Vec::new(),
            literal: String::new(),
        }
    }

    /// Takes a character that is special only if it is a brace.
    fn take(&mut self, at: usize, c: char) -> Result<(), TemplateError> {
        if !matches!(c, '{' | '}') {
            self.literal.push(c);
            return Ok(());
        }
        if self.chars.next_if(|&(_, next)| next == c).is_some() {
            self.literal.push(c);
            return Ok(());
        }
        if c == '}' {
            return Err(mistake("a '}' alone (write }} for a brace)", at));
        }
        let rest = &self.text[at + 1..];
        let name = rest.split_once('}').map(|(name, _)| name);
        let Some(name) = name.filter(|name| is_name(name)) else {
            return Err(mistake(
                "a '{' without a name and '}' (write {{ for a brace)",
                at,
            ));
        };
        // Name characters are ASCII, so bytes and characters are the same count.
        self.chars.nth(name.len());
        self.end_literal();
        self.parts.push(TemplatePart::Placeholder(name.to_owned()));
        Ok(())
    }

    fn single_quoted(&mut self, open: usize) -> Result<(), TemplateError> {
        while let Some((at, c)) = self.chars.next() {
            match c {
                '\'' => return Ok(()),
                c => self.take(at, c)?,
            }
        }
        Err(mistake("the quote ' is not closed,", open))
    }

    fn double_quoted(&mut self, open: usize) -> Result<(), TemplateError> {
        while let Some((at, c)) = self.chars.next() {
            match c {
                '"' => return Ok(()),
                '\\' => match self.chars.next_if(|(_, next)| "\"\\$`".contains(*next)) {
                    Some((_, next)) => self.literal.push(next),
                    None => self.literal.push('\\'),
                },
                c => self.take(at, c)?,
            }
        }
        Err(mistake("the quote \" is not closed,", open))
    }

    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            let literal = std::mem::take(&mut self.literal);
            self.parts.push(TemplatePart::Literal(literal));
        }
    }

    fn end_word(&mut self) -> TemplateText {
        self.end_literal();
        TemplateText(std::mem::take(&mut self.parts))
    }
}

fn mistake(what: &str, at: usize) -> TemplateError {
    TemplateError {
        what: what.to_owned(),
        at,
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
