//! Text of others on a terminal: shown so that nothing in it is obeyed.

use std::fmt::Write as _;

/// How a character that a terminal would obey is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `\u{1b}`
    Text,
    /// `\u001b`, so that JSON stays the same JSON.
    Json,
}

impl Notation {
    /// The notation for JSON, or for text.
    #[must_use]
    pub fn new(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Text }
    }

    /// Adds a text to `shown`. Only controls (except newline and tab) and what changes the direction of text are replaced; a
    /// return at the start of a line, which moves nothing, is left out of text. Line editors print one after Enter.
    pub fn show(self, text: &str, shown: &mut String) {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_obeyed(*c)) {
            shown.push_str(&rest[..at]);
            rest = &rest[at + c.len_utf8()..];
            if c == '\r' && self == Self::Text && shown.ends_with('\n') {
                continue;
            }
            let number = u32::from(c);
            // Writing to a string cannot fail.
            let _ = match self {
                Self::Text => write!(shown, "\\u{{{number:x}}}"),
                Self::Json => write!(shown, "\\u{number:04x}"),
            };
        }
        shown.push_str(rest);
    }

    /// Returns a text as [`Self::show`] shows it.
    #[must_use]
    pub fn visible(self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        self.show(text, &mut shown);
        shown
    }
}

/// Returns whether a character is invisible to a reader, or changes the order of visible ones. Newline, tab and joiners do not
/// count: emoji and several scripts are written with joiners.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}' => true,
        c => c.is_control(),
    }
}

/// Returns whether a character is unseen in a line: newline, tab and joiners are, too.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    is_unseen(c) || matches!(c, '\n' | '\t' | '\u{200c}' | '\u{200d}')
}

fn is_obeyed(c: char) -> bool {
    let is_direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || c.is_control() && !matches!(c, '\n' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_and_all_else_unchanged() {
        let kept = "a\n\té\u{a0}\u{200b}\u{200e}\u{2029}\u{202f}\u{2065}\u{206a}\u{fdd0}";
        assert_eq!(Notation::Text.visible(kept), kept);
        assert_eq!(Notation::Text.visible("a\n\r\r42\rb"), "a\n42\\u{d}b");
        let obeyed = ('\0'..='\u{1f}')
            .filter(|c| !matches!(c, '\n' | '\t'))
            .chain('\u{7f}'..='\u{9f}')
            .chain('\u{202a}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}');
        for c in obeyed {
            let text = format!("a{c}b");
            let shown = format!("a\\u{{{:x}}}b", u32::from(c));
            assert_eq!(Notation::Text.visible(&text), shown);
            let json = Notation::Json.visible(&format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
