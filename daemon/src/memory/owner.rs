//! The memories of all projects, as handlers see them.

use super::saves::Saves;
use ccd_coach::Coach;
use ccd_conversation::{Conversations, Index};
use ccd_exec::Executor;
use ccd_store::Store;
use std::sync::Arc;

/// Loads and saves memories. The memories themselves are in their projects.
#[derive(Debug)]
pub(crate) struct Memories {
    /// Payloads that it has taken are results of a project.
    pub(crate) coach: Arc<Coach>,
    pub(crate) store: Store,
    /// Claude Code's own list of tasks is in its transcripts.
    pub(crate) conversations: Arc<Conversations>,
    /// Says whether transcripts may be read unasked.
    pub(crate) index: Arc<Index>,
    pub(crate) exec: Arc<Executor>,
    pub(crate) saves: Saves,
}
