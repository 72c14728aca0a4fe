//! `program.*`.

use super::RpcError;
use super::register::method;
use crate::daemon::Daemon;
use ccd_protocol::program::{
    ProgramDelete, ProgramGet, ProgramList, ProgramListReply, ProgramSave, ProgramSaveParams,
    ProgramSaveReply,
};
use ccd_protocol::{Done, SessionId};
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use std::sync::Arc;

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    method::<ProgramList, _, _>(module, |daemon, _, _| async move {
        let programs = daemon.sessions.programs.list().await?;
        Ok(ProgramListReply { programs })
    })?;
    method::<ProgramGet, _, _>(module, |daemon, _, params| async move {
        let name = named(&params.name)?;
        Ok(daemon.sessions.programs.get(&name).await?)
    })?;
    method::<ProgramSave, _, _>(module, |daemon, _, params| async move {
        save(&daemon, params).await
    })?;
    method::<ProgramDelete, _, _>(module, |daemon, _, params| async move {
        let name = named(&params.name)?;
        daemon.sessions.programs.delete(&name).await?;
        Ok(Done {})
    })
}

async fn save(daemon: &Daemon, params: ProgramSaveParams) -> Result<ProgramSaveReply, RpcError> {
    let name = named(&params.name)?;
    let programs = &daemon.sessions.programs;
    match (params.session, params.config) {
        (Some(session), None) => {
            let (config, warnings) = daemon.sessions.recorded_program(&session).await?;
            let mut reply = programs.save(&name, config, params.force).await?;
            reply.warnings.extend(warnings);
            Ok(reply)
        }
        (None, Some(document)) => Ok(programs.save_written(&name, document, params.force).await?),
        _ => Err(RpcError::InvalidArgument(
            "give one of session and config".into(),
        )),
    }
}

fn named(name: &str) -> Result<SessionId, RpcError> {
    SessionId::parse(name)
        .map_err(|error| RpcError::InvalidArgument(format!("the name {name:?} {error}")))
}
