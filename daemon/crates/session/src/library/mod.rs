//! The pattern library: the active patterns, and the file in which users set their own.

mod error;

pub use error::LibraryError;

use ccd_protocol::pattern::{
    PatternEntry, PatternOrigin, PatternSetParams, PatternType, PatternUnsetReply,
};
use ccd_store::{blocking, documents};
use ccd_text::pattern::{
    Compiled, EntryError, MAX_ENTRIES, Override, built_in, check_together, entries_of, usable,
};
use parking_lot::{Mutex, RwLock};
use serde_json::Map;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type FileVersion = (u64, u64, [[i64; 2]; 2]);

/// The built-in patterns, and those in `patterns.json` that replace or supplement them.
/// The file may be edited by hand: [`PatternLibrary::fresh`] checks whether it has changed.
pub struct PatternLibrary {
    path: PathBuf,
    now: RwLock<Arc<Compiled>>,
    /// The version of the file that was read last.
    seen: Mutex<Option<FileVersion>>,
    /// One change of the file at a time.
    writing: tokio::sync::Mutex<()>,
}

impl PatternLibrary {
    /// Starts with the built-in patterns; the file is not read yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            now: RwLock::new(Arc::new(Compiled::built_in())),
            seen: Mutex::new(None),
            writing: tokio::sync::Mutex::new(()),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the patterns as they were last read, at no cost.
    pub fn current(&self) -> Arc<Compiled> {
        Arc::clone(&self.now.read())
    }

    /// Returns the patterns in the file now: checks it, and reads it if it has changed.
    /// An entry that cannot be used is skipped, with a warning. If the file is not a list of entries, only the built-in
    /// patterns apply.
    pub async fn fresh(self: &Arc<Self>) -> Arc<Compiled> {
        let library = Arc::clone(self);
        blocking(move || library.look()).await
    }

    /// Sets the patterns of a category; on an error, nothing is changed.
    pub async fn set(
        self: &Arc<Self>,
        params: PatternSetParams,
    ) -> Result<PatternEntry, LibraryError> {
        let _writing = self.writing.lock().await;
        let library = Arc::clone(self);
        blocking(move || library.set_now(params)).await
    }

    pub async fn unset(
        self: &Arc<Self>,
        pattern_type: PatternType,
        category: String,
    ) -> Result<PatternUnsetReply, LibraryError> {
        let _writing = self.writing.lock().await;
        let library = Arc::clone(self);
        blocking(move || library.unset_now(pattern_type, category)).await
    }

    fn look(&self) -> Arc<Compiled> {
        // Held while the file is read, so that simultaneous checks read it once.
        let mut seen = self.seen.lock();
        let now = version_of(&self.path);
        if *seen == now {
            return self.current();
        }
        let compiled = match documents::read(&self.path) {
            Ok(entries) => {
                let entries = entries_of(entries.unwrap_or_default());
                let (entries, warnings) = usable(&self.path, entries);
                Compiled::new(&entries, warnings)
            }
            Err(error) => Compiled::new(
                &[],
                vec![format!("{error}; only the built-in patterns are used")],
            ),
        };
        for warning in compiled.warnings() {
            tracing::warn!(warning, "pattern library");
        }
        let compiled = Arc::new(compiled);
        *self.now.write() = Arc::clone(&compiled);
        *seen = now;
        compiled
    }

    fn set_now(&self, params: PatternSetParams) -> Result<PatternEntry, LibraryError> {
        let PatternSetParams {
            pattern_type,
            category,
            patterns,
            description,
        } = params;
        let mut entries = self.read()?;
        let before = entries
            .iter()
            .position(|entry| entry.is(pattern_type, &category));
        let built_in = built_in(pattern_type, &category);
        let description = description
            .or_else(|| before.map(|at| entries[at].description.clone()))
            .or_else(|| built_in.as_ref().map(|entry| entry.description.clone()))
            .unwrap_or_default();
        let entry = Override {
            pattern_type,
            category,
            patterns,
            description,
            others: before.map_or_else(Map::new, |at| entries[at].others.clone()),
        };
        entry.check()?;
        match before {
            Some(at) => entries[at] = entry.clone(),
            None => entries.push(entry.clone()),
        }
        check_together(&entries)?;
        let all = entries.iter().cloned().map(Ok).collect();
        let (usable, warnings) = usable(&self.path, all);
        let known = warnings.len();
        let together = Compiled::new(&usable, warnings);
        if let Some(problem) = together.warnings().get(known) {
            return Err(EntryError::Limit(problem.clone()).into());
        }
        self.write(&entries)?;
        self.look();
        Ok(PatternEntry {
            pattern_type,
            category: entry.category,
            patterns: entry.patterns,
            description: entry.description,
            origin: match built_in {
                Some(_) => PatternOrigin::Override,
                None => PatternOrigin::Own,
            },
        })
    }

    fn unset_now(
        &self,
        pattern_type: PatternType,
        category: String,
    ) -> Result<PatternUnsetReply, LibraryError> {
        let mut entries = self.read()?;
        let built_in = built_in(pattern_type, &category);
        let len = entries.len();
        entries.retain(|entry| !entry.is(pattern_type, &category));
        if entries.len() == len {
            return Err(LibraryError::NotFound {
                pattern_type,
                category,
                is_built_in: built_in.is_some(),
            });
        }
        self.write(&entries)?;
        self.look();
        Ok(PatternUnsetReply { built_in })
    }

    /// Reads the file to change it: what could not be written back unchanged is an error, no file an empty list.
    fn read(&self) -> Result<Vec<Override>, LibraryError> {
        Ok(documents::read(&self.path)?.unwrap_or_default())
    }

    /// Writes the file atomically.
    fn write(&self, entries: &[Override]) -> Result<(), LibraryError> {
        if entries.len() > MAX_ENTRIES {
            let problem = format!(
                "{} contains {MAX_ENTRIES} categories already: unset some",
                self.path.display()
            );
            return Err(EntryError::Limit(problem).into());
        }
        Ok(documents::write(&self.path, &entries)?)
    }
}

/// Returns what changes with the file: inode, length and times. `None` if there is none, or it cannot be inspected.
fn version_of(path: &Path) -> Option<FileVersion> {
    let facts = std::fs::metadata(path).ok()?;
    let modified = [facts.mtime(), facts.mtime_nsec()];
    let changed = [facts.ctime(), facts.ctime_nsec()];
    Some((facts.ino(), facts.len(), [modified, changed]))
}
