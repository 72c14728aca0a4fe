//! A session's screen as a file next to its log, from which the next process continues drawing.

use ccd_base::whole_file::{self, Durability};
use ccd_screen::Screen;
use ccd_store::own_file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const NAME: &str = "screen.json";

/// Enough for the largest screen with all colours in each cell; a larger file was not written by ccd.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct SavedScreen {
    rows: u16,
    cols: u16,
    /// Offset after the output that was drawn.
    upto: u64,
    picture: String,
}

/// Saves a screen, replacing the previous file. Blocks.
pub(super) fn save(
    folder: &Path,
    (rows, cols): (u16, u16),
    upto: u64,
    picture: Vec<u8>,
) -> io::Result<()> {
    let picture = String::from_utf8(picture).map_err(io::Error::other)?;
    let saved = SavedScreen {
        rows,
        cols,
        upto,
        picture,
    };
    write_json(&folder.join(NAME), &saved)
}

/// Reads and draws the saved screen; also returns the offset up to which it is drawn. `None` if there is none, or it
/// cannot be used: then all output is drawn again.
pub(super) async fn load(folder: &Path) -> Option<(Screen, u64)> {
    let path = folder.join(NAME);
    let read = move || {
        let saved: SavedScreen = read_json(&path)?;
        let mut screen = Screen::new(saved.rows, saved.cols);
        screen.feed(saved.picture.as_bytes());
        Some((screen, saved.upto))
    };
    tokio::task::spawn_blocking(read).await.ok()?
}

/// Replaces a file by a JSON value, atomically. Blocks.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let content = serde_json::to_vec(value)?;
    whole_file::replace(path, &content, 0o600, Durability::Later)
}

/// Reads a JSON value; `None` if there is none, or it cannot be used. Blocks.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let content = own_file::content(path, MAX_BYTES).ok()?;
    serde_json::from_slice(&content).ok()
}
