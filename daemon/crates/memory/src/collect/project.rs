//! The project that is looked at, and the trait of what looks.

use super::facts::CollectedPart;
use crate::error::{MemoryError, Result};
use ccd_repository::WorkTree;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// Absolute, with links resolved.
    pub(crate) root: PathBuf,
    pub(crate) work_tree: Option<WorkTree>,
}

impl Project {
    pub(crate) fn find(directory: &Path) -> Result<Self> {
        let none = || MemoryError::NoProject(directory.to_owned());
        let root = directory.canonicalize().map_err(|_| none())?;
        std::fs::read_dir(&root).map_err(|_| none())?;
        let work_tree = WorkTree::find(&root).ok();
        Ok(Self { root, work_tree })
    }

    pub(super) fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or(self.root.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

pub(super) trait Collector: Send + Sync {
    /// What it looks for, for messages.
    fn name(&self) -> &'static str;

    /// Returns what it finds until `deadline`, or why it found nothing. The error is a sentence for the user.
    fn collect(
        &self,
        project: &Project,
        deadline: Instant,
    ) -> std::result::Result<CollectedPart, String>;
}
