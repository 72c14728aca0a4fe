//! The state of a conversation: a hash chain of all inputs.

use super::hash::Fingerprint;
use super::input::{HIDDEN_INPUT, normal_line, normal_part};
use serde::{Deserialize, Serialize};

/// An open line is hashed in parts of this size.
/// It limits memory for programs that are driven by single keys and never see an Enter.
const PART_BYTES: usize = 4096;

/// A hash chain over all input since the start of the program, however it was split.
/// It distinguishes equal inputs at different positions: a counter that answered 1, 2, 3 does so again.
/// An open line is kept as it was typed, so this belongs in memory and not on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateHash {
    /// Over the complete lines, and the complete parts of the open line.
    chain: Fingerprint,
    open: Vec<u8>,
    /// A `\n` that comes next belongs to the `\r` before it.
    is_returned: bool,
}

impl Default for StateHash {
    fn default() -> Self {
        Self::start()
    }
}

impl StateHash {
    pub fn start() -> Self {
        Self::after_line(Fingerprint::new("start", b""))
    }

    /// Continues after a complete line, where the chain had the value `value`.
    pub(crate) fn after_line(value: Fingerprint) -> Self {
        Self {
            chain: value,
            open: Vec::new(),
            is_returned: false,
        }
    }

    pub fn feed(&mut self, raw: &[u8]) {
        let mut rest = raw;
        if self.is_returned && !rest.is_empty() {
            self.is_returned = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr::memchr2(b'\r', b'\n', rest) {
            self.open_line(&rest[..end]);
            self.end_line();
            let behind = &rest[end + 1..];
            let is_return = rest[end] == b'\r';
            self.is_returned = is_return && behind.is_empty();
            rest = match behind.strip_prefix(b"\n") {
                Some(behind) if is_return => behind,
                _ => behind,
            };
        }
        self.open_line(rest);
    }

    /// Adds the input of an exchange.
    pub(crate) fn follow(&mut self, hidden: bool, input: &[u8]) {
        if hidden {
            self.feed_hidden()
        } else {
            self.feed(input)
        }
    }

    /// Adds a line that was typed while the terminal did not echo.
    pub(crate) fn feed_hidden(&mut self) {
        self.open.clear();
        self.open.extend_from_slice(HIDDEN_INPUT.as_bytes());
        self.end_line();
        self.is_returned = false;
    }

    /// Returns the current value: 16 hexadecimal digits.
    pub fn value(&self) -> String {
        self.fingerprint().to_string()
    }

    pub fn fingerprint(&self) -> Fingerprint {
        if self.open.is_empty() {
            return self.chain;
        }
        Fingerprint::chained("open", self.chain, &normal_part(&self.open))
    }

    fn open_line(&mut self, mut raw: &[u8]) {
        while self.open.len() + raw.len() > PART_BYTES {
            let (now, later) = raw.split_at(PART_BYTES - self.open.len());
            self.open.extend_from_slice(now);
            self.chain = Fingerprint::chained("part", self.chain, &normal_part(&self.open));
            self.open.clear();
            raw = later;
        }
        self.open.extend_from_slice(raw);
    }

    fn end_line(&mut self) {
        self.chain = Fingerprint::chained("line", self.chain, &normal_line(&self.open));
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn after(inputs: &[&[u8]]) -> String {
        let mut state = StateHash::start();
        for input in inputs {
            state.feed(input);
        }
        state.value()
    }

    #[test]
    fn the_same_input_again_is_another_state() {
        let states = [
            after(&[]),
            after(&[b"\r"]),
            after(&[b"\r", b"\r"]),
            after(&[b"next\r"]),
            after(&[b"next\r", b"next\r"]),
            after(&[b"next"]),
            after(&[b"next "]),
        ];
        for (number, state) in states.iter().enumerate() {
            assert!(!states[..number].contains(state), "{number}");
            assert_eq!(state.len(), 16);
        }
        assert_eq!(after(&[]), "e6e263c65ae058d8");
    }

    #[test]
    fn how_lines_end_does_not_count() {
        let state = after(&[b"a\rb\r"]);
        assert_eq!(after(&[b"a\r\nb\r\n"]), state);
        assert_eq!(after(&[b"a\r", b"\nb\n"]), state);
        assert_eq!(after(&[b"a  \nb", b"\r", b"\n"]), state);
        assert_eq!(after(&[b"ax\x7f\n\x1b[200~b\x1b[201~\n"]), state);
    }

    #[test]
    fn hidden_lines_are_all_the_same() {
        let mut hidden = StateHash::start();
        hidden.feed(b"login\r");
        hidden.feed_hidden();
        assert_eq!(hidden.value(), after(&[b"login\r", b"***\r"]));
        hidden.feed(b"ls\r");
        assert_eq!(hidden.value(), after(&[b"login\r***\rls\r"]));
    }

    #[test]
    fn a_chain_goes_on_from_its_value_where_a_line_has_ended() {
        let mut first = StateHash::start();
        first.feed(b"a\rb\r");
        let mut second = StateHash::after_line(Fingerprint::parse(&first.value()));
        first.feed(b"c\rd");
        second.feed(b"c\rd");
        assert_eq!(first.value(), second.value());
    }

    #[test]
    fn it_is_kept_between_processes_and_stays_small() {
        let mut state = StateHash::start();
        state.feed(&vec![b'x'; 1 << 20]);
        assert!(state.open.len() <= PART_BYTES);
        let kept = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<StateHash>(&kept).unwrap(), state);
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            input in proptest::collection::vec(
                prop_oneof![
                    8 => proptest::sample::select(&b"\r\r\n\x1b[200~ab \x7f\xc3\xa9"[..]).prop_map(|byte| vec![byte]),
                    1 => (0usize..9000).prop_map(|len| vec![b'x'; len]),
                ],
                0..40,
            ),
            cuts in proptest::collection::vec(1usize..5000, 1..20),
        ) {
            let input = input.concat();
            let (mut state, mut rest) = (StateHash::start(), &input[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, behind) = rest.split_at(rest.len().min(*cut));
                state.feed(piece);
                rest = behind;
            }
            prop_assert_eq!(state.value(), after(&[&input]));
        }
    }
}
