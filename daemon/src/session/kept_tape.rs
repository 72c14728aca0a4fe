//! A session's part in tapes, on its way to the next process.

use super::error::SessionError;
use super::live::Session;
use super::proxy::{KeptLive, Stagehand};
use super::registry::Sessions;
use super::tape::SessionTape;
use crate::output::{Output, Piece};
use crate::tape::TapeError;
use crate::tape::format::Meta;
use crate::tape::play::{KeptPlayer, Player};
use crate::tape::record::{self, KeptRecording, Note, Recording};
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::TapeOptions;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What no file may have of it, or has.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptTape {
    options: TapeOptions,
    meta: Meta,
    recording: Option<KeptRecording>,
    player: Option<KeptPlayer>,
    live: Option<KeptLive>,
    /// What the real program would be started with.
    params: Option<Box<SessionCreateParams>>,
}

impl KeptTape {
    pub(super) fn of(tape: &SessionTape) -> Self {
        Self {
            options: tape.options.clone(),
            meta: tape.meta.clone(),
            recording: tape.recording().map(Recording::kept),
            player: tape.player.as_ref().map(Player::kept),
            live: tape.live.get().map(|live| live.kept.clone()),
            params: tape
                .stagehand
                .as_ref()
                .map(|stagehand| Box::new(stagehand.params.clone())),
        }
    }
}

impl Sessions {
    /// Goes on with what an earlier process has recorded or played, up to the end of `output`.
    ///
    /// # Errors
    ///
    /// The root or the journal cannot be used any more.
    pub(super) async fn resume_tape(
        self: &Arc<Self>,
        kept: KeptTape,
        id: &SessionId,
        output: &Output,
    ) -> Result<Arc<SessionTape>, SessionError> {
        let mut tape = self.tape_of(&kept.options, kept.meta.clone()).await?;
        tape.meta = kept.meta;
        if let Some(recording) = kept.recording {
            let resumed = Recording::resume(recording, |from| {
                match output.read_memory(from, record::ECHO_BYTES) {
                    Some(Piece::Bytes(bytes)) => bytes,
                    _ => Vec::new(),
                }
            });
            let _ = tape.recording.set(resumed.map_err(TapeError::Journal)?);
        }
        if let Some(params) = kept.params {
            tape.stagehand = Stagehand::of(self, &tape.settings, &params, id);
        }
        let printed = output.end();
        if let Some(player) = kept.player {
            let player = Player::resume(tape.cue(), player, printed).await;
            tape.player = Some(player);
        }
        let tape = Arc::new(tape);
        if let Some(live) = kept.live {
            let (sessions, tape) = (Arc::clone(self), Arc::clone(&tape));
            self.tracker.spawn(async move {
                tape.resume_live(&sessions, live, printed).await;
            });
        }
        Ok(tape)
    }

    /// Makes the tape of a session that a kill of the daemon has ended, if it was recorded. True when nothing is left to
    /// be made.
    pub(super) async fn finish_killed_tape(
        self: &Arc<Self>,
        folder: &Path,
        output: &Output,
    ) -> bool {
        let at = folder.to_owned();
        let note = tokio::task::spawn_blocking(move || Note::of(&at)).await;
        let Some(note) = note.ok().flatten() else {
            return true;
        };
        let root = match self.roots.open(&note.root).await {
            Ok(root) => root,
            Err(error) => {
                tracing::error!(root = %note.root.display(), %error, "a tape cannot be finished");
                return false;
            }
        };
        let finished = record::finish(&root, &note.journal, output, &[], self.filters()).await;
        match finished.problem {
            Some(problem) => tracing::error!(
                problem,
                "the tape of a killed daemon's session is incomplete"
            ),
            None => {
                tracing::info!(tapes = ?finished.written, "the tape of a killed daemon's session is finished")
            }
        }
        Note::of(folder).is_none()
    }
}

impl Session {
    /// Its part in tapes, for the next process.
    pub(super) fn kept_tape(&self) -> Option<KeptTape> {
        self.tape().map(|tape| KeptTape::of(tape))
    }
}
