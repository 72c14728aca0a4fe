//! Why a program is not investigated or tested.

use ccd_discover::safety::Rule;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use serde_json::json;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DiscoverError {
    #[error("safe mode does not start {line:?}: {}", .rule.name())]
    Refused { line: String, rule: Rule },
    #[error("nothing was typed in the session {0}, so there is nothing to learn")]
    NothingLearned(String),
    #[error("could not write to the directory of throw-away folders")]
    Folder(#[source] std::io::Error),
}

impl Reportable for DiscoverError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Refused { .. } => ErrorCode::RefusedUnsafe,
            Self::NothingLearned(_) => ErrorCode::TargetEnded,
            Self::Folder(_) => ErrorCode::Storage,
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::Refused { .. }).then_some(
            "`ccctl investigate --unsafe`, or `safe_mode: false` in the configuration, lifts all rules",
        )
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Refused { rule, .. } => {
                ErrorData::from_iter([("rule".into(), json!(rule.name()))])
            }
            Self::NothingLearned(_) | Self::Folder(_) => ErrorData::new(),
        }
    }
}
