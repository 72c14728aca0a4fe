//! `config.*`.

use super::{Module, RpcError};
use crate::config::{ConfigRefusal, check_file, entries, entry};
use ccd_protocol::daemon::{ConfigCheck, ConfigCheckReply, ConfigGet, ConfigList, ConfigListReply};
use ccd_store::blocking;
use std::path::PathBuf;

pub(super) fn register(module: &mut Module) {
    module.add::<ConfigList, _, RpcError>(async |daemon, _, _| {
        let loaded = daemon.loaded();
        Ok(ConfigListReply {
            path: loaded.path_text(),
            entries: entries(&loaded),
        })
    });
    module.add::<ConfigGet, _, _>(async |daemon, _, params| entry(&daemon.loaded(), &params.key));
    module.add::<ConfigCheck, _, RpcError>(async |daemon, _, params| {
        let path = match params.path {
            Some(path) if path.starts_with('/') => Some(PathBuf::from(path)),
            Some(path) => return Err(ConfigRefusal::RelativePath(path).into()),
            None => daemon.config_path(),
        };
        Ok(match path {
            Some(path) => blocking(move || check_file(&path)).await,
            None => ConfigCheckReply::default(),
        })
    });
}
