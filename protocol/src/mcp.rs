//! The first line of a connection that speaks MCP: `mcp`, a space, and an [`Opening`] as JSON.
//!
//! After it, both directions are MCP as on standard input and output: one JSON-RPC message per line.

use crate::version::Caller;
use crate::{Inherited, Limits, Umask};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;

/// The word that starts the first line. No JSON text starts with its first letter.
pub const WORD: &str = "mcp";

/// Maximum length of a message of the client, without its newline.
pub const MESSAGE_LIMIT_BYTES: usize = 1 << 20;

/// What the daemon is told of the client before MCP starts. Every member is optional.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Opening {
    pub ccd: Option<Caller>,
    /// Working directory of the client: that of the programs that it starts, and its project.
    pub cwd: Option<String>,
    /// Environment of the client, for the programs that it starts.
    pub env: Option<BTreeMap<String, String>>,
    /// Its file mode mask and its limits, for them too.
    pub umask: Option<Umask>,
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Random text that stays the same when the client connects again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// What an earlier connection of the same client had reached when its worker ended.
    pub resume: Option<Resume>,
}

/// The state of a conversation in MCP that another worker continues.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Resume {
    /// The client's `initialize` request, which has been answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialize: Option<Box<RawValue>>,
    /// Resources to which the client has subscribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscriptions: Vec<String>,
    /// Requests without a reply. The earlier worker may have carried them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Box<RawValue>>,
}

impl Opening {
    /// Returns what the programs that the client starts inherit from it.
    #[must_use]
    pub fn inherited(&self) -> Inherited {
        Inherited {
            caller_env: self.env.clone(),
            umask: self.umask,
            limits: self.limits.clone(),
        }
    }

    /// Returns the first line, with its newline.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{WORD} {json}\n")
    }

    /// Reads the first line, without its newline. Nothing after the word means that nothing is told.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let rest = line.strip_prefix(WORD.as_bytes());
        let rest = rest.filter(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
        let rest = rest.ok_or_else(|| format!("the first line does not start with {WORD}"))?;
        if rest.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_slice(rest).map_err(|error| format!("after {WORD}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let opening = Opening {
            cwd: Some("/a".into()),
            instance: "x1".into(),
            resume: Some(Resume {
                initialize: Some(raw(r#"{"id":1}"#)),
                subscriptions: vec!["ccd://session/a/output".into()],
                unanswered: vec![raw(r#"{"id":"b"}"#)],
            }),
            ..Opening::default()
        };
        let line = opening.line();
        assert!(line.starts_with("mcp {") && line.ends_with("}\n"));
        let read = Opening::parse(line.trim_end().as_bytes()).unwrap();
        assert_eq!(read.line(), line);
    }

    #[test]
    fn the_word_alone_is_enough_and_anything_else_is_refused() {
        assert!(Opening::parse(b"mcp").unwrap().cwd.is_none());
        assert!(Opening::parse(b"mcp {}\r").unwrap().resume.is_none());
        for wrong in [
            &b"mc"[..],
            b"mcp 5",
            b"mcp {\"cwd\": 5}",
            b"mcpx {}",
            b"mcp \xff",
        ] {
            assert!(Opening::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
