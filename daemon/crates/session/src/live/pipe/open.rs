//! Opening and closing pipes.

use super::fifo::{self, AtPath, Fifo, PipeError};
use super::place::{self, PipeProgress};
use super::sender::PipeSender;
use super::state::{KeptPipe, OpenPipe};
use super::task::PipeTask;
use crate::interaction::HistoryEvent;
use crate::live::{Services, Session, SessionError};
use ccd_protocol::SessionId;
use ccd_protocol::session::{NamedPipe, PipeRepeat, SessionPipeParams};
use ccd_store::blocking;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A pipe that was made and is not used yet; dropping it removes it.
pub(in crate::live) struct PreparedPipe {
    made: Option<(Fifo, PipeProgress)>,
    place_path: PathBuf,
}

impl PreparedPipe {
    fn folder(&self) -> Option<&Path> {
        self.made.as_ref()?.0.path.parent()
    }
}

impl Drop for PreparedPipe {
    fn drop(&mut self) {
        if let Some((fifo, _)) = &self.made {
            let _ = fifo::remove(&fifo.path, fifo.inode);
            let _ = place::remove(&self.place_path);
        }
    }
}

impl Session {
    pub async fn pipe(
        self: &Arc<Self>,
        params: &SessionPipeParams,
    ) -> Result<NamedPipe, SessionError> {
        let _turn = self.pipe.turn.lock().await;
        let mut warnings = Vec::new();
        if params.open {
            self.require_alive()?;
            let current = self.pipe.current();
            if let Some(current) = &current {
                refuse_another_kind(current, params.raw)?;
            }
            let is_there = match &current {
                Some(current) => is_in_place(current).await,
                None => false,
            };
            if !is_there {
                let prepared = self.services.prepare_pipe(self.id()).await?;
                if let Some(gone) = &current {
                    gone.closing.cancel();
                    warnings.push(format!(
                        "{} had been removed and is created again; a reader of the old one gets nothing more",
                        gone.facts.path.display()
                    ));
                }
                if let Some(used) = prepared.folder()
                    && used != self.services.settings().pipe_dir
                {
                    warnings.push(format!(
                        "pipe_dir is not safe for named pipes, so {} is used; ccctl daemon logs says why",
                        used.display()
                    ));
                }
                let raw = params.raw.or(current.map(|gone| gone.facts.raw));
                self.services.library.fresh().await;
                self.start_pipe(prepared, raw.unwrap_or(false), self.output.end());
            }
        } else {
            self.remove_pipe().await;
        }
        self.keep();
        let mut record = self
            .pipe
            .record(self.id())
            .ok_or_else(|| SessionError::NoPipe(self.id().clone()))?;
        record.warnings = warnings;
        Ok(record)
    }

    /// Starts writing what happens from the offset `from` on.
    pub(in crate::live) fn start_pipe(
        self: &Arc<Self>,
        mut prepared: PreparedPipe,
        raw: bool,
        from: u64,
    ) {
        if let Some((fifo, mut place)) = prepared.made.take() {
            place.save(from);
            let facts = KeptPipe {
                path: fifo.path.clone(),
                created_at: ccd_base::clock::now(),
                raw,
                start: from,
                repeats: Vec::new(),
            };
            let open = OpenPipe::new(&fifo, facts);
            self.spawn_pipe(open, fifo, place, from, false);
        }
    }

