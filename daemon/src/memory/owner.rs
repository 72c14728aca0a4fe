//! The memories of all projects, as handlers see them.

use super::save::Saves;
use ccd_coach::Coach;
use ccd_store::Store;
use std::sync::Arc;

/// Loads and saves memories. The memories themselves are in their projects.
#[derive(Debug)]
pub(crate) struct Memories {
    /// Payloads that it has taken are results of a project.
    pub(super) coach: Arc<Coach>,
    pub(super) store: Store,
    /// What hooks ask for.
    pub(super) saves: Saves,
}

impl Memories {
    pub(crate) fn new(coach: Arc<Coach>, store: Store) -> Self {
        Self {
            coach,
            store,
            saves: Saves::default(),
        }
    }
}
