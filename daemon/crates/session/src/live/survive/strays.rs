//! Remains of a killed daemon's sessions without a row: starts never acknowledged, and transient sessions.

use super::persist::remove_folder;
use super::recover::salvage;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::output::Output;
use ccd_store::blocking_io;
use ccd_tape::decorate::RunFilter;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A recording of a session that is not listed.
pub(crate) struct StrayRecording {
    folder: PathBuf,
    /// `None` if an earlier daemon recorded it.
    session: Option<Arc<Session>>,
}

impl Sessions {
    /// Removes folders that belong to no session. What cannot be removed is logged, and left.
    pub(super) async fn remove_strays(self: &Arc<Self>, folders: Vec<PathBuf>) {
        for folder in folders {
            if !self.finish_stray(&folder, None).await {
                self.keep_stray(folder, None);
            } else if let Err(error) = remove_folder(&folder).await {
                tracing::error!(folder = %folder.display(), %error, "a left-over directory could not be removed");
            }
        }
    }

    /// Returns the ids of the sessions that have ring files.
    pub(super) fn ringed(&self) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(&self.services.folders.rings) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut ids = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let id = path.file_stem().and_then(|id| id.to_str());
            ids.extend(id.map(str::to_owned));
        }
        Ok(ids)
    }

    /// Removes ring files, except those of the sessions in `used`, and scripts of commands. What cannot be removed is
    /// logged, and left: it must not keep the daemon from serving.
    pub(super) fn remove_rings(&self, used: &HashSet<String>) {
        let folders = &self.services.folders;
        remove_from(&folders.runtime, |path| {
            path.file_name().is_some_and(crate::live::run::is_script)
        });
        remove_from(&folders.rings, |path| {
            let id = path.file_stem().and_then(|id| id.to_str());
            !id.is_some_and(|id| used.contains(id))
        });
    }

    /// Makes the tape of a session known only by its folder; true if the folder can be removed.
    async fn finish_stray(
        self: &Arc<Self>,
        folder: &Path,
        filters: Option<Box<RunFilter<'static>>>,
    ) -> bool {
        let Some(name) = folder.file_name().and_then(|name| name.to_str()) else {
            return true;
        };
        let ring = self.services.folders.ring(name);
        let rotation = self.services.settings().log_rotation_size;
        let at = folder.to_owned();
        let salvaged = blocking_io(move || {
            if at.join("recording.json").exists() {
                salvage(&at, &ring, rotation).map(Some)
            } else {
                Ok(None)
            }
        });
        match salvaged.await {
            Ok(None) => true,
            Ok(Some(salvaged)) => {
                let output = Output::ended(
                    folder.to_owned(),
                    salvaged.end,
                    salvaged.lines,
                    salvaged.gaps,
                );
                self.services
                    .finish_killed_tape(folder, &output, filters)
                    .await
            }
            Err(error) => {
                tracing::error!(folder = %folder.display(), %error, "what was recorded cannot be read");
                false
            }
        }
    }

    /// Keeps the folder of a session that is not listed, until its tape is made.
    pub(super) fn keep_stray(&self, folder: PathBuf, session: Option<Arc<Session>>) {
        self.stray_recordings
            .lock()
            .push(StrayRecording { folder, session });
        self.services.tape_kept.notify_one();
    }

    /// Makes the tapes of sessions that are not listed; returns whether any are left.
    pub(crate) async fn finish_strays(self: &Arc<Self>) -> bool {
        let strays = std::mem::take(&mut *self.stray_recordings.lock());
        let mut left = Vec::new();
        for stray in strays {
            let folder = &stray.folder;
            // A new session of the same id has taken the folder over.
            if self
                .list()
                .iter()
                .any(|listed| !listed.is_past() && listed.output.dir() == folder)
            {
                continue;
            }
            let is_made = match &stray.session {
                _ if self.services.stop.is_cancelled() => false,
                Some(session) => session.retry_tape(self.filters()).await,
                None => self.finish_stray(folder, Some(self.filters())).await,
            };
            if !is_made {
                left.push(stray);
            } else if let Err(error) = remove_folder(folder).await {
                tracing::warn!(folder = %folder.display(), %error, "a left-over directory could not be removed");
            }
        }
        let are_left = !left.is_empty();
        self.stray_recordings.lock().append(&mut left);
        are_left
    }
}

fn remove_from(folder: &Path, unwanted: impl Fn(&Path) -> bool) {
    let failed = |path: &Path, error: io::Error| {
        if error.kind() != io::ErrorKind::NotFound {
            tracing::error!(path = %path.display(), %error, "a left-over file could not be removed");
        }
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed(folder, error),
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if unwanted(&path)
            && let Err(error) = std::fs::remove_file(&path)
        {
            failed(&path, error);
        }
    }
}
