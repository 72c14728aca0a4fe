//! Cuts output into slices that are drawn in a short time.

use memchr::memchr;

const MAX_BYTES: usize = 2 << 10;

/// Cells that the sequences of a slice may change; the one that exceeds it is the last.
const MAX_CELLS: usize = 16 << 10;

const ESC: u8 = 0x1b;

/// Returns the length of the slice at the start of `bytes`, for a screen with this number of cells. Only the time
/// depends on it: output may be cut anywhere.
pub(super) fn len(bytes: &[u8], screen_cells: usize) -> usize {
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let (mut at, mut cells) = (0, 0);
    while let Some(found) = memchr(ESC, &bytes[at..]) {
        let body = at + found + 1;
        let is_final = |byte: &u8| *byte >= 0x40 && *byte != b'[';
        let Some(len) = bytes[body..].iter().position(is_final) else {
            break;
        };
        at = body + len + 1;
        if may_change_much(bytes[at - 1]) {
            cells += screen_cells;
        }
        if cells >= MAX_CELLS {
            return at;
        }
    }
    bytes.len()
}

/// Returns whether sequences with this final byte may erase, move or repeat many cells.
fn may_change_much(action: u8) -> bool {
    matches!(
        action,
        b'@' | b'J' | b'K' | b'L' | b'M' | b'P' | b'S' | b'T' | b'X' | b'b' | b'c' | b'h' | b'l'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_ends_after_a_sequence_that_changes_the_screen() {
        let table: [(&[u8], usize, usize); 7] = [
            (b"abc", 1 << 20, 3),
            (b"a\x1b[2Jbc\x1b[2J", 1 << 20, 5),
            (b"\x1b[31mred\x1b[H\x1b[1;9999bx", 1 << 20, 20),
            (b"\x1bcx", 1 << 20, 2),
            (b"\x1b[2J\x1b[2J\x1b[2J", 8 << 10, 8),
            (b"\x1b[2J\x1b[2J\x1b[2J", 80, 12),
            (b"ab\x1b[12", 1 << 20, 6),
        ];
        for (bytes, cells, expected) in table {
            assert_eq!(
                len(bytes, cells),
                expected,
                "{:?}",
                String::from_utf8_lossy(bytes)
            );
        }
        assert_eq!(len(&[b'x'; 1 << 20], 80), MAX_BYTES);
    }
}
