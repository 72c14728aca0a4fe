//! Where transcripts are, and what the configuration says about them.

use crate::ConversationError;
use crate::price::{PriceTable, Priced};
use crate::source::{Archive, Dir};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// What the configuration says about conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationSettings {
    /// More directories with transcripts.
    pub roots: Vec<PathBuf>,
    /// Index transcripts when they change, and not only when somebody asks.
    pub watch: bool,
    /// Keep transcripts that Claude Code deletes.
    pub archive: bool,
    /// The table of prices that replaces the built-in one.
    pub prices: Option<PathBuf>,
}

/// What the owners of conversations share.
#[derive(Debug)]
pub struct Setup {
    claude_dir: PathBuf,
    pub(crate) archive: Archive,
    settings: RwLock<ConversationSettings>,
    prices: PriceTable,
}

impl Setup {
    /// `claude_dir` is the user's directory of Claude Code, `archive` where transcripts are kept.
    #[must_use]
    pub fn new(claude_dir: &Path, archive: &Path, settings: ConversationSettings) -> Arc<Self> {
        Arc::new(Self {
            archive: Archive(archive.to_owned()),
            claude_dir: Dir::of_claude(claude_dir).path,
            prices: PriceTable::new(settings.prices.clone()),
            settings: RwLock::new(settings),
        })
    }

    /// Puts other settings in force; returns whether they differ.
    pub fn set(&self, settings: ConversationSettings) -> bool {
        self.prices.set_path(settings.prices.clone());
        let mut place = self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let is_other = *place != settings;
        *place = settings;
        is_other
    }

    pub(crate) fn settings(&self) -> ConversationSettings {
        let settings = self.settings.read();
        settings.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the directories that a request is about: `given` or else the user's, and always those of the configuration.
    pub(crate) fn dirs(&self, given: &[String]) -> Vec<Dir> {
        let mut dirs: Vec<Dir> = match given {
            [] => vec![Dir::of_claude(&self.claude_dir)],
            given => given
                .iter()
                .map(|dir| Dir::of_claude(Path::new(dir)))
                .collect(),
        };
        for root in self.settings().roots {
            let root = Dir {
                is_root: true,
                ..Dir::of_claude(&root)
            };
            if dirs.iter().all(|dir| dir.path != root.path) {
                dirs.push(root);
            }
        }
        dirs
    }

    /// Returns the directories in which a conversation is looked for by its id: as [`Self::dirs`], the user's, and where
    /// what was in them is kept.
    pub(crate) fn dirs_of_ids(&self, given: &[String]) -> Vec<Dir> {
        let mut dirs = self.dirs(given);
        let own = Dir::of_claude(&self.claude_dir);
        if dirs.iter().all(|dir| dir.path != own.path) {
            dirs.push(own);
        }
        let kept: Vec<Dir> = dirs.iter().map(|dir| self.archive.of(dir)).collect();
        dirs.extend(kept);
        dirs
    }

    /// Returns the table of prices, as its file is now.
    ///
    /// # Errors
    ///
    /// `Prices`.
    pub(crate) fn prices(&self) -> Result<Priced, ConversationError> {
        self.prices.current()
    }
}
