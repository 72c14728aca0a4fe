//! The id of a conversation.

/// A uuid in lower case: the only form of id that Claude Code accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationId(String);

impl ConversationId {
    /// Parses a uuid in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_right = |(index, byte): (usize, u8)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        };
        let is_id = text.len() == 36 && text.bytes().enumerate().all(is_right);
        is_id.then(|| Self(text.to_ascii_lowercase()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
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
            assert_eq!(ConversationId::parse(text), None, "{text}");
        }
    }
}
