//! Texts without what a reader cannot see.

/// Returns a text without control sequences, and without characters that cannot be seen or that reorder others. Line ends
/// and tabs stay.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = match (c, sequence_len(rest)) {
            ('\u{1b}', Some(len)) => &rest[len..],
            _ => {
                if !is_unseen(c) {
                    cleaned.push(c);
                }
                &rest[c.len_utf8()..]
            }
        };
    }
    cleaned
}

/// Returns the length of the control sequence at the start of a text, if there is one: of a colour, of the cursor, of a title.
fn sequence_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\u{1b}')?;
    if let Some(sequence) = rest.strip_prefix('[') {
        let end = sequence.find(|c: char| !(' '..='?').contains(&c))?;
        return ('@'..='~')
            .contains(&sequence[end..].chars().next()?)
            .then_some(end + 3);
    }
    let title = rest.strip_prefix(']')?;
    let end = title.find(['\u{7}', '\u{1b}', '\n'])?;
    match &title[end..] {
        end_of if end_of.starts_with('\u{7}') => Some(end + 3),
        end_of if end_of.starts_with("\u{1b}\\") => Some(end + 4),
        _ => None,
    }
}

/// The page marks the same characters. Joiners are not among them: emoji and several scripts are written with them.
fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => {
            true
        }
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_are_removed_whole() {
        for (text, cleaned) in [
            ("\u{1b}[1;31mred\u{1b}[0m\r\n\tx", "red\n\tx"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("\u{1b}]never ends\nb", "]never ends\nb"),
            ("\u{1b}[never\u{1b}", "ever"),
            ("a\u{202e}b\u{9b}c\u{e0041}d\u{200d}", "abcd\u{200d}"),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_unseen_is_left(text in "[\u{1b}\\[\\];0-9m\u{7}\\\\\n\u{202e}a-z\u{80}-\u{a0}]{0,30}") {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.chars().any(is_unseen));
        }
    }
}
