//! `config.*`.

use super::{Failure, Module, require_absolute};
use crate::config::{check_file, entries, entry};
use ccd_protocol::daemon::{ConfigCheck, ConfigCheckReply, ConfigGet, ConfigList, ConfigListReply};
use ccd_store::blocking;

pub(super) fn register(module: &mut Module) {
    module.add::<ConfigList, _, Failure>(async |daemon, _, _| {
        let loaded = daemon.loaded();
        Ok(ConfigListReply {
            path: loaded.path_text(),
            places: daemon.config_places(),
            entries: entries(&loaded),
        })
    });
    module.add::<ConfigGet, _, _>(async |daemon, _, params| entry(&daemon.loaded(), &params.key));
    module.add::<ConfigCheck, _, Failure>(async |daemon, _, params| {
        let path = match params.path {
            Some(path) => {
                require_absolute("path", &path)?;
                Some(path.into())
            }
            None => daemon.config_path(),
        };
        Ok(match path {
            Some(path) => blocking(move || check_file(&path)).await,
            None => ConfigCheckReply::default(),
        })
    });
}
