//! Recordings that were kept because no tape could be made of them, such as on a full disk: tried again.

use super::past::PastTape;
use super::session_tape::SessionTape;
use crate::live::end::sleep_until;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use ccd_store::blocking_io;
use ccd_tape::decorate::RunFilter;
use ccd_tape::record::{Recording, RecordingNote};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait before the first retry; each further wait is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Sessions {
    /// Removes what belongs to no session, and makes the tapes of kept recordings, again while any are left.
    pub async fn retry_tapes(self: Arc<Self>) {
        self.tidy_folders().await;
        let services = Arc::clone(&self.services);
        let (mut pause, mut next) = (FIRST_PAUSE, Some(Instant::now()));
        loop {
            tokio::select! {
                () = sleep_until(next) => {
                    let are_left = self.finish_kept_tapes().await;
                    next = are_left.then(|| Instant::now() + pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                () = services.tape_kept.notified() => {
                    pause = FIRST_PAUSE;
                    next = Some(Instant::now() + pause);
                }
                () = services.leaving.cancelled() => return,
                () = services.stop.cancelled() => return,
            }
        }
    }

    /// Tries each kept recording once; returns whether any are left.
    async fn finish_kept_tapes(self: &Arc<Self>) -> bool {
        let mut are_left = false;
        for session in self.list() {
            if self.services.stop.is_cancelled() {
                return true;
            }
            if session.is_dead()
                && !session.is_past()
                && RecordingNote::read(session.output.dir()).is_some()
            {
                are_left |= !session.retry_tape(self.filters()).await;
            }
        }
        are_left | self.finish_strays().await
    }
}

impl Session {
    /// Tries again to make the tape of a session that has ended. Returns false if its recording is still kept.
    pub(crate) async fn retry_tape(&self, filters: Box<RunFilter<'static>>) -> bool {
        let folder = self.output.dir();
        let tape = self.tape();
        let recording = tape
            .as_deref()
            .and_then(|tape| Some((tape, tape.recording()?)));
        match recording {
            Some((tape, recording)) => self.finish_again(tape, recording, filters).await,
            None => {
                let filters = Some(filters);
                let services = &self.services;
                services
                    .finish_killed_tape(folder, &self.output, filters)
                    .await;
                *self.past_tape.lock() = PastTape::read(folder);
            }
        }
        RecordingNote::read(folder).is_none()
    }

    /// Makes the tape of a recording that this process made, and whose secrets it therefore knows.
    async fn finish_again(
        &self,
        tape: &SessionTape,
        recording: &Recording,
        filters: Box<RunFilter<'static>>,
    ) {
        if !recording.journal().exists() && tape.root.path.exists() {
            // Somebody has deleted it.
            return RecordingNote::remove(self.output.dir());
        }
        recording.flush();
        let finished = self.make_tape(tape, recording, filters).await;
        match &finished.problem {
            None => {
                tracing::info!(session = %self.id(), tapes = ?finished.written, "the tape of a kept recording is made");
            }
            Some(problem) => {
                tracing::debug!(session = %self.id(), problem, "the recording is still kept")
            }
        }
        tape.outcome.lock().finished = Some(finished);
        self.note_past(tape).await;
    }

    /// Writes how the session used tapes to its folder, where it outlives this process, and releases its tape, unless
    /// its recording must be tried again.
    pub(super) async fn note_past(&self, tape: &SessionTape) {
        if self.facts.transient {
            return;
        }
        let (past, folder) = (tape.past(), self.output.dir().to_owned());
        *self.past_tape.lock() = Some(past.clone());
        let noted = blocking_io(move || {
            past.write(&folder)?;
            Ok(RecordingNote::read(&folder).is_some())
        });
        match noted.await {
            Ok(is_kept) if is_kept => {}
            Ok(_) => self.input.release_tape(),
            Err(error) => {
                tracing::warn!(session = %self.id(), %error, "could not note what tapes did for it");
            }
        }
    }
}
