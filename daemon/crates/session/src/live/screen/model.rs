//! The screen of a session: drawn on request, from where the last request ended.
//! Parsing costs as much as the terminal itself, so it is never done while output is delivered.

use super::drawn::{DrawStep, Drawn, INLINE_CELLS, ModelGuard, slice};
use super::file as screen_file;
use super::memory::CountedMemory;
use super::sizes::{self, SizeChange, Sizes};
use crate::output::{Output, PIECE_BYTES, Piece};
use ccd_screen::Screen;
use ccd_store::{blocking_io, give_back_memory_soon};
use encoding_rs::Encoding;
use parking_lot::Mutex;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a call may draw.
const BUDGET: Duration = Duration::from_secs(1);

/// The screen is saved after this much output was drawn since the last time.
const SAVE_AFTER_BYTES: u64 = 1 << 20;

/// Most memory of all models that nobody is using.
pub(super) const MAX_BYTES: usize = 128 << 20;

/// How long the model of an ended session is kept after the last look.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// The screen and the offset up to which it is drawn.
#[derive(Debug)]
pub struct ScreenModel {
    drawn: Arc<tokio::sync::Mutex<Option<Drawn>>>,
    sizes: Mutex<Sizes>,
    encoding: &'static Encoding,
    /// This process or an earlier one has saved the screen.
    may_be_saved: AtomicBool,
    sizes_file: SizesFile,
    is_ended: AtomicBool,
    last_look: Mutex<Instant>,
    screens: Arc<Screens>,
}

#[derive(Debug, Default)]
struct SizesFile {
    turn: tokio::sync::Mutex<()>,
    /// A task is about to write the sizes, including later changes.
    is_due: AtomicBool,
    /// The sizes must be read first: the session ended under an earlier process.
    is_unread: AtomicBool,
}

#[derive(Debug)]
pub struct Looked<T> {
    pub seen: T,
    /// The screen is drawn up to this offset.
    pub offset: u64,
    /// The time of the call was over before everything was drawn; the next call continues.
    pub is_behind: bool,
}

impl ScreenModel {
    pub fn new(screens: &Arc<Screens>, encoding: &'static Encoding, sizes: Sizes) -> Self {
        Self {
            drawn: Arc::default(),
            sizes: Mutex::new(sizes),
            encoding,
            may_be_saved: AtomicBool::new(false),
            sizes_file: SizesFile::default(),
            is_ended: AtomicBool::new(false),
            last_look: Mutex::new(Instant::now()),
            screens: Arc::clone(screens),
        }
    }

    /// Makes the screen of a session that ended under an earlier process; the size is the terminal's last one.
    pub fn ended(screens: &Arc<Screens>, encoding: &'static Encoding, sizes: Sizes) -> Self {
        Self {
            is_ended: AtomicBool::new(true),
            may_be_saved: AtomicBool::new(true),
            sizes_file: SizesFile {
                is_unread: AtomicBool::new(true),
                ..SizesFile::default()
            },
            ..Self::new(screens, encoding, sizes)
        }
    }

    /// Makes the screen of a terminal that had these `sizes` under an earlier process.
    pub fn resumed(screens: &Arc<Screens>, encoding: &'static Encoding, sizes: Sizes) -> Self {
        Self {
            may_be_saved: AtomicBool::new(true),
            ..Self::new(screens, encoding, sizes)
        }
    }

