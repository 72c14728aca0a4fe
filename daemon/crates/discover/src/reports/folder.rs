//! One directory of reports.

use super::error::ReportError;
use super::file::{MAX_BYTES, Saved, read};
use super::kind::Report;
use super::name::{SUFFIX, base_of, name_of, stamp_in};
use ccd_base::clock;
use ccd_base::whole_file::remove_strays;
use ccd_store::documents::write_at_most;
use ccd_store::own_file;
use parking_lot::Mutex;
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MIN_PREFIX: usize = 4;

/// All reports of one kind. Only the daemon that owns the base directory writes there.
#[derive(Debug)]
pub struct Reports<R> {
    folder: PathBuf,
    /// Locked while a name for a new report is chosen and used.
    saving: Mutex<()>,
    kind: PhantomData<fn() -> R>,
}

/// Reports, newest first, and what is wrong with other files.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<R> {
    pub reports: Vec<Saved<R>>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    pub reports: u64,
    pub bytes: u64,
    /// When the oldest was completed.
    pub oldest: Option<String>,
    pub warnings: Vec<String>,
}

impl Removed {
    /// Adds reports of another kind.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.reports += other.reports;
        self.bytes += other.bytes;
        self.oldest = self.oldest.into_iter().chain(other.oldest).min();
        self.warnings.extend(other.warnings);
        self
    }
}

/// What of a report says which one it is.
#[derive(Deserialize)]
struct Head {
    id: String,
    completed_at: String,
}

impl<R: Report> Reports<R> {
    /// Returns the reports below the base directory. Deletes what unfinished writes have left.
    #[must_use]
    pub fn new(base: &Path) -> Self {
        let folder = base.join(R::FOLDER);
        remove_strays(&folder, Duration::ZERO);
        Self {
            folder,
            saving: Mutex::default(),
            kind: PhantomData,
        }
    }

    /// The directory, which may not exist yet.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a report to a file of its own, and returns its path.
    pub fn save(&self, report: &R) -> Result<PathBuf, ReportError> {
        let _one_at_a_time = self.saving.lock();
        let names = (0..).map(|number| name_of(report.program(), report.started_at(), number));
        let mut paths = names.map(|name| self.folder.join(name));
        // A link to nowhere is in the way too.
        let path = paths.find(|path| path.symlink_metadata().is_err());
        let path = path.unwrap_or_else(|| self.folder.clone());
        write_at_most(&path, report, MAX_BYTES)?;
        Ok(path)
    }

    /// Writes a report over an earlier form of it.
    pub fn replace(&self, path: &Path, report: &R) -> Result<(), ReportError> {
        Ok(write_at_most(path, report, MAX_BYTES)?)
    }

    /// Returns at most `limit` reports, newest first, of `program` if given; other files are left out with a warning.
    pub fn list(&self, program: Option<&str>, limit: usize) -> Result<Listed<R>, ReportError> {
        let base = program.map(base_of);
        let mut listed = Listed {
            reports: Vec::new(),
            warnings: Vec::new(),
        };
        for path in self.newest_first()? {
            if listed.reports.len() >= limit {
                break;
            }
            if !may_be_of(&path, base.as_deref()) {
                continue;
            }
            match read::<R>(path, own_file::content) {
                Ok(saved) => {
                    let is_of = |base: &String| *base == base_of(saved.report.program());
                    if base.as_ref().is_none_or(is_of) {
                        listed.reports.push(saved);
                    }
                }
                Err(error) if is_gone(&error) => {}
                Err(error) => listed.warnings.push(error.to_string()),
            }
        }
        Ok(listed)
    }

    /// Returns the report with this id or prefix, name or path of a file, or the newest report of this program.
    pub fn get(&self, which: &str) -> Result<Saved<R>, ReportError> {
        match self.path_of(which) {
            Err(ReportError::NotFound(which)) => {
                let newest = self.list(Some(&which), 1)?.reports.pop();
                newest.ok_or(ReportError::NotFound(which))
            }
            path => read(path?, own_file::content),
        }
    }

    /// Returns the same, or the report in a file elsewhere, by its absolute path.
    pub fn get_anywhere(&self, which: &str) -> Result<Saved<R>, ReportError> {
        if which.starts_with('/') {
            read(which.into(), own_file::document)
        } else {
            self.get(which)
        }
    }

    /// Returns the directory of the tapes that belong to a report.
    #[must_use]
    pub fn tapes_of(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.tapes"))
    }

    /// Deletes a report (a damaged one by the name of its file) and its tapes; returns the path that it had.
    pub fn delete(&self, which: &str) -> Result<PathBuf, ReportError> {
        let path = self.path_of(which)?;
        let head = read::<Head>(path.clone(), own_file::content);
        remove(&path)?;
        if let Ok(head) = head {
            self.remove_tapes(&head.report.id);
        }
        Ok(path)
    }

