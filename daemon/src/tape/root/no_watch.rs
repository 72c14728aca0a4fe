//! Looks at the folders of a root again and again, where nothing tells of changes.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often all files are looked at.
const POLL: Duration = Duration::from_millis(500);

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) files: BTreeSet<PathBuf>,
    /// Anything may have.
    pub(super) all: bool,
    /// Nobody wants to know any more.
    pub(super) is_over: bool,
}

/// Waits for the time to look.
#[derive(Debug)]
pub(super) struct Watcher(Arc<Shared>);

/// Wakes a watcher up.
#[derive(Debug)]
pub(super) struct Bell(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    word: Mutex<Word>,
    rung: Condvar,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Word {
    #[default]
    Nothing,
    Look,
    End,
}

impl Bell {
    pub(super) fn look(&self) {
        self.ring(Word::Look);
    }

    pub(super) fn end(&self) {
        self.ring(Word::End);
    }

    #[expect(clippy::unused_self, reason = "its namesake watches")]
    pub(super) fn is_behind(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "its namesake watches")]
    pub(super) fn catch_up(&self, _most: Duration) {}

    fn ring(&self, word: Word) {
        let mut last = self.0.word.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != Word::End {
            *last = word;
        }
        self.0.rung.notify_all();
    }
}

impl Watcher {
    #[expect(clippy::unnecessary_wraps, reason = "its namesake can fail")]
    pub(super) fn new() -> io::Result<(Self, Bell)> {
        let shared = Arc::<Shared>::default();
        Ok((Self(Arc::clone(&shared)), Bell(shared)))
    }

    #[expect(clippy::unused_self, reason = "its namesake watches")]
    pub(super) fn add(&mut self, _folder: &Path) {}

    #[expect(clippy::unused_self, reason = "its namesake watches")]
    pub(super) fn await_root(&mut self, _parent: Option<&Path>) {}

    #[expect(clippy::unused_self, reason = "its namesake watches")]
    pub(super) fn begin(&mut self) {}

    /// Waits until it is time to look.
    pub(super) fn wait(&mut self) -> Changes {
        let word = self.0.word.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .rung
            .wait_timeout_while(word, POLL, |word| *word == Word::Nothing);
        let (mut word, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Changes {
            files: BTreeSet::new(),
            all: true,
            is_over: std::mem::take(&mut *word) == Word::End,
        }
    }
}
