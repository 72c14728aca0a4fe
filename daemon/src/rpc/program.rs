//! `program.*`.

use super::{CallError, Failure, Module, RpcResult, document_name, invalid};
use crate::daemon::Daemon;
use ccd_protocol::Done;
use ccd_protocol::program::{
    ProgramConfig, ProgramDelete, ProgramGet, ProgramList, ProgramListReply, ProgramSave,
    ProgramSaveParams, ProgramSaveReply,
};
use ccd_session::program::{ProgramError, refuse_secrets, unknown_fields};

pub(super) fn register(module: &mut Module) {
    module.add::<ProgramList, _, Failure>(async |daemon, _, _| {
        let programs = daemon.sessions.programs.list().await?;
        Ok(ProgramListReply { programs })
    });
    module.add::<ProgramGet, _, Failure>(async |daemon, _, params| {
        let name = document_name(&params.name)?;
        Ok(daemon.sessions.programs.get(&name).await?)
    });
    module.add::<ProgramSave, _, _>(async |daemon, _, params| save(&daemon, params).await);
    module.add::<ProgramDelete, _, Failure>(async |daemon, _, params| {
        let name = document_name(&params.name)?;
        daemon.sessions.programs.delete(&name).await?;
        Ok(Done {})
    });
}

async fn save(daemon: &Daemon, params: ProgramSaveParams) -> RpcResult<ProgramSaveReply> {
    let name = document_name(&params.name)?;
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
        _ => return Err(invalid("give either session or config").into()),
    };
    let programs = &daemon.sessions.programs;
    let reply = programs.save(&name, config, params.force).await?;
    warnings.extend(reply.warnings);
    Ok(ProgramSaveReply { warnings, ..reply })
}
