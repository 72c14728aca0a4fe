//! A scanner of JSON5 that returns spans; values that nobody needs are skipped without using memory.
//! It accepts what the json5 crate accepts, which is its oracle in the tests, but it limits the depth and is fast in
//! long texts and comments.

use super::fault::{BOM, Fault, Stop};
use super::literal::{self, Number};
use memchr::{memchr, memchr3};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

/// Maximum length of the part of a text that an error repeats, in characters.
const SHOWN: usize = 20;

/// The result of scanning a text in the format `F`.
pub type Scanned<T, F> = Result<T, Stop<<F as Format>::Fault>>;

/// A format that is written in JSON5.
pub trait Format {
    /// What its texts contain, such as "the tape's object".
    const WHOLE: &'static str;
    /// Maximum number of objects and lists within each other, at most 128.
    const MAX_DEPTH: u32;
    /// Maximum number of values that [`Scanner::value`] takes.
    const MAX_VALUES: u32;
    /// What can be wrong, with the JSON5 or with its contents.
    type Fault: From<Fault>;

    /// Returns the path to the wrong value, in a fault that has one.
    fn path(_fault: &mut Self::Fault) -> Option<&mut String> {
        None
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Object,
    List,
    Text,
    Number,
    Bool,
    Null,
}

/// A text or a key as it is written, without its quotation marks.
#[derive(Debug, Clone)]
struct Token {
    span: Range<usize>,
    is_escaped: bool,
}

#[derive(Debug)]
pub struct Key<'a> {
    pub name: Cow<'a, str>,
    /// With its quotation marks.
    pub span: Range<usize>,
}

/// A position in a text, before or after a value.
#[derive(Debug, Clone)]
pub struct Scanner<'a, F> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: u32,
    /// How many values were taken. Each needs memory, and a few bytes can contain many.
    pub(super) values: u32,
    format: PhantomData<F>,
}

impl<'a, F: Format> Scanner<'a, F> {
    /// Starts at the first value of `text`, after a byte order mark if there is one.
    pub fn new(text: &'a str) -> Self {
        let at = if text.starts_with(BOM) { BOM.len() } else { 0 };
        Self::begin_at(text, at)
    }

    /// Starts at the value at `offset`, which must be the start of one.
    pub fn begin_at(text: &'a str, offset: usize) -> Self {
        const { assert!(F::MAX_DEPTH <= u128::BITS) };
        Self {
            text,
            at: offset,
            depth: 0,
            values: 0,
            format: PhantomData,
        }
    }

    /// Returns the scanner's position: after [`Self::kind`], the start of the value.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns the kind of the next value, by its first character.
    pub fn kind(&mut self) -> Scanned<Kind, F> {
        self.blanks()?;
        match self.byte() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::List),
            Some(b'"' | b'\'') => Ok(Kind::Text),
            Some(b'+' | b'-' | b'.' | b'0'..=b'9' | b'I' | b'N') => Ok(Kind::Number),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Goes to the beginning of the next value, and returns where that is.
    pub fn start(&mut self) -> Scanned<usize, F> {
        self.kind()?;
        Ok(self.at)
    }

