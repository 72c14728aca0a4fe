//! `program.*`.

use super::{CallError, Module, RpcError, RpcResult};
use crate::daemon::Daemon;
use ccd_protocol::program::{
    ProgramConfig, ProgramDelete, ProgramGet, ProgramList, ProgramListReply, ProgramSave,
    ProgramSaveParams, ProgramSaveReply,
};
use ccd_protocol::{Done, SessionId};
use ccd_session::program::{ProgramError, refuse_secrets, unknown_fields};

pub(super) fn register(module: &mut Module) {
    module.add::<ProgramList, _, RpcError>(async |daemon, _, _| {
        let programs = daemon.sessions.programs.list().await?;
        Ok(ProgramListReply { programs })
    });
    module.add::<ProgramGet, _, RpcError>(async |daemon, _, params| {
        let name = named(&params.name)?;
        Ok(daemon.sessions.programs.get(&name).await?)
    });
    module.add::<ProgramSave, _, _>(async |daemon, _, params| save(&daemon, params).await);
    module.add::<ProgramDelete, _, RpcError>(async |daemon, _, params| {
        let name = named(&params.name)?;
        daemon.sessions.programs.delete(&name).await?;
        Ok(Done {})
    });
}

async fn save(daemon: &Daemon, params: ProgramSaveParams) -> RpcResult<ProgramSaveReply> {
    let name = named(&params.name)?;
    let (config, mut warnings) = match (params.session, params.config) {
        (Some(session), None) => {
            let session = daemon.sessions.find(&session).await?;
            session.recorded_program().await?
        }
        (None, Some(document)) => {
            let warnings = unknown_fields(&document);
            let config: ProgramConfig =
                ccd_protocol::read(&document.to_string()).map_err(|mistake| {
                    let mistake = format!("the program configuration '{name}': {mistake}");
                    CallError::Params(mistake)
                })?;
            refuse_secrets(&config).map_err(|mistake| ProgramError::Mistaken {
                name: name.clone(),
                mistake,
            })?;
            (config, warnings)
        }
        _ => {
            let text = "give either session or config";
            return Err(CallError::InvalidArgument(text.into()).into());
        }
    };
    let programs = &daemon.sessions.programs;
    let reply = programs.save(&name, config, params.force).await?;
    warnings.extend(reply.warnings);
    Ok(ProgramSaveReply { warnings, ..reply })
}

fn named(name: &str) -> Result<SessionId, CallError> {
    SessionId::parse(name)
        .map_err(|error| CallError::InvalidArgument(format!("the name {name:?} {error}")))
}
