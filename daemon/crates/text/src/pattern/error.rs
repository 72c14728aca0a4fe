//! Errors in patterns that a user sets.

use crate::expect::PatternError;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};

/// Maximum number of positions of all patterns of the file together that may have to be followed at once, for each byte
/// of a text.
/// An ordinary pattern has 2 to 25 (`\w+\s+\p{L}+` 6), `.{0,100}` has 101. The worst that are accepted
/// (`a[ab]{990}[0-9]`, nested optional ones, in each type) take 0.5 to 1.3 s for a text of 64 KiB in one line, and 30
/// to 60 ms for a line of 4,000 bytes, measured on two cores with an unoptimised daemon.
pub(super) const MAX_WEIGHT: u64 = 1000;

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
