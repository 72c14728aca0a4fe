//! Converts the bytes of a terminal to UTF-8, piece by piece, with the position of each character.

use encoding_rs::Encoding;
use std::ops::Range;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Room for everything that an encoding can output for one more byte.
const UNIT_BYTES: usize = 32;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    #[error("no encoding has the label {label:?}")]
    Unknown { label: String },
    #[error("encoding {name} does not contain ASCII, so control sequences cannot be recognised")]
    NotAscii { name: &'static str },
}

/// Returns the encoding with the WHATWG label `label`, in upper or lower case.
/// [`EncodingError::NotAscii`] for UTF-16, ISO-2022-JP and the labels WHATWG disables.
pub fn encoding_for(label: &str) -> Result<&'static Encoding, EncodingError> {
    let encoding = Encoding::for_label(label.as_bytes()).ok_or_else(|| EncodingError::Unknown {
        label: label.to_owned(),
    })?;
    if !encoding.is_ascii_compatible() {
        let name = encoding.name();
        return Err(EncodingError::NotAscii { name });
    }
    Ok(encoding)
}

pub(super) trait Sink {
    /// Consumes text that is the same, byte for byte, as the raw output at `raw`.
    fn same(&mut self, raw: u64, text: &[u8]);

    /// Consumes text that corresponds to the raw bytes from `start` to `end` as a whole.
    fn unit(&mut self, start: u64, end: u64, text: &[u8]);
}

/// A decoder that holds back an incomplete character.
pub(super) struct Decoder {
    decoder: encoding_rs::Decoder,
    /// Where the bytes of the incomplete character are.
    open: Option<Range<u64>>,
}

impl Decoder {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        Self {
            decoder: encoding.new_decoder_without_bom_handling(),
            open: None,
        }
    }

    /// Returns whether no character is incomplete, so that ASCII can be passed on unchanged.
    pub(super) fn is_between_chars(&self) -> bool {
        self.open.is_none()
    }

    /// Decodes the bytes at `raw`; invalid bytes become U+FFFD.
    pub(super) fn decode(&mut self, mut raw: u64, mut bytes: &[u8], sink: &mut impl Sink) {
        while let Some(&byte) = bytes.first() {
            let len = match self.open {
                None => self.same_len(bytes),
                Some(_) => 0,
            };
            if len > 0 {
                sink.same(raw, &bytes[..len]);
            } else {
                self.decode_byte(raw, byte, sink);
            }
            raw += len.max(1) as u64;
            bytes = &bytes[len.max(1)..];
        }
    }

    /// Returns how many bytes at the start of `bytes` are the same in UTF-8.
    fn same_len(&self, bytes: &[u8]) -> usize {
        if self.is_utf8() {
            Encoding::utf8_valid_up_to(bytes)
        } else {
            Encoding::ascii_valid_up_to(bytes)
        }
    }

    fn is_utf8(&self) -> bool {
        self.decoder.encoding() == encoding_rs::UTF_8
    }

    fn decode_byte(&mut self, raw: u64, byte: u8, sink: &mut impl Sink) {
        // No character of UTF-8 starts with these bytes, which are frequent in output that is not text.
        if matches!(byte, 0x80..=0xc1 | 0xf5..) && self.is_between_chars() && self.is_utf8() {
            return sink.unit(raw, raw + 1, REPLACEMENT);
        }
        let mut unit = [0; UNIT_BYTES];
        let (_, _, written, _) = self.decoder.decode_to_utf8(&[byte], &mut unit, false);
        let is_open = self.decoder.latin1_byte_compatible_up_to(&[]).is_none();
        let mut text = &unit[..written];
        let mut start = raw;
        if let Some(open) = self.open.take() {
            start = open.start;
            // The byte ended the incomplete character, and is a character itself or starts the next one.
            if let Some(rest) = text.strip_prefix(REPLACEMENT)
                && (rest == [byte] || rest == REPLACEMENT || (rest.is_empty() && is_open))
            {
                sink.unit(open.start, open.end, REPLACEMENT);
                (start, text) = (raw, rest);
            }
        }
        if !text.is_empty() {
            sink.unit(start, raw + 1, text);
        }
        self.open = is_open.then_some(start..raw + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Default)]
    struct Record {
        text: Vec<u8>,
        ends: Vec<u64>,
    }

    impl Sink for Record {
        fn same(&mut self, raw: u64, text: &[u8]) {
            self.text.extend_from_slice(text);
            self.ends.push(raw + text.len() as u64);
        }

        fn unit(&mut self, start: u64, end: u64, text: &[u8]) {
            assert!(start < end);
            self.text.extend_from_slice(text);
            self.ends.push(end);
        }
    }

    fn decode(encoding: &'static Encoding, raw: &[u8], step: usize) -> Record {
        let (mut decoder, mut record, mut offset) = (Decoder::new(encoding), Record::default(), 0);
        for chunk in raw.chunks(step) {
            decoder.decode(offset, chunk, &mut record);
            offset += chunk.len() as u64;
        }
        record
    }

    #[test]
    fn a_character_cut_by_chunks_is_whole() {
        for (encoding, text) in [
            (encoding_rs::UTF_8, "aé€😀b"),
            (encoding_rs::SHIFT_JIS, "端末ソabc"),
        ] {
            let (raw, _, _) = encoding.encode(text);
            assert_eq!(decode(encoding, &raw, 1).text, text.as_bytes());
        }
    }

    #[test]
    fn labels_that_no_terminal_can_have_are_refused() {
        assert_eq!(encoding_for("latin1").unwrap(), encoding_rs::WINDOWS_1252);
        assert_eq!(encoding_for("SJIS").unwrap(), encoding_rs::SHIFT_JIS);
        let refused = encoding_for("utf-16");
        assert!(matches!(refused, Err(EncodingError::NotAscii { .. })));
        let refused = encoding_for("klingon");
        assert!(matches!(refused, Err(EncodingError::Unknown { .. })));
    }

    proptest! {
        #[test]
        fn pieces_decode_as_the_whole_does(
            raw in proptest::collection::vec(
                prop_oneof![proptest::sample::select(&b"aA0~\x81\x82\xe2\x82\xac\xf0\x9f\xc3\xa9\x8e\xff"[..]), any::<u8>()],
                0..60,
            ),
            step in 1usize..9,
            label in proptest::sample::select(&["utf-8", "sjis", "latin1", "big5", "gb18030", "euc-jp", "euc-kr"][..]),
        ) {
            let encoding = encoding_for(label).unwrap();
            let got = decode(encoding, &raw, step);
            let (want, _) = encoding.decode_without_bom_handling(&raw);
            let got_text = String::from_utf8(got.text).unwrap();
            // An incomplete character at the end is still held back.
            let held = want.strip_suffix('\u{fffd}').unwrap_or(&want);
            prop_assert!(got_text == want || got_text == held, "{:?} {:?}", got_text, want);
            prop_assert!(got.ends.windows(2).all(|pair| pair[0] <= pair[1]));
        }
    }
}
