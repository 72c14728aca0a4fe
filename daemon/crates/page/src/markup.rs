//! The markup of the page: elements with a name and perhaps a value around texts.
//!
//! Its three signs are characters that no text contains, so nothing that anybody wrote becomes an element. The script makes the
//! elements by name, from a list of its own, and drops the signs to search the texts.

use crate::shown::{SIGNS, name_of, plain, without_sequences};
use ccd_base::visible::is_unseen;

const OPEN: char = SIGNS[0];
const NAMED: char = SIGNS[1];
const CLOSE: char = SIGNS[2];

/// A tree of elements and texts, as one string.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    pub(crate) fn open(&mut self, name: &str) {
        self.0.push(OPEN);
        self.0.push_str(name);
        self.0.push(NAMED);
    }

    /// Opens an element with a value, such as the number of a line or the address of a picture.
    pub(crate) fn open_with(&mut self, name: &str, value: &str) {
        self.open(&format!("{name}|{}", plain(value)));
    }

    pub(crate) fn close(&mut self) {
        self.0.push(CLOSE);
    }

    /// Adds a text. A run of unseen characters becomes one sign with their names.
    pub(crate) fn text(&mut self, text: &str) {
        let text = without_sequences(text);
        let mut rest = &*text;
        while let Some(at) = rest.find(is_unseen) {
            self.0.push_str(&rest[..at]);
            let end = rest[at..]
                .find(|c| !is_unseen(c))
                .map_or(rest.len(), |len| at + len);
            let names: Vec<_> = rest[at..end].chars().map(name_of).collect();
            self.open("span.unseen");
            self.0.push_str(&names.join(" "));
            self.close();
            rest = &rest[end..];
        }
        self.0.push_str(rest);
    }

    pub(crate) fn leaf(&mut self, name: &str, text: &str) {
        self.open(name);
        self.text(text);
        self.close();
    }

    pub(crate) fn within(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.open(name);
        fill(self);
        self.close();
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.leaf("div.note", text);
    }

    /// Adds names with values; those without a value are left out.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) {
        let known = facts.iter().filter(|(_, value)| !value.is_empty());
        let known: Vec<_> = known.collect();
        if known.is_empty() {
            return;
        }
        self.within("dl.facts", |list| {
            for (name, value) in known {
                list.within("div", |pair| {
                    pair.leaf("dt", name);
                    pair.leaf("dd", value);
                });
            }
        });
    }

    /// Adds a folded section, which the page makes when it is opened.
    pub(crate) fn fold(&mut self, title: &str, fill: impl FnOnce(&mut Self)) {
        self.open_with("details.fold", title);
        fill(self);
        self.close();
    }

    pub(crate) fn len_bytes(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }

    /// Returns the texts alone.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> String {
        let parts = self.0.split(OPEN).enumerate().map(|(at, part)| match at {
            0 => part,
            _ => part.split_once(NAMED).unwrap().1,
        });
        parts.collect::<String>().replace(CLOSE, "")
    }

    /// Returns it with brackets as signs.
    #[cfg(test)]
    pub(crate) fn bracketed(&self) -> String {
        self.0
            .replace(OPEN, "{")
            .replace(NAMED, ":")
            .replace(CLOSE, "}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        let mut markup = Markup::default();
        markup.open_with("div", "a\u{92}b");
        markup.text("x\u{91}p\u{92}\u{1b}[1my\u{7}");
        markup.close();
        let expected =
            "{div|a‹U+0092›b:x{span.unseen:U+0091}p{span.unseen:U+0092}y{span.unseen:BEL}}";
        assert_eq!(markup.bracketed(), expected);
    }
}
