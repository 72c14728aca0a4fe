//! Why a program is not investigated or tested.

use crate::job::JobError;
use ccd_discover::baseline::BaselineError;
use ccd_discover::drive::TargetError;
use ccd_discover::reports::ReportError;
use ccd_discover::safety::Rule;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_session::SessionError;
use serde_json::json;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DiscoverError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("safe mode does not start {line:?}: {}", .rule.name())]
    Refused { line: String, rule: Rule },
    #[error("{0}")]
    Wrong(String),
    #[error("nothing was typed in the session {0}, so there is nothing to learn")]
    NothingLearned(String),
    #[error("could not write to the directory of throw-away folders")]
    Folder(#[source] std::io::Error),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Job(#[from] JobError),
}

impl Reportable for DiscoverError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Target(error) => error.code(),
            Self::Refused { .. } => ErrorCode::RefusedUnsafe,
            Self::Wrong(_) => ErrorCode::InvalidArgument,
            Self::NothingLearned(_) => ErrorCode::TargetEnded,
            Self::Folder(_) => ErrorCode::Storage,
            Self::Session(error) => error.code(),
            Self::Report(error) => error.code(),
            Self::Baseline(error) => error.code(),
            Self::Job(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Target(error) => error.hint(),
            Self::Refused { .. } => Some(
                "`ccctl investigate --unsafe`, or `safe_mode: false` in the configuration, lifts all rules",
            ),
            Self::Session(error) => error.hint(),
            Self::Report(error) => error.hint(),
            Self::Baseline(error) => error.hint(),
            Self::Job(error) => error.hint(),
            Self::Wrong(_) | Self::NothingLearned(_) | Self::Folder(_) => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Target(error) => error.data(),
            Self::Refused { rule, .. } => {
                ErrorData::from_iter([("rule".into(), json!(rule.name()))])
            }
            Self::Session(error) => error.data(),
            Self::Report(error) => error.data(),
            Self::Baseline(error) => error.data(),
            Self::Job(error) => error.data(),
            Self::Wrong(_) | Self::NothingLearned(_) | Self::Folder(_) => ErrorData::new(),
        }
    }
}
