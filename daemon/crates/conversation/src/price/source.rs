//! The table of prices in force: the built-in one, or a file of the user's.

use super::Prices;
use crate::ConversationError;
use crate::error::Result;
use crate::source::hash;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_BYTES: u64 = 4 << 20;

/// A table, and what distinguishes it from others: equal tables have the same number in every process.
#[derive(Debug, Clone)]
pub(crate) struct Priced {
    pub(crate) prices: Arc<Prices>,
    pub(crate) number: u64,
}

/// The table of prices in force. A file is read again once it has changed.
#[derive(Debug)]
pub(crate) struct PriceTable(Mutex<PriceTableState>);

#[derive(Debug, Default)]
struct PriceTableState {
    path: Option<PathBuf>,
    /// Of the file that `read` is about.
    stamp: Option<Stamp>,
    /// `None` before the first use.
    read: Option<Result<Priced, String>>,
}

/// Device, inode, length, and when it was changed.
type Stamp = (u64, u64, u64, i64, i64);

impl PriceTable {
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        let table = Self(Mutex::default());
        table.set_path(path);
        table
    }

    pub(crate) fn set_path(&self, path: Option<PathBuf>) {
        let mut state = self.0.lock();
        if state.path != path {
            *state = PriceTableState {
                path,
                ..PriceTableState::default()
            };
        }
    }

    /// Returns the table, as its file is now.
    pub(crate) fn current(&self) -> Result<Priced> {
        let mut state = self.0.lock();
        let Some(path) = state.path.clone() else {
            let built_in = state.read.get_or_insert_with(|| Ok(Priced::built_in()));
            return built_in.clone().map_err(|why| wrong(Path::new(""), why));
        };
        let stamp = stamp_of(&path);
        if state.read.is_none() || stamp.is_none() || stamp != state.stamp {
            state.stamp = stamp;
            state.read = Some(read(&path));
        }
        let read = state.read.clone().unwrap_or_else(|| Ok(Priced::built_in()));
        read.map_err(|why| wrong(&path, why))
    }
}

impl Priced {
    fn built_in() -> Self {
        Self::of(Prices::built_in(), Prices::BUILT_IN)
    }

    fn of(prices: Prices, text: &str) -> Self {
        Self {
            prices: Arc::new(prices),
            number: hash(text.as_bytes()),
        }
    }
}

fn wrong(path: &Path, why: String) -> ConversationError {
    let path = path.to_owned();
    ConversationError::Prices { path, why }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    let changed = (found.mtime(), found.mtime_nsec());
    Some((found.dev(), found.ino(), found.len(), changed.0, changed.1))
}

fn read(path: &Path) -> Result<Priced, String> {
    let text = text_of(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let prices = Prices::parse(&text).map_err(|error| error.to_string())?;
    Ok(Priced::of(prices, &text))
}

fn text_of(path: &Path) -> io::Result<String> {
    // Opening a named pipe would wait for its writer.
    let found = fs::metadata(path)?;
    if !found.is_file() || found.len() > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        let text = format!("not a file of at most {limit} MiB");
        return Err(io::Error::other(text));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}
