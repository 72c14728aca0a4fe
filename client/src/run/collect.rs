//! The report at the end of a run: missing texts and, with `--json`, the output.

use crate::output::encode;
use ccd_protocol::run::RunOnceReply;
use ccd_protocol::session::{EndReason, Ended};
use std::time::Duration;

/// Most output that is kept; the same as in a reply of `run.once`.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct Contains {
    missing: Vec<String>,
    /// The end of the output so far, in which a text may have started.
    tail: Vec<u8>,
}

impl Contains {
    /// Looks for `texts`; an empty one counts as found.
    pub(crate) fn new(texts: &[String]) -> Self {
        Self {
            missing: texts
                .iter()
                .filter(|text| !text.is_empty())
                .cloned()
                .collect(),
            tail: Vec::new(),
        }
    }

    pub(crate) fn look(&mut self, bytes: &[u8]) {
        if self.missing.is_empty() {
            return;
        }
        self.tail.extend_from_slice(bytes);
        let haystack = &self.tail;
        self.missing.retain(|text| {
            !haystack
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        });
        let longest = self.missing.iter().map(String::len).max().unwrap_or(1);
        let keep_from = self.tail.len().saturating_sub(longest - 1);
        self.tail.drain(..keep_from);
    }

    /// Returns the missing texts, in their order.
    pub(crate) fn missing(&self) -> &[String] {
        &self.missing
    }
}

#[derive(Debug, Default)]
pub(crate) struct Collected {
    bytes: Vec<u8>,
    was_cut: bool,
}

impl Collected {
    /// Keeps the next chunk, as far as there is room.
    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        let room = MAX_OUTPUT_BYTES - self.bytes.len();
        let len = room.min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..len]);
        self.was_cut |= len < bytes.len();
    }

    /// Returns the reply that `run.once` would have returned.
    pub(crate) fn reply(self, ended: &Ended, took: Duration, missing: &[String]) -> RunOnceReply {
        let is_text = std::str::from_utf8(&self.bytes).is_ok();
        RunOnceReply {
            output: String::from_utf8_lossy(&self.bytes).into_owned(),
            output_b64: (!is_text).then(|| encode(&self.bytes)),
            truncated: self.was_cut,
            exit_code: ended.exitstatus,
            signal: ended.signal,
            duration_ms: took.as_millis().try_into().unwrap_or(u64::MAX),
            timed_out: ended.end_reason == Some(EndReason::Runtime),
            missing: missing.to_vec(),
            warnings: Vec::new(),
            session_id: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_across_any_cut() {
        let texts = ["needle", "hay", "none", ""].map(str::to_owned);
        for cut in 0..12 {
            let (first, second) = b"hay needle y".split_at(cut);
            let mut contains = Contains::new(&texts);
            contains.look(first);
            contains.look(second);
            assert_eq!(contains.missing(), ["none"], "cut at {cut}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let mut collected = Collected::default();
        collected.keep(&vec![b'x'; MAX_OUTPUT_BYTES - 1]);
        collected.keep(b"ab");
        let ended = Ended {
            exitstatus: Some(0),
            signal: None,
            end_reason: Some(EndReason::Exited),
            end: 0,
        };
        let reply = collected.reply(&ended, Duration::from_millis(5), &[]);
        assert_eq!(reply.output.len(), MAX_OUTPUT_BYTES);
        assert!(reply.truncated && reply.output.ends_with("xa") && !reply.timed_out);
    }
}
