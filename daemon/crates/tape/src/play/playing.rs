//! The state of a replay.

use super::pace::Injection;
use crate::key::{PromptTracker, StateHash};
use ccd_protocol::tape::TapeUse;
use rangemap::RangeSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Playing {
    /// Typed bytes that belong to no exchange yet.
    pub(super) pending: Vec<u8>,
    /// The echo of the pending bytes that was already printed, as part of an answer.
    pub(super) echoed: Vec<u8>,
    pub(super) state: StateHash,
    pub(super) prompt: PromptTracker,
    /// The exchange that was played last.
    pub(super) at: Option<(String, u32)>,
    pub(super) played: BTreeMap<String, RangeSet<u32>>,
    /// The number of exchanges played.
    pub(super) ordinal: u64,
    /// Output offset at which everything in the queue has been printed.
    pub(super) queued_upto: u64,
    /// Exchanges that may not be printed yet.
    pub(super) queue: VecDeque<Queued>,
    /// Lines that were typed, each with its prompt. They bring a real program to this position, where one may take
    /// over.
    pub(super) typed: Vec<(String, Vec<u8>)>,
    pub(super) has_ended: bool,
    /// The last exchange has a hidden input without a line end, which may be longer.
    #[serde(default)]
    pub(super) is_in_hidden: bool,
    /// The error that was injected into the last exchange.
    #[serde(default)]
    pub(super) injection: Option<Injection>,
    pub(super) uses: TapeUse,
}

/// An exchange whose answer is not printed yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Queued {
    pub(super) tape: String,
    pub(super) exchange: u32,
    pub(super) ordinal: u64,
    /// Offsets in the session's output; the part that was already echoed is included.
    pub(super) start: u64,
    pub(super) end: u64,
}
