//! `config.*`.

use super::Module;
use super::register::method;
use crate::config::{ConfigRefusal, check_file, entries, entry};
use ccd_protocol::daemon::{ConfigCheck, ConfigCheckReply, ConfigGet, ConfigList, ConfigListReply};
use ccd_store::blocking;
use jsonrpsee::core::RegisterMethodError;
use std::path::PathBuf;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<ConfigList, _, _>(module, |daemon, _, _| async move {
        let loaded = daemon.loaded();
        Ok(ConfigListReply {
            path: loaded
                .path
                .as_deref()
                .map(|path| path.to_string_lossy().into_owned()),
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
        Ok(blocking(move || check_file(&path)).await)
    })
}
