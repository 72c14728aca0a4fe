//! Output is the same wherever it is split into items and wherever the subscription is repeated.

use super::*;
use proptest::prelude::*;

/// A simplified daemon: it removes control sequences, and holds back bytes that may be the start of one.
/// As text, a sequence is ESC to `m`, and `\r` before `\n` is removed; without queries, only ESC to `n` is removed.
struct Daemon {
    content: ItemForm,
    at: usize,
    held: Vec<u8>,
}

impl Daemon {
    fn start(content: ItemForm, at: u64) -> Self {
        Self {
            content,
            at: usize::try_from(at).unwrap(),
            held: Vec::new(),
        }
    }

    fn next(&mut self, all: &[u8], len: usize) -> OutputEvent {
        let (start, end) = (self.at, all.len().min(self.at + len));
        self.at = end;
        let raw = &all[start..end];
        self.held.extend_from_slice(raw);
        let shown = self.shown(false);
        let (data, text) = match self.content {
            ItemForm::Bytes => (raw.to_vec(), None),
            ItemForm::Stripped => (shown, None),
            ItemForm::Text => (raw.to_vec(), Some(String::from_utf8(shown).unwrap())),
        };
        OutputEvent::Output {
            start: start as u64,
            end: end as u64,
            data_b64: encode(&data),
            text,
            stderr: Vec::new(),
        }
    }

    /// Removes what is decided from the bytes held back, and returns it without control sequences.
    fn shown(&mut self, is_end: bool) -> Vec<u8> {
        let last: &[u8] = if self.content == ItemForm::Text {
            b"m"
        } else {
            b"n"
        };
        let mut shown = Vec::new();
        let mut rest = std::mem::take(&mut self.held);
        while let Some(&byte) = rest.first() {
            let len = match byte {
                ESC => rest
                    .iter()
                    .position(|&byte| byte == b'm' || byte == b'n')
                    .map(|end| end + 1),
                b'\r' if self.content == ItemForm::Text => (rest.len() > 1).then_some(1),
                // A character of two bytes.
                0xc3 if self.content == ItemForm::Text => (rest.len() > 1).then_some(2),
                _ => Some(1),
            };
            let Some(len) = len.or(is_end.then_some(rest.len())) else {
                self.held = rest;
                break;
            };
            let behind = rest.split_off(len);
            let is_gone = match byte {
                ESC => rest.ends_with(last) || self.content == ItemForm::Text,
                b'\r' if self.content == ItemForm::Text => behind.first() == Some(&b'\n'),
                _ => false,
            };
            if !is_gone {
                shown.extend_from_slice(&rest);
            }
            rest = behind;
        }
        shown
    }
}

fn params(content: ItemForm) -> SessionSubscribeParams {
    SessionSubscribeParams {
        since: Some(0),
        strip_queries: content == ItemForm::Stripped,
        text: content == ItemForm::Text,
        ..SessionSubscribeParams::default()
    }
}

/// Follows `all` in items of these lengths; 0 is the end of a connection. Returns bytes and text as delivered.
fn follow(content: ItemForm, all: &[u8], lens: &[usize]) -> (Vec<u8>, String) {
    let mut resume = Resume::new(&params(content));
    let mut daemon = Daemon::start(content, 0);
    let (mut bytes, mut texts) = (Vec::new(), String::new());
    let mut end_before = 0;
    for &len in lens.iter().chain(&[all.len(), all.len()]) {
        if len == 0 {
            daemon = Daemon::start(content, resume.from());
            resume.begin();
            continue;
        }
        let mut event = daemon.next(all, len);
        resume.take(&mut event).unwrap();
        let OutputEvent::Output {
            start,
            end,
            data_b64,
            text,
            ..
        } = event
        else {
            panic!("{event:?}");
        };
        assert!(start == end_before || start == end, "{start} {end_before}");
        end_before = end;
        bytes.extend(decode(&data_b64).unwrap());
        texts.push_str(&text.unwrap_or_default());
    }
    (bytes, texts)
}

proptest! {
    #[test]
    fn nothing_is_missing_or_doubled_wherever_a_connection_ends(
        parts in prop::collection::vec(prop::sample::select(vec![
            &b"abc"[..], b"x", b"\r\n", b"\n", b"\r", b"\x1b[3m", b"\x1b]a\nb\nm", b"\x1b[6n", "é".as_bytes(),
        ]), 0..40),
        lens in prop::collection::vec(0usize..12, 0..40),
        content in prop::sample::select(vec![ItemForm::Bytes, ItemForm::Stripped, ItemForm::Text]),
    ) {
        let all = parts.concat();
        let (bytes, text) = follow(content, &all, &lens);
        let (expected_bytes, expected_text) = follow(content, &all, &[]);
        prop_assert_eq!(text, expected_text);
        prop_assert_eq!(bytes, expected_bytes);
    }
}

#[test]
fn a_return_that_is_held_back_is_not_taken_for_one_that_was_shown() {
    let all = b"a\r\r\rb";
    let expected = follow(ItemForm::Text, all, &[]);
    assert_eq!(follow(ItemForm::Text, all, &[2, 1, 0, 1]), expected);
}

#[test]
fn plain_output_and_a_query_do_not_keep_it_from_going_on_behind_them() {
    for content in [ItemForm::Bytes, ItemForm::Stripped, ItemForm::Text] {
        let mut resume = Resume::new(&params(content));
        let mut daemon = Daemon::start(content, 0);
        for len in [4, 5, 3] {
            let mut event = daemon.next(b"one\ntwo\nthree", len);
            resume.take(&mut event).unwrap();
        }
        assert_eq!((resume.from(), resume.delivered), (12, 0), "{content:?}");
    }
    let mut resume = Resume::new(&params(ItemForm::Stripped));
    let mut daemon = Daemon::start(ItemForm::Stripped, 0);
    for (len, from) in [(5, 0), (2, 7)] {
        resume.take(&mut daemon.next(b"a\x1b[6nbc", len)).unwrap();
        assert_eq!(resume.from(), from);
    }
    assert_eq!(resume.delivered, 0);
}

#[test]
fn what_a_slow_reader_missed_is_told_once() {
    let mut resume = Resume::new(&params(ItemForm::Text));
    let mut daemon = Daemon::start(ItemForm::Text, 0);
    resume.take(&mut daemon.next(b"ab\x1b[", 4)).unwrap();
    resume.begin();
    let lagged = |from, to| OutputEvent::Lagged {
        lagged: ccd_protocol::session::Lagged { from, to },
    };
    let mut event = lagged(2, 9);
    assert!(resume.take(&mut event).unwrap());
    assert!(matches!(event, OutputEvent::Lagged { lagged } if lagged.from == 4 && lagged.to == 9));
    assert_eq!(resume.from(), 9);
    let mut event = lagged(9, 12);
    assert!(!resume.take(&mut event).unwrap());
}
