//! The screen of a session: drawn on request, from where the last request ended.
//!
//! Parsing costs as much as the terminal itself, so it is never done while output is delivered.

use super::file as screen_file;
use super::sizes::{self, Resize, Sizes};
use crate::output::{Output, Piece};
use ccd_screen::Screen;
use ccd_terminal::lock::lock;
use encoding_rs::Encoding;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of output that are parsed at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Most bytes of output that are parsed on the asynchronous threads.
const INLINE_BYTES: usize = 8 << 10;

/// The screen is saved after this much output was drawn since the last time.
const SAVE_AFTER_BYTES: u64 = 1 << 20;

/// The screen and the offset up to which it is drawn.
#[derive(Debug)]
pub struct ScreenModel {
    drawn: tokio::sync::Mutex<Option<Drawn>>,
    sizes: Mutex<Sizes>,
    encoding: &'static Encoding,
    /// This process or an earlier one has saved the screen.
    may_be_saved: AtomicBool,
    sizes_file: SizesFile,
}

/// State of the file of sizes.
#[derive(Debug, Default)]
struct SizesFile {
    turn: tokio::sync::Mutex<()>,
    /// A task is about to write the sizes, including later changes.
    is_due: AtomicBool,
    /// The sizes must be read first: the session ended under an earlier process.
    is_unread: AtomicBool,
}

struct Drawn {
    screen: Box<Screen>,
    upto: u64,
    saved_upto: u64,
}

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawn")
            .field("upto", &self.upto)
            .finish_non_exhaustive()
    }
}

impl ScreenModel {
    pub fn new(encoding: &'static Encoding, rows: u16, cols: u16) -> Self {
        Self {
            drawn: tokio::sync::Mutex::new(None),
            sizes: Mutex::new(Sizes::new(rows, cols)),
            encoding,
            may_be_saved: AtomicBool::new(false),
            sizes_file: SizesFile::default(),
        }
    }

    /// Makes the screen of a session that ended under an earlier process; the size is the terminal's last one.
    pub fn ended(encoding: &'static Encoding, rows: u16, cols: u16) -> Self {
        Self {
            may_be_saved: AtomicBool::new(true),
            sizes_file: SizesFile {
                is_unread: AtomicBool::new(true),
                ..SizesFile::default()
            },
            ..Self::new(encoding, rows, cols)
        }
    }

    /// Makes the screen of a terminal that had these `sizes` under an earlier process.
    pub fn resumed(encoding: &'static Encoding, sizes: Sizes) -> Self {
        Self {
            drawn: tokio::sync::Mutex::new(None),
            sizes: Mutex::new(sizes),
            encoding,
            may_be_saved: AtomicBool::new(true),
            sizes_file: SizesFile::default(),
        }
    }

    /// Returns the terminal's sizes, for the next process.
    pub fn sizes(&self) -> Sizes {
        lock(&self.sizes).clone()
    }

    /// Sets the terminal's size for all output from `offset` on.
    pub fn resize(&self, offset: u64, rows: u16, cols: u16) {
        lock(&self.sizes).push(Resize { offset, rows, cols });
    }

    /// Returns true if no task is about to [write](Self::write_sizes) the sizes; the caller must then do it.
    pub(crate) fn must_write_sizes(&self) -> bool {
        !self.sizes_file.is_due.swap(true, Relaxed)
    }

    /// Writes the sizes into the session's folder if there were several, for the screen after the session's end.
    pub(crate) async fn write_sizes(&self, folder: &Path) {
        let _turn = self.sizes_file.turn.lock().await;
        self.sizes_file.is_due.store(false, Relaxed);
        let sizes = self.sizes();
        if sizes.are_several()
            && let Err(error) = sizes::save(folder, sizes).await
        {
            tracing::warn!(%error, "could not save the sizes of a session");
        }
    }

