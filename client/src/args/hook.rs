//! Arguments of `ccctl hook`.

use super::Given;
use crate::fields::Fields as _;
use ccd_protocol::hook::spool::LIMIT_BYTES;
use std::path::PathBuf;
use std::time::Duration;

/// How long `ccctl hook` may take, unless its options say something else.
const TIMEOUT_MS: u64 = 100;

/// The allowed range of that time; commands.txt has it too.
const MIN_TIMEOUT_MS: u64 = 20;
const MAX_TIMEOUT_MS: u64 = 1000;

/// Arguments of `hook`.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookArgs {
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) spool_bytes: Option<u64>,
    pub(crate) no_memory: bool,
    pub(crate) policy: Option<PathBuf>,
}

impl HookArgs {
    pub(crate) fn of(given: &Given) -> Self {
        Self {
            timeout_ms: given.count("timeout_ms"),
            spool_bytes: given.count("spool_bytes"),
            no_memory: given.has("no_memory"),
            policy: given.path("policy").map(PathBuf::from),
        }
    }

    /// The options to write into a hook's command: those that differ from the defaults.
    pub(crate) fn unusual(self) -> Self {
        Self {
            timeout_ms: self.timeout_ms.filter(|ms| *ms != TIMEOUT_MS),
            spool_bytes: self.spool_bytes.filter(|bytes| *bytes != LIMIT_BYTES),
            ..self
        }
    }

    /// The most bytes that may wait in the spool.
    pub(crate) fn spool_bytes(&self) -> u64 {
        self.spool_bytes.unwrap_or(LIMIT_BYTES)
    }

    /// How long the hook may take. A value out of range is no reason to fail: a hook never fails.
    pub(crate) fn timeout(&self) -> Duration {
        let ms = self.timeout_ms.unwrap_or(TIMEOUT_MS);
        Duration::from_millis(ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS))
    }
}
