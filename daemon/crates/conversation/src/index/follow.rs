//! The thread that keeps the index up to date.

use super::batch::Step;
use super::feed::{Fed, feed};
use super::owner::Index;
use super::plan::{Known, KnownFile, Plan, known};
use super::write::{IndexDatabase, IndexWrite};
use crate::price::Prices;
use crate::setup::Setup;
use crate::source::{Dir, DirId, FoundFile, Layout};
use ccd_protocol::conversation::Indexing;
use ccd_store::StoreError;
use ccd_watch::{Renewal, Watcher};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Files are read after this time without a change: programs write several lines at once.
const QUIET: Duration = Duration::from_millis(2);

/// Maximum wait for a writer that does not pause.
const LONGEST: Duration = Duration::from_millis(10);

/// Directories that are followed because a request named them; others are looked through whenever they are named.
const MAX_NAMED: usize = 16;

/// Keeps the index up to date, on a thread of its own.
#[derive(Debug)]
pub struct Follower {
    index: Arc<Index>,
    watcher: Watcher,
    /// The directories whose changes are reported.
    watched: Vec<Dir>,
    /// The system cannot report all changes.
    is_blind: bool,
    /// Directories of which everything is kept, if that is wanted.
    kept: BTreeSet<Dir>,
    /// The last file could not be kept.
    cannot_keep: bool,
    database: Option<IndexDatabase>,
    /// What the database says of its files; `None` if that is to be looked up.
    known: Option<Known>,
}

impl Follower {
    /// Makes an index with its follower; `path` is that of the database. Nothing is indexed before the follower runs.
    #[must_use]
    pub fn new(path: PathBuf, setup: Arc<Setup>) -> (Arc<Index>, Self) {
        let (watcher, handle) = Watcher::new(is_wanted);
        let index = Arc::new(Index::new(path, setup, handle));
        let follower = Self {
            index: Arc::clone(&index),
            watcher: watcher.naming_folders(),
            watched: Vec::new(),
            is_blind: false,
            kept: BTreeSet::new(),
            cannot_keep: false,
            database: None,
            known: None,
        };
        (index, follower)
    }

    /// Works until the index is told to stop. Blocks while it waits, so it needs a thread of its own; those that it starts
    /// have the same priority.
    pub async fn run(mut self) {
        while let Some(mut changes) = self.watcher.wait(QUIET, LONGEST) {
            let has_failed = self.index.has_failed();
            for folder in &changes.folders {
                changes.files.extend(self.enter(folder));
            }
            let mut done = if changes.rescan || self.known.is_none() || self.watcher.is_blind() {
                self.look_through().await
            } else {
                self.read_files(&changes.files).await
            };
            if let Err(error) = &done
                && self.index.replace(self.database.as_ref(), error).await
            {
                // Those who wait for these changes wait for the new index.
                self.known = None;
                done = self.look_through().await;
            }
            if done.is_ok() && self.index.is_erasing.swap(false, Ordering::Relaxed) {
                done = self.erase().await;
                let is_left = done.is_err();
                self.index.is_erasing.fetch_or(is_left, Ordering::Relaxed);
            }
            if let Err(error) = done {
                if !has_failed {
                    tracing::error!(%error, "transcripts cannot be indexed");
                }
                self.known = None;
                self.index.failed(error);
            }
        }
    }

    /// Removes all files that are gone, and their words.
    async fn erase(&mut self) -> Result<(), StoreError> {
        let (database, prices) = self.begin().await?;
        let known = self.take_known(&database).await?;
        let gone = known
            .values()
            .filter(|file| !Path::new(&file.path).exists());
        let plan = Plan {
            gone: gone.map(KnownFile::name).collect(),
            ..Plan::default()
        };
        self.carry_out(&database, plan, known, &prices).await?;
        database.commit(IndexWrite::Erase).await?;
        database.tidy();
        Ok(())
    }

    /// Watches a new directory, and returns the transcripts that are already in it.
    fn enter(&mut self, folder: &Path) -> Vec<PathBuf> {
        let watched = &self.watched;
        if folder.starts_with(&self.index.setup.archive.0) {
            self.watcher.extend(|renewal| renewal.folder(folder));
            return Vec::new();
        }
        let found = self.watcher.extend(|renewal| {
            let mut layouts = watched.iter().map(Layout::new);
            layouts.find_map(|layout| layout.below(folder, &mut |folder| renewal.folder(folder)))
        });
        let found = found.unwrap_or_default().into_iter();
        found.map(|file| file.path).collect()
    }

