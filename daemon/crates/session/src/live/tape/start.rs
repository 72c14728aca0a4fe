//! The tapes of a session that is about to start: a tape replays, the program is recorded, or neither.

use super::proxy::{plays, proxy_params};
use super::session_tape::{RecordingStart, SessionTape};
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::start::StartPlan;
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeOptions};
use ccd_tape::format::Meta;
use ccd_tape::key::StateHash;
use ccd_tape::play::{PlayError, Player, stored_latency};
use ccd_tape::settings::TapeSettings;
use ccd_tape::{TapeError, record};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

impl Sessions {
    /// Returns the tape state of a session with tape options, and starts its replay if a tape replays.
    pub(crate) async fn begin_tape(
        self: &Arc<Self>,
        params: &SessionCreateParams,
        plan: &StartPlan,
    ) -> Result<Option<Arc<SessionTape>>, SessionError> {
        let Some(options) = &params.tape else {
            return Ok(None);
        };
        let (meta, id) = (plan.meta(), &plan.facts.id);
        let mut tape = self.tape_of(options, meta, id).await?;
        if plays(&tape.settings) {
            let player = Player::new(tape.cue());
            match player.start().await {
                Ok(()) => {
                    tape.player = Some(player);
                    tape.proxy_params = proxy_params(&tape.settings, params);
                }
                Err(PlayError::Miss { .. }) if tape.settings.fallback == FallbackMode::Proxy => {}
                Err(error) => return Err(TapeError::from(error).into()),
            }
        }
        Ok(Some(Arc::new(tape)))
    }

    /// Makes the tape state from the options. `meta` must still contain the whole environment.
    pub(super) async fn tape_of(
        self: &Arc<Self>,
        options: &TapeOptions,
        mut meta: Meta,
        id: &SessionId,
    ) -> Result<SessionTape, SessionError> {
        let configured = self.services.settings();
        let replay = &configured.replay;
        let settings = TapeSettings::over(options, replay, &self.services.folders.base);
        let settings =
            settings.map_err(|error| SessionError::InvalidArgument(error.to_string()))?;
        meta.latency = options.latency.clone().map(stored_latency);
        meta.error_rate = options.error_rate.unwrap_or_default();
        meta.seed = options.seed;
        meta.env = settings.rules.record_env(&meta.env);
        meta.tag.clone_from(&settings.tag);
        meta.redact = settings.redact;
        let root = self.services.roots.open(&settings.root).await;
        let root = root.map_err(TapeError::from)?;
        Ok(SessionTape {
            options: settings.completed(options, replay),
            settings,
            meta,
            root,
            player: None,
            recording: OnceLock::new(),
            hidden: Arc::default(),
            proxy_params: None,
            live: OnceLock::new(),
            left: Mutex::default(),
            ready: CancellationToken::new(),
            proxied: AtomicU64::new(0),
            sessions: Arc::downgrade(self),
            id: id.clone(),
            outcome: Mutex::default(),
        })
    }

    /// Removes the recording of a program that was not started.
    pub(crate) async fn drop_tape(&self, tape: Option<&Arc<SessionTape>>) {
        let Some(tape) = tape else { return };
        if let Some(recording) = tape.recording() {
            let (journal, folder) = (
                recording.journal().to_owned(),
                self.services.folders.session(&tape.id),
            );
            let gone = tokio::task::spawn_blocking(move || {
                let _ = std::fs::remove_file(journal);
                record::RecordingNote::remove(&folder);
            });
            let _ = gone.await;
        }
    }

    /// Starts to record the program that is about to start, if it is to be recorded. Then also creates and returns the
    /// session's folder; otherwise the caller creates it.
    pub(crate) async fn record_start(
        &self,
        tape: Option<&Arc<SessionTape>>,
        id: &SessionId,
    ) -> Result<Option<PathBuf>, SessionError> {
        let is_recorded = |tape: &&Arc<SessionTape>| {
            !tape.is_replay() && tape.settings.record != RecordMode::Disabled
        };
        let Some(tape) = tape.filter(is_recorded) else {
            return Ok(None);
        };
        let folder = self.fresh_folder(id).await?;
        let place = RecordingStart {
            offset: 0,
            state: StateHash::start(),
            is_start: true,
            secrets: Vec::new(),
        };
        if let Err(error) = tape.record(folder.clone(), place).await {
            let _ = tokio::fs::remove_dir_all(folder).await;
            return Err(error.into());
        }
        Ok(Some(folder))
    }

    /// Reads the tape folder that a start needs, if it was not read yet, so that other starts need not wait for it.
    pub(crate) async fn warm_root(&self, params: &SessionCreateParams) {
        let Some(options) = &params.tape else { return };
        let settings = TapeSettings::over(
            options,
            &self.services.settings().replay,
            &self.services.folders.base,
        );
        if let Ok(settings) = settings {
            // The start itself reports errors.
            let _ = self.services.roots.open(&settings.root).await;
        }
    }
}