    /// Draws everything before the offset `upto` and passes the screen to `look`.
    ///
    /// Returns the result of `look`, and the offset up to which the screen is drawn.
    ///
    /// # Errors
    ///
    /// The log could not be read.
    pub async fn look<T>(
        &self,
        output: &Output,
        upto: u64,
        look: impl FnOnce(&mut Screen) -> T,
    ) -> io::Result<(T, u64)> {
        let mut drawn = self.drawn.lock().await;
        // Taken out while drawing, because a cancelled call may leave it half drawn.
        let mut model = match drawn.take() {
            Some(model) => model,
            None => self.begin(output).await,
        };
        let result = self.draw(&mut model, output, upto).await;
        let model = drawn.insert(model);
        result?;
        if model.upto - model.saved_upto >= SAVE_AFTER_BYTES {
            self.save(model, output).await;
        }
        Ok((look(&mut model.screen), model.upto))
    }

    /// Starts from the saved screen if there is one, else from a blank one.
    async fn begin(&self, output: &Output) -> Drawn {
        if self.sizes_file.is_unread.load(Relaxed) {
            if let Some(sizes) = sizes::load(output.dir()).await {
                *lock(&self.sizes) = sizes;
            }
            // Set only now, because the call may be cancelled while the file is read.
            self.sizes_file.is_unread.store(false, Relaxed);
        }
        let saved = if self.may_be_saved.load(Relaxed) {
            screen_file::load(output.dir()).await
        } else {
            None
        };
        let mut sizes = lock(&self.sizes);
        let (screen, upto) = match saved {
            Some((screen, upto)) => (screen, upto),
            None => (Screen::new(sizes.first.0, sizes.first.1), 0),
        };
        sizes.begin_at(upto);
        Drawn {
            screen: Box::new(screen.reading(self.encoding)),
            upto,
            saved_upto: upto,
        }
    }

    async fn draw(&self, model: &mut Drawn, output: &Output, upto: u64) -> io::Result<()> {
        while model.upto < upto {
            let resize = lock(&self.sizes).next();
            if let Some(resize) = resize.filter(|resize| resize.offset <= model.upto) {
                self.apply(resize, model);
                continue;
            }
            let end = resize.map_or(upto, |resize| resize.offset.min(upto));
            let most = usize::try_from(end - model.upto).unwrap_or(usize::MAX);
            match output.read(model.upto, most.min(PIECE_BYTES)).await? {
                Piece::Bytes(bytes) => feed(model, bytes).await?,
                Piece::Missing { resume } => model.upto = resume.max(model.upto + 1),
                Piece::Pending | Piece::End => break,
            }
        }
        while let Some(resize) = self.next_before(model.upto) {
            self.apply(resize, model);
        }
        Ok(())
    }

    fn next_before(&self, upto: u64) -> Option<Resize> {
        let next = lock(&self.sizes).next();
        next.filter(|resize| resize.offset <= upto)
    }

    fn apply(&self, resize: Resize, model: &mut Drawn) {
        model.screen.resize(resize.rows, resize.cols);
        lock(&self.sizes).advance();
    }

    /// Saves the screen for the next process, so that it need not draw all output again.
    async fn save(&self, model: &mut Drawn, output: &Output) {
        if model.screen.open_bytes() > 0 {
            return; // half a sequence is open: the next request saves it
        }
        let (size, upto) = (model.screen.size(), model.upto);
        let picture = model.screen.saved();
        match screen_file::save(output.dir(), size, upto, picture).await {
            Ok(()) => {
                model.saved_upto = upto;
                self.may_be_saved.store(true, Relaxed);
                lock(&self.sizes).forget_drawn();
            }
            Err(error) => tracing::warn!(%error, "could not save the screen of a session"),
        }
    }
}

async fn feed(model: &mut Drawn, bytes: Vec<u8>) -> io::Result<()> {
    model.upto += bytes.len() as u64;
    if bytes.len() <= INLINE_BYTES {
        model.screen.feed(&bytes);
        return Ok(());
    }
    let mut screen = std::mem::replace(&mut model.screen, Box::new(Screen::new(1, 1)));
    model.screen = tokio::task::spawn_blocking(move || {
        screen.feed(&bytes);
        screen
    })
    .await
    .map_err(io::Error::other)?;
    Ok(())
}
