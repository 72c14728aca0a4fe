//! JSON that JavaScript writes and other parsers refuse.

use memchr::memmem;
use std::borrow::Cow;

/// Returns a line with U+FFFD for each half of a surrogate pair that stands alone: JavaScript writes one when it cuts a text
/// within an emoji. The length stays.
#[must_use]
pub fn mended(line: &[u8]) -> Cow<'_, [u8]> {
    if memmem::find(line, b"\\ud").is_none() && memmem::find(line, b"\\uD").is_none() {
        return Cow::Borrowed(line);
    }
    let mut mended = Cow::Borrowed(line);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &line[at..]) {
        at += found;
        match (unit(line, at), unit(line, at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 12,
            (Some(0xd800..0xe000), _) => {
                mended.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            (Some(_), _) => at += 6,
            // Another escape, such as that of a backslash.
            (None, _) => at += 2,
        }
        if at >= line.len() {
            break;
        }
    }
    mended
}

/// Returns a line as text that every parser takes: as [`mended`] does, and with U+FFFD for bytes that are not UTF-8.
#[must_use]
pub fn mended_text(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    match mended(text.as_bytes()) {
        Cow::Borrowed(_) => text,
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Returns the UTF-16 code unit whose escape starts at `at`.
fn unit(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_stay() {
        for (line, expected) in [
            (r#""a\ud83d b""#, r#""a\ufffd b""#),
            (r#""\udc00\uD83D""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\u00e4\n\ud8""#, r#""\u00e4\n\ud8""#),
            (r#""x\ud83d"#, r#""x\ufffd"#),
            (r#""x\"#, r#""x\"#),
        ] {
            assert_eq!(&*mended(line.as_bytes()), expected.as_bytes(), "{line}");
        }
        assert!(matches!(mended(b"plain"), Cow::Borrowed(_)));
        assert_eq!(mended_text(b"\"\\ud83d \xff\""), "\"\\ufffd \u{fffd}\"");
        assert!(matches!(mended_text("ä".as_bytes()), Cow::Borrowed("ä")));
    }
}
