//! A drawn screen, and how it is drawn on: in slices, on another thread unless they are certainly short.

use super::memory::CountedMemory;
use super::sizes::SizeChange;
use ccd_screen::Screen;
use ccd_store::blocking_io;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::OwnedMappedMutexGuard;

/// Most bytes of output that are parsed on the asynchronous threads.
const INLINE_BYTES: usize = 8 << 10;

/// Larger screens are not drawn on the asynchronous threads: one sequence may change all cells.
pub(super) const INLINE_CELLS: usize = 16 << 10;

/// How long a call may draw on the asynchronous threads.
const INLINE_TIME: Duration = Duration::from_millis(1);

/// How long other threads draw before they look whether somebody still waits for the screen.
const SLICE_TIME: Duration = Duration::from_millis(20);

/// A screen that took longer to draw is saved before it is dropped.
const LONG_DRAWING: Duration = Duration::from_millis(100);

/// The model, while a call has it.
pub(super) type ModelGuard = OwnedMappedMutexGuard<Option<Drawn>, Drawn>;

/// A screen, and the offset up to which it is drawn.
pub(super) struct Drawn {
    pub(super) screen: Screen,
    pub(super) upto: u64,
    pub(super) saved_upto: u64,
    /// How long it was drawn on since it was saved.
    pub(super) drawing: Duration,
    pub(super) folder: PathBuf,
    pub(super) counted: CountedMemory,
}

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawn")
            .field("upto", &self.upto)
            .finish_non_exhaustive()
    }
}

impl Drawn {
    pub(super) fn took_long(&self) -> bool {
        self.drawing > LONG_DRAWING
    }
}

/// Does some work, on another thread unless it is certainly short; `start` is when the call began to draw.
pub(super) async fn slice(
    mut model: ModelGuard,
    start: Instant,
    work: DrawStep,
) -> io::Result<ModelGuard> {
    if work.is_short(&model.screen) && start.elapsed() < INLINE_TIME {
        work.run(&mut model, INLINE_TIME);
        return Ok(model);
    }
    let run = move || {
        work.run(&mut model, SLICE_TIME);
        Ok(model)
    };
    blocking_io(run).await
}

pub(super) enum DrawStep {
    Resize(SizeChange),
    /// Output from where the screen is drawn up to.
    Draw(Vec<u8>),
}

impl DrawStep {
    fn is_short(&self, screen: &Screen) -> bool {
        let work_cells = match self {
            Self::Resize(resize) => usize::from(resize.rows) * usize::from(resize.cols),
            Self::Draw(bytes) if bytes.len() > INLINE_BYTES => return false,
            Self::Draw(_) => 0,
        };
        screen.cell_count().max(work_cells) <= INLINE_CELLS
    }

    fn run(self, model: &mut Drawn, time: Duration) {
        let start = Instant::now();
        match self {
            Self::Resize(resize) => {
                model.screen.resize(resize.rows, resize.cols);
                model.counted.set_cells(model.screen.cell_count());
            }
            Self::Draw(bytes) => model.upto += model.screen.feed_for(&bytes, time) as u64,
        }
        model.drawing += start.elapsed();
    }
}
