//! Where to subscribe again, and what to leave out then, so that nothing is missing or doubled.
//!
//! The bytes of an item belong to its offsets, but its text does not quite: what may be the start of a control
//! sequence or a character is held back until more comes, and so are bytes where queries are taken out. A new
//! subscription that began there would take the rest of a sequence for text. So it begins where nothing was held
//! back for certain, and what had been delivered behind that is left out. Text and bytes are the same wherever the
//! output is cut into items.

use super::stream::decode;
use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ccd_protocol::session::{OutputEvent, SessionSubscribeParams};
use std::ops::Range;

const ESC: u8 = 0x1b;

/// How an item's content was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Bytes as they came.
    Bytes,
    /// Bytes without queries.
    Stripped,
    /// Bytes as they came, and their text.
    Text,
}

/// The place up to which output was delivered.
#[derive(Debug)]
pub(crate) struct Resume {
    content: Content,
    /// Offset of the end of what was delivered.
    end: u64,
    /// Nothing before it was held back.
    from: u64,
    /// Bytes of text, or of what is left without queries, that were delivered of what is behind `from`.
    delivered: usize,
    /// So many of them have come in this subscription.
    seen: usize,
}

impl Resume {
    /// Nothing was delivered yet of a subscription with `params`.
    pub(crate) fn new(params: &SessionSubscribeParams) -> Self {
        let since = params.since.unwrap_or_default();
        Self {
            content: match (params.text, params.strip_queries) {
                (true, _) => Content::Text,
                (false, true) => Content::Stripped,
                (false, false) => Content::Bytes,
            },
            end: since,
            from: since,
            delivered: 0,
            seen: 0,
        }
    }

    /// Where the next subscription has to begin.
    pub(crate) fn from(&self) -> u64 {
        self.from
    }

    /// It has begun there.
    pub(crate) fn begin(&mut self) {
        self.seen = 0;
    }

    /// Notes an item that came, and takes out of it what was delivered before; true when it took something.
    ///
    /// # Errors
    ///
    /// [`Failure::Garbled`] when the bytes are not base64.
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
                        Content::Stripped => known,
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
                // What was held back before it is of no use behind it.
                (self.end, self.from) = (lagged.to, lagged.to);
                (self.delivered, self.seen) = (0, 0);
                Ok(was_cut)
            }
            OutputEvent::Ended { .. }
            | OutputEvent::KeepAlive { .. }
            | OutputEvent::Repaint { .. } => Ok(false),
        }
    }

    /// Returns the length of an item's content, and the last offset in it where nothing is held back for certain,
    /// with the length of the content behind that.
    fn look(
        &self,
        range: &Range<u64>,
        data_b64: &str,
        text: Option<&str>,
    ) -> Result<(usize, Option<(u64, usize)>), Failure> {
        Ok(match (self.content, text) {
            (Content::Text, Some(text)) => {
                let raw = decode(data_b64)?;
                (text.len(), calm_in_text(range, &raw, text))
            }
            (Content::Stripped, _) => {
                let data = decode(data_b64)?;
                let all = self.seen as u64 + data.len() as u64;
                // One that is held back begins with ESC, and would have come with this.
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

/// Where all that was printed is text, and behind a newline that is, nothing is held back.
///
/// A return at the end may be held back while one from before it was shown. A newline inside a sequence is missing in
/// the text; where none is, the last one was not inside of one.
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
    Ok(BASE64.encode(data.get(len..).unwrap_or_default()))
}

#[cfg(test)]
#[path = "resume_tests.rs"]
mod tests;
