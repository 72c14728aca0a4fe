//! Where transcripts are, and what the configuration says about them.

use crate::error::Result;
use crate::import::Imports;
use crate::price::Priced;
use crate::source::{Archive, Dir, FoundFile, parent_of};
use parking_lot::RwLock;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationSettings {
    /// More directories with transcripts.
    pub roots: Vec<PathBuf>,
    /// Index transcripts when they change, and not only when somebody asks.
    pub watch: bool,
    pub archive: bool,
    /// The table of prices that replaces the built-in one.
    pub prices: Option<PathBuf>,
}

#[derive(Debug)]
pub struct Setup {
    claude_dir: PathBuf,
    /// Copies of other files, which are always looked in.
    pub(crate) imports: Imports,
    pub(crate) archive: Archive,
    settings: RwLock<ConversationSettings>,
}

impl Setup {
    /// `claude_dir` is the user's directory of Claude Code, `base` that of the daemon, which has copies and kept transcripts.
    #[must_use]
    pub fn new(claude_dir: &Path, base: &Path, settings: ConversationSettings) -> Arc<Self> {
        Arc::new(Self {
            imports: Imports::new(base.join("imports")),
            archive: Archive(base.join("archive")),
            claude_dir: Dir::of_claude(claude_dir).path,
            settings: RwLock::new(settings),
        })
    }

    /// Puts other settings in force; returns whether they differ.
    pub fn set(&self, settings: ConversationSettings) -> bool {
        let mut place = self.settings.write();
        let is_other = *place != settings;
        *place = settings;
        is_other
    }

    pub(crate) fn settings(&self) -> ConversationSettings {
        let settings = self.settings.read();
        settings.clone()
    }

    pub(crate) fn claude_dir(&self) -> &Path {
        &self.claude_dir
    }

    /// Returns the directories that a request is about: `given` or else the user's, always those of the configuration, and
    /// last that of copies.
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
        dirs.push(self.imports.as_dir());
        dirs
    }

    /// Returns the directories in which a conversation is looked for by its id: as [`Self::dirs`], the user's, and where
    /// what was in them is kept. A copy is of an earlier time, so it comes last.
    pub(crate) fn dirs_of_ids(&self, given: &[String]) -> Vec<Dir> {
        let mut dirs = self.dirs(given);
        dirs.retain(|dir| !self.imports.is_in(&dir.path));
        let own = Dir::of_claude(&self.claude_dir);
        if dirs.iter().all(|dir| dir.path != own.path) {
            dirs.push(own);
        }
        let kept: Vec<Dir> = dirs.iter().map(|dir| self.archive.dir_of(dir)).collect();
        dirs.extend(kept);
        dirs.push(self.imports.as_dir());
        dirs
    }

    /// Returns all transcripts of directories, each with the call that started it, in the order of their paths. Blocks.
    pub(crate) fn find(&self, dirs: &[Dir]) -> Vec<FoundFile> {
        let mut found = self.with_kept(dirs, dirs.iter().flat_map(Dir::files).collect());
        for file in found.iter_mut().filter(|file| file.agent_id.is_some()) {
            file.parent_tool_use_id = parent_of(&file.path);
        }
        found
    }

    /// Returns what was found in directories and the transcripts that are kept of others there, in the order of their paths.
    /// Blocks.
    pub(crate) fn with_kept(&self, dirs: &[Dir], mut all: Vec<FoundFile>) -> Vec<FoundFile> {
        let archive = &self.archive;
        let originals: HashSet<PathBuf> = all.iter().map(|file| file.path.clone()).collect();
        for dir in dirs {
            let mut files = archive.dir_of(dir).files();
            let mains: HashSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
            files.retain(|file| {
                let original = archive.original(dir, &file.path);
                let is_gone = original.is_none_or(|path| !originals.contains(&path));
                // Whoever deletes a conversation deletes its transcript; those of its sub-agents go with it.
                is_gone && file.main().is_none_or(|main| mains.contains(&main))
            });
            for mut file in files {
                file.claude_dir.clone_from(&dir.path);
                all.push(file);
            }
        }
        // The order of ids decides between copies, so a fresh index must have the same.
        all.sort_by(|one, other| one.path.cmp(&other.path));
        // A directory may be in another one.
        all.dedup_by(|one, other| one.path == other.path);
        all
    }

    /// Returns the table of prices, as its file is now. Blocks.
    pub(crate) fn prices(&self) -> Result<Priced> {
        Priced::read(self.settings().prices.as_deref())
    }
}
