//! Any JSON value with its texts clipped.
//! A payload of a file tool can hold a file of many megabytes several times. Each text is cut while it is read, so a
//! payload costs one pass over its bytes and little memory.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Maximum number of bytes kept of a text: half from its start and half from its end, where errors tend to be.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Maximum number of entries kept of an object or an array.
const MAX_ENTRIES: usize = 128;

/// A JSON value. Numbers are not kept: nothing that is inspected is a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Text(String),
    Bool(bool),
    Object(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    Other,
}

impl Tree {
    /// Returns the member of an object; of two with one name the later.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    pub(super) fn take_text(&mut self, name: &str) -> Option<String> {
        let Self::Object(members) = self else {
            return None;
        };
        let (_, value) = members.iter_mut().rev().find(|(key, _)| key == name)?;
        match value {
            Self::Text(text) => Some(std::mem::take(text)),
            _ => None,
        }
    }

    /// Takes a member; [`Tree::Other`] when there is none.
    pub(super) fn take(&mut self, name: &str) -> Self {
        let Self::Object(members) = self else {
            return Self::Other;
        };
        let found = members.iter_mut().rev().find(|(key, _)| key == name);
        found.map_or(Self::Other, |(_, value)| {
            std::mem::replace(value, Self::Other)
        })
    }

    pub(super) fn is_true(&self, name: &str) -> bool {
        self.member(name) == Some(&Self::Bool(true))
    }
}

/// Returns a text of at most [`MAX_TEXT_BYTES`]: its start and its end, with a mark between them.
fn clipped(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let half = MAX_TEXT_BYTES / 2 - 4;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    format!("{}\n…\n{}", &text[..head], &text[tail..])
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(clipped(text)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    // Entries beyond the limit are read as well, and dropped: the parser's limit for nesting holds for all of them.
    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut kept = Vec::new();
        while let Some(entry) = entries.next_element()? {
            if kept.len() < MAX_ENTRIES {
                kept.push(entry);
            }
        }
        Ok(Tree::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut kept = Vec::new();
        while let Some(member) = members.next_entry::<String, Tree>()? {
            if kept.len() < MAX_ENTRIES {
                kept.push(member);
            }
        }
        Ok(Tree::Object(kept))
    }
}