    /// Continues a pipe that an earlier worker opened, after the last output that is known to be written.
    pub(in crate::live) async fn resume_pipe(self: &Arc<Self>, mut kept: KeptPipe) {
        let place_path = self.services.place_path(self.id());
        let path = kept.path.clone();
        let reopened = blocking(move || {
            if let Some(folder) = path.parent() {
                ccd_store::folder::prepare_exclusive(folder).map_err(PipeError::Folder)?;
            }
            Ok::<_, PipeError>((Fifo::reopen(path)?, PipeProgress::open(&place_path)))
        });
        match reopened.await {
            Ok((fifo, place)) => {
                let end = self.output.end();
                let from = place.saved.unwrap_or(end).min(end);
                let doubtful = place.begun.min(end).saturating_sub(from);
                if kept.raw && doubtful > 0 {
                    kept.repeats.push(PipeRepeat {
                        offset: from,
                        bytes: doubtful,
                    });
                }
                let open = OpenPipe::new(&fifo, kept);
                self.spawn_pipe(open, fifo, place, from, true);
                self.keep();
            }
            Err(error) => {
                tracing::error!(session = %self.id(), %error, "a pipe cannot be continued");
                let text = format!("the named pipe is closed: {error}");
                self.note(None, HistoryEvent::Trouble(text));
            }
        }
    }

    fn spawn_pipe(
        self: &Arc<Self>,
        open: Arc<OpenPipe>,
        fifo: Fifo,
        place: PipeProgress,
        from: u64,
        resumed: bool,
    ) {
        self.pipe.opened(Arc::clone(&open));
        let sender = PipeSender::new(fifo);
        let task = PipeTask::new(Arc::clone(self), open, sender, place, from);
        self.services.tracker.spawn(task.run(resumed));
    }

    /// Removes the pipe of a session that has ended; who still reads it gets the rest and the end of the file.
    pub(in crate::live) async fn end_pipe(&self) {
        let _turn = self.pipe.turn.lock().await;
        self.remove_pipe().await;
    }

    async fn remove_pipe(&self) {
        let Some(open) = self.pipe.current() else {
            return;
        };
        open.closing.cancel();
        let place_path = self.services.place_path(self.id());
        let path = open.facts.path.clone();
        let inode = open.inode;
        let removed = blocking(move || {
            place::remove(&place_path)?;
            fifo::remove(&path, inode)
        });
        if let Err(error) = removed.await {
            tracing::warn!(session = %self.id(), %error, "could not remove the named pipe");
        }
    }
}

impl Services {
    pub(in crate::live) async fn prepare_pipe(
        &self,
        id: &SessionId,
    ) -> Result<PreparedPipe, SessionError> {
        let places = self.pipe_folders();
        let (id, place_path) = (id.clone(), self.place_path(id));
        let made = blocking(move || {
            let folder = fifo::folder(&places)?;
            let fifo = Fifo::make(fifo::path_in(&folder, &id))?;
            let _ = place::remove(&place_path);
            Ok::<_, PipeError>(PreparedPipe {
                made: Some((fifo, PipeProgress::open(&place_path))),
                place_path,
            })
        });
        Ok(made.await?)
    }

    /// Removes the pipe that a session of a killed daemon may have left. Blocks.
    pub(in crate::live) fn remove_stray_pipe(&self, id: &str) {
        if let Ok(id) = SessionId::parse(id) {
            for folder in self.pipe_folders() {
                fifo::remove_stray(&fifo::path_in(&folder, &id));
            }
        }
    }

    fn pipe_folders(&self) -> [PathBuf; 3] {
        fifo::places(self.settings().pipe_dir.clone(), &self.folders.runtime)
    }

    fn place_path(&self, id: &SessionId) -> PathBuf {
        self.folders.rings.join(format!("{id}.pipe"))
    }
}

fn refuse_another_kind(current: &OpenPipe, raw: Option<bool>) -> Result<(), SessionError> {
    let kind = |raw: bool| if raw { "bytes" } else { "events" };
    match raw {
        Some(raw) if raw != current.facts.raw => Err(SessionError::InvalidArgument(format!(
            "the named pipe is already open with {}: close it first",
            kind(current.facts.raw)
        ))),
        _ => Ok(()),
    }
}

async fn is_in_place(open: &OpenPipe) -> bool {
    let (path, inode) = (open.facts.path.clone(), open.inode);
    blocking(move || fifo::look(&path) == AtPath::Fifo(inode)).await
}
