//! What the targets share.

/// Cuts `bytes` into pieces, whose lengths follow from `seed`: all of length 1 for 0.
#[must_use]
pub fn pieces(mut seed: u8, bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(usize::from(seed % 23).max(1)));
        pieces.push(piece);
        rest = after;
        seed = seed.wrapping_mul(5).wrapping_add(u8::from(seed != 0));
    }
    pieces
}