    /// Deletes reports completed more than `age_s` seconds ago, or only counts them (`dry_run`). Other files stay.
    pub fn cleanup(&self, age_s: f64, dry_run: bool) -> Result<Removed, ReportError> {
        let mut removed = Removed::default();
        for path in self.newest_first()? {
            match self.remove_older(path, age_s, dry_run) {
                Ok(Some(Saved { report, bytes, .. })) => {
                    // The newest come first.
                    removed.oldest = Some(report.completed_at);
                    removed.reports += 1;
                    removed.bytes += bytes;
                }
                Ok(None) => {}
                Err(error) if is_gone(&error) => {}
                Err(error) => removed.warnings.push(error.to_string()),
            }
        }
        Ok(removed)
    }

    fn remove_older(
        &self,
        path: PathBuf,
        age_s: f64,
        dry_run: bool,
    ) -> Result<Option<Saved<Head>>, ReportError> {
        let head = read::<Head>(path, own_file::content)?;
        let age = clock::age_s(&head.report.completed_at);
        if age.is_none_or(|age| age <= age_s) {
            return Ok(None);
        }
        if !dry_run {
            self.remove_tapes(&head.report.id);
            remove(&head.path)?;
        }
        Ok(Some(head))
    }

    /// Removes the tapes of a report. The id is from a file that anybody may have written.
    fn remove_tapes(&self, id: &str) {
        let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if !id.is_empty() && id.chars().all(is_id) {
            // Most reports have none.
            let _ = fs::remove_dir_all(self.tapes_of(id));
        }
    }

    fn path_of(&self, which: &str) -> Result<PathBuf, ReportError> {
        let named = self
            .named(which)
            .filter(|path| path.symlink_metadata().is_ok_and(|about| !about.is_dir()));
        if let Some(path) = named {
            return Ok(path);
        }
        let mut found = Vec::new();
        let can_be_id = which.len() >= MIN_PREFIX;
        for path in self.newest_first()?.into_iter().filter(|_| can_be_id) {
            // Files that are not reports have no id.
            let Ok(Saved { report, path, .. }) = read::<Head>(path, own_file::content) else {
                continue;
            };
            let id = report.id;
            if id == which {
                return Ok(path);
            }
            if id.starts_with(which) {
                found.push((id, path));
            }
        }
        match found.len() {
            0 => Err(ReportError::NotFound(which.to_owned())),
            1 => Ok(found.swap_remove(0).1),
            _ => Err(ReportError::Ambiguous {
                start: which.to_owned(),
                found: found.into_iter().map(|(id, _)| id).collect(),
            }),
        }
    }

    /// Returns the path that the name of a file, or a path in this directory, stands for.
    fn named(&self, which: &str) -> Option<PathBuf> {
        let path = Path::new(which);
        let name = path.file_name()?.to_str()?;
        let is_here = path.parent() == Some(&self.folder) || path == Path::new(name);
        (is_here && is_report(name)).then(|| self.folder.join(name))
    }

    /// Returns the paths of all files that may be reports.
    fn newest_first(&self) -> Result<Vec<PathBuf>, ReportError> {
        let failed = |source| ReportError::Disk {
            path: self.folder.clone(),
            source,
        };
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path
                .file_name()
                .and_then(OsStr::to_str)
                .is_some_and(is_report)
            {
                paths.push((order_of(&path), path));
            }
        }
        paths.sort_unstable();
        Ok(paths.into_iter().rev().map(|(_, path)| path).collect())
    }
}

fn is_report(name: &str) -> bool {
    name.ends_with(SUFFIX) && !name.starts_with('.')
}

/// Returns whether a file can be a report of the program, by its name. A name that somebody else has chosen says nothing.
fn may_be_of(path: &Path, base: Option<&str>) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let (Some(base), Some(_)) = (base, stamp_in(name)) else {
        return true;
    };
    name.rsplit_once('_').is_some_and(|(of, _)| of == base)
}

/// Returns what reports are sorted by: the time in the name. Others come last.
fn order_of(path: &Path) -> (String, u32) {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let (stamp, number) = stamp_in(name).unwrap_or_default();
    (stamp.to_owned(), number)
}

fn remove(path: &Path) -> Result<(), ReportError> {
    fs::remove_file(path).map_err(|source| ReportError::Disk {
        path: path.to_owned(),
        source,
    })
}

/// Somebody else has deleted the file since the directory was read.
fn is_gone(error: &ReportError) -> bool {
    matches!(error, ReportError::Disk { source, .. } if source.kind() == io::ErrorKind::NotFound)
}
