//! The screen of a session: drawn when somebody looks, from where the last look ended.
//!
//! Parsing costs as much as the terminal itself, so it is never done on the way of the output.

use crate::output::{Output, Piece};
use crate::screen::Screen;
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

/// Output that is parsed at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Output that is parsed without leaving the asynchronous threads.
const INLINE_BYTES: usize = 8 << 10;

/// Changes of size that are remembered until the screen has been drawn up to them.
const MAX_RESIZES: usize = 256;

/// The screen model and how far it has come.
#[derive(Debug)]
pub(crate) struct ScreenModel {
    drawn: tokio::sync::Mutex<Option<Drawn>>,
    resizes: Mutex<VecDeque<Resize>>,
    first_size: (u16, u16),
}

struct Drawn {
    screen: Box<Screen>,
    upto: u64,
}

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawn")
            .field("upto", &self.upto)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy)]
struct Resize {
    offset: u64,
    rows: u16,
    cols: u16,
}

impl ScreenModel {
    pub(crate) fn new(rows: u16, cols: u16) -> Self {
        Self {
            drawn: tokio::sync::Mutex::new(None),
            resizes: Mutex::new(VecDeque::new()),
            first_size: (rows, cols),
        }
    }

    /// The terminal has another size for all output from `offset` on.
    pub(crate) fn resize(&self, offset: u64, rows: u16, cols: u16) {
        let mut resizes = self.resizes.lock().unwrap_or_else(PoisonError::into_inner);
        if resizes.len() == MAX_RESIZES {
            // Nobody looks: what the screen was in between no longer matters much.
            resizes.pop_front();
        }
        resizes.push_back(Resize { offset, rows, cols });
    }

    /// Draws everything up to the offset `upto` and shows the screen to `look`.
    ///
    /// Returns what `look` returns, and the offset up to which was drawn.
    ///
    /// # Errors
    ///
    /// The log could not be read.
    pub(crate) async fn look<T>(
        &self,
        output: &Output,
        upto: u64,
        look: impl FnOnce(&mut Screen) -> T,
    ) -> io::Result<(T, u64)> {
        let mut drawn = self.drawn.lock().await;
        let model = drawn.get_or_insert_with(|| Drawn {
            screen: Box::new(Screen::new(self.first_size.0, self.first_size.1)),
            upto: 0,
        });
        while model.upto < upto {
            let resize = self.next_resize();
            if let Some(resize) = resize.filter(|resize| resize.offset <= model.upto) {
                model.screen.resize(resize.rows, resize.cols);
                self.forget_resize();
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
        while let Some(resize) = self
            .next_resize()
            .filter(|resize| resize.offset <= model.upto)
        {
            model.screen.resize(resize.rows, resize.cols);
            self.forget_resize();
        }
        Ok((look(&mut model.screen), model.upto))
    }

    fn next_resize(&self) -> Option<Resize> {
        self.resizes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .front()
            .copied()
    }

    fn forget_resize(&self) {
        self.resizes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
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
