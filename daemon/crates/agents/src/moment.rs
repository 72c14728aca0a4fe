//! Points in time.

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// By the clock that people read, and by one that runs from the start of the system and never jumps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    pub unix_ms: u64,
    pub boot_ms: u64,
}

impl Moment {
    #[must_use]
    pub fn new(time: SystemTime, since_boot: Duration) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            unix_ms: ms(since),
            boot_ms: ms(since_boot),
        }
    }

    /// Returns how long this was before `later`.
    #[must_use]
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(later.boot_ms.saturating_sub(self.boot_ms))
    }

    /// Returns the moment so long before this one.
    #[must_use]
    pub fn earlier(self, age: Duration) -> Self {
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        Self {
            unix_ms: self.unix_ms.saturating_sub(age),
            boot_ms: self.boot_ms.saturating_sub(age),
        }
    }

    /// Returns the time in UTC, as records have it.
    #[must_use]
    pub fn utc(self) -> String {
        ccd_base::clock::at(UNIX_EPOCH + Duration::from_millis(self.unix_ms))
    }
}
