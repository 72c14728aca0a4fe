//! Edits the text of a tape. Everything else is kept byte for byte, including comments.

use super::fault::{FormatError, Scanned, Scanner};
use super::keys::TapeObject;
use super::model::Exchange;
use super::read::{outline, read_exchange, text_of};
use super::{quote, write};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ccd_base::json5::{self, Kind, line_end};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the tape has no `{place}`")]
    NoPlace { place: String },
    #[error("two changes overlap in line {line}: make them one at a time")]
    Overlap { line: u64 },
    #[error("the tape cannot be read: {0}")]
    Format(#[from] FormatError),
    /// Nothing was changed.
    #[error("the change would make the tape unreadable: {0}")]
    Broken(#[source] FormatError),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'a> {
    /// In any spelling that the reader accepts.
    Key(&'a str),
    Item(usize),
}

/// Changes to one text, made together by [`Self::apply`].
#[derive(Debug)]
pub struct Edits<'a> {
    text: &'a str,
    root: Range<usize>,
    /// The span of each exchange, so that a change need not scan the exchanges before it.
    exchanges: Vec<Range<usize>>,
    /// The spans of the chunks of the exchange that was edited last.
    chunks: Option<(usize, Vec<Range<usize>>)>,
    /// Ends and replacements of spans, by their start.
    changes: BTreeMap<usize, (usize, String)>,
    /// Members to be added to objects, by the start of the object.
    members: BTreeMap<usize, Vec<(String, String)>>,
}

impl<'a> Edits<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let exchanges = outline(bytes)?.exchanges;
        let text = text_of(bytes)?;
        let root = Scanner::new(text).span();
        Ok(Self {
            text,
            root: root.map_err(|stop| FormatError::from_stop(stop, bytes))?,
            exchanges: exchanges.into_iter().map(|each| each.span).collect(),
            chunks: None,
            changes: BTreeMap::new(),
            members: BTreeMap::new(),
        })
    }

    /// Sets a value to JSON5; keys that are missing on the path are added.
    pub fn set(&mut self, path: &[PathStep<'_>], json5: &str) -> Result<(), EditError> {
        let no_place = || no_place(path);
        let (mut span, mut part, first) = match path {
            [PathStep::Key("exchanges"), PathStep::Item(index), ..] => {
                let span = self.exchanges.get(*index).cloned();
                (span.ok_or_else(no_place)?, Some(TapeObject::Exchange), 2)
            }
            _ => (self.root.clone(), Some(TapeObject::Tape), 0),
        };
        for (at, step) in path.iter().enumerate().skip(first) {
            let found = match step {
                PathStep::Item(index) => self.items(&span)?.get(*index).cloned(),
                PathStep::Key(key) => self.member(&span, part, key)?,
            };
            let Some(found) = found else {
                let PathStep::Key(key) = step else {
                    return Err(no_place());
                };
                let kind = self.take(&span, Scanner::kind)?;
                if !matches!(kind, Kind::Object | Kind::Null) {
                    return Err(no_place());
                }
                let rest = &path[at + 1..];
                let value = wrapped(rest, json5).ok_or_else(no_place)?;
                return self.add(&span, key, value, rest.is_empty());
            };
            if let PathStep::Key(key) = step {
                part = part.and_then(|part| part.part_at(key));
            }
            span = found;
        }
        self.replace(span, json5.to_owned());
        Ok(())
    }

    /// Replaces the members of an exchange that differ from `new`.
    pub(crate) fn set_exchange(&mut self, index: usize, new: &Exchange) -> Result<(), EditError> {
        let at = [PathStep::Key("exchanges"), PathStep::Item(index)];
        let span = self.exchanges.get(index).ok_or_else(|| no_place(&at))?;
        let old = read_exchange(self.text.as_bytes().get(span.clone()).unwrap_or_default())?;
        for ((key, old), (_, new)) in write::members(&old).iter().zip(&write::members(new)) {
            if old != new {
                self.set(&[at[0], at[1], PathStep::Key(key)], new)?;
            }
        }
        Ok(())
    }

    /// Replaces the bytes of a chunk in the form that they have in the text, and the comment after it if the writer
    /// wrote it.
    pub(crate) fn set_chunk(
        &mut self,
        exchange: usize,
        chunk: usize,
        data: &[u8],
    ) -> Result<(), EditError> {
        let span = self.chunk(exchange, chunk)?;
        let old = self.take(&span, super::exchange::chunk)?;
        if old.data == data {
            return Ok(());
        }
        let text = std::str::from_utf8(data).ok();
        let in_text = self.value(&span, "dataText")?;
        let in_base64 = self.value(&span, "dataB64")?;
        let is_text_only = in_text.is_some() && text.is_some() && in_base64.is_none();
        if let Some(at) = in_text {
            self.replace(at, text.map_or_else(|| "null".to_owned(), json5::quoted));
        }
        if !is_text_only {
            let base64 = json5::quoted(&BASE64_STANDARD.encode(data));
            match self.member(&span, Some(TapeObject::Chunk), "dataB64")? {
                Some(at) => self.replace(at, base64),
                None => self.add(&span, "dataB64", base64, true)?,
            }
        }
        if let Some(at) = self.value(&span, "isUtf8")? {
            self.replace(at, text.is_some().to_string());
        }
        self.recomment(span.end, &old.data, data);
        Ok(())
    }

    /// Replaces a span that no other edit touches, such as one of [`comments`].
    pub(crate) fn replace(&mut self, span: Range<usize>, text: String) {
        self.changes.insert(span.start, (span.end, text));
    }

    pub(crate) fn is_changed(&self, span: &Range<usize>) -> bool {
        let before = self.changes.range(..span.end).next_back();
        before.is_some_and(|(_, (end, _))| *end > span.start)
    }

    pub fn apply(mut self) -> Result<String, EditError> {
        for (object, members) in std::mem::take(&mut self.members) {
            let (span, text) = self.insertion(object, &members)?;
            self.replace(span, text);
        }
        let mut out = String::with_capacity(self.text.len());
        let mut done = 0;
        for (start, (end, text)) in &self.changes {
            let kept = self.text.get(done..*start);
            out.push_str(kept.ok_or_else(|| self.overlap(*start))?);
            out.push_str(text);
            done = *end;
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        outline(out.as_bytes()).map_err(EditError::Broken)?;
        Ok(out)
    }

    /// Scans the start of a span with `take`.
    fn take<T>(
        &self,
        span: &Range<usize>,
        take: impl FnOnce(&mut Scanner<'a>) -> Scanned<T>,
    ) -> Result<T, FormatError> {
        let found = take(&mut Scanner::begin_at(self.text, span.start));
        found.map_err(|stop| FormatError::from_stop(stop, self.text.as_bytes()))
    }

    /// Finds the value of a key; if the key occurs twice, the last value, as the reader does.
    fn member(
        &self,
        object: &Range<usize>,
        part: Option<TapeObject>,
        key: &str,
    ) -> Result<Option<Range<usize>>, FormatError> {
        let same = |name: &str| match part {
            Some(part) => part.canonical(name) == part.canonical(key),
            None => name == key,
        };
        let mut found = None;
        self.take(object, |scanner| {
            if scanner.kind()? != Kind::Object {
                return Ok(());
            }
            scanner.object(|scanner, key| {
                let span = scanner.span()?;
                if same(&key.name) {
                    found = Some(span);
                }
                Ok(())
            })
        })?;
        Ok(found)
    }

    /// Finds the value of a chunk's key, unless it is null.
    fn value(&self, chunk: &Range<usize>, key: &str) -> Result<Option<Range<usize>>, FormatError> {
        let found = self.member(chunk, Some(TapeObject::Chunk), key)?;
        Ok(found.filter(|span| self.text.get(span.clone()) != Some("null")))
    }

    fn items(&self, list: &Range<usize>) -> Result<Vec<Range<usize>>, FormatError> {
        let mut items = Vec::new();
        self.take(list, |scanner| {
            if scanner.kind()? != Kind::List {
                return Ok(());
            }
            scanner.list(|scanner, _| {
                items.push(scanner.span()?);
                Ok(())
            })
        })?;
        Ok(items)
    }

    fn chunk(&mut self, exchange: usize, chunk: usize) -> Result<Range<usize>, EditError> {
        if self.chunks.as_ref().is_none_or(|(of, _)| *of != exchange) {
            let mut chunks = Vec::new();
            let span = self.exchanges.get(exchange).cloned().unwrap_or_default();
            if let Some(output) = self.member(&span, Some(TapeObject::Exchange), "output")?
                && let Some(list) = self.member(&output, Some(TapeObject::Output), "chunks")?
            {
                chunks = self.items(&list)?;
            }
            self.chunks = Some((exchange, chunks));
        }
        let found = self.chunks.as_ref().and_then(|(_, all)| all.get(chunk));
        found.cloned().ok_or_else(|| EditError::NoPlace {
            place: format!("exchanges[{exchange}].output.chunks[{chunk}]"),
        })
    }

    fn add(
        &mut self,
        object: &Range<usize>,
        key: &str,
        value: String,
        is_whole: bool,
    ) -> Result<(), EditError> {
        let members = self.members.entry(object.start).or_default();
        match members.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) if is_whole => *old = value,
            Some(_) => return Err(self.overlap(object.start)),
            None => members.push((key.to_owned(), value)),
        }
        Ok(())
    }

    fn overlap(&self, at: usize) -> EditError {
        let (line, _) = json5::place(self.text.as_bytes(), at);
        EditError::Overlap { line }
    }

    /// Returns where and how members are added to the object that starts at `start`: before its other members, where
    /// neither a comma nor a comment can interfere.
    fn insertion(
        &self,
        start: usize,
        members: &[(String, String)],
    ) -> Result<(Range<usize>, String), FormatError> {
        let written = |(key, value): &(String, String)| format!("{}: {value}", json5::key(key));
        let all = members.iter().map(written).collect::<Vec<_>>();
        let (mut first, mut is_null) = (None, false);
        let span = self.take(&(start..start), |scanner| {
            is_null = scanner.null()?;
            if !is_null {
                scanner.object(|scanner, key| {
                    first.get_or_insert(key.span.start);
                    scanner.skip()
                })?;
            }
            Ok(start..scanner.offset())
        })?;
        let Some(first) = first else {
            let inner = self.text.get(start + 1..span.end - 1).unwrap_or_default();
            return Ok(if is_null || inner.trim().is_empty() {
                (span, format!("{{ {} }}", all.join(", ")))
            } else {
                (start + 1..start + 1, format!(" {},", all.join(", ")))
            });
        };
        let before = self.text.get(start..first).unwrap_or_default();
        let gap = match before.rsplit_once(['\n', '\r']) {
            Some((_, indent)) if indent.trim().is_empty() => format!(",\n{indent}"),
            _ => ", ".to_owned(),
        };
        Ok((first..first, all.join(&gap) + &gap))
    }

    /// Rewrites the comment after a chunk if the writer wrote it for the old bytes.
    fn recomment(&mut self, chunk_end: usize, old: &[u8], new: &[u8]) {
        let bytes = self.text.as_bytes();
        let is_blank = |at: &usize| matches!(bytes.get(*at), Some(b' ' | b'\t'));
        let blanks_from = |from: usize| from + (from..).take_while(is_blank).count();
        let mut from = chunk_end;
        if bytes.get(blanks_from(from)) == Some(&b',') {
            from = blanks_from(from) + 1;
        }
        let at = blanks_from(from);
        if !bytes.get(at..).is_some_and(|rest| rest.starts_with(b"//")) {
            return;
        }
        let end = line_end(bytes, at + 2);
        let there = self.text.get(at + 2..end).unwrap_or_default().trim();
        if quote::comment(old).as_deref() != Some(there) {
            return;
        }
        match quote::comment(new) {
            Some(comment) => self.replace(at..end, format!("// {comment}")),
            None => self.replace(from..end, String::new()),
        }
    }
}

