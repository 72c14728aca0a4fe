//! How often tapes were played.

use std::collections::HashMap;

/// What is known of the tapes of a folder, by their ids.
pub(crate) type Usage = HashMap<String, Used>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// Exchanges that were played.
    pub(crate) count: u64,
    pub(crate) at: Option<String>,
}
