//! The spool: a directory of payloads that no daemon has taken.
//!
//! **Files.** `{base}/spool/` has mode 0700. Each file has mode 0600 and contains one line: the parameters of `hook.post`
//! ([`super::HookPostParams`]) and a newline. `ccctl hook` writes it under its name with a `.` in front, then renames it,
//! so a file without the `.` is complete. The daemon ignores names with a `.`, except that it removes those that are
//! older than [`UNFINISHED_LIMIT`]: their writer was killed.
//!
//! **Order and size.** Names sort by time, so sorted names are the order of the hooks ([`FileName`]). The size is part of
//! the name: the sum of all sizes is known from one listing of the directory, without a look at each file.
//!
//! **Limit.** A payload that would exceed [`LIMIT_BYTES`] or [`LIMIT_FILES`] is dropped. Each lost payload appends one
//! byte to the file [`LOST`]: its length is how many were lost since it was last removed, and its time of change is when.
//!
//! **Once.** A payload may be both in the spool and with the daemon, if the daemon's reply came too late: both have the
//! same `delivery_id`. The daemon removes a file after it has taken the payload, and sets one aside that it cannot read.

use std::fmt;
use std::time::{Duration, SystemTime};

/// The directory's name in the base directory.
pub const FOLDER: &str = "spool";

/// The file that counts lost payloads, one byte for each. Names of payloads start with a digit.
pub const LOST: &str = "lost";

/// At most this many bytes in all payloads together.
pub const LIMIT_BYTES: u64 = 64 << 20;

/// At most this many payloads, so that a listing of the directory takes a few milliseconds.
pub const LIMIT_FILES: u64 = 50_000;

/// An unfinished file that is older was given up.
pub const UNFINISHED_LIMIT: Duration = Duration::from_secs(60);

/// Name of a payload's file: `{nanoseconds}-{pid}-{bytes}.json`. The nanoseconds since 1970 have 20 digits and the process
/// id has 10, with zeros in front; bytes is the file's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileName {
    pub time_ns: u64,
    pub pid: u32,
    pub len_bytes: u64,
}

impl FileName {
    /// The name of a file that this process writes. A process writes one payload.
    #[must_use]
    pub fn new(at: SystemTime, len_bytes: u64) -> Self {
        let since = at
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            time_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            pid: std::process::id(),
            len_bytes,
        }
    }

    /// Reads the name of a complete file; `None` for any other name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(".json")?.split('-');
        let parsed = Self {
            time_ns: parts.next()?.parse().ok()?,
            pid: parts.next()?.parse().ok()?,
            len_bytes: parts.next()?.parse().ok()?,
        };
        // Only this spelling sorts by time.
        (parsed.to_string() == name).then_some(parsed)
    }

    /// Reads the name of a file that may be unfinished.
    #[must_use]
    pub fn parse_any(name: &str) -> Option<Self> {
        Self::parse(name.strip_prefix('.').unwrap_or(name))
    }

    /// The name while the file is written.
    #[must_use]
    pub fn unfinished(&self) -> String {
        format!(".{self}")
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{:020}-{:010}-{}.json",
            self.time_ns, self.pid, self.len_bytes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn other_names_are_not_payloads() {
        for name in [
            "lost",
            "",
            "1-2-3.json",
            ".x",
            "00000000000000000001-0000000002-3",
        ] {
            assert_eq!(FileName::parse(name), None, "{name:?}");
        }
        let name = FileName::new(SystemTime::now(), 12);
        assert_eq!(FileName::parse(&name.unfinished()), None);
        assert_eq!(FileName::parse_any(&name.unfinished()), Some(name));
    }

    proptest! {
        #[test]
        fn names_sort_by_time(a: u64, b: u64, pid: u32, len_bytes: u64) {
            let name = |time_ns| FileName { time_ns, pid, len_bytes };
            let (first, second) = (name(a.min(b)), name(a.max(b)));
            prop_assert!(first.to_string() <= second.to_string());
            prop_assert_eq!(FileName::parse(&first.to_string()), Some(first));
        }
    }
}
