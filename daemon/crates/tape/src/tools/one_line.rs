//! Formats an input as one line of text.

use crate::format::{InputKind, TypedInput};
use std::fmt::Write as _;

/// Returns an input as one line of text: control characters and bytes that are not text are written as `\n` or `\xNN`,
/// and the Enter at the end of a line is omitted.
pub fn input_in_one_line(input: &TypedInput) -> String {
    let bytes = match input.kind {
        InputKind::Line => input.bytes.strip_suffix(b"\r"),
        InputKind::Raw => match input.bytes.strip_suffix(b"\n") {
            // For a program without a terminal.
            Some(line) if !line.contains(&b'\n') => Some(line),
            _ => None,
        },
    };
    let mut text = String::new();
    for chunk in bytes.unwrap_or(&input.bytes).utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                c if (c as u32) < 0x80 && c.is_control() => escape(&mut text, c as u8),
                // They would break the line too.
                c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                    let _ = write!(text, "\\u{{{:x}}}", c as u32);
                }
                c => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            escape(&mut text, *byte);
        }
    }
    text
}

fn escape(text: &mut String, byte: u8) {
    let _ = write!(text, "\\x{byte:02x}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_stand_as_numbers() {
        let raw = |bytes: &[u8]| {
            input_in_one_line(&TypedInput {
                kind: InputKind::Raw,
                bytes: bytes.to_vec(),
                ..TypedInput::default()
            })
        };
        assert_eq!(raw(b"\x1b[A\xff\xc3(\x7f"), "\\x1b[A\\xff\\xc3(\\x7f");
        assert_eq!(raw(b"line\n"), "line");
        assert_eq!(raw(b"a\nb\n"), "a\\nb\\n");
    }
}
