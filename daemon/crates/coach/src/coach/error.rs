//! Errors of the coach.

use crate::deliver::{DeliveryError, JournalError};
use crate::place::PlaceError;
use ccd_protocol::coach::CandidateStatus;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_repository::BranchError;
use ccd_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum CoachError {
    #[error("no candidate has the id or fingerprint {0:?}")]
    NotFound(String),
    #[error("several candidates start with {start:?}: {}", .found.join(", "))]
    Ambiguous { start: String, found: Vec<String> },
    #[error("the candidate {id} is {}, so {what}", .status.name())]
    State {
        id: String,
        status: CandidateStatus,
        what: &'static str,
    },
    #[error("{0}")]
    InvalidArgument(String),
    #[error("{0}")]
    Refused(String),
    #[error("the databases of the coach are not available: {0}")]
    Unavailable(String),
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Branch(#[from] BranchError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CoachError {
    pub(super) fn invalid(what: impl Into<String>) -> Self {
        Self::InvalidArgument(what.into())
    }
}

impl From<ccd_store::SqlError> for CoachError {
    fn from(error: ccd_store::SqlError) -> Self {
        Self::Store(error.into())
    }
}

impl Reportable for CoachError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::Ambiguous { .. } => ErrorCode::CandidateNotFound,
            Self::State { .. } | Self::Refused(_) => ErrorCode::CandidateState,
            Self::InvalidArgument(_) => ErrorCode::InvalidArgument,
            Self::Unavailable(_) | Self::Store(_) => ErrorCode::CoachDatabaseUnavailable,
            Self::Delivery(error) => error.code(),
            Self::Journal(error) => error.code(),
            Self::Place(PlaceError::Changed { .. }) => ErrorCode::TargetChanged,
            Self::Place(_) => ErrorCode::Storage,
            Self::Branch(BranchError::Git(_)) => ErrorCode::Storage,
            Self::Branch(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => Some("coach.ledger lists all candidates"),
            Self::Ambiguous { .. } => Some("give more digits"),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Place(PlaceError::Changed { path, block }) => ErrorData::from_iter([
                ("file".into(), path.display().to_string().into()),
                ("block".into(), block.as_str().into()),
            ]),
            _ => ErrorData::new(),
        }
    }
}