    /// Notes that the session has ended: the screen is dropped soon.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Relaxed);
        let is_blank = self.drawn.try_lock().is_ok_and(|drawn| drawn.is_none());
        if !is_blank {
            self.screens.drop_ended_soon();
        }
    }

    fn is_ended(&self) -> bool {
        self.is_ended.load(Relaxed)
    }

    fn last_look(&self) -> Instant {
        *self.last_look.lock()
    }

    /// Drops the drawn screen, saved if drawing it again would take long; false if somebody is using it.
    async fn drop_drawn(&self) -> bool {
        let Ok(turn) = Arc::clone(&self.drawn).try_lock_owned() else {
            return false;
        };
        if let Ok(model) = OwnedMutexGuard::try_map(turn, Option::as_mut)
            && (model.took_long() || !self.is_ended() && model.upto > model.saved_upto)
            && let Err(error) = self.save(model).await
        {
            tracing::warn!(%error, "could not save the screen of a session");
        }
        let Ok(mut turn) = self.drawn.try_lock() else {
            return false;
        };
        self.screens.forget(self);
        *turn = None;
        true
    }

    pub fn sizes(&self) -> Sizes {
        self.sizes.lock().clone()
    }

    /// Sets the terminal's size for all output from `offset` on.
    pub fn resize(&self, offset: u64, rows: u16, cols: u16) {
        self.sizes.lock().push(SizeChange { offset, rows, cols });
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

    /// Draws everything before the offset `upto` and passes the screen to `look`, after [`BUDGET`] in any case.
    /// If the caller drops the future, drawing ends after the current slice; what is drawn is kept.
    pub async fn look<T>(
        self: &Arc<Self>,
        output: &Output,
        upto: u64,
        look: impl FnOnce(&mut Screen) -> T + Send + 'static,
    ) -> io::Result<Looked<T>>
    where
        T: Send + 'static,
    {
        if self.is_ended() {
            self.screens.drop_ended_soon();
        }
        let looked = self.look_now(output, upto, look).await;
        *self.last_look.lock() = Instant::now();
        self.screens.make_room().await;
        looked
    }

    async fn look_now<T: Send + 'static>(
        self: &Arc<Self>,
        output: &Output,
        upto: u64,
        look: impl FnOnce(&mut Screen) -> T + Send + 'static,
    ) -> io::Result<Looked<T>> {
        let mut turn = Arc::clone(&self.drawn).lock_owned().await;
        *self.last_look.lock() = Instant::now();
        let model = match turn.take() {
            Some(model) => model,
            None => self.begin(output).await,
        };
        let model = OwnedMutexGuard::map(turn, |drawn| drawn.insert(model));
        let (mut model, is_behind) = self.draw(model, output, upto).await?;
        if model.upto - model.saved_upto >= SAVE_AFTER_BYTES {
            model = self.save(model).await?;
        }
        let offset = model.upto;
        let seen = if model.screen.cell_count() <= INLINE_CELLS {
            look(&mut model.screen)
        } else {
            blocking_io(move || Ok(look(&mut model.screen))).await?
        };
        Ok(Looked {
            seen,
            offset,
            is_behind,
        })
    }

    /// Starts from the saved screen if there is one, else from a blank one.
    async fn begin(self: &Arc<Self>, output: &Output) -> Drawn {
        if self.sizes_file.is_unread.load(Relaxed) {
            if let Some(sizes) = sizes::load(output.dir()).await {
                *self.sizes.lock() = sizes;
            }
            // Set only now, because the call may be cancelled while the file is read.
            self.sizes_file.is_unread.store(false, Relaxed);
        }
        let saved = if self.may_be_saved.load(Relaxed) {
            screen_file::load(output.dir()).await
        } else {
            None
        };
        let mut sizes = self.sizes.lock();
        let (screen, upto) =
            saved.unwrap_or_else(|| (Screen::new(sizes.first.0, sizes.first.1), 0));
        sizes.begin_at(upto);
        Drawn {
            upto,
            saved_upto: upto,
            drawing: Duration::ZERO,
            folder: output.dir().to_owned(),
            counted: self.screens.count(self, screen.cell_count()),
            screen: screen.reading(self.encoding),
        }
    }

    /// Draws everything before the offset `upto`; returns whether the budget did not suffice.
    async fn draw(
        &self,
        mut model: ModelGuard,
        output: &Output,
        upto: u64,
    ) -> io::Result<(ModelGuard, bool)> {
        let start = Instant::now();
        loop {
            let next = self.sizes.lock().next();
            if let Some(resize) = next.filter(|resize| resize.offset <= model.upto) {
                self.sizes.lock().advance();
                model = slice(model, start, DrawStep::Resize(resize)).await?;
            } else if model.upto < upto {
                let end = next.map_or(upto, |resize| resize.offset.min(upto));
                let most = usize::try_from(end - model.upto).unwrap_or(usize::MAX);
                match output.read(model.upto, most.min(PIECE_BYTES)).await? {
                    Piece::Bytes(bytes) => {
                        model = slice(model, start, DrawStep::Draw(bytes)).await?
                    }
                    Piece::Missing { resume } => model.upto = resume.max(model.upto + 1),
                    Piece::Pending | Piece::End => return Ok((model, false)),
                }
            } else {
                return Ok((model, false));
            }
            if start.elapsed() >= BUDGET && model.upto < upto {
                return Ok((model, true));
            }
        }
    }

    /// Saves the screen for the next process, so that it need not draw all output again.
    async fn save(&self, mut model: ModelGuard) -> io::Result<ModelGuard> {
        if model.screen.open_bytes() > 0 {
            return Ok(model); // half a sequence is open: the next request saves it
        }
        let save = move || {
            let (size, upto) = (model.screen.size(), model.upto);
            let picture = model.screen.saved();
            let result = screen_file::save(&model.folder, size, upto, picture);
            if result.is_ok() {
                model.saved_upto = upto;
                model.drawing = Duration::ZERO;
            }
            Ok((model, result))
        };
        let (model, result) = blocking_io(save).await?;
        match result {
            Ok(()) => {
                self.may_be_saved.store(true, Relaxed);
                self.sizes.lock().forget_drawn();
            }
            Err(error) => tracing::warn!(%error, "could not save the screen of a session"),
        }
        Ok(model)
    }
}

