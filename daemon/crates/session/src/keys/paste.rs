//! Text pasted into a program, as a terminal sends it.

use ccd_screen::Modes;

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// Returns the bytes to write for a paste of `text`.
/// Line ends become CR, the byte of the Enter key, as in tmux and every terminal. If the program has enabled bracketed
/// paste, the text is put between the two markers, and any end marker in it is removed, because the text after it would
/// count as typed.
pub fn paste(text: &[u8], modes: &Modes) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + BEGIN.len() + END.len());
    if modes.bracketed_paste {
        bytes.extend_from_slice(BEGIN);
    }
    let mut previous = 0;
    for &byte in text {
        match (previous, byte) {
            (b'\r', b'\n') => {}
            (_, b'\n') => bytes.push(b'\r'),
            _ => bytes.push(byte),
        }
        previous = byte;
        // Checked at the end of the output, not in `text`: removing one marker can form another.
        if modes.bracketed_paste && bytes.ends_with(END) {
            bytes.truncate(bytes.len() - END.len());
        }
    }
    if modes.bracketed_paste {
        bytes.extend_from_slice(END);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bracketed() -> Modes {
        Modes {
            bracketed_paste: true,
            ..Modes::default()
        }
    }

    #[test]
    fn line_ends_become_the_enter_key() {
        assert_eq!(
            paste(b"a\nb\r\nc\rd\n\n", &Modes::default()),
            b"a\rb\rc\rd\r\r"
        );
        assert_eq!(paste(b"a\nb", &bracketed()), b"\x1b[200~a\rb\x1b[201~");
    }

    #[test]
    fn an_end_marker_cannot_be_smuggled_in() {
        assert_eq!(
            paste(b"a\x1b[201~rm\n", &bracketed()),
            b"\x1b[200~arm\r\x1b[201~"
        );
        assert_eq!(
            paste(b"\x1b[20\x1b[201~1~x", &bracketed()),
            b"\x1b[200~x\x1b[201~"
        );
        assert_eq!(
            paste(b"a\x1b[201~b", &Modes::default()),
            b"a\x1b[201~b",
            "no markers, no meaning"
        );
    }

    proptest! {
        #[test]
        fn the_only_end_marker_is_the_last(pieces in prop::collection::vec(prop::sample::select(vec!["\x1b", "[", "2", "0", "1", "~", "\x1b[201~", "x"]), 0..60)) {
            let bytes = paste(pieces.concat().as_bytes(), &bracketed());
            let ends = bytes.windows(END.len()).filter(|window| *window == END).count();
            prop_assert_eq!(ends, 1);
        }
    }
}
