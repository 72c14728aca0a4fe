//! `config.*`.

use super::register::method;
use crate::config::{ConfigRefusal, check_file, entries, entry};
use crate::daemon::Daemon;
use ccd_protocol::daemon::{ConfigCheck, ConfigCheckReply, ConfigGet, ConfigList, ConfigListReply};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<ConfigList, _, _>(module, |daemon, _, _| async move {
        let loaded = daemon.loaded();
        Ok(ConfigListReply {
            path: loaded.path.as_deref().map(shown),
            entries: entries(&loaded),
        })
    })?;
    method::<ConfigGet, _, _>(module, |daemon, _, params| async move {
        Ok(entry(&daemon.loaded(), &params.key)?)
    })?;
    method::<ConfigCheck, _, _>(module, |daemon, _, params| async move {
        let path = match params.path {
            Some(path) if path.starts_with('/') => PathBuf::from(path),
            Some(path) => return Err(ConfigRefusal::RelativePath(path).into()),
            None => match daemon.config_path() {
                Some(path) => path,
                None => {
                    return Ok(ConfigCheckReply {
                        path: None,
                        errors: Vec::new(),
                        warnings: Vec::new(),
                    });
                }
            },
        };
        let checked = tokio::task::spawn_blocking(move || check_file(&path)).await;
        Ok(checked.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
    })
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
