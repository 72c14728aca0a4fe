//! The project that is looked at, and until when.

use crate::error::{MemoryError, Result};
use ccd_repository::WorkTree;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// Absolute, with links resolved.
    pub(crate) root: PathBuf,
    pub(crate) work_tree: Option<WorkTree>,
    pub(crate) deadline: Instant,
}

impl Project {
    pub(crate) fn find(directory: &Path, deadline: Instant) -> Result<Self> {
        let none = || MemoryError::NoProject(directory.to_owned());
        let root = directory.canonicalize().map_err(|_| none())?;
        std::fs::read_dir(&root).map_err(|_| none())?;
        Ok(Self {
            work_tree: WorkTree::find(&root).ok(),
            root,
            deadline,
        })
    }

    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    pub(super) fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or(self.root.as_os_str());
        name.to_string_lossy().into_owned()
    }

    pub(crate) fn branch(&self) -> std::result::Result<String, String> {
        match &self.work_tree {
            Some(tree) => tree.branch().map_err(|error| error.to_string()),
            None => Ok("unknown".to_owned()),
        }
    }
}
