//! The recording of a program, from before it is started.

use super::session_tape::{Beginning, RecordingStart};
use crate::session::error::SessionError;
use crate::session::registry::Sessions;
use ccd_protocol::SessionId;
use ccd_protocol::session::SessionCreateParams;
use ccd_protocol::tape::RecordMode;
use ccd_tape::key::StateHash;
use ccd_tape::settings::Settings;
use std::path::PathBuf;

impl Sessions {
    /// Begins to record the program that is about to be started, if it is to be. Its folder is made for it; the caller
    /// makes it where it is not.
    pub async fn record_start(
        &self,
        beginning: &Beginning,
        id: &SessionId,
    ) -> Result<Option<PathBuf>, SessionError> {
        let Beginning::Live(Some(tape)) = beginning else {
            return Ok(None);
        };
        if tape.settings.record == RecordMode::Disabled {
            return Ok(None);
        }
        let folder = self.fresh_folder(id).await?;
        let place = RecordingStart {
            offset: 0,
            state: StateHash::start(),
            is_start: true,
        };
        if let Err(error) = tape.record(folder.clone(), place).await {
            let _ = tokio::fs::remove_dir_all(folder).await;
            return Err(error.into());
        }
        Ok(Some(folder))
    }

    /// Has the folder of tapes read that a start asks for, if it was not: other starts do not wait for that.
    pub async fn warm_root(&self, params: &SessionCreateParams) {
        let Some(options) = &params.tape else { return };
        let settings = Settings::over(
            options,
            &self.services.settings().replay,
            &self.services.folders.base,
        );
        if let Ok(settings) = settings {
            // What is wrong with it is told by the start.
            let _ = self.services.roots.open(&settings.root).await;
        }
    }
}
