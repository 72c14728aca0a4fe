//! The tokens of JSON5: escapes, numbers, and the classes of characters.

use super::fault::Fault;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use std::sync::LazyLock;

/// A number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Unsigned(u64),
    /// Negative.
    Signed(i64),
    /// Also used for a number that is too large for the other variants, infinite, or NaN.
    Float(f64),
}

impl Number {
    /// Returns null if JSON has no such number.
    pub(super) fn to_json(self) -> serde_json::Value {
        match self {
            Self::Unsigned(number) => number.into(),
            Self::Signed(number) => number.into(),
            Self::Float(number) => number.into(),
        }
    }

    /// Returns the number if it is whole and not negative; `12.0` is whole.
    pub fn to_whole(self) -> Option<u64> {
        match self {
            Self::Unsigned(number) => Some(number),
            Self::Signed(_) => None,
            Self::Float(number) => {
                // Whole, and in the range in which every whole number is exact.
                let is_exact =
                    number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
                is_exact.then_some(number as u64)
            }
        }
    }

    pub fn to_signed(self) -> Option<i64> {
        match self {
            Self::Signed(number) => Some(number),
            number => i64::try_from(number.to_whole()?).ok(),
        }
    }

    /// Loses precision as JSON's numbers do.
    pub fn to_float(self) -> f64 {
        match self {
            Self::Unsigned(number) => number as f64,
            Self::Signed(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

/// Parses the number at the start of `text`; returns it and its length.
pub(super) fn number(text: &str) -> Option<(Number, usize)> {
    let bytes = text.as_bytes();
    let (is_negative, sign) = match bytes.first()? {
        b'-' => (true, 1),
        b'+' => (false, 1),
        _ => (false, 0),
    };
    let rest = text.get(sign..)?;
    let signed = |number: f64| Number::Float(if is_negative { -number } else { number });
    if rest.starts_with("Infinity") {
        return Some((signed(f64::INFINITY), sign + "Infinity".len()));
    }
    if rest.starts_with("NaN") {
        return Some((signed(f64::NAN), sign + "NaN".len()));
    }
    let digits = rest.as_bytes();
    match (digits.first()?, digits.get(1)) {
        (b'0', Some(b'x' | b'X')) => {
            let hex = rest.get(2..)?;
            let len = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
            let number = u128::from_str_radix(hex.get(..len)?, 16).ok()?;
            let number = if is_negative {
                let number = 0_i128.checked_sub_unsigned(number)?;
                i64::try_from(number).map_or(Number::Float(number as f64), Number::Signed)
            } else {
                u64::try_from(number).map_or(Number::Float(number as f64), Number::Unsigned)
            };
            Some((number, sign + 2 + len))
        }
        (b'0', Some(b'0'..=b'9')) => None,
        (b'0', Some(b'.' | b'e' | b'E')) | (b'1'..=b'9' | b'.', _) => decimal(text),
        (b'0', _) => Some((Number::Unsigned(0), sign + 1)),
        _ => None,
    }
}

fn decimal(text: &str) -> Option<(Number, usize)> {
    let is_part = |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
    let len = text.bytes().take_while(is_part).count();
    let text = text.get(..len)?;
    // The standard library accepts exactly this form.
    let unsigned = text.parse().map(Number::Unsigned);
    let whole = unsigned.or_else(|_| text.parse().map(Number::Signed));
    let number = whole.or_else(|_| text.parse().map(Number::Float));
    Some((number.ok()?, len))
}

/// Reads the escape whose backslash is at `at`. Returns its character (none for an escaped line end), and where it
/// ends.
pub(super) fn escape(text: &str, at: usize) -> Result<(Option<char>, usize), Fault> {
    let stop = |what| Fault::Escape { what };
    let cut = || Fault::Ends { within: "a string" };
    let rest = text.get(at + 1..).unwrap_or_default();
    let char = rest.chars().next().ok_or_else(cut)?;
    let next = at + 1 + char.len_utf8();
    let follows = text.as_bytes().get(next);
    Ok(match char {
        '\r' if follows == Some(&b'\n') => (None, next + 1),
        '\r' | '\n' | '\u{2028}' | '\u{2029}' => (None, next),
        'b' => (Some('\u{8}'), next),
        't' => (Some('\t'), next),
        'n' => (Some('\n'), next),
        'v' => (Some('\u{b}'), next),
        'f' => (Some('\u{c}'), next),
        'r' => (Some('\r'), next),
        '0' if !follows.is_some_and(u8::is_ascii_digit) => (Some('\0'), next),
        '0'..='9' => return Err(stop("octal escapes are not allowed")),
        'x' => {
            let code =
                hex(text, next, 2).ok_or_else(|| stop("\\x needs two hexadecimal digits"))?;
            (char::from_u32(code), next + 2)
        }
        'u' => {
            let (char, end) = utf16(text, next).ok_or_else(|| stop("no character has this \\u"))?;
            (Some(char), end)
        }
        char => (Some(char), next),
    })
}

/// Parses the digits of `\u`, and those of a second escape if the two form one character.
fn utf16(text: &str, at: usize) -> Option<(char, usize)> {
    let first = hex(text, at, 4)?;
    if let Some(char) = char::from_u32(first) {
        return Some((char, at + 4));
    }
    if text.get(at + 4..at + 6)? != "\\u" {
        return None;
    }
    let second = hex(text, at + 6, 4)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let char = char::decode_utf16(pair).next()?.ok()?;
    Some((char, at + 10))
}

fn hex(text: &str, at: usize, len: usize) -> Option<u32> {
    let digits = text.get(at..at + len)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

/// Returns a text without its escapes, which the scanner has checked.
pub(super) fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(rest) = raw.get(at..) {
        let Some(plain) = memchr::memchr(b'\\', rest.as_bytes()) else {
            text.push_str(rest);
            break;
        };
        text.push_str(rest.get(..plain).unwrap_or_default());
        let Ok((char, next)) = escape(raw, at + plain) else {
            break;
        };
        text.extend(char);
        at = next;
    }
    text
}

/// Returns whether a character is white space between values.
pub(super) fn is_blank(char: char) -> bool {
    match char {
        '\u{85}' => false,
        '\u{feff}' => true,
        char => char.is_whitespace(),
    }
}

/// Returns whether a character may be part of a key without quotation marks.
pub(super) fn is_name(char: char, is_start: bool) -> bool {
    static START: LazyLock<ClassUnicode> = LazyLock::new(|| class(r"[\p{L}\p{Nl}]"));
    static PART: LazyLock<ClassUnicode> =
        LazyLock::new(|| class(r"[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\x{200c}\x{200d}]"));
    match char {
        'a'..='z' | 'A'..='Z' | '$' | '_' => true,
        '\0'..='\x7f' => char.is_ascii_digit() && !is_start,
        _ => {
            let ranges = if is_start {
                START.ranges()
            } else {
                PART.ranges()
            };
            let after = ranges.partition_point(|range| range.end() < char);
            ranges.get(after).is_some_and(|range| range.start() <= char)
        }
    }
}

/// Returns the characters of a pattern that is a single class. The patterns are constants, and tested.
pub(super) fn class(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    }
}
