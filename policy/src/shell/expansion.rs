//! Quotation marks and expansions inside a word.

use super::command::check_variable;
use super::doubt::Doubt;
use super::scan::{Scanner, scan_at_depth};
use super::word::Word;

/// What a substitution is shown as. It contains no `$(`, so that this text in a word was always quoted.
const SUBSTITUTION: &str = "$…";

fn substitute(word: &mut Word) {
    word.known = false;
    word.text.push_str(SUBSTITUTION);
}

/// Returns the length of the name of a variable that a text starts with.
fn name_len(text: &str) -> usize {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.find(is_end).unwrap_or(text.len())
}

impl Scanner<'_> {
    /// Adds a character, or what it starts, to a word.
    pub(super) fn word_character(&mut self, character: char, word: &mut Word) -> Result<(), Doubt> {
        match character {
            '\\' => match self.next() {
                Some('\n') => {} // the line goes on
                Some(escaped) => {
                    word.mark_quoted();
                    word.text.push(escaped);
                }
                None => return Err("it ends with a backslash".into()),
            },
            '\'' => {
                word.mark_quoted();
                let rest = &self.line[self.at..];
                let end = rest.find('\'').ok_or("a quotation mark is not closed")?;
                word.text.push_str(&rest[..end]);
                self.at += end + 1;
            }
            '"' => {
                word.mark_quoted();
                self.quoted(word)?;
            }
            '`' => {
                word.splits = true;
                self.backtick(word)?;
            }
            '$' if self.skip("'") => self.ansi_c(word)?,
            '$' if self.peek() == Some('"') => {}
            '$' => {
                word.splits = true;
                self.dollar(word)?;
            }
            '*' | '?' | '[' => {
                word.known = false; // names of files
                word.splits = true;
                word.text.push(character);
            }
            '~' if word.text.is_empty() && word.quoted_at.is_none() => {
                word.known = false;
                word.text.push(character);
            }
            '=' if word.text.is_empty() && !matches!(self.peek(), None | Some('=' | ' ' | '~')) => {
                word.known = false; // `=rm` is the path of rm in zsh
                word.text.push(character);
            }
            '{' => {
                word.has_brace = true;
                word.text.push(character);
            }
            character => word.text.push(character),
        }
        Ok(())
    }

    /// Reads up to the closing double quotation mark.
    fn quoted(&mut self, word: &mut Word) -> Result<(), Doubt> {
        loop {
            match self.next().ok_or("a quotation mark is not closed")? {
                '"' => return Ok(()),
                '\\' => self.escaped(word),
                '$' => self.dollar(word)?,
                '`' => self.backtick(word)?,
                character => word.text.push(character),
            }
        }
    }

    /// Reads a text to its end as if it were in double quotation marks, such as a here-document.
    pub(super) fn expanded_text(&mut self, word: &mut Word) -> Result<(), Doubt> {
        while let Some(character) = self.next() {
            match character {
                '\\' => self.escaped(word),
                '$' => self.dollar(word)?,
                '`' => self.backtick(word)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn escaped(&mut self, word: &mut Word) {
        match self.peek() {
            Some('\n') => drop(self.next()),
            Some('$' | '`' | '"' | '\\') => word.text.extend(self.next()),
            _ => word.text.push('\\'),
        }
    }

    /// Reads `$'…'` after its first quotation mark.
    fn ansi_c(&mut self, word: &mut Word) -> Result<(), Doubt> {
        word.mark_quoted();
        loop {
            match self.next().ok_or("a quotation mark is not closed")? {
                '\'' => return Ok(()),
                '\\' if self.peek() == Some('\'') => {
                    return Err("it has `\\'` in `$'…'`, which not all shells know".into());
                }
                '\\' => {
                    word.known = false; // `$'\x72m'` is rm
                    word.text.push('\\');
                    word.text.extend(self.next());
                }
                character => word.text.push(character),
            }
        }
    }

    fn backtick(&mut self, word: &mut Word) -> Result<(), Doubt> {
        self.no_pending_text()?;
        let mut line = String::new();
        loop {
            match self.next().ok_or("a backtick is not closed")? {
                '`' => break,
                // In double quotation marks it is one of the command's own, elsewhere it is not.
                '\\' if self.peek() == Some('"') => {
                    return Err("it has `\\\"` between backticks".into());
                }
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => line.extend(self.next()),
                character => line.push(character),
            }
        }
        self.commands.extend(scan_at_depth(&line, self.depth)?);
        substitute(word);
        Ok(())
    }

    /// Reads what follows a dollar sign, inside or outside of double quotation marks.
    fn dollar(&mut self, word: &mut Word) -> Result<(), Doubt> {
        if self.line[self.at..].starts_with("\\\n") {
            return Err("a line ends between a `$` and what follows it".into());
        }
        if self.skip("((") {
            return self.arithmetic(word);
        }
        if self.skip("(") {
            self.list(true)?;
            substitute(word);
            return Ok(());
        }
        if self.skip("{") {
            return self.parameter(word);
        }
        if self.peek() == Some('[') {
            return Err("it has `$[`".into());
        }
        word.text.push('$');
        let rest = &self.line[self.at..];
        if rest.starts_with(['~', '^', '=']) || rest.starts_with("$'") {
            return Err("it has `$~`, `$^`, `$=` or `$$'`, which not all shells know".into());
        }
        let special = rest.starts_with(|c: char| c.is_ascii_digit() || "@*#?-$!".contains(c));
        let len = if special { 1 } else { name_len(rest) };
        if len > 0 {
            word.known = false;
            word.splits |= rest.starts_with('@'); // several words even in quotation marks
            word.text.push_str(&rest[..len]);
            self.at += len;
            if self.peek() == Some('[') {
                return Err("it has a subscript after a variable".into());
            }
        }
        Ok(())
    }

    /// Reads `$((…))`. Variables are not understood: the shell evaluates what they contain.
    fn arithmetic(&mut self, word: &mut Word) -> Result<(), Doubt> {
        let rest = &self.line[self.at..];
        let end = rest.find("))").ok_or("a `$((` is not closed")?;
        if !rest[..end]
            .chars()
            .all(|c| c.is_ascii_digit() || " +-*/%()<>=&|!^~?:,".contains(c))
        {
            return Err("it has arithmetic with variables".into());
        }
        self.at += end + 2;
        substitute(word);
        Ok(())
    }

    /// Reads `${…}` after the brace. Forms that evaluate a variable's content are not understood.
    fn parameter(&mut self, word: &mut Word) -> Result<(), Doubt> {
        let doubt = || {
            Doubt::from(
                "it has an expansion `${…}` that is more than a name with a default or a part cut off",
            )
        };
        substitute(word);
        self.skip("#");
        let rest = &self.line[self.at..];
        word.splits |= rest.starts_with('@');
        let is_special =
            rest.starts_with(|c: char| "@*?-$!".contains(c)) && rest[1..].starts_with(['}', ':']);
        let name_len = name_len(rest);
        if !is_special && rest[name_len..].trim_start_matches(':').starts_with('=') {
            check_variable(&rest[..name_len], None)?;
        }
        self.at += if is_special { 1 } else { name_len };
        if self.skip("[") {
            let rest = &self.line[self.at..];
            let end = rest.find(']').ok_or_else(doubt)?;
            let index = &rest[..end];
            if !(matches!(index, "@" | "*") || index.bytes().all(|byte| byte.is_ascii_digit())) {
                return Err(doubt());
            }
            word.splits |= index == "@";
            self.at += end + 1;
        }
        let rest = &self.line[self.at..];
        let digits = rest.strip_prefix(':').map(|rest| {
            rest.trim_start_matches([' ', ':', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        });
        if let Some(after) = digits.filter(|after| after.starts_with('}')) {
            self.at = self.line.len() - after.len() + 1;
            return Ok(());
        }
        let operators = [
            ":-", ":+", ":=", ":?", "-", "+", "=", "?", "#", "%", "/", "^", ",",
        ];
        let is_understood =
            rest.starts_with('}') || operators.iter().any(|operator| rest.starts_with(operator));
        if !is_understood || (!is_special && name_len == 0 && !rest.starts_with('}')) {
            return Err(doubt());
        }
        self.enter()?;
        self.braced(&mut Word::new())?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads up to the closing brace of an expansion.
    fn braced(&mut self, word: &mut Word) -> Result<(), Doubt> {
        loop {
            match self.next().ok_or("a `${` is not closed")? {
                '}' => return Ok(()),
                // In double quotation marks a single one is literal, outside it quotes: two readings.
                '\'' => return Err("it has a quotation mark inside `${…}`".into()),
                '"' => self.quoted(word)?,
                '\\' => drop(self.next()),
                '$' => self.dollar(word)?,
                '`' => self.backtick(word)?,
                '<' | '>' if self.peek() == Some('(') => {
                    return Err("it has a process substitution inside `${…}`".into());
                }
                _ => {}
            }
        }
    }
}
