//! Converts the bytes of a terminal to UTF-8, piece by piece, with the position of each character.

use std::str::from_utf8;

use encoding_rs::Encoding;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

const MAX_CHAR_BYTES: usize = 4;

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
pub(super) enum Decoder {
    /// Bytes are passed on unchanged.
    Bytes,
    Utf8(OpenChar),
    Legacy {
        decoder: Box<encoding_rs::Decoder>,
        open_start: Option<u64>,
    },
}

/// The first bytes of a UTF-8 character, and the offset of each.
#[derive(Default)]
pub(super) struct OpenChar {
    bytes: [u8; MAX_CHAR_BYTES],
    offsets: [u64; MAX_CHAR_BYTES],
    len: usize,
}

impl Decoder {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        if encoding == encoding_rs::UTF_8 {
            return Self::Utf8(OpenChar::default());
        }
        Self::Legacy {
            decoder: Box::new(encoding.new_decoder_without_bom_handling()),
            open_start: None,
        }
    }

    /// Returns whether no character is incomplete, so that ASCII can be passed on unchanged.
    pub(super) fn is_between_chars(&self) -> bool {
        match self {
            Self::Bytes => true,
            Self::Utf8(open) => open.len == 0,
            Self::Legacy { open_start, .. } => open_start.is_none(),
        }
    }

    /// Decodes the bytes at `raw`; invalid bytes become U+FFFD.
    pub(super) fn decode(&mut self, raw: u64, bytes: &[u8], sink: &mut impl Sink) {
        match self {
            Self::Bytes => sink.same(raw, bytes),
            Self::Utf8(open) => open.decode(raw, bytes, sink),
            Self::Legacy {
                decoder,
                open_start,
            } => decode_legacy(decoder, open_start, raw, bytes, sink),
        }
    }
}

impl OpenChar {
    fn decode(&mut self, mut raw: u64, mut bytes: &[u8], sink: &mut impl Sink) {
        while !bytes.is_empty() {
            let used = if self.len == 0 {
                self.start(raw, bytes, sink)
            } else {
                self.go_on(raw, bytes[0], sink)
            };
            raw += used as u64;
            bytes = &bytes[used..];
        }
    }

    /// Passes on complete characters, then one invalid or incomplete one; returns how many bytes.
    fn start(&mut self, raw: u64, bytes: &[u8], sink: &mut impl Sink) -> usize {
        // No character starts with these bytes, which are frequent in output that is not text.
        if matches!(bytes[0], 0x80..=0xc1 | 0xf5..) {
            sink.unit(raw, raw + 1, REPLACEMENT);
            return 1;
        }
        let Err(error) = from_utf8(bytes) else {
            sink.same(raw, bytes);
            return bytes.len();
        };
        let valid_len = error.valid_up_to();
        if valid_len > 0 {
            sink.same(raw, &bytes[..valid_len]);
        }
        let wrong = raw + valid_len as u64;
        if let Some(wrong_len) = error.error_len() {
            sink.unit(wrong, wrong + wrong_len as u64, REPLACEMENT);
            return valid_len + wrong_len;
        }
        for (offset, byte) in (wrong..).zip(&bytes[valid_len..]) {
            self.push(offset, *byte);
        }
        bytes.len()
    }

    /// Adds one byte to the incomplete character; returns 0 if it does not belong to it.
    fn go_on(&mut self, raw: u64, byte: u8, sink: &mut impl Sink) -> usize {
        let last = self.offsets[self.len - 1];
        self.push(raw, byte);
        let (used, end, text) = match from_utf8(&self.bytes[..self.len]) {
            Ok(text) => (1, raw + 1, text.as_bytes()),
            Err(error) if error.error_len().is_none() => return 1,
            Err(_) => (0, last + 1, REPLACEMENT),
        };
        sink.unit(self.offsets[0], end, text);
        self.len = 0;
        used
    }

    fn push(&mut self, offset: u64, byte: u8) {
        self.bytes[self.len] = byte;
        self.offsets[self.len] = offset;
        self.len += 1;
    }
}

fn decode_legacy(
    decoder: &mut encoding_rs::Decoder,
    open_start: &mut Option<u64>,
    mut raw: u64,
    mut bytes: &[u8],
    sink: &mut impl Sink,
) {
    while let Some(&byte) = bytes.first() {
        let ascii_len = match open_start {
            None => Encoding::ascii_valid_up_to(bytes),
            Some(_) => 0,
        };
        if ascii_len > 0 {
            sink.same(raw, &bytes[..ascii_len]);
            raw += ascii_len as u64;
            bytes = &bytes[ascii_len..];
            continue;
        }
        let mut unit = [0; UNIT_BYTES];
        let (_, _, written, _) = decoder.decode_to_utf8(&[byte], &mut unit, false);
        let text = &unit[..written];
        let start = open_start.unwrap_or(raw);
        let is_open = decoder.latin1_byte_compatible_up_to(&[]).is_none();
        *open_start = is_open.then_some(start);
        match text.strip_prefix(REPLACEMENT) {
            // The byte ended the incomplete character and is a character itself.
            Some(rest) if start < raw && rest == [byte] => {
                sink.unit(start, raw, REPLACEMENT);
                sink.same(raw, rest);
            }
            // The byte ended the incomplete character and starts the next one.
            Some([]) if start < raw && is_open => {
                sink.unit(start, raw, REPLACEMENT);
                *open_start = Some(raw);
            }
            _ if !text.is_empty() => sink.unit(start, raw + 1, text),
            _ => {}
        }
        raw += 1;
        bytes = &bytes[1..];
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
        assert_eq!(
            decode(encoding_rs::UTF_8, "aé€😀b".as_bytes(), 1).text,
            "aé€😀b".as_bytes()
        );
        let (raw, _, _) = encoding_rs::SHIFT_JIS.encode("端末ソabc");
        assert_eq!(
            decode(encoding_rs::SHIFT_JIS, &raw, 1).text,
            "端末ソabc".as_bytes()
        );
    }

    #[test]
    fn labels_that_no_terminal_can_have_are_refused() {
        assert_eq!(encoding_for("latin1").unwrap(), encoding_rs::WINDOWS_1252);
        assert_eq!(encoding_for("SJIS").unwrap(), encoding_rs::SHIFT_JIS);
        assert!(matches!(
            encoding_for("utf-16"),
            Err(EncodingError::NotAscii { .. })
        ));
        assert!(matches!(
            encoding_for("klingon"),
            Err(EncodingError::Unknown { .. })
        ));
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