/// Finds all comments in the text of a valid tape, including their delimiters.
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut comments, mut at) = (Vec::new(), 0);
    while let Some(found) = memchr::memchr3(b'"', b'\'', b'/', bytes.get(at..).unwrap_or_default())
    {
        let start = at + found;
        at = match (bytes[start], bytes.get(start + 1)) {
            (b'/', Some(b'/')) => line_end(bytes, start + 2),
            (b'/', _) => {
                let inner = text.get(start + 2..).unwrap_or_default();
                let len = inner.find("*/");
                len.map_or(text.len(), |len| start + 2 + len + 2)
            }
            _ => {
                let span = Scanner::begin_at(text, start).span();
                span.map_or(text.len(), |span| span.end)
            }
        };
        if bytes[start] == b'/' {
            comments.push(start..at);
        }
    }
    comments
}

/// Wraps a value in objects for the keys that lead to it; `None` if the path includes an item of a list.
fn wrapped(path: &[PathStep<'_>], json5: &str) -> Option<String> {
    let mut value = json5.to_owned();
    for step in path.iter().rev() {
        let PathStep::Key(key) = step else {
            return None;
        };
        value = format!("{{ {}: {value} }}", json5::key(key));
    }
    Some(value)
}

fn no_place(path: &[PathStep<'_>]) -> EditError {
    let mut place = String::new();
    for step in path {
        let _ = match step {
            PathStep::Key(key) if place.is_empty() => place.write_str(key),
            PathStep::Key(key) => write!(place, ".{key}"),
            PathStep::Item(index) => write!(place, "[{index}]"),
        };
    }
    EditError::NoPlace { place }
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
