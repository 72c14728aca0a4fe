//! What callers give: times and lengths of lists.

use super::CoachError;

/// Entries of a list, unless the caller says otherwise, and at most.
const LIST_LEN: u32 = 100;
pub(super) const MAX_LIST_LEN: u32 = 1000;

pub(super) fn limit(limit: Option<u32>) -> Result<u32, CoachError> {
    match limit {
        None => Ok(LIST_LEN),
        Some(limit) if (1..=MAX_LIST_LEN).contains(&limit) => Ok(limit),
        Some(_) => Err(CoachError::invalid(format!(
            "limit: must be from 1 to {MAX_LIST_LEN}"
        ))),
    }
}

pub(super) fn check_time(name: &str, time: &str) -> Result<(), CoachError> {
    match ccd_base::clock::age_s(time) {
        Some(_) => Ok(()),
        None => Err(CoachError::invalid(format!(
            "{name}: {time:?} is not a time (RFC 3339)"
        ))),
    }
}
