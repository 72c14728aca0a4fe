//! Decodes keys as terminals send them.

const MAX_SEQUENCE_LEN: usize = 32;

const ESCAPE: u8 = 0x1b;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    /// With the control key, in lower case.
    Control(char),
    Enter,
    Tab,
    Backspace,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Delete,
    Other,
}

impl Key {
    /// Returns the key that a letter stands for in a pager.
    pub(crate) fn as_in_less(self) -> Self {
        match self {
            Self::Char('k') => Self::Up,
            Self::Char('j') => Self::Down,
            Self::Char('g') => Self::Home,
            Self::Char('G') => Self::End,
            key => key,
        }
    }

    /// Types into a text of at most `max_bytes`, as a shell's line is edited at its end. Returns false for a key that does
    /// something else.
    pub(crate) fn type_into(self, text: &mut String, max_bytes: usize) -> bool {
        match self {
            Self::Char(c) if text.len() < max_bytes => text.push(c),
            Self::Backspace => drop(text.pop()),
            Self::Control('u') => text.clear(),
            Self::Control('w') => {
                let kept = text.trim_end().rfind(' ').map_or(0, |at| at + 1);
                text.truncate(kept);
            }
            _ => return false,
        }
        true
    }
}

/// Returns the item of a list that a key selects, in place of the one at `at`, if it is such a key.
pub(crate) fn moved(key: Key, at: usize, len: usize, page: usize) -> Option<usize> {
    let last = len.saturating_sub(1);
    Some(match key {
        Key::Up => at.saturating_sub(1),
        Key::Down => (at + 1).min(last),
        Key::PageUp => at.saturating_sub(page),
        Key::PageDown => (at + page).min(last),
        Key::Home => 0,
        Key::End => last,
        _ => return None,
    })
}

/// Decodes bytes into keys; a sequence may be split between reads.
#[derive(Debug, Default)]
pub(crate) struct KeyDecoder {
    rest: Vec<u8>,
}

impl KeyDecoder {
    /// Takes bytes and returns the complete keys.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let mut keys = Vec::new();
        let mut at = 0;
        while at < self.rest.len() {
            match first(&self.rest[at..]) {
                Some((key, len)) => {
                    keys.push(key);
                    at += len;
                }
                None => break,
            }
        }
        self.rest.drain(..at);
        keys
    }

    /// True if the bytes may be the start of a sequence, or the escape key.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Decodes the bytes so far, if nothing follows them.
    pub(crate) fn finish(&mut self) -> Option<Key> {
        let rest = std::mem::take(&mut self.rest);
        match rest.as_slice() {
            [] => None,
            [ESCAPE] => Some(Key::Escape),
            _ => Some(Key::Other),
        }
    }
}