/// The screen models of all sessions: those of ended sessions go soon, and all together have a limit.
/// A model that is gone is made again from the saved screen and the log.
#[derive(Debug)]
pub struct Screens {
    /// Those that were drawn, and may still be.
    models: Mutex<Vec<Weak<ScreenModel>>>,
    /// Memory of all models, if each program has used the alternate screen.
    memory: Arc<AtomicUsize>,
    /// A task waits to drop the models of ended sessions.
    is_sweeping: AtomicBool,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Screens {
    pub fn new(tracker: TaskTracker, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            models: Mutex::default(),
            memory: Arc::default(),
            is_sweeping: AtomicBool::new(false),
            tracker,
            stop,
        })
    }

    /// Counts a model with this number of cells for as long as the result exists.
    fn count(&self, model: &Arc<ScreenModel>, cells: usize) -> CountedMemory {
        let mut models = self.models.lock();
        let is_other = |known: &Weak<ScreenModel>| {
            known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(model))
        };
        models.retain(is_other);
        models.push(Arc::downgrade(model));
        CountedMemory::new(&self.memory, cells)
    }

    pub(super) fn bytes(&self) -> usize {
        self.memory.load(Relaxed)
    }

    /// Drops models until they are within the limit, those first that nobody has looked at for longest.
    async fn make_room(&self) {
        if self.bytes() <= MAX_BYTES {
            return;
        }
        let mut models = self.drawn();
        models.sort_by_key(|model| model.last_look());
        models.pop();
        for model in models {
            if self.bytes() <= MAX_BYTES {
                break;
            }
            model.drop_drawn().await;
        }
        give_back_memory_soon();
    }

    /// Drops the models of ended sessions once nobody looks at them any more.
    fn drop_ended_soon(self: &Arc<Self>) {
        if !self.is_sweeping.swap(true, SeqCst) {
            self.tracker.spawn(sweep(Arc::clone(self)));
        }
    }

    fn drawn(&self) -> Vec<Arc<ScreenModel>> {
        self.models
            .lock()
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }

    /// Drops the models of ended sessions that nobody has looked at recently; returns whether others remain.
    async fn drop_ended(&self) -> bool {
        let mut remain = false;
        for model in self.drawn() {
            if model.is_ended() {
                let is_idle = model.last_look().elapsed() >= IDLE_TIME;
                remain |= !(is_idle && model.drop_drawn().await);
            }
        }
        give_back_memory_soon();
        remain
    }

    fn forget(&self, model: &ScreenModel) {
        self.models
            .lock()
            .retain(|known| !std::ptr::eq(known.as_ptr(), model));
    }
}

async fn sweep(screens: Arc<Screens>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(IDLE_TIME) => {}
            () = screens.stop.cancelled() => return,
        }
        if screens.drop_ended().await {
            continue;
        }
        screens.is_sweeping.store(false, SeqCst);
        // A look in between has found that a task is waiting.
        let is_needed = screens.drawn().iter().any(|model| model.is_ended());
        if !is_needed || screens.is_sweeping.swap(true, SeqCst) {
            return;
        }
    }
}
