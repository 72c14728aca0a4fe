//! Texts in the place of a secret that are not secrets.

use super::scan::run_len;
use crate::words::{WordList, words};

/// Maximum length of a value that is compared as a whole, in bytes; longer ones count as secrets.
pub(in crate::redact) const MAX_COMPARED_BYTES: usize = 64;

/// Words that mean "none", are the name of a type, or continue a sentence.
static WORDS: WordList = WordList::new(|| words(include_str!("words/placeholders.txt")));

/// Objects in programs whose members are not literals.
static ROOTS: WordList = WordList::new(|| words(include_str!("words/roots.txt")));

/// Returns whether `value` is a mask, a variable, a placeholder of a template, or a word that is not a secret.
/// Reads [`MAX_COMPARED_BYTES`] at most.
pub(in crate::redact) fn is_placeholder(value: &[u8]) -> bool {
    if value.is_empty() || begins_a_gap(value) {
        return true;
    }
    if value.len() > MAX_COMPARED_BYTES {
        return false;
    }
    let Ok(text) = std::str::from_utf8(value) else {
        return false;
    };
    let lower = text.to_ascii_lowercase();
    let without_emphasis = lower.trim_matches(['*', '_']);
    WORDS.contains(&lower.as_str())
        || WORDS.contains(&without_emphasis)
        || is_filler(text)
        || is_shell_variable(text)
        || (text.starts_with('{') && text.ends_with('}'))
        || (text.starts_with('<') && text.ends_with('>'))
        || (text.starts_with('%') && text.len() <= 3)
        || ["your_", "your-", "your "]
            .iter()
            .any(|start| lower.starts_with(start))
}

/// Returns whether an unquoted `value` is an expression of a program: a call, an index, a member of a known object.
/// `value` may be cut.
pub(in crate::redact) fn is_expression(value: &[u8]) -> bool {
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:&".contains(&byte);
    let (name, after) = value.split_at(run_len(value, is_path));
    // A password can be `a1(b2`; the name of a function has no digit, or is a path.
    let is_function = !name.is_empty()
        && (!name.iter().any(u8::is_ascii_digit) || name.windows(2).any(|pair| pair == b"::"));
    let is_call = matches!(after, [b'(' | b'[', ..] | [b'!', b'(' | b'[' | b'{', ..]);
    let is_generic = matches!(after, [b'<', b'A'..=b'Z' | b'&', ..]);
    (is_function && (is_call || is_generic))
        || value.first().is_some_and(|byte| b"&[{<(".contains(byte))
        || ROOTS.iter().any(|root| value.starts_with(root.as_bytes()))
}

/// Returns whether `value` starts with a mask or a placeholder of a template.
pub(in crate::redact) fn begins_a_gap(value: &[u8]) -> bool {
    [&b"***"[..], b"${", b"$(", b"{{", b"%(", b"#{"]
        .iter()
        .any(|gap| value.starts_with(gap))
}

/// Returns whether one character is repeated: `xxxx`, `......`, `----`.
fn is_filler(text: &str) -> bool {
    const MIN_CHARS: usize = 3;
    let mut chars = text.chars();
    let first = chars.next();
    matches!(first, Some('*' | 'x' | 'X' | '.' | '•' | '-' | '_' | '…'))
        && chars.all(|c| Some(c) == first)
        && text.chars().count() >= MIN_CHARS
}

/// Returns whether `text` is `$NAME` or `$1`. In lower case it could be a password that starts with a dollar.
fn is_shell_variable(text: &str) -> bool {
    text.strip_prefix('$').is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}
