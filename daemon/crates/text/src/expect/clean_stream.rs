//! Cleans the text of output that arrives in pieces.

use super::strip::{Stripper, without_c1};
use encoding_rs::{Decoder, Encoding};

/// Cleans output piece by piece; sequences and characters may be split between pieces.
pub struct CleanStream {
    stripper: Stripper,
    decoder: Decoder,
}

impl CleanStream {
    /// Returns a stream that treats its first byte as the start of text in `encoding`.
    pub fn new(encoding: &'static Encoding) -> Self {
        Self {
            stripper: Stripper::new(),
            decoder: encoding.new_decoder_without_bom_handling(),
        }
    }

    /// Returns the text of `raw`; an incomplete end is returned with the next piece.
    pub fn feed(&mut self, raw: &[u8]) -> String {
        let mut bytes = Vec::with_capacity(raw.len());
        self.stripper.feed(raw, &mut bytes);
        self.decode(&bytes, false)
    }

    /// Returns what was held back, at the end of the output.
    pub fn finish(&mut self) -> String {
        let mut bytes = Vec::new();
        self.stripper.finish(&mut bytes);
        self.decode(&bytes, true)
    }

    fn decode(&mut self, bytes: &[u8], last: bool) -> String {
        // One more than nothing: without room, a decoder would not report that it is done.
        let room = self
            .decoder
            .max_utf8_buffer_length(bytes.len())
            .unwrap_or(bytes.len() * 3 + 16);
        let mut text = String::with_capacity(room);
        let _ = self.decoder.decode_to_string(bytes, &mut text, last);
        without_c1(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::clean_lossy;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_give_the_same_text_as_the_whole(
            parts in prop::collection::vec(prop::sample::select(vec![
                &b"a"[..], b"\r", b"\n", b"\x1b[31m", "é".as_bytes(), "\u{4e16}".as_bytes(), "\u{9b}".as_bytes(), b"\xff", b"\x1b]0;t\x07",
            ]), 0..40),
            cut in 1usize..7,
        ) {
            let whole = parts.concat();
            let mut stream = CleanStream::new(encoding_rs::UTF_8);
            let mut text: String = whole.chunks(cut).map(|piece| stream.feed(piece)).collect();
            text.push_str(&stream.finish());
            prop_assert_eq!(text, clean_lossy(&whole, encoding_rs::UTF_8));
        }
    }
}
