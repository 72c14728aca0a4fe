//! The id of a conversation.

use std::fmt;

/// A uuid in lower case: the only form of id that Claude Code accepts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationId(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of a conversation, which is a uuid")]
pub struct NotAnId(pub String);

impl ConversationId {
    /// Parses a uuid in any case.
    pub fn parse(text: &str) -> Result<Self, NotAnId> {
        let is_right = |(index, byte): (usize, u8)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        };
        if text.len() == 36 && text.bytes().enumerate().all(is_right) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(NotAnId(text.to_owned()))
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::ConversationId;

    #[test]
    fn only_a_uuid_is_an_id() {
        let id = "0123ABCD-2222-4333-8444-555555555555";
        assert_eq!(
            ConversationId::parse(id).unwrap().as_str(),
            id.to_ascii_lowercase()
        );
        for text in [
            "",
            "x",
            "--help",
            "0123ABCD-2222-4333-8444-55555555555",
            "0123ABCD 2222-4333-8444-555555555555",
        ] {
            assert!(ConversationId::parse(text).is_err(), "{text}");
        }
    }
}
