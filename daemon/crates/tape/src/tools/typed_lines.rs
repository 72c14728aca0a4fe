//! Finds secrets that were typed in several lines, none of which looks like a secret by itself.

use crate::format::{Exchange, InputKind, Tape};
use crate::key::{Fingerprint, StateHash, ends_line};
use ccd_text::redact::{MASK, TypedLines};

/// The secret was typed as a private key.
pub const PRIVATE_KEY: &str = "private_key";

/// Returns the lines of private keys that were typed, as the program has shown them; the input on the tape may be
/// masked.
pub fn shown_keys(tape: &Tape) -> Vec<String> {
    let exchanges = tape.exchanges.iter();
    let of_key = exchanges.filter(|exchange| exchange.annotations.contains_key(PRIVATE_KEY));
    of_key.flat_map(keys_in_output).collect()
}

fn keys_in_output(exchange: &Exchange) -> Vec<String> {
    TypedLines::keys_in_output(&exchange.output().collect::<Vec<u8>>())
}

/// Makes the lines of a secret hidden input, as a recording does. Returns how many there were in each exchange, and
/// which of them may have been printed.
pub(super) fn redact_typed_lines(exchanges: &mut [Exchange]) -> (Vec<usize>, Vec<String>) {
    let mut lines = TypedLines::default();
    let mut shown: Vec<String> = Vec::new();
    let mut take = |exchange: &mut Exchange| {
        let typed = &exchange.input.bytes;
        if exchange.pre.hidden || typed.is_empty() {
            return 0;
        }
        let Some(secret) = lines.take(typed, false) else {
            return 0;
        };
        shown.extend(secret.texts);
        if secret.is_private_key {
            shown.extend(keys_in_output(exchange));
            exchange.annotations.insert(PRIVATE_KEY.into(), true.into());
        }
        hide(exchange);
        1
    };
    let counts = exchanges.iter_mut().map(&mut take).collect();
    (counts, shown)
}

/// Turns an input into a hidden one with the same number of lines.
pub(super) fn hide(exchange: &mut Exchange) {
    let mut bytes = Vec::new();
    let typed = &exchange.input.bytes;
    for line in typed.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
        if line != b"\n" {
            bytes.extend_from_slice(MASK.as_bytes());
        }
        let end = line.last().filter(|byte| matches!(byte, b'\r' | b'\n'));
        bytes.extend(end);
    }
    exchange.input.kind = if bytes.ends_with(b"\r") {
        InputKind::Line
    } else {
        InputKind::Raw
    };
    exchange.input.bytes = bytes;
    exchange.pre.hidden = true;
    exchange.annotations.insert("hidden".into(), true.into());
}

/// Recomputes the states from the line that contains the exchange `first_hidden` on: hidden input counts as its mask.
pub(super) fn rechain(exchanges: &mut [Exchange], first_hidden: usize) {
    let is_end = |exchange: &Exchange| exchange.pre.hidden || ends_line(&exchange.input.bytes);
    let begin = exchanges[..first_hidden].iter().rposition(is_end);
    let exchanges = &mut exchanges[begin.map_or(0, |end| end + 1)..];
    let begin = exchanges
        .first()
        .and_then(|first| first.pre.state_hash.as_deref());
    let Some(mut state) = begin.map(|state| StateHash::after_line(Fingerprint::parse(state)))
    else {
        return;
    };
    for exchange in exchanges {
        if exchange.pre.state_hash.is_some() {
            exchange.pre.state_hash = Some(state.value());
        }
        state.follow(exchange.pre.hidden, &exchange.input.bytes);
    }
}
