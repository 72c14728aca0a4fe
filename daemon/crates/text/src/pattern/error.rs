//! Errors in patterns that a user sets.

use super::overrides::MAX_WEIGHT;
use crate::expect::PatternError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};

#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    #[error("the category {category:?} {error}")]
    Category {
        category: String,
        error: ccd_protocol::id::IdError,
    },
    #[error("{0}")]
    Limit(String),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(
        "pattern {number} would track up to {weight} positions at once, which is slow: at most {MAX_WEIGHT} are allowed; \
         make its repetitions smaller"
    )]
    Heavy { number: usize, weight: u64 },
    #[error(
        "all patterns that were set would together track up to {weight} positions at once, which is slow: at most \
         {MAX_WEIGHT} are allowed; make repetitions smaller or unset some"
    )]
    HeavyTogether { weight: u64 },
}

impl Reportable for EntryError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Category { .. } | Self::Limit(_) => ErrorCode::InvalidArgument,
            Self::Pattern(error) => error.code(),
            Self::Heavy { .. } | Self::HeavyTogether { .. } => ErrorCode::InvalidPattern,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Pattern(error) => error.data(),
            _ => ErrorData::new(),
        }
    }
}
