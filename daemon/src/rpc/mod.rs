//! Methods: parameters in, one command to the owner, one reply out.

mod agent;
mod attach;
mod chain;
mod coach;
mod config;
mod conversation;
mod daemon;
mod data;
mod discover;
mod error;
mod exec;
mod hook;
mod investigate;
mod job;
mod memory;
mod pattern;
mod program;
mod register;
mod run;
mod session;
mod subscribe;
mod tape;
mod test;

use crate::failure::{CallError, Failure, document_name, invalid, require_absolute, require_age};
use error::RpcResult;
pub(crate) use jsonrpsee::core::RegisterMethodError;
use register::{Module, Pending};

use crate::daemon::Daemon;
use jsonrpsee::RpcModule;
use std::sync::Arc;

pub(crate) fn module(daemon: Arc<Daemon>) -> Result<RpcModule<()>, RegisterMethodError> {
    let mut module = Module::new(daemon);
    session::register(&mut module);
    run::register(&mut module);
    chain::register(&mut module);
    program::register(&mut module);
    job::register(&mut module);
    pattern::register(&mut module);
    daemon::register(&mut module);
    data::register(&mut module);
    config::register(&mut module);
    subscribe::register(&mut module);
    attach::register(&mut module);
    tape::register(&mut module);
    hook::register(&mut module);
    coach::register(&mut module);
    exec::register(&mut module);
    agent::register(&mut module);
    conversation::register(&mut module);
    memory::register(&mut module);
    investigate::register(&mut module);
    test::register(&mut module);
    discover::register(&mut module);
    module.result.map(|()| module.rpc)
}
