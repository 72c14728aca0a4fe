//! The tape state of a session, on its way to the next process.

use super::finished_tape::finish;
use super::past::PastTape;
use super::proxied::{KeptLive, LeftState};
use super::proxy::proxy_params;
use super::session_tape::SessionTape;
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::services::Services;
use crate::live::session::Session;
use crate::output::Output;
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::TapeOptions;
use ccd_store::blocking_io;
use ccd_tape::decorate::RunFilter;
use ccd_tape::format::Meta;
use ccd_tape::play::{KeptPlayer, Player};
use ccd_tape::record::{self, KeptRecording, RecorderState, Recording, RecordingNote, Resumption};
use ccd_text::hidden::HiddenTexts;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The tape state that is in no file or must not be in one.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptTape {
    options: TapeOptions,
    meta: Meta,
    recording: Option<KeptRecording>,
    player: Option<KeptPlayer>,
    live: Option<KeptLive>,
    /// The parameters with which the real program would be started.
    params: Option<Box<SessionCreateParams>>,
    #[serde(default)]
    proxied: u64,
}

impl KeptTape {
    pub(crate) fn new(tape: &SessionTape) -> Self {
        let left = tape.take_left();
        let live = match tape.live.get() {
            Some(live) => Some(live.kept.clone()),
            None => left.and_then(|left| left.live),
        };
        Self {
            options: tape.options.clone(),
            meta: tape.meta.clone(),
            recording: tape.recording().map(Recording::kept),
            proxied: tape.proxied.load(Ordering::Relaxed),
            player: tape.player.as_ref().map(Player::kept),
            live,
            params: tape.proxy_params.clone(),
        }
    }

    /// Returns true if a tape replays, so that there is no program without it.
    pub(crate) fn plays(&self) -> bool {
        self.player.is_some()
    }
}

impl Sessions {
    /// Continues what an earlier process recorded or replayed. A missing journal ends only the recording.
    pub(crate) async fn resume_tape(
        self: &Arc<Self>,
        kept: KeptTape,
        id: &SessionId,
        output: &Output,
    ) -> Result<Arc<SessionTape>, SessionError> {
        let mut tape = self.tape_of(&kept.options, kept.meta.clone(), id).await?;
        tape.meta = kept.meta;
        tape.proxied = AtomicU64::new(kept.proxied);
        if let Some(recording) = kept.recording {
            let hidden = tape.recorded_secrets();
            let resumed = resume_recording(recording, hidden, output).await;
            if let Some(problem) = resumed.problem() {
                tracing::error!(session = %id, problem, "the recording has a problem; the session continues");
            }
            let _ = tape.recording.set(resumed);
        }
        if let Some(params) = kept.params {
            tape.proxy_params = proxy_params(&tape.settings, &params);
        }
        if let Some(player) = kept.player {
            tape.player = Some(Player::resumed(tape.cue(), player));
            let left = LeftState { live: kept.live };
            tape.left = Mutex::new(Some(left));
        }
        Ok(Arc::new(tape))
    }
}

impl Services {
    /// Makes the tape of a session that an earlier daemon left, if it was recorded. Returns true if nothing is left to
    /// be made. A tape that needs `filters` is left if none may run yet.
    pub(crate) async fn finish_killed_tape(
        &self,
        folder: &Path,
        output: &Output,
        filters: Option<Box<RunFilter<'static>>>,
    ) -> bool {
        let at = folder.to_owned();
        let note = tokio::task::spawn_blocking(move || RecordingNote::read(&at)).await;
        let Some(note) = note.ok().flatten() else {
            return true;
        };
        let root = match self.roots.open(&note.root).await {
            Ok(root) => root,
            Err(error) => {
                tracing::error!(root = %note.root.display(), %error, "could not finish a tape");
                return false;
            }
        };
        if !note.journal.exists() && root.path.exists() {
            // The kill came after the tape was written, or before anything was recorded.
            RecordingNote::remove(folder);
            return true;
        }
        let finished = finish(
            &root,
            &note.journal,
            output,
            RecorderState::default(),
            filters,
        )
        .await;
        if finished.is_put_off {
            return false;
        }
        let mut past = PastTape::read(folder).unwrap_or_default();
        match &finished.problem {
            Some(_) if finished.problem == past.uses.problem => {}
            Some(problem) => {
                tracing::error!(
                    problem,
                    "the tape of an earlier daemon's session is incomplete"
                )
            }
            None => {
                tracing::info!(tapes = ?finished.written, "the tape of an earlier daemon's session is finished")
            }
        }
        past.uses.root = root.path.to_string_lossy().into_owned();
        past.uses.problem = None;
        finished.note_in(&mut past.uses);
        if let Err(error) = past.write(folder) {
            tracing::warn!(%error, "could not note how a recording ended");
        }
        RecordingNote::read(folder).is_none()
    }
}

/// Continues a recording, which may need output that is no longer in memory.
async fn resume_recording(
    kept: KeptRecording,
    hidden: Arc<HiddenTexts>,
    output: &Output,
) -> Recording {
    let at = kept.clone();
    let resumption = blocking_io(move || Resumption::read(&at)).await;
    let printed = match resumption.as_ref().ok().and_then(Resumption::offset) {
        Some(offset) => printed_from(output, offset).await,
        None => Vec::new(),
    };
    let end = output.published();
    let tail = printed_from(output, end.saturating_sub(record::ECHO_BYTES as u64)).await;
    Recording::resume(kept, resumption, hidden, &printed, &tail)
}

/// Returns the output from an offset on, up to the length that is searched for echoes.
async fn printed_from(output: &Output, offset: u64) -> Vec<u8> {
    let end = offset + record::ECHO_BYTES as u64;
    output.readable(offset, end).await
}

impl Session {
    pub(crate) fn kept_tape(&self) -> Option<KeptTape> {
        self.tape().map(|tape| KeptTape::new(&tape))
    }
}