    /// Takes an object; `member` must take the value of each key.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Key<'a>) -> Scanned<(), F>,
    ) -> Scanned<(), F> {
        self.expect(Kind::Object, "an object { … }")?;
        self.enter()?;
        let mut is_first = true;
        while let Some((token, span)) = self.next_key(is_first)? {
            is_first = false;
            let name = self.decode(&token);
            let path = name.clone();
            member(self, Key { name, span }).map_err(|stop| within::<F>(stop, &path))?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Takes a list; `item` must take the value of each index.
    pub fn list(
        &mut self,
        mut item: impl FnMut(&mut Self, usize) -> Scanned<(), F>,
    ) -> Scanned<(), F> {
        self.expect(Kind::List, "a list [ … ]")?;
        self.enter()?;
        let mut index = 0;
        while self.next_item(index == 0)? {
            item(self, index).map_err(|stop| within::<F>(stop, &format!("[{index}]")))?;
            index += 1;
        }
        self.depth -= 1;
        Ok(())
    }

    pub fn text(&mut self) -> Scanned<Cow<'a, str>, F> {
        self.expect(Kind::Text, "a string in quotation marks")?;
        let token = self.text_token()?;
        Ok(self.decode(&token))
    }

    /// Takes a number, including `NaN`.
    pub fn number(&mut self, wanted: &'static str) -> Scanned<Number, F> {
        self.expect(Kind::Number, wanted)?;
        self.number_token()
    }

    pub fn bool(&mut self) -> Scanned<bool, F> {
        self.expect(Kind::Bool, "true or false")?;
        let is_true = self.byte() == Some(b't');
        self.word(if is_true { "true" } else { "false" })?;
        Ok(is_true)
    }

    /// Takes a `null` if there is one; returns whether there was.
    pub fn null(&mut self) -> Scanned<bool, F> {
        let is_null = self.kind()? == Kind::Null;
        if is_null {
            self.word("null")?;
        }
        Ok(is_null)
    }

    pub fn skip(&mut self) -> Scanned<(), F> {
        self.span().map(|_| ())
    }

    /// Skips a value and returns its span.
    pub fn span(&mut self) -> Scanned<Range<usize>, F> {
        self.blanks()?;
        let start = self.at;
        let outside = self.depth;
        let mut is_object = 0_u128; // one bit per level, the innermost lowest
        loop {
            let mut is_first = match self.kind()? {
                kind @ (Kind::Object | Kind::List) => {
                    self.enter()?;
                    is_object = is_object << 1 | u128::from(kind == Kind::Object);
                    true
                }
                Kind::Text => self.text_token().map(|_| false)?,
                Kind::Number => self.number_token().map(|_| false)?,
                Kind::Bool => self.bool().map(|_| false)?,
                Kind::Null => self.word("null").map(|()| false)?,
            };
            loop {
                if self.depth == outside {
                    return Ok(start..self.at);
                }
                let goes_on = if is_object & 1 == 1 {
                    self.next_key(is_first)?.is_some()
                } else {
                    self.next_item(is_first)?
                };
                if goes_on {
                    break;
                }
                is_object >>= 1;
                self.depth -= 1;
                is_first = false;
            }
        }
    }

    /// Checks that nothing but blanks and comments follows.
    pub fn end(&mut self) -> Scanned<(), F> {
        self.blanks()?;
        match self.byte() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the file")),
        }
    }

    /// Returns the fault of a wrong value that starts at `from`.
    pub fn wrong(&self, from: usize, wanted: &'static str) -> Stop<F::Fault> {
        let fault = Fault::Kind {
            path: String::new(),
            wanted,
            found: self.shown(from),
        };
        Stop::at(from, fault)
    }

    fn decode(&self, token: &Token) -> Cow<'a, str> {
        let raw = self.text.get(token.span.clone()).unwrap_or_default();
        if token.is_escaped {
            literal::unescape(raw).into()
        } else {
            raw.into()
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn expect(&mut self, kind: Kind, wanted: &'static str) -> Scanned<(), F> {
        if self.kind()? == kind {
            return Ok(());
        }
        Err(self.wrong(self.at, wanted))
    }

    fn enter(&mut self) -> Scanned<(), F> {
        if self.depth == F::MAX_DEPTH {
            let most = F::MAX_DEPTH;
            return Err(Stop::at(self.at, Fault::TooDeep { most }));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Moves to the value of the next key, or after the end of the object.
    fn next_key(&mut self, is_first: bool) -> Scanned<Option<(Token, Range<usize>)>, F> {
        if !self.goes_on(is_first, b'}', "`,` or `}`")? {
            return Ok(None);
        }
        let from = self.at;
        let token = match self.byte() {
            Some(b'"' | b'\'') => self.text_token()?,
            _ => self.name_token()?,
        };
        let span = from..self.at;
        self.blanks()?;
        if self.byte() != Some(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        self.at += 1;
        Ok(Some((token, span)))
    }

    /// Moves to the next item, or after the end of the list.
    fn next_item(&mut self, is_first: bool) -> Scanned<bool, F> {
        self.goes_on(is_first, b']', "`,` or `]`")
    }

    fn goes_on(&mut self, is_first: bool, close: u8, wanted: &'static str) -> Scanned<bool, F> {
        self.blanks()?;
        if !is_first && self.byte() == Some(b',') {
            self.at += 1;
            self.blanks()?;
        } else if !is_first && self.byte() != Some(close) {
            return Err(self.unexpected(wanted));
        }
        if self.byte() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn word(&mut self, word: &'static str) -> Scanned<(), F> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.unexpected("a value"))
    }

    fn blanks(&mut self) -> Scanned<(), F> {
        loop {
            match self.byte() {
                Some(b' ' | b'\t'..=b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                Some(0x80..) => match self.char() {
                    Some(char) if literal::is_blank(char) => self.at += char.len_utf8(),
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Scanned<(), F> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at + 1) {
            Some(b'/') => self.at = line_end(bytes, self.at + 2),
            Some(b'*') => {
                let mut at = self.at + 2;
                loop {
                    let star = memchr(b'*', bytes.get(at..).unwrap_or_default());
                    let ends = Fault::Ends {
                        within: "a comment",
                    };
                    at += star.ok_or_else(|| Stop::at(self.at, ends))? + 1;
                    if bytes.get(at) == Some(&b'/') {
                        break;
                    }
                }
                self.at = at + 1;
            }
            _ => return Err(self.unexpected("a value or a comment")),
        }
        Ok(())
    }

    /// Takes a text from its opening quotation mark.
    fn text_token(&mut self) -> Scanned<Token, F> {
        let bytes = self.text.as_bytes();
        let quote = bytes.get(self.at).copied().unwrap_or(b'"');
        let from = self.at + 1;
        let (mut at, mut is_escaped) = (from, false);
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(found) = memchr3(quote, b'\\', b'\n', rest) else {
                return Err(Stop::at(self.at, Fault::Ends { within: "a string" }));
            };
            // A lone `\r` is rare: a second search costs less than searching for four bytes.
            let is_broken = memchr(b'\r', rest.get(..found).unwrap_or_default()).is_some();
            at += found;
            match bytes.get(at) {
                Some(b'\\') if !is_broken => {
                    is_escaped = true;
                    let escape = literal::escape(self.text, at);
                    at = escape.map_err(|fault| Stop::at(at, fault))?.1;
                }
                Some(&end) if end == quote && !is_broken => break,
                _ => {
                    let quote = char::from(quote);
                    return Err(Stop::at(self.at, Fault::OpenText { quote }));
                }
            }
        }
        self.at = at + 1;
        let span = from..at;
        Ok(Token { span, is_escaped })
    }

    /// Takes a key without quotation marks.
    fn name_token(&mut self) -> Scanned<Token, F> {
        let from = self.at;
        let mut is_escaped = false;
        while let Some(char) = self.char() {
            let is_start = self.at == from;
            if char == '\\' {
                if self.text.as_bytes().get(self.at + 1) != Some(&b'u') {
                    return Err(self.unexpected("a key"));
                }
                let escape = literal::escape(self.text, self.at);
                let (escaped, next) = escape.map_err(|fault| Stop::at(self.at, fault))?;
                if !escaped.is_some_and(|char| literal::is_name(char, is_start)) {
                    return Err(self.unexpected("a key"));
                }
                is_escaped = true;
                self.at = next;
            } else if literal::is_name(char, is_start) {
                self.at += char.len_utf8();
            } else {
                break;
            }
        }
        if self.at == from {
            return Err(self.unexpected("a key"));
        }
        let span = from..self.at;
        Ok(Token { span, is_escaped })
    }

    pub(super) fn number_token(&mut self) -> Scanned<Number, F> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some((number, len)) = literal::number(rest) else {
            let text = self.shown(self.at);
            return Err(Stop::at(self.at, Fault::Number { text }));
        };
        self.at += len;
        Ok(number)
    }

    fn unexpected(&self, wanted: &'static str) -> Stop<F::Fault> {
        let fault = match self.char() {
            None => Fault::Ends { within: F::WHOLE },
            Some(_) => Fault::Unexpected {
                wanted,
                found: self.shown(self.at),
            },
        };
        Stop::at(self.at, fault)
    }

    /// Describes the token at `from`, in words or by its first characters.
    fn shown(&self, from: usize) -> String {
        let rest = self.text.get(from..).unwrap_or_default();
        match rest.chars().next() {
            None => "the end".to_owned(),
            Some('{') => "an object".to_owned(),
            Some('[') => "a list".to_owned(),
            Some('"' | '\'') => "a string".to_owned(),
            Some(char) if literal::is_name(char, true) || "+-.0123456789".contains(char) => {
                let is_part = |char: &char| literal::is_name(*char, false) || "+-.".contains(*char);
                let shown: String = rest.chars().take_while(is_part).take(SHOWN).collect();
                format!("`{shown}`")
            }
            Some(char) => format!("{char:?}"),
        }
    }
}

fn within<F: Format>(mut stop: Stop<F::Fault>, name: &str) -> Stop<F::Fault> {
    if let Some(path) = F::path(stop.fault_mut()) {
        let dot = if path.is_empty() || path.starts_with('[') {
            ""
        } else {
            "."
        };
        *path = format!("{name}{dot}{path}");
    }
    stop
}

/// Returns where the comment that continues at `from` ends: before its line end.
pub fn line_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        // U+2028 and U+2029 end lines too, and start with the byte 0xe2.
        match memchr3(b'\n', b'\r', 0xe2, rest) {
            None => return bytes.len(),
            Some(found) => at += found,
        }
        let is_end =
            bytes[at] != 0xe2 || matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9]));
        if is_end {
            return at;
        }
        at += 1;
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
pub(super) mod tests;