    /// Brings the index up to date with all directories that are watched, and those that somebody has asked for.
    async fn look_through(&mut self) -> Result<(), StoreError> {
        let (asked, is_new) = self.index.take_asked();
        if is_new {
            self.is_blind = false;
            self.kept.clear();
        }
        let dirs = self.dirs(&asked);
        if dirs.is_empty() {
            self.watcher.renew(|_| ());
            return Ok(());
        }
        let ids: HashMap<Dir, DirId> = dirs.iter().map(|dir| (dir.clone(), dir.id())).collect();
        let found = self.find(&dirs);
        if self.keep_all(&dirs, &found) {
            let archive = &self.index.setup.archive;
            let kept: Vec<Dir> = dirs.iter().map(|dir| archive.dir_of(dir)).collect();
            self.watcher.extend(|renewal| {
                for dir in &kept {
                    watch_kept(dir, renewal);
                }
            });
        }
        let found = self.index.setup.with_kept(&dirs, found);
        let fed = if asked.is_empty() && found.is_empty() && !self.index.exists().await {
            // Whoever has no transcripts needs no file.
            Fed::default()
        } else {
            self.update(&dirs, found).await?
        };
        let watched = self.watched.iter();
        let watched = watched.map(|dir| (dir.clone(), ids.get(dir).copied().flatten()));
        self.index.is_up_to_date(watched.collect(), fed);
        Ok(())
    }

    /// Returns the directories to look through, and decides which of them are watched from now on.
    fn dirs(&mut self, asked: &BTreeSet<Dir>) -> Vec<Dir> {
        let setup = &self.index.setup;
        let mut watched = BTreeSet::new();
        if setup.settings().watch && !self.is_blind && !self.index.is_forgotten() {
            watched.extend(setup.dirs(&[]));
            let named = self.watched.iter().chain(asked).filter(|dir| !dir.is_root);
            let named: BTreeSet<&Dir> = named.filter(|dir| !watched.contains(dir)).collect();
            let named: Vec<Dir> = named.into_iter().take(MAX_NAMED).cloned().collect();
            watched.extend(named);
            watched.retain(|dir| !ccd_watch::is_shared(Layout::new(dir).projects()));
        }
        self.watched = watched.iter().cloned().collect();
        watched.union(asked).cloned().collect()
    }

    fn find(&mut self, dirs: &[Dir]) -> Vec<FoundFile> {
        let watched = self.watched.clone();
        let archive = &self.index.setup.archive;
        let mut found = self.watcher.renew(|renewal| {
            for dir in &watched {
                watch_kept(&archive.dir_of(dir), renewal);
            }
            // A directory that is missing is not waited for: whoever asks notices that there is one.
            let mut files = |dir| Layout::new(dir).files(&mut |folder| renewal.folder(folder));
            watched.iter().flat_map(&mut files).collect::<Vec<_>>()
        });
        if self.watcher.is_blind() {
            // They are looked through whenever somebody asks.
            self.watcher.renew(|_| ());
            self.is_blind = true;
            self.watched.clear();
        }
        let others = dirs.iter().filter(|dir| !watched.contains(dir));
        found.extend(others.flat_map(Dir::files));
        found
    }

    /// Keeps everything that was found in directories of which that was not done yet, if it is wanted; returns whether there
    /// were any.
    fn keep_all(&mut self, dirs: &[Dir], found: &[FoundFile]) -> bool {
        let before = self.kept.len();
        if !self.index.setup.settings().archive {
            return false;
        }
        for dir in dirs {
            if !self.kept.contains(dir) {
                let mut files = found.iter().filter(|file| file.claude_dir == dir.path);
                if files.all(|file| self.keep(file)) {
                    self.kept.insert(dir.clone());
                }
            }
        }
        self.kept.len() > before
    }

