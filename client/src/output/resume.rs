//! Where to subscribe again, and what to skip then, so that nothing is missing or repeated.
//! The bytes of an item correspond to its offsets, but its text does not quite: a possible start of a control sequence
//! or of a character is held back until more arrives, and so are bytes if queries are removed. A new subscription that
//! started there would take the rest of a sequence for text. So it starts where certainly nothing was held back, and
//! what had been delivered after that point is skipped. Text and bytes do not depend on how the output is split into
//! items.

use super::base64::{decode, encode};
use crate::Failure;
use ccd_protocol::session::{OutputEvent, SessionSubscribeParams};
use std::ops::Range;

const ESC: u8 = 0x1b;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemForm {
    Bytes,
    /// Bytes without terminal queries.
    Stripped,
    /// Raw bytes, and their text.
    Text,
}

#[derive(Debug)]
pub(crate) struct Resume {
    content: ItemForm,
    /// End offset of the delivered output.
    end: u64,
    /// Offset up to which nothing was held back.
    from: u64,
    /// Bytes of content (text, or output without queries) that were delivered after `from`.
    delivered: usize,
    /// How many of them this subscription has repeated so far.
    seen: usize,
}

impl Resume {
    pub(crate) fn new(params: &SessionSubscribeParams) -> Self {
        let since = params.since.unwrap_or_default();
        Self {
            content: match (params.text, params.strip_queries) {
                (true, _) => ItemForm::Text,
                (false, true) => ItemForm::Stripped,
                (false, false) => ItemForm::Bytes,
            },
            end: since,
            from: since,
            delivered: 0,
            seen: 0,
        }
    }

    /// Offset at which the next subscription has to start.
    pub(crate) fn from(&self) -> u64 {
        self.from
    }

    pub(crate) fn begin(&mut self) {
        self.seen = 0;
    }

    /// Notes an item, and removes from it what was delivered before; true if something was removed.
    pub(crate) fn take(&mut self, event: &mut OutputEvent) -> Result<bool, Failure> {
        match event {
            OutputEvent::Output {
                start,
                end,
                data_b64,
                text,
                ..
            } => {
                let range = *start..*end;
                let (len, calm) = self.look(&range, data_b64, text.as_deref())?;
                let known = self.delivered.saturating_sub(self.seen).min(len);
                let was_cut = range.start < self.end || known > 0;
                if was_cut {
                    let bytes = match self.content {
                        ItemForm::Stripped => known,
                        _ => usize::try_from(self.end - range.start.min(self.end))
                            .unwrap_or(usize::MAX),
                    };
                    *data_b64 = without_first(data_b64, bytes)?;
                    if let Some(text) = text {
                        text.drain(..text.floor_char_boundary(known));
                    }
                    (*start, *end) = (range.start.max(self.end), range.end.max(self.end));
                }
                self.note(range.end, len, calm);
                Ok(was_cut)
            }
            OutputEvent::Lagged { lagged } => {
                let was_cut = lagged.from < self.end;
                lagged.from = lagged.from.max(self.end);
                lagged.to = lagged.to.max(lagged.from);
                // Output held back before a gap is useless after it.
                (self.end, self.from) = (lagged.to, lagged.to);
                (self.delivered, self.seen) = (0, 0);
                Ok(was_cut)
            }
            OutputEvent::Ended { .. }
            | OutputEvent::KeepAlive { .. }
            | OutputEvent::Repaint { .. } => Ok(false),
        }
    }

    /// Returns the length of an item's content, and the last offset in it where certainly nothing is held back, with
    /// the length of the content after that offset.
    fn look(
        &self,
        range: &Range<u64>,
        data_b64: &str,
        text: Option<&str>,
    ) -> Result<(usize, Option<(u64, usize)>), Failure> {
        Ok(match (self.content, text) {
            (ItemForm::Text, Some(text)) => {
                let raw = decode(data_b64)?;
                (text.len(), calm_in_text(range, &raw, text))
            }
            (ItemForm::Stripped, _) => {
                let data = decode(data_b64)?;
                let all = self.seen as u64 + data.len() as u64;
                // Held back bytes would start with ESC, and would have been delivered with this item.
                let is_whole = data.len() as u64 == range.end - range.start;
                let is_calm = (is_whole && !data.is_empty() && !data.contains(&ESC))
                    || all == range.end.saturating_sub(self.from);
                (data.len(), is_calm.then_some((range.end, 0)))
            }
            _ => (0, Some((range.end, 0))),
        })
    }

    fn note(&mut self, end: u64, len: usize, calm: Option<(u64, usize)>) {
        self.end = self.end.max(end);
        self.seen += len;
        self.delivered = self.delivered.max(self.seen);
        if let Some((from, behind)) = calm {
            self.delivered -= self.seen - behind;
            self.seen = behind;
            self.from = from;
        }
    }
}

/// Nothing is held back where all output is text, and after a newline that is part of the text.
/// A final carriage return may be held back while an earlier one was delivered. A newline inside a control sequence is
/// missing from the text; if none is missing, the last one was not inside a sequence.
fn calm_in_text(range: &Range<u64>, raw: &[u8], text: &str) -> Option<(u64, usize)> {
    if raw == text.as_bytes() && raw.last().is_some_and(|&byte| byte != b'\r') {
        return Some((range.end, 0));
    }
    let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    let in_raw = raw.iter().rposition(|&byte| byte == b'\n')?;
    let in_text = text.rfind('\n')?;
    (newlines(raw) == newlines(text.as_bytes()))
        .then(|| (range.start + in_raw as u64 + 1, text.len() - in_text - 1))
}

fn without_first(data_b64: &str, len: usize) -> Result<String, Failure> {
    let data = decode(data_b64)?;
    Ok(encode(data.get(len..).unwrap_or_default()))
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
