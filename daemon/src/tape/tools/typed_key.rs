//! Private keys that were typed line by line: no line of one has a sign of being a secret.

use super::mask::mask_text;
use crate::redact::{KeyLines, MASK, key_lines};
use crate::tape::format::{Exchange, InputKind, Tape, TypedInput};
use crate::tape::key::{Fingerprint, StateHash};

/// Of what was typed in the middle of a private key.
pub(crate) const PRIVATE_KEY: &str = "private_key";

/// The lines of private keys that were typed, as the program has shown them: the tape may not have what was typed.
pub(crate) fn shown_keys(tape: &Tape) -> Vec<String> {
    let exchanges = tape.exchanges.iter();
    let of_key = exchanges.filter(|exchange| exchange.annotations.contains_key(PRIVATE_KEY));
    let shown = of_key.flat_map(|exchange| {
        let chunks = exchange.chunks.iter();
        let output: Vec<u8> = chunks.flat_map(|chunk| &chunk.data).copied().collect();
        key_lines(&output)
    });
    let mut keys: Vec<String> = shown.collect();
    // One may be a part of another.
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    keys.dedup();
    keys
}

/// Makes the lines of a key what a recording makes of them, which is input typed hidden; returns how many secrets each
/// exchange lost, in its input and in its output.
pub(super) fn redact_typed_keys(exchanges: &mut [Exchange]) -> Vec<(usize, usize)> {
    let mut counts = vec![(0, 0); exchanges.len()];
    let mut key = KeyLines::default();
    let mut shown: Vec<String> = Vec::new();
    let mut first = None;
    for (index, exchange) in exchanges.iter_mut().enumerate() {
        let typed = &exchange.input.bytes;
        if exchange.pre.hidden || typed.is_empty() || !key.take(typed) {
            continue;
        }
        first.get_or_insert(index);
        let output: Vec<u8> = exchange
            .chunks
            .iter()
            .flat_map(|chunk| chunk.data.clone())
            .collect();
        shown.extend(key_lines(typed));
        shown.extend(key_lines(&output));
        exchange.pre.hidden = true;
        exchange.input = TypedInput {
            kind: InputKind::Line,
            bytes: format!("{MASK}\r").into(),
        };
        exchange.annotations.insert("hidden".into(), true.into());
        exchange.annotations.insert(PRIVATE_KEY.into(), true.into());
        counts[index].0 = 1;
    }
    let Some(first) = first else {
        return counts;
    };
    shown.sort_by_key(|key| std::cmp::Reverse(key.len()));
    shown.dedup();
    for (exchange, (_, removed)) in exchanges.iter_mut().zip(&mut counts) {
        let masked = shown
            .iter()
            .map(|text| mask_text(exchange, text.as_bytes()));
        *removed = masked.sum();
    }
    rechain(&mut exchanges[first..]);
    counts
}

/// Sets the states behind the first of these exchanges anew: what is hidden counts as the mask there.
fn rechain(exchanges: &mut [Exchange]) {
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
        match exchange.pre.hidden {
            true => state.feed_hidden(),
            false => state.feed(&exchange.input.bytes),
        }
    }
}