    /// Keeps a transcript; returns whether it is kept or has vanished.
    fn keep(&mut self, file: &FoundFile) -> bool {
        if file.is_import {
            return true; // kept already
        }
        let dir = Dir::of_claude(&file.claude_dir);
        match self.index.setup.archive.keep(&dir, &file.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                if !std::mem::replace(&mut self.cannot_keep, true) {
                    tracing::error!(%error, path = %file.path.display(), "a transcript cannot be kept");
                }
                false
            }
            _ => {
                self.cannot_keep = false;
                true
            }
        }
    }

    /// Brings the index up to date with everything that was found in directories.
    async fn update(&mut self, dirs: &[Dir], found: Vec<FoundFile>) -> Result<Fed, StoreError> {
        let (database, prices) = self.begin().await?;
        let known = self.take_known(&database).await?;
        let mut plan = Plan::default();
        let seen: HashSet<String> = found.iter().map(path_of).collect();
        for file in found {
            plan.take(file, &known);
        }
        let is_in = |dir: &str| dirs.iter().any(|wanted| wanted.path == Path::new(dir));
        let files = known.values();
        plan.leave(files.filter(|file| is_in(&file.claude_dir) && !seen.contains(&file.path)));
        self.carry_out(&database, plan, known, &prices).await
    }

    async fn take_known(&mut self, database: &IndexDatabase) -> Result<Known, StoreError> {
        match self.known.take() {
            Some(known) => Ok(known),
            None => Ok(known(database, None).await?),
        }
    }

    /// Reads files that have changed, and nothing else.
    async fn read_files(&mut self, files: &BTreeSet<PathBuf>) -> Result<(), StoreError> {
        let (database, prices) = self.begin().await?;
        let Some(known) = self.known.take() else {
            return self.look_through().await;
        };
        let layouts: Vec<Layout<'_>> = self.watched.iter().map(Layout::new).collect();
        let mut plan = Plan::default();
        let files: BTreeSet<PathBuf> = files.iter().map(|path| transcript_of(path)).collect();
        for path in files {
            let found = layouts.iter().find_map(|layout| layout.at(&path));
            if self.is_about_kept(&path, found.is_some(), &known) {
                self.known = Some(known);
                return self.look_through().await;
            }
            match found {
                Some(file) => plan.take(file, &known),
                None => {
                    let gone = known.get(&*path.to_string_lossy());
                    plan.gone.extend(gone.map(KnownFile::name));
                }
            }
        }
        drop(layouts);
        let fed = self.carry_out(&database, plan, known, &prices).await?;
        self.index.has_read(fed);
        Ok(())
    }

    /// Returns whether a change decides about kept transcripts: one was deleted, or its original was, or is there again.
    fn is_about_kept(&self, path: &Path, exists: bool, known: &Known) -> bool {
        let archive = &self.index.setup.archive;
        if path.starts_with(&archive.0) {
            return known.contains_key(&*path.to_string_lossy()) && !path.exists();
        }
        let mut places = self
            .watched
            .iter()
            .filter_map(|dir| archive.place(dir, path));
        places.any(|place| {
            if exists {
                known.contains_key(&*place.to_string_lossy())
            } else {
                place.exists()
            }
        })
    }

    /// Carries out a plan, and keeps what the database says of its files then.
    async fn carry_out(
        &mut self,
        database: &IndexDatabase,
        plan: Plan,
        mut known: Known,
        prices: &Arc<Prices>,
    ) -> Result<Fed, StoreError> {
        if plan.is_empty() {
            self.known = Some(known);
            return Ok(Fed::default());
        }
        if self.index.setup.settings().archive {
            // At once: Claude Code may delete it while it is read.
            for (file, _) in &plan.read {
                self.keep(file);
            }
        }
        let moved = plan.moved.iter().map(|(path, ..)| path);
        for path in plan.gone.iter().map(|(path, _)| path).chain(moved) {
            self.index.note_file(path, None);
        }
        let work = prepare(database, plan, &mut known).await?;
        let paths: HashMap<i64, String> = work
            .iter()
            .map(|(file, known)| (known.id, path_of(file)))
            .collect();
        let left = &self.index.left;
        let bytes = work
            .iter()
            .map(|(file, known)| file.len.saturating_sub(known.read.cast_unsigned()));
        *left.lock() = Indexing {
            files_left: work.len() as u64,
            bytes_left: bytes.sum(),
        };
        let index = &self.index;
        let stopped = &index.is_stopping;
        let mut done = |step: Step| {
            let mut now = left.lock();
            now.files_left = now.files_left.saturating_sub(u64::from(step.is_last));
            now.bytes_left = now.bytes_left.saturating_sub(step.bytes);
            drop(now);
            if let Some(path) = paths.get(&step.file_id) {
                if step.is_last {
                    let failure = step.has_failed.then(|| why_unreadable(path));
                    index.note_file(path, failure);
                }
                if let Some(file) = known.get_mut(path) {
                    file.follow(step);
                }
            }
            !stopped.load(Ordering::Relaxed)
        };
        let fed = feed(database, work, prices, &self.index.gate, &mut done).await?;
        *left.lock() = Indexing::default();
        if !stopped.load(Ordering::Relaxed) {
            self.known = Some(known);
        }
        Ok(fed)
    }

    /// Returns the database and the table of prices in force. If the database is another one, or was emptied because it was
    /// made with another table, nothing is known of its files.
    /// While the file of the table is wrong, nothing has a price, and whoever asks for a cost is told why.
    async fn begin(&mut self) -> Result<(IndexDatabase, Arc<Prices>), StoreError> {
        let (prices, number) = match self.index.setup.prices() {
            Ok(priced) => (priced.prices, priced.number),
            Err(_) => (Arc::default(), 0),
        };
        let database = self.index.database().await?;
        let before = self.database.replace(database.clone());
        let is_another = before.is_none_or(|before| !before.is(&database));
        if self.index.made_with(&database, number).await? || is_another {
            self.known = None;
        }
        Ok((database, prices))
    }
}

