//! The conversations that were read last.

use super::loaded::Loaded;
use crate::ConversationError;
use crate::error::Result;
use parking_lot::Mutex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many conversations are kept, so that the next page of one need not be read from the start.
const LEN: usize = 4;

/// How many records they may have together. A record takes about a kilobyte.
const MAX_RECORDS: usize = 200_000;

#[derive(Debug, Default)]
pub struct Shelf {
    /// The last used last.
    loaded: Mutex<Vec<(PathBuf, Arc<Loaded>)>>,
}

impl Shelf {
    /// Returns a conversation as its files are now. Blocks while it reads what is new.
    pub fn get(&self, main: &Path) -> Result<Arc<Loaded>> {
        // Opening a named pipe would wait for a writer.
        if fs::metadata(main).is_ok_and(|found| !found.is_file()) {
            return Err(ConversationError::NotAFile(main.to_owned()));
        }
        let known = {
            let mut loaded = self.loaded.lock();
            let at = loaded.iter().position(|(path, _)| path == main);
            at.map(|at| loaded.remove(at).1)
        };
        let known = known.map_or_else(|| Loaded::new(main), Arc::unwrap_or_clone);
        let now = Arc::new(known.refreshed()?);
        if now.records.all().len() <= MAX_RECORDS {
            let mut loaded = self.loaded.lock();
            loaded.retain(|(path, _)| path != main);
            loaded.push((main.to_owned(), Arc::clone(&now)));
            let records = |one: &(PathBuf, Arc<Loaded>)| one.1.records.all().len();
            while loaded.len() > LEN || loaded.iter().map(records).sum::<usize>() > MAX_RECORDS {
                loaded.remove(0);
            }
        }
        Ok(now)
    }
}
