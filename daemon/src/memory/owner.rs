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
    pub(super) coach: Arc<Coach>,
    pub(super) store: Store,
    /// Claude Code's own list of tasks is in its transcripts.
    pub(super) conversations: Arc<Conversations>,
    /// Says whether transcripts may be read unasked.
    pub(super) index: Arc<Index>,
    pub(super) exec: Arc<Executor>,
    pub(super) saves: Saves,
}

impl Memories {
    pub(crate) fn new(
        coach: Arc<Coach>,
        store: Store,
        conversations: Arc<Conversations>,
        index: Arc<Index>,
        exec: Arc<Executor>,
    ) -> Self {
        Self {
            coach,
            store,
            conversations,
            index,
            exec,
            saves: Saves::default(),
        }
    }
}