impl KnownFile {
    fn follow(&mut self, step: Step) {
        if step.bytes > 0 {
            self.read = step.read;
            self.modified = step.modified;
            self.stamp = step.stamp;
            self.skipped = step.skipped;
        }
    }
}

fn why_unreadable(path: &str) -> String {
    match std::fs::File::open(path) {
        Err(error) => error.to_string(),
        Ok(_) => "reading failed; the log of the daemon says why".to_owned(),
    }
}

/// Removes what is gone, renames what was moved and adds what is new; returns what is to be read, and from where on.
async fn prepare(
    database: &IndexDatabase,
    plan: Plan,
    known: &mut Known,
) -> Result<Vec<(FoundFile, KnownFile)>, StoreError> {
    if !plan.gone.is_empty() {
        let ids = plan.gone.iter().map(|(_, id)| *id).collect();
        database.commit(IndexWrite::Gone(ids)).await?;
        database.tidy();
        for (path, _) in &plan.gone {
            known.remove(path);
        }
    }
    if !plan.moved.is_empty() {
        for (before, _, file) in &plan.moved {
            if let Some(moved) = known.remove(before) {
                let claude_dir = file.claude_dir.to_string_lossy().into_owned();
                let path = path_of(file);
                let moved = KnownFile {
                    path: path.clone(),
                    claude_dir,
                    ..moved
                };
                known.insert(path, moved);
            }
        }
        let moved = plan.moved.into_iter().map(|(_, id, file)| (id, file));
        database.commit(IndexWrite::Moved(moved.collect())).await?;
    }
    let new = plan.read.iter().filter(|(_, old)| old.is_none());
    let new: Vec<FoundFile> = new.map(|(file, _)| file.clone()).collect();
    if !new.is_empty() {
        let paths: Vec<String> = new.iter().map(path_of).collect();
        database.commit(IndexWrite::New(new)).await?;
        known.extend(self::known(database, Some(&paths)).await?);
    }
    let start = |(file, _): (FoundFile, _)| {
        let known = known.get(&path_of(&file))?.clone();
        Some((file, known))
    };
    Ok(plan.read.into_iter().filter_map(start).collect())
}

/// Watches the directories that kept transcripts are in: somebody may delete one.
fn watch_kept(kept: &Dir, renewal: &mut Renewal<'_>) {
    let layout = Layout::new(kept);
    renewal.folder(layout.projects());
    for folder in layout.folders() {
        renewal.folder(&folder);
    }
}

/// Returns whether changes of a file are of interest.
fn is_wanted(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.ends_with(b".jsonl") || name.ends_with(META)
}

const META: &[u8] = b".meta.json";

/// Returns the transcript that a file describes, or the file itself.
fn transcript_of(path: &Path) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().ends_with(META) {
        path.with_extension("").with_extension("jsonl")
    } else {
        path.to_owned()
    }
}

fn path_of(file: &FoundFile) -> String {
    file.path.to_string_lossy().into_owned()
}
