//! The screen models of all sessions: those of ended sessions go soon, and all together have a limit.
//! A model that is gone is made again from the saved screen and the log.

use super::model::ScreenModel;
use ccd_store::give_back_memory;
use parking_lot::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Memory of a cell, on the main and on the alternate screen.
const CELL_BYTES: usize = 48;

/// Most memory of all models that nobody is using.
pub(super) const MAX_BYTES: usize = 128 << 20;

/// How long the model of an ended session is kept after the last look.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// Memory is given back to the system once models of this size are gone.
const GIVE_BACK_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub struct Screens {
    /// Those that were drawn, and may still be.
    models: Mutex<Vec<Weak<ScreenModel>>>,
    bytes: AtomicUsize,
    /// Size of the models that are gone since memory was given back.
    gone_bytes: AtomicUsize,
    /// A task waits to drop the models of ended sessions.
    is_sweeping: AtomicBool,
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Screens {
    pub(in crate::session) fn new(tracker: TaskTracker, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            models: Mutex::default(),
            bytes: AtomicUsize::new(0),
            gone_bytes: AtomicUsize::new(0),
            is_sweeping: AtomicBool::new(false),
            tracker,
            stop,
        })
    }

    /// Counts a model with this number of cells for as long as the result exists.
    pub(super) fn count(self: &Arc<Self>, model: &Arc<ScreenModel>, cells: usize) -> Counted {
        let mut models = self.models.lock();
        let is_other = |known: &Weak<ScreenModel>| {
            known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(model))
        };
        models.retain(is_other);
        models.push(Arc::downgrade(model));
        drop(models);
        let mut counted = Counted {
            screens: Arc::clone(self),
            bytes: 0,
        };
        counted.set_cells(cells);
        counted
    }

    /// Returns the memory of all models, if each program has used the alternate screen.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Drops models until they are within the limit, those first that nobody has looked at for longest.
    pub(super) async fn make_room(&self) {
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
        self.give_back().await;
    }

    /// Drops the models of ended sessions once nobody looks at them any more.
    pub(super) fn drop_ended_soon(self: &Arc<Self>) {
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
        self.give_back().await;
        remain
    }

    pub(super) fn forget(&self, model: &ScreenModel) {
        self.models
            .lock()
            .retain(|known| !std::ptr::eq(known.as_ptr(), model));
    }

    async fn give_back(&self) {
        if self.gone_bytes.load(Relaxed) >= GIVE_BACK_BYTES {
            self.gone_bytes.store(0, Relaxed);
            // It takes milliseconds.
            let _ = tokio::task::spawn_blocking(give_back_memory).await;
        }
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

/// The size of one model, as part of the sum.
#[derive(Debug)]
pub(super) struct Counted {
    screens: Arc<Screens>,
    bytes: usize,
}

impl Counted {
    pub(super) fn set_cells(&mut self, cells: usize) {
        let bytes = cells * CELL_BYTES;
        self.screens.bytes.fetch_add(bytes, Relaxed);
        self.screens.bytes.fetch_sub(self.bytes, Relaxed);
        self.bytes = bytes;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.screens.bytes.fetch_sub(self.bytes, Relaxed);
        self.screens.gone_bytes.fetch_add(self.bytes, Relaxed);
    }
}
