//! Times as the memory has them, and how long ago they were.

use std::time::SystemTime;
use time::OffsetDateTime;
use time::format_description::well_known::{Iso8601, Rfc3339};

/// True for a time in ISO 8601, with its date and its zone.
pub(crate) fn is_time(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
        || OffsetDateTime::parse(text, &Iso8601::DEFAULT).is_ok()
}

/// Returns the end of the second that a time is in, as times of files are more exact; nothing if it is not known.
pub(crate) fn since(text: &str) -> Option<SystemTime> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(time.replace_nanosecond(999_999_999).ok()?.into())
}

/// Returns seconds as `40 s`, `5 min`, `3 h` or `9 days`.
pub(crate) fn age(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
