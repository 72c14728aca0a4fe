//! What can be wrong with a request to the library.

use super::overrides::MAX_WEIGHT;
use crate::documents::DocumentError;
use crate::expect::PatternError;
use ccd_protocol::pattern::PatternType;

/// Why the library cannot do what it is asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LibraryError {
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
        "pattern {number} may have {weight} places to follow at once: at most {MAX_WEIGHT} are allowed, since each takes \
         time for every byte; make its repetitions smaller"
    )]
    Heavy { number: usize, weight: u64 },
    #[error(
        "all patterns that were set may have {weight} places to follow at once: at most {MAX_WEIGHT} are allowed, since \
         each takes time for every byte; make repetitions smaller or unset some"
    )]
    HeavyTogether { weight: u64 },
    #[error("no {} patterns of the category {category:?} were set{}", .pattern_type.name(), because(*.is_built_in))]
    NotFound {
        pattern_type: PatternType,
        category: String,
        is_built_in: bool,
    },
    #[error("{0}; mend or remove the file first, so that nothing in it is lost")]
    Document(#[from] DocumentError),
}

fn because(is_built_in: bool) -> &'static str {
    if is_built_in {
        ": those in force are built in"
    } else {
        ""
    }
}
