//! `ccctl hook`.

use clap::Args;
use std::time::Duration;

/// How long `ccctl hook` may take, unless its options say something else.
const TIMEOUT_MS: u64 = 100;

/// The allowed range of that time.
const MIN_TIMEOUT_MS: u64 = 20;
const MAX_TIMEOUT_MS: u64 = 1000;

/// Arguments of `hook`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct HookArgs {
    /// Longest time that the hook may take if the daemon does not reply, in milliseconds (20 to 1000) [default: 100]
    #[arg(long, value_name = "MS", value_parser = super::value::count)]
    pub(crate) timeout_ms: Option<u64>,
}

impl HookArgs {
    /// How long the hook may take. A value out of range is no reason to fail: a hook never fails.
    pub(crate) fn timeout(&self) -> Duration {
        let ms = self.timeout_ms.unwrap_or(TIMEOUT_MS);
        Duration::from_millis(ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS))
    }
}