/// The first key and its length; `None` if it is incomplete.
fn first(bytes: &[u8]) -> Option<(Key, usize)> {
    match bytes[0] {
        ESCAPE => sequence(bytes),
        b'\r' | b'\n' => Some((Key::Enter, 1)),
        b'\t' => Some((Key::Tab, 1)),
        0x08 | 0x7f => Some((Key::Backspace, 1)),
        0 => Some((Key::Other, 1)),
        letter @ 1..=26 => Some((Key::Control(char::from(letter - 1 + b'a')), 1)),
        0x1c..0x20 => Some((Key::Other, 1)),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Option<(Key, usize)> {
    let len = match bytes[0] {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return Some((Key::Other, 1)),
    };
    let have = bytes.len().min(len);
    match std::str::from_utf8(&bytes[..have]) {
        Ok(text) => text.chars().next().map(|c| (Key::Char(c), len)),
        Err(error) if error.error_len().is_none() && have < len => None,
        Err(_) => Some((Key::Other, 1)),
    }
}

fn sequence(bytes: &[u8]) -> Option<(Key, usize)> {
    match bytes.get(1)? {
        b'[' => {
            let end = bytes[2..]
                .iter()
                .position(|byte| !(0x20..0x40).contains(byte));
            match end {
                Some(end) => Some((named(&bytes[2..2 + end], bytes[2 + end]), end + 3)),
                None if bytes.len() >= MAX_SEQUENCE_LEN => Some((Key::Other, bytes.len())),
                None => None,
            }
        }
        b'O' => Some((named(b"", *bytes.get(2)?), 3)),
        // The escape key twice, or a key with Alt.
        &ESCAPE => Some((Key::Escape, 1)),
        _ => first(&bytes[1..]).map(|(_, len)| (Key::Other, 1 + len)),
    }
}

/// The key of a sequence with these parameters and this last byte. Modifiers such as Shift are ignored.
fn named(parameters: &[u8], end: u8) -> Key {
    let number = parameters
        .split(|byte| *byte == b';')
        .next()
        .unwrap_or_default();
    match (end, number) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
        (b'F', _) | (b'~', b"4" | b"8") => Key::End,
        (b'M', b"") => Key::Enter, // on the keypad
        (b'~', b"3") => Key::Delete,
        (b'~', b"5") => Key::PageUp,
        (b'~', b"6") => Key::PageDown,
        _ => Key::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut keys = KeyDecoder::default();
        let mut all = keys.take(bytes);
        all.extend(keys.finish());
        all
    }

    #[test]
    fn keys_have_the_sequences_of_common_terminals() {
        assert_eq!(keys(b"aB7"), ['a', 'B', '7'].map(Key::Char));
        assert_eq!(keys("é世".as_bytes()), ['é', '世'].map(Key::Char));
        assert_eq!(keys(b"\r\t\x7f"), [Key::Enter, Key::Tab, Key::Backspace]);
        assert_eq!(keys(b"\x03\x04"), [Key::Control('c'), Key::Control('d')]);
        assert_eq!(keys(b"\x1b[A\x1bOB"), [Key::Up, Key::Down]);
        assert_eq!(keys(b"\x1b[1;5C\x1b[D"), [Key::Right, Key::Left]);
        assert_eq!(
            keys(b"\x1b[H\x1b[4~\x1bOF"),
            [Key::Home, Key::End, Key::End]
        );
        assert_eq!(
            keys(b"\x1b[5~\x1b[6~\x1b[3~"),
            [Key::PageUp, Key::PageDown, Key::Delete]
        );
        assert_eq!(keys(b"\x1bx\x1b[15~\x00"), [Key::Other; 3]);
        assert_eq!(keys(b"\xffa"), [Key::Other, Key::Char('a')]);
    }

    #[test]
    fn escape_is_a_key_when_nothing_follows() {
        assert_eq!(keys(b"\x1b"), [Key::Escape]);
        assert_eq!(keys(b"\x1b\x1b"), [Key::Escape, Key::Escape]);
        let mut keys = KeyDecoder::default();
        assert_eq!(keys.take(b"\x1b"), []);
        assert!(keys.is_waiting());
        assert_eq!(keys.take(b"[A"), [Key::Up]);
        assert!(!keys.is_waiting());
    }

    #[test]
    fn a_sequence_without_end_does_not_wait_for_ever() {
        let mut keys = KeyDecoder::default();
        let endless = [b"\x1b[".as_slice(), &[b'1'; 100]].concat();
        assert_eq!(keys.take(&endless), [Key::Other]);
        assert!(!keys.is_waiting());
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_keys(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0..40_usize) {
            let cut = cut.min(bytes.len());
            let mut whole = KeyDecoder::default();
            let mut all = whole.take(&bytes);
            all.extend(whole.finish());
            let mut pieces = KeyDecoder::default();
            let mut both = pieces.take(&bytes[..cut]);
            both.extend(pieces.take(&bytes[cut..]));
            both.extend(pieces.finish());
            // An overlong sequence is given up at the end of a read, so its keys depend on how the input is split.
            if bytes.len() < MAX_SEQUENCE_LEN {
                prop_assert_eq!(all, both);
            }
        }
    }
}
