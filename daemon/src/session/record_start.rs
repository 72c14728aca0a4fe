//! The recording of a program, from before it is started.

use super::error::SessionError;
use super::registry::Sessions;
use super::tape::{Beginning, Place};
use crate::tape::key::StateHash;
use ccd_protocol::SessionId;
use ccd_protocol::tape::RecordMode;
use std::path::PathBuf;

impl Sessions {
    /// Begins to record the program that is about to be started, if it is to be. Its folder is made for it; the caller
    /// makes it where it is not.
    pub(super) async fn record_start(
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
        let place = Place {
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
}
