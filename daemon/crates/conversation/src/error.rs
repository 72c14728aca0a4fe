//! What can go wrong.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_store::StoreError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) type Result<T, E = ConversationError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    #[error(
        "{0}: no such conversation; give the id of a session or a unique prefix of 4 or more characters"
    )]
    NotFound(String),
    #[error("before: {0}: no conversation has this session id; list from the start")]
    NotListed(String),
    #[error("several conversations start with {start:?}: {}", .found.join(", "))]
    Ambiguous { start: String, found: Vec<String> },
    #[error("give one of session, file and project")]
    Unnamed,
    #[error("{}: not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    #[error("{}: no such file", .0.display())]
    NoFile(PathBuf),
    #[error(
        "{}: not a regular file; give a session id or a transcript; ccctl conversation list --project DIR lists the conversations of a directory", .0.display()
    )]
    NotAFile(PathBuf),
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: no line of it is a record of Claude Code", .0.display())]
    NotATranscript(PathBuf),
    #[error("{0}: no record or turn of the conversation has this id")]
    NoRecord(String),
    #[error("{0}: no call of a tool has this id")]
    NoToolCall(String),
    #[error("{0}")]
    Query(String),
    #[error("the index of conversations is not available: {0}")]
    Index(#[from] StoreError),
    /// As `Index`: it could not be brought up to date, which several requests waited for.
    #[error("the index of conversations is not available: {0}")]
    Feed(Arc<StoreError>),
    #[error("conversations.prices: {}: {why}", path.display())]
    Prices { path: PathBuf, why: String },
    #[error("{}: the file was changed while it was read; try again", .0.display())]
    Changed(PathBuf),
    #[error("transcripts cannot be watched: {0}")]
    Watch(#[source] io::Error),
}

impl ConversationError {
    pub(crate) fn read(path: &std::path::Path) -> impl Fn(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::NoFile(path.to_owned()),
            _ => Self::Read {
                path: path.to_owned(),
                source,
            },
        }
    }
}

impl From<ccd_store::SqlError> for ConversationError {
    fn from(error: ccd_store::SqlError) -> Self {
        Self::Index(error.into())
    }
}

impl Reportable for ConversationError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::NotListed(_) | Self::NoFile(_) => {
                ErrorCode::ConversationNotFound
            }
            Self::Ambiguous { .. } | Self::Unnamed | Self::NotAbsolute(_) => {
                ErrorCode::InvalidArgument
            }
            Self::Read { .. } | Self::Changed(_) | Self::Watch(_) => ErrorCode::Storage,
            Self::Query(_) => ErrorCode::QueryInvalid,
            Self::Index(_) | Self::Feed(_) => ErrorCode::ConversationIndexUnavailable,
            // The request is right, and only some methods need prices.
            Self::Prices { .. } => ErrorCode::Unavailable,
            Self::NotAFile(_) | Self::NotATranscript(_) => ErrorCode::NotATranscript,
            Self::NoRecord(_) => ErrorCode::RecordNotFound,
            Self::NoToolCall(_) => ErrorCode::ToolCallNotFound,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Ambiguous { .. } => Some("give more characters"),
            Self::Prices { .. } => {
                Some("correct the file, or remove the key from the configuration")
            }
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Ambiguous { found, .. } => {
                ErrorData::from_iter([("candidates".into(), found.clone().into())])
            }
            _ => ErrorData::new(),
        }
    }
}
