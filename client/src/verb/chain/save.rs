//! `ccctl chain save`.

use crate::args::ChainSaveArgs;
use crate::verb::file::read_object;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::chain::{ChainSave, ChainSaveParams};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn save(args: &ChainSaveArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = ChainSaveParams {
        name: args.name.clone(),
        chain: chain(args)?,
    };
    context.show::<ChainSave>(&params)
}

/// The chain to save: options override the file.
fn chain(args: &ChainSaveArgs) -> Result<Value, Failure> {
    let mut chain = match &args.file {
        Some(file) => read_object(file)?,
        None => {
            let commands: Vec<Value> = args
                .commands
                .iter()
                .map(|command| json!({ "command": command }))
                .collect();
            json!({ "commands": commands })
        }
    };
    if args.shared || args.shell {
        chain["shared"] = args.shared.into();
        chain["shell"] = args.shell.into();
    }
    if let Some(cwd) = &args.cwd {
        chain["cwd"] = caller::absolute(Path::new(cwd))?.into();
    }
    if let Some(timeout) = args.timeout {
        chain["timeout"] = timeout.into();
    }
    Ok(chain)
}
