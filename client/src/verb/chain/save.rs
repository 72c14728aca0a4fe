//! `ccctl chain save`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::file::read_object;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::chain::ChainSave;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn save(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({"name": args.at("name"), "chain": chain(args)?});
    context.show(ChainSave::NAME, &params)
}

/// The chain to save: options override the file.
fn chain(args: &Given) -> Result<Value, Failure> {
    let mut chain = match args.path("file") {
        Some(file) => read_object(file)?,
        None => {
            let commands = args.list("commands").iter();
            let commands = commands.map(|command| json!({ "command": command }));
            json!({ "commands": commands.collect::<Vec<_>>() })
        }
    };
    if args.has("shared") || args.has("shell") {
        chain["shared"] = args.at("shared").clone();
        chain["shell"] = args.at("shell").clone();
    }
    if let Some(cwd) = args.word("cwd") {
        chain["cwd"] = caller::absolute(Path::new(cwd))?.into();
    }
    if let Some(timeout) = args.seconds("timeout") {
        chain["timeout"] = timeout.into();
    }
    Ok(chain)
}
